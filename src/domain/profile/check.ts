/** Rules for problems of a profile, which prevent its publication. */
import { type Condition, fieldsIn, type TestName, testOf } from '../fields/condition.ts'
import type { Field, FieldType } from '../fields/field.ts'
import { BENEFICIARY_FIELDS } from '../kyb/fields/beneficiaries.ts'
import { KYB_FIELDS, SECTIONS } from '../kyb/fields.ts'
import { ADDED } from '../kyb/form.ts'
import { PARTS, type Part, type ProfileDocument, type ProfileRow, specifiedField } from './document.ts'

/** The problems of a profile, with the next step. */
export const PROFILE_PROBLEMS = {
  duplicate_path: 'Another row has this path. Remove one of them.',
  unknown_path:
    'There is no specified field with this path. Begin the path of a new field with `additional.`.',
  taken_name: 'A specified field has this name. Choose another name.',
  fixed_type: 'The specification fixes the type and the choices of this field. Leave them unchanged.',
  no_values: 'A field of this type needs choices. Add `values`.',
  unknown_field: 'The condition names a field that does not exist. Name a field by its path.',
  wrong_test: 'The test does not fit the type of the field that it names. Choose another test.',
  never_met: 'No answer can meet this condition. Change the condition or remove it.',
  cycle: 'The question depends on its own answer. Remove one of the conditions.',
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
const VERIFICATION: Pick<Field, 'type'> = { type: 'short_text' }

const SPECIFIED_NAMES = new Set([
  ...SECTIONS.flatMap((section) => Object.keys(KYB_FIELDS[section])),
  ...Object.keys(BENEFICIARY_FIELDS),
])

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
          ? addedProblems(row, place, languages)
          : specifiedProblems(part, row, place)),
        ...(['required', 'asked'] as const).flatMap((name) => {
          const condition = row[name]
          return typeof condition === 'object'
            ? conditionProblems(document, part, condition, `${place}.${name}`)
            : []
        }),
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

function addedProblems(row: ProfileRow, place: string, languages: readonly string[]): ProfileProblem[] {
  const values = row.values ?? []
  const isMissing = (texts: Readonly<Record<string, string>> | undefined) =>
    languages.some((language) => !texts?.[language]?.trim())
  return [
    ...(SPECIFIED_NAMES.has(row.path.slice(ADDED.length)) ? [problem(`${place}.path`, 'taken_name')] : []),
    ...(isChoice(row.type) && values.length === 0 ? [problem(`${place}.values`, 'no_values')] : []),
    ...(isMissing(row.label) ? [problem(`${place}.label`, 'missing_language')] : []),
    ...(row.help && isMissing(row.help) ? [problem(`${place}.help`, 'missing_language')] : []),
    ...values
      .filter((value) => row.value_labels && isMissing(row.value_labels[value]))
      .map((value) => problem(`${place}.value_labels.${value}`, 'missing_language')),
  ]
}

function specifiedProblems(part: Part, row: ProfileRow, place: string): ProfileProblem[] {
  const field = specifiedField(part, row.path)
  if (!field) return [problem(`${place}.path`, 'unknown_path')]
  const values = 'values' in field ? field.values : []
  const isSame = row.type === field.type && (!row.values || row.values.join() === values.join())
  return isSame ? [] : [problem(`${place}.type`, 'fixed_type')]
}

/** Returns the field that a condition of this part names. Conditions of beneficiaries can name the company's fields. */
function fieldNamed(document: ProfileDocument, part: Part, name: string): Pick<Field, 'type'> | undefined {
  if (part === 'beneficiary' && name === 'verification') return VERIFICATION
  const found = document[part].rows.find(({ path }) => path === name) ?? specifiedField(part, name)
  if (found || part !== 'beneficiary') return found
  return fieldNamed(document, 'company', name)
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
  const [test, by] = testOf(condition) ?? ['given', true]
  if (test !== 'given' && !FITS[test].includes(field.type)) return [problem(`${place}.${test}`, 'wrong_test')]
  return canBeMet(field, test, by) ? [] : [problem(`${place}.${test}`, 'never_met')]
}

/** Returns whether an answer to the field can meet the test. */
function canBeMet(field: Pick<Field, 'type'>, test: TestName, by: unknown): boolean {
  const isYesOrNo = field.type === 'boolean' || field.type === 'confirmation'
  if (test === 'is') return isYesOrNo === (typeof by === 'boolean') && isOption(field, by)
  if (test === 'has') return isOption(field, by)
  if (test === 'in') return (by as readonly string[]).some((each) => isOption(field, each))
  if (test === 'below') return /[1-9]/.test(String(by))
  return true
}

const isOption = (field: object, value: unknown): boolean =>
  !('values' in field && Array.isArray(field.values)) || field.values.includes(value)

/** Returns whether the question appears only after an answer to itself, possibly by way of other questions. */
function dependsOnItself(document: ProfileDocument, part: Part, row: ProfileRow): boolean {
  const next = (path: string) => {
    const { asked } = document[part].rows.find((each) => each.path === path) ?? {}
    return asked ? fieldsIn(asked) : []
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
