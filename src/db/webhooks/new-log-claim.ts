/** Queries that claim new webhook logs, which are pending and belong to no batch. Vaults get equal shares. */
import { sql } from 'drizzle-orm'
import { NIL } from 'uuid'
import { resending } from '../../../drizzle/schema.ts'
import { SPACING_MS } from '../../domain/webhook/delivery-schedule.ts'
import { cacheSql } from '../connection/cached-sql.ts'
import type { Database } from '../connection/database.ts'
import { CLAIMED_COLUMNS, type ClaimedAttempt, type ClaimedRow, createRowReader } from './claimed-attempt.ts'
import { selectPendingVaults } from './pending-vaults.ts'

/** The maximum number of vaults in one claim. The next claim continues after them. */
const MAX_VAULTS = 100

const FIRST_ATTEMPT = { number: 1, recorded: [], dueInMs: 0, pauseMs: SPACING_MS }

interface NewLogClaim {
  readonly batchId: string
  readonly leaseId: string
  /**
   * The approximate number of logs in one claim. Each vault with pending logs gets an equal share, but at least one
   * log.
   */
  readonly limit: number
  readonly excludedVaults: readonly string[]
  /** The vault after which this claim continues, or null to start with the first vault. */
  readonly afterVault: string | null
}

interface NewLogsClaimed {
  readonly attempts: readonly ClaimedAttempt[]
  /** The vault after which the next claim continues. */
  readonly afterVault: string | null
  readonly hasMore: boolean
  /** Whether the queues of URLs may have logs to take. */
  readonly hasQueues: boolean
}

interface VaultsSeen {
  /** The last vault of the claim. */
  readonly last: string
  readonly vaults: number
  /** The maximum number of logs per vault in this claim. */
  readonly share: number
  readonly hasQueues: boolean
}

const { placeholder } = sql

const claimLogs = cacheSql<Partial<ClaimedRow> & VaultsSeen>(sql`
  WITH RECURSIVE ${selectPendingVaults({
    after: placeholder('afterVault'),
    except: placeholder('excludedVaults'),
    atMost: MAX_VAULTS,
  })}, seen AS (
    SELECT max(vault_id::text) AS last, count(*)::int AS vaults,
      greatest(1, ${placeholder('limit')}::int / greatest(1, count(*)))::int AS share,
      set_config('synchronous_commit', 'off', true)
    FROM vaults
  ), oldest AS (
    SELECT log.id FROM vaults CROSS JOIN LATERAL (
      SELECT id FROM webhook_logs
      WHERE status = 'pending' AND vault_id = vaults.vault_id AND batch_id IS NULL
      ORDER BY round, id LIMIT (SELECT share FROM seen) FOR UPDATE SKIP LOCKED
    ) AS log
  ), claimed AS (
    UPDATE webhook_logs AS log SET batch_id = ${placeholder('batchId')}, lease_id = ${placeholder('leaseId')}
    FROM webhook_settings AS settings
    WHERE log.id = ANY(ARRAY(SELECT id FROM oldest)) AND settings.vault_id = log.vault_id
    RETURNING ${CLAIMED_COLUMNS}
  )
  SELECT seen.*, claimed.*, EXISTS (SELECT FROM webhook_urls WHERE queued AND NOT paused)
    OR EXISTS (SELECT FROM webhook_urls WHERE ${resending}) AS "hasQueues"
  FROM seen LEFT JOIN claimed ON true`)

/**
 * Claims each vault's oldest logs. Logs that are being sent again come last. Skips locked rows, so that concurrent
 * claims do not wait for each other. The commit does not wait for the disk, because a lost claim only repeats attempts.
 */
export async function claimNewLogs(db: Database, claim: NewLogClaim): Promise<NewLogsClaimed> {
  const { afterVault, ...values } = claim
  const rows = await claimLogs(db, { ...values, afterVault: afterVault ?? NIL })
  const read = createRowReader(db)
  const attempts = rows.flatMap((row) => (row.id ? [read(row as ClaimedRow, FIRST_ATTEMPT)] : []))
  const { last, vaults, share, hasQueues } = rows[0] ?? { last: '', vaults: 0, share: 0, hasQueues: false }
  const isLastPage = vaults < MAX_VAULTS
  return {
    attempts,
    afterVault: isLastPage ? null : last,
    hasMore: !isLastPage || afterVault !== null || hasFullShare(attempts, share),
    hasQueues,
  }
}

/** Returns true if a vault's complete share was claimed, because the vault may then have more pending logs. */
function hasFullShare(attempts: readonly ClaimedAttempt[], share: number): boolean {
  const counts = new Map<string, number>()
  for (const { vaultId } of attempts) counts.set(vaultId, (counts.get(vaultId) ?? 0) + 1)
  return [...counts.values()].some((count) => count >= share)
}
