/** What the tables of both kinds of entity have in common. */
import { and, eq, gt, isNull, sql } from 'drizzle-orm'
import { identifications, kybApplications } from '../../../drizzle/schema.ts'
import type { Entity, EntityRef } from '../../domain/entity.ts'
import type { FIRST_CURSOR } from '../connection/cursor.ts'
import type { Database } from '../connection/database.ts'

const TABLES = { kyb: kybApplications, identification: identifications } as const

export const tableOf = (entity: Entity): (typeof TABLES)[Entity] => TABLES[entity]

/** Whose it is, for those who belong to no vault; null where there is none of this id. */
export async function findVaultId(
  db: Database,
  { entity, id }: Pick<EntityRef, 'entity' | 'id'>,
): Promise<string | null> {
  const table = tableOf(entity)
  const [row] = await db.orm.select({ vaultId: table.vaultId }).from(table).where(eq(table.id, id))
  return row?.vaultId ?? null
}

export async function markWorkflowStarted(db: Database, { entity, id }: EntityRef): Promise<void> {
  const table = tableOf(entity)
  await db.orm.update(table).set({ workflowStartedAt: sql`clock_timestamp()` }).where(eq(table.id, id))
}

interface UnstartedEntity extends EntityRef {
  /** With the id, where the next page begins. */
  readonly createdAt: string
}

/** Entities whose workflow is not known to have been started, after `after`, oldest first. */
export async function findUnstartedEntities(
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

export async function isUnstarted(db: Database, { entity, id }: EntityRef): Promise<boolean> {
  const table = tableOf(entity)
  return (await db.orm.$count(table, and(eq(table.id, id), isNull(table.workflowStartedAt)))) > 0
}

/** Those that have not ended. Each condition is that of an index, or holds for most. */
export const LIVE = {
  kyb: sql`${kybApplications.status} = 'open'`,
  identification: sql`${identifications.verification} <> 'closed'`,
} as const

export const countLiveEntities = (db: Database, entity: Entity, after: string): Promise<number> => {
  const table = tableOf(entity)
  return db.orm.$count(table, and(LIVE[entity], gt(table.id, after)))
}
