/** Queries for identifications that may be erased because their retention has expired and no hold applies. */
import { and, eq, inArray, isNotNull, isNull, ne, or, sql } from 'drizzle-orm'
import { unionAll } from 'drizzle-orm/pg-core'
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
import type { VaultScope } from '../../domain/access/grant.ts'
import type { Listed, Page } from '../../domain/base/page.ts'
import { DAYS_TO_ERASURE, lastReminderDay, MAX_AGE_HOURS } from '../../domain/email/notice.ts'
import { INTERNAL_OWNERS } from '../../domain/identification/holds.ts'
import type { DueErasure, DueFilter, Retained, RetentionPeriods } from '../../domain/review/retention.ts'
import { recordAudit } from '../audit/audit.ts'
import { days, IS_UNFINISHED, LAST_CHANGE } from '../commands/silence.ts'
import { appendTimeline } from '../commands/timeline.ts'
import type { Database } from '../connection/database.ts'
import { eqAny } from '../connection/eq-any.ts'
import { inScope } from '../connection/in-scope.ts'

const keptUntil = (years: number) => sql<Date | null>`concluded_at + make_interval(years => ${years}::int)`
const isPast = (years: number) => sql`${keptUntil(years)} <= clock_timestamp()`

const silentUntil = (unfinishedDays: number) =>
  sql<Date | null>`CASE WHEN ${IS_UNFINISHED} THEN ${LAST_CHANGE} + ${days(unfinishedDays)} END`

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

/** Selects the identifications that are due, also those under a hold. */
function due(db: Database, periods: RetentionPeriods, scope: VaultScope = 'all') {
  const { waitingOn, waitingSince, concludedAt, vaultId, status } = identifications
  const columns = {
    vaultId,
    kybId: sql<string | null>`${kybApplications.id}`.as('kyb_id'),
    status,
  }
  const isKept = and(
    isNull(identifications.erasedAt),
    ne(identifications.origin, 'beneficiary'),
    inScope(vaultId, scope),
  )
  const concluded = withCase(db, {
    ...columns,
    dueSince: keptUntil(periods.years).mapWith(concludedAt).as('due_since'),
    isUnfinished: sql<boolean>`false`.as('is_unfinished'),
  }).where(
    and(
      isKept,
      // The column has an index. A period of years is up to a day longer than the same period backwards.
      sql`${concludedAt} < clock_timestamp() - make_interval(years => ${periods.years}::int) + interval '2 days'`,
      isPast(periods.years),
    ),
  )
  const unfinished = withCase(db, {
    ...columns,
    dueSince: silentUntil(periods.unfinishedDays).mapWith(concludedAt).as('due_since'),
    isUnfinished: sql<boolean>`true`.as('is_unfinished'),
  }).where(
    and(
      isKept,
      // No case has been silent for longer than it has been waiting, and these columns have an index.
      inArray(waitingOn, ['applicant', 'client']),
      sql`${waitingSince} <= clock_timestamp() - ${days(periods.unfinishedDays)}`,
      isSilent(periods),
    ),
  )
  return unionAll(concluded, unfinished)
}

/** Returns the identifications that are due, also those under a legal hold, starting with the longest due. */
export const findDue = async (db: Database, periods: RetentionPeriods): Promise<DueErasure[]> =>
  (await due(db, periods).orderBy(sql`due_since`, sql`id`)) as DueErasure[]

/** Returns a page of the due identifications that match the filter, starting with the longest due. */
export async function listDue(
  db: Database,
  periods: RetentionPeriods,
  { scope, kind, from, before }: DueFilter,
  { page, per_page }: Page,
): Promise<Listed<DueErasure>> {
  const listed = due(db, periods, scope).as('due')
  const { kybId, dueSince, id } = listed
  const matching = db.orm
    .select()
    .from(listed)
    .where(
      and(
        kind && (kind === 'kyb' ? isNotNull(kybId) : isNull(kybId)),
        from && sql`${dueSince} >= ${from.toISOString()}::timestamptz`,
        before && sql`${dueSince} < ${before.toISOString()}::timestamptz`,
      ),
    )
  const totalCount = await db.orm.$count(matching.as('matching'))
  const entries = await matching
    .orderBy(dueSince, id)
    .limit(per_page)
    .offset((page - 1) * per_page)
  return { entries: entries as DueErasure[], totalCount }
}

/** Changes the legal hold. Returns null, or the reason why it was not changed. Waits for an erasure in progress. */
export async function setLegalHold(tx: Database, by: By, id: string, legalHold: boolean) {
  const { vaultId: vault, erasedAt: erased, legalHold: isHeld } = identifications
  const [row] = await tx.orm
    .select({ vaultId: vault, erasedAt: erased, isHeld })
    .from(identifications)
    .where(eq(identifications.id, id))
    // Takes the same lock as `getIdentificationForUpdate`.
    .for('no key update')
  if (!row) return `There is no identification ${id}.`
  const { vaultId, erasedAt } = row
  if (erasedAt)
    return `${id} cannot be held, because it was erased on ${erasedAt.toISOString().slice(0, 10)}.`
  if (row.isHeld === legalHold) return null
  await tx.orm.update(identifications).set({ legalHold }).where(eq(identifications.id, id))
  const action = legalHold ? 'legal_hold_set' : 'legal_hold_lifted'
  const target = { entity: 'identification', id, vaultId } as const
  await appendTimeline(tx, target, { action, actor: by.actor, causeId: newId() })
  await recordAudit(tx, by, { action, subject: 'identification', subjectId: id, vaultId })
  return null
}
