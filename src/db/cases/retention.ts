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
} from '../../../drizzle/schema.ts'
import type { By } from '../../domain/access/audit.ts'
import { INTERNAL_OWNERS } from '../../domain/identification/holds.ts'
import { recordAudit } from '../audit/audit.ts'
import type { Database } from '../connection/database.ts'
import { eqAny } from '../connection/eq-any.ts'
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
  const { erasedAt, legalHold, concludedAt, keptUntil, isPast, kyb } = retained
  if (erasedAt) return `it was already erased on ${day(erasedAt)}`
  if (retained.isOfBeneficiary) return 'it belongs to an application that names the person as a beneficiary'
  if (legalHold) return 'it is under a legal hold'
  if (retained.internalHolds > 0) return 'it has an internal hold'
  if (!concludedAt || !keptUntil || kyb?.status === 'open')
    return 'it is neither rejected nor closed, and the applicant has not withdrawn the consent'
  return isPast ? null : `its retention period ends on ${day(keptUntil)}`
}

export const day = (moment: Date): string => moment.toISOString().slice(0, 10)

const keptUntil = (years: number) => sql<Date | null>`concluded_at + make_interval(years => ${years}::int)`
const isPast = (years: number) => sql`${keptUntil(years)} <= clock_timestamp()`

export async function findRetained(db: Database, id: string, years: number): Promise<Retained | null> {
  const [row] = await db.orm
    .select({
      id: identifications.id,
      vaultId: identifications.vaultId,
      status: identifications.status,
      createdAt: identifications.createdAt,
      concludedAt: identifications.concludedAt,
      keptUntil: keptUntil(years).mapWith(identifications.concludedAt),
      isPast: sql<boolean>`coalesce(${isPast(years)}, false)`,
      legalHold: identifications.legalHold,
      erasedAt: identifications.erasedAt,
      isOfBeneficiary: eq(identifications.origin, 'beneficiary').mapWith(Boolean),
      kyb: { id: kybApplications.id, status: kybApplications.status },
    })
    .from(identifications)
    .leftJoin(kybApplications, eq(kybApplications.identificationId, identifications.id))
    .where(eq(identifications.id, id))
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

const isPastWith = (years: number, legalHold: boolean) =>
  and(
    isNull(identifications.erasedAt),
    eq(identifications.legalHold, legalHold),
    ne(identifications.origin, 'beneficiary'),
    isPast(years),
  )

/** Returns the IDs of identifications whose retention has expired, starting with the earliest conclusion. */
export async function findDueForErasure(db: Database, years: number): Promise<string[]> {
  const rows = await db.orm
    .select({ id: identifications.id })
    .from(identifications)
    .where(isPastWith(years, false))
    .orderBy(asc(identifications.concludedAt))
  return rows.map(({ id }) => id)
}

/** Returns the number of identifications whose retention has expired, but which a legal hold keeps. */
export const countHeld = (db: Database, years: number): Promise<number> =>
  db.orm.$count(identifications, isPastWith(years, true))

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
