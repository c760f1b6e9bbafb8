/** Schemas for KYB applications (specification, "KYB applications"). */
import { z } from 'zod'
import { MAX_REPLY } from '../domain/decision/decision.ts'
import { DUE_REASONS, type DueReason } from '../domain/fields/values.ts'
import { LISTED_STATUSES, REVIEW_OUTCOMES } from '../domain/kyb/application.ts'
import {
  described,
  id,
  idParam,
  inOrder,
  pageQuery,
  periodQuery,
  requiredText,
  text,
  unchanged,
  vaultQuery,
} from './common.ts'
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
import { VALUES } from './field.ts'
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
 * The body of a change. Accepts the content of an earlier response. Submitted values replace the stored ones, and files
 * and people are added. `null` clears a field, and omitted fields do not change.
 */
export const patchKybBody = z
  .strictObject({ ...sections, ...ignoredOfApplication })
  .transform((patch) => without(ignoredOfApplication, patch))
  .meta({ examples: [exampleSections] })

export const replyBody = z.strictObject({
  path: described(
    text(300),
    'The `path` of an entry in `requirements.errors`.',
    'nature_of_business.vat_number',
  ),
  file_id: id.optional().describe('The `file_id` of the same entry, if it has one.'),
  reply: described(
    requiredText(MAX_REPLY),
    'Why the value is correct. The reviewer reads it.',
    'The register was updated in May.',
  ),
})

const externalId = {
  description: 'Your own ID for the company. It is unique within a vault.',
  examples: ['company-1842'],
}
const CLIENT_KYC =
  'Your own flag for a company whose people you have already verified. Gatehouse stores and returns it. It has no other effect.'
const INTERNAL =
  'Your own flag for a company in your group. Gatehouse stores and returns it. It has no other effect.'

export const createKybBody = z
  .strictObject({
    external_id: requiredText(255, unchanged).meta(externalId),
    client_kyc: z.boolean().default(false).describe(CLIENT_KYC),
    internal: z.boolean().default(false).describe(INTERNAL),
    ...sections,
  })
  .meta({ examples: [{ external_id: 'company-1842', ...exampleSections }] })

export const listKybQuery = inOrder(
  z.strictObject({
    external_id: described(
      text(255, unchanged).optional(),
      'Only the application with this `external_id`.',
      'company-1842',
    ),
    status: described(
      z.enum(LISTED_STATUSES).optional(),
      'Only applications with this status. `open` means neither processed nor abandoned.',
    ),
    ...reviewProgressQuery,
    ...periodQuery,
    ...vaultQuery,
    ...pageQuery(25),
  }),
)

const passwordExample = '7hKqRWxN2cPdM4vTzB9e'

export const validatePasswordBody = z.strictObject({
  password: described(z.string().max(200), 'The `generated_password` of the application.', passwordExample),
})

export const renewFormBody = z.strictObject({
  new_password: described(
    z.boolean().default(false),
    'Whether to create a new password. If false, the existing password remains valid.',
  ),
  email: described(
    VALUES.email.nullable().optional(),
    'Address to which Gatehouse sends the link, if emails are on for the vault. Later emails about the application go to it, too. Null means that Gatehouse sends none. Without this field, later emails go to the earlier address.',
    'office@engines.example.com',
  ),
})

const outcome = described(
  z.enum(REVIEW_OUTCOMES),
  'Outcome of the review. `revision_requested` returns the application to the client. `approved` and `rejected` end the review and lock the application.',
)
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

const reasons = z
  .array(
    z.strictObject({
      path: described(z.string(), 'A path in `currently_due`.', 'nature_of_business.date_of_incorporation'),
      code: described(
        z.enum(Object.keys(DUE_REASONS) as [DueReason, ...DueReason[]]),
        'Reason why the field is due. `to_be_checked` means that the field is checked again at the next change to the application.',
      ),
      message: described(
        z.string(),
        'The reason and the next step, for people. For a conditional field, it includes the condition.',
        DUE_REASONS.in_future,
      ),
    }),
  )
  .describe('The reason for each path in `currently_due`, in the same order.')

const applicationOf = (file: z.ZodType) =>
  z.strictObject({
    id: uuid.describe('ID of the application.'),
    external_id: z.string().meta(externalId),
    identification_id: uuid.describe('ID of the company’s identification. The review determines its status.'),
    client_kyc: z.boolean().describe(CLIENT_KYC),
    internal: z.boolean().describe(INTERNAL),
    status: z
      .strictObject({
        completed: described(
          z.boolean(),
          'Whether every required field has a value that counts. Remains true while you make requested changes. To see who must act next, use `waiting_on`.',
        ),
        processed: described(
          z.boolean(),
          'Whether the review is finished. A processed application cannot be changed.',
        ),
        abandoned: described(
          z.literal(true).optional(),
          'Present if the company’s identification was closed. An abandoned application cannot be changed.',
        ),
      })
      .describe('Progress of the application.'),
    ...sectionsInResponse(file),
    requirements: z
      .strictObject({
        currently_due: described(
          z.array(z.string()),
          'Paths of required fields that are missing, or whose values do not count. Empty if the application is complete. A beneficiary’s path contains the `external_id`.',
          ['nature_of_business.legal_company_name'],
        ),
        reasons,
        future: z
          .strictObject({
            profile_version: z.int().describe('The version of the vault’s profile.'),
            applies_from: unixTime.describe('Time from which the version applies, in Unix seconds.'),
            currently_due: described(z.array(z.string()), 'Paths that are due under this version.', [
              'additional.tax_number',
            ]),
            reasons,
          })
          .optional()
          .describe(
            'The requirements under a later version of the profile, to which the application moves. Absent if there is none.',
          ),
        errors: z.array(correction).describe('Corrections that the review requests.'),
      })
      .describe('Items that the client still has to provide or correct.'),
    review: z
      .strictObject({
        outcome: z.enum(REVIEW_OUTCOMES).describe('Outcome of the review.'),
        reason_code: reasonCode,
        client_comment: clientComment.nullable(),
        decided_at: unixTime.describe('Time of the decision, in Unix seconds.'),
        replies: z.array(reply).describe('Disputed corrections of the latest revision, with the replies.'),
      })
      .nullable()
      .describe('The latest decision. Null before the first decision.'),
    ...reviewProgress,
    created_at: unixTime.describe('Time of creation, in Unix seconds.'),
  })
const application = named('KybApplication', applicationOf(storedFile))

/**
 * Creates the schema for operators. It contains no links, because the holder of a person's link can act as the person.
 */
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
  id: idParam.describe('ID of the application.'),
  external_id: idParam.describe('The `external_id` that the beneficiary has in the application.'),
})
export const beneficiaryLinkResponse = dataOf(z.strictObject(beneficiaryLink))

export const kybResponse = dataOf(application)
export const kybDecidedResponse = decidedOf('DecidedKybApplication', applicationWithoutLinks(storedFile))
export const kybListResponse = listOf(application)
const generatedPassword = described(
  z.string(),
  'Password for the company’s form. Shown once.',
  passwordExample,
)
const changed = changedOf('ChangedKybApplication', application, ENVELOPES.kyb)
export const kybChangedResponse = dataOf(changed)
export const kybCreatedResponse = kybChangedResponse.extend({ generated_password: generatedPassword })
export const linkResponse = dataOf(
  z.strictObject({
    url: described(
      z.url(),
      'URL of the company’s form. Valid for seven days, or until a new link replaces it.',
      'https://onboarding.example.com/verify/7hKqRWxN2cPdM4vTzB9e',
    ),
    expires_at: unixTime.describe('Time when the link expires, in Unix seconds.'),
    generated_password: generatedPassword.optional(),
  }),
)
export const kybUpdatedResponse = message('KYB application updated').extend({
  requirements: application.shape.requirements
    .optional()
    .describe('Items that are still missing after the change. Only with `api_read`.'),
})
export const kybRepliedResponse = message('Reply recorded')
export const kybExistsResponse = z.strictObject({
  exists: z.boolean().describe('Whether the caller can access an application with this ID.'),
})
export const kybAuthenticatedResponse = z.strictObject({
  authenticate: z.boolean().describe('Whether the password is correct.'),
})
