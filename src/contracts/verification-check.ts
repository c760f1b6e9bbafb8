/** Schemas for verification checks, as providers report their results and as operators see them. */
import { z } from 'zod'
import { CHECK_OUTCOMES } from '../domain/identification/identification.ts'
import { PERSON_PATHS } from '../domain/identification/person-form.ts'
import { CHECK_FAILURES, PROVIDERS } from '../domain/identification/verification-check.ts'
import { described, id } from './common.ts'
import { reasonCode } from './decision.ts'
import { named, unixTime, uuid } from './response.ts'

const fields = z.array(z.enum(PERSON_PATHS)).max(PERSON_PATHS.length)

/** The signature covers `check_id`, so that a result cannot be replayed for another check. */
export const checkAnswerBody = z
  .strictObject({
    check_id: id,
    outcome: z.enum(CHECK_OUTCOMES),
    reason_code: reasonCode.optional(),
    fields: fields.optional(),
  })
  .superRefine(({ outcome, reason_code, fields }, context) => {
    const asks = outcome === 'initiated'
    const refuse = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message })
    if (asks && reason_code === undefined)
      refuse('reason_code', 'The outcome initiated requires a reason. Send a reason_code.')
    if (!asks && fields !== undefined)
      refuse('fields', 'Only the outcome initiated accepts fields. Remove them.')
  })

export const verificationCheck = named(
  'VerificationCheck',
  z.strictObject({
    id: uuid.describe('ID of the check. The request to the provider contains it as `check_id`.'),
    provider: z.enum(PROVIDERS).describe('The verification provider.'),
    asked_at: unixTime.describe('Time of the request to the provider, in Unix seconds.'),
    accepted_at: described(
      unixTime.nullable(),
      'Time when the provider accepted the check and announced a later result, in Unix seconds. Otherwise null.',
    ),
    answered_at: unixTime.nullable().describe('Time of the result, in Unix seconds. Null until then.'),
    outcome: described(
      z.enum(CHECK_OUTCOMES).nullable(),
      'Result of the check. `manual` means that an operator decides. Null until the result arrives.',
    ),
    reason_code: described(
      z.string().nullable(),
      'Reason for the result. Null if there is none.',
      'complete',
    ),
    fields: described(z.array(z.string()), 'Fields and photos that the applicant must correct.', [
      'document_front',
    ]),
    failure: described(
      z.enum(CHECK_FAILURES).nullable(),
      'Reason why the check failed. An operator then decides, even if a result arrives later. Null if it did not fail.',
    ),
  }),
)
