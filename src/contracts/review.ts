/** What operators read before they decide: all that clients see, and what clients do not. */
import { z } from 'zod'
import { RISKS } from '../domain/decision/risk.ts'
import { ALL_SERVICES, BLOCK_REASONS, HOLD_OWNERS } from '../domain/identification/holds.ts'
import {
  IDENTIFICATION_PARTIES,
  IDENTIFICATION_STATUSES,
  ORIGINS,
  VERIFICATIONS,
} from '../domain/identification/identification.ts'
import { IMAGE_WARNINGS, PERSON_FILES } from '../domain/identification/person-form.ts'
import { DUPLICATE_REASONS } from '../domain/screening/duplicate.ts'
import { assignment } from './assignment.ts'
import { pendingConfirmation } from './confirmation.ts'
import { correction, finding, internalNote, reply } from './decision.ts'
import { accountShown, caseShown, identification } from './identification.ts'
import { applicationWithoutLinks } from './kyb-application.ts'
import { storedFile } from './kyb-file.ts'
import { ABOUT } from './kyb-sections.ts'
import { subject } from './queue.ts'
import { dataOf, named, unixTime, uuid } from './response.ts'
import { screening } from './screening.ts'
import { verificationCheck } from './verification-check.ts'

const file = named(
  'FileDetails',
  storedFile.extend({
    content_type: z.string().meta({ description: 'By its first bytes.', examples: ['application/pdf'] }),
    size: z
      .int()
      .min(0)
      .meta({ description: 'In bytes.', examples: [48_213] }),
    sha256: z.string().meta({
      description: 'Of its bytes, in hexadecimal digits.',
      examples: ['e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    }),
  }),
)

export const readFileQuery = z.strictObject({
  original: z
    .enum(['true', 'false'])
    .default('false')
    .meta({ description: 'A picture as it was uploaded, with its metadata.' }),
})

const actor = (description: string) => z.string().meta({ description, examples: ['system'] })

const hold = named(
  'Hold',
  z.strictObject({
    id: uuid.describe('Of the hold; of a case, its id.'),
    owner: z.enum(HOLD_OWNERS).describe('Who blocks: the client, the closing, or a case.'),
    services: z.array(z.enum(ALL_SERVICES)).describe('What is blocked.'),
    reason: z.enum(BLOCK_REASONS).describe('Why.'),
    notes: z
      .string()
      .nullable()
      .meta({ description: 'What was said of it.', examples: ['Two chargebacks in May.'] }),
    opened_by: actor('Who opened it.'),
    opened_at: unixTime.describe('When, in Unix seconds.'),
    in_force_since: unixTime.nullable().describe('Since when it holds; null until then.'),
    lifted_by: actor('Who lifted it; null where nobody did.').nullable(),
    lifted_at: unixTime.nullable().describe('When it was lifted; null while it holds.'),
  }),
)

const vault = z
  .strictObject({
    id: uuid.describe('Of the vault.'),
    name: z.string().meta({ description: 'Of the vault.', examples: ['Analytical Engines'] }),
  })
  .describe('The vault of the client.')

const duplicate = named(
  'Duplicate',
  z.strictObject({
    ...subject,
    vault,
    status: z.string().meta({ description: 'How far it is.', examples: ['open'] }),
    reasons: z.array(z.enum(DUPLICATE_REASONS)).describe('What both have.'),
  }),
)

const duplicates = {
  duplicates: z
    .array(duplicate)
    .max(10)
    .meta({ description: 'Others of any vault that may be the same company or persons, newest first.' }),
  more_duplicates: z.boolean().meta({ description: 'Whether there are others than those listed.' }),
}

const change = named(
  'Change',
  z.strictObject({
    path: z.string().meta({ description: 'The field.', examples: ['nature_of_business.legal_company_name'] }),
    before: z.unknown().meta({ description: 'Null where there was nothing.', examples: ['Engines Ltd'] }),
    after: z.unknown().meta({ description: 'Null where there is nothing.', examples: ['Engine Works Ltd'] }),
  }),
)

const waiting = {
  waiting_on: z.enum(IDENTIFICATION_PARTIES).describe('Who has to act next.'),
  waiting_since: unixTime.describe('Since when, in Unix seconds.'),
}
const version = z.int().min(1).meta({ description: 'Rises with every change; send it with a decision.' })

const decidedOn = {
  vault,
  version,
  ...waiting,
  ...assignment,
  risks: z.array(z.enum(RISKS)).meta({ description: 'What makes it a high risk.' }),
  pending_confirmation: pendingConfirmation.meta({
    description: 'A decision that takes effect once a second operator confirms it.',
  }),
  workflow: z
    .strictObject({
      id: z.string().meta({
        description: 'Its id in Temporal.',
        examples: ['kyb-0198c2f0-0000-7000-8000-000000000000'],
      }),
      url: z
        .url()
        .nullable()
        .meta({
          description: 'In Temporal’s UI; null where its address is not set.',
          examples: [
            'http://localhost:8233/namespaces/default/workflows/kyb-0198c2f0-0000-7000-8000-000000000000',
          ],
        }),
    })
    .meta({ description: 'Its workflow.' }),
  screening: screening.describe('What was found on lists.'),
  holds: z.array(hold).meta({
    description:
      'On the identification: those in force and the newest that were lifted, 200 in all; oldest first.',
  }),
}

const personCheck = z.strictObject({
  id: uuid.describe('Of the person’s own identification.'),
  status: z.enum(IDENTIFICATION_STATUSES).describe('How far it is.'),
  version,
  ...waiting,
  verified: z
    .record(z.string(), z.string())
    .nullable()
    .meta({
      description:
        'The person whom the check verified: names, birth date, nationality and document. Null unless it was approved.',
      examples: [{ name: 'Ada', surname: 'Lovelace', birthdate: '1990-12-10', nationality: 'GB' }],
    }),
})
const checksOfPerson = {
  check: personCheck
    .nullable()
    .meta({ description: 'The person’s own check; null until its link is first opened.' }),
  earlier_checks: z.array(personCheck).meta({
    description:
      'Checks that ended because the application names another person now, newest first. They no longer count.',
  }),
}

const { beneficiaries, review, ...application } = applicationWithoutLinks(file).shape
const { beneficiaries_list } = beneficiaries.shape

export const kybReviewResponse = dataOf(
  named(
    'KybApplicationUnderReview',
    z.strictObject({
      ...application,
      beneficiaries: beneficiaries
        .extend({
          beneficiaries_list: z
            .array(beneficiaries_list.element.extend(checksOfPerson))
            .describe(ABOUT.beneficiaries_list),
        })
        .describe(ABOUT.beneficiaries),
      review: review
        .unwrap()
        .extend({
          findings: z.array(finding).describe('What was found wrong.'),
          internal_note: internalNote.nullable(),
          decided_by: actor('Who decided.'),
        })
        .nullable()
        .describe('The newest decision; null before the first.'),
      changes: z.array(change).meta({
        description:
          'Since the last decision, so since a revision was asked for; files are told by id and name.',
      }),
      ...duplicates,
      ...decidedOn,
    }),
  ),
)

const { review: decision, ...known } = identification.shape

export const identificationReviewResponse = dataOf(
  named(
    'IdentificationUnderReview',
    z.strictObject({
      ...known,
      review: decision
        .unwrap()
        .extend({
          findings: z.array(finding).describe('What was found wrong.'),
          corrections: z.array(correction).describe('What the applicant is still to mend.'),
          replies: z.array(reply).describe('Disputed corrections of the newest request, with the replies.'),
        })
        .nullable()
        .describe('The newest decision; null before the first.'),
      ...decidedOn,
      kind: z.enum(['person', 'company']).describe('Whom it is about.'),
      origin: z.enum(ORIGINS).describe('How it came into being.'),
      verification: z.enum(VERIFICATIONS).describe('How far the verification is, whatever is blocked.'),
      profile: z
        .record(z.string(), z.string())
        .meta({ description: 'What is known where no application says it.', examples: [{ city: 'London' }] }),
      consent: z
        .strictObject({
          version: z
            .string()
            .meta({ description: 'Of the text that was agreed to.', examples: ['2026-11-25'] }),
          at: unixTime.nullable().describe('When, in Unix seconds; null where that is not known.'),
        })
        .nullable()
        .describe('What the applicant agreed to; null before that.'),
      files: z
        .array(
          file.extend({
            attribute: z.enum(PERSON_FILES).describe('What the picture shows.'),
            warnings: z.array(z.enum(IMAGE_WARNINGS)).describe('What a look at it found.'),
          }),
        )
        .describe('Pictures that the applicant took.'),
      accounts: z.array(accountShown).describe('All accounts of it.'),
      checks: z.array(verificationCheck).meta({ description: 'By providers, oldest first.' }),
      cases: z.array(caseShown).describe('Those among the holds, oldest first.'),
      ...duplicates,
      kyb_id: uuid.nullable().meta({
        description: 'The application of this company, or of which this is a beneficiary’s verification.',
      }),
    }),
  ),
)
