/** Queries for the age of the oldest pending work, in seconds. The age is 0 if no work is pending. */
import { sql } from 'drizzle-orm'
import type { Entity } from '../../domain/entity/entity.ts'
import type { Database } from '../connection/database.ts'
import { selectPendingVaults } from '../webhooks/pending-vaults.ts'

/** The maximum number of vaults to read. Each vault requires one index lookup. */
const MAX_VAULTS = 1_000

export type BacklogAges = Record<Entity | 'delivery', number>

/**
 * Returns the age of the oldest delivery without a recorded attempt, and of the oldest case that awaits review. Omits
 * deliveries that are being sent again, because their events are old.
 */
export async function readBacklogAges(db: Database): Promise<BacklogAges> {
  const age = (moment: string) =>
    sql`coalesce(greatest(0, extract(epoch FROM clock_timestamp() - min(${sql.identifier(moment)}))), 0)::float8`
  const [ages] = await db.orm.execute<BacklogAges>(sql`
    WITH RECURSIVE ${selectPendingVaults({ atMost: MAX_VAULTS })}
    SELECT
      (SELECT ${age('created_at')} FROM vaults CROSS JOIN LATERAL (
        SELECT created_at FROM webhook_logs
        WHERE status = 'pending' AND vault_id = vaults.vault_id AND round = 1 ORDER BY id LIMIT 1
      ) AS oldest) AS delivery,
      (SELECT ${age('waiting_since')} FROM kyb_applications
        WHERE status = 'open' AND waiting_on = 'operator') AS kyb,
      (SELECT ${age('waiting_since')} FROM identifications WHERE waiting_on = 'operator') AS identification`)
  return ages ?? { delivery: 0, kyb: 0, identification: 0 }
}
