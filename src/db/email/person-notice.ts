/** Queries that write emails to beneficiaries with the links to their own verifications, and reminders. */
import { and, asc, desc, eq, isNull, lte, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import {
  beneficiaries,
  emails,
  identifications,
  kybApplications,
  vaults,
  verificationLinks,
} from '../../../drizzle/schema.ts'
import { applicantActor } from '../../domain/access/access.ts'
import type { Language } from '../../domain/base/language.ts'
import { REMINDER_DAYS } from '../../domain/email/notice.ts'
import type { Beneficiary, KybContent } from '../../domain/kyb/fields.ts'
import { beneficiaryPath } from '../../domain/kyb/requirements.ts'
import { newToken } from '../../storage/random.ts'
import { hasCheck } from '../access/link-language.ts'
import { replaceBeneficiaryToken } from '../cases/beneficiary.ts'
import { personContext, tokenContext } from '../cases/kyb-application.ts'
import { COMPANY_NAME, unsealCompanyName } from '../cases/title.ts'
import { days } from '../commands/silence.ts'
import { appendTimeline } from '../commands/timeline.ts'
import { type Database, transaction } from '../connection/database.ts'
import { eqAny } from '../connection/eq-any.ts'
import { emailInsert } from './email.ts'

interface CompanyCase {
  readonly vaultId: string
  readonly identificationId: string
}

interface Addressee {
  readonly id: string
  readonly address: string
}

export const addressesOf = ({ beneficiaries: { beneficiaries_list: people } }: KybContent): Addressee[] =>
  people.flatMap(({ external_id: id, email: address }) => (address ? [{ id, address }] : []))

/**
 * Writes an email with the link to each person, if the vault sends emails, and schedules the reminders. Returns true if
 * there are any.
 */
export async function insertPersonLinks(
  tx: Database,
  { vaultId, identificationId }: CompanyCase,
  people: readonly Addressee[],
  {
    notice = 'link',
    delay = 0,
  }: { readonly notice?: 'link' | 'changes_requested'; readonly delay?: number } = {},
): Promise<boolean> {
  if (people.length === 0 || !(await hasEmails(tx, vaultId))) return false
  for (const { id: beneficiaryId, address } of people)
    await emailInsert(tx, { vaultId, identificationId, beneficiaryId, notice, address, delay })
  const ids = people.map(({ id }) => id)
  await tx.orm
    .update(beneficiaries)
    .set({ reminders: 0, remindAt: sql`clock_timestamp() + ${days(REMINDER_DAYS[0])}` })
    .where(and(eqAny(beneficiaries.id, ids), eq(beneficiaries.remindersDeclined, false)))
  return true
}

async function hasEmails(tx: Database, vaultId: string): Promise<boolean> {
  const rows = await tx.orm
    .select({ id: vaults.id })
    .from(vaults)
    .where(and(eq(vaults.id, vaultId), vaults.emails))
  return rows.length > 0
}

/** Asks the beneficiary whose check this is for changes. Returns false if there is no address. */
export async function insertPersonNotice(tx: Database, checkId: string): Promise<boolean> {
  const [row] = await tx.orm.select({ id: beneficiaries.id }).from(beneficiaries).where(hasCheck(checkId))
  const person = row && (await findInvited(tx, row.id))
  if (!person || person.address === '') return false
  return insertPersonLinks(tx, person, [person], { notice: 'changes_requested' })
}

/** A beneficiary as emails need them. */
interface Invited extends CompanyCase, Addressee {
  readonly kybId: string
  readonly fullName: string
  readonly company: string
  readonly isOwner: boolean
  readonly token: string
  readonly expiresAt: Date
  /** The language of the person, or that of the company's applicant. Null if neither is known. */
  readonly language: Language | null
  /** Whether the application still requires that the person verifies their identity. */
  readonly isAwaited: boolean
  /** The last change to the check or to the link. */
  readonly lastChangeAt: Date
}

const check = alias(identifications, 'own_check')

/** Returns the person, or null if the application no longer contains them. */
export async function findInvited(db: Database, id: string): Promise<Invited | null> {
  const { person, token, tokenExpiresAt: expiresAt, language } = beneficiaries
  const path = beneficiaryPath(id, 'beneficiary_identification')
  const [row] = await db.orm
    .select({
      ...{ person, token, expiresAt },
      vaultId: kybApplications.vaultId,
      kybId: kybApplications.id,
      identificationId: kybApplications.identificationId,
      company: COMPANY_NAME,
      language: sql<Language | null>`coalesce(${language}, ${verificationLinks.language})`,
      isAwaited: sql<boolean>`${kybApplications.status} = 'open'
        AND ${path} = ANY(${kybApplications.currentlyDue})
        AND (${check.id} IS NULL OR (${check.verification} = 'initiated' AND ${check.waitingOn} = 'applicant'))`,
      lastChangeAt: sql`greatest(${check.updatedAt}, ${expiresAt} - interval '7 days')`.mapWith(expiresAt),
    })
    .from(beneficiaries)
    .innerJoin(kybApplications, eq(kybApplications.id, beneficiaries.kybApplicationId))
    .leftJoin(verificationLinks, eq(verificationLinks.identificationId, kybApplications.identificationId))
    .leftJoin(check, eq(check.id, sql`coalesce(${beneficiaries.checkId}, ${beneficiaries.id})`))
    .where(and(eq(beneficiaries.id, id), isNull(beneficiaries.removedAt)))
  if (!row) return null
  const {
    full_name: fullName = '',
    email: address = '',
    roles,
  } = db.encryption.unsealJson<Beneficiary>(row.person, personContext(id))
  return {
    ...row,
    ...{ id, fullName, address, isOwner: roles?.includes('ubo') ?? false },
    company: unsealCompanyName(db.encryption, row.company),
    token: db.encryption.unseal(row.token, tokenContext(id)).toString(),
  }
}

/** Returns whether this is the newest email with the link to the person. Earlier ones are dropped. */
export async function isNewestLink(
  tx: Database,
  { id, identificationId, beneficiaryId }: { id: string; identificationId: string; beneficiaryId: string },
): Promise<boolean> {
  const [newest] = await tx.orm
    .select({ id: emails.id })
    .from(emails)
    .where(
      and(
        eq(emails.identificationId, identificationId),
        eq(emails.beneficiaryId, beneficiaryId),
        eq(emails.notice, 'link'),
      ),
    )
    .orderBy(desc(emails.id))
    .limit(1)
  return newest?.id === id
}

/** Returns the beneficiaries whose next reminder may be due, earliest first. */
export async function findPersonReminders(db: Database, limit: number): Promise<string[]> {
  const rows = await db.orm
    .select({ id: beneficiaries.id })
    .from(beneficiaries)
    .where(lte(beneficiaries.remindAt, sql`clock_timestamp()`))
    .orderBy(asc(beneficiaries.remindAt))
    .limit(limit)
  return rows.map(({ id }) => id)
}

/**
 * Writes the next reminder if the person has been silent for long enough, with a new link if the earlier one has
 * expired. Otherwise, schedules the reminder for later, or cancels it if the application no longer requires it.
 */
export async function remindPerson(db: Database, id: string): Promise<void> {
  await transaction(db, async (tx) => {
    const set = (values: Partial<Record<'reminders' | 'remindAt', unknown>>) =>
      tx.orm
        .update(beneficiaries)
        .set(values as object)
        .where(eq(beneficiaries.id, id))
    const [row] = await tx.orm
      .select({
        reminders: beneficiaries.reminders,
        now: sql`clock_timestamp()`.mapWith(beneficiaries.remindAt),
      })
      .from(beneficiaries)
      .where(and(eq(beneficiaries.id, id), lte(beneficiaries.remindAt, sql`clock_timestamp()`)))
      .for('update')
    if (!row) return
    const [silence, next] = REMINDER_DAYS.slice(row.reminders)
    const person = silence === undefined ? null : await findInvited(tx, id)
    if (silence === undefined || !person?.isAwaited || !(await hasEmails(tx, person.vaultId)))
      return void (await set({ remindAt: null }))
    const dueAt = new Date(Number(person.lastChangeAt) + silence * DAY_MS)
    if (dueAt > row.now) return void (await set({ remindAt: dueAt }))
    await set({
      reminders: row.reminders + 1,
      remindAt: next === undefined ? null : sql`clock_timestamp() + ${days(next - silence)}`,
    })
    if (Number(person.expiresAt) - Number(row.now) < HOUR_MS)
      await replaceBeneficiaryToken(tx, id, newToken())
    const { vaultId, identificationId, address } = person
    await emailInsert(tx, { vaultId, identificationId, beneficiaryId: id, notice: 'reminder', address })
  })
}

/** Cancels further reminders, for example because the mail server refused the address. */
export async function cancelPersonReminders(tx: Database, id: string): Promise<void> {
  await tx.orm.update(beneficiaries).set({ remindAt: null }).where(eq(beneficiaries.id, id))
}

/** Declines reminders for good. Returns false if the application does not contain the person. */
export async function declinePersonReminders(tx: Database, id: string): Promise<boolean> {
  const person = await findInvited(tx, id)
  if (!person) return false
  await tx.orm
    .update(beneficiaries)
    .set({ remindersDeclined: true, remindAt: null })
    .where(eq(beneficiaries.id, id))
  const target = { entity: 'kyb', id: person.kybId, vaultId: person.vaultId } as const
  const action = 'reminders_declined'
  await appendTimeline(tx, target, { action, actor: applicantActor(id), causeId: `${action}:${id}` })
  return true
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
