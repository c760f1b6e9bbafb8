/** The receiver of `npm run listen`: verifies, prints, and answers as well or as badly as it is told to. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Refusal, verifyWebhook, type WebhookEvent } from '../../src/webhooks/verify-webhook.ts'

export interface ReceiverOptions {
  readonly secret: string
  readonly json: boolean
  readonly fail: number
  readonly delay: number
  /** Genuine events. */
  readonly print: (line: string) => void
  /** Everything else that is worth a line. */
  readonly note: (line: string) => void
}

const WHY: Record<Refusal, string> = {
  missing_signature: 'it has no Service-Signature header, so it does not come from Gatehouse',
  malformed_signature: 'its Service-Signature header is none',
  outside_tolerance: 'it was signed more than five minutes ago or ahead: is one of the clocks wrong?',
  wrong_signature: 'its signature does not fit: another secret, or a body that was changed on the way',
  malformed_body: 'its signature fits, but the body is no event',
}

export function createReceiver({ secret, json, fail, delay, print, note }: ReceiverOptions): Server {
  let failures = 0
  async function receive(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = await buffer(req)
    const signature = req.headers['service-signature']
    const verified = verifyWebhook(body, signature, secret)
    if (!verified.ok) {
      note(`${clock()}  REFUSED ${req.method} ${req.url}: ${WHY[verified.reason]}`)
      res.writeHead(401).end(verified.reason)
      return
    }
    print(json ? body.toString('utf8') : lineOf(verified))
    await sleep(delay)
    if (failures < fail) {
      failures += 1
      note(`${clock()}  answered with 500, as --fail asks (${failures} of ${fail})`)
      res.writeHead(500).end()
      return
    }
    res.writeHead(200).end()
  }
  return createServer((req, res) => {
    // Whoever goes away in the middle of a request needs no answer.
    receive(req, res).catch(() => res.destroy())
  })
}

const clock = () => new Date().toTimeString().slice(0, 8)

/** The resource of identification_approved is named by its identification_uuid. */
export function lineOf({ event, attributes, isFailure }: WebhookEvent): string {
  const resource = Object.keys(attributes).find(
    (name) => name.endsWith('_uuid') && event.startsWith(name.slice(0, -'uuid'.length)),
  )
  const id = attributes[resource ?? 'event_id'] ?? '-'
  const message = isFailure ? `  ${attributes.message}` : ''
  // What others wrote must not command the terminal.
  const line = `${clock()}  ${event.padEnd(27)} ${id}  ${attributes.status ?? '-'}${message}`
  return line.replace(/\p{Cc}/gu, ' ')
}
