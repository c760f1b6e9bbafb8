/** Addresses of the pages of a profile. */
import type { Part } from '../../../../domain/profile/document.ts'
import { vaultPath } from '../sections.ts'

export const profilePath = (vaultId: string, more = ''): string => `${vaultPath(vaultId, 'profile')}${more}`

/** The row in the address. A path that ends after the prefix stands for a new row. */
export const rowQuery = (part: Part, path: string, section?: string): string =>
  `?${new URLSearchParams({ part, row: path, ...(section && { section }) })}`
