/**
 * What a dead process left untold: workflows that were not started, and facts that theirs have not followed. Facts
 * are looked for in the order of ids, for a moment at a time, so that a look costs the same however much there is.
 */

import { and, eq, gt, isNotNull, isNull, lt, lte, ne, or, type SQL, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import { NIL } from 'uuid'
import {
  beneficiaries,
  holds,
  identifications,
  kybApplications,
  timeline,
  unacknowledgedCommands as unheard,
  verificationChecks,
} from '../../../drizzle/schema.ts'
import type { Entity, EntityRef, Ref } from '../../domain/entity.ts'
import type { VerificationCheck } from '../../domain/identification/verification-check.ts'
import { beneficiaryVerified } from '../../domain/kyb/application.ts'
import { beneficiaryPath } from '../../domain/kyb/requirements.ts'
import type { FIRST_CURSOR } from '../connection/cursor.ts'
import type { Database } from '../connection/database.ts'
import { tableOf } from './entity.ts'
import { checkOf } from './verification-check.ts'

/** How many rows a statement goes through, how many it gives at most, and for how long a look goes on. */
const LOOK = { through: 2_000, found: 200, forMs: 100 }

/** What a look found, and where the next one begins: behind it, or at the first again. */
export interface Look<T> {
  readonly found: readonly T[]
  readonly next: string
}

/** Ten seconds ago. Not `clock_timestamp()`, which no index can be asked for. */
const OLD = sql`now() - interval '10 seconds'`

/** Also where the next ones are looked for. */
interface UnstartedEntity extends EntityRef {
  readonly createdAt: string
}

/** Entities whose workflow is not known to have been started, from `after` on, oldest first. */
export async function unstartedEntities(
  db: Database,
  after: typeof FIRST_CURSOR,
  limit: number,
): Promise<UnstartedEntity[]> {
  const of = (entity: Entity) => sql`(
    SELECT ${entity}::text AS entity, id, vault_id AS "vaultId", created_at, created_at::text AS "createdAt"
    FROM ${tableOf(entity)}
    WHERE workflow_started_at IS NULL AND (created_at, id) > (${after.createdAt}::timestamptz, ${after.id}::uuid)
    ORDER BY created_at, id LIMIT ${limit}
  )`
  return db.orm.execute<UnstartedEntity & Record<string, unknown>>(sql`
    SELECT entity, id, "vaultId", "createdAt" FROM (${of('kyb')} UNION ALL ${of('identification')}) AS unstarted
    ORDER BY created_at, id LIMIT ${limit}`)
}

type Row = { readonly id: string }

/** Reads those of the next stretches of what `may` be untold, by a partial index of ids with that condition. */
async function look<T extends Row>(
  db: Database,
  id: PgColumn,
  may: SQL,
  after: string,
  read: (stretch: SQL | undefined) => Promise<T[]>,
): Promise<Look<T>> {
  const end = performance.now() + LOOK.forMs
  for (let from = after; ; ) {
    const [last] = await db.orm
      .select({ id: sql<string>`${id}` })
      .from(id.table as PgTable)
      .where(and(may, gt(id, from)))
      .orderBy(id)
      .offset(LOOK.through - 1)
      .limit(1)
    const found = await read(and(may, gt(id, from), last && lte(id, last.id)))
    if (found.length === LOOK.found) return { found, next: found.at(-1)?.id ?? NIL }
    if (!last) return { found, next: NIL }
    if (found.length > 0 || performance.now() > end) return { found, next: last.id }
    from = last.id
  }
}

interface Applied {
  readonly ref: EntityRef
  readonly commandIds: readonly string[]
}

/** Entities of which a command was applied over 10 s ago and its sender has not heard so from their workflow. */
export async function unacknowledgedCommands(db: Database, after: string): Promise<Look<Applied>> {
  const rows = await db.orm
    .select()
    .from(unheard)
    .where(and(gt(unheard.id, after), lt(unheard.appliedAt, OLD)))
    .orderBy(unheard.id)
    .limit(LOOK.found)
  const found = new Map<string, { ref: EntityRef; commandIds: string[] }>()
  for (const { id, entity, entityId, vaultId } of rows) {
    const known = found.get(entityId)
    if (known) known.commandIds.push(id)
    else found.set(entityId, { ref: { entity, id: entityId, vaultId }, commandIds: [id] })
  }
  return { found: [...found.values()], next: rows[LOOK.found - 1]?.id ?? NIL }
}

/** Cases whose opening or closing their workflow has not applied within 10 s: their signal was lost. */
export function findUndeliveredCases(db: Database, after: string): Promise<Look<Row>> {
  const { id, appliedAt, openedAt, closeRequestedAt, liftedAt } = holds
  const may = sql`(${appliedAt} IS NULL OR ${closeRequestedAt} IS NOT NULL) AND ${liftedAt} IS NULL`
  return look(db, id, may, after, (stretch) =>
    db.orm
      .select({ id })
      .from(holds)
      .where(and(stretch, or(and(isNull(appliedAt), lt(openedAt, OLD)), lt(closeRequestedAt, OLD))))
      .orderBy(id)
      .limit(LOOK.found),
  )
}

/** Checks that ended over 10 s ago while their identification still waits for them: the news was lost. */
export function unheardChecks(
  db: Database,
  after: string,
): Promise<Look<Row & { readonly check: VerificationCheck }>> {
  const { id, waitingOn, waitingSince } = identifications
  return look(db, id, sql`${waitingOn} = 'provider'`, after, async (stretch) => {
    const rows = await db.orm
      .select({ id, check: verificationChecks })
      .from(identifications)
      .innerJoin(
        verificationChecks,
        and(
          eq(verificationChecks.identificationId, id),
          eq(verificationChecks.waitingSince, sql`date_trunc('milliseconds', ${waitingSince})`),
        ),
      )
      .where(and(stretch, lt(verificationChecks.settledAt, OLD)))
      .orderBy(id)
      .limit(LOOK.found)
    return rows.map((row) => ({ id: row.id, check: checkOf(row.check) }))
  })
}

/** Identifications that await an application that was decided over 10 s ago, and which it is: likewise. */
export function unheardReviews(
  db: Database,
  after: string,
): Promise<Look<Row & { readonly application: Ref }>> {
  const { id, awaitsKyb, verification } = identifications
  return look(db, id, sql`${awaitsKyb} AND ${verification} <> 'closed'`, after, (stretch) =>
    db.orm
      .select({ id, application: { id: kybApplications.id, vaultId: kybApplications.vaultId } })
      .from(identifications)
      .innerJoin(kybApplications, eq(kybApplications.identificationId, id))
      .where(and(stretch, eq(kybApplications.status, 'processed'), lt(kybApplications.reviewedAt, OLD)))
      .orderBy(id)
      .limit(LOOK.found),
  )
}

/** Open applications whose identification is closed, and which that is: likewise. */
export function unheardClosings(
  db: Database,
  after: string,
): Promise<Look<Row & { readonly identification: Ref }>> {
  const { id, status, identificationId } = kybApplications
  return look(db, id, sql`${status} = 'open'`, after, (stretch) =>
    db.orm
      .select({ id, identification: { id: identifications.id, vaultId: identifications.vaultId } })
      .from(kybApplications)
      .innerJoin(identifications, eq(identifications.id, identificationId))
      .where(and(stretch, eq(identifications.verification, 'closed')))
      .orderBy(id)
      .limit(LOOK.found),
  )
}

/** Beneficiaries who are verified while their open application still asks for that: likewise. */
export function unheardVerifications(
  db: Database,
  after: string,
): Promise<Look<Row & { readonly person: Ref }>> {
  const { id, status, currentlyDue } = kybApplications
  const { verification, waitingSince, vaultId } = identifications
  const path = sql`format(${beneficiaryPath('%s', 'beneficiary_identification')}::text, ${beneficiaries.id})`
  const told = sql`format(${beneficiaryVerified('%s').id}::text, ${beneficiaries.id})`
  return look(db, id, sql`${status} = 'open'`, after, (stretch) =>
    db.orm
      .select({ id, person: { id: identifications.id, vaultId } })
      .from(kybApplications)
      .innerJoin(beneficiaries, eq(beneficiaries.kybApplicationId, id))
      .innerJoin(identifications, eq(identifications.id, beneficiaries.id))
      .where(
        and(
          stretch,
          isNull(beneficiaries.removedAt),
          eq(verification, 'approved'),
          lt(waitingSince, OLD),
          sql`${path} = ANY(${currentlyDue})`,
          // What a review asks for again of who was verified before stays.
          sql`NOT EXISTS (SELECT FROM ${timeline} WHERE ${timeline.entityId} = ${id} AND ${timeline.causeId} = ${told})`,
        ),
      )
      .orderBy(id)
      .limit(LOOK.found),
  )
}

/** Beneficiaries removed from their application over 10 s ago, whose own verification has not heard of it. */
export function unheardRemovals(db: Database, after: string): Promise<Look<Row>> {
  const { id, removedAt } = beneficiaries
  return look(db, id, isNotNull(removedAt), after, (stretch) =>
    db.orm
      .select({ id })
      .from(beneficiaries)
      .leftJoin(identifications, eq(identifications.id, id))
      .where(
        and(
          stretch,
          or(isNull(identifications.id), ne(identifications.verification, 'closed')),
          lt(removedAt, OLD),
        ),
      )
      .orderBy(id)
      .limit(LOOK.found),
  )
}
