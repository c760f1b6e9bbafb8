/**
 * Verifies a webhook delivery and reads its event. You can copy this file into your receiver, because it needs only
 * Node.js.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'

export type Refusal =
  /** The `Service-Signature` header is missing. */
  | 'missing_signature'
  /** The header is not `t=<unix seconds>,v1=<hex>` with at least one `v1`. */
  | 'malformed_signature'
  /**
   * The time in the header is too old or too far in the future. Someone may have replayed the delivery, or a clock is
   * wrong.
   */
  | 'outside_tolerance'
  /**
   * The delivery was signed with another secret, or the body was changed. Often, the body was parsed and serialised
   * again.
   */
  | 'wrong_signature'
  /** The signature is valid, but the body is not an event. */
  | 'malformed_body'

export interface WebhookEvent {
  readonly event: string
  readonly attributes: Readonly<Record<string, unknown>>
  /** True if the event is under `error` in the body. Its attributes then include a `message`. */
  readonly isFailure: boolean
}

export type Verification =
  | ({ readonly ok: true } & WebhookEvent)
  | { readonly ok: false; readonly reason: Refusal }

interface VerificationOptions {
  /** The maximum difference between the time in the header and `now`. The default is 300. */
  readonly toleranceSeconds?: number
  readonly now?: Date
}

/**
 * Verifies a delivery and returns its event, or the reason for a refusal. `body` is the raw body, before any parsing.
 * `signature` is the `Service-Signature` header. During a rotation, pass both secrets. Throws TypeError if a secret is
 * empty or `body` is already parsed.
 */
export function verifyWebhook(
  body: Uint8Array | string,
  signature: string | readonly string[] | undefined,
  secret: string | readonly string[],
  options: VerificationOptions = {},
): Verification {
  const refusal = findRefusal(body, signature, secret, options)
  if (refusal) return { ok: false, reason: refusal }
  const event = readEvent(body)
  return event ? { ok: true, ...event } : { ok: false, reason: 'malformed_body' }
}

/** Returns why the signature is not valid, or null if it is. Does not read the event. */
export function findRefusal(
  body: Uint8Array | string,
  signature: string | readonly string[] | undefined,
  secret: string | readonly string[],
  { toleranceSeconds = 300, now = new Date() }: VerificationOptions = {},
): Exclude<Refusal, 'malformed_body'> | null {
  const secrets = [secret].flat()
  // Anyone can sign with an empty secret.
  if (secrets.length === 0 || secrets.includes(''))
    throw new TypeError('verifyWebhook: the secret is empty. Pass the webhook secret.')
  if (typeof body !== 'string' && !(body instanceof Uint8Array))
    throw new TypeError(
      'verifyWebhook: the body is not text or bytes. Pass the raw body, before any JSON parsing.',
    )

  const header = [signature ?? []].flat().join(',')
  if (header === '') return 'missing_signature'
  const signed = readHeader(header)
  if (!signed) return 'malformed_signature'
  if (Math.abs(now.getTime() / 1000 - Number(signed.t)) > toleranceSeconds) return 'outside_tolerance'
  const isGenuine = secrets.some((each) => {
    const expected = createHmac('sha256', each).update(`${signed.t}.`).update(body).digest()
    // Compares in constant time, because the duration must not reveal a partly correct digest.
    return signed.digests.some((digest) => timingSafeEqual(digest, expected))
  })
  return isGenuine ? null : 'wrong_signature'
}

/** Reads a header, which needs one `t` and at least one `v1`. Ignores other parts, which belong to other signatures. */
function readHeader(header: string): { t: string; digests: Buffer[] } | null {
  const parts = header.split(',').map((part) => part.trim())
  const valuesOf = (name: string) =>
    parts.filter((part) => part.startsWith(`${name}=`)).map((part) => part.slice(name.length + 1))
  const [t = '', ...more] = valuesOf('t')
  const digests = valuesOf('v1')
  if (!/^\d{1,12}$/.test(t) || more.length > 0 || digests.length === 0) return null
  if (!digests.every((digest) => /^[0-9a-f]{64}$/.test(digest))) return null
  return { t, digests: digests.map((digest) => Buffer.from(digest, 'hex')) }
}

function readEvent(body: Uint8Array | string): WebhookEvent | null {
  try {
    const { data, error } = JSON.parse(typeof body === 'string' ? body : Buffer.from(body).toString('utf8'))
    const { event, attributes } = data ?? error
    if (typeof event !== 'string' || typeof attributes !== 'object' || attributes === null) return null
    return { event, attributes, isFailure: data === undefined }
  } catch {
    return null
  }
}
