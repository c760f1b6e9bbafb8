/** Addresses of the pages of a profile. */
import type { Part } from '../../../../domain/profile/document.ts'
import { queryText } from '../../base/filter-bar.tsx'
import { vaultPath } from '../sections.ts'

export const profilePath = (vaultId: string, more = ''): string => `${vaultPath(vaultId, 'profile')}${more}`

/** The rows that a list can be limited to. */
export const SHOWN_ROWS = ['changed', 'languages'] as const

/** The filters of the list of rows. */
export interface RowFilter {
  readonly show?: (typeof SHOWN_ROWS)[number] | undefined
  /** A part of the label or of the name in the API. */
  readonly find?: string | undefined
}

/** The part of the profile, with the filters of its list. */
export const listQuery = (part: Part, { show, find }: RowFilter = {}): string =>
  `?${queryText({ part, show, find })}`

/** The row in the address. A path that ends after the prefix stands for a new row. */
export const rowQuery = (
  part: Part,
  path: string,
  { section, show, find }: RowFilter & { readonly section?: string } = {},
): string => `?${queryText({ part, row: path, section, show, find })}`
