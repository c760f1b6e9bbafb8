/** Use cases for test events. They are signed like other events, and the caller sees the receiver's response. */
import { readSecretsInForce } from '../../db/webhooks/setting.ts'
import { readSendingOptions } from '../../db/webhooks/url.ts'
import { sendTestEvent } from '../../webhooks/test-event.ts'
import { type Caller, requireVault } from '../access/caller.ts'
import type { Deps } from '../base/deps.ts'
import { findUrl, type UrlUser } from './urls.ts'

type TestDeps = Pick<Deps, 'db' | 'egress'>

/** Sends a test event to any URL, for a client. */
export const testWebhook = (deps: TestDeps, caller: Caller, vaultId: string | undefined, url: string) =>
  sendTo(deps, requireVault(caller, 'api_write', vaultId), url)

/** Sends a test event to a registered URL. Throws `not_found`, or `insufficient_role` if the role does not permit it. */
export async function testRegisteredUrl(deps: TestDeps, user: UrlUser, urlId: string) {
  const { vaultId, url } = await findUrl(deps, user, 'change', urlId)
  return sendTo(deps, vaultId, url)
}

async function sendTo({ db, egress }: TestDeps, vaultId: string, url: string) {
  const { secrets } = await readSecretsInForce(db, vaultId)
  const { ofUrl } = await readSendingOptions(db, vaultId)
  const options = ofUrl.get(url)
  return sendTestEvent(egress.ofUrl(options), url, secrets, options?.headers ?? {})
}
