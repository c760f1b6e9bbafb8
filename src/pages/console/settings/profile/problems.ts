/** Returns the problems of a draft in the reader's language, with the row and the input that they concern. */
import {
  PARTS,
  type Part,
  type ProfileDocument,
  type ProfileRow,
} from '../../../../domain/profile/document.ts'
import type { ProfileProblem } from '../../../../domain/profile/problems.ts'
import type { Translate } from '../../../texts/index.ts'
import { labelOf, languageName } from '../../base/form.ts'
import type { Ask } from '../ask.ts'
import { inLanguage } from './sent-row.ts'

export interface ProblemInWords {
  readonly part: Part
  readonly row: ProfileRow
  readonly text: string
  /** The name of the input of the missing text, or null if the problem has another cause. */
  readonly input: string | null
}

export function problemsInWords(
  { t }: Pick<Ask, 't'>,
  document: ProfileDocument,
  problems: readonly ProfileProblem[],
): ProblemInWords[] {
  const found = problems.flatMap(({ path, code }) => {
    const [name, , index, ...place] = path.split('.')
    const part = PARTS.find((each) => each === name)
    const row = part && document[part].rows[Number(index)]
    if (!row) return []
    const text = t(`settings.profileProblem.${code}`, {
      label: labelOfPlace(t, place),
      value: valueAt(row, place),
    })
    const [member = '', key = ''] = place
    const isText = code === 'missing_language' && (member === 'label' || member === 'help')
    return { part, row, text, input: isText ? inLanguage(member, key) : null }
  })
  const keys = found.map(({ part, row, text }) => JSON.stringify([part, row.path, text]))
  return found.filter((_, at) => keys.indexOf(keys[at] ?? '') === at)
}

/** The inputs of members that have other names. */
const INPUTS: Readonly<Record<string, string>> = {
  asked: 'when',
  required: 'when',
  value_labels: 'values',
  value_asked: 'values',
}

/** Returns the label of the input at a place in a row. */
function labelOfPlace(t: Translate, [member = '', key = '', language]: readonly string[]): string {
  if (member === 'label' || member === 'help')
    return t(`settings.${member}_in`, { language: languageName(t, key) })
  if (member === 'value_labels' && language)
    return t('settings.choice_in', { value: key, language: languageName(t, language) })
  return labelOf(t, INPUTS[member] ?? member)
}

/** Returns the value at a place in a row. A place that ends with a choice stands for this choice. */
function valueAt(row: ProfileRow, place: readonly string[]): string {
  const value = place.reduce<unknown>(
    (at, key) => (at as Readonly<Record<string, unknown>> | undefined)?.[key],
    row,
  )
  return typeof value === 'object' ? (place.at(-1) ?? '') : String(value)
}
