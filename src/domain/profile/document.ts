/**
 * Rules for profiles. A profile says what a vault asks of companies, of their beneficiaries and of people, in addition
 * to the specified fields, and when it asks for each field and requires it.
 */
import type { Condition } from '../fields/condition.ts'
import type { DocumentDate, Field, Fields, FieldType, Limits } from '../fields/field.ts'
import { LIMIT_NAMES } from '../fields/limits.ts'
import {
  type ApplicantForm,
  ASKED_BY_PROFILES,
  DEFAULT_APPLICANT_FORM,
  typedOf,
} from '../identification/person-form.ts'
import { BENEFICIARY_FIELDS } from '../kyb/fields/beneficiaries.ts'
import { KYB_FIELDS, SECTIONS, type Section } from '../kyb/fields.ts'
import {
  ADDED,
  DEFAULT_FORM,
  type Form,
  fieldAt,
  type LINK_SECTION,
  PLACES,
  type Place,
} from '../kyb/form.ts'

/** A text in each language, keyed by language. */
export type Texts = Readonly<Record<string, string>>

/** The section of the rows of beneficiaries and people. */
export const PERSON_SECTION = 'details'
/** The section of the rows about a person's identity document and photos. */
export const DOCUMENT_SECTION = 'document'

type Optional<T> = { readonly [N in keyof T]?: T[N] | undefined }

/** A row of a profile. For a specified field, it only says when pages ask for the field and when it is required. */
export interface ProfileRow extends Optional<Limits> {
  /** The path of a specified field, or `additional.` and the name of a field that the profile adds. */
  readonly path: string
  readonly section: Section | typeof PERSON_SECTION | typeof DOCUMENT_SECTION | typeof LINK_SECTION
  readonly type: FieldType
  readonly group?: string | undefined
  /** The position among the rows. Rows without one keep their order and follow. */
  readonly order?: number | undefined
  readonly required?: boolean | Condition | undefined
  readonly asked?: Condition | undefined
  readonly values?: readonly string[] | undefined
  readonly label?: Texts | undefined
  readonly help?: Texts | undefined
  /** The text of each choice or accepted document, keyed by value. */
  readonly value_labels?: Readonly<Record<string, Texts>> | undefined
  /** The conditions under which choices are offered and documents are accepted, keyed by value. */
  readonly value_asked?: Readonly<Record<string, Condition>> | undefined
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
/** The groups of countries that are the same in each vault. */
export const VAULT_INDEPENDENT_GROUPS = { ...DEFAULT_FORM.groups, EU, EEA }
/** Returns the groups of countries that conditions can name. */
export const countryGroups = (highRisk: readonly string[]): Form['groups'] => ({
  ...VAULT_INDEPENDENT_GROUPS,
  high_risk: highRisk,
})

const rowsOf = (section: ProfileRow['section'], prefix: string, fields: Fields): ProfileRow[] =>
  Object.entries(fields).map(([name, { type, required, asked, ...field }]) => ({
    path: prefix + name,
    section,
    type,
    ...(required !== undefined && { required }),
    ...(asked && { asked }),
    ...(field.values && { values: field.values }),
  }))

/** The default profile, which contains the specified fields of companies, beneficiaries and people. */
export const DEFAULT_DOCUMENT: ProfileDocument = {
  company: { rows: SECTIONS.flatMap((section) => rowsOf(section, `${section}.`, KYB_FIELDS[section])) },
  beneficiary: { rows: rowsOf(PERSON_SECTION, '', BENEFICIARY_FIELDS) },
  person: {
    rows: [
      ...rowsOf(PERSON_SECTION, '', DEFAULT_APPLICANT_FORM.details),
      ...rowsOf(DOCUMENT_SECTION, '', DEFAULT_APPLICANT_FORM.document),
      ...rowsOf(DOCUMENT_SECTION, '', DEFAULT_APPLICANT_FORM.photos),
    ],
  },
}

/** The rows of the specified fields for which pages ask only if a profile has them. */
export const OPTIONAL_ROWS: readonly ProfileRow[] = rowsOf(DOCUMENT_SECTION, '', ASKED_BY_PROFILES)

export const inOrder = (rows: readonly ProfileRow[]): ProfileRow[] =>
  rows.toSorted((a, b) => (a.order ?? Number.MAX_SAFE_INTEGER) - (b.order ?? Number.MAX_SAFE_INTEGER))

const rulesOf = ({ required, asked, values, value_asked, ...row }: ProfileRow): object => ({
  ...(required !== undefined && required !== false && { required }),
  ...(asked && { asked }),
  ...(values && { values }),
  ...(value_asked && { value_asked }),
  ...Object.fromEntries(LIMIT_NAMES.flatMap((name) => (row[name] === undefined ? [] : [[name, row[name]]]))),
})

const textsOf = ({ label = {}, help = {}, value_labels = {} }: ProfileRow) => ({
  texts: { label, help, values: value_labels },
})

const addedField = (row: ProfileRow): Field =>
  ({
    type: row.type,
    section: row.section,
    ...(row.group !== undefined && { group: row.group }),
    ...rulesOf(row),
    ...textsOf(row),
  }) as Field

/** Returns the specified field with the conditions and limits of the row. */
function changedField(field: Field, row: ProfileRow): Field {
  const { required: _, asked: __, ...rest } = field
  const isLabelled = row.label ?? row.help ?? row.value_labels
  return { ...rest, ...rulesOf(row), ...(isLabelled && textsOf(row)) } as Field
}

/** Returns the name of the field with a date of the documents in a list. */
export const dateName = (path: string, kind: DocumentDate): string => `${path.split('.').at(-1)}_${kind}`

/** Returns the fields with the dates that a row asks of its documents, keyed by name. */
function datesOf({ path, section, required, asked, max_age, expires }: ProfileRow): [string, Field][] {
  const date = (kind: DocumentDate, earliest: string, latest?: string): [string, Field] => {
    const isAdded: Condition = { field: path, given: true }
    const needed = typeof required === 'object' ? { any: [required, isAdded] } : isAdded
    const field = {
      type: 'date',
      section: section === PERSON_SECTION ? section : 'business_files',
      required: required === true || needed,
      ...(asked && { asked }),
      earliest,
      ...(latest !== undefined && { latest }),
      dates: { list: path, kind },
    } as const
    return [dateName(path, kind), field]
  }
  return [
    ...(max_age === undefined ? [] : [date('issued_on', max_age)]),
    ...(expires ? [date('expires_on', 'today', '9999-12-31')] : []),
  ]
}

/** Returns the specified fields as the rows change them. Fields without a row stay as specified. */
const changedFields = (fields: Fields, prefix: string, rows: ReadonlyMap<string, ProfileRow>): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const row = rows.get(prefix + name)
      return [name, row ? changedField(field, row) : field]
    }),
  )

export const isAddedRow = ({ path }: Pick<ProfileRow, 'path'>): boolean => path.startsWith(ADDED)

/** Returns the fields of companies and beneficiaries under a profile. */
export function fieldsOf({ company, beneficiary }: ProfileDocument): Pick<Form, 'company' | 'person'> {
  const [ofCompany, ofPerson] = [inOrder(company.rows), inOrder(beneficiary.rows)]
  const byPath = new Map(ofCompany.map((row) => [row.path, row]))
  const added = (rows: readonly ProfileRow[], prefix: string): Fields =>
    Object.fromEntries(
      rows
        .flatMap((row): [string, Field][] => [
          ...(isAddedRow(row) ? [[row.path.slice(ADDED.length), addedField(row)] as [string, Field]] : []),
          ...datesOf(row),
        ])
        .map(([name, field]) => [prefix + name, field]),
    )
  const specified = (place: Place): Fields =>
    place === 'additional'
      ? added(ofCompany, '')
      : changedFields(DEFAULT_FORM.company[place], `${place}.`, byPath)
  return {
    company: Object.fromEntries(PLACES.map((place) => [place, specified(place)])) as Record<Place, Fields>,
    person: {
      ...changedFields(BENEFICIARY_FIELDS, '', new Map(ofPerson.map((row) => [row.path, row]))),
      ...added(ofPerson, ADDED),
    },
  }
}

const OF_APPLICANT: Fields = {
  ...typedOf(DEFAULT_APPLICANT_FORM),
  ...DEFAULT_APPLICANT_FORM.photos,
  ...ASKED_BY_PROFILES,
}

/** Returns the fields of people under a profile. */
export function applicantFieldsOf({
  person,
}: Pick<ProfileDocument, 'person'>): Pick<ApplicantForm, 'details' | 'document' | 'photos'> {
  const rows = inOrder(person.rows)
  const byPath = new Map(rows.map((row) => [row.path, row]))
  const { details, document, photos } = DEFAULT_APPLICANT_FORM
  const asked = Object.fromEntries(Object.entries(ASKED_BY_PROFILES).filter(([name]) => byPath.has(name)))
  const ofFiles = rows.filter((row) => isAddedRow(row) && row.type === 'files')
  const added = (isDocument: boolean): Fields =>
    Object.fromEntries(
      rows
        .filter((row) => isAddedRow(row) && (row.section === DOCUMENT_SECTION) === isDocument)
        .flatMap((row): [string, Field][] =>
          row.type === 'files'
            ? datesOf(row).map(([name, field]) => [ADDED + name, { ...field, section: row.section }])
            : [[row.path, addedField(row)]],
        ),
    )
  return {
    details: { ...changedFields(details, '', byPath), ...added(false) },
    document: { ...changedFields({ ...document, ...asked }, '', byPath), ...added(true) },
    photos: {
      ...changedFields(photos, '', byPath),
      ...Object.fromEntries(ofFiles.map((row) => [row.path, addedField(row)])),
    },
  }
}

/** Returns the specified field of this part at the path, or undefined if there is none. */
export function specifiedField(part: Part, path: string): Field | undefined {
  if (part === 'company') return fieldAt(DEFAULT_FORM, path)
  const fields = part === 'beneficiary' ? DEFAULT_FORM.person : OF_APPLICANT
  return Object.hasOwn(fields, path) ? fields[path] : undefined
}
