/** Schemas for cases as operators see them, which add details to the client's view. */
import { z } from 'zod'
import { FILE_WARNINGS, SIDES } from '../domain/base/file.ts'
import { RISKS } from '../domain/decision/risk.ts'
import { ALL_SERVICES, BLOCK_REASONS, HOLD_OWNERS } from '../domain/identification/holds.ts'
import { IDENTIFICATION_STATUSES, ORIGINS, VERIFICATIONS } from '../domain/identification/identification.ts'
import { DUPLICATE_REASONS } from '../domain/screening/duplicate.ts'
import { assignment } from './assignment.ts'
import { described } from './common.ts'
import { pendingConfirmation } from './confirmation.ts'
import { correction, finding, internalNote, reply } from './decision.ts'
import { internalHoldShown, reasonNotes } from './hold.ts'
import { accountShown, identification } from './identification.ts'
import { applicationWithoutLinks } from './kyb-application.ts'
import { storedFile } from './kyb-file.ts'
import { ABOUT } from './kyb-sections.ts'
import { standing, subject } from './queue.ts'
import { dataOf, named, unixTime, uuid } from './response.ts'
import { screening } from './screening.ts'
import { verificationCheck } from './verification-check.ts'
import { photoAttribute } from './verified.ts'

const file = named(
  'FileDetails',
  storedFile.extend({
    side: described(
      z.enum(SIDES).nullable(),
      'The side of a beneficiary’s identity card that the file shows. Null for a passport and for all other files.',
      'front',
    ),
    content_type: described(
      z.string(),
      'Media type of the file, determined from its first bytes.',
      'application/pdf',
    ),
    size: described(z.int().min(0), 'Size of the file, in bytes.', 48_213),
    sha256: described(
      z.string(),
      'SHA-256 of the file, in hexadecimal digits.',
      'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    ),
    warnings: described(
      z.array(z.enum(FILE_WARNINGS)),
      '`lost` if the file is no longer stored, `unreadable` if the file cannot be opened, the quality of a photo (`blurred`, `dark`), or parts of a PDF that a viewer does not show (`scripts`, `launch` for programs that it starts, `attachments`). `unchecked` means that parts of a PDF cannot be checked for these.',
      ['attachments'],
    ),
  }),
)

export const readFileQuery = z.strictObject({
  original: described(
    z.enum(['true', 'false']).default('false'),
    'Whether to return an image as uploaded, with its metadata.',
  ),
})

const actor = (description: string) => described(z.string(), description, 'system')

export const holdShown = named(
  'Hold',
  z.strictObject({
    id: uuid.describe('ID of the hold.'),
    owner: described(
      z.enum(HOLD_OWNERS),
      'Source of the block: the client, the closing of the identification (`closure`) or the team that owns an internal hold.',
    ),
    services: z.array(z.enum(ALL_SERVICES)).describe('Blocked services.'),
    reason: z.enum(BLOCK_REASONS).describe('Reason for the block.'),
    notes: reasonNotes,
    opened_by: actor('The actor who created the hold.'),
    opened_at: unixTime.describe('Time of creation, in Unix seconds.'),
    in_force_since: unixTime
      .nullable()
      .describe('Time when the hold took effect, in Unix seconds. Null until then.'),
    lifted_by: actor('The actor who lifted the hold. Null while it is active.').nullable(),
    lifted_at: unixTime
      .nullable()
      .describe('Time when the hold was lifted, in Unix seconds. Null while it is active.'),
  }),
)

const vault = z
  .strictObject({
    id: uuid.describe('ID of the vault.'),
    name: described(z.string(), 'Name of the vault.', 'Analytical Engines'),
  })
  .describe('The vault of the resource.')

const duplicate = named(
  'Duplicate',
  z.strictObject({
    ...subject,
    vault,
    status: described(z.string(), 'Status of the application or the identification.', 'open'),
    reasons: described(
      z.array(z.enum(DUPLICATE_REASONS)),
      'Data that the possible duplicate has in common with the case.',
    ),
  }),
)

const duplicates = {
  duplicates: described(
    z.array(duplicate).max(10),
    'Applications and identifications in any vault that may concern the same company or person, newest first.',
  ),
  more_duplicates: described(z.boolean(), 'Whether there are more possible duplicates than those listed.'),
}

const change = named(
  'Change',
  z.strictObject({
    path: described(z.string(), 'Path of the field.', 'nature_of_business.legal_company_name'),
    before: described(z.unknown(), 'Value before the change. Null if there was none.', 'Engines Ltd'),
    after: described(z.unknown(), 'Value after the change. Null if there is none.', 'Engine Works Ltd'),
  }),
)

export const removedValue = named(
  'RemovedValue',
  z.strictObject({
    path: described(z.string(), 'Path of the field.', 'document_number'),
    value: described(z.unknown(), 'The value. For a file, its ID.', 'X1234567'),
    removed_at: unixTime.describe('Time of the removal, in Unix seconds.'),
  }),
)

const decidedOn = {
  vault,
  ...standing,
  ...assignment,
  risks: z.array(z.enum(RISKS)).meta({ description: 'Risk factors. Empty if there are none.' }),
  pending_confirmation: described(
    pendingConfirmation,
    'The decision that awaits a second approval. Null if no decision awaits one.',
  ),
  workflow: z
    .strictObject({
      id: described(z.string(), 'Workflow ID in Temporal.', 'kyb-0198c2f0-0000-7000-8000-000000000000'),
      url: described(
        z.url().nullable(),
        'URL of the workflow in the Temporal UI. Null if the UI’s address is not configured.',
        'http://localhost:8233/namespaces/default/workflows/kyb-0198c2f0-0000-7000-8000-000000000000',
      ),
    })
    .meta({ description: 'The Temporal workflow of the resource.' }),
  screening: screening.describe('Result of the screening.'),
  removed: described(
    z.array(removedValue),
    'Values that the applicant or the client removed or replaced under a legal hold or an internal hold, oldest first. The other attributes include them. They are erased after the hold ends.',
  ),
  holds: described(
    z.array(holdShown),
    'Holds on the identification, oldest first. The list contains all active holds and the latest lifted holds, at most 200 in total.',
  ),
}

export const personCheck = z.strictObject({
  id: uuid.describe('ID of the person’s own identification.'),
  status: z.enum(IDENTIFICATION_STATUSES).describe('Status of the person’s own identification.'),
  ...standing,
  verified: described(
    z.record(z.string(), z.string()).nullable(),
    'Names, date of birth, nationality and document of the verified person. Null unless the check is approved.',
    { name: 'Ada', surname: 'Lovelace', birthdate: '1990-12-10', nationality: 'GB' },
  ),
})
const checksOfPerson = {
  check: described(
    personCheck.nullable(),
    'The person’s own check. Null until the person first opens the link.',
  ),
  earlier_checks: described(
    z.array(personCheck),
    'Checks that ended because the application now names a different person, newest first. Their results no longer count.',
  ),
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
          beneficiaries_list: described(
            z.array(beneficiaries_list.element.extend(checksOfPerson)),
            ABOUT.beneficiaries_list,
          ),
        })
        .describe(ABOUT.beneficiaries),
      review: review
        .unwrap()
        .extend({
          findings: z.array(finding).describe('Problems that the operator found.'),
          internal_note: internalNote.nullable(),
          decided_by: actor('The actor who decided.'),
        })
        .nullable()
        .describe('The latest decision. Null before the first decision.'),
      changes: described(
        z.array(change),
        'Changes since the latest request for changes. Files appear with their ID and name.',
      ),
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
          findings: z.array(finding).describe('Problems that the operator found.'),
          corrections: z.array(correction).describe('Corrections that the applicant has not yet made.'),
          replies: z.array(reply).describe('Disputed corrections of the latest request, with the replies.'),
        })
        .nullable()
        .describe('The latest decision. Null before the first decision.'),
      ...decidedOn,
      kind: z.enum(['person', 'company']).describe('Type of the identity.'),
      origin: z.enum(ORIGINS).describe('Source of the identification.'),
      verification: z.enum(VERIFICATIONS).describe('Status of the verification, regardless of blocks.'),
      profile: described(
        z.record(z.string(), z.string()),
        'Profile of the person, or of a company without an application.',
        { city: 'London' },
      ),
      consent: z
        .strictObject({
          version: described(z.string(), 'Version of the consent text.', '2026-11-25'),
          at: unixTime.nullable().describe('Time of the consent, in Unix seconds. Null if it is not known.'),
          language: described(
            z.string().nullable(),
            'Language in which the applicant saw the text. Null if it is not known.',
            'de',
          ),
        })
        .nullable()
        .describe('The applicant’s consent. Null if the applicant has not consented.'),
      files: z
        .array(
          file.omit({ side: true }).extend({
            attribute: photoAttribute,
          }),
        )
        .describe('Photos that the applicant uploaded.'),
      accounts: z.array(accountShown).describe('Accounts of the identification.'),
      checks: z.array(verificationCheck).meta({ description: 'Verification checks, oldest first.' }),
      cases: z.array(internalHoldShown).describe('Internal holds among the holds, oldest first.'),
      ...duplicates,
      kyb_id: described(
        uuid.nullable(),
        'ID of the company’s application or, for a beneficiary’s verification, of the application that names the person.',
      ),
      name_in_application: z
        .strictObject({
          full_name: described(z.string(), 'Name that the application gives to the person.', 'Ada Lovelace'),
          is_same: z.boolean().describe('Whether the person entered the same name.'),
        })
        .nullable()
        .describe(
          'A beneficiary’s name in the application, compared with the entered one. Null if one of them is missing, and for all others.',
        ),
    }),
  ),
)
