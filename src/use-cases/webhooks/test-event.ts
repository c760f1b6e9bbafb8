/** Use cases for test events, which check that a URL accepts deliveries. They report no change and have no log. */
import { withIdentity } from '../../db/webhooks/outbox.ts'
import { readSecretsInForce } from '../../db/webhooks/setting.ts'
import { readSendingOptions } from '../../db/webhooks/url.ts'
import { eventBody, TEST_EVENT } from '../../domain/webhook/events.ts'
import { sendWebhook } from '../../webhooks/send.ts'
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

/** Sends the event once, signed like any other event. Returns the receiver's response, and the sent body as `payload`. */
async function sendTo({ db, egress }: TestDeps, vaultId: string, url: string) {
  const { secrets } = await readSecretsInForce(db, vaultId)
  const { ofUrl } = await readSendingOptions(db, vaultId)
  const options = ofUrl.get(url)
  const attributes = withIdentity({ version: 1, status: 'test' })
  const payload = eventBody({ name: TEST_EVENT, attributes })
  const headers = options?.headers ?? {}
  const attempt = { eventId: attributes.event_id, number: 1, body: payload, secrets, headers }
  return { ...(await sendWebhook(egress.ofUrl(options), url, attempt)), payload }
}
