/** Queries that write emails about later changes, and reminders. They go to the address of the verification's link. */
import { and, asc, eq, lte, sql } from 'drizzle-orm'
import { identifications, kybApplications, vaults, verificationLinks } from '../../../drizzle/schema.ts'
import { applicantActor } from '../../domain/access/access.ts'
import { type CaseNotice, isOutcome, REMINDER_DAYS, reminderDays } from '../../domain/email/notice.ts'
import type { EntityKey, EntityRef } from '../../domain/entity/entity.ts'
import { days, IS_UNFINISHED, LAST_CHANGE } from '../commands/silence.ts'
import { appendTimeline } from '../commands/timeline.ts'
import { type Database, transaction } from '../connection/database.ts'
import { sealedFor } from '../connection/sealed.ts'
import { emailInsert } from './email.ts'
import { declinePersonReminders, findInvited, insertPersonNotice } from './person-notice.ts'

const CASE = {
  identificationId: identifications.id,
  vaultId: identifications.vaultId,
  kybId: kybApplications.id,
  email: verificationLinks.email,
}

/** Selects links with an address in vaults that send emails. */
const linksWithEmail = <T extends object>(db: Database, columns: T) =>
  db.orm
    .select({ ...CASE, ...columns })
    .from(verificationLinks)
    .innerJoin(identifications, eq(identifications.id, verificationLinks.identificationId))
    .leftJoin(kybApplications, eq(kybApplications.identificationId, identifications.id))
    .innerJoin(vaults, and(eq(vaults.id, identifications.vaultId), vaults.emails))

/** Returns the entity whose timeline shows the emails about a case. */
export const caseOf = ({ identificationId, vaultId, kybId }: CaseIds): EntityRef =>
  kybId ? { entity: 'kyb', id: kybId, vaultId } : { entity: 'identification', id: identificationId, vaultId }

interface CaseIds {
  readonly identificationId: string
  readonly vaultId: string
  readonly kybId: string | null
}

const addressOf = (db: Database, identificationId: string, email: Buffer): string =>
  db.encryption.unseal(email, sealedFor('verification_links.email', identificationId)).toString()

/** Returns the address to which emails about the verification go now, or null if there is none. */
export async function findAddress(db: Database, identificationId: string): Promise<string | null> {
  const [row] = await db.orm
    .select({ email: verificationLinks.email })
    .from(verificationLinks)
    .where(isLinkOf(identificationId))
  return row?.email ? addressOf(db, identificationId, row.email) : null
}

/** Writes the notices that a change causes, if the vault sends them. Returns true if there are any. */
export async function insertNotices(tx: Database, { id, entity }: EntityKey, notices: readonly CaseNotice[]) {
  if (notices.length === 0) return false
  const own = eq(entity === 'kyb' ? kybApplications.id : identifications.id, id)
  const [row] = await linksWithEmail(tx, { outcomes: vaults.emailOutcomes }).where(own)
  if (!row) return notices.includes('changes_requested') && insertPersonNotice(tx, id)
  if (!row.email) return false
  const { vaultId, identificationId, outcomes } = row
  const address = addressOf(tx, identificationId, row.email)
  const sent = notices.filter((notice) => outcomes || !isOutcome(notice))
  for (const notice of sent) await emailInsert(tx, { vaultId, identificationId, notice, address })
  if (sent.includes('changes_requested')) await scheduleReminders(tx, identificationId)
  return sent.length > 0
}

/** Begins with the first reminder, unless the applicant has declined reminders. */
async function scheduleReminders(tx: Database, identificationId: string): Promise<void> {
  const remindAt = sql`clock_timestamp() + ${days(REMINDER_DAYS[0])}`
  await tx.orm
    .update(verificationLinks)
    .set({ reminders: 0, remindAt })
    .where(and(isLinkOf(identificationId), eq(verificationLinks.remindersDeclined, false)))
}

export const isLinkOf = (identificationId: string) => eq(verificationLinks.identificationId, identificationId)

/** Returns the verifications whose next reminder may be due, earliest first. */
export async function findReminders(db: Database, limit: number): Promise<string[]> {
  const rows = await db.orm
    .select({ id: verificationLinks.identificationId })
    .from(verificationLinks)
    .where(lte(verificationLinks.remindAt, sql`clock_timestamp()`))
    .orderBy(asc(verificationLinks.remindAt))
    .limit(limit)
  return rows.map(({ id }) => id)
}

/**
 * Writes the next reminder if the applicant has been silent for long enough. Otherwise, schedules the reminder for later,
 * or cancels it if the case no longer waits on the applicant.
 */
export async function remind(db: Database, identificationId: string, unfinishedDays: number): Promise<void> {
  await transaction(db, async (tx) => {
    // Locks the link only, because a change to the case does not wait for reminders.
    const [link] = await tx.orm
      .select({ reminders: verificationLinks.reminders })
      .from(verificationLinks)
      .where(and(isLinkOf(identificationId), lte(verificationLinks.remindAt, sql`clock_timestamp()`)))
      .for('update')
    if (!link) return
    const [silence, next] = reminderDays(unfinishedDays).slice(link.reminders)
    if (silence === undefined) return void (await cancelReminders(tx, identificationId))
    const dueAt = sql`${LAST_CHANGE} + ${days(silence)}`
    const [row] = await linksWithEmail(tx, {
      isWaiting: IS_UNFINISHED,
      isDue: sql<boolean>`${dueAt} <= clock_timestamp()`,
      dueAt: dueAt.mapWith(verificationLinks.remindAt),
    }).where(isLinkOf(identificationId))
    const email = row?.isWaiting ? row.email : null
    if (!row || !email) return void (await cancelReminders(tx, identificationId))
    const set = tx.orm.update(verificationLinks).set(
      row.isDue
        ? {
            reminders: link.reminders + 1,
            remindAt: next === undefined ? null : sql`clock_timestamp() + ${days(next - silence)}`,
          }
        : { remindAt: row.dueAt },
    )
    await set.where(isLinkOf(identificationId))
    if (!row.isDue) return
    const address = addressOf(tx, identificationId, email)
    const notice = link.reminders < REMINDER_DAYS.length ? 'reminder' : 'last_reminder'
    await emailInsert(tx, { vaultId: row.vaultId, identificationId, notice, address })
  })
}

/** Cancels further reminders, for example because the mail server refused the address. */
export async function cancelReminders(tx: Database, identificationId: string): Promise<void> {
  await tx.orm.update(verificationLinks).set({ remindAt: null }).where(isLinkOf(identificationId))
}

export const declineKey = ({ encryption }: Database, identificationId: string): string =>
  encryption.hash(identificationId, 'decline_reminders').toString('base64url')

/**
 * Declines reminders about a verification or to a beneficiary for good. Returns false if there is no link, for example
 * after an erasure.
 */
export async function declineReminders(db: Database, identificationId: string): Promise<boolean> {
  return transaction(db, async (tx) => {
    const rows = await tx.orm
      .update(verificationLinks)
      .set({ remindersDeclined: true, remindAt: null })
      .where(isLinkOf(identificationId))
      .returning({ id: verificationLinks.identificationId })
    if (rows.length === 0) return declinePersonReminders(tx, identificationId)
    const [row] = await linksWithEmail(tx, {}).where(isLinkOf(identificationId))
    const [action, actor] = ['reminders_declined', applicantActor(identificationId)]
    if (row) await appendTimeline(tx, caseOf(row), { action, actor, causeId: action })
    return true
  })
}

/** Returns the vault of a verification or a beneficiary with a link, or null. */
export async function findVaultOfLink(db: Database, identificationId: string): Promise<string | null> {
  const [row] = await db.orm
    .select({ vaultId: identifications.vaultId })
    .from(verificationLinks)
    .innerJoin(identifications, eq(identifications.id, verificationLinks.identificationId))
    .where(isLinkOf(identificationId))
  return row?.vaultId ?? (await findInvited(db, identificationId))?.vaultId ?? null
}
