/** Passwords of applications' forms: only their hashes are kept. */
import { timingSafeEqual } from 'node:crypto'
import { kybApplications } from '../../../drizzle/schema.ts'
import type { Database } from '../connection/database.ts'
import { isKybOfVault } from './kyb-application.ts'

export const passwordHash = (db: Database, id: string, password: string) =>
  db.encryption.hash(`${id}:${password}`, 'kyb_password')

/** The earlier password is good no more. */
export async function replaceKybPassword(
  tx: Database,
  vaultId: string,
  id: string,
  password: string,
): Promise<void> {
  await tx.orm
    .update(kybApplications)
    .set({ passwordHash: passwordHash(tx, id, password) })
    .where(isKybOfVault(vaultId, id))
}

/** False for a wrong password as for an application that is not this vault's. */
export async function isKybPassword(
  db: Database,
  vaultId: string,
  id: string,
  password: string,
): Promise<boolean> {
  const [row] = await db.orm
    .select({ hash: kybApplications.passwordHash })
    .from(kybApplications)
    .where(isKybOfVault(vaultId, id))
  return row !== undefined && timingSafeEqual(row.hash, passwordHash(db, id, password))
}
