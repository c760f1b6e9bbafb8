/** Requests about identifications (specification, "Identifications"). */
import { z } from 'zod'
import { ALL_SERVICES, BLOCK_REASONS, CASE_OWNERS } from '../domain/holds.ts'
import { IDENTIFICATION_STATUSES, OUTCOMES } from '../domain/identification.ts'
import { PERSON_FIELDS, PERSON_PATHS } from '../domain/person-form.ts'
import { dataOf, listOf, named, unixTime, uuid } from './answer.ts'
import { calendarDate, httpsUrl, idParam, pageQuery, requiredText, SHOWN, text } from './common.ts'
import { decidedOf } from './confirmation.ts'
import { comments, reasonCode, version } from './decision.ts'
import { fieldsOf, VALUES } from './kyb-application.ts'

const MAX_TEXT = 500
const { country, email, phone, url: website } = VALUES

export const listIdentificationsQuery = z.strictObject({
  'filter[external_uuid]': text(255).optional(),
  ...pageQuery(25),
})

export const vaultScopedParams = z.object({ vault_id: idParam, id: idParam })

/** A date that is none is malformed already, whatever day it would be. */
const isFuture = (date: string) =>
  z.iso.date().safeParse(date).success && date > new Date().toISOString().slice(0, 10)
const pastDate = calendarDate.refine((date) => !isFuture(date), 'This date lies in the future.')

const required = requiredText(MAX_TEXT)
const person = z.strictObject({
  kind: z.literal('person'),
  external_uuid: requiredText(255).optional(),
  name: required,
  surname: required,
  address: required,
  city: required,
  country,
  birthdate: pastDate,
  email,
  document_type: required,
  document_number: required,
})
const company = z.strictObject({
  kind: z.literal('company'),
  external_uuid: requiredText(255).optional(),
  name: required,
  registration_number: required,
  country,
  address: required,
  city: required,
  email,
  incorporation_date: pastDate,
  vat_number: required.optional(),
  website: website.optional(),
})

/** The kind is read first, so that it alone is named when it is missing or none. */
const kind = z.enum(['person', 'company'])
const personOrCompany = z.discriminatedUnion('kind', [person, company])
export const softKycBody = z.looseObject({ kind }).pipe(personOrCompany)
SHOWN.set(softKycBody, personOrCompany)

const imported = { external_uuid: requiredText(255) }
const importedOne = z.discriminatedUnion('kind', [
  person.partial().extend({ ...imported, kind: person.shape.kind }),
  company.partial().extend({ ...imported, kind: company.shape.kind }),
])
export const importIdentityBody = z.looseObject({ kind: kind.default('person') }).pipe(importedOne)
SHOWN.set(
  importIdentityBody,
  z.union([
    person.partial().extend({ ...imported, kind: person.shape.kind.default('person') }),
    company.partial().extend({ ...imported, kind: company.shape.kind }),
  ]),
)

export const createIdentifyProcessBody = z.strictObject({
  type: z.enum(['kyc', 'kyb']),
  external_uuid: requiredText(255).optional(),
  email: email.optional(),
  redirect_url: httpsUrl.optional(),
})

/** What a person enters in hosted pages; `null` clears a field. */
export const fillInBody = z.strictObject({
  ...fieldsOf(PERSON_FIELDS.details),
  ...fieldsOf(PERSON_FIELDS.document),
  birthdate: pastDate.nullish(),
})

export const editProfileBody = z
  .strictObject({
    phone,
    address: text(MAX_TEXT),
    city: text(MAX_TEXT),
    postal_code: text(40),
    address_country: country,
    name: required,
    surname: required,
  })
  .partial()

const isBlank = (value: unknown) => typeof value !== 'string' || value.trim() === ''

export const blockBody = z
  .strictObject({ reason: z.enum(BLOCK_REASONS), notes: text(5_000).optional() })
  .refine(
    (body) => {
      const { reason, notes } = Object(body) as Record<string, unknown>
      return reason !== 'other' || notes === undefined ? reason !== 'other' : !isBlank(notes)
    },
    {
      path: ['notes'],
      params: { code: 'required' },
      error: 'Say in the notes why: the reason is `other`.',
      // Whatever else is wrong: all problems are told at once.
      when: () => true,
    },
  )

export const decideIdentificationBody = z.strictObject({
  ...comments,
  version,
  outcome: z.enum(OUTCOMES),
  reason_code: reasonCode,
  /** What the applicant is asked to mend. */
  fields: z.array(text(100)).max(PERSON_PATHS.length).optional(),
})

export const simulateVerificationBody = z.strictObject({
  ...comments,
  outcome: z.enum(OUTCOMES).exclude(['initiated']),
  reason_code: reasonCode.default('other'),
})

export const closeCaseBody = z.strictObject({
  version: version.meta({ description: 'Of its identification, as it was read.' }),
})

export const openCaseBody = z.strictObject({
  owner: z.enum(CASE_OWNERS),
  services: z
    .array(z.enum(ALL_SERVICES))
    .min(1, 'Name at least one service, or leave this out for all of them.')
    .max(ALL_SERVICES.length)
    .optional(),
  reason: z.enum(BLOCK_REASONS),
  notes: text(5_000).optional(),
})

export const identification = named(
  'Identification',
  z.strictObject({
    id: uuid,
    status: z.enum(IDENTIFICATION_STATUSES),
    name: z.string().meta({ examples: ['Ada'] }),
    surname: z.string().meta({ examples: ['Lovelace'] }),
    external_uuid: z.string().meta({ examples: ['customer-1842'] }),
    account_id: uuid.nullable().meta({ description: 'Null for the check of a beneficiary.' }),
    account_referral: z
      .string()
      .nullable()
      .meta({ examples: ['K7RWXH2N'] }),
    review: z
      .strictObject({
        outcome: z.string().meta({ examples: ['approved'] }),
        reason_code: z.string().meta({ examples: ['complete'] }),
        client_comment: z.string().nullable(),
        fields: z
          .array(z.string().meta({ examples: ['document_front'] }))
          .meta({ description: 'What the applicant is still to mend.' }),
        decided_at: unixTime,
      })
      .nullable()
      .meta({ description: 'The newest decision, where there was one.' }),
    created_at: unixTime,
    erased_at: unixTime.optional().meta({ description: 'When what is personal was erased.' }),
  }),
)
export const identificationAnswer = dataOf(identification)
export const identificationDecidedAnswer = decidedOf(identification)
export const identificationListAnswer = listOf(identification)

export const accountShown = z.strictObject({
  id: uuid,
  referral: z.string().meta({ examples: ['K7RWXH2N'] }),
})
export const accountAnswer = dataOf(accountShown)

export const caseShown = named(
  'Case',
  z.strictObject({
    id: uuid,
    identification_id: uuid,
    owner: z.enum(CASE_OWNERS),
    services: z.array(z.enum(ALL_SERVICES)),
    reason: z.enum(BLOCK_REASONS),
    status: z.enum(['open', 'closing', 'closed']),
    opened_at: unixTime,
    closed_at: unixTime.nullable(),
  }),
)
export const caseAnswer = dataOf(caseShown)
