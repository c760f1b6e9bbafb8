/** Encrypts an operator's search terms for a URL. Only the same operator can decrypt them. */
import type { WithDb } from '../base/deps.ts'

const contextOf = (userId: string): string => `search:${userId}`

export const sealSearch = ({ db }: WithDb, userId: string, text: string): string =>
  db.encryption.seal(text, contextOf(userId)).toString('base64url')

/** Decrypts the terms. Returns null if another operator encrypted them, or if the encryption key no longer exists. */
export function unsealSearch({ db }: WithDb, userId: string, sealed: string): string | null {
  try {
    return db.encryption.unseal(Buffer.from(sealed, 'base64url'), contextOf(userId)).toString()
  } catch {
    return null
  }
}
