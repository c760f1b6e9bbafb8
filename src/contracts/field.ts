/** Schemas for field values in requests and responses. */
import { z } from 'zod'
import { MAX_COUNTRIES } from '../domain/fields/condition.ts'
import { COUNTRY_CODES } from '../domain/fields/countries.ts'
import { type Field, type Fields, type FieldType, isYesOrNo } from '../domain/fields/field.ts'
import { MAX_TEXT_LENGTH } from '../domain/fields/values.ts'
import { MAX_FILES } from '../domain/kyb/content.ts'
import { calendarDate, described, id, text, urlOf } from './common.ts'
import { AN_EMAIL, EMAIL_PATTERN, hasInternetHost, isEmail, readPhone } from './contact.ts'
import type { Guide } from './kyb-guide.ts'

const CODES = COUNTRY_CODES.join('|')
const isCountry = (code: string) => COUNTRY_CODES.includes(code)

const country = z
  .string()
  .refine(
    isCountry,
    'Send an ISO 3166-1 alpha-2 country code in capital letters, such as DE, GB (not UK), GR (not EL), or XK for Kosovo.',
  )
  .meta({ id: 'Country', enum: COUNTRY_CODES, examples: ['DE'] })
const countryList = z
  .string()
  .max(MAX_TEXT_LENGTH)
  .refine((list) => list.split(',').length <= MAX_COUNTRIES, 'The list is too long. Send each country once.')
  .refine(
    (list) => list.split(',').every((code) => isCountry(code.trim())),
    'Send ISO 3166-1 alpha-2 country codes in capital letters, separated by commas, such as DE,FR.',
  )
  .meta({ pattern: `^(${CODES})( *, *(${CODES}))*$`, examples: ['DE,FR'] })
const numberText = z
  .string('Send a number as a string, such as "1500" or "2.5".')
  // Repeats the usual message, because the message of the type would replace it.
  .max(40, 'At most 40 characters are allowed.')
  .regex(/^\d+(\.\d+)?$/, {
    error: 'Send a number as a string, such as "1500" or "2.5".',
    abort: true,
  })
  .meta({ pattern: '^[0-9]+([.][0-9]+)?$', examples: ['1500'] })
const fileReference = z
  .strictObject({
    id: id.describe('ID of the file, from the response to the upload.'),
    name: described(
      text(255).optional(),
      'Ignored. A file keeps the name that it was uploaded with.',
      'register.pdf',
    ),
  })
  .transform((reference) => reference.id)
const once = <T>(values: readonly T[]): T[] => [...new Set(values)]
const files = z.array(fileReference).max(MAX_FILES).transform(once)
/** Compares the text, because JavaScript numbers lose digits. */
const AT_MOST_100 = /^0*(\d{1,2}(\.\d+)?|100(\.0+)?)$/

const email = z
  .string()
  .max(254)
  .refine(isEmail, AN_EMAIL)
  .meta({ format: 'email', pattern: EMAIL_PATTERN, examples: ['ada@example.com'] })

export const VALUES = {
  text: text(MAX_TEXT_LENGTH).trim(),
  short_text: text(MAX_TEXT_LENGTH).trim(),
  boolean: z.boolean(),
  confirmation: z.boolean(),
  date: calendarDate,
  country,
  country_list: countryList,
  url: urlOf(/^https?$/)
    .refine(hasInternetHost, 'Send the address of a website, such as https://example.com.')
    .meta({ format: 'uri' }),
  phone: z.preprocess(
    (value) => (typeof value === 'string' ? (readPhone(value) ?? value) : value),
    z.e164({ error: 'Send the number in international format, such as +4930123456.' }),
  ),
  email,
  number_text: numberText,
  percentage_text: numberText
    .refine((value) => AT_MOST_100.test(value), 'Send a percentage of at most 100.')
    .meta({ examples: ['60'] }),
  files,
} as const satisfies Record<Exclude<FieldType, 'one_of' | 'some_of'>, z.ZodType>

const optionOf = ({ values }: { readonly values: readonly string[] }) =>
  z.enum(values as [string, ...string[]])

export function schemaOf(field: Field): z.ZodType {
  if (field.type === 'country' && field.none !== undefined)
    return z.string().refine((code) => isCountry(code) || code === field.none)
  if (field.type === 'one_of') return optionOf(field)
  if (field.type === 'some_of') return z.array(optionOf(field)).max(field.values.length).transform(once)
  return VALUES[field.type]
}

const OF_FILES =
  ' Files that you send are added, and files that you omit remain. Null deletes all files. To delete one file, call `PUT /kyb/delete_file/{id}`.'

/** Returns the schemas of a request. Every field is optional, and `null` clears it. */
export const fieldsOf = (fields: Fields, guide: Guide = {}) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      schemaOf(field)
        .nullish()
        .meta({
          ...guide[name],
          ...(field.type === 'files' && { description: (guide[name]?.description ?? '') + OF_FILES }),
        }),
    ]),
  )

/** Returns the schema of a field in a response. An empty field is null, or an empty list. */
function responseSchemaOf(field: Field, file: z.ZodType): z.ZodType {
  if (field.type === 'files') return z.array(file)
  if (field.type === 'one_of') return optionOf(field).nullable()
  if (field.type === 'some_of') return z.array(optionOf(field))
  return isYesOrNo(field.type) ? z.boolean().nullable() : z.string().nullable()
}

/** Examples for types that have a format in requests. Responses present these values as text. */
const USUAL_EXAMPLES: Partial<Record<FieldType, string>> = {
  date: '2015-02-28',
  country: 'DE',
  country_list: 'DE,FR',
  phone: '+4930123456',
}

/** Returns the schema of a response, which contains every field. */
export const responseFieldsOf = (fields: Fields, file: z.ZodType, guide: Guide) =>
  z.strictObject(
    Object.fromEntries(
      Object.entries(fields).map(([name, field]) => {
        const usual = USUAL_EXAMPLES[field.type]
        return [
          name,
          responseSchemaOf(field, file).meta({ ...(usual && { examples: [usual] }), ...guide[name] }),
        ]
      }),
    ),
  )
