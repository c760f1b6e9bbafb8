/** Rules for problems of a profile, which prevent its publication. */
import { LANGUAGE_NAMES } from '../base/language.ts'
import { isLess } from '../fields/condition.ts'
import { type FieldType, isChoice, type Limits } from '../fields/field.ts'
import { isGiven } from '../fields/given.ts'
import { LIMIT_FITS, LIMIT_NAMES, limitDate, stepsAt } from '../fields/limits.ts'
import { EARLIEST_DATE, OWN_LIMITS } from '../fields/values.ts'
import {
  ASKED_BY_PROFILES,
  DEFAULT_APPLICANT_FORM,
  PERSON_FILES,
  typedOf,
} from '../identification/person-form.ts'
import { BENEFICIARY_FIELDS } from '../kyb/fields/beneficiaries.ts'
import { KYB_FIELDS, SECTIONS } from '../kyb/fields.ts'
import { ADDED, LINK_SECTION } from '../kyb/form.ts'
import { isGroup } from '../kyb/groups.ts'
import { type Checked, conditionProblems, fieldNamed } from './condition-check.ts'
import {
  dateName,
  isAddedRow,
  PARTS,
  type Part,
  type ProfileDocument,
  type ProfileRow,
  specifiedField,
  type Texts,
} from './document.ts'
import { type ProfileProblem, type ProfileProblemCode, problem } from './problems.ts'

const SPECIFIED_NAMES = new Set([
  ...SECTIONS.flatMap((section) => Object.keys(KYB_FIELDS[section])),
  ...Object.keys(BENEFICIARY_FIELDS),
  ...Object.keys(typedOf(DEFAULT_APPLICANT_FORM)),
  ...PERSON_FILES,
  ...Object.keys(ASKED_BY_PROFILES),
])

/** Returns whether the pages of this part can show the row in its section. */
function canBeIn(part: Part, row: ProfileRow): boolean {
  const { section, type } = row
  if (part === 'company') return SECTIONS.some((each) => each === section)
  return section !== LINK_SECTION || (part === 'beneficiary' && isAddedRow(row) && type !== 'files')
}

/** The places in a row with their problems. An empty place is the row itself. */
type Found = readonly [place: string, code: ProfileProblemCode]

/**
 * Returns all problems. `languages` are those of the vault, in which each added field needs a label. `today` decides
 * about limits that are relative to the current date. `published` are the rows of all published versions.
 */
export const checkProfile = (
  document: ProfileDocument,
  languages: readonly string[],
  today: string,
  published: readonly PublishedRow[] = [],
): ProfileProblem[] =>
  PARTS.flatMap((part) => {
    const checked = { document, part, today }
    const kinds = kindsIn(published.filter((each) => each.part === part))
    return document[part].rows.flatMap((row, index) => {
      const place = `${part}.rows.${index}`
      const found = [
        ...pathProblems(checked, row, index),
        ...placeProblems(checked, row),
        ...choiceProblems(checked, row),
        ...typeProblems(kinds, row),
        ...textProblems(row, languages),
        ...limitProblems(checked, row),
      ]
      return [
        ...found.map(([at, code]) => problem(at === '' ? place : `${place}.${at}`, code)),
        ...conditionProblems(checked, row, place),
      ]
    })
  })

function* pathProblems({ document, part }: Checked, row: ProfileRow, index: number): Generator<Found> {
  const { rows } = document[part]
  if (rows.slice(0, index).some(({ path }) => path === row.path)) yield ['path', 'duplicate_path']
  if (!isAddedRow(row)) {
    if (!specifiedField(part, row.path)) yield ['path', 'unknown_path']
    return
  }
  const name = row.path.slice(ADDED.length)
  const dates = rows.flatMap(({ path, max_age, expires }) => [
    ...(max_age === undefined ? [] : [dateName(path, 'issued_on')]),
    ...(expires ? [dateName(path, 'expires_on')] : []),
  ])
  if (SPECIFIED_NAMES.has(name) || dates.includes(name)) yield ['path', 'taken_name']
}

/** Yields the problems of the section and of the group, which only the form of companies has. */
function* placeProblems({ part }: Checked, row: ProfileRow): Generator<Found> {
  const { section, group } = row
  const known = part === 'company' ? SECTIONS.find((each) => each === section) : undefined
  if (!canBeIn(part, row)) yield ['section', 'wrong_section']
  if (group !== undefined && !(known && isGroup(known, group))) yield ['group', 'unknown_group']
}

function* choiceProblems({ part }: Checked, row: ProfileRow): Generator<Found> {
  const { type, values, value_labels = {}, value_asked = {} } = row
  const field = specifiedField(part, row.path)
  const specified = field?.values ?? []
  // The accepted documents of a list are not fixed.
  const isChanged =
    values &&
    field?.type !== 'files' &&
    !(values.length > 0 && values.every((each) => specified.includes(each)))
  if (field && (type !== field.type || isChanged)) yield ['type', 'fixed_type']
  if (!field && isChoice(type) && !values?.length) yield ['values', 'no_values']
  if (!isChoice(type) && type !== 'files' && values) yield ['values', 'wrong_limit']
  for (const [index, value] of (values ?? []).entries())
    if (values?.indexOf(value) !== index) yield [`values.${index}`, 'duplicate_value']
  const known = values ?? specified
  for (const [member, of] of Object.entries({ value_labels, value_asked }))
    for (const value of Object.keys(of))
      if (!known.includes(value)) yield [`${member}.${value}`, 'unknown_value']
}

/** The members of a published row that decide about the types of its fields. */
export interface PublishedRow extends Pick<ProfileRow, 'path' | 'type' | 'max_age' | 'expires'> {
  readonly part: Part
}

/** The types whose values also fit another type. */
const KINDS: Readonly<Partial<Record<FieldType, FieldType>>> = { short_text: 'text', confirmation: 'boolean' }

type OwnField = readonly [place: string, path: string, kind: FieldType]

/** Returns the fields that a row adds, each with the member that adds it. */
const ownFields = (row: Omit<PublishedRow, 'part'>): OwnField[] => [
  ...(isAddedRow(row) ? [['type', row.path, KINDS[row.type] ?? row.type] as const] : []),
  ...(row.max_age === undefined
    ? []
    : [['max_age', ADDED + dateName(row.path, 'issued_on'), 'date'] as const]),
  ...(row.expires ? [['expires', ADDED + dateName(row.path, 'expires_on'), 'date'] as const] : []),
]

type Kinds = ReadonlyMap<string, readonly FieldType[]>

function kindsIn(rows: readonly PublishedRow[]): Kinds {
  const kinds = new Map<string, FieldType[]>()
  for (const [, path, kind] of rows.flatMap(ownFields)) kinds.set(path, [...(kinds.get(path) ?? []), kind])
  return kinds
}

/** Yields a problem for each field with another type in an earlier version, whose values cases contain. */
function* typeProblems(kinds: Kinds, row: ProfileRow): Generator<Found> {
  for (const [place, path, kind] of ownFields(row))
    if (kinds.get(path)?.some((each) => each !== kind)) yield [place, 'changed_type']
}

/** Yields a problem for each text that is missing in a language. Specified fields have their own texts. */
function* textProblems(row: ProfileRow, languages: readonly string[]): Generator<Found> {
  const { label, help, values = [], value_labels, type } = row
  // A field whose choices have no texts at all shows the choices themselves.
  const needsLabels = value_labels !== undefined || type === 'files'
  const labels = new Map(Object.entries(value_labels ?? {}))
  if (isAddedRow(row) || label) yield* missingTexts('label', label, languages)
  if (help) yield* missingTexts('help', help, languages)
  for (const value of new Set(needsLabels ? values : []))
    yield* missingTexts(`value_labels.${value}`, labels.get(value), languages)
  const texts = [
    ['label', label] as const,
    ['help', help] as const,
    ...[...labels].map(([value, each]) => [`value_labels.${value}`, each] as const),
  ]
  for (const [place, each] of texts)
    for (const language of Object.keys(each ?? {}))
      if (!LANGUAGE_NAMES.some((name) => name === language))
        yield [`${place}.${language}`, 'unknown_language']
}

export function missingLanguages(row: ProfileRow, languages: readonly string[]): string[] {
  const found = [...textProblems(row, languages)]
  return languages.filter((language) =>
    found.some(([place, code]) => code === 'missing_language' && place.endsWith(`.${language}`)),
  )
}

const missingTexts = (place: string, texts: Texts | undefined, languages: readonly string[]): Found[] =>
  languages
    .filter((language) => !isGiven(texts?.[language]))
    .map((language) => [`${place}.${language}`, 'missing_language'])

function* limitProblems({ document, part, today }: Checked, row: ProfileRow): Generator<Found> {
  const { max_length = Number.POSITIVE_INFINITY, maximum } = OWN_LIMITS[row.type] ?? {}
  const isAbove: Readonly<Partial<Record<keyof Limits, boolean>>> = {
    min_length: (row.min_length ?? 0) > max_length,
    max_length: (row.max_length ?? 0) > max_length,
    minimum: isLess(maximum, row.minimum) === true,
    maximum: isLess(maximum, row.maximum) === true,
  }
  const wrong = LIMIT_NAMES.filter(
    (name) => row[name] !== undefined && (isAbove[name] || !LIMIT_FITS[name].includes(row.type)),
  )
  for (const name of wrong) yield [name, 'wrong_limit']
  const named = row.country === undefined ? undefined : fieldNamed(document, part, row.country)
  if (row.country !== undefined && named?.type !== 'country')
    yield ['country', named ? 'wrong_test' : 'unknown_field']
  const limits = { ...OWN_LIMITS[row.type], ...specifiedField(part, row.path), ...row } as Limits
  if (wrong.length === 0 && isEmptyRange(limits, today)) yield ['', 'no_range']
}

/** Returns whether no value is within the limits. Without a latest date, a date is not in the future. */
function isEmptyRange(limits: Limits, today: string): boolean {
  const { min_length = 1, max_length = min_length, minimum, maximum, decimals } = limits
  const { earliest = EARLIEST_DATE, latest = 'today' } = limits
  const largest = maximum === undefined ? undefined : stepsAt(maximum, decimals)[0]
  const [from, to] = [earliest, latest].map((each) => limitDate(each, today))
  const isTooShort = max_length < Math.max(min_length, 1)
  return isTooShort || isLess(largest, minimum) === true || Boolean(from && to && to < from)
}
