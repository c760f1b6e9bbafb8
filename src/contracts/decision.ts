/** What decisions about applications and verifications have in common. */
import { z } from 'zod'
import { REASON_CODES } from '../domain/decision.ts'
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
