/** Parses a `DATABASE_URL` into the address of PostgreSQL, the user and the TLS options. */
import { join } from 'node:path'
import { readPem } from '../../process/settings-error.ts'

interface Place {
  readonly address: { readonly host: string; readonly port: number } | { readonly path: string }
  readonly user: string
  readonly password: string
  readonly database: string
  readonly tls: object | false
  /** The session parameters, keyed by their PostgreSQL names. */
  readonly parameters: Readonly<Record<string, string>>
}

/** The session parameters that a URL can set. Other parameters are ignored. */
const PARAMETERS = ['application_name', 'options', 'search_path', 'statement_timeout', 'lock_timeout']

/**
 * Parses a URL. Throws URIError if the URL is not correctly encoded, and SettingsError if a certificate file cannot be
 * read.
 */
export function placeOf(databaseUrl: string): Place {
  const url = new URL(databaseUrl)
  const given = url.searchParams
  // In a URL, an IPv6 address is in brackets. A host that starts with `/` is the folder of the server's socket.
  const host = given.get('host') ?? decodeURIComponent(url.hostname).replace(/^\[|\]$/g, '')
  const port = Number(url.port || given.get('port') || 5432)
  return {
    address: host.startsWith('/')
      ? { path: join(host, `.s.PGSQL.${port}`) }
      : { host: host || 'localhost', port },
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database: decodeURIComponent(url.pathname.slice(1)),
    tls: host.startsWith('/') ? false : tlsOf(given, host || 'localhost'),
    parameters: Object.fromEntries(
      PARAMETERS.flatMap((name) => {
        const value = given.get(name)
        return value === null ? [] : [[name, value]]
      }),
    ),
  }
}

/**
 * Returns the TLS options, or false without TLS. Verifies certificates unless `sslmode` is `no-verify`. A certificate
 * file switches TLS on.
 */
function tlsOf(given: URLSearchParams, host: string): object | false {
  const [ca, cert, key] = ['sslrootcert', 'sslcert', 'sslkey'].map((name) => {
    const file = given.get(name)
    return file === null ? undefined : readPem(`${name} in DATABASE_URL or MIGRATION_DATABASE_URL`, file)
  })
  const isWanted = ca ?? cert ?? key ?? ['true', '1'].includes(given.get('ssl') ?? '')
  const mode = given.get('sslmode') ?? (isWanted ? 'verify-full' : 'disable')
  if (mode === 'disable') return false
  return { host, rejectUnauthorized: mode !== 'no-verify', ca, cert, key }
}
