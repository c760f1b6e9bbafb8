/** Reads the row that the form of a profile has sent. */
import { findProblems } from '../../../../contracts/check.ts'
import { profileDocument } from '../../../../contracts/profile.ts'
import { RequestRefused } from '../../../../domain/base/errors.ts'
import type { FieldType } from '../../../../domain/fields/field.ts'
import { ADDED } from '../../../../domain/kyb/form.ts'
import {
  isAddedRow,
  type Part,
  type ProfileDocument,
  type ProfileRow,
  type Texts,
} from '../../../../domain/profile/document.ts'
import { LANGUAGES } from '../../../texts/index.ts'
import type { Sent } from '../../../values/form-values.ts'
import { textOf } from '../../base/form.ts'
import type { Ask } from '../ask.ts'
import { conditionsOf, sentAsking } from './condition.ts'
import { sentLimits } from './limits-form.tsx'

export interface Subject {
  readonly document: ProfileDocument
  readonly part: Part
  /** The row in the document, or an empty one if the form adds a row. */
  readonly row: ProfileRow
  readonly isNew: boolean
  readonly languages: readonly string[]
}

export const inLanguage = (name: string, language: string): string => `${name}_${language}`

const linesOf = (sent: Sent, name: string): string[] =>
  (textOf(sent, name) ?? '').split('\n').map((line) => line.trim())

/** Returns the texts that the form has sent. Keeps those in languages that the form does not show. */
function sentTexts(
  sent: Sent,
  name: string,
  languages: readonly string[],
  stored: Texts = {},
): Texts | undefined {
  const texts = languages.map(
    (language) => [language, textOf(sent, inLanguage(name, language)) ?? ''] as const,
  )
  const all = { ...stored, ...Object.fromEntries(texts) }
  const given = Object.entries(all).filter(([, text]) => text !== '')
  return given.length > 0 ? Object.fromEntries(given) : undefined
}

/** Returns the row that the form has sent. Throws `invalid` for each input with a problem. */
export function sentRow(
  { frame, sent }: Ask,
  { document, part, row, isNew, languages }: Subject,
): ProfileRow {
  const asking = sentAsking(sent)
  const conditions =
    asking.when === 'other'
      ? { required: row.required, asked: row.asked }
      : conditionsOf(frame, document, part, asking)
  if (typeof conditions === 'number')
    throw new RequestRefused({ code: 'invalid', field: `value_${conditions}` })
  const own = isAddedRow(row) ? ownOf(sent, row, isNew, languages) : {}
  const limits = sentLimits(sent, row, own.type ?? row.type)
  const changed = { ...row, ...own, ...limits, ...conditions }
  const given = Object.fromEntries(
    Object.entries(changed).filter(([, value]) => value !== undefined),
  ) as unknown as ProfileRow
  requireValid(given)
  return given
}

function ownOf(
  sent: Sent,
  row: ProfileRow,
  isNew: boolean,
  languages: readonly string[],
): Partial<ProfileRow> {
  const values = linesOf(sent, 'values').filter(Boolean)
  const labels = languages.map((language) => linesOf(sent, inLanguage('choices', language)))
  const hasLabels = labels.some((lines) => lines.some(Boolean))
  const labelled = values.map((value, at) => {
    const given = languages.flatMap((language, index) => {
      const text = labels[index]?.[at]
      return text ? [[language, text]] : []
    })
    return [value, { ...row.value_labels?.[value], ...Object.fromEntries(given) }] as const
  })
  return {
    path: isNew ? ADDED + (textOf(sent, 'path') ?? '') : row.path,
    section: textOf(sent, 'section') as ProfileRow['section'],
    type: textOf(sent, 'type') as FieldType,
    order: sentOrder(sent),
    label: sentTexts(sent, 'label', languages, row.label) ?? {},
    help: sentTexts(sent, 'help', languages, row.help),
    values: values.length > 0 ? values : undefined,
    value_labels: values.length > 0 && hasLabels ? Object.fromEntries(labelled) : undefined,
  }
}

/** Returns the position. Returns a text that is no number unchanged, so that the schema refuses it. */
function sentOrder(sent: Sent): number | undefined {
  const text = textOf(sent, 'order')
  return text === null ? undefined : /^\d+$/.test(text) ? Number(text) : (text as never)
}

/** The inputs of the members of a row that have other names. */
const INPUTS: Readonly<Record<string, string>> = {
  value_labels: 'values',
  asked: 'when',
  required: 'when',
}

/** Throws RequestRefused with the problems at the inputs of the form. */
function requireValid(row: ProfileRow): void {
  const document = { company: { rows: [row] }, beneficiary: { rows: [] }, person: { rows: [] } }
  const problems = findProblems(profileDocument, document).map((problem) => {
    const [, , , member = '', language = ''] = (problem.field ?? '').split('.')
    const name = language in LANGUAGES ? inLanguage(member, language) : (INPUTS[member] ?? member)
    return { ...problem, field: name }
  })
  if (problems.length > 0) throw new RequestRefused(...problems)
}
