/** Reads when the certificates that the settings name expire, and the certificate of the public URL. */
import { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { connect } from 'node:tls'
import type { Config } from './config.ts'
import { readPem } from './settings-error.ts'

export interface Certificate {
  /** The setting that names the certificate. */
  readonly name: string
  /** Returns the time at which it expires. Throws if it cannot be read. */
  readonly expiresAt: () => Promise<Date>
}

const FILES = ['TEMPORAL_TLS_CA_FILE', 'TEMPORAL_TLS_CERT_FILE', 'WEBHOOK_CA_FILE'] as const
const CONNECT_MS = 3_000
const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/** Returns the certificates in use. Only the first expiry matters if a file contains several. */
export function certificatesOf(config: Config): Certificate[] {
  const ofDatabase = new URL(config.DATABASE_URL).searchParams
  const files = [
    ...FILES.map((name) => [name, config[name]] as const),
    ...['sslrootcert', 'sslcert'].map((name) => [`${name} in DATABASE_URL`, ofDatabase.get(name)] as const),
  ]
  const { protocol, hostname, port } = new URL(config.PUBLIC_URL)
  return [
    ...files.flatMap(([name, file]) =>
      file ? [{ name, expiresAt: async () => firstExpiry(readPem(name, file).toString('latin1')) }] : [],
    ),
    ...(protocol === 'https:'
      ? [
          {
            name: 'PUBLIC_URL',
            expiresAt: () => expiryAt(hostname.replace(/^\[|\]$/g, ''), Number(port || 443)),
          },
        ]
      : []),
  ]
}

const firstExpiry = (text: string): Date =>
  new Date(Math.min(...(text.match(PEM) ?? []).map((pem) => new X509Certificate(pem).validToDate.getTime())))

/** Connects without verifying the certificate, because only its expiry is of interest. */
function expiryAt(host: string, port: number): Promise<Date> {
  return new Promise((resolve, reject) => {
    const servername = isIP(host) ? '' : host
    const socket = connect({ host, port, servername, rejectUnauthorized: false, timeout: CONNECT_MS })
    socket.once('secureConnect', () => {
      resolve(new Date(socket.getPeerCertificate().valid_to))
      socket.destroy()
    })
    socket.once('timeout', () => socket.destroy(new Error('the public URL does not respond in time')))
    socket.once('error', reject)
  })
}
