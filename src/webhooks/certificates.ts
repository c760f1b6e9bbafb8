/** Checks the certificates and the private key of a webhook URL. */
import { type AsymmetricKeyDetails, createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import type { Problem } from '../domain/base/errors.ts'
import type { UrlCertificates } from '../domain/webhook/url.ts'

const MAX_CERTIFICATES = 20

/**
 * The largest keys, in bits. Node computes the signature of a handshake in the main thread, which a key of 100,000 bits
 * would block for minutes.
 */
const MAX_RSA_BITS = 4_096
const CURVES = ['prime256v1', 'secp384r1', 'secp521r1']
const isSmallRsa = ({ modulusLength = 0 }: AsymmetricKeyDetails) => modulusLength <= MAX_RSA_BITS
/** The types of keys that certificates can have. */
const IS_USABLE: Readonly<Record<string, (details: AsymmetricKeyDetails) => boolean>> = {
  rsa: isSmallRsa,
  'rsa-pss': isSmallRsa,
  ec: ({ namedCurve = '' }) => CURVES.includes(namedCurve),
  ed25519: () => true,
  ed448: () => true,
}
const BLOCK = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g

/** Returns the first problem that prevents connections with these certificates, or null if there is none. */
export function findCertificateProblem(
  url: string,
  { ca, clientCertificate, clientKey }: UrlCertificates,
  now: number,
): Problem | null {
  if (ca === null && clientCertificate === null && clientKey === null) return null
  if (!url.toLowerCase().startsWith('https:')) {
    const message = 'This URL uses http, which has no certificates. Register an https URL.'
    return { code: 'invalid', field: ca === null ? 'client_certificate' : 'ca', message }
  }
  if (ca !== null) {
    const problem = problemOf('ca', ca, now) ?? (canUse({ ca }) ? null : refuse('invalid_certificate', 'ca'))
    if (problem) return problem
  }
  if (clientCertificate === null) return clientKey === null ? null : refuse('required', 'client_certificate')
  if (clientKey === null) return refuse('required', 'client_key')
  return problemOf('client_certificate', clientCertificate, now) ?? keyProblemOf(clientCertificate, clientKey)
}

/** Returns the summary of the first certificate, or null if there is none. */
export function summarizeCertificate(pem: string | null) {
  const [certificate] = (pem && parse(pem)) || []
  if (!certificate) return null
  return { subject: certificate.subject.replaceAll('\n', ', '), validTo: certificate.validToDate }
}

const refuse = (code: Problem['code'], field: string): Problem => ({ code, field })

function problemOf(field: string, pem: string, now: number): Problem | null {
  const certificates = parse(pem)
  if (!certificates?.every(({ publicKey }) => hasUsableKey(publicKey)))
    return refuse('invalid_certificate', field)
  const isInForce = ({ validFromDate, validToDate }: X509Certificate) =>
    validFromDate.getTime() <= now && now < validToDate.getTime()
  return certificates.every(isInForce) ? null : refuse('certificate_expired', field)
}

const hasUsableKey = ({ asymmetricKeyType, asymmetricKeyDetails = {} }: KeyObject): boolean =>
  IS_USABLE[String(asymmetricKeyType)]?.(asymmetricKeyDetails) ?? false

/** Returns the certificates, or null if one cannot be parsed or there is anything else that must stay secret. */
function parse(pem: string): X509Certificate[] | null {
  const blocks = pem.match(BLOCK) ?? []
  if (blocks.length === 0 || blocks.length > MAX_CERTIFICATES) return null
  if ((pem.match(/-----BEGIN /g) ?? []).length !== blocks.length) return null
  try {
    return blocks.map((block) => new X509Certificate(block))
  } catch {
    return null
  }
}

function keyProblemOf(pem: string, key: string): Problem | null {
  const privateKey = parseKey(key)
  if (!privateKey) return refuse('invalid_private_key', 'client_key')
  if (!parse(pem)?.[0]?.checkPrivateKey(privateKey)) return refuse('certificate_key_mismatch', 'client_key')
  // OpenSSL refuses keys that are too short, for example.
  return canUse({ cert: pem, key }) ? null : refuse('invalid_certificate', 'client_certificate')
}

/** Returns the key, or null if it cannot be parsed or has a passphrase. */
function parseKey(pem: string): KeyObject | null {
  try {
    return createPrivateKey(pem)
  } catch {
    return null
  }
}

function canUse(options: { ca?: string; cert?: string; key?: string }): boolean {
  try {
    createSecureContext(options)
    return true
  } catch {
    return false
  }
}
