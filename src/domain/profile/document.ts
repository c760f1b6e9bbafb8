/**
 * Rules for profiles. A profile says what a vault asks of companies, of their beneficiaries and of people, in addition
 * to the specified fields, and when it asks for each field and requires it.
 */
import type { Condition } from '../fields/condition.ts'
import type { Field, Fields, FieldType } from '../fields/field.ts'
import { BENEFICIARY_FIELDS } from '../kyb/fields/beneficiaries.ts'
import { KYB_FIELDS, SECTIONS, type Section } from '../kyb/fields.ts'
import { ADDED, DEFAULT_FORM, type Form, fieldAt, PLACES, type Place } from '../kyb/form.ts'

/** A text in each language, keyed by language. */
export type Texts = Readonly<Record<string, string>>

/** The section of the rows of beneficiaries and people. */
export const PERSON_SECTION = 'details'

/** A row of a profile. For a specified field, it only says when pages ask for the field and when it is required. */
export interface ProfileRow {
  /** The path of a specified field, or `additional.` and the name of a field that the profile adds. */
  readonly path: string
  readonly section: Section | typeof PERSON_SECTION
  readonly type: FieldType
  readonly group?: string | undefined
  /** The position among the rows. Rows without one keep their order and follow. */
  readonly order?: number | undefined
  readonly required?: boolean | Condition | undefined
  readonly asked?: Condition | undefined
  readonly values?: readonly string[] | undefined
  readonly label?: Texts | undefined
  readonly help?: Texts | undefined
  /** The text of each choice, keyed by value. */
  readonly value_labels?: Readonly<Record<string, Texts>> | undefined
}

export const PARTS = ['company', 'beneficiary', 'person'] as const
export type Part = (typeof PARTS)[number]
export type ProfileDocument = { readonly [P in Part]: { readonly rows: readonly ProfileRow[] } }

/** A published profile. Version 0 is the default profile, which contains the specified fields only. */
export interface PublishedProfile {
  readonly version: number
  readonly appliesFrom: Date
  readonly document: ProfileDocument
}

/** The countries of the European Union, and of the European Economic Area. */
const EU = 'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' ')
const EEA = [...EU, 'IS', 'LI', 'NO']
/** Returns the groups of countries that conditions can name. */
export const countryGroups = (highRisk: readonly string[]): Form['groups'] => ({
  ...DEFAULT_FORM.groups,
  EU,
  EEA,
  high_risk: highRisk,
})

const rowsOf = (section: ProfileRow['section'], prefix: string, fields: Fields): ProfileRow[] =>
  Object.entries(fields).map(([name, { type, required, asked, ...field }]) => ({
    path: prefix + name,
    section,
    type,
    ...(required !== undefined && { required }),
    ...(asked && { asked }),
    ...('values' in field && { values: field.values }),
  }))

/** The default profile, which contains the specified fields of companies and beneficiaries. */
export const DEFAULT_DOCUMENT: ProfileDocument = {
  company: { rows: SECTIONS.flatMap((section) => rowsOf(section, `${section}.`, KYB_FIELDS[section])) },
  beneficiary: { rows: rowsOf(PERSON_SECTION, '', BENEFICIARY_FIELDS) },
  person: { rows: [] },
}

const inOrder = (rows: readonly ProfileRow[]): ProfileRow[] =>
  rows.toSorted((a, b) => (a.order ?? Number.MAX_SAFE_INTEGER) - (b.order ?? Number.MAX_SAFE_INTEGER))

/** Returns the field that a row adds. */
const addedField = ({ path: _, order: __, required, label, help, value_labels, ...row }: ProfileRow): Field =>
  ({
    ...row,
    ...(required !== undefined && required !== false && { required }),
    texts: { label: label ?? {}, help: help ?? {}, values: value_labels ?? {} },
  }) as Field

/** Returns the specified field with the conditions of the row. */
function changedField(field: Field, { required, asked }: ProfileRow): Field {
  const { required: _, asked: __, ...rest } = field
  return {
    ...rest,
    ...(required !== undefined && required !== false && { required }),
    ...(asked && { asked }),
  } as Field
}

/** Returns the specified fields as the rows change them. Fields without a row stay as specified. */
const changedFields = (fields: Fields, prefix: string, rows: ReadonlyMap<string, ProfileRow>): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const row = rows.get(prefix + name)
      return [name, row ? changedField(field, row) : field]
    }),
  )

const isAdded = ({ path }: ProfileRow): boolean => path.startsWith(ADDED)

/** Returns the fields of companies and beneficiaries under a profile. */
export function fieldsOf({ company, beneficiary }: ProfileDocument): Pick<Form, 'company' | 'person'> {
  const [ofCompany, ofPerson] = [inOrder(company.rows), inOrder(beneficiary.rows)]
  const byPath = new Map(ofCompany.map((row) => [row.path, row]))
  const added = (rows: readonly ProfileRow[], cut: number): Fields =>
    Object.fromEntries(rows.filter(isAdded).map((row) => [row.path.slice(cut), addedField(row)]))
  const specified = (place: Place): Fields =>
    place === 'additional'
      ? added(ofCompany, ADDED.length)
      : changedFields(DEFAULT_FORM.company[place], `${place}.`, byPath)
  return {
    company: Object.fromEntries(PLACES.map((place) => [place, specified(place)])) as Record<Place, Fields>,
    person: {
      ...changedFields(BENEFICIARY_FIELDS, '', new Map(ofPerson.map((row) => [row.path, row]))),
      ...added(ofPerson, 0),
    },
  }
}

/** Returns the specified field of this part at the path, or undefined if there is none. People have none. */
export function specifiedField(part: Part, path: string): Field | undefined {
  if (part === 'company') return fieldAt(DEFAULT_FORM, path)
  return part === 'beneficiary' && Object.hasOwn(DEFAULT_FORM.person, path)
    ? DEFAULT_FORM.person[path]
    : undefined
}
