/** For receivers in TypeScript: tells whether a delivery is genuine, and reads it. Stands alone: may be copied. */
import { createHmac, timingSafeEqual } from 'node:crypto'

export type Refusal =
  /** There is no `Service-Signature` header. */
  | 'missing_signature'
  /** The header is there, but is not `t=<unix seconds>,v1=<hex>` with one or more `v1`. */
  | 'malformed_signature'
  /** Signed too long ago, or too far ahead: a recording that is played again, or a clock that is wrong. */
  | 'outside_tolerance'
  /** Another secret, or another body: often one that was parsed and written anew. */
  | 'wrong_signature'
  /** Genuine, but no event. */
  | 'malformed_body'

export interface WebhookEvent {
  readonly event: string
  readonly attributes: Readonly<Record<string, unknown>>
  /** It came under `error`; its attributes include a `message`. */
  readonly isFailure: boolean
}

export type Verification =
  | ({ readonly ok: true } & WebhookEvent)
  | { readonly ok: false; readonly reason: Refusal }

export interface VerificationOptions {
  readonly toleranceSeconds?: number
  readonly now?: Date
}

/**
 * `body` are the bytes as they came, before any parsing; `signature` is the header `Service-Signature`.
 * Several secrets are for the time in which one replaces another. Throws only for what no sender can cause.
 */
export function verifyWebhook(
  body: Uint8Array | string,
  signature: string | readonly string[] | undefined,
  secret: string | readonly string[],
  options: VerificationOptions = {},
): Verification {
  const refusal = refusalOf(body, signature, secret, options)
  if (refusal) return { ok: false, reason: refusal }
  const event = readEvent(body)
  return event ? { ok: true, ...event } : { ok: false, reason: 'malformed_body' }
}

/** Why what was signed is not genuine, whatever it says; null when it is. */
export function refusalOf(
  body: Uint8Array | string,
  signature: string | readonly string[] | undefined,
  secret: string | readonly string[],
  { toleranceSeconds = 300, now = new Date() }: VerificationOptions = {},
): Exclude<Refusal, 'malformed_body'> | null {
  const secrets = [secret].flat()
  // Anybody could sign with an empty secret.
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
    // In constant time, so that nobody learns how much of a guess was right.
    return signed.digests.some((digest) => timingSafeEqual(digest, expected))
  })
  return isGenuine ? null : 'wrong_signature'
}

/** One `t`, at least one `v1`; parts with other names belong to signatures of another kind. */
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
