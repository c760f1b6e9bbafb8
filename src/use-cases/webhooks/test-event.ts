/** Use cases for test events. They are signed like other events, and the caller sees the receiver's response. */
import { readSecretsInForce, readWebhookUrls } from '../../db/webhooks/setting.ts'
import { readSendingOptions } from '../../db/webhooks/url.ts'
import type { Granted } from '../../domain/access/grant.ts'
import { RequestRefused } from '../../domain/base/errors.ts'
import type { Topic } from '../../domain/base/topics.ts'
import { sendTestEvent } from '../../webhooks/test-event.ts'
import { type Caller, requirePermission, requireVault } from '../access/caller.ts'
import type { Deps } from '../base/deps.ts'

type TestDeps = Pick<Deps, 'db' | 'egress'>

/** Sends a test event to any URL, for a client. */
export const testWebhook = (deps: TestDeps, caller: Caller, vaultId: string | undefined, url: string) =>
  sendTo(deps, requireVault(caller, 'api_write', vaultId), url)

/** Sends a test event to a URL that the vault has registered for the topic. Throws `not_found` for other URLs. */
export async function testOwnUrl(deps: TestDeps, caller: Caller, topic: Topic | undefined, url: string) {
  const vaultId = requireVault(caller, 'api_write')
  const urls = await readWebhookUrls(deps.db, vaultId)
  requireRegistered((topic && urls[topic]) ?? [], url)
  return sendTo(deps, vaultId, url)
}

/**
 * Sends a test event to a URL that the vault has registered, for an operator. Throws `not_found` for other URLs, and
 * `insufficient_role` if the operator may not administer the vault.
 */
export async function testRegisteredUrl(deps: TestDeps, operator: Granted, vaultId: string, url: string) {
  requirePermission(operator, 'administer', vaultId)
  requireRegistered(Object.values(await readWebhookUrls(deps.db, vaultId)).flat(), url)
  return sendTo(deps, vaultId, url)
}

function requireRegistered(urls: readonly string[], url: string): void {
  if (!urls.includes(url)) throw new RequestRefused({ code: 'not_found' })
}

async function sendTo({ db, egress }: TestDeps, vaultId: string, url: string) {
  const { secrets } = await readSecretsInForce(db, vaultId)
  const { ofUrl } = await readSendingOptions(db, vaultId)
  const options = ofUrl.get(url)
  return sendTestEvent(egress.ofUrl(options), url, secrets, options?.headers ?? {})
}
