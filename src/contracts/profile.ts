/** Schemas for profiles, which say what a vault asks of companies and people. */
import { z } from 'zod'
import {
  CONDITION_LIMITS,
  type Condition,
  dateBefore,
  fieldsIn,
  isCondition,
} from '../domain/fields/condition.ts'
import { FIELD_TYPES } from '../domain/fields/field.ts'
import { FORMATS } from '../domain/fields/formats.ts'
import { limitDate } from '../domain/fields/limits.ts'
import { MAX_TEXT_LENGTH } from '../domain/fields/values.ts'
import { SECTIONS } from '../domain/kyb/fields.ts'
import { LINK_SECTION } from '../domain/kyb/form.ts'
import { conditionsOf } from '../domain/profile/condition-check.ts'
import { DOCUMENT_SECTION, PERSON_SECTION, type ProfileDocument } from '../domain/profile/document.ts'
import { PROFILE_PROBLEMS, type ProfileProblemCode } from '../domain/profile/problems.ts'
import { described, dictionaryOf, text } from './common.ts'
import { dataOf, named, unixTime } from './response.ts'

const MAX_ROWS = 200
const MAX_VALUES = 300

/** The path of a specified field, or of an added one. A name of an added field is never a property of every object. */
const PATH =
  /^(additional\.(?!constructor$)[a-z][a-z0-9_]{0,59}|(?!additional\.)[a-z][a-z_]{0,59}(\.[a-z][a-z_]{0,59})?)$/
/** A choice, which is never a property of every object either. */
const VALUE =
  /^(?!(constructor|hasOwnProperty|isPrototypeOf|propertyIsEnumerable|toLocaleString|toString|valueOf)$)[a-zA-Z0-9][a-zA-Z0-9_.-]{0,59}$/
const value = z
  .string()
  .regex(
    VALUE,
    'Send a name of at most 60 letters, digits, dots, hyphens and underscores, such as `register_extract`.',
  )

const texts = (max: number) => dictionaryOf(z.string().regex(/^[a-z]{2}(-[A-Z]{2})?$/), text(max))

const condition = z
  .custom<Condition>(
    (value) => isCondition(value),
    `Send a condition: {"field": …} with one test, or {"all": […]}, {"any": […]} or {"not": …}, at most ${CONDITION_LIMITS.depth} levels deep.`,
  )
  .meta({ type: 'object', description: 'A condition on answers.' })

const length = z.int().min(0).max(MAX_TEXT_LENGTH).optional()
const amount = z
  .union([z.number().meta({ minimum: 0 }), z.string().max(40)])
  .refine((number) => /^\d+(\.\d+)?$/.test(String(number)), 'Send a number, such as 10 or "2.5".')
  .optional()
/** Periods of any day are as long as those of this one. */
const SOME_DAY = '2026-01-01'
const day = z
  .string()
  .max(20)
  .refine(
    (text) => limitDate(text, SOME_DAY) !== null,
    'Send a date of the calendar, `today`, a period before today such as `P18Y`, or one after it such as `+P6M`.',
  )
  .optional()

/** The limits of values, which fields of some types have. */
const limits = {
  min_length: length.describe('The minimum length of a text in characters.'),
  max_length: length.describe('The maximum length of a text in characters.'),
  minimum: described(amount, 'The smallest number.', '0.5'),
  maximum: described(amount, 'The largest number.', 500),
  decimals: z.int().min(0).max(20).optional().describe('The maximum number of decimal places.'),
  earliest: described(day, 'The earliest date.', 'P18Y'),
  latest: described(day, 'The latest date. By default, the current one.', '2030-12-31'),
  format: z.enum(FORMATS).optional().describe('The format of a number that is kept in a text.'),
  country: described(
    z.string().regex(PATH).optional(),
    'The path of the field with the country of the number.',
    'nature_of_business.country_address',
  ),
  max_age: described(
    z
      .string()
      .max(20)
      .refine((period) => dateBefore(SOME_DAY, period) !== null, 'Send a period, such as `P3M`.')
      .meta({ pattern: '^P\\d{1,4}[YMD]$' })
      .optional(),
    'The maximum age of a document. Pages ask for its date of issue.',
    'P3M',
  ),
  expires: z.boolean().optional().describe('Whether pages ask for the date on which a document expires.'),
}

const row = named(
  'ProfileRow',
  z.strictObject({
    path: described(
      z
        .string()
        .regex(
          PATH,
          'Send the path of a field, such as `nature_of_business.phone` or `additional.tax_number`.',
        ),
      'The path of a specified field, or of a field that the profile adds.',
      'additional.tax_number',
    ),
    section: described(
      z.enum([...SECTIONS, PERSON_SECTION, DOCUMENT_SECTION, LINK_SECTION]),
      'The section in which pages show the field. `link` stands for the pages of a beneficiary’s link.',
    ),
    type: z.enum(FIELD_TYPES).describe('The type of the value.'),
    group: described(
      text(60).optional(),
      'The group within the section. By default, the last one.',
      'registration',
    ),
    order: z.int().min(0).max(10_000).optional().describe('The position among the rows.'),
    required: described(
      z.union([z.boolean(), condition]).optional(),
      'Whether, or under which condition, a complete application has the field.',
    ),
    asked: described(
      condition.optional(),
      'The condition under which pages ask for the field. By default, always.',
      { field: 'additional.has_tax_number', is: true },
    ),
    values: described(
      z.array(value).max(MAX_VALUES).optional(),
      'The choices of a field of the type `one_of` or `some_of`, or the accepted documents of the type `files`.',
      ['none', 'some'],
    ),
    label: described(texts(300).optional(), 'The label or question, keyed by language.', {
      en: 'Tax number',
    }),
    help: described(texts(2_000).optional(), 'An explanation, keyed by language.', {
      en: 'As on your tax bill.',
    }),
    value_labels: described(
      dictionaryOf(value, texts(300)).optional(),
      'The text of each choice, keyed by value and language.',
      { none: { en: 'None' } },
    ),
    value_asked: described(
      z.record(value, condition).optional(),
      'The conditions under which choices are offered and documents are accepted, by value.',
      { none: { field: 'nature_of_business.country_address', in: ['EU'] } },
    ),
    ...limits,
  }),
)

const testsIn = (given: z.output<typeof row>): number =>
  conditionsOf(given).flatMap(([, condition]) => fieldsIn(condition)).length

const part = (about: string) =>
  z.strictObject({ rows: z.array(row).max(MAX_ROWS).describe('The fields in order.') }).describe(about)

export const profileDocument = named(
  'ProfileDocument',
  z
    .strictObject({
      company: part('The fields of a company.'),
      beneficiary: part('The fields of each beneficiary.'),
      person: part('The fields of a person.'),
    })
    .refine(
      (document) =>
        Object.values(document).reduce(
          (sum, { rows }) => rows.reduce((own, each) => own + testsIn(each), sum),
          0,
        ) <= CONDITION_LIMITS.tests,
      `The conditions have more than ${CONDITION_LIMITS.tests} tests. Remove some of them.`,
    ),
)

export const draftBody = z.strictObject({ document: profileDocument.describe('The complete document.') })
export type DraftBody = { readonly document: ProfileDocument }

export const publishBody = z.strictObject({
  applies_from: described(
    unixTime.optional(),
    'The time from which new applications have this version. By default, now.',
  ),
})

export const changeProfileBody = z.strictObject({
  profile_version: described(
    z.int().min(1).optional(),
    'The version to which the case moves. By default, the newest one.',
    3,
  ),
})

const version = described(z.int().min(0), 'The number of the version. 0 is the default profile.', 3)

export const profileResponse = dataOf(
  named(
    'Profile',
    z.strictObject({
      version,
      status: described(
        z.enum(['draft', 'published']),
        'Whether the version is published. A published version does not change.',
      ),
      applies_from: unixTime
        .nullable()
        .describe(
          'The time from which new applications have this version. Null for a draft and for the default profile.',
        ),
      document: profileDocument.describe('The complete document.'),
    }),
  ),
)

export const profileProblemsResponse = dataOf(
  z.strictObject({
    problems: z
      .array(
        z.strictObject({
          path: described(z.string(), 'The place in the document.', 'company.rows.3.asked'),
          code: z
            .enum(Object.keys(PROFILE_PROBLEMS) as [ProfileProblemCode, ...ProfileProblemCode[]])
            .describe('The kind of the problem.'),
          message: described(z.string(), 'What to do.', PROFILE_PROBLEMS.cycle),
        }),
      )
      .describe('The problems that prevent publication.'),
  }),
)

export const rehearsalResponse = dataOf(
  z.strictObject({
    applications: z.int().min(0).describe('The number of open and approved applications of the vault.'),
    affected: z.int().min(0).describe('The number of these that would owe more.'),
    by_path: z
      .array(
        z.strictObject({
          path: described(z.string(), 'The path of a field.', 'additional.tax_number'),
          count: z.int().min(1).describe('The number of applications that would owe this field.'),
        }),
      )
      .describe('The fields that they would owe, most frequent first.'),
  }),
)
