/** Schemas for decisions that await a second operator. */
import { z } from 'zod'
import { PROPOSED_OUTCOMES, proposalOf } from '../domain/decision/confirmation.ts'
import type { Confirmation } from '../domain/decision/decision.ts'
import { described } from './common.ts'
import { clientComment, finding, internalNote, presentFinding, reasonCode, version } from './decision.ts'
import { presenterOf, recordOf } from './record.ts'
import { named, unixTime, uuid } from './response.ts'

/** The body of a confirmation. The second operator must give a reason, which a withdrawal does not need. */
export const confirmBody = z.strictObject({
  version,
  reason_code: reasonCode.meta({ description: 'The second operator’s reason.' }),
  internal_note: internalNote.optional(),
})
export const withdrawBody = confirmBody.omit({ reason_code: true })

export const confirm = (body: z.output<typeof confirmBody>): Confirmation => ({
  kind: 'confirm',
  ...recordOf(body),
})

export const withdraw = (body: z.output<typeof withdrawBody>): Confirmation => ({
  kind: 'withdraw',
  ...recordOf(body),
})

export const pendingConfirmation = named(
  'PendingConfirmation',
  z.strictObject({
    outcome: z.enum(Object.values(PROPOSED_OUTCOMES)).describe('The first operator’s decision.'),
    case_id: uuid.nullable().meta({ description: 'ID of the hold to lift. Null for other decisions.' }),
    reason_code: reasonCode.nullable(),
    client_comment: clientComment.nullable(),
    internal_note: internalNote.nullable(),
    findings: z.array(finding).describe('Problems that the first operator found.'),
    proposed_by: described(
      z.string(),
      'The operator who made the decision. Another operator must confirm it.',
      'system',
    ),
    proposed_at: unixTime.describe('Time of the decision, in Unix seconds.'),
  }),
).nullable()

const awaited = described(
  pendingConfirmation,
  'The decision that awaits a second approval. Null if no decision awaits one.',
)

/**
 * Returns the schema of the response to a decision. The pending confirmation is part of the resource, as in the
 * response to `GET`. It is also next to it, for programs that read it there.
 */
export const decidedOf = <S extends z.ZodRawShape>(name: string, resource: z.ZodObject<S>) =>
  z.strictObject({
    data: named(name, z.strictObject({ ...resource.shape, pending_confirmation: awaited })).describe(
      'The resource after the request.',
    ),
    pending_confirmation: awaited,
  })

/** Presents a resource after a decision. */
export function presentDecided<T extends object>(shown: T, entity: Parameters<typeof proposalOf>[0]) {
  const pending_confirmation = presentPending(entity)
  return { body: { data: { ...shown, pending_confirmation }, pending_confirmation } }
}

const present = presenterOf(pendingConfirmation.unwrap())

export function presentPending(entity: Parameters<typeof proposalOf>[0]) {
  const proposal = proposalOf(entity)
  if (!proposal) return null
  return present({
    ...proposal,
    findings: proposal.findings.map(presentFinding),
    proposedBy: proposal.by,
    proposedAt: proposal.since,
  })
}
