/** Rules for the differences between two profiles, and for the words that describe them. */
import { PARTS, type Part, type ProfileDocument, type ProfileRow } from './document.ts'
import { completeRows, isSame } from './draft.ts'
import { type Names, rowInWords, WORDS } from './words.ts'

/** A row that one profile has and the other one has not, or has differently. */
export interface Difference {
  readonly kind: 'added' | 'changed' | 'removed'
  readonly part: Part
  readonly before: ProfileRow | null
  readonly after: ProfileRow | null
}

/** Returns the differences in the order of the later profile, with removed rows at the end of each part. */
export const compareProfiles = (before: ProfileDocument, after: ProfileDocument): Difference[] =>
  PARTS.flatMap((part) => {
    const [earlier, later] = [completeRows(before, part), completeRows(after, part)]
    const same = (rows: readonly ProfileRow[], { path }: ProfileRow) => rows.find((row) => row.path === path)
    return [
      ...later.flatMap((row): Difference[] => {
        const known = same(earlier, row) ?? null
        if (known && isSame(known, row)) return []
        return [{ kind: known ? 'changed' : 'added', part, before: known, after: row }]
      }),
      ...earlier.flatMap((row): Difference[] =>
        same(later, row) ? [] : [{ kind: 'removed', part, before: row, after: null }],
      ),
    ]
  })

/** A change of one property of a row, in words. A property that one of the rows does not have is an empty text. */
interface Change {
  readonly name: string
  readonly before: string
  readonly after: string
}

interface DifferenceInWords {
  /** A phrase such as `New: Place of birth, for each owner and director`. */
  readonly title: string
  /** Sentences about an added or removed row. */
  readonly text: string
  readonly changes: readonly Change[]
}

/** Returns the words for a difference. The names are those of the profile before and after it. */
export function differenceInWords(
  { before: earlier, after: later }: { readonly before: Names; readonly after: Names },
  { kind, part, before, after }: Difference,
): DifferenceInWords {
  const names = after ? later : earlier
  const { differences } = WORDS[names.language]
  const { path = '' } = after ?? before ?? {}
  return {
    title: `${differences[kind]}: ${names.field(path)}${differences.parts[part]}`,
    text: kind === 'removed' ? differences.kept : after && kind === 'added' ? rowInWords(names, after) : '',
    changes: before && after ? changesOf(earlier, later, before, after) : [],
  }
}

function changesOf(earlier: Names, later: Names, before: ProfileRow, after: ProfileRow): Change[] {
  const { members, ask } = WORDS[later.language].differences
  const [one, other] = [textsOf(before), textsOf(after)]
  const asking = { name: ask, before: rowInWords(earlier, before), after: rowInWords(later, after) }
  const changes = [...new Set([...one.keys(), ...other.keys()])].map((key) => {
    const [member = '', ...rest] = key.split(' ')
    const name = [members[member] ?? member, ...(rest.length > 0 ? [`(${rest.join(', ')})`] : [])].join(' ')
    return { name, before: one.get(key) ?? '', after: other.get(key) ?? '' }
  })
  return [asking, ...changes].filter((change) => change.before !== change.after)
}

/** Returns each property of a row as text, except for its conditions. The key of a text ends with its language. */
function textsOf({ path: _, asked: __, required: ___, ...row }: ProfileRow): Map<string, string> {
  const texts = Object.entries(row).flatMap(([member, value]): [string, string][] => {
    if (member === 'value_labels')
      return Object.entries(value as object).flatMap(([choice, each]) => textIn(`choice ${choice}`, each))
    return typeof value === 'object' && !Array.isArray(value)
      ? textIn(member, value)
      : [[member, [value].flat().join(', ')]]
  })
  return new Map(texts)
}

const textIn = (key: string, texts: object): [string, string][] =>
  Object.entries(texts).map(([language, text]) => [
    `${key} ${language}`,
    typeof text === 'string' ? text : JSON.stringify(text),
  ])
