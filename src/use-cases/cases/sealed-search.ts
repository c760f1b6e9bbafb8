/** What an operator looked for, sealed for an address: only the same operator opens it. */
import type { Deps } from '../deps.ts'

const contextOf = (userId: string): string => `search:${userId}`

export const sealSearch = ({ db }: Pick<Deps, 'db'>, userId: string, text: string): string =>
  db.encryption.seal(text, contextOf(userId)).toString('base64url')

/** Returns null if another operator sealed it, or if its key is gone. */
export function openSearch({ db }: Pick<Deps, 'db'>, userId: string, sealed: string): string | null {
  try {
    return db.encryption.open(Buffer.from(sealed, 'base64url'), contextOf(userId)).toString()
  } catch {
    return null
  }
}
