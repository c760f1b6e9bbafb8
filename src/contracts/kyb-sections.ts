/** Schemas for the sections of an application and its beneficiaries, derived from the field tables. */
import { z } from 'zod'
import { oncePer } from '../domain/base/once-per.ts'
import { VERIFICATIONS } from '../domain/identification/identification.ts'
import { BENEFICIARY_FIELDS } from '../domain/kyb/fields/beneficiaries.ts'
import { KYB_FIELDS, MAX_BENEFICIARIES, type Section } from '../domain/kyb/fields.ts'
import { addedFields, type Form } from '../domain/kyb/form.ts'
import { described, id } from './common.ts'
import { withFullPhone } from './contact.ts'
import { fieldsOf, responseFieldsOf, schemaOf } from './field.ts'
import { BENEFICIARY_GUIDE, KYB_GUIDE } from './kyb-guide.ts'
import { unixTime, uuid } from './response.ts'

/** Describes fields that responses contain and that requests may repeat without effect. */
export const ignored = (examples: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(examples).map(([name, example]) => [
      name,
      z
        .unknown()
        .optional()
        .meta({
          description: 'Ignored in requests. You can send back the value from a response.',
          examples: [example],
          readOnly: true,
        }),
    ]),
  )

/** Returns the value without the fields that have these names. */
export const without = (names: object, value: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !Object.hasOwn(names, name)))

export const AN_ID = '018f4d2e-7c1a-7b3e-9d55-0a1b2c3d4e5f'
const A_LINK = 'https://onboarding.example.com/verify/7hKqRWxN2cPdM4vTzB9e'

const ignoredOfPerson = ignored({
  link: A_LINK,
  link_expires_at: 1_770_000_000,
  verification: 'initiated',
})

/** The fields that a profile adds. Their values are validated against the profile of the application. */
const additional = described(
  z.record(z.string().max(60), z.unknown()).nullish(),
  'The fields that the profile adds, keyed by name. Null clears all of them.',
  { tax_number: '12/345/67890' },
)

const { email, ...otherFields } = BENEFICIARY_FIELDS
const beneficiary = z
  .strictObject({
    ...ignoredOfPerson,
    ...fieldsOf(otherFields, BENEFICIARY_GUIDE),
    external_id: described(
      id.optional(),
      'Identifies a beneficiary of the application. With it, the email can be omitted or changed. Without it, the email identifies the person, and a new email adds a person.',
      AN_ID,
    ),
    additional,
    email: schemaOf(email)
      .optional()
      .meta({ ...BENEFICIARY_GUIDE.email }),
    _destroy: described(
      z.boolean().optional(),
      'If true, removes the person and all their documents. Has no effect if the person is not in the application.',
      false,
    ),
  })
  .check(({ value: { external_id, email }, issues }) => {
    if (external_id === undefined && email === undefined)
      issues.push({ code: 'invalid_type', expected: 'string', input: undefined, path: ['email'] })
  })
  .transform((person) => without(ignoredOfPerson, person))

export const ABOUT = {
  nature_of_business: 'The company’s names, registration, address and activity.',
  usage_of_account: 'Intended use of the account, with services, volumes, countries and source of funds.',
  business_files: 'The company’s documents.',
  beneficiaries: 'The company’s shareholders, beneficial owners and directors.',
  beneficiaries_list:
    'The company’s owners, directors and other representatives. A complete application has at least one `ubo` or `director`.',
}

const requestOf = (section: Section, more: Readonly<Record<string, z.ZodType>> = {}) =>
  z
    .preprocess(
      withFullPhone,
      z.strictObject({ ...fieldsOf(KYB_FIELDS[section], KYB_GUIDE[section]), ...more }),
    )
    .optional()
    .describe(ABOUT[section])

export const sections = {
  nature_of_business: requestOf('nature_of_business'),
  usage_of_account: requestOf('usage_of_account'),
  business_files: requestOf('business_files'),
  beneficiaries: requestOf('beneficiaries', {
    beneficiaries_list: described(
      z.array(beneficiary).max(MAX_BENEFICIARIES).nullish(),
      `${ABOUT.beneficiaries_list} People who are not in the list remain, so an empty list changes nothing. \`_destroy\` removes one person, and null removes all.`,
    ),
  }),
  additional,
}

/** The schemas of published versions, whose fields do not change. */
const additionalSchemas = oncePer((_: Form['company'], form: Form) =>
  z.looseObject({
    additional: z.strictObject(fieldsOf(form.company.additional)).nullish(),
    beneficiaries: z
      .looseObject({
        beneficiaries_list: z
          .array(z.looseObject({ additional: z.strictObject(fieldsOf(addedFields(form))).nullish() }))
          .nullish(),
      })
      .optional(),
  }),
)

/** Returns the schema of a request whose additional values must have the types of the form. */
export const additionalOf = (form: Form) => additionalSchemas(form.company, form)

export function hasAdditional(patch: Readonly<Record<string, unknown>>): boolean {
  const { beneficiaries_list: people } = (patch.beneficiaries ?? {}) as { beneficiaries_list?: unknown }
  return 'additional' in patch || (Array.isArray(people) && people.some((each) => 'additional' in each))
}

const ABOUT_LINK = 'URL of the person’s hosted verification. Anyone who has it can act as the person.'

export const beneficiaryLink = {
  link: described(z.url(), ABOUT_LINK, A_LINK),
  link_expires_at: unixTime.meta({ description: 'Time when the link expires, in Unix seconds.' }),
  verification: described(
    z.enum(VERIFICATIONS),
    'Status of the person’s own verification. `approved` replaces identity documents.',
  ),
}

const responseOf = (section: Section, file: z.ZodType) =>
  responseFieldsOf(KYB_FIELDS[section], file, KYB_GUIDE[section]).describe(ABOUT[section])

const addedInResponse = described(
  z.record(z.string(), z.unknown()).optional(),
  'The fields that the profile adds, keyed by name. Absent if it adds none.',
  { tax_number: '12/345/67890' },
)

/** Returns the sections of a response. `file` is the schema of each file in a list. */
export const sectionsInResponse = (file: z.ZodType) => ({
  additional: addedInResponse,
  nature_of_business: responseOf('nature_of_business', file),
  usage_of_account: responseOf('usage_of_account', file),
  business_files: responseOf('business_files', file),
  beneficiaries: responseOf('beneficiaries', file)
    .extend({
      beneficiaries_list: z
        .array(
          responseFieldsOf(BENEFICIARY_FIELDS, file, BENEFICIARY_GUIDE).extend({
            additional: addedInResponse,
            ...beneficiaryLink,
            // Optional, because read-only callers get no link. The holder of the link can act as the person.
            link: beneficiaryLink.link.optional().describe(`${ABOUT_LINK} Only with \`api_write\`.`),
            link_expires_at: beneficiaryLink.link_expires_at.optional(),
            external_id: uuid.describe(
              'ID of the beneficiary, assigned by Gatehouse. It identifies the person in paths and in `requirements`.',
            ),
          }),
        )
        .describe(ABOUT.beneficiaries_list),
    })
    .describe(ABOUT.beneficiaries),
})
