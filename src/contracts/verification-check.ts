/** Verification checks: what a provider answers, and what operators see of them. */
import { z } from 'zod'
import { CHECK_OUTCOMES } from '../domain/identification/identification.ts'
import { PERSON_PATHS } from '../domain/identification/person-form.ts'
import { CHECK_FAILURES, PROVIDERS } from '../domain/identification/verification-check.ts'
import { id } from './common.ts'
import { reasonCode } from './decision.ts'
import { named, unixTime, uuid } from './response.ts'

const fields = z.array(z.enum(PERSON_PATHS)).max(PERSON_PATHS.length)

/** `check_id` is signed with the rest, so that no answer can be played again for another check. */
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
    if (asks && reason_code === undefined) refuse('reason_code', 'Say why more is asked for.')
    if (!asks && fields !== undefined) refuse('fields', 'Only the outcome initiated asks for something.')
  })

export const verificationCheck = named(
  'VerificationCheck',
  z.strictObject({
    id: uuid.describe('The `check_id` that the provider was asked with.'),
    provider: z.enum(PROVIDERS).describe('Who was asked.'),
    asked_at: unixTime.describe('When it was asked, in Unix seconds.'),
    accepted_at: unixTime.nullable().meta({ description: 'When a provider that answers later took it on.' }),
    answered_at: unixTime.nullable().describe('When it answered; null until then.'),
    outcome: z.enum(CHECK_OUTCOMES).nullable().meta({ description: '`manual`: an operator is to decide.' }),
    reason_code: z
      .string()
      .nullable()
      .meta({ description: 'Why.', examples: ['complete'] }),
    fields: z
      .array(z.string())
      .meta({ description: 'What it wants mended.', examples: [['document_front']] }),
    failure: z
      .enum(CHECK_FAILURES)
      .nullable()
      .meta({ description: 'Why it was given up, so that an operator decides whatever was answered.' }),
  }),
)
