/** Requests about identifications (specification, "Identifications"). */
import { z } from 'zod'
import { ALL_SERVICES, BLOCK_REASONS, CASE_OWNERS, CASE_STATUSES } from '../domain/identification/holds.ts'
import { IDENTIFICATION_STATUSES, OUTCOMES } from '../domain/identification/identification.ts'
import { PERSON_FIELDS, PERSON_PATHS } from '../domain/identification/person-form.ts'
import { BLOCKERS } from '../domain/identification/record.ts'
import { newestDay } from '../domain/kyb/values.ts'
import {
  calendarDate,
  httpsOrLocalUrl,
  httpsUrl,
  idParam,
  inOrder,
  isVisible,
  pageQuery,
  periodQuery,
  requiredText,
  SHOWN,
  text,
  vaultQuery,
} from './common.ts'
import { decidedOf } from './confirmation.ts'
import { clientComment, comments, pathsToCorrect, reasonCode, version } from './decision.ts'
import { fieldsOf, VALUES } from './field.ts'
import { linkResponse } from './kyb-application.ts'
import { changedOf, dataOf, ENVELOPES, listOf, named, unixTime, uuid } from './response.ts'
import { reviewProgress, reviewProgressQuery } from './review-progress.ts'
import { verified } from './verified.ts'

const MAX_TEXT = 500
const { country, email, phone, url: website } = VALUES

export const listIdentificationsQuery = z.strictObject({
  'filter[external_uuid]': text(255)
    .optional()
    .meta({ description: 'The one of this id of yours, and no other.', examples: ['customer-1842'] }),
  status: z.enum(IDENTIFICATION_STATUSES).optional().describe('The `status`.'),
  ...reviewProgressQuery,
  ...vaultQuery,
  ...pageQuery(25),
})

export const vaultScopedParams = z.object({
  vault_id: idParam.describe('A vault that the caller can reach.'),
  id: idParam.describe('Of the identification.'),
})

/** A date that is none is malformed already, whatever day it would be. */
const isFuture = (date: string) => z.iso.date().safeParse(date).success && date > newestDay(new Date())
const pastDate = calendarDate.refine((date) => !isFuture(date), 'This date lies in the future.')

const required = (description: string, example: string, max = MAX_TEXT) =>
  requiredText(max).meta({ description, examples: [example] })
const externalUuid = required(
  'Your own id for the identity, once in a vault; made up where it is left out.',
  'customer-1842',
  255,
)
const ADDRESS = ['Street and number.', 'St. James’s Square 12'] as const
const CITY = ['City of the address.', 'London'] as const
const EMAIL = { description: 'Where the person or company is reached.', examples: ['ada@example.com'] }

const person = z.strictObject({
  kind: z.literal('person').describe('A person.'),
  external_uuid: externalUuid.optional(),
  name: required('First names.', 'Ada'),
  surname: required('Surname.', 'Lovelace'),
  address: required(...ADDRESS),
  city: required(...CITY),
  country: country.describe('Where the person lives.'),
  birthdate: pastDate.meta({ description: 'Not in the future.', examples: ['1990-12-10'] }),
  email: email.meta(EMAIL),
  document_type: required('What kind of document it is.', 'PASSPORT'),
  document_number: required('Number of the document.', 'C01X00T47'),
})
const company = z.strictObject({
  kind: z.literal('company').describe('A company.'),
  external_uuid: externalUuid.optional(),
  name: required('The name as the register has it.', 'Analytical Engines GmbH'),
  registration_number: required('Its number in the commercial register.', 'HRB 18421'),
  country: country.describe('Where it is registered.'),
  address: required(...ADDRESS),
  city: required(...CITY),
  email: email.meta(EMAIL),
  incorporation_date: pastDate.meta({ description: 'Not in the future.', examples: ['2015-02-28'] }),
  vat_number: required('Its VAT number.', 'DE123456789').optional(),
  website: website
    .optional()
    .meta({ description: 'Its website, `http` or `https`.', examples: ['https://engines.example.com'] }),
})

/** The kind is read first, so that it alone is named when it is missing or none. */
const kind = z.enum(['person', 'company'])
const personOrCompany = z.discriminatedUnion('kind', [person, company])
export const softKycBody = z.looseObject({ kind }).pipe(personOrCompany)
SHOWN.set(softKycBody, personOrCompany)

const imported = {
  external_uuid: required('Your own id for the identity, once in a vault.', 'customer-1842', 255),
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
    'Where the pages lead at their end, with `identification_id` and `status` as parameters. They are not signed: read the status with `GET /identifications/{id}`.',
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
  // All problems are reported at once.
  when: () => true,
})

/** In the sandbox, pages can lead to a developer's own machine. */
export const createIdentifyProcessBody = ({ isSandbox }: { readonly isSandbox: boolean }) =>
  z
    .strictObject({
      type: z.enum(['kyc', 'kyb']).describe('`kyc` verifies a person, `kyb` a company.'),
      external_uuid: externalUuid.optional(),
      email: email.optional().meta({
        description: 'Of the person or company. The form shows it, and it can be changed there.',
        examples: ['ada@example.com'],
      }),
      name: required(
        'First names, only with `kyc`. The form shows them, and they can be changed there.',
        'Ada',
      ).optional(),
      surname: required(
        'Surname, only with `kyc`. The form shows it, and it can be changed there.',
        'Lovelace',
      ).optional(),
      redirect_url: (isSandbox ? httpsOrLocalUrl : httpsUrl).optional().meta(REDIRECT_URL),
    })
    .refine(isForPerson('name'), onlyForPersons('name'))
    .refine(isForPerson('surname'), onlyForPersons('surname'))

/** What a person enters in hosted pages; `null` clears a field. */
export const fillInBody = z.strictObject({
  ...fieldsOf(PERSON_FIELDS.details),
  ...fieldsOf(PERSON_FIELDS.document),
  birthdate: pastDate.nullish(),
})

export const editProfileBody = z
  .strictObject({
    phone: phone.describe('International format, with the leading plus.'),
    address: text(MAX_TEXT).meta({ description: ADDRESS[0], examples: [ADDRESS[1]] }),
    city: text(MAX_TEXT).meta({ description: CITY[0], examples: [CITY[1]] }),
    postal_code: text(40).meta({ description: 'Postcode of the address.', examples: ['SW1Y 4JH'] }),
    address_country: country.describe('Country of the address.'),
    name: required('First names, or the name of the company; only while `initiated`.', 'Ada'),
    surname: required('Surname; only while `initiated`.', 'Lovelace'),
  })
  .partial()

const NOTES = { description: 'What is to be said of it.', examples: ['The phone was stolen.'] }

/** Why something is blocked. */
const why = {
  reason: z.enum(BLOCK_REASONS).describe('Why; `other` needs `notes`.'),
  notes: text(5_000).optional().meta(NOTES),
}

/** Refuses the reason `other` of which nothing is said. */
const hasReason = <S extends z.ZodType>(schema: S) =>
  schema.refine(
    (body) => {
      const { reason, notes } = Object(body) as Record<string, unknown>
      return reason !== 'other' || (typeof notes === 'string' && isVisible(notes))
    },
    {
      path: ['notes'],
      params: { code: 'required' },
      error: 'State the reason in the notes, because reason is `other`.',
      // Whatever else is wrong: all problems are told at once.
      when: () => true,
    },
  )

export const blockBody = hasReason(z.strictObject(why))

export const decideIdentificationBody = z.strictObject({
  ...comments,
  version,
  outcome: z.enum(OUTCOMES).describe('`initiated` asks for more, `attention` has an operator look at it.'),
  reason_code: reasonCode,
  fields: pathsToCorrect(100, PERSON_PATHS.length, 'document_front'),
})

export const simulateVerificationBody = z.strictObject({
  ...comments,
  outcome: z.enum(OUTCOMES).exclude(['initiated']).describe('What is decided.'),
  reason_code: reasonCode.default('other'),
})

export const closeCaseBody = z.strictObject({
  version: version.meta({ description: 'Of its identification, as it was read.' }),
})

/** None, or an empty one. */
export const closeBody = z.strictObject({})

export const openCaseBody = hasReason(
  z.strictObject({
    owner: z.enum(CASE_OWNERS).describe('Who has the case.'),
    services: z
      .array(z.enum(ALL_SERVICES))
      .min(1, 'Name at least one service, or leave this out for all of them.')
      .max(ALL_SERVICES.length)
      .optional()
      .describe('What is blocked; left out, everything.'),
    ...why,
  }),
)

export const identification = named(
  'Identification',
  z.strictObject({
    id: uuid.describe('Names the identification in every path.'),
    status: z
      .enum(IDENTIFICATION_STATUSES)
      .describe('What its accounts may do: services are open while it is `approved`.'),
    name: z.string().meta({ description: 'First names, or the name of the company.', examples: ['Ada'] }),
    surname: z.string().meta({ description: 'Surname; empty for a company.', examples: ['Lovelace'] }),
    external_uuid: z
      .string()
      .meta({ description: 'Your own id for the identity.', examples: ['customer-1842'] }),
    account_id: uuid
      .nullable()
      .meta({ description: 'Its account. Null for the verification of a beneficiary.' }),
    account_referral: z
      .string()
      .nullable()
      .meta({ description: 'Short code of the account, for people.', examples: ['K7RWXH2N'] }),
    kyb_id: uuid
      .nullable()
      .meta({ description: 'The application that it was created with; null where there is none.' }),
    blocks: z
      .array(
        z.strictObject({
          account_id: uuid.describe('The account.'),
          by: z
            .enum(BLOCKERS)
            .describe(
              'Who blocks: you (`client`), an internal case, which only its closing lifts, or the closing of the identification, which nothing lifts.',
            ),
          services: z.array(z.enum(ALL_SERVICES)).describe('What is blocked.'),
        }),
      )
      .describe('What is blocked of each account, and by whom; some services may be while it is `approved`.'),
    review: z
      .strictObject({
        outcome: z.string().meta({ description: 'What was decided.', examples: ['approved'] }),
        reason_code: z.string().meta({ description: 'Why.', examples: ['complete'] }),
        client_comment: clientComment.nullable(),
        fields: z
          .array(z.string())
          .meta({ description: 'What the applicant is still to mend.', examples: [['document_front']] }),
        decided_at: unixTime.describe('When, in Unix seconds.'),
      })
      .nullable()
      .meta({
        description: 'The newest decision, of an operator, a check or the review of its application.',
      }),
    ...reviewProgress,
    created_at: unixTime.describe('When it was created, in Unix seconds.'),
    erased_at: unixTime.optional().meta({ description: 'When what is personal was erased.' }),
  }),
)
export const identificationResponse = dataOf(
  named(
    'IdentificationWithIdentity',
    identification.extend({
      verified: verified
        .nullable()
        .describe('Whom the verification confirmed. Null until it has passed, and after erasure.'),
    }),
  ),
)
export const identificationChangedResponse = dataOf(
  changedOf('ChangedIdentification', identification, ENVELOPES.identification),
)
export const identificationDecidedResponse = decidedOf(identification)
export const processResponse = dataOf(
  linkResponse.shape.data.extend({
    url: linkResponse.shape.data.shape.url.meta({
      description:
        'Where the applicant fills it in: a person’s verification, or with `kyb` the company’s form. Good for seven days, or until the next link.',
    }),
    generated_password: linkResponse.shape.data.shape.generated_password.meta({
      description: 'With `kyb` alone: opens the company’s form. Shown once.',
    }),
    identification_id: uuid.describe('The identification that is verified: `GET /identifications/{id}`.'),
  }),
)
export const identificationListResponse = listOf(identification)

export const accountShown = z.strictObject({
  id: uuid.describe('Of the account.'),
  referral: z
    .string()
    .meta({ description: 'Short code of the account, for people.', examples: ['K7RWXH2N'] }),
})
export const accountResponse = dataOf(accountShown)
export const accountListResponse = listOf(accountShown)
export const listAccountsQuery = z.strictObject(pageQuery(25))

export const caseShown = named(
  'Case',
  z.strictObject({
    id: uuid.describe('Of the case.'),
    identification_id: uuid.describe('The identification that it blocks.'),
    owner: z.enum(CASE_OWNERS).describe('Who has the case.'),
    services: z.array(z.enum(ALL_SERVICES)).describe('What is blocked.'),
    reason: z.enum(BLOCK_REASONS).describe('Why.'),
    status: z.enum(CASE_STATUSES).describe('`closing` until what it blocked is free.'),
    opened_at: unixTime.describe('When it was opened, in Unix seconds.'),
    closed_at: unixTime.nullable().describe('When it was closed; null until then.'),
  }),
)
export const caseResponse = dataOf(caseShown)

const caseDetails = named(
  'CaseDetails',
  caseShown.extend({
    vault_id: uuid.describe('The vault of the identification.'),
    version: z
      .int()
      .min(1)
      .meta({ description: 'Of the identification: send it with the closing.', examples: [3] }),
    notes: z
      .string()
      .nullable()
      .meta({ description: 'What was said of it.', examples: ['Two chargebacks in May.'] }),
    opened_by: z.string().meta({ description: 'Who opened it.', examples: ['temporal'] }),
    closed_by: z
      .string()
      .nullable()
      .meta({ description: 'Who closed it; null until then.', examples: ['system'] }),
  }),
)
export const caseDetailsResponse = dataOf(caseDetails)
export const caseListResponse = listOf(caseDetails)

export const listCasesQuery = inOrder(
  z.strictObject({
    vault_id: idParam.optional().describe('Of this vault alone; without it, of all.'),
    identification_id: idParam.optional().describe('Of this identification alone.'),
    owner: z.enum(CASE_OWNERS).optional().describe('Who has the case.'),
    status: z.enum(CASE_STATUSES).optional().describe('How far it is.'),
    ...periodQuery,
    ...pageQuery(25),
  }),
)
