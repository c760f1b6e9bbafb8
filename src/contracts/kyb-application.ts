/** Schemas for KYB applications, in requests and answers (specification, "KYB applications"). */
import { z } from 'zod'
import { MAX_REPLY } from '../domain/decision/decision.ts'
import { LISTED_STATUSES, REVIEW_OUTCOMES } from '../domain/kyb/application.ts'
import { DUE_REASONS, type DueReason } from '../domain/kyb/values.ts'
import { id, idParam, inOrder, pageQuery, periodQuery, requiredText, text, vaultQuery } from './common.ts'
import { decidedOf } from './confirmation.ts'
import {
  clientComment,
  comments,
  correction,
  pathsToCorrect,
  reasonCode,
  reply,
  version,
} from './decision.ts'
import { storedFile } from './kyb-file.ts'
import {
  ABOUT,
  AN_ID,
  beneficiaryLink,
  ignored,
  sections,
  sectionsInResponse,
  without,
} from './kyb-sections.ts'
import { changedOf, dataOf, ENVELOPES, listOf, message, named, unixTime, uuid } from './response.ts'
import { reviewProgress, reviewProgressQuery } from './review-progress.ts'

const exampleSections = {
  nature_of_business: { legal_company_name: 'Analytical Engines GmbH', country_of_incorporation: 'DE' },
  beneficiaries: {
    beneficiaries_list: [{ email: 'ada@example.com', full_name: 'Ada Lovelace', roles: ['director'] }],
  },
}

const ignoredOfApplication = ignored({
  id: AN_ID,
  external_id: 'company-1842',
  identification_id: AN_ID,
  client_kyc: false,
  internal: false,
  status: { completed: false, processed: false },
  requirements: { currently_due: [], reasons: [], errors: [] },
  review: null,
  waiting_on: 'client',
  review_state: 'not_submitted',
  version: 3,
  updated_at: 1_770_000_000,
  created_at: 1_770_000_000,
})

/**
 * What was read can be sent back. Values that are sent replace what was there, files and people are added to those
 * that are there, `null` clears, and what is left out stays.
 */
export const patchKybBody = z
  .strictObject({ ...sections, ...ignoredOfApplication })
  .transform((patch) => without(ignoredOfApplication, patch))
  .meta({ examples: [exampleSections] })

export const replyBody = z.strictObject({
  path: text(300).meta({
    description: 'The `path` of an entry of `requirements.errors`.',
    examples: ['nature_of_business.vat_number'],
  }),
  file_id: id.optional().describe('Its `file_id`, if it has one.'),
  reply: requiredText(MAX_REPLY).meta({
    description: 'Why the value is correct. The reviewer reads it.',
    examples: ['The register was updated in May.'],
  }),
})

const externalId = {
  description: 'Your own id for the company. One vault takes each once.',
  examples: ['company-1842'],
}
const CLIENT_KYC =
  'A note of yours: you have verified the persons behind the company yourself. It is kept and shown; nothing follows from it.'
const INTERNAL =
  'A note of yours: the company is one of your own rather than a customer. It is kept and shown; nothing follows from it.'

export const createKybBody = z
  .strictObject({
    external_id: requiredText(255).meta(externalId),
    client_kyc: z.boolean().default(false).describe(CLIENT_KYC),
    internal: z.boolean().default(false).describe(INTERNAL),
    ...sections,
  })
  .meta({ examples: [{ external_id: 'company-1842', ...exampleSections }] })

export const listKybQuery = inOrder(
  z.strictObject({
    external_id: text(255)
      .optional()
      .meta({ description: 'The one of this id of yours, and no other.', examples: ['company-1842'] }),
    status: z
      .enum(LISTED_STATUSES)
      .optional()
      .describe('Those whose `status` says so; `open` are those that are neither processed nor abandoned.'),
    ...reviewProgressQuery,
    ...periodQuery,
    ...vaultQuery,
    ...pageQuery(25),
  }),
)

const passwordExample = '7hKqRWxN2cPdM4vTzB9e'

export const validatePasswordBody = z.strictObject({
  password: z
    .string()
    .max(200)
    .meta({ description: 'The `generated_password` of the application.', examples: [passwordExample] }),
})

export const renewFormBody = z.strictObject({
  new_password: z
    .boolean()
    .default(false)
    .meta({ description: 'Without it the earlier password stays good.' }),
})

const outcome = z
  .enum(REVIEW_OUTCOMES)
  .describe('`revision_requested` hands the application back; the others end the review and lock it.')
const fields = pathsToCorrect(300, 200, 'nature_of_business.vat_number')

export const decideKybBody = z.strictObject({
  ...comments,
  version,
  outcome,
  reason_code: reasonCode,
  fields,
})

export const simulateReviewBody = z.strictObject({
  ...comments,
  reason_code: reasonCode.optional(),
  outcome,
  fields,
})

/** An application, with what is told of each file. */
const applicationOf = (file: z.ZodType) =>
  z.strictObject({
    id: uuid.describe('Names the application in every path.'),
    external_id: z.string().meta(externalId),
    identification_id: uuid.describe('The identification of the company, which its review decides about.'),
    client_kyc: z.boolean().describe(CLIENT_KYC),
    internal: z.boolean().describe(INTERNAL),
    status: z
      .strictObject({
        completed: z
          .boolean()
          .describe(
            'Every required field has a value that counts. It stays true while you correct a requested revision: `waiting_on` says whose turn it is.',
          ),
        processed: z.boolean().describe('Its review is finished: it can no longer be changed.'),
        abandoned: z
          .literal(true)
          .optional()
          .describe('There once the identification of the company was closed: it can no longer be changed.'),
      })
      .describe('How far it is.'),
    ...sectionsInResponse(file),
    requirements: z
      .strictObject({
        currently_due: z.array(z.string()).meta({
          description:
            'Paths of what is needed and missing, or does not count as it is; empty once it is complete. A beneficiary is named by the `external_id`.',
          examples: [['nature_of_business.legal_company_name']],
        }),
        reasons: z
          .array(
            z.strictObject({
              path: z.string().meta({
                description: 'One of `currently_due`.',
                examples: ['nature_of_business.date_of_incorporation'],
              }),
              code: z
                .enum(Object.keys(DUE_REASONS) as [DueReason, ...DueReason[]])
                .describe('Why it is due. `to_be_checked`: the next change of the application says.'),
              message: z.string().meta({
                description: 'The same in words, and what makes the field needed where it is not always.',
                examples: [DUE_REASONS.in_future],
              }),
            }),
          )
          .describe('Why each path of `currently_due` is due, in the same order.'),
        errors: z.array(correction).describe('What the review wants mended.'),
      })
      .describe('What is still to be done by the client.'),
    review: z
      .strictObject({
        outcome: z.enum(REVIEW_OUTCOMES).describe('How it was decided.'),
        reason_code: reasonCode,
        client_comment: clientComment.nullable(),
        decided_at: unixTime.describe('When it was decided, in Unix seconds.'),
        replies: z.array(reply).describe('Disputed corrections of the newest revision, with the replies.'),
      })
      .nullable()
      .describe('The newest decision; null before the first.'),
    ...reviewProgress,
    created_at: unixTime.describe('When it was created, in Unix seconds.'),
  })
const application = named('KybApplication', applicationOf(storedFile))

/** As operators see it: whoever has a person's link can act as the person. */
export function applicationWithoutLinks(file: z.ZodType) {
  const { beneficiaries, ...rest } = applicationOf(file).shape
  const person = beneficiaries.shape.beneficiaries_list.element.omit({ link: true, link_expires_at: true })
  return z.strictObject({
    ...rest,
    beneficiaries: beneficiaries
      .extend({ beneficiaries_list: z.array(person).describe(ABOUT.beneficiaries_list) })
      .describe(ABOUT.beneficiaries),
  })
}

export const beneficiaryParams = z.object({
  id: idParam.describe('Of the application.'),
  external_id: idParam.describe('Of the beneficiary, as the application has it.'),
})
export const beneficiaryLinkResponse = dataOf(z.strictObject(beneficiaryLink))

export const kybResponse = dataOf(application)
export const kybDecidedResponse = decidedOf(
  named('DecidedKybApplication', applicationWithoutLinks(storedFile)),
)
export const kybListResponse = listOf(application)
const generatedPassword = z
  .string()
  .meta({ description: 'Opens the company’s form. Shown once.', examples: [passwordExample] })
const changed = changedOf('ChangedKybApplication', application, ENVELOPES.kyb)
export const kybChangedResponse = dataOf(changed)
export const kybCreatedResponse = kybChangedResponse.extend({ generated_password: generatedPassword })
export const linkResponse = dataOf(
  z.strictObject({
    url: z.url().meta({
      description: 'Where the company opens its form. Good for seven days, or until the next link.',
      examples: ['https://onboarding.example.com/verify/7hKqRWxN2cPdM4vTzB9e'],
    }),
    expires_at: unixTime.describe('When the link expires, in Unix seconds.'),
    generated_password: generatedPassword.optional(),
  }),
)
export const kybUpdatedResponse = message('KYB application updated').extend({
  requirements: application.shape.requirements
    .optional()
    .describe('What is still to be done after the change. Only with `api_read`.'),
})
export const kybRepliedResponse = message('Reply recorded')
export const kybExistsResponse = z.strictObject({
  exists: z.boolean().describe('Whether the caller can reach an application of this id.'),
})
export const kybAuthenticatedResponse = z.strictObject({
  authenticate: z.boolean().describe('Whether it is the password of the form.'),
})
