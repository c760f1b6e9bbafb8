/** What the tables of both kinds of entity have in common. */
import { and, eq, ne, sql } from 'drizzle-orm'
import { identifications, kybApplications } from '../../drizzle/schema.ts'
import type { Entity, EntityRef } from '../domain/entity.ts'
import type { Database } from './database.ts'

const TABLES = { kyb: kybApplications, identification: identifications } as const

export const tableOf = (entity: Entity): (typeof TABLES)[Entity] => TABLES[entity]

export async function markWorkflowStarted(db: Database, { entity, id }: EntityRef): Promise<void> {
  const table = tableOf(entity)
  await db.orm.update(table).set({ workflowStartedAt: sql`clock_timestamp()` }).where(eq(table.id, id))
}

/** All entities that have not ended, by id, a page at a time. */
export async function liveEntities<E extends Entity>(
  db: Database,
  entity: E,
  after: string,
  limit: number,
): Promise<EntityRef<E>[]> {
  const live =
    entity === 'kyb' ? eq(kybApplications.status, 'open') : ne(identifications.verification, 'closed')
  const table = tableOf(entity)
  const rows = await db.orm
    .select({ id: table.id, vaultId: table.vaultId })
    .from(table)
    .where(and(live, sql`${table.id} > ${after}`))
    .orderBy(table.id)
    .limit(limit)
  return rows.map((row) => ({ entity, ...row }))
}
