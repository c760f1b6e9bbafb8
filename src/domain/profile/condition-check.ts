/** Rules for problems of a profile's conditions. */
import { type Condition, fieldsIn, type TestName, testOf } from '../fields/condition.ts'
import type { FieldType } from '../fields/field.ts'
import { NUMBERS } from '../fields/limits.ts'
import { VERIFICATIONS } from '../identification/identification.ts'
import {
  type Part,
  type ProfileDocument,
  type ProfileRow,
  specifiedField,
  VAULT_INDEPENDENT_GROUPS,
} from './document.ts'
import { type ProfileProblem, problem } from './problems.ts'
import { canBeMet, canHave, isCountryGroup, isOfCountries, type Known, type Named } from './satisfiable.ts'

/** A part of a profile, whose conditions are checked on a date. */
export interface Checked {
  readonly document: ProfileDocument
  readonly part: Part
  readonly today: string
}

const TEXTS: readonly FieldType[] = ['text', 'short_text', 'url', 'phone', 'email']

/** The types of the fields that each test fits. Every type can be tested for an answer. */
export const FITS: Readonly<Record<Exclude<TestName, 'given'>, readonly FieldType[]>> = {
  is: [...TEXTS, ...NUMBERS, 'boolean', 'confirmation', 'date', 'country', 'one_of'],
  isNot: [...TEXTS, ...NUMBERS, 'boolean', 'confirmation', 'date', 'country', 'one_of'],
  in: [...TEXTS, 'country', 'country_list', 'one_of', 'some_of'],
  has: ['some_of', 'country_list'],
  at_least: NUMBERS,
  below: NUMBERS,
  older_than: ['date'],
}

/** The field of a beneficiary that a condition can name although no form shows it: the status of the person's check. */
const VERIFICATION: Named = { type: 'one_of', values: VERIFICATIONS }

/** Returns the field that a condition of this part names. Conditions of beneficiaries can name the company's fields. */
export function fieldNamed(document: ProfileDocument, part: Part, name: string): Named | undefined {
  if (part === 'beneficiary' && name === 'verification') return VERIFICATION
  const row = document[part].rows.find(({ path }) => path === name)
  const specified = specifiedField(part, name)
  // The row of a specified field has only the limits and choices that it changes.
  if (row ?? specified) return { ...specified, ...row, values: row?.values ?? specified?.values } as Named
  return part === 'beneficiary' ? fieldNamed(document, 'company', name) : undefined
}

/** Returns the conditions of a row, with their places in it. */
export const conditionsOf = ({
  required,
  asked,
  value_asked = {},
}: Pick<ProfileRow, 'required' | 'asked' | 'value_asked'>): [string, Condition][] => [
  ...(typeof required === 'object' ? [['required', required] as [string, Condition]] : []),
  ...(asked ? [['asked', asked] as [string, Condition]] : []),
  ...Object.entries(value_asked).map(([value, condition]): [string, Condition] => [
    `value_asked.${value}`,
    condition,
  ]),
]

export function conditionProblems(checked: Checked, row: ProfileRow, place: string): ProfileProblem[] {
  const problems = conditionsOf(row).flatMap(([name, condition]) =>
    problemsOfCondition(checked, condition, `${place}.${name}`),
  )
  const { required, asked } = row
  const isNeverRequired =
    problems.length === 0 &&
    typeof required === 'object' &&
    asked !== undefined &&
    !isPossible(checked, { all: [asked, required] })
  return [
    ...problems,
    ...(isNeverRequired ? [problem(`${place}.required`, 'never_met')] : []),
    ...(dependsOnItself(checked, row) ? [problem(`${place}.asked`, 'cycle')] : []),
  ]
}

const knownOf = ({ today }: Checked): Known => ({ today, groups: VAULT_INDEPENDENT_GROUPS })

const isPossible = (checked: Checked, condition: Condition): boolean =>
  canBeMet(condition, (field) => fieldNamed(checked.document, checked.part, field), knownOf(checked))

/** Returns the problems of the parts of a condition, or else whether no answers meet it as a whole. */
function problemsOfCondition(checked: Checked, condition: Condition, place: string): ProfileProblem[] {
  const problems = problemsOfParts(checked, condition, place)
  return problems.length > 0 || isPossible(checked, condition) ? problems : [problem(place, 'never_met')]
}

function problemsOfParts(checked: Checked, condition: Condition, place: string): ProfileProblem[] {
  if ('all' in condition || 'any' in condition) {
    const [name, list] = 'all' in condition ? ['all', condition.all] : ['any', condition.any]
    return [
      ...(name === 'any' && list.length === 0 ? [problem(place, 'never_met')] : []),
      ...list.flatMap((each, index) => problemsOfParts(checked, each, `${place}.${name}.${index}`)),
    ]
  }
  if ('not' in condition) return problemsOfParts(checked, condition.not, `${place}.not`)
  const field = fieldNamed(checked.document, checked.part, condition.field)
  if (!field) return [problem(`${place}.field`, 'unknown_field')]
  const [test] = testOf(condition) ?? (['given'] as const)
  if (test !== 'given' && !FITS[test].includes(field.type)) return [problem(`${place}.${test}`, 'wrong_test')]
  const isMissing = 'has' in condition && !canHave(field, condition.has, checked.today)
  if (isMissing || !canBeMet(condition, () => field, knownOf(checked)))
    return [problem(`${place}.${test}`, 'never_met')]
  return unknownValues(checked, condition, field).map((at) => problem(`${place}.${at}`, 'unknown_value'))
}

/** Returns the places of values that the field can never have. */
function unknownValues(checked: Checked, condition: Condition, field: Named): string[] {
  const isUnknown = (value: unknown) => !canHave(field, value, checked.today)
  const isGroup = (value: string) =>
    isOfCountries(field.type) && isCountryGroup(value, VAULT_INDEPENDENT_GROUPS)
  if ('in' in condition)
    return condition.in.flatMap((each, index) => (isUnknown(each) && !isGroup(each) ? `in.${index}` : []))
  return 'isNot' in condition && isUnknown(condition.isNot) ? ['isNot'] : []
}

/** Returns whether the question, or one of its choices, depends on its own answer, possibly by way of other questions. */
function dependsOnItself({ document, part }: Checked, row: ProfileRow): boolean {
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
