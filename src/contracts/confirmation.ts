/** Decisions that wait for a second operator. */
import { z } from 'zod'
import type { Pending } from '../domain/decision/confirmation.ts'
import type { Confirmation, Decision } from '../domain/decision/decision.ts'
import { named, unixTime, uuid } from './answer.ts'
import { unixSeconds } from './common.ts'
import { clientComment, finding, internalNote, presentFinding, reasonCode, version } from './decision.ts'

/** Withdrawing needs no reason; confirming takes the second operator's own. */
export const confirmBody = z.strictObject({
  version,
  reason_code: reasonCode.meta({ description: 'The second operator’s own.' }),
  internal_note: internalNote.optional(),
})
export const withdrawBody = confirmBody.omit({ reason_code: true })

export const confirm = (body: z.output<typeof confirmBody>): Confirmation => ({
  kind: 'confirm',
  version: body.version,
  reasonCode: body.reason_code,
  internalNote: body.internal_note,
})

export const withdraw = (body: z.output<typeof withdrawBody>): Confirmation => ({
  kind: 'withdraw',
  version: body.version,
  internalNote: body.internal_note,
})

const OUTCOMES = { approve: 'approved', reject: 'rejected', close_case: 'case_closed' } as const
type PendingKind = keyof typeof OUTCOMES

export const pendingConfirmation = named(
  'PendingConfirmation',
  z.strictObject({
    outcome: z.enum(Object.values(OUTCOMES)).describe('What the first operator decided.'),
    case_id: uuid.nullable().meta({ description: 'Of the case that is to be closed.' }),
    reason_code: reasonCode.nullable(),
    client_comment: clientComment.nullable(),
    internal_note: internalNote.nullable(),
    findings: z.array(finding).describe('What the first operator found wrong.'),
    proposed_by: z.string().meta({ description: 'Another operator confirms it.', examples: ['system'] }),
    proposed_at: unixTime.describe('When it was decided, in Unix seconds.'),
  }),
).nullable()

/** The answer to a decision: the resource, and whether the decision still waits. */
export const decidedOf = <S extends z.ZodType>(resource: S) =>
  z.strictObject({
    data: resource.describe('As it is now.'),
    pending_confirmation: pendingConfirmation.meta({
      description: 'Not null where the decision takes effect only once a second operator confirms it.',
    }),
  })

interface Proposed {
  readonly state: { readonly pending?: (Pending<PendingKind> & { readonly caseId?: string }) | null }
  readonly proposal: object | null
}

export function presentPending({ state: { pending }, proposal }: Proposed) {
  if (!pending) return null
  const words: Partial<Decision> = proposal ?? {}
  return {
    outcome: OUTCOMES[pending.kind],
    case_id: pending.caseId ?? null,
    reason_code: words.reasonCode ?? null,
    client_comment: words.clientComment ?? null,
    internal_note: words.internalNote ?? null,
    findings: (words.findings ?? []).map(presentFinding),
    proposed_by: pending.by,
    proposed_at: unixSeconds(new Date(pending.since)),
  }
}
