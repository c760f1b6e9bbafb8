/** Use cases for a vault's webhook deliveries, which the client lists, searches and retries. */
import type { Database } from '../../db/connection/database.ts'
import {
  findVaultOfWebhookLog,
  findWebhookLog,
  listWebhookAttempts as listAttempts,
  listWebhookLogs as listLogs,
} from '../../db/webhooks/log.ts'
import { retryWebhookLogs as retryLogs, retryWebhookLog as tryAgain } from '../../db/webhooks/retry.ts'
import type { ClientRole } from '../../domain/access/access.ts'
import { type Refusals, RequestRefused, requireFound } from '../../domain/base/errors.ts'
import type { Page } from '../../domain/base/page.ts'
import type { RetryRange, WebhookLog, WebhookLogFilter } from '../../domain/webhook/log.ts'
import { type Caller, requireVault } from '../access/caller.ts'
import type { Deps, WithDb } from '../base/deps.ts'
import type { Commit } from '../base/effect.ts'
import type { RequestEffect } from '../base/idempotency.ts'

/** Lists deliveries, newest first. Returns an empty list unless the filter has both topic and status. */
export async function listWebhookLogs(
  { db }: WithDb,
  caller: Caller,
  vaultId: string | undefined,
  { topic, status, ...filter }: { [K in keyof WebhookLogFilter]: WebhookLogFilter[K] | undefined },
  page: Page,
) {
  const ownId = requireVault(caller, 'api_read', vaultId)
  if (!topic || !status) return { entries: [], totalCount: 0 }
  return listLogs(db, ownId, page, { ...filter, topic, status })
}

/** Returns a delivery. Throws `not_found` if there is no such delivery. */
export async function getWebhookLog({ db }: WithDb, caller: Caller, logId: string): Promise<WebhookLog> {
  return requireFound(await findWebhookLog(db, await vaultOfLog({ db }, caller, 'api_read', logId), logId))
}

/** Lists the attempts of a delivery, oldest first. Throws `not_found` if there is no such delivery. */
export async function listWebhookAttempts({ db }: WithDb, caller: Caller, logId: string, page: Page) {
  return listAttempts(db, await vaultOfLog({ db }, caller, 'api_read', logId), logId, page)
}

/** Retries a delivery with the current URLs of its topic. Throws RequestRefused with the problem. */
export async function retryWebhookLog(
  { db, notifier }: Pick<Deps, 'db' | 'notifier'>,
  caller: Caller,
  logId: string,
  onlyFailed: boolean | undefined,
  effect: Commit<WebhookLog>,
): Promise<WebhookLog> {
  const vaultId = await vaultOfLog({ db }, caller, 'api_write', logId)
  const retried = await effect.commit((tx) => retryLog(tx, vaultId, logId, onlyFailed))
  notifier.notify([retried.id])
  return retried
}

retryWebhookLog.refuses = [
  'delivery_in_progress',
  'no_urls_configured',
  'no_failed_urls',
] as const satisfies Refusals

/** Sets a delivery of the vault to pending and returns it. Throws RequestRefused with the problem. */
export async function retryLog(tx: Database, vaultId: string, logId: string, onlyFailed?: boolean) {
  const log = await tryAgain(tx, vaultId, logId, onlyFailed)
  if (typeof log === 'string') throw new RequestRefused({ code: log })
  return log
}

/** Retries several deliveries and returns their number. Throws `no_urls_configured` if the topic has no URL. */
export async function retryWebhookLogs(
  { db, notifier }: Pick<Deps, 'db' | 'notifier'>,
  caller: Caller,
  vaultId: string | undefined,
  range: RetryRange,
  { renewLease }: Pick<RequestEffect, 'renewLease'>,
): Promise<number> {
  const ownId = requireVault(caller, 'api_write', vaultId)
  const count = await retryLogs(db, ownId, range, notifier.notify, renewLease)
  if (count === null) throw new RequestRefused({ code: 'no_urls_configured' })
  return count
}

retryWebhookLogs.refuses = ['no_urls_configured'] as const satisfies Refusals

/** Returns the delivery's vault. Throws `not_found`, or `insufficient_role` if the caller lacks the role. */
async function vaultOfLog({ db }: WithDb, caller: Caller, role: ClientRole, logId: string): Promise<string> {
  const ids = caller.vaults.map(({ id }) => id)
  return requireVault(caller, role, requireFound(await findVaultOfWebhookLog(db, ids, logId)))
}
