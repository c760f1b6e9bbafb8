/** The `Service-Signature` header of a delivery (specification, "Signature"). */
import { createHmac } from 'node:crypto'

/** `t=<unix seconds>,v1=<lowercase hex HMAC-SHA256 of "<t>.<raw body>">`. */
export function signatureHeader(secret: string, body: string | Buffer, unixSeconds: number): string {
  const digest = createHmac('sha256', secret).update(`${unixSeconds}.`).update(body).digest('hex')
  return `t=${unixSeconds},v1=${digest}`
}
