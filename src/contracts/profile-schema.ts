/** Schemas for profiles as JSON Schema, with which clients can generate their own forms. */
import { z } from 'zod'
import { COUNTRY_CODES } from '../domain/fields/countries.ts'
import { type FieldType, isChoice } from '../domain/fields/field.ts'
import { MAX_TEXT_LENGTH } from '../domain/fields/values.ts'
import { MAX_FILES } from '../domain/kyb/content.ts'
import { MAX_BENEFICIARIES } from '../domain/kyb/fields.ts'
import { ADDED } from '../domain/kyb/form.ts'
import { isAddedRow, type Part, type ProfileDocument, type ProfileRow } from '../domain/profile/document.ts'
import { completeRows } from '../domain/profile/draft.ts'
import { described } from './common.ts'
import { dataOf } from './response.ts'

type Schema = Readonly<Record<string, unknown>>

const DIGITS = '^[0-9]+([.][0-9]+)?$'

/** The schema of each type. Choices add their values. */
const TYPES: Readonly<Record<FieldType, Schema>> = {
  text: { type: 'string', maxLength: MAX_TEXT_LENGTH },
  short_text: { type: 'string', maxLength: MAX_TEXT_LENGTH },
  boolean: { type: 'boolean' },
  confirmation: { type: 'boolean' },
  date: { type: 'string', format: 'date' },
  country: { type: 'string', enum: COUNTRY_CODES },
  country_list: { type: 'string', maxLength: MAX_TEXT_LENGTH, pattern: '^[A-Z]{2}( *, *[A-Z]{2})*$' },
  url: { type: 'string', format: 'uri' },
  phone: { type: 'string', pattern: '^[+][1-9][0-9]{6,14}$' },
  email: { type: 'string', format: 'email' },
  number_text: { type: 'string', maxLength: 40, pattern: DIGITS },
  percentage_text: { type: 'string', maxLength: 40, pattern: DIGITS },
  files: { type: 'array', maxItems: MAX_FILES, items: { type: 'object', required: ['id'] } },
  one_of: { type: 'string' },
  some_of: { type: 'array', uniqueItems: true, items: { type: 'string' } },
}

/** Returns the schema of a value. Rules that JSON Schema does not have are in `x-gatehouse`. */
function schemaOf({ path: _, type, values, label, help, ...row }: ProfileRow): Schema {
  const { min_length, max_length } = row
  const choices = type === 'one_of' ? { enum: values } : { items: { type: 'string', enum: values } }
  return {
    ...TYPES[type],
    ...(isChoice(type) && choices),
    ...(min_length !== undefined && { minLength: min_length }),
    ...(max_length !== undefined && { maxLength: max_length }),
    ...(label?.en !== undefined && { title: label.en }),
    'x-gatehouse': {
      type,
      ...row,
      ...(type === 'files' && values && { values }),
      ...(label && { label }),
      ...(help && { help }),
    },
  }
}

/** Returns the row with the texts of the specified field that it does not replace. */
function withTexts(
  row: ProfileRow,
  { label, value_labels = {} }: Pick<ProfileRow, 'label' | 'value_labels'>,
) {
  return isAddedRow(row)
    ? row
    : {
        ...row,
        label: row.label ?? label,
        ...(isChoice(row.type) && { value_labels: { ...value_labels, ...row.value_labels } }),
      }
}

const objectOf = (properties: Schema): Schema => ({
  type: 'object',
  properties,
  additionalProperties: false,
})

/** Returns the schema of an object whose fields have these paths below the prefix. */
const fieldsOf = (rows: readonly ProfileRow[], prefix: string): Schema =>
  Object.fromEntries(
    rows
      .filter(({ path }) => path.startsWith(prefix) && (prefix !== '' || !path.startsWith(ADDED)))
      .map((row) => [row.path.slice(prefix.length), schemaOf(row)]),
  )

/** Returns the schema with the fields that the profile adds, if there are any. */
function withAdded(rows: readonly ProfileRow[], properties: Schema): Schema {
  const added = fieldsOf(rows, ADDED)
  return Object.keys(added).length === 0 ? properties : { ...properties, additional: objectOf(added) }
}

/**
 * Returns a profile as JSON Schema: the bodies of `PATCH /kyb/{id}` and the data of a person. `specifiedTexts` returns the
 * texts of a specified field.
 */
export function profileSchema(
  document: ProfileDocument,
  version: number,
  groups: Readonly<Record<string, readonly string[]>>,
  specifiedTexts: (row: ProfileRow) => Pick<ProfileRow, 'label' | 'value_labels'>,
): Schema {
  const rows = (part: Part) => completeRows(document, part).map((row) => withTexts(row, specifiedTexts(row)))
  const sections = (['nature_of_business', 'usage_of_account', 'business_files'] as const).map(
    (name) => [name, objectOf(fieldsOf(rows('company'), `${name}.`))] as const,
  )
  const list = { type: 'array', maxItems: MAX_BENEFICIARIES, items: { $ref: '#/$defs/beneficiary' } }
  const beneficiaries = objectOf({
    ...fieldsOf(rows('company'), 'beneficiaries.'),
    beneficiaries_list: list,
  })
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Profile',
    'x-gatehouse': { profile_version: version, country_groups: groups },
    type: 'object',
    properties: { company: { $ref: '#/$defs/company' }, person: { $ref: '#/$defs/person' } },
    $defs: {
      company: objectOf(withAdded(rows('company'), { ...Object.fromEntries(sections), beneficiaries })),
      beneficiary: objectOf(withAdded(rows('beneficiary'), fieldsOf(rows('beneficiary'), ''))),
      person: objectOf(withAdded(rows('person'), fieldsOf(rows('person'), ''))),
    },
  }
}

export const profileSchemaResponse = dataOf(
  described(
    z.looseObject({}),
    'The profile as JSON Schema 2020-12. `x-gatehouse` contains the type, the section, the texts, the limits, and the conditions `required` and `asked`, which JSON Schema cannot express.',
  ),
)
