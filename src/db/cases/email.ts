/** Queries for emails. The row of an email is written with the change that it reports. */
import { domainToASCII } from 'node:url'
import { and, eq, isNull, sql } from 'drizzle-orm'
import { v7 as newId } from 'uuid'
import { emails } from '../../../drizzle/schema.ts'
import {
  type CaseNotice,
  type EmailStatus,
  MAX_AGE_HOURS,
  type UrlNotice,
} from '../../domain/email/notice.ts'
import { deleteOldest } from '../connection/batches.ts'
import type { Database } from '../connection/database.ts'
import { sealedFor } from '../connection/sealed.ts'

interface AboutCase {
  readonly identificationId: string
  readonly notice: CaseNotice
}

interface AboutUrl {
  readonly webhookUrlId: string
  /** The administrator, whose address is read when the email is sent. */
  readonly userId: string
  readonly notice: UrlNotice
}

type NewEmail = (AboutCase | AboutUrl) & {
  /** The ID, for rows that refer to the email. */
  readonly id?: string
  readonly vaultId: string
  readonly address: string
}

/** Returns an insert for a combined statement. */
export function emailInsert(tx: Database, { address, id = newId(), ...email }: NewEmail) {
  return tx.orm.insert(emails).values({
    ...email,
    id,
    address: 'userId' in email ? null : tx.encryption.seal(address, sealedFor('emails.address', id)),
    addressHash: mailboxHash(tx, address),
  })
}

/**
 * Returns the hash of the mailbox. Most servers ignore case and the part after a plus sign, and a host has a spelling in
 * its own script and one in ASCII.
 */
function mailboxHash({ encryption }: Database, address: string): Buffer {
  const [local = '', host = ''] = address.toLowerCase().split('@')
  return encryption.hash(`${local.replace(/\+.*/, '')}@${domainToASCII(host)}`, 'mailbox')
}

/** Returns emails whose workflows may not have been started, oldest first. */
export async function findUnstartedEmails(db: Database, limit: number): Promise<string[]> {
  const rows = await db.orm
    .select({ id: emails.id })
    .from(emails)
    .where(isNull(emails.workflowStartedAt))
    .orderBy(emails.createdAt)
    .limit(limit)
  return rows.map(({ id }) => id)
}

export async function markEmailStarted(db: Database, id: string): Promise<void> {
  await db.orm.update(emails).set({ workflowStartedAt: sql`clock_timestamp()` }).where(eq(emails.id, id))
}

/** The limits on emails per 24 hours. */
export interface EmailLimits {
  readonly perAddress: number
  readonly perVault: number
}

/** An email that has not ended. */
export type PendingEmail = (AboutCase | AboutUrl) & {
  readonly id: string
  readonly vaultId: string
  readonly attempts: number
  readonly isTooOld: boolean
}

/** Returns the vault of an email, and the identification that it is about, or null if it was erased. */
export async function findEmail(db: Database, id: string) {
  const { vaultId, identificationId } = emails
  const [row] = await db.orm.select({ vaultId, identificationId }).from(emails).where(eq(emails.id, id))
  return row ?? null
}

/** Locks and returns an email. Returns null if it has ended or was erased. */
export async function getPendingEmailForUpdate(tx: Database, id: string): Promise<PendingEmail | null> {
  const { vaultId, identificationId, webhookUrlId, userId, notice, attempts } = emails
  const isTooOld = sql<boolean>`created_at < clock_timestamp() - make_interval(hours => ${MAX_AGE_HOURS}::int)`
  const [row] = await tx.orm
    .select({ id: emails.id, vaultId, identificationId, webhookUrlId, userId, notice, attempts, isTooOld })
    .from(emails)
    .where(and(eq(emails.id, id), eq(emails.status, 'pending')))
    .for('update')
  return (row as PendingEmail | undefined) ?? null
}

/** Returns the applicant's address. */
export async function readAddress(tx: Database, id: string): Promise<string> {
  const [row] = await tx.orm.select({ address: emails.address }).from(emails).where(eq(emails.id, id))
  if (!row?.address) throw new Error('the email has no address')
  return tx.encryption.unseal(row.address, sealedFor('emails.address', id)).toString()
}

/**
 * Records the beginning of an attempt. Returns false and records nothing if the first attempt would exceed a limit. The
 * lock serialises first attempts, so that all processes together keep the limits.
 */
export async function countAttempt(
  tx: Database,
  { id, vaultId, attempts }: PendingEmail,
  { perAddress, perVault }: EmailLimits,
): Promise<boolean> {
  if (attempts === 0) {
    await tx.orm.execute(sql`SELECT pg_advisory_xact_lock(hashtext('emails'))`)
    const recent = sql`attempted_at > clock_timestamp() - interval '24 hours'`
    const [row] = await tx.orm.execute<{ reached: boolean }>(sql`SELECT
      (SELECT count(*) FROM ${emails} WHERE address_hash = (SELECT address_hash FROM ${emails} WHERE id = ${id}) AND ${recent}) >= ${perAddress}
      OR (SELECT count(*) FROM ${emails} WHERE vault_id = ${vaultId} AND ${recent}) >= ${perVault} AS reached`)
    if (row?.reached !== false) return false
  }
  await tx.orm
    .update(emails)
    .set({
      attempts: attempts + 1,
      attemptedAt: sql`coalesce(attempted_at, clock_timestamp())`,
    })
    .where(eq(emails.id, id))
  return true
}

/** Records the end of an email. Returns false if it has already ended or was erased. */
export async function settleEmail(
  tx: Database,
  id: string,
  status: Exclude<EmailStatus, 'pending'>,
): Promise<boolean> {
  const rows = await tx.orm
    .update(emails)
    .set({ status })
    .where(and(eq(emails.id, id), eq(emails.status, 'pending')))
    .returning({ id: emails.id })
  return rows.length > 0
}

/** Counts the emails of a vault whose first attempt was in the last seven days. */
export async function countRecentEmails(db: Database, vaultId: string) {
  const [row] = await db.orm.execute<{ sent: number; failed: number }>(sql`
    SELECT count(*) FILTER (WHERE status = 'sent')::int AS sent,
      count(*) FILTER (WHERE status IN ('refused', 'failed'))::int AS failed
    FROM emails WHERE vault_id = ${vaultId} AND attempted_at > clock_timestamp() - interval '7 days'`)
  return row ?? { sent: 0, failed: 0 }
}

/** Deletes old emails to administrators. Emails to applicants are erased with their case. */
export const deleteOldUserEmails = (db: Database): Promise<number> =>
  deleteOldest(db, emails.createdAt, sql`user_id IS NOT NULL AND created_at < now() - interval '30 days'`)
