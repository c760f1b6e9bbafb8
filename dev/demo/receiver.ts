/** Runs the demo's webhook receiver, which serves HTTPS on this machine and verifies each signature. */
import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { verifyWebhook } from '../../src/webhooks/verify-webhook.ts'
import type { Certificate } from '../certificates.ts'

/** The path of the receiver. It also identifies URLs that an earlier demo could not remove. */
export const RECEIVER_PATH = '/gatehouse-demo'

export interface Delivery {
  readonly event: string
  readonly attributes: Readonly<Record<string, unknown>>
  /** The input of a valid verification, kept to show that other input fails. */
  readonly signature: string
  readonly rawBody: Buffer
}

export interface Receiver {
  readonly url: string
  /** Verified events, in order of arrival. */
  readonly deliveries: readonly Delivery[]
  /** The number of refused requests. */
  readonly refused: () => number
  close(): void
}

export async function startReceiver(certificate: Certificate, secret: string): Promise<Receiver> {
  const deliveries: Delivery[] = []
  let refused = 0
  const server = createServer({ key: certificate.key, cert: certificate.cert }, (req, res) => {
    receive(req, secret).then(
      (delivery) => {
        if (delivery) deliveries.push(delivery)
        else refused += 1
        // Only 200 and 201 count as accepted.
        res.writeHead(delivery ? 200 : 401).end()
      },
      () => res.destroy(),
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `https://localhost:${port}${RECEIVER_PATH}`,
    deliveries,
    refused: () => refused,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

async function receive(req: IncomingMessage, secret: string): Promise<Delivery | null> {
  // The signature covers the exact bytes, so they are kept.
  const rawBody = await buffer(req)
  const signature = req.headers['service-signature']
  if (req.method !== 'POST' || req.url !== RECEIVER_PATH || typeof signature !== 'string') return null
  const verified = verifyWebhook(rawBody, signature, secret)
  return verified.ok ? { event: verified.event, attributes: verified.attributes, signature, rawBody } : null
}
