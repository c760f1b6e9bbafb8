/** Queries for emails. The row of an email is written with the change that it reports. */
import { domainToASCII } from 'node:url'
import { and, eq, isNull, sql } from 'drizzle-orm'
import { v7 as newId } from 'uuid'
import { emails } from '../../../drizzle/schema.ts'
import {
  type CaseNotice,
  type EmailStatus,
  MAX_AGE_HOURS,
  MAX_PER_CASE,
  ownShare,
  TYPING_SECONDS,
  type UrlNotice,
} from '../../domain/email/notice.ts'
import { deleteOldest } from '../connection/batches.ts'
import { timeOrNow } from '../connection/clock.ts'
import type { Database } from '../connection/database.ts'
import { sealedFor } from '../connection/sealed.ts'
import { isFreeFor } from '../webhooks/lease.ts'

interface AboutCase {
  readonly identificationId: string
  /** The beneficiary who is the reader. Without one, the applicant of the case is. */
  readonly beneficiaryId?: string | null
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
  /** The seconds before the first attempt. */
  readonly delay?: number
}

/** Returns an insert for a combined statement. */
export function emailInsert(tx: Database, { address, delay, id = newId(), ...email }: NewEmail) {
  return tx.orm.insert(emails).values({
    ...email,
    id,
    address: 'userId' in email ? null : tx.encryption.seal(address, sealedFor('emails.address', id)),
    addressHash: mailboxHash(tx, address),
    ...(delay && { dueAt: sql`clock_timestamp() + make_interval(secs => ${delay})` }),
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

export interface UnstartedEmail {
  readonly id: string
  /** The time until the first attempt. */
  readonly delayMs: number
}

/** Returns emails whose workflows may not have been started, oldest first. */
export function findUnstartedEmails(db: Database, limit: number): Promise<UnstartedEmail[]> {
  // Allows for a clock that was set back slightly.
  const dueAt = timeOrNow(emails.dueAt, 2 * TYPING_SECONDS)
  const delayMs = sql<number>`greatest(0, extract(epoch FROM ${dueAt} - clock_timestamp()) * 1000)::int`
  return db.orm
    .select({ id: emails.id, delayMs })
    .from(emails)
    .where(isNull(emails.workflowStartedAt))
    .orderBy(emails.createdAt)
    .limit(limit)
}

export async function markEmailStarted(db: Database, id: string): Promise<void> {
  await db.orm.update(emails).set({ workflowStartedAt: sql`clock_timestamp()` }).where(eq(emails.id, id))
}

/** Makes the starter start the workflows of pending emails again, because Temporal may have lost them. */
export async function restartPendingEmails(db: Database): Promise<void> {
  await db.orm.update(emails).set({ workflowStartedAt: null }).where(eq(emails.status, 'pending'))
}

/** The limits on emails per 24 hours. */
export interface EmailLimits {
  readonly perAddress: number
  readonly perVault: number
}

export type PendingEmail = (AboutCase | AboutUrl) & {
  readonly id: string
  readonly vaultId: string
  readonly attempts: number
  readonly isTooOld: boolean
  /** False while another process may be sending the email. */
  readonly isFree: boolean
}

/** Returns the vault of an email, and the identification that it is about, or null if it was erased. */
export async function findEmail(db: Database, id: string) {
  const { vaultId, identificationId } = emails
  const [row] = await db.orm.select({ vaultId, identificationId }).from(emails).where(eq(emails.id, id))
  return row ?? null
}

/** Locks and returns an email for an attempt under the lease. Returns null if the email has ended or was erased. */
export async function getPendingEmailForUpdate(tx: Database, id: string, leaseId: string) {
  const { vaultId, identificationId, beneficiaryId, webhookUrlId, userId, notice, attempts } = emails
  const isTooOld = sql<boolean>`created_at < clock_timestamp() - make_interval(hours => ${MAX_AGE_HOURS}::int)`
  const [row] = await tx.orm
    .select({
      ...{ id: emails.id, vaultId, identificationId, beneficiaryId, webhookUrlId, userId },
      ...{ notice, attempts, isTooOld },
      isFree: isFreeFor(leaseId, sql`${emails.leaseId}`),
    })
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
 * Records the beginning of an attempt under the lease. Returns false and records nothing if the first attempt would
 * exceed a limit. The lock serialises first attempts, so that all processes together keep the limits.
 */
export async function countAttempt(
  tx: Database,
  { id, vaultId, attempts, ...about }: PendingEmail,
  leaseId: string,
  { perAddress, perVault }: EmailLimits,
): Promise<boolean> {
  if (attempts === 0) {
    const identificationId = 'identificationId' in about ? about.identificationId : null
    await tx.orm.execute(sql`SELECT pg_advisory_xact_lock(hashtext('emails'))`)
    const recent = sql`attempted_at > clock_timestamp() - interval '24 hours'`
    const [row] = await tx.orm.execute<{ reached: boolean }>(sql`SELECT
      (SELECT count(*) >= ${perAddress} AND count(*) FILTER (WHERE vault_id = ${vaultId}) >= ${ownShare(perAddress)}
        FROM ${emails} WHERE address_hash = (SELECT address_hash FROM ${emails} WHERE id = ${id}) AND ${recent})
      OR (SELECT count(*) FROM ${emails} WHERE vault_id = ${vaultId} AND ${recent}) >= ${perVault}
      OR (SELECT count(*) FROM ${emails} WHERE identification_id = ${identificationId}::uuid AND ${recent}) >= ${MAX_PER_CASE} AS reached`)
    if (row?.reached !== false) return false
  }
  await tx.orm
    .update(emails)
    .set({
      attempts: attempts + 1,
      leaseId,
      attemptedAt: sql`coalesce(attempted_at, clock_timestamp())`,
    })
    .where(eq(emails.id, id))
  return true
}

/** Ends an attempt without a result, so that any process can make the next one. */
export async function releaseEmail(db: Database, id: string, leaseId: string): Promise<void> {
  await db.orm
    .update(emails)
    .set({ leaseId: null })
    .where(and(eq(emails.id, id), eq(emails.leaseId, leaseId)))
}

/** Records the end of an email, and deletes its address. Returns false if it has already ended or was erased. */
export async function settleEmail(tx: Database, id: string, status: Exclude<EmailStatus, 'pending'>) {
  const rows = await tx.orm
    .update(emails)
    .set({ status, address: null, leaseId: null })
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
