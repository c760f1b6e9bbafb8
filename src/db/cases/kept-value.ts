/** Queries that read values that a hold keeps for operators. */
import { and, asc, eq } from 'drizzle-orm'
import { keptValues } from '../../../drizzle/schema.ts'
import type { EntityRef } from '../../domain/entity/entity.ts'
import type { KeptValue } from '../../domain/review/removed.ts'
import type { Database } from '../connection/database.ts'
import { eqAny } from '../connection/eq-any.ts'
import { sealedFor } from '../connection/sealed.ts'

export const keptContext = (id: string) => sealedFor('kept_values.value', id)

/** Returns the values of a record that are kept for operators, oldest first. */
export async function findKeptValues(db: Database, { id, vaultId }: EntityRef): Promise<KeptValue[]> {
  const rows = await db.orm
    .select()
    .from(keptValues)
    .where(and(eq(keptValues.vaultId, vaultId), eq(keptValues.entityId, id)))
    .orderBy(asc(keptValues.id))
  return rows.map((row) => openKept(db, row))
}

/** Returns the kept values of records in any vault, keyed by record, oldest first. */
export async function findKeptValuesOf(
  db: Database,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly KeptValue[]>> {
  const rows = await db.orm
    .select()
    .from(keptValues)
    .where(eqAny(keptValues.entityId, ids))
    .orderBy(asc(keptValues.id))
  const kept = new Map<string, KeptValue[]>()
  for (const row of rows) kept.set(row.entityId, [...(kept.get(row.entityId) ?? []), openKept(db, row)])
  return kept
}

const openKept = (
  { encryption }: Database,
  { id, path, isFile, value, createdAt }: typeof keptValues.$inferSelect,
): KeptValue => ({
  path,
  isFile,
  value: encryption.unsealJson<unknown>(value, keptContext(id)),
  removedAt: createdAt,
})
