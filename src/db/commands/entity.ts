/** Queries that apply to both kinds of entity. */
import { and, eq, gt, isNull, sql } from 'drizzle-orm'
import { identifications, kybApplications } from '../../../drizzle/schema.ts'
import type { Entity, EntityKey, EntityRef } from '../../domain/entity/entity.ts'
import type { FIRST_CURSOR } from '../connection/cursor.ts'
import { cacheStatement, type Database } from '../connection/database.ts'
import { eqAny } from '../connection/eq-any.ts'

const TABLES = { kyb: kybApplications, identification: identifications } as const

export const tableOf = (entity: Entity): (typeof TABLES)[Entity] => TABLES[entity]

/**
 * Returns the vault of an entity, or null if there is no such entity. Use this function only if the caller does not
 * know the vault.
 */
export async function findVaultId(db: Database, { entity, id }: EntityKey): Promise<string | null> {
  const [row] = await READ_VAULT[entity](db).execute({ id })
  return row?.vaultId ?? null
}

const readVaultOf = (entity: Entity) =>
  cacheStatement((orm) => {
    const { vaultId, id } = tableOf(entity)
    return orm
      .select({ vaultId })
      .from(tableOf(entity))
      .where(eq(id, sql.placeholder('id')))
      .prepare(`find_vault_of_${entity}`)
  })

const READ_VAULT = { kyb: readVaultOf('kyb'), identification: readVaultOf('identification') }

export async function markWorkflowStarted(db: Database, { entity, id }: EntityRef): Promise<void> {
  const table = tableOf(entity)
  await db.orm.update(table).set({ workflowStartedAt: sql`clock_timestamp()` }).where(eq(table.id, id))
}

interface UnstartedEntity extends EntityRef {
  /** The cursor of the next page, together with the ID. */
  readonly createdAt: string
}

/** Returns entities after the cursor whose workflows may not have been started, oldest first. */
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

/** Conditions for entities that have not ended. If most rows of a table have ended, an index has the same condition. */
export const LIVE = {
  kyb: sql`${kybApplications.status} = 'open'`,
  identification: sql`${identifications.verification} <> 'closed'`,
} as const

export const countLiveEntities = (db: Database, entity: Entity, after: string): Promise<number> => {
  const table = tableOf(entity)
  return db.orm.$count(table, and(LIVE[entity], gt(table.id, after)))
}

/** Returns for each of the entities that exist whether it is live, keyed by ID. */
export async function findLiveness(
  db: Database,
  entity: Entity,
  ids: readonly string[],
): Promise<ReadonlyMap<string, boolean>> {
  const table = tableOf(entity)
  const isLive = sql<boolean>`${LIVE[entity]}`
  const rows = await db.orm.select({ id: table.id, isLive }).from(table).where(eqAny(table.id, ids))
  return new Map(rows.map((row) => [row.id, row.isLive]))
}
