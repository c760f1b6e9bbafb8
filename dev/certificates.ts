/** Creates a certificate authority for receivers on this machine, so that webhooks use HTTPS in development, too. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import selfsigned from 'selfsigned'
import { writePrivate } from './files.ts'

export interface Certificate {
  readonly key: string
  readonly cert: string
}

const YEAR_MS = 365 * 24 * 3_600_000

/** Returns the path for WEBHOOK_CA_FILE, with which deliveries trust receivers on this machine. */
export const authorityFile = (folder: string): string => join(folder, 'receiver-ca.pem')
const keyFile = (folder: string): string => join(folder, 'receiver-ca.key')

/** Returns the authority in the folder. Creates it if there is none. */
export async function receiverAuthority(folder: string): Promise<Certificate> {
  if (!existsSync(authorityFile(folder))) {
    const made = await selfsigned.generate([{ name: 'commonName', value: 'Gatehouse local receivers' }], {
      keyType: 'ec',
      algorithm: 'sha256',
      notAfterDate: new Date(Date.now() + 10 * YEAR_MS),
      extensions: [
        { name: 'basicConstraints', cA: true, critical: true },
        { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
      ],
    })
    writePrivate(keyFile(folder), made.private)
    writePrivate(authorityFile(folder), made.cert)
  }
  return {
    key: readFileSync(keyFile(folder), 'utf8'),
    cert: readFileSync(authorityFile(folder), 'utf8'),
  }
}

/** Creates a certificate for a receiver on this machine. */
export async function receiverCertificate(authority: Certificate): Promise<Certificate> {
  const made = await selfsigned.generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notAfterDate: new Date(Date.now() + YEAR_MS),
    extensions: [
      { name: 'extKeyUsage', serverAuth: true, clientAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
        ],
      },
    ],
    ca: { key: authority.key, cert: authority.cert },
  })
  return { key: made.private, cert: made.cert }
}
