/** Completes the rows of cases that an earlier version wrote. */
import { asc, type SQL } from 'drizzle-orm'
import { ENTITY_KINDS, type Entity, type Ref } from '../../domain/entity/entity.ts'
import { tableOf } from '../commands/entity.ts'
import { inBatches } from '../connection/batches.ts'
import { type Database, transaction } from '../connection/database.ts'

/** Keeps the batches small, because an application can take several megabytes. */
const BATCHES = { batchSize: 20, statements: 100 }

/**
 * Calls `complete` with the rows that match the condition, which an index must serve. Each batch is one transaction,
 * which has locked the rows and skips those that others have locked. Returns the number of rows.
 */
export async function completeOldRows(
  db: Database,
  condition: SQL,
  complete: (tx: Database, kind: Entity, rows: readonly Ref[]) => Promise<void>,
): Promise<number> {
  let count = 0
  for (const kind of ENTITY_KINDS) {
    const table = tableOf(kind)
    const completeBatch = async (tx: Database, limit: number) => {
      const rows = await tx.orm
        .select({ id: table.id, vaultId: table.vaultId })
        .from(table)
        .where(condition)
        .orderBy(asc(table.id))
        .limit(limit)
        .for('no key update', { skipLocked: true })
      if (rows.length > 0) await complete(tx, kind, rows)
      return rows.length
    }
    count += await inBatches(BATCHES, (limit) => transaction(db, (tx) => completeBatch(tx, limit)))
  }
  return count
}
