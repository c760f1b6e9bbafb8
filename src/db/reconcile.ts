/** What the reconciler looks for: entities whose workflow may be missing. */
import { and, eq, isNull, ne, sql } from 'drizzle-orm'
import { identifications, kybApplications } from '../../drizzle/schema.ts'
import type { Entity } from './command.ts'
import type { Database } from './database.ts'

export interface EntityRow {
  readonly entity: Entity
  readonly id: string
  readonly vaultId: string
}

const TABLES = { kyb: kybApplications, identification: identifications } as const

export async function markWorkflowStarted(db: Database, entity: Entity, id: string): Promise<void> {
  const table = TABLES[entity]
  await db.orm.update(table).set({ workflowStartedAt: sql`clock_timestamp()` }).where(eq(table.id, id))
}

/** Entities older than 10 s whose workflow is not known to have been started, oldest first. */
export async function unstartedEntities(db: Database, entity: Entity, limit: number): Promise<EntityRow[]> {
  const table = TABLES[entity]
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

/** All entities that have not ended, by id, a page at a time. */
export async function liveEntities(
  db: Database,
  entity: Entity,
  after: string,
  limit: number,
): Promise<EntityRow[]> {
  const live =
    entity === 'kyb' ? eq(kybApplications.status, 'open') : ne(identifications.verification, 'closed')
  const table = TABLES[entity]
  const rows = await db.orm
    .select({ id: table.id, vaultId: table.vaultId })
    .from(table)
    .where(and(live, sql`${table.id} > ${after}`))
    .orderBy(table.id)
    .limit(limit)
  return rows.map((row) => ({ entity, ...row }))
}

/** Applications decided over 10 s ago whose identification still awaits that: the news was lost. */
export async function unheardReviews(db: Database, limit: number): Promise<Omit<EntityRow, 'entity'>[]> {
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
export async function unheardClosings(db: Database, limit: number): Promise<Omit<EntityRow, 'entity'>[]> {
  return db.orm
    .select({ id: identifications.id, vaultId: identifications.vaultId })
    .from(kybApplications)
    .innerJoin(identifications, eq(identifications.id, kybApplications.identificationId))
    .where(and(eq(kybApplications.status, 'open'), eq(identifications.verification, 'closed')))
    .limit(limit)
}
