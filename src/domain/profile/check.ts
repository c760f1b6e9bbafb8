/** Rules for problems of a profile, which prevent its publication. */
import { type Condition, fieldsIn, isLess, type TestName, testOf } from '../fields/condition.ts'
import type { FieldType } from '../fields/field.ts'
import { LIMIT_FITS, LIMIT_NAMES, limitDate } from '../fields/limits.ts'
import {
  ASKED_BY_PROFILES,
  DEFAULT_APPLICANT_FORM,
  PERSON_FILES,
  typedOf,
} from '../identification/person-form.ts'
import { BENEFICIARY_FIELDS } from '../kyb/fields/beneficiaries.ts'
import { KYB_FIELDS, SECTIONS } from '../kyb/fields.ts'
import { ADDED } from '../kyb/form.ts'
import {
  dateName,
  PARTS,
  type Part,
  type ProfileDocument,
  type ProfileRow,
  specifiedField,
  VAULT_INDEPENDENT_GROUPS,
} from './document.ts'
import { canBeMet, type Named } from './satisfiable.ts'

/** The problems of a profile, with the next step. */
export const PROFILE_PROBLEMS = {
  duplicate_path: 'Another row has this path. Remove one of them.',
  unknown_path:
    'There is no specified field with this path. Begin the path of a new field with `additional.`.',
  taken_name: 'A specified field has this name. Choose another name.',
  fixed_type: 'The specification fixes the type and the choices of this field. Choices can only be left out.',
  no_values: 'A field of this type needs choices. Add `values`.',
  unknown_field: 'The condition names a field that does not exist. Name a field by its path.',
  wrong_test: 'The test does not fit the type of the field that it names. Choose another test.',
  never_met: 'No answer can meet this condition. Change the condition or remove it.',
  cycle: 'The question depends on its own answer. Remove one of the conditions.',
  wrong_section: 'The form of companies does not have this section. Choose another one.',
  wrong_limit: 'The limit does not fit the type of the field. Remove it.',
  no_range: 'No value is within these limits. Change one of them.',
  missing_language: 'The text is missing in a language of the vault. Add it.',
} as const satisfies Record<string, string>
export type ProfileProblemCode = keyof typeof PROFILE_PROBLEMS

export interface ProfileProblem {
  /** The place in the document, such as `company.rows.3.asked`. */
  readonly path: string
  readonly code: ProfileProblemCode
  readonly message: string
}

const TEXTS: readonly FieldType[] = ['text', 'short_text', 'url', 'phone', 'email']
const NUMBERS: readonly FieldType[] = ['number_text', 'percentage_text']

/** The types of the fields that each test fits. Every type can be tested for an answer. */
const FITS: Readonly<Record<Exclude<TestName, 'given'>, readonly FieldType[]>> = {
  is: [...TEXTS, ...NUMBERS, 'boolean', 'confirmation', 'date', 'country', 'one_of'],
  isNot: [...TEXTS, ...NUMBERS, 'boolean', 'confirmation', 'date', 'country', 'one_of'],
  in: [...TEXTS, 'country', 'country_list', 'one_of', 'some_of'],
  has: ['some_of', 'country_list'],
  at_least: NUMBERS,
  below: NUMBERS,
  older_than: ['date'],
}

/** The field of a beneficiary that a condition can name although no form shows it: the status of the person's check. */
const VERIFICATION: Named = { type: 'short_text' }

const SPECIFIED_NAMES = new Set([
  ...SECTIONS.flatMap((section) => Object.keys(KYB_FIELDS[section])),
  ...Object.keys(BENEFICIARY_FIELDS),
  ...Object.keys(typedOf(DEFAULT_APPLICANT_FORM)),
  ...PERSON_FILES,
  ...Object.keys(ASKED_BY_PROFILES),
])

const isCompanySection = (name: string): boolean => SECTIONS.some((section) => section === name)

const isChoice = (type: FieldType): boolean => type === 'one_of' || type === 'some_of'

/** Returns all problems. `languages` are those of the vault, in which each added field needs a label. */
export function checkProfile(document: ProfileDocument, languages: readonly string[]): ProfileProblem[] {
  return PARTS.flatMap((part) => {
    const { rows } = document[part]
    return rows.flatMap((row, index) => {
      const place = `${part}.rows.${index}`
      const earlier = rows.slice(0, index).some(({ path }) => path === row.path)
      return [
        ...(earlier ? [problem(`${place}.path`, 'duplicate_path')] : []),
        ...(row.path.startsWith(ADDED)
          ? addedProblems(document[part].rows, row, place)
          : specifiedProblems(part, row, place)),
        ...(part === 'company' && !isCompanySection(row.section)
          ? [problem(`${place}.section`, 'wrong_section')]
          : []),
        ...textProblems(row, place, languages),
        ...limitProblems(document, part, row, place),
        ...conditionsOf(row).flatMap(([name, condition]) =>
          problemsOfCondition(document, part, condition, `${place}.${name}`),
        ),
        ...(dependsOnItself(document, part, row) ? [problem(`${place}.asked`, 'cycle')] : []),
      ]
    })
  })
}

const problem = (path: string, code: ProfileProblemCode): ProfileProblem => ({
  path,
  code,
  message: PROFILE_PROBLEMS[code],
})

/** Returns the conditions of a row, with their places in it. */
const conditionsOf = ({ required, asked, value_asked = {} }: ProfileRow): [string, Condition][] => [
  ...(typeof required === 'object' ? [['required', required] as [string, Condition]] : []),
  ...(asked ? [['asked', asked] as [string, Condition]] : []),
  ...Object.entries(value_asked).map(([value, condition]): [string, Condition] => [
    `value_asked.${value}`,
    condition,
  ]),
]

/** Ranges cannot be compared if one end is relative to the current date, so any such date stands for it. */
const SOME_DAY = '2026-01-01'

function limitProblems(
  document: ProfileDocument,
  part: Part,
  row: ProfileRow,
  place: string,
): ProfileProblem[] {
  const { min_length = 0, max_length = min_length, minimum, maximum, earliest, latest, country } = row
  const dates = [earliest, latest].map((each) => each && limitDate(each, SOME_DAY))
  const [from, to] = dates
  const isEmpty =
    max_length < min_length || isLess(maximum, minimum) === true || (from != null && to != null && to < from)
  const wrong = LIMIT_NAMES.filter((name) => row[name] !== undefined && !LIMIT_FITS[name].includes(row.type))
  const named = country === undefined ? undefined : fieldNamed(document, part, country)
  const values = row.values ?? specifiedField(part, row.path)?.values
  const unknownValues = Object.keys(row.value_asked ?? {}).filter((value) => !values?.includes(value))
  return [
    ...wrong.map((name) => problem(`${place}.${name}`, 'wrong_limit')),
    ...(country !== undefined && named?.type !== 'country'
      ? [problem(`${place}.country`, named ? 'wrong_test' : 'unknown_field')]
      : []),
    ...(isEmpty ? [problem(place, 'no_range')] : []),
    ...unknownValues.map((value) => problem(`${place}.value_asked.${value}`, 'no_values')),
  ]
}

function addedProblems(rows: readonly ProfileRow[], row: ProfileRow, place: string): ProfileProblem[] {
  const name = row.path.slice(ADDED.length)
  const dates = rows.flatMap(({ path, max_age, expires }) => [
    ...(max_age === undefined ? [] : [dateName(path, 'issued_on')]),
    ...(expires ? [dateName(path, 'expires_on')] : []),
  ])
  const isTaken = SPECIFIED_NAMES.has(name) || dates.includes(name)
  return [
    ...(isTaken ? [problem(`${place}.path`, 'taken_name')] : []),
    ...(isChoice(row.type) && (row.values ?? []).length === 0
      ? [problem(`${place}.values`, 'no_values')]
      : []),
  ]
}

/** Returns a problem for each text that is missing in a language. Specified fields have their own texts. */
function textProblems(row: ProfileRow, place: string, languages: readonly string[]): ProfileProblem[] {
  const isMissing = (texts: Readonly<Record<string, string>> | undefined) =>
    languages.some((language) => !texts?.[language]?.trim())
  const isAdded = row.path.startsWith(ADDED)
  const isLabelled = row.value_labels !== undefined || row.type === 'files'
  return [
    ...((isAdded || row.label) && isMissing(row.label)
      ? [problem(`${place}.label`, 'missing_language')]
      : []),
    ...(row.help && isMissing(row.help) ? [problem(`${place}.help`, 'missing_language')] : []),
    ...(row.values ?? [])
      .filter((value) => isLabelled && isMissing(row.value_labels?.[value]))
      .map((value) => problem(`${place}.value_labels.${value}`, 'missing_language')),
  ]
}

function specifiedProblems(part: Part, row: ProfileRow, place: string): ProfileProblem[] {
  const field = specifiedField(part, row.path)
  if (!field) return [problem(`${place}.path`, 'unknown_path')]
  const { values = [] } = field
  // The accepted documents of a list are not fixed.
  const isFixed = field.type !== 'files'
  const isSame =
    row.type === field.type &&
    (!row.values || !isFixed || (row.values.length > 0 && row.values.every((each) => values.includes(each))))
  return isSame ? [] : [problem(`${place}.type`, 'fixed_type')]
}

/** Returns the field that a condition of this part names. Conditions of beneficiaries can name the company's fields. */
function fieldNamed(document: ProfileDocument, part: Part, name: string): Named | undefined {
  if (part === 'beneficiary' && name === 'verification') return VERIFICATION
  const found = document[part].rows.find(({ path }) => path === name) ?? specifiedField(part, name)
  if (found || part !== 'beneficiary') return found
  return fieldNamed(document, 'company', name)
}

/** Returns the problems of the parts of a condition, or else whether no answers meet it as a whole. */
function problemsOfCondition(
  document: ProfileDocument,
  part: Part,
  condition: Condition,
  place: string,
): ProfileProblem[] {
  const problems = conditionProblems(document, part, condition, place)
  const isPossible =
    problems.length > 0 ||
    canBeMet(condition, (field) => fieldNamed(document, part, field), VAULT_INDEPENDENT_GROUPS)
  return isPossible ? problems : [problem(place, 'never_met')]
}

function conditionProblems(
  document: ProfileDocument,
  part: Part,
  condition: Condition,
  place: string,
): ProfileProblem[] {
  if ('all' in condition || 'any' in condition) {
    const [name, list] = 'all' in condition ? ['all', condition.all] : ['any', condition.any]
    return [
      ...(name === 'any' && list.length === 0 ? [problem(place, 'never_met')] : []),
      ...list.flatMap((each, index) => conditionProblems(document, part, each, `${place}.${name}.${index}`)),
    ]
  }
  if ('not' in condition) return conditionProblems(document, part, condition.not, `${place}.not`)
  const field = fieldNamed(document, part, condition.field)
  if (!field) return [problem(`${place}.field`, 'unknown_field')]
  const [test] = testOf(condition) ?? (['given'] as const)
  if (test !== 'given' && !FITS[test].includes(field.type)) return [problem(`${place}.${test}`, 'wrong_test')]
  const isPossible = canBeMet(condition, () => field, VAULT_INDEPENDENT_GROUPS)
  return isPossible ? [] : [problem(`${place}.${test}`, 'never_met')]
}

/** Returns whether the question, or one of its choices, depends on its own answer, possibly by way of other questions. */
function dependsOnItself(document: ProfileDocument, part: Part, row: ProfileRow): boolean {
  const next = (path: string) => {
    const { asked, value_asked = {} } = document[part].rows.find((each) => each.path === path) ?? {}
    return [...(asked ? [asked] : []), ...Object.values(value_asked)].flatMap(fieldsIn)
  }
  const seen = new Set<string>()
  const open = next(row.path)
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (path === row.path) return true
    if (seen.has(path)) continue
    seen.add(path)
    open.push(...next(path))
  }
  return false
}
