/** Replaces the configured webhook URLs with the demo's receiver while the demo runs. */

import type { ClientSchemas, createGatehouseClient } from '../../client/index.ts'
import { verifyWebhook } from '../../src/webhooks/verify-webhook.ts'
import { authorityFile, receiverAuthority, receiverCertificate } from '../certificates.ts'
import { UserFacingError } from '../user-facing-error.ts'
import type { Api } from './api.ts'
import { eventually, expectEqual } from './expect.ts'
import { type Delivery, RECEIVER_PATH, type Receiver, startReceiver } from './receiver.ts'
import { detail, fact, holds, say, showFailure, step } from './screen.ts'

type Client = ReturnType<typeof createGatehouseClient>

const TOPICS = ['identification', 'account'] as const
type Urls = Partial<Record<string, string[]>>

/** Returns the name of the event in a log. The rest of the payload depends on the event. */
const eventOf = ({ payload }: ClientSchemas['WebhookLog']) =>
  (payload as { data: { event: string } }).data.event

/**
 * Runs `walk` with the receiver, and then restores the URLs. `restorer` is a separate API client that still works after
 * the demo is asked to stop.
 */
export async function withReceiver(
  { api, restorer, dataDir }: { api: Api; restorer: Api; dataDir: string },
  walk: (receiver: Receiver, secret: string) => Promise<void>,
): Promise<void> {
  step(
    'A receiver for webhooks',
    'Gatehouse reports events with signed HTTPS requests. This program starts a receiver on',
    'this machine and registers it for two topics. It restores the current URLs at the end.',
  )
  const { data } = await api.send((client) => client.GET('/users/settings'))
  const before = urlsToRestore(data.webhook_url_list)
  for (const topic of TOPICS) fact(topic, before[topic]?.join(', ') || '(no URLs)')
  const certificate = await receiverCertificate(await receiverAuthority(dataDir))
  const receiver = await startReceiver(certificate, data.webhook_secret)
  fact('receiver', receiver.url)
  fact('certificate signed by', authorityFile(dataDir))
  const restore = async () => {
    receiver.close()
    say('\nRestoring the webhook URLs:')
    await restorer.send((client) => client.PUT('/users/update_webhook', { body: { webhook_url: before } }))
  }
  try {
    const webhook_url = Object.fromEntries(TOPICS.map((topic) => [topic, [receiver.url]]))
    await api.send((client) => client.PUT('/users/update_webhook', { body: { webhook_url } }))
    detail('The receiver verifies each delivery with the webhook_secret from the settings.')
    await walk(receiver, data.webhook_secret)
  } catch (error) {
    // The first failure is printed last, where the reader sees it.
    await restore().catch((failure: Error) => showFailure(failure.message))
    throw error
  }
  await restore()
}

/** Returns the URLs without those that a killed demo left behind. */
const urlsToRestore = (configured: Urls): Urls =>
  Object.fromEntries(
    TOPICS.map((topic) => [topic, (configured[topic] ?? []).filter((url) => !isDemoUrl(url))]),
  )

const isDemoUrl = (url: string) => new URL(url).hostname === 'localhost' && url.endsWith(RECEIVER_PATH)

interface Awaited {
  readonly api: Api
  readonly stopped: AbortSignal
  readonly receiver: Receiver
  readonly identificationId: string
  readonly events: readonly string[]
}

/** Waits for each of the events about the identification. Returns them in order of arrival, each once. */
export async function awaitEvents(awaited: Awaited): Promise<Delivery[]> {
  const { receiver, identificationId, events, stopped } = awaited
  const arrived = () => {
    const ours = receiver.deliveries.filter(
      (each) => each.attributes.identification_uuid === identificationId,
    )
    // An event can arrive twice with the same event_id.
    return [...new Map(ours.map((each) => [each.attributes.event_id, each])).values()]
  }
  const missing = (found: readonly Delivery[]) =>
    events.filter((event) => !found.some((each) => each.event === event))
  const lacking = missing(arrived())
  if (lacking.length > 0) detail(`Waiting up to 2 minutes for ${lacking.join(', ')} ...`)
  const found = await eventually(arrived, (all) => missing(all).length === 0, { seconds: 120, stopped })
  if (missing(found).length === 0) return found
  throw new UserFacingError(
    `Webhooks within 2 minutes\nExpected: ${events.join(', ')}\n` +
      `Received: ${found.map(({ event }) => event).join(', ') || 'none'}` +
      `${receiver.refused() > 0 ? `; ${receiver.refused()} requests with an invalid signature` : ''}\n` +
      (await describeFailedLogs(awaited)),
  )
}

/** Returns the reasons for failed deliveries, from the log that clients can read. */
async function describeFailedLogs({ api, identificationId }: Awaited): Promise<string> {
  const lines: string[] = []
  for (const topic of TOPICS) {
    for (const status of ['pending', 'processing', 'partial', 'failed'] as const) {
      const { data } = await api.look(logs(topic, status, identificationId))
      for (const log of data) {
        const { fail_reason } = log
        lines.push(`webhook log: ${eventOf(log)} is ${status}${fail_reason ? `: ${fail_reason}` : ''}`)
      }
    }
  }
  const distrusted = lines.some((line) => /CERT|SIGNATURE|SELF_SIGNED/.test(line))
  if (distrusted) lines.push('The worker does not trust the receiver’s certificate. Restart the instance.')
  return lines.join('\n')
}

const logs =
  (type: (typeof TOPICS)[number], status: ClientSchemas['WebhookLog']['status'], search: string) =>
  (client: Client) =>
    client.GET('/webhook_logs', { params: { query: { type, status, search } } })

/** Shows that the signature of a verified event does not match other bytes. */
export function showForgery(secret: string, { signature, rawBody }: Delivery): void {
  const forged = Buffer.from(rawBody)
  forged[forged.length - 1] = 0x20
  const fits = (body: Buffer) => verifyWebhook(body, signature, secret).ok
  expectEqual('Signature valid for the received body', fits(rawBody), true)
  expectEqual('Signature valid for a body with one changed byte', fits(forged), false)
  holds('the signature does not match a body with one changed byte')
}

/** Prints the logs. A log becomes `completed` shortly after the receiver has responded. */
export async function showLogs(
  { api, stopped, identificationId }: Pick<Awaited, 'api' | 'stopped' | 'identificationId'>,
  expected: number,
): Promise<void> {
  const calls = TOPICS.map((topic) => logs(topic, 'completed', identificationId))
  const count = async () => {
    const pages = await Promise.all(calls.map((call) => api.look(call)))
    return pages.reduce((sum, page) => sum + page.data.length, 0)
  }
  await eventually(count, (found) => found >= expected, { seconds: 120, stopped })
  let shown = 0
  for (const call of calls) {
    const { data } = await api.send(call)
    for (const log of data) fact(eventOf(log), `${log.status}, retries: ${log.retries}`)
    shown += data.length
  }
  expectEqual('Completed deliveries in the webhook log', shown, expected)
}

/** Reads the events of the identification from the feed, in order. */
export async function showFeed(
  { api, identificationId }: Pick<Awaited, 'api' | 'identificationId'>,
  expected: number,
): Promise<void> {
  const names: string[] = []
  for (let after: string | undefined; ; ) {
    const query = { limit: 500, ...(after !== undefined && { after }) }
    const page = await api.send((client) => client.GET('/events', { params: { query } }))
    const ours = page.data.filter(({ payload }) => JSON.stringify(payload).includes(identificationId))
    names.push(...ours.map(({ event }) => event))
    if (!page.has_more) break
    after = page.cursor
  }
  for (const name of names) fact(name, 'in the feed')
  expectEqual('Events about the company in the feed', names.length, expected)
}
