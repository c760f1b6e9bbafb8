/** Requests about KYB applications (specification, "KYB applications"). */
import countries from 'i18n-iso-countries'
import { z } from 'zod'
import { VERIFICATIONS } from '../domain/identification.ts'
import { REVIEW_OUTCOMES } from '../domain/kyb-application.ts'
import {
  BENEFICIARY_FIELDS,
  BENEFICIARY_FILE_LISTS,
  FILE_LISTS,
  type FieldKind,
  KYB_FIELDS,
  MAX_BENEFICIARIES,
} from '../domain/kyb-fields.ts'
import { dataOf, listOf, message, named, unixTime, uuid } from './answer.ts'
import { calendarDate, id, idParam, isUnbroken, pageQuery, requiredText, text } from './common.ts'
import { decidedOf } from './confirmation.ts'
import { comments, correction, reasonCode, version } from './decision.ts'

const MAX_TEXT = 5_000
const MAX_FILES = 50

const COUNTRY_CODES = new Set(Object.keys(countries.getAlpha2Codes()))
const CODES = [...COUNTRY_CODES].sort().join('|')
const isCountry = (code: string) => COUNTRY_CODES.has(code)

const country = z
  .string()
  .refine(isCountry, 'Write an ISO 3166-1 alpha-2 country code, such as DE.')
  .meta({ id: 'Country', enum: [...COUNTRY_CODES].sort(), examples: ['DE'] })
const countryList = z
  .string()
  .max(MAX_TEXT)
  .refine(
    (list) => list.split(',').every((code) => isCountry(code.trim())),
    'Write ISO 3166-1 alpha-2 country codes separated by commas, such as DE,FR.',
  )
  .meta({ pattern: `^(${CODES})( *, *(${CODES}))*$`, examples: ['DE,FR'] })
const numberText = z
  .string()
  .max(40)
  .regex(/^\d+(\.\d+)?$/, {
    error: 'Write a number as text, such as "1500" or "2.5".',
    abort: true,
  })
  .meta({ pattern: '^[0-9]+([.][0-9]+)?$', examples: ['1500'] })
const fileReference = z
  .strictObject({ id, name: text(255).optional() })
  .transform((reference) => reference.id)
const files = z
  .array(fileReference)
  .max(MAX_FILES)
  .transform((ids) => [...new Set(ids)])

/** How a value of each kind is written, in every resource. */
export const VALUES = {
  text: text(MAX_TEXT),
  boolean: z.boolean(),
  date: calendarDate,
  country,
  country_list: countryList,
  url: z
    .url({ protocol: /^https?$/ })
    .max(2_000)
    .refine(isUnbroken, 'Leave spaces out of the URL.'),
  phone: z.e164({ error: 'Write the number in international format, such as +4930123456.' }),
  email: z.email().max(254),
  number_text: numberText,
  percentage_text: numberText
    .refine((value) => Number(value) <= 100, 'The stake is at most 100 percent.')
    .meta({ examples: ['60'] }),
  files,
} as const satisfies Record<Extract<FieldKind, string>, z.ZodType>

function schemaOf(kind: FieldKind): z.ZodType {
  if (typeof kind === 'string') return VALUES[kind]
  const value = z.enum(kind.values as [string, ...string[]])
  return kind.kind === 'one_of' ? value : z.array(value).max(kind.values.length)
}

/** Every field of a section may be sent, and `null` clears it. */
export const fieldsOf = (fields: Record<string, FieldKind>) =>
  Object.fromEntries(Object.entries(fields).map(([name, kind]) => [name, schemaOf(kind).nullish()]))

const { email, ...otherFields } = BENEFICIARY_FIELDS
const beneficiary = z.strictObject({
  ...fieldsOf(otherFields),
  email: schemaOf(email),
  _destroy: z.boolean().optional(),
})

const sections = {
  nature_of_business: z.strictObject(fieldsOf(KYB_FIELDS.nature_of_business)).optional(),
  usage_of_account: z.strictObject(fieldsOf(KYB_FIELDS.usage_of_account)).optional(),
  business_files: z.strictObject(fieldsOf(KYB_FIELDS.business_files)).optional(),
  beneficiaries: z
    .strictObject({
      ...fieldsOf(KYB_FIELDS.beneficiaries),
      beneficiaries_list: z.array(beneficiary).max(MAX_BENEFICIARIES).nullish(),
    })
    .optional(),
}

export const patchKybBody = z.strictObject(sections)

export const createKybBody = z.strictObject({
  external_id: requiredText(255),
  client_kyc: z.boolean().default(false),
  internal: z.boolean().default(false),
  ...sections,
})

export const listKybQuery = z.strictObject(pageQuery(25))

const attribute = z.enum([...FILE_LISTS.keys(), ...BENEFICIARY_FILE_LISTS] as [string, ...string[]])

/** The fields beside the file; a beneficiary's file lists need the beneficiary's e-mail. */
export const uploadFieldsBody = z
  .strictObject({ attribute, email: z.email().max(254).optional() })
  .superRefine((fields, context) => {
    const needsEmail = BENEFICIARY_FILE_LISTS.has(fields.attribute)
    if (needsEmail === (fields.email !== undefined)) return
    context.addIssue({
      code: 'custom',
      path: ['email'],
      params: { code: needsEmail ? 'required' : 'unknown_field' },
      message: needsEmail
        ? 'This attribute belongs to a beneficiary: send the e-mail of the person.'
        : 'Only the file lists of a beneficiary take an e-mail.',
    })
  })

/** The same with the file, as the reference shows it: the form is read part by part. */
export const uploadFormBody = z.strictObject({ file: z.file(), ...uploadFieldsBody.shape })

export const deleteFileBody = z.strictObject({ blob_key: id, attribute_key: attribute })

export const validatePasswordBody = z.strictObject({ password: z.string().max(200) })

export const renewFormBody = z.strictObject({
  new_password: z
    .boolean()
    .default(false)
    .meta({ description: 'Without it the earlier password stays good.' }),
})

export const decideKybBody = z.strictObject({
  ...comments,
  version,
  outcome: z.enum(REVIEW_OUTCOMES),
  reason_code: reasonCode,
  /** Paths of what a requested revision wants mended. */
  fields: z.array(text(300)).max(200).optional(),
})

export const simulateReviewBody = z.strictObject({
  ...comments,
  reason_code: reasonCode.optional(),
  outcome: z.enum(REVIEW_OUTCOMES),
  fields: z.array(text(300)).max(200).optional(),
})

export const storedFile = named(
  'File',
  z.strictObject({ name: z.string().meta({ examples: ['register.pdf'] }), id: uuid }),
)

/** What was not filled in is null, or an empty list where it is a list. */
function answerOf(kind: FieldKind, file: z.ZodType): z.ZodType {
  if (kind === 'files') return z.array(file)
  if (kind === 'boolean') return z.boolean().nullable()
  if (typeof kind === 'string') return z.string().nullable()
  const value = z.enum(kind.values as [string, ...string[]])
  return kind.kind === 'one_of' ? value.nullable() : z.array(value)
}
const answersOf = (fields: Record<string, FieldKind>, file: z.ZodType) =>
  z.strictObject(
    Object.fromEntries(Object.entries(fields).map(([name, kind]) => [name, answerOf(kind, file)])),
  )

const beneficiaryLink = {
  link: z.url().meta({ description: 'Where the person verifies who they are.' }),
  link_expires_at: unixTime.meta({ description: 'Then it needs a new link.' }),
  verification: z
    .enum(VERIFICATIONS)
    .meta({ description: 'How far the person’s own verification is; `approved` stands in for documents.' }),
}

/** An application, with what is told of each file. */
const applicationOf = (file: z.ZodType) =>
  z.strictObject({
    id: uuid,
    external_id: z.string().meta({ examples: ['company-1842'] }),
    identification_id: uuid,
    client_kyc: z.boolean(),
    internal: z.boolean(),
    status: z.strictObject({ completed: z.boolean(), processed: z.boolean() }),
    nature_of_business: answersOf(KYB_FIELDS.nature_of_business, file),
    usage_of_account: answersOf(KYB_FIELDS.usage_of_account, file),
    business_files: answersOf(KYB_FIELDS.business_files, file),
    beneficiaries: answersOf(KYB_FIELDS.beneficiaries, file).extend({
      beneficiaries_list: z.array(
        answersOf(BENEFICIARY_FIELDS, file).extend({ ...beneficiaryLink, external_id: uuid }),
      ),
    }),
    requirements: z.strictObject({
      currently_due: z.array(z.string().meta({ examples: ['nature_of_business.legal_company_name'] })),
      errors: z.array(correction),
    }),
    review: z
      .strictObject({
        outcome: z.enum(REVIEW_OUTCOMES),
        reason_code: reasonCode,
        client_comment: z.string().nullable(),
        decided_at: unixTime,
      })
      .nullable(),
    created_at: unixTime,
  })
const application = named('KybApplication', applicationOf(storedFile))

/** As operators see it: whoever has a person's link can act as the person. */
export function applicationWithoutLinks(file: z.ZodType) {
  const { beneficiaries, ...rest } = applicationOf(file).shape
  const person = beneficiaries.shape.beneficiaries_list.element.omit({ link: true, link_expires_at: true })
  return z.strictObject({
    ...rest,
    beneficiaries: beneficiaries.extend({ beneficiaries_list: z.array(person) }),
  })
}

export const kybFileParams = z.object({ id: idParam, file_id: idParam })
export const beneficiaryParams = z.object({ id: idParam, external_id: idParam })
export const beneficiaryLinkAnswer = dataOf(z.strictObject(beneficiaryLink))

export const kybAnswer = dataOf(application)
export const kybDecidedAnswer = decidedOf(named('DecidedKybApplication', applicationWithoutLinks(storedFile)))
export const kybListAnswer = listOf(application)
const generatedPassword = z
  .string()
  .meta({ description: 'Opens the company’s form. Shown once.', examples: ['7hKqRWxN2cPdM4vTzB9e'] })
export const kybCreatedAnswer = z.strictObject({ data: application, generated_password: generatedPassword })
export const linkAnswer = dataOf(
  z.strictObject({
    url: z.url().meta({ description: 'Good for seven days, or until the next link.' }),
    generated_password: generatedPassword.optional(),
  }),
)
export const kybUpdatedAnswer = message('KYB application updated')
export const fileAnswer = storedFile
export const fileDeletedAnswer = message('File deleted')
export const kybExistsAnswer = z.strictObject({ exists: z.boolean() })
export const kybAuthenticatedAnswer = z.strictObject({ authenticate: z.boolean() })
