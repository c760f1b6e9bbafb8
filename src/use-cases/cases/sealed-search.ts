/** Encrypts an operator's search terms for a URL, which only the same operator can decrypt. */
import type { Deps } from '../deps.ts'

const contextOf = (userId: string): string => `search:${userId}`

export const sealSearch = ({ db }: Pick<Deps, 'db'>, userId: string, text: string): string =>
  db.encryption.seal(text, contextOf(userId)).toString('base64url')

/** Returns null if another operator encrypted the terms, or if the key no longer exists. */
export function openSearch({ db }: Pick<Deps, 'db'>, userId: string, sealed: string): string | null {
  try {
    return db.encryption.open(Buffer.from(sealed, 'base64url'), contextOf(userId)).toString()
  } catch {
    return null
  }
}
