/** What operators read before they decide: all that clients see, and what clients do not. */
import { z } from 'zod'
import { DUPLICATE_REASONS } from '../domain/duplicate.ts'
import { ENTITY_KINDS } from '../domain/entity.ts'
import { ALL_SERVICES, BLOCK_REASONS, HOLD_OWNERS } from '../domain/holds.ts'
import {
  IDENTIFICATION_PARTIES,
  IDENTIFICATION_STATUSES,
  ORIGINS,
  VERIFICATIONS,
} from '../domain/identification.ts'
import { IMAGE_WARNINGS, PERSON_FILES } from '../domain/person-form.ts'
import { RISKS } from '../domain/risk.ts'
import { dataOf, named, unixTime, uuid } from './answer.ts'
import { assignment } from './assignment.ts'
import { pendingConfirmation } from './confirmation.ts'
import { correction, finding } from './decision.ts'
import { accountShown, caseShown, identification } from './identification.ts'
import { applicationWithoutLinks, storedFile } from './kyb-application.ts'
import { screening } from './screening.ts'
import { verificationCheck } from './verification-check.ts'

const file = named(
  'FileDetails',
  storedFile.extend({
    content_type: z.string().meta({ examples: ['application/pdf'] }),
    size: z.int().min(0).meta({ description: 'In bytes.' }),
    sha256: z.string().meta({ description: 'Of its bytes, in hexadecimal digits.' }),
  }),
)

export const readFileQuery = z.strictObject({
  original: z
    .enum(['true', 'false'])
    .default('false')
    .meta({ description: 'A picture as it was uploaded, with its metadata.' }),
})

const actor = z.string().meta({ examples: ['system'] })

const hold = named(
  'Hold',
  z.strictObject({
    id: uuid,
    owner: z.enum(HOLD_OWNERS),
    services: z.array(z.enum(ALL_SERVICES)),
    reason: z.enum(BLOCK_REASONS),
    notes: z.string().nullable(),
    opened_by: actor,
    opened_at: unixTime,
    in_force_since: unixTime.nullable(),
    lifted_by: actor.nullable(),
    lifted_at: unixTime.nullable(),
  }),
)

const duplicate = named(
  'Duplicate',
  z.strictObject({
    kind: z.enum(ENTITY_KINDS),
    id: uuid,
    title: z.string().nullable(),
    vault: z.strictObject({ id: uuid, name: z.string() }),
    status: z.string().meta({ examples: ['open'] }),
    reasons: z.array(z.enum(DUPLICATE_REASONS)),
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
    path: z.string().meta({ examples: ['nature_of_business.legal_company_name'] }),
    before: z.unknown().meta({ description: 'Null where there was nothing.', examples: ['Engines Ltd'] }),
    after: z.unknown().meta({ description: 'Null where there is nothing.', examples: ['Engine Works Ltd'] }),
  }),
)

const waiting = { waiting_on: z.enum(IDENTIFICATION_PARTIES), waiting_since: unixTime }

const decidedOn = {
  vault: z.strictObject({ id: uuid, name: z.string() }),
  version: z.int().min(1).meta({ description: 'Rises with every change; send it with a decision.' }),
  ...waiting,
  ...assignment,
  risks: z.array(z.enum(RISKS)).meta({ description: 'What makes it a high risk.' }),
  pending_confirmation: pendingConfirmation.meta({
    description: 'A decision that takes effect once a second operator confirms it.',
  }),
  workflow: z
    .strictObject({
      id: z.string().meta({ examples: ['kyb-0198c2f0-0000-7000-8000-000000000000'] }),
      url: z.url().nullable().meta({ description: 'In Temporal’s UI; null where its address is not set.' }),
    })
    .meta({ description: 'Its workflow.' }),
  screening,
  holds: z.array(hold).meta({ description: 'On the identification: in force and lifted, oldest first.' }),
}

const check = z
  .strictObject({ id: uuid, status: z.enum(IDENTIFICATION_STATUSES), version: z.int().min(1), ...waiting })
  .nullable()
  .meta({ description: 'The person’s own verification; null until its link is first opened.' })

const { status, beneficiaries, review, ...application } = applicationWithoutLinks(file).shape
const { beneficiaries_list } = beneficiaries.shape

export const kybReviewAnswer = dataOf(
  named(
    'KybApplicationUnderReview',
    z.strictObject({
      ...application,
      status: status.extend({ abandoned: z.boolean() }),
      beneficiaries: beneficiaries.extend({
        beneficiaries_list: z.array(beneficiaries_list.element.extend({ check })),
      }),
      review: review
        .unwrap()
        .extend({ findings: z.array(finding), internal_note: z.string().nullable(), decided_by: actor })
        .nullable(),
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

export const identificationReviewAnswer = dataOf(
  named(
    'IdentificationUnderReview',
    z.strictObject({
      ...known,
      review: decision
        .unwrap()
        .extend({ findings: z.array(finding), corrections: z.array(correction) })
        .nullable(),
      ...decidedOn,
      kind: z.enum(['person', 'company']),
      origin: z.enum(ORIGINS),
      verification: z.enum(VERIFICATIONS),
      profile: z
        .record(z.string(), z.string())
        .meta({ description: 'What is known where no application says it.', examples: [{ city: 'London' }] }),
      consent: z.strictObject({ version: z.string(), at: unixTime.nullable() }).nullable(),
      files: z.array(
        file.extend({
          attribute: z.enum(PERSON_FILES),
          warnings: z.array(z.enum(IMAGE_WARNINGS)),
        }),
      ),
      accounts: z.array(accountShown),
      checks: z.array(verificationCheck).meta({ description: 'By providers, oldest first.' }),
      cases: z.array(caseShown),
      ...duplicates,
      kyb_id: uuid
        .nullable()
        .meta({ description: 'The application of this company, or of which this is a beneficiary’s check.' }),
    }),
  ),
)
