/** Queries that read a claimed log and its secrets, for both kinds of claim. */
import { sql } from 'drizzle-orm'
import type { Database } from '../connection/database.ts'
import { orNull } from '../connection/sealed.ts'
import type { AttemptResult } from './attempt.ts'
import { unsealSecretsInForce } from './setting.ts'

/** An attempt that this process must make. */
export interface ClaimedAttempt {
  readonly id: string
  readonly vaultId: string
  readonly round: number
  readonly payload: string
  readonly urls: readonly string[]
  /** The `traceparent` of the span that caused the event, or null. */
  readonly traceparent: string | null
  /** Whether the requests contain the `traceparent` header. */
  readonly sendTraceparent: boolean
  /**
   * The secrets that were active when the log was claimed, newest first, or null if they cannot be decrypted.
   */
  readonly secrets: readonly string[] | null
  /** The version of the URLs' options when the log was claimed. */
  readonly optionsVersion: number
  /**
   * The number of the attempt in its round. This is the number of the newest attempt if that attempt has URLs left, and
   * otherwise the next number.
   */
  readonly number: number
  /** The recorded results of this attempt. The process does not try their URLs again. */
  readonly recorded: readonly Pick<AttemptResult, 'url' | 'error' | 'durationMs' | 'retryAfter'>[]
  /** The time until the attempt may begin. */
  readonly dueInMs: number
  /**
   * The time from the start of this attempt to the start of the next one if no URL accepts the delivery. Null for the
   * last attempt.
   */
  readonly pauseMs: number | null
}

type ClaimedLog = Omit<ClaimedAttempt, 'secrets' | 'number' | 'recorded' | 'dueInMs' | 'pauseMs'>

export type ClaimedRow = ClaimedLog &
  Record<string, unknown> & { readonly secret: Buffer; readonly previousSecret: Buffer | null }

/**
 * The columns of a claimed row, from the tables `log` and `settings`. PostgreSQL's clock determines when the overlap of
 * secrets ends.
 */
export const CLAIMED_COLUMNS =
  sql.raw(`log.id, log.vault_id AS "vaultId", log.round, log.payload, log.urls_destiny AS urls, log.traceparent,
  (SELECT send_traceparent FROM public.vaults WHERE id = log.vault_id) AS "sendTraceparent", settings.secret,
  CASE WHEN settings.previous_secret_expires_at > clock_timestamp() THEN settings.previous_secret END AS "previousSecret",
  settings.options_version AS "optionsVersion"`)

/**
 * Returns a function that reads the rows of one claim. It decrypts each vault's secrets once, because decryption takes
 * most of the time.
 */
export function createRowReader(db: Database) {
  const secretsOfVault = new Map<string, string[] | null>()
  return (
    row: ClaimedRow,
    attempt: Pick<ClaimedAttempt, 'number' | 'recorded' | 'dueInMs' | 'pauseMs'>,
  ): ClaimedAttempt => {
    const { id, vaultId, round, payload, urls, traceparent, sendTraceparent, optionsVersion } = row
    let secrets = secretsOfVault.get(vaultId)
    if (secrets === undefined) {
      // Returns null for a damaged secret, which must not prevent the deliveries of other vaults.
      secrets = orNull(() => unsealSecretsInForce(db, row))
      secretsOfVault.set(vaultId, secrets)
    }
    const log = { id, vaultId, round, payload, urls, traceparent, sendTraceparent, optionsVersion }
    return { ...log, secrets, ...attempt }
  }
}
