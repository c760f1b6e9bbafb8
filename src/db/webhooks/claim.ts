/** Which webhook logs a process attempts next: claimed under its lease, and read by the same statement. */
import { sql } from 'drizzle-orm'
import { unfinished } from '../../../drizzle/schema.ts'
import { JITTER, LONG_PAUSES_MS, MAX_ATTEMPTS, SPACING_MS } from '../../domain/webhook/delivery-schedule.ts'
import type { Database } from '../connection/database.ts'
import { orNull } from '../connection/sealed.ts'
import type { AttemptResult } from './attempt.ts'
import { isFreeFor } from './lease.ts'
import { pendingVaults } from './pending-vaults.ts'
import { secretsInForce } from './setting.ts'

/** What is due within this time is claimed, and begun when it is due. */
export const LEEWAY_MS = 1_200

/** An attempt that is to be made. */
export interface ClaimedAttempt {
  readonly id: string
  readonly vaultId: string
  readonly round: number
  readonly payload: string
  readonly urls: readonly string[]
  /** Those in force when it was claimed, newest first; null where they do not open. */
  readonly secrets: readonly string[] | null
  /** Which attempt of the round: the newest one while something of it is left, else the next. */
  readonly number: number
  /** What is recorded of this attempt already: its URLs are not tried again. */
  readonly recorded: readonly Pick<AttemptResult, 'url' | 'error'>[]
  /** Until it may begin. */
  readonly dueInMs: number
  /** From its begin to that of the next one, should no URL accept; null where it is the last. */
  readonly pauseMs: number | null
}

interface ClaimedRow extends Record<string, unknown> {
  readonly id: string
  readonly vault_id: string
  readonly round: number
  readonly payload: string
  readonly urls: string[]
  readonly secret: Buffer
  readonly previous_secret: Buffer | null
}

/** What a claimed log is sent with; `log` and `settings` are its rows. The clock of overlaps is PostgreSQL's. */
const SETTINGS = sql.raw(`settings.secret,
  CASE WHEN settings.previous_secret_expires_at > clock_timestamp() THEN settings.previous_secret END AS previous_secret`)

/** Vaults have few secrets, and opening one takes as long as all else about a log here. */
function deliveryReader(db: Database) {
  const secretsOf = new Map<string, string[] | null>()
  return (
    row: ClaimedRow,
    attempt: Pick<ClaimedAttempt, 'number' | 'recorded' | 'dueInMs' | 'pauseMs'>,
  ): ClaimedAttempt => {
    const { id, vault_id: vaultId, round, payload, urls, secret, previous_secret: previousSecret } = row
    let secrets = secretsOf.get(vaultId)
    if (secrets === undefined) {
      // One that does not open keeps nobody else's logs from being delivered.
      secrets = orNull(() => secretsInForce(db, { vaultId, secret, previousSecret }))
      secretsOf.set(vaultId, secrets)
    }
    return { id, vaultId, round, payload, urls, secrets, ...attempt }
  }
}

const FIRST = { number: 1, recorded: [], dueInMs: 0, pauseMs: SPACING_MS }

/** A claim looks at so many vaults, and the next one goes on where it stopped. */
const MAX_VAULTS = 100

interface NewClaim {
  readonly batchId: string
  readonly leaseId: string
  /** About how many; each vault that waits gets an equal share, and one at least. */
  readonly room: number
  /** These vaults get none. */
  readonly except: readonly string[]
  /** Where the claim before this one stopped; null to begin with the first vault. */
  readonly after: string | null
}

interface Claimed {
  readonly deliveries: readonly ClaimedAttempt[]
  readonly after: string | null
  /** Whether there may be more. */
  readonly more: boolean
}

/**
 * Claims pending logs that no batch has, of each vault its oldest, those that are sent again last. Concurrent claims
 * pass each other by.
 */
export async function claimNewLogs(db: Database, claim: NewClaim): Promise<Claimed> {
  const { batchId, leaseId, room, except, after } = claim
  const rows = await db.orm.execute<
    Partial<ClaimedRow> & { last: string; vaults: number; share: number }
  >(sql`
    WITH RECURSIVE ${pendingVaults({ after, except, atMost: MAX_VAULTS })}, seen AS (
      SELECT max(vault_id::text) AS last, count(*)::int AS vaults, greatest(1, ${room}::int / greatest(1, count(*)))::int AS share
      FROM vaults
    ), oldest AS (
      SELECT log.id FROM vaults CROSS JOIN LATERAL (
        SELECT id FROM webhook_logs
        WHERE status = 'pending' AND vault_id = vaults.vault_id AND batch_id IS NULL
        ORDER BY round, id LIMIT (SELECT share FROM seen) FOR UPDATE SKIP LOCKED
      ) AS log
    ), claimed AS (
      UPDATE webhook_logs AS log SET batch_id = ${batchId}, lease_id = ${leaseId}
      FROM webhook_settings AS settings
      WHERE log.id = ANY(ARRAY(SELECT id FROM oldest)) AND settings.vault_id = log.vault_id
      RETURNING log.id, log.vault_id, log.round, log.payload, log.urls_destiny AS urls, ${SETTINGS}
    )
    SELECT seen.*, claimed.* FROM seen LEFT JOIN claimed ON true`)
  const read = deliveryReader(db)
  const deliveries = rows.flatMap((row) => (row.id ? [read(row as ClaimedRow, FIRST)] : []))
  const { last, vaults, share } = rows[0] ?? { last: '', vaults: 0, share: 0 }
  const ofVault = new Map<string, number>()
  for (const { vaultId } of deliveries) ofVault.set(vaultId, (ofVault.get(vaultId) ?? 0) + 1)
  const isLast = vaults < MAX_VAULTS
  return {
    deliveries,
    after: isLast ? null : last,
    more: !isLast || after !== null || [...ofVault.values()].some((count) => count >= share),
  }
}

/** What became of a log that was asked for. */
export type Asked =
  | { readonly is: 'claimed'; readonly delivery: ClaimedAttempt }
  /** No URL accepted; the next attempt is not due yet. */
  | { readonly is: 'refused'; readonly dueInMs: number }
  /** Another process attempts it. */
  | { readonly is: 'held' }
  /** Its state is final, or it has gone to another batch. */
  | { readonly is: 'ended' }

export interface WantedLog {
  readonly id: string
  readonly batchId: string
}

/** The pause after the attempt `number`, null after the last; what shares a batch goes together. */
const PAUSE_AFTER_NUMBER = sql`CASE
  WHEN number < ${MAX_ATTEMPTS} THEN ${SPACING_MS}::float8
  WHEN long_retries THEN (${sql.param(LONG_PAUSES_MS)}::float8[])[number - ${MAX_ATTEMPTS - 1}]
    * (1 + ${JITTER}::float8 * ('x' || right(batch_id::text, 7))::bit(28)::integer / ${2 ** 28}::float8) END`

/**
 * Claims the next attempts of logs that are in these batches. An attempt's number comes from the rows. A log that
 * changed since the statement looked at it stays as it is, which the row's place (`ctid`) tells.
 */
export async function claimAttempts(
  db: Database,
  leaseId: string,
  wanted: readonly WantedLog[],
): Promise<Asked[]> {
  const list = (value: (log: WantedLog) => string) => sql.param(wanted.map(value))
  const rows = await db.orm.execute<
    Partial<ClaimedRow> & {
      asked: string
      number: number
      recorded: ClaimedAttempt['recorded']
      due_in_ms: number
      pause_ms: number | null
    }
  >(sql`
    WITH asked AS MATERIALIZED (
      SELECT log.id AS asked, log.ctid AS place, log.batch_id, long_retries,
        CASE WHEN refused THEN number + 1 ELSE coalesce(number, 1) END AS number,
        CASE WHEN refused THEN '[]' ELSE coalesce(results, '[]') END AS recorded,
        CASE WHEN refused THEN greatest(0, pause_ms - age_ms) ELSE 0 END AS due_in_ms
      FROM unnest(${list(({ id }) => id)}::uuid[], ${list(({ batchId }) => batchId)}::uuid[]) AS wanted (id, batch_id)
      JOIN webhook_logs AS log USING (id, batch_id)
      JOIN webhook_settings AS settings ON settings.vault_id = log.vault_id
      LEFT JOIN LATERAL (
        SELECT number, ${PAUSE_AFTER_NUMBER} AS pause_ms, jsonb_agg(jsonb_build_object('url', url, 'error', error)) AS results,
          extract(epoch FROM clock_timestamp() - max(created_at - duration_ms * interval '1 millisecond')) * 1000 AS age_ms,
          ${PAUSE_AFTER_NUMBER} IS NOT NULL AND count(*) = cardinality(log.urls_destiny)
            AND bool_and(error IS NOT NULL) AS refused
        FROM webhook_attempts
        WHERE webhook_log_id = log.id AND round = log.round AND log.status = 'processing'
        GROUP BY number ORDER BY number DESC LIMIT 1
      ) AS newest ON true
      WHERE log.${unfinished}
    ), claimed AS (
      UPDATE webhook_logs AS log SET lease_id = ${leaseId}
      FROM asked, webhook_settings AS settings
      WHERE log.id = asked.asked AND log.ctid = asked.place AND due_in_ms <= ${LEEWAY_MS}
        AND settings.vault_id = log.vault_id AND ${isFreeFor(leaseId, sql`log.lease_id`)}
      RETURNING log.id, log.vault_id, log.round, log.payload, log.urls_destiny AS urls, ${SETTINGS}
    )
    SELECT asked, number, recorded, due_in_ms::float8, ${PAUSE_AFTER_NUMBER} AS pause_ms, claimed.* FROM asked LEFT JOIN claimed ON claimed.id = asked`)
  const read = deliveryReader(db)
  const found = new Map(rows.map((row) => [row.asked, row]))
  return wanted.map(({ id }): Asked => {
    const row = found.get(id)
    if (!row) return { is: 'ended' }
    const { number, recorded, due_in_ms: dueInMs, pause_ms: pauseMs } = row
    if (row.id)
      return { is: 'claimed', delivery: read(row as ClaimedRow, { number, recorded, dueInMs, pauseMs }) }
    return dueInMs > LEEWAY_MS ? { is: 'refused', dueInMs } : { is: 'held' }
  })
}
