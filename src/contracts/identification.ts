/** Schemas for identifications (specification, "Identifications"). */

import { z } from 'zod'
import { newestDay } from '../domain/fields/values.ts'
import { ALL_SERVICES, BLOCK_REASONS } from '../domain/identification/holds.ts'
import { IDENTIFICATION_STATUSES, OUTCOMES } from '../domain/identification/identification.ts'
import {
  type ApplicantForm,
  addedFilesIn,
  addedOf,
  isBirthdate,
  MAX_AGE_YEARS,
  PERSON_PATHS,
  typedOf,
} from '../domain/identification/person-form.ts'
import { BLOCKERS } from '../domain/identification/record.ts'
import { ONE_NAME, surnameOf } from '../domain/names/full-name.ts'
import {
  calendarDate,
  described,
  httpsOrLocalUrl,
  httpsUrl,
  idParam,
  isDate,
  isVisible,
  pageQuery,
  requiredText,
  SHOWN,
  text,
  unchanged,
  vaultQuery,
} from './common.ts'
import { decidedOf } from './confirmation.ts'
import { withFullPhone } from './contact.ts'
import { clientComment, comments, pathsToCorrect, reasonCode, version } from './decision.ts'
import { fieldsOf, VALUES } from './field.ts'
import { linkResponse } from './kyb-application.ts'
import { changedOf, dataOf, ENVELOPES, listOf, named, unixTime, uuid } from './response.ts'
import { reviewProgress, reviewProgressQuery } from './review-progress.ts'
import { verified } from './verified.ts'

const MAX_TEXT = 500
const { country, email, phone, url: website } = VALUES

export const listIdentificationsQuery = z.strictObject({
  'filter[external_uuid]': described(
    text(255, unchanged).optional(),
    'Only the identification with this `external_uuid`.',
    'customer-1842',
  ),
  status: z.enum(IDENTIFICATION_STATUSES).optional().describe('Only identifications with this `status`.'),
  ...reviewProgressQuery,
  ...vaultQuery,
  ...pageQuery(25),
})

export const vaultScopedParams = z.object({
  vault_id: idParam.describe('A vault that the caller can access.'),
  id: idParam.describe('ID of the identification.'),
})

/** Returns true for a future date. An invalid date makes the request malformed instead. */
const isFuture = (date: string) => isDate(date) && date > newestDay(new Date())
const pastDate = calendarDate.refine(
  (date) => !isFuture(date),
  'This date is in the future. Send an earlier date.',
)
const birthdate = calendarDate.refine(
  (date) => !isDate(date) || isBirthdate(date, newestDay(new Date())),
  `This date is in the future, or more than ${MAX_AGE_YEARS} years ago. Send the date of birth.`,
)

const required = (description: string, example: string) =>
  described(requiredText(MAX_TEXT), description, example)
const OWN_UUID = 'Your own ID for the identity. It is unique within a vault.'
const ownUuid = (description: string) => described(requiredText(255, unchanged), description, 'customer-1842')
const externalUuid = ownUuid(`${OWN_UUID} If omitted, Gatehouse generates one.`)
const ADDRESS = ['Street and number.', 'St. James’s Square 12'] as const
const CITY = ['City of the address.', 'London'] as const
const EMAIL = { description: 'Email address of the person or company.', examples: ['ada@example.com'] }

/** A surname. An empty one, or one without letters, states that the person has only one name. */
const surname = (description: string) =>
  described(
    text(MAX_TEXT).overwrite(surnameOf),
    `${description} Send \`${ONE_NAME}\` or an empty text if the person has only one name.`,
    'Lovelace',
  )

const EXPIRY = {
  description: 'Date of expiry of the identity document, YYYY-MM-DD.',
  examples: ['2031-05-04'],
}

const person = z.strictObject({
  kind: z.literal('person').describe('The identity is a person.'),
  external_uuid: externalUuid.optional(),
  name: required('First names.', 'Ada'),
  surname: surname('Surname.'),
  address: required(...ADDRESS),
  city: required(...CITY),
  country: country.describe('Country of residence, ISO 3166-1 alpha-2 code.'),
  birthdate: described(
    birthdate,
    `Date of birth, YYYY-MM-DD, not in the future, and at most ${MAX_AGE_YEARS} years ago.`,
    '1990-12-10',
  ),
  email: email.meta(EMAIL),
  document_type: required('Type of the identity document.', 'PASSPORT'),
  document_number: required('Number of the identity document.', 'C01X00T47'),
  document_expires_on: calendarDate.optional().meta(EXPIRY),
})
const company = z.strictObject({
  kind: z.literal('company').describe('The identity is a company.'),
  external_uuid: externalUuid.optional(),
  name: required('Legal name, as shown in the commercial register.', 'Analytical Engines GmbH'),
  registration_number: required('Number in the commercial register.', 'HRB 18421'),
  country: country.describe('Country of registration, ISO 3166-1 alpha-2 code.'),
  address: required(...ADDRESS),
  city: required(...CITY),
  email: email.meta(EMAIL),
  incorporation_date: described(
    pastDate,
    'Date of registration, YYYY-MM-DD, not in the future.',
    '2015-02-28',
  ),
  vat_number: required('VAT number.', 'DE123456789').optional(),
  website: described(
    website.optional(),
    'URL of the website, `http` or `https`.',
    'https://engines.example.com',
  ),
})

/** Validates the kind first, so that a missing or unknown kind is the only problem that is reported. */
const kind = z.enum(['person', 'company'])
const personOrCompany = z.discriminatedUnion('kind', [person, company])
export const softKycBody = z.looseObject({ kind }).pipe(personOrCompany)
SHOWN.set(softKycBody, personOrCompany)

const imported = {
  external_uuid: ownUuid(OWN_UUID),
}
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

const REDIRECT_URL = {
  description:
    'The URL that the pages open at the end, with the `identification_id` and `status` parameters. The parameters are not signed, so read the status with `GET /identifications/{id}`.',
  examples: ['https://client.example.com/done'],
}
const OF_PERSONS = 'Only a `kyc` process accepts this field. Remove it.'

const isForPerson =
  (field: 'name' | 'surname') =>
  (body: object): boolean => {
    const { type, [field]: value } = Object(body) as Record<string, unknown>
    return type !== 'kyb' || value === undefined
  }
const onlyForPersons = (field: 'name' | 'surname') => ({
  path: [field],
  error: OF_PERSONS,
  // Reports this problem together with all others.
  when: () => true,
})

/** The form of a new link. Gatehouse sends the link if there is an address. Null removes the earlier address. */
export const renewLinkForm = z.strictObject({ email: email.nullable().optional() })

/** Creates the schema. In the sandbox, redirect URLs can point to the developer's machine. */
export const createIdentifyProcessBody = ({ isSandbox }: { readonly isSandbox: boolean }) =>
  z
    .strictObject({
      type: z.enum(['kyc', 'kyb']).describe('`kyc` verifies a person, `kyb` a company.'),
      external_uuid: externalUuid.optional(),
      email: described(
        email.optional(),
        'Email address of the person or company. The form shows it, and the applicant can change it.',
        'ada@example.com',
      ),
      name: required(
        'First names, only with `kyc`. The form shows them, and the applicant can change them.',
        'Ada',
      ).optional(),
      surname: surname(
        'Surname, only with `kyc`. The form shows it, and the applicant can change it.',
      ).optional(),
      redirect_url: (isSandbox ? httpsOrLocalUrl : httpsUrl).optional().meta(REDIRECT_URL),
    })
    .refine(isForPerson('name'), onlyForPersons('name'))
    .refine(isForPerson('surname'), onlyForPersons('surname'))

/** Returns the schema of the fields that a person fills in on hosted pages. `null` clears a field. */
export const fillInBodyOf = (form: ApplicantForm) =>
  z.strictObject({ ...fieldsOf(typedOf(form)), birthdate: birthdate.nullish() })

/** Returns the schema of a request whose additional values must have the types of the form. */
export const additionalOfPerson = (form: ApplicantForm) =>
  z.looseObject({ additional: z.strictObject(fieldsOf(addedOf(form))).nullish() })

/** Returns the schema of the form fields that accompany a person's document. */
export const personUploadFieldsOf = (form: ApplicantForm) => {
  const attributes = addedFilesIn(form)
  return z.strictObject({ attribute: z.enum(attributes, attributes.length > 0 ? undefined : NO_DOCUMENTS) })
}

const NO_DOCUMENTS =
  'The profile asks this person for no documents. Ask an administrator to add the document to the profile.'

/** Combines the fields with the file. Only the reference uses this schema, because the form is parsed part by part. */
export const personUploadBody = z.strictObject({
  file: z.file().describe('The file: PDF, JPEG or PNG, at most 10 MB.'),
  attribute: described(
    z.string().regex(/^additional\.[a-z][a-z0-9_]{0,59}$/),
    'The document, as the path of a row of the profile.',
    'additional.proof_of_address',
  ),
})

export const editProfileBody = z.preprocess(
  withFullPhone,
  z
    .strictObject({
      phone: phone.describe('Phone number in international format, with the leading plus.'),
      address: described(text(MAX_TEXT), ADDRESS[0], ADDRESS[1]),
      city: described(text(MAX_TEXT), CITY[0], CITY[1]),
      postal_code: described(text(40), 'Postcode of the address.', 'SW1Y 4JH'),
      address_country: country.describe('Country of the address, ISO 3166-1 alpha-2 code.'),
      name: required(
        'First names, or the company’s name. It can be changed only while the status is `initiated`.',
        'Ada',
      ),
      surname: surname('Surname. It can be changed only while the status is `initiated`.'),
      document_expires_on: calendarDate.meta(EXPIRY),
      additional: described(
        z.record(z.string().max(60), z.unknown()).nullable(),
        'The fields that the profile adds, keyed by name. Null clears all of them.',
        { place_of_birth: 'London' },
      ),
    })
    .partial(),
)

const NOTES = {
  description: 'Notes on the reason. Required if the reason is `other`.',
  examples: ['The phone was stolen.'],
}

export const blockReason = {
  reason: z.enum(BLOCK_REASONS).describe('Reason for the block. `other` requires `notes`.'),
  notes: text(5_000).optional().meta(NOTES),
}

/** Refuses the reason `other` without notes. */
export const withReason = <S extends z.ZodType>(schema: S) =>
  schema.refine(
    (body) => {
      const { reason, notes } = Object(body) as Record<string, unknown>
      return reason !== 'other' || (typeof notes === 'string' && isVisible(notes))
    },
    {
      path: ['notes'],
      params: { code: 'required' },
      error: 'The reason is `other`. Describe it in the notes.',
      // Checks this even if there are other problems, because all problems are reported at once.
      when: () => true,
    },
  )

export const blockBody = withReason(z.strictObject(blockReason))

export const decideIdentificationBody = z.strictObject({
  ...comments,
  version,
  outcome: described(
    z.enum(OUTCOMES),
    'Outcome of the decision. `initiated` requests information, and `attention` escalates to an operator.',
  ),
  reason_code: reasonCode,
  fields: pathsToCorrect(100, PERSON_PATHS.length, 'document_front'),
})

export const simulateVerificationBody = z.strictObject({
  ...comments,
  outcome: z.enum(OUTCOMES).exclude(['initiated']).describe('Outcome of the decision.'),
  reason_code: reasonCode.default('other'),
})

/** The body of a request to close an identification. It is absent or an empty object. */
export const closeBody = z.strictObject({})

export const identification = named(
  'Identification',
  z.strictObject({
    id: uuid.describe('ID of the identification.'),
    status: described(
      z.enum(IDENTIFICATION_STATUSES),
      'Status of the identification. While it is `approved`, the services of its accounts are enabled.',
    ),
    name: described(z.string(), 'First names, or the company’s name.', 'Ada'),
    surname: described(
      z.string(),
      'Surname. Empty for a company, and for a person who has only one name.',
      'Lovelace',
    ),
    external_uuid: described(z.string(), 'Your own ID for the identity.', 'customer-1842'),
    account_id: described(uuid.nullable(), 'ID of the account. Null for a beneficiary’s verification.'),
    account_referral: described(z.string().nullable(), 'Short referral code of the account.', 'K7RWXH2N'),
    kyb_id: described(
      uuid.nullable(),
      'ID of the KYB application that created the identification. Null if there is none.',
    ),
    blocks: z
      .array(
        z.strictObject({
          account_id: uuid.describe('ID of the account.'),
          by: described(
            z.enum(BLOCKERS),
            'Source of the block: you (`client`), an internal hold, or the closing of the identification. Only an operator lifts an internal hold. The block of a closed identification is permanent.',
          ),
          services: z.array(z.enum(ALL_SERVICES)).describe('Blocked services.'),
        }),
      )
      .describe(
        'Blocked services of each account, by source. Individual services can be blocked while the status is `approved`.',
      ),
    review: z
      .strictObject({
        outcome: described(z.string(), 'Outcome of the decision.', 'approved'),
        reason_code: described(z.string(), 'Reason for the decision.', 'complete'),
        client_comment: clientComment.nullable(),
        fields: described(z.array(z.string()), 'Fields and files that the applicant has not yet corrected.', [
          'document_front',
        ]),
        decided_at: unixTime.describe('Time of the decision, in Unix seconds.'),
      })
      .nullable()
      .meta({
        description:
          'The latest decision by an operator, a verification check or the review of the application. Null before the first decision.',
      }),
    ...reviewProgress,
    created_at: unixTime.describe('Time of creation, in Unix seconds.'),
    erased_at: described(
      unixTime.optional(),
      'Time when the personal data was erased, in Unix seconds. Omitted if it was not erased.',
    ),
  }),
)
const identificationWithIdentity = named(
  'IdentificationWithIdentity',
  identification.extend({
    additional: described(
      z.record(z.string(), z.unknown()).optional(),
      'The fields that the profile adds, keyed by name. Absent if it adds none.',
      { place_of_birth: 'London' },
    ),
    verified: verified
      .nullable()
      .describe('The verified identity. Null until the verification has passed, and after erasure.'),
  }),
)
export const identificationResponse = dataOf(identificationWithIdentity)
export const identificationChangedResponse = dataOf(
  changedOf('ChangedIdentification', identificationWithIdentity, ENVELOPES.identification),
)
export const identificationDecidedResponse = decidedOf('DecidedIdentification', identification)
export const processResponse = dataOf(
  linkResponse.shape.data.extend({
    url: described(
      linkResponse.shape.data.shape.url,
      'URL of the hosted verification or, with `kyb`, of the company’s form. Valid for seven days, or until a new link replaces it.',
    ),
    generated_password: described(
      linkResponse.shape.data.shape.generated_password,
      'Password for the company’s form, only with `kyb`. Shown once.',
    ),
    identification_id: uuid.describe('ID of the identification. Read it with `GET /identifications/{id}`.'),
  }),
)
export const identificationListResponse = listOf(identification)

export const accountShown = z.strictObject({
  id: uuid.describe('ID of the account.'),
  referral: described(z.string(), 'Short referral code of the account.', 'K7RWXH2N'),
})
export const accountResponse = dataOf(accountShown)
export const accountListResponse = listOf(accountShown)
export const listAccountsQuery = z.strictObject(pageQuery(25))
