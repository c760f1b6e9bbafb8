/** Queries for the passwords of application forms, which are stored as hashes. */
import { timingSafeEqual } from 'node:crypto'
import { kybApplications } from '../../../drizzle/schema.ts'
import type { Database } from '../connection/database.ts'
import { isKybOfVault } from './kyb-application.ts'

export const passwordHash = (db: Database, id: string, password: string) =>
  db.encryption.hash(`${id}:${password}`, 'kyb_password')

/** Replaces the password, which invalidates the earlier one. */
export async function replaceKybPassword(tx: Database, vaultId: string, id: string, password: string) {
  await tx.orm
    .update(kybApplications)
    .set({ passwordHash: passwordHash(tx, id, password) })
    .where(isKybOfVault(vaultId, id))
}

/** Checks the password. Returns false if it is wrong or the vault has no such application. */
export async function isKybPassword(db: Database, vaultId: string, id: string, password: string) {
  const [row] = await db.orm
    .select({ hash: kybApplications.passwordHash })
    .from(kybApplications)
    .where(isKybOfVault(vaultId, id))
  return row !== undefined && timingSafeEqual(row.hash, passwordHash(db, id, password))
}
