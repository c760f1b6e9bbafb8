/** Queries for verification checks, with the provider, the state of the request and the first result. */

import { and, asc, eq, isNull, sql } from 'drizzle-orm'
import { v7 as newId } from 'uuid'
import { identifications, verificationChecks } from '../../../drizzle/schema.ts'
import type { ReasonCode } from '../../domain/decision/decision.ts'
import type { CheckResult } from '../../domain/identification/identification.ts'
import type { Identification } from '../../domain/identification/record.ts'
import type {
  CheckFailure,
  CheckLimits,
  ProviderName,
  VerificationCheck,
} from '../../domain/identification/verification-check.ts'
import type { StoredTrace } from '../commands/command.ts'
import { cacheStatement, type Database, transaction } from '../connection/database.ts'

type Row = typeof verificationChecks.$inferSelect

const checkFromRow = ({ outcome, reasonCode, fields, ...row }: Row): VerificationCheck => ({
  ...row,
  result: outcome && {
    outcome,
    ...(reasonCode !== null && { reasonCode: reasonCode as ReasonCode }),
    ...(fields !== null && { fields }),
  },
})

const now = sql`clock_timestamp()`

type Waiting = Pick<Identification, 'id' | 'vaultId' | 'waitingSince'>

/**
 * Returns the check for the current wait of the identification. The first call during that wait creates the check. The
 * new check has already failed if a limit is reached, so that no process asks the provider.
 */
export async function beginCheck(
  db: Database,
  waiting: Waiting,
  provider: ProviderName,
  limits: CheckLimits,
): Promise<VerificationCheck> {
  const known = await findCurrentCheck(db, waiting)
  if (known) return known
  return transaction(db, async (tx) => {
    // Checks of a vault begin one after the other, so that all processes together keep the limits.
    await tx.orm.execute(sql`SELECT pg_advisory_xact_lock(hashtext(${`checks:${waiting.vaultId}`}))`)
    const isOver = provider !== 'manual' && (await isLimitReached(tx, waiting, limits))
    await tx.orm
      .insert(verificationChecks)
      .values({
        id: newId(),
        vaultId: waiting.vaultId,
        identificationId: waiting.id,
        provider,
        waitingSince: waiting.waitingSince,
        ...(isOver && { failure: 'limit_reached' as const, settledAt: now }),
      })
      .onConflictDoNothing()
    const check = await findCurrentCheck(tx, waiting)
    if (!check) throw new Error('the started check is not in the database')
    return check
  })
}

async function findCurrentCheck(db: Database, { id, waitingSince }: Waiting) {
  const [row] = await db.orm
    .select()
    .from(verificationChecks)
    .where(
      and(eq(verificationChecks.identificationId, id), eq(verificationChecks.waitingSince, waitingSince)),
    )
  return row ? checkFromRow(row) : null
}

/** Returns whether the checks of the last 24 hours reach a limit. Checks that a limit prevented do not count. */
async function isLimitReached(
  tx: Database,
  { id, vaultId }: Waiting,
  { perVerification, perVault }: CheckLimits,
): Promise<boolean> {
  const recent = sql`created_at > clock_timestamp() - interval '24 hours' AND failure IS DISTINCT FROM 'limit_reached'`
  const [row] = await tx.orm.execute<{ reached: boolean }>(sql`SELECT
    (SELECT count(*) FROM ${verificationChecks} WHERE identification_id = ${id} AND ${recent}) >= ${perVerification}
    OR (SELECT count(*) FROM ${verificationChecks} WHERE vault_id = ${vaultId} AND ${recent}) >= ${perVault} AS reached`)
  return row?.reached === true
}

/** Returns a check, or null if there is none. Searches all vaults, because providers serve all of them. */
export async function findCheck(db: Database, id: string): Promise<VerificationCheck | null> {
  const [row] = await db.orm.select().from(verificationChecks).where(eq(verificationChecks.id, id))
  return row ? checkFromRow(row) : null
}

/**
 * Returns for how many milliseconds the result is awaited, by PostgreSQL's clock. A worker whose own clock is wrong
 * would give up all checks.
 */
export async function readAnswerWait(db: Database, id: string, hours: number): Promise<number> {
  const time = sql`make_interval(secs => ${hours * 3_600})`
  const wait = sql`least(${time}, ${verificationChecks.acceptedAt} - clock_timestamp() + ${time})`
  const [row] = await db.orm
    .select({ waitMs: sql<number>`round(extract(epoch FROM ${wait}) * 1000)::float8` })
    .from(verificationChecks)
    .where(eq(verificationChecks.id, id))
  return row?.waitMs ?? 0
}

/** Returns the `traceparent` of the change that made the check's identification wait, or null if there is none. */
export async function findCheckTrace(db: Database, id: string): Promise<string | null> {
  const [row] = await db.orm
    .select({ traceparent: identifications.waitingTraceparent })
    .from(verificationChecks)
    .innerJoin(identifications, IS_CURRENT)
    .where(eq(verificationChecks.id, id))
  return row?.traceparent ?? null
}

/**
 * Returns when the identification began to wait, and the trace of that change. `isNew` is true if the current wait has
 * no check yet. Returns null if there is no such identification.
 */
export async function findWaitingTrace(
  db: Database,
  id: string,
): Promise<(StoredTrace & { readonly isNew: boolean }) | null> {
  const { waitingTraceparent: traceparent, waitingSince: createdAt } = identifications
  const [row] = await db.orm
    .select({ traceparent, createdAt, isNew: sql<boolean>`${verificationChecks.id} IS NULL` })
    .from(identifications)
    .leftJoin(verificationChecks, IS_CURRENT)
    .where(eq(identifications.id, id))
  return row ?? null
}

/** Matches the current check, whose time is truncated to milliseconds. */
const IS_CURRENT = and(
  eq(verificationChecks.identificationId, identifications.id),
  eq(verificationChecks.waitingSince, sql`date_trunc('milliseconds', ${identifications.waitingSince})`),
)

/** Returns the check, locked until the transaction ends, or null if there is none. */
export async function getCheckForUpdate(tx: Database, id: string): Promise<VerificationCheck | null> {
  const [row] = await tx.orm
    .select()
    .from(verificationChecks)
    .where(eq(verificationChecks.id, id))
    .for('update')
  return row ? checkFromRow(row) : null
}

/** Returns the identification's checks, oldest first. */
export async function listChecks(db: Database, identificationId: string): Promise<VerificationCheck[]> {
  const rows = await readChecks(db).execute({ identificationId })
  return rows.map(checkFromRow)
}

const readChecks = cacheStatement((orm) =>
  orm
    .select()
    .from(verificationChecks)
    .where(eq(verificationChecks.identificationId, sql.placeholder('identificationId')))
    .orderBy(asc(verificationChecks.waitingSince))
    .prepare('list_checks'),
)

/** Records a result. Has no effect if the check already has a result. */
export async function recordAnswer(db: Database, id: string, result: CheckResult): Promise<void> {
  const { outcome, reasonCode = null, fields } = result
  await db.orm
    .update(verificationChecks)
    .set({
      outcome,
      reasonCode,
      fields: fields ? [...fields] : null,
      answeredAt: now,
      settledAt: sql`coalesce(settled_at, ${now})`,
    })
    .where(and(eq(verificationChecks.id, id), isNull(verificationChecks.answeredAt)))
}

/** Records why the check has no result. Has no effect if the check already has a result. */
export async function giveUpCheck(db: Database, id: string, failure: CheckFailure): Promise<void> {
  await db.orm
    .update(verificationChecks)
    .set({ failure, settledAt: now })
    .where(and(eq(verificationChecks.id, id), isNull(verificationChecks.settledAt)))
}

export async function recordAcceptance(db: Database, id: string): Promise<void> {
  await db.orm
    .update(verificationChecks)
    .set({ acceptedAt: sql`coalesce(accepted_at, ${now})` })
    .where(eq(verificationChecks.id, id))
}

/** Records the token of the activity that waits for the result. Returns false if the check already has a result. */
export async function recordTaskToken(db: Database, id: string, taskToken: string): Promise<boolean> {
  const updated = await db.orm
    .update(verificationChecks)
    .set({ taskToken })
    .where(and(eq(verificationChecks.id, id), isNull(verificationChecks.settledAt)))
    .returning({ id: verificationChecks.id })
  return updated.length > 0
}
