/** Runs the receiver of `npm run listen`, which verifies events, prints them, and fails as configured. */
import { X509Certificate } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TLSSocket } from 'node:tls'
import { type Refusal, verifyWebhook, type WebhookEvent } from '../../src/webhooks/verify-webhook.ts'
import { UserFacingError } from '../user-facing-error.ts'

export interface ReceiverOptions {
  readonly secret: string
  readonly json: boolean
  readonly fail: number
  readonly delay: number
  /** The certificate and key for https, or null for http. */
  readonly tls: { readonly cert: string; readonly key: string } | null
  /** The client certificate that requests must have, or null. */
  readonly clientCertificate: string | null
  /** Verified events. */
  readonly print: (line: string) => void
  /** All other messages. */
  readonly note: (line: string) => void
}

const WHY: Record<Refusal, string> = {
  missing_signature: 'the Service-Signature header is missing, so it does not come from Gatehouse',
  malformed_signature: 'the Service-Signature header is malformed',
  outside_tolerance: 'the time of the signature differs by more than 5 minutes, so check the clocks',
  wrong_signature: 'the signature does not match, so the secret is different or the body was changed',
  malformed_body: 'the signature is valid, but the body is not an event',
}

export function createReceiver(options: ReceiverOptions): Server {
  const { secret, json, fail, delay, tls, clientCertificate, print, note } = options
  const expected = clientCertificate === null ? null : fingerprintOf(clientCertificate)
  const isExpectedClient = ({ socket }: IncomingMessage) =>
    expected === null || (socket as TLSSocket).getPeerX509Certificate()?.fingerprint256 === expected
  let failures = 0
  async function receive(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = await buffer(req)
    if (!isExpectedClient(req)) {
      note(`${clock()}  REFUSED ${req.method} ${req.url} (the client certificate is missing or another one)`)
      res.writeHead(401).end('client_certificate')
      return
    }
    const signature = req.headers['service-signature']
    const verified = verifyWebhook(body, signature, secret)
    if (!verified.ok) {
      note(`${clock()}  REFUSED ${req.method} ${req.url} (${WHY[verified.reason]})`)
      res.writeHead(401).end(verified.reason)
      return
    }
    print(json ? body.toString('utf8') : lineOf(verified))
    await sleep(delay)
    if (failures < fail) {
      failures += 1
      note(`${clock()}  answered with 500 because of --fail (${failures} of ${fail})`)
      res.writeHead(500).end()
      return
    }
    res.writeHead(200).end()
  }
  // A sender that disconnects during its request needs no response.
  const listener = (req: IncomingMessage, res: ServerResponse) =>
    void receive(req, res).catch(() => res.destroy())
  if (!tls) return createServer(listener)
  try {
    return createTlsServer({ ...tls, requestCert: expected !== null, rejectUnauthorized: false }, listener)
  } catch (error) {
    throw new UserFacingError(`--certificate and --key cannot be used: ${(error as Error).message}.`)
  }
}

function fingerprintOf(pem: string): string {
  try {
    return new X509Certificate(pem).fingerprint256
  } catch {
    throw new UserFacingError('--client-certificate is not a certificate in PEM format.')
  }
}

const clock = () => new Date().toTimeString().slice(0, 8)

/** Returns the line for an event. For example, identification_approved names its resource in identification_uuid. */
export function lineOf({ event, attributes, isFailure }: WebhookEvent): string {
  const resource = Object.keys(attributes).find(
    (name) => name.endsWith('_uuid') && event.startsWith(name.slice(0, -'uuid'.length)),
  )
  const id = attributes[resource ?? 'event_id'] ?? '-'
  const message = isFailure ? `  ${attributes.message}` : ''
  // Removes control characters, because senders must not control the terminal.
  const line = `${clock()}  ${event.padEnd(27)} ${id}  ${attributes.status ?? '-'}${message}`
  return line.replace(/\p{Cc}/gu, ' ')
}
