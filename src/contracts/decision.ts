/** What decisions about applications and verifications have in common. */
import { z } from 'zod'
import { type Decision, REASON_CODES, type ReasonCode } from '../domain/decision.ts'
import { text } from './common.ts'

export const reasonCode = z.enum(REASON_CODES)

/** Something that is to be mended. */
export const correction = z.strictObject({
  path: z.string(),
  code: z.string(),
  message: z.string().nullable(),
})

/** Of what an operator read, so that nothing else is decided on. */
export const version = z
  .int()
  .min(1)
  .optional()
  .meta({ description: 'The one that was read: another one than the newest is refused.' })

/** What is said with a decision: the comment to the client, the note to nobody but operators. */
export const comments = {
  client_comment: text(2_000).optional(),
  internal_note: text(5_000).optional(),
}

/** What the body of every decision says, beside its outcome. */
export interface DecisionBody {
  readonly version?: number | undefined
  readonly reason_code: ReasonCode
  readonly client_comment?: string | undefined
  readonly internal_note?: string | undefined
  readonly fields?: readonly string[] | undefined
}

/** The command of a decision, but for its kind. */
export const decisionOf = (body: DecisionBody): Decision & Pick<DecisionBody, 'fields'> => ({
  version: body.version,
  reasonCode: body.reason_code,
  clientComment: body.client_comment,
  internalNote: body.internal_note,
  fields: body.fields,
})
