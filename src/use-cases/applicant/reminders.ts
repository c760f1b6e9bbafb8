/** Use cases for declining reminders with a link from an email. */
import { timingSafeEqual } from 'node:crypto'
import { findVault } from '../../db/access/vault.ts'
import { declineKey, declineReminders, findVaultOfLink } from '../../db/email/notice.ts'
import type { WithDb } from '../base/deps.ts'

/** Returns the vault whose reminders the link declines, or null if the link is not valid. */
export async function findReminderVault({ db }: WithDb, identificationId: string, key: string) {
  const [given, expected] = [Buffer.from(key), Buffer.from(declineKey(db, identificationId))]
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null
  const vaultId = await findVaultOfLink(db, identificationId)
  return vaultId === null ? null : findVault(db, vaultId)
}

/** Declines reminders for good. The link must have been checked. */
export const stopReminders = ({ db }: WithDb, identificationId: string): Promise<boolean> =>
  declineReminders(db, identificationId)
