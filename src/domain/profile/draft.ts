/** Rules for changes of a profile, and for the rows that it consists of. */
import { canonicalJson } from '../base/canonical-json.ts'
import {
  DEFAULT_DOCUMENT,
  inOrder,
  OPTIONAL_ROWS,
  type Part,
  type ProfileDocument,
  type ProfileRow,
} from './document.ts'

export const isSame = (one: unknown, other: unknown): boolean => canonicalJson(one) === canonicalJson(other)

/** Returns all rows of a part: those of the specified fields, as the profile changes them, and the added ones. */
export function completeRows(document: ProfileDocument, part: Part): ProfileRow[] {
  const { rows } = document[part]
  const specified = DEFAULT_DOCUMENT[part].rows
  return [
    ...specified.map((row) => {
      const own = rows.find(({ path }) => path === row.path)
      const { required: _, asked: __, ...fixed } = row
      return own ? { ...fixed, ...own } : row
    }),
    ...inOrder(rows.filter(({ path }) => !specified.some((row) => row.path === path))),
  ]
}

/** Returns the rows of the specified fields that the profile can ask for in addition. */
export const missingRows = (document: ProfileDocument, part: Part): ProfileRow[] =>
  part === 'person'
    ? OPTIONAL_ROWS.filter(({ path }) => !document.person.rows.some((row) => row.path === path))
    : []

const withRows = (document: ProfileDocument, part: Part, rows: readonly ProfileRow[]): ProfileDocument => ({
  ...document,
  [part]: { ...document[part], rows },
})

/** Returns the document with this row in place of the one at `path`, or after all others if there is none. */
export function withRow(document: ProfileDocument, part: Part, path: string | null, row: ProfileRow) {
  const { rows } = document[part]
  const isKnown = rows.some((each) => each.path === path)
  return withRows(
    document,
    part,
    isKnown ? rows.map((each) => (each.path === path ? row : each)) : [...rows, row],
  )
}

/** Returns the document without the row. A specified field without a row is as specified. */
export const withoutRow = (document: ProfileDocument, part: Part, path: string): ProfileDocument =>
  withRows(
    document,
    part,
    document[part].rows.filter((each) => each.path !== path),
  )
