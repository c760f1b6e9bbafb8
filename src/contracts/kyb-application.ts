/** Requests about KYB applications (specification, "KYB applications"). */
import countries from 'i18n-iso-countries'
import { z } from 'zod'
import type { ErrorCode } from '../domain/errors.ts'
import { VERIFICATIONS } from '../domain/identification/identification.ts'
import { LISTED_STATUSES, REVIEW_OUTCOMES } from '../domain/kyb/application.ts'
import { MAX_FILES } from '../domain/kyb/content.ts'
import {
  BENEFICIARY_FIELDS,
  BENEFICIARY_FILE_LISTS,
  FILE_LISTS,
  type FieldKind,
  isFiles,
  isYesOrNo,
  KYB_FIELDS,
  MAX_BENEFICIARIES,
  type Section,
} from '../domain/kyb/fields.ts'
import { DUE_REASONS, type DueReason } from '../domain/kyb/values.ts'
import { dataOf, listOf, message, named, unixTime, uuid } from './answer.ts'
import {
  calendarDate,
  id,
  idParam,
  inOrder,
  pageQuery,
  periodQuery,
  requiredText,
  text,
  urlOf,
  vaultQuery,
} from './common.ts'
import { decidedOf } from './confirmation.ts'
import { clientComment, comments, correction, pathsToMend, reasonCode, version } from './decision.ts'
import { BENEFICIARY_GUIDE, KYB_GUIDE } from './kyb-guide.ts'

const MAX_TEXT = 5_000

/** The library has XK too, which ISO 3166-1 has given to nobody. */
export const COUNTRY_CODES = Object.keys(countries.getAlpha2Codes())
  .filter((code) => code !== 'XK')
  .sort()
const CODES = COUNTRY_CODES.join('|')
const isCountry = (code: string) => COUNTRY_CODES.includes(code)

const country = z
  .string()
  .refine(isCountry, 'Write an ISO 3166-1 alpha-2 country code, such as DE.')
  .meta({ id: 'Country', enum: COUNTRY_CODES, examples: ['DE'] })
const countryList = z
  .string()
  .max(MAX_TEXT)
  .refine(
    (list) => list.split(',').every((code) => isCountry(code.trim())),
    'Write ISO 3166-1 alpha-2 country codes separated by commas, such as DE,FR.',
  )
  .meta({ pattern: `^(${CODES})( *, *(${CODES}))*$`, examples: ['DE,FR'] })
const numberText = z
  .string('Write a number as text, such as "1500" or "2.5".')
  .max(40)
  .regex(/^\d+(\.\d+)?$/, {
    error: 'Write a number as text, such as "1500" or "2.5".',
    abort: true,
  })
  .meta({ pattern: '^[0-9]+([.][0-9]+)?$', examples: ['1500'] })
const fileReference = z
  .strictObject({
    id: id.describe('Of the uploaded file, as the upload answered it.'),
    name: text(255)
      .optional()
      .meta({
        description: 'Ignored: a file keeps the name that it was uploaded with.',
        examples: ['register.pdf'],
      }),
  })
  .transform((reference) => reference.id)
const once = <T>(values: readonly T[]): T[] => [...new Set(values)]
const files = z.array(fileReference).max(MAX_FILES).transform(once)
/** As it is written: numbers round. */
const AT_MOST_100 = /^0*(\d{1,2}(\.\d+)?|100(\.0+)?)$/

/** How a value of each kind is written, in every resource. */
export const VALUES = {
  text: text(MAX_TEXT).trim(),
  short_text: text(MAX_TEXT).trim(),
  boolean: z.boolean(),
  confirmation: z.boolean(),
  date: calendarDate,
  country,
  country_list: countryList,
  url: urlOf(/^https?$/).meta({ format: 'uri' }),
  phone: z.e164({ error: 'Write the number in international format, such as +4930123456.' }),
  email: z.email().max(254),
  number_text: numberText,
  percentage_text: numberText
    .refine((value) => AT_MOST_100.test(value), 'The stake is at most 100 percent.')
    .meta({ examples: ['60'] }),
  files,
} as const satisfies Record<Extract<FieldKind, string>, z.ZodType>

function schemaOf(kind: FieldKind): z.ZodType {
  if (typeof kind === 'string') return VALUES[kind]
  const value = z.enum(kind.values as [string, ...string[]])
  return kind.kind === 'one_of' ? value : z.array(value).max(kind.values.length).transform(once)
}

type Guide = Readonly<
  Record<string, { readonly description: string; readonly examples?: readonly unknown[] }>
>

const OF_FILES =
  ' What is named is added, and what is left out stays; null deletes all of them, `PUT /kyb/delete_file/{id}` one.'

/** Every field of a section may be sent, and `null` clears it. */
export const fieldsOf = (fields: Record<string, FieldKind>, guide: Guide = {}) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, kind]) => [
      name,
      schemaOf(kind)
        .nullish()
        .meta({ ...guide[name], ...(isFiles(kind) && { description: guide[name]?.description + OF_FILES }) }),
    ]),
  )

/** Fields of answers that may be sent back, with an example of each. */
const ignored = (examples: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(examples).map(([name, example]) => [
      name,
      z
        .unknown()
        .optional()
        .meta({
          description: 'Ignored: may be sent back as it was read.',
          examples: [example],
          readOnly: true,
        }),
    ]),
  )

const without = (names: object, value: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !Object.hasOwn(names, name)))

const AN_ID = '018f4d2e-7c1a-7b3e-9d55-0a1b2c3d4e5f'
const A_LINK = 'https://onboarding.example.com/verify/7hKqRWxN2cPdM4vTzB9e'

const ignoredOfPerson = ignored({
  link: A_LINK,
  link_expires_at: 1_770_000_000,
  verification: 'initiated',
  external_id: AN_ID,
})

const { email, ...otherFields } = BENEFICIARY_FIELDS
const beneficiary = z
  .strictObject({
    ...ignoredOfPerson,
    ...fieldsOf(otherFields, BENEFICIARY_GUIDE),
    email: schemaOf(email).meta({ ...BENEFICIARY_GUIDE.email }),
    _destroy: z
      .boolean()
      .optional()
      .meta({
        description:
          'True takes the person out of the application, with all documents; nothing happens where nobody has the e-mail.',
        examples: [false],
      }),
  })
  .transform((person) => without(ignoredOfPerson, person))

/** What each section is about, and who is in the list of its beneficiaries. */
export const ABOUT = {
  nature_of_business: 'Who the company is: names, registration, address, activity.',
  usage_of_account: 'What it wants the account for: services, volumes, countries, source of funds.',
  business_files: 'Documents of the company.',
  beneficiaries: 'Who owns and directs the company.',
  beneficiaries_list:
    'Owners, directors and whoever else acts for the company. A complete application has a `ubo` or a `director`.',
}

const sectionOf = (section: Section) => fieldsOf(KYB_FIELDS[section], KYB_GUIDE[section])

const sections = {
  nature_of_business: z
    .strictObject(sectionOf('nature_of_business'))
    .optional()
    .describe(ABOUT.nature_of_business),
  usage_of_account: z.strictObject(sectionOf('usage_of_account')).optional().describe(ABOUT.usage_of_account),
  business_files: z.strictObject(sectionOf('business_files')).optional().describe(ABOUT.business_files),
  beneficiaries: z
    .strictObject({
      ...sectionOf('beneficiaries'),
      beneficiaries_list: z
        .array(beneficiary)
        .max(MAX_BENEFICIARIES)
        .nullish()
        .describe(
          `${ABOUT.beneficiaries_list} Who is not sent stays, so an empty list changes nothing; \`_destroy\` removes a person, null everybody.`,
        ),
    })
    .optional()
    .describe(ABOUT.beneficiaries),
}

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
    ...periodQuery,
    ...vaultQuery,
    ...pageQuery(25),
  }),
)

const attribute = z.enum([...FILE_LISTS.keys(), ...BENEFICIARY_FILE_LISTS] as [string, ...string[]])

/** The fields beside the file; a beneficiary's file lists need the beneficiary, by one of two names. */
export const uploadFieldsBody = z
  .strictObject({
    attribute: attribute.describe('The list of files that the file is added to.'),
    email: z.email().max(254).optional().describe('Of the beneficiary, in place of `external_id`.'),
    external_id: id.optional().meta({
      description:
        'Of the beneficiary, as in `requirements`, where the list is one of a beneficiary; otherwise left out.',
      examples: [AN_ID],
    }),
  })
  .superRefine((fields, context) => {
    const refuse = (field: string, code: ErrorCode, message: string) =>
      context.addIssue({ code: 'custom', path: [field], params: { code }, message })
    const names = (['email', 'external_id'] as const).filter((name) => fields[name] !== undefined)
    if (!BENEFICIARY_FILE_LISTS.has(fields.attribute))
      for (const name of names)
        refuse(name, 'unknown_field', 'Only the file lists of a beneficiary take a beneficiary.')
    else if (names.length === 0)
      refuse(
        'email',
        'required',
        'This attribute belongs to a beneficiary: send the external_id or the e-mail of the person.',
      )
    else if (names.length > 1)
      refuse('email', 'invalid', 'Name the beneficiary once: by external_id or by e-mail.')
  })

/** The same with the file, as the reference shows it: the form is read part by part. */
export const uploadFormBody = z.strictObject({
  file: z.file().describe('PDF, JPEG or PNG, at most 10 MB.'),
  ...uploadFieldsBody.shape,
})

export const deleteFileBody = z.strictObject({
  blob_key: id.describe('The `id` that the upload answered.'),
  attribute_key: attribute.describe('The list that the file is in.'),
})

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
const fields = pathsToMend(300, 200, 'nature_of_business.vat_number')

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

export const storedFile = named(
  'File',
  z.strictObject({
    name: z.string().meta({ description: 'As it was uploaded.', examples: ['register.pdf'] }),
    id: uuid.describe('Names the file in lists of files, and where it is read or deleted.'),
  }),
)

/** What was not filled in is null, or an empty list where it is a list. */
function answerOf(kind: FieldKind, file: z.ZodType): z.ZodType {
  if (kind === 'files') return z.array(file)
  if (isYesOrNo(kind)) return z.boolean().nullable()
  if (typeof kind === 'string') return z.string().nullable()
  const value = z.enum(kind.values as [string, ...string[]])
  return kind.kind === 'one_of' ? value.nullable() : z.array(value)
}
const answersOf = (fields: Record<string, FieldKind>, file: z.ZodType, guide: Guide) =>
  z.strictObject(
    Object.fromEntries(
      Object.entries(fields).map(([name, kind]) => {
        const usual = typeof kind === 'string' ? USUAL_EXAMPLES[kind] : undefined
        return [name, answerOf(kind, file).meta({ ...(usual && { examples: [usual] }), ...guide[name] })]
      }),
    ),
  )
const answersIn = (section: Section, file: z.ZodType) =>
  answersOf(KYB_FIELDS[section], file, KYB_GUIDE[section]).describe(ABOUT[section])

/** Of kinds that requests tell by a format; answers have them as text. */
const USUAL_EXAMPLES: Partial<Record<string, string>> = {
  date: '2015-02-28',
  country: 'DE',
  country_list: 'DE,FR',
  phone: '+4930123456',
}

const beneficiaryLink = {
  link: z.url().meta({
    description: 'Where the person verifies who they are. Whoever has it can act as the person.',
    examples: ['https://onboarding.example.com/verify/7hKqRWxN2cPdM4vTzB9e'],
  }),
  link_expires_at: unixTime.meta({ description: 'Then it needs a new link.' }),
  verification: z
    .enum(VERIFICATIONS)
    .meta({ description: 'How far the person’s own verification is; `approved` stands in for documents.' }),
}

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
        completed: z.boolean().describe('Nothing that is needed is missing: it waits for its review.'),
        processed: z.boolean().describe('Its review is finished: it can no longer be changed.'),
        abandoned: z
          .literal(true)
          .optional()
          .describe('There once the identification of the company was closed: it can no longer be changed.'),
      })
      .describe('How far it is.'),
    nature_of_business: answersIn('nature_of_business', file),
    usage_of_account: answersIn('usage_of_account', file),
    business_files: answersIn('business_files', file),
    beneficiaries: answersIn('beneficiaries', file)
      .extend({
        beneficiaries_list: z
          .array(
            answersOf(BENEFICIARY_FIELDS, file, BENEFICIARY_GUIDE).extend({
              ...beneficiaryLink,
              external_id: uuid.describe('Of the service: names the person in paths and in what is due.'),
            }),
          )
          .describe(ABOUT.beneficiaries_list),
      })
      .describe(ABOUT.beneficiaries),
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
      })
      .nullable()
      .describe('The newest decision; null before the first.'),
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

export const kybFileParams = z.object({
  id: idParam.describe('Of the application.'),
  file_id: idParam.describe('Of the file, as lists of files have it.'),
})
export const beneficiaryParams = z.object({
  id: idParam.describe('Of the application.'),
  external_id: idParam.describe('Of the beneficiary, as the application has it.'),
})
export const beneficiaryLinkAnswer = dataOf(z.strictObject(beneficiaryLink))

export const kybAnswer = dataOf(application)
export const kybDecidedAnswer = decidedOf(named('DecidedKybApplication', applicationWithoutLinks(storedFile)))
export const kybListAnswer = listOf(application)
const generatedPassword = z
  .string()
  .meta({ description: 'Opens the company’s form. Shown once.', examples: [passwordExample] })
export const kybCreatedAnswer = dataOf(application).extend({ generated_password: generatedPassword })
export const linkAnswer = dataOf(
  z.strictObject({
    url: z.url().meta({
      description: 'Where the company opens its form. Good for seven days, or until the next link.',
      examples: ['https://onboarding.example.com/verify/7hKqRWxN2cPdM4vTzB9e'],
    }),
    generated_password: generatedPassword.optional(),
  }),
)
export const kybUpdatedAnswer = message('KYB application updated')
export const fileAnswer = storedFile
export const fileDeletedAnswer = message('File deleted')
export const kybExistsAnswer = z.strictObject({
  exists: z.boolean().describe('Whether the caller can reach an application of this id.'),
})
export const kybAuthenticatedAnswer = z.strictObject({
  authenticate: z.boolean().describe('Whether it is the password of the form.'),
})
