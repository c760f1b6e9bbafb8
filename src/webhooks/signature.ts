/** Signs deliveries with `Service-Signature` (specification, "Signature") and the headers of Standard Webhooks. */
import { createHmac } from 'node:crypto'

/** One attempt to deliver an event. The first secret is the newest one. */
export interface SignedAttempt {
  readonly eventId: string
  /** The number of the attempt in its round, starting at 1. */
  readonly number: number
  readonly body: string
  readonly secrets: readonly string[]
}

/** Returns all headers that depend on the event or the secrets. */
export function signedHeaders({ eventId, number, body, secrets }: SignedAttempt, unixSeconds: number) {
  return {
    'Service-Signature': signatureHeader(secrets, body, unixSeconds),
    'webhook-id': eventId,
    'webhook-timestamp': String(unixSeconds),
    'webhook-signature': standardSignature(secrets, `${eventId}.${unixSeconds}.`, body),
    'Gatehouse-Attempt': String(number),
  }
}

/** Returns `t=<unix seconds>`, and `v1=<lowercase hex HMAC-SHA256 of "<t>.<raw body>">` for each active secret. */
export function signatureHeader(secrets: readonly string[], body: string | Buffer, unixSeconds: number) {
  const digests = secrets.map((secret) =>
    createHmac('sha256', secret).update(`${unixSeconds}.`).update(body).digest('hex'),
  )
  return `t=${unixSeconds},${digests.map((digest) => `v1=${digest}`).join(',')}`
}

/** Returns `v1,<base64 HMAC-SHA256>` for each secret. The key is the part after `whsec_`, decoded from base64. */
function standardSignature(secrets: readonly string[], prefix: string, body: string): string {
  const digests = secrets.map((secret) =>
    createHmac('sha256', Buffer.from(secret.replace(/^whsec_/, ''), 'base64'))
      .update(prefix)
      .update(body)
      .digest('base64'),
  )
  return digests.map((digest) => `v1,${digest}`).join(' ')
}
