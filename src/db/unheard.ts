/** What a dead process left untold: workflows that were not started, and facts that theirs have not followed. */
import { and, eq, isNotNull, isNull, lt, ne, or, sql } from 'drizzle-orm'
import { holds, identifications, kybApplications, verificationChecks } from '../../drizzle/schema.ts'
import type { Entity, EntityRef, Ref } from '../domain/entity.ts'
import type { Database } from './database.ts'
import { tableOf } from './entity.ts'
import { checkOf, type VerificationCheck } from './verification-check.ts'

/** Entities older than 10 s whose workflow is not known to have been started, oldest first. */
export async function unstartedEntities<E extends Entity>(
  db: Database,
  entity: E,
  limit: number,
): Promise<EntityRef<E>[]> {
  const table = tableOf(entity)
  const rows = await db.orm
    .select({ id: table.id, vaultId: table.vaultId })
    .from(table)
    .where(
      and(
        isNull(table.workflowStartedAt),
        sql`${table.createdAt} < clock_timestamp() - interval '10 seconds'`,
      ),
    )
    .orderBy(table.createdAt)
    .limit(limit)
  return rows.map((row) => ({ entity, ...row }))
}

/** Cases whose opening or closing their workflow has not applied within 10 s: their signal was lost. */
export async function unheardCases(db: Database, limit: number) {
  const old = sql`clock_timestamp() - interval '10 seconds'`
  const rows = await db.orm
    .select({ id: holds.id })
    .from(holds)
    .where(
      and(
        isNull(holds.liftedAt),
        or(
          and(isNull(holds.appliedAt), lt(holds.openedAt, old)),
          and(isNotNull(holds.closeRequestedAt), lt(holds.closeRequestedAt, old)),
        ),
      ),
    )
    .orderBy(holds.openedAt)
    .limit(limit)
  return rows.map(({ id }) => id)
}

/** Checks that ended over 10 s ago while their identification still waits for them: the news was lost. */
export async function unheardChecks(db: Database, limit: number): Promise<VerificationCheck[]> {
  const rows = await db.orm
    .select({ check: verificationChecks })
    .from(identifications)
    .innerJoin(
      verificationChecks,
      and(
        eq(verificationChecks.identificationId, identifications.id),
        eq(verificationChecks.waitingSince, sql`date_trunc('milliseconds', ${identifications.waitingSince})`),
      ),
    )
    .where(
      and(
        // Written out, so that the index of those that wait serves it.
        sql`${identifications.waitingOn} = 'provider'`,
        sql`${verificationChecks.settledAt} < clock_timestamp() - interval '10 seconds'`,
      ),
    )
    .limit(limit)
  return rows.map(({ check }) => checkOf(check))
}

/** Applications decided over 10 s ago whose identification still awaits that: the news was lost. */
export async function unheardReviews(db: Database, limit: number): Promise<Ref[]> {
  return db.orm
    .select({ id: kybApplications.id, vaultId: kybApplications.vaultId })
    .from(identifications)
    .innerJoin(kybApplications, eq(kybApplications.identificationId, identifications.id))
    .where(
      and(
        identifications.awaitsKyb,
        ne(identifications.verification, 'closed'),
        eq(kybApplications.status, 'processed'),
        sql`${kybApplications.reviewedAt} < clock_timestamp() - interval '10 seconds'`,
      ),
    )
    .limit(limit)
}

/** Closed identifications whose application is still open: likewise. */
export async function unheardClosings(db: Database, limit: number): Promise<Ref[]> {
  return db.orm
    .select({ id: identifications.id, vaultId: identifications.vaultId })
    .from(kybApplications)
    .innerJoin(identifications, eq(identifications.id, kybApplications.identificationId))
    .where(and(eq(kybApplications.status, 'open'), eq(identifications.verification, 'closed')))
    .limit(limit)
}
