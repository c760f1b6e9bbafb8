/** Signs deliveries: the `Service-Signature` header (specification, "Signature"). */
import { createHmac } from 'node:crypto'

/** Returns `t=<unix seconds>`, then `v1=<lowercase hex HMAC-SHA256 of "<t>.<raw body>">` for each secret in force. */
export function signatureHeader(
  secrets: readonly string[],
  body: string | Buffer,
  unixSeconds: number,
): string {
  const digests = secrets.map((secret) =>
    createHmac('sha256', secret).update(`${unixSeconds}.`).update(body).digest('hex'),
  )
  return `t=${unixSeconds},${digests.map((digest) => `v1=${digest}`).join(',')}`
}
