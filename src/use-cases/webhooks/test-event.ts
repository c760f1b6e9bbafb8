/** A test event, sent for clients and for operators who administer. */
import { readSecretsInForce } from '../../db/webhooks/setting.ts'
import type { RouteDeps } from '../../http/deps.ts'
import { sendTestEvent } from '../../webhooks/test-event.ts'

/** What the receiver at the URL says to an event that is signed as the vault's are. */
export async function testWebhook(
  { db, egress }: Pick<RouteDeps, 'db' | 'egress'>,
  vaultId: string,
  url: string,
) {
  const { payload, ...attempt } = await sendTestEvent(egress, url, await readSecretsInForce(db, vaultId))
  return {
    url,
    accepted: attempt.error === null,
    status_code: attempt.statusCode,
    error: attempt.error,
    duration_ms: attempt.durationMs,
    excerpt: attempt.excerpt,
    payload: JSON.parse(payload),
  }
}
