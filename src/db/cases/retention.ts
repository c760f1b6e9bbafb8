/** Queries for identifications that may be erased because their retention has expired and no hold applies. */
import { and, asc, eq, inArray, isNull, ne, or, sql } from 'drizzle-orm'
import { v7 as newId } from 'uuid'
import {
  beneficiaries,
  files,
  holds,
  INTERNAL_HOLDS,
  identifications,
  kybApplications,
  vaults,
  verificationLinks,
} from '../../../drizzle/schema.ts'
import type { By } from '../../domain/access/audit.ts'
import { DAYS_TO_ERASURE, lastReminderDay, MAX_AGE_HOURS } from '../../domain/email/notice.ts'
import { INTERNAL_OWNERS } from '../../domain/identification/holds.ts'
import { recordAudit } from '../audit/audit.ts'
import type { Database } from '../connection/database.ts'
import { eqAny } from '../connection/eq-any.ts'
import { IS_UNFINISHED, LAST_CHANGE } from './silence.ts'
import { appendTimeline } from './timeline.ts'

export interface Retained {
  readonly id: string
  readonly vaultId: string
  readonly status: string
  readonly createdAt: Date
  /**
   * When the identification was rejected or closed or its consent was withdrawn. Null if none of these has happened.
   */
  readonly concludedAt: Date | null
  /** When the retention expires, or null if the identification is not concluded. */
  readonly keptUntil: Date | null
  /** Whether `keptUntil` has passed by PostgreSQL's clock. */
  readonly isPast: boolean
  /** When an unfinished case becomes due if nothing changes, or null if the case is not unfinished. */
  readonly silentUntil: Date | null
  /** Whether `silentUntil` has passed, and the last reminder was sent in time if the vault sends emails. */
  readonly isSilent: boolean
  readonly legalHold: boolean
  readonly erasedAt: Date | null
  readonly kyb: { readonly id: string; readonly status: string } | null
  /** The identifications of the beneficiaries, which are retained and erased together with the application's. */
  readonly beneficiaryIds: readonly string[]
  readonly isOfBeneficiary: boolean
  readonly fileCount: number
  readonly internalHolds: number
}

/** Returns why the identification cannot be erased, or null if it can. */
export function retentionBlocker(retained: Retained | null): string | null {
  if (!retained) return 'it does not exist'
  const { erasedAt, legalHold, concludedAt, keptUntil, isPast, silentUntil, isSilent, kyb } = retained
  if (erasedAt) return `it was already erased on ${day(erasedAt)}`
  if (retained.isOfBeneficiary) return 'it belongs to an application that names the person as a beneficiary'
  if (legalHold) return 'it is under a legal hold'
  if (retained.internalHolds > 0) return 'it has an internal hold'
  if (silentUntil) return isSilent ? null : unfinishedBlocker(silentUntil)
  if (!concludedAt || !keptUntil || kyb?.status === 'open')
    return 'it is not concluded, and it does not wait on the applicant or the client'
  return isPast ? null : `its retention period ends on ${day(keptUntil)}`
}

const unfinishedBlocker = (silentUntil: Date): string =>
  silentUntil > new Date()
    ? `it is unfinished, and it is due on ${day(silentUntil)} if nothing changes`
    : 'it is unfinished, and the last reminder was not sent 14 days ago'

export const day = (moment: Date): string => moment.toISOString().slice(0, 10)

const keptUntil = (years: number) => sql<Date | null>`concluded_at + make_interval(years => ${years}::int)`
const isPast = (years: number) => sql`${keptUntil(years)} <= clock_timestamp()`

/** How long data is kept. */
export interface RetentionPeriods {
  /** The years after the conclusion. */
  readonly years: number
  /** The days without a change to an unfinished case. */
  readonly unfinishedDays: number
  /** Whether the deployment sends emails, so that a reminder precedes the erasure of an unfinished case. */
  readonly sendsEmails: boolean
}

const silentUntil = (days: number) =>
  sql<Date | null>`CASE WHEN ${IS_UNFINISHED} THEN ${LAST_CHANGE} + make_interval(days => ${days}::int) END`

/** The time from the last reminder to the erasure, plus the time in which its delivery may be retried. */
const REMINDED = sql`make_interval(days => ${DAYS_TO_ERASURE}::int, hours => ${MAX_AGE_HOURS}::int)`
const IS_REMINDED = sql`(NOT vaults.emails OR verification_links.remind_at IS NULL) AND NOT EXISTS (
  SELECT FROM emails WHERE emails.identification_id = identifications.id
    AND emails.notice = 'last_reminder' AND emails.created_at > clock_timestamp() - ${REMINDED})`

function isSilent({ unfinishedDays, sendsEmails }: RetentionPeriods) {
  const isOver = sql<boolean>`coalesce(${silentUntil(unfinishedDays)} <= clock_timestamp(), false)`
  return sendsEmails && lastReminderDay(unfinishedDays) !== null
    ? sql<boolean>`${isOver} AND ${IS_REMINDED}`
    : isOver
}

/** Selects identifications with the tables that the conditions for unfinished cases require. */
const withCase = <T extends object>(db: Database, columns: T) =>
  db.orm
    .select({ id: identifications.id, ...columns })
    .from(identifications)
    .innerJoin(vaults, eq(vaults.id, identifications.vaultId))
    .leftJoin(kybApplications, eq(kybApplications.identificationId, identifications.id))
    .leftJoin(verificationLinks, eq(verificationLinks.identificationId, identifications.id))

export async function findRetained(
  db: Database,
  id: string,
  periods: RetentionPeriods,
): Promise<Retained | null> {
  const { years } = periods
  const [row] = await withCase(db, {
    vaultId: identifications.vaultId,
    status: identifications.status,
    createdAt: identifications.createdAt,
    concludedAt: identifications.concludedAt,
    keptUntil: keptUntil(years).mapWith(identifications.concludedAt),
    isPast: sql<boolean>`coalesce(${isPast(years)}, false)`,
    silentUntil: silentUntil(periods.unfinishedDays).mapWith(identifications.concludedAt),
    isSilent: isSilent(periods),
    legalHold: identifications.legalHold,
    erasedAt: identifications.erasedAt,
    isOfBeneficiary: eq(identifications.origin, 'beneficiary').mapWith(Boolean),
    kyb: { id: kybApplications.id, status: kybApplications.status },
  }).where(eq(identifications.id, id))
  if (!row) return null
  const verifications = row.kyb ? await verificationsOf(db, row.kyb.id) : []
  const beneficiaryIds = verifications.map((each) => each.id)
  const legalHold = row.legalHold || verifications.some((each) => each.legalHold)
  const fileCount = await db.orm.$count(
    files,
    or(
      eqAny(files.identificationId, [id, ...beneficiaryIds]),
      row.kyb ? eq(files.kybApplicationId, row.kyb.id) : undefined,
    ),
  )
  const internalHolds = await countInternalHolds(db, [id, ...beneficiaryIds])
  return { ...row, legalHold, beneficiaryIds, fileCount, internalHolds }
}

/** Returns all checks of the beneficiaries, including earlier checks and checks of removed people. */
const verificationsOf = (db: Database, kybId: string) =>
  db.orm
    .select({ id: identifications.id, legalHold: identifications.legalHold })
    .from(beneficiaries)
    .innerJoin(
      identifications,
      or(eq(identifications.id, beneficiaries.id), eq(identifications.beneficiaryId, beneficiaries.id)),
    )
    .where(eq(beneficiaries.kybApplicationId, kybId))

/**
 * Returns whether a legal hold or an internal hold forbids an erasure. The identifications of a company and of its
 * beneficiaries are retained together, so a hold on any of them counts.
 */
export async function isErasureForbidden(tx: Database, id: string): Promise<boolean> {
  const [row] = await tx.orm.execute<{ forbidden: boolean }>(sql`
    WITH companies AS (
      SELECT id, identification_id FROM kyb_applications WHERE identification_id = ${id}::uuid
      UNION SELECT kyb.id, kyb.identification_id FROM identifications own
        JOIN beneficiaries person ON person.id = coalesce(own.beneficiary_id, own.id)
        JOIN kyb_applications kyb ON kyb.id = person.kyb_application_id WHERE own.id = ${id}::uuid
    ), people AS (
      SELECT person.id FROM beneficiaries person JOIN companies ON companies.id = person.kyb_application_id
    ), retained AS (
      SELECT ${id}::uuid AS id UNION SELECT identification_id FROM companies UNION SELECT id FROM people
      UNION SELECT later.id FROM identifications later JOIN people ON later.beneficiary_id = people.id
    )
    SELECT EXISTS (SELECT FROM identifications JOIN retained USING (id) WHERE legal_hold)
      OR EXISTS (SELECT FROM holds JOIN retained ON retained.id = holds.identification_id
        WHERE ${INTERNAL_HOLDS} AND lifted_at IS NULL) AS forbidden`)
  return row?.forbidden === true
}

const countInternalHolds = (db: Database, ids: readonly string[]) =>
  db.orm.$count(
    holds,
    and(eqAny(holds.identificationId, ids), inArray(holds.owner, INTERNAL_OWNERS), isNull(holds.liftedAt)),
  )

const isKept = (legalHold: boolean) =>
  and(
    isNull(identifications.erasedAt),
    eq(identifications.legalHold, legalHold),
    ne(identifications.origin, 'beneficiary'),
  )

/** Returns the identifications that are due, starting with the earliest conclusion. Unfinished ones follow. */
async function findPast(db: Database, periods: RetentionPeriods, legalHold: boolean): Promise<string[]> {
  const concluded = await db.orm
    .select({ id: identifications.id })
    .from(identifications)
    .where(and(isKept(legalHold), isPast(periods.years)))
    .orderBy(asc(identifications.concludedAt))
  const { waitingOn, waitingSince } = identifications
  const unfinished = await withCase(db, {})
    .where(
      and(
        isKept(legalHold),
        // No case has been silent for longer than it has been waiting, and these columns have an index.
        inArray(waitingOn, ['applicant', 'client']),
        sql`${waitingSince} <= clock_timestamp() - make_interval(days => ${periods.unfinishedDays}::int)`,
        isSilent(periods),
      ),
    )
    .orderBy(asc(waitingSince))
  return [...concluded, ...unfinished].map(({ id }) => id)
}

export const findDueForErasure = (db: Database, periods: RetentionPeriods): Promise<string[]> =>
  findPast(db, periods, false)

/** Returns the number of identifications that would be due, but which a legal hold keeps. */
export const countHeld = async (db: Database, periods: RetentionPeriods): Promise<number> =>
  (await findPast(db, periods, true)).length

/** Changes the legal hold. Returns null, or the reason why it was not changed. Waits for an erasure in progress. */
export async function setLegalHold(
  tx: Database,
  by: By,
  id: string,
  legalHold: boolean,
): Promise<string | null> {
  const { vaultId: vault, erasedAt: erased, legalHold: isHeld } = identifications
  const [row] = await tx.orm
    .select({ vaultId: vault, erasedAt: erased, isHeld })
    .from(identifications)
    .where(eq(identifications.id, id))
    // Takes the same lock as `getIdentificationForUpdate`.
    .for('no key update')
  if (!row) return `There is no identification ${id}.`
  const { vaultId, erasedAt } = row
  if (erasedAt) return `${id} cannot be held, because it was erased on ${day(erasedAt)}.`
  if (row.isHeld === legalHold) return null
  await tx.orm.update(identifications).set({ legalHold }).where(eq(identifications.id, id))
  const action = legalHold ? 'legal_hold_set' : 'legal_hold_lifted'
  const entry = { vaultId, action, actor: by.actor, causeId: newId() }
  await appendTimeline(tx, { ...entry, entity: 'identification', entityId: id })
  await recordAudit(tx, by, { action, subject: 'identification', subjectId: id, vaultId })
  return null
}
