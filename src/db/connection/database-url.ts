/** What a `DATABASE_URL` says: where PostgreSQL is, as whom, over which TLS. */
import { join } from 'node:path'
import { readPem } from '../../process/settings-error.ts'

export interface Place {
  readonly address: { readonly host: string; readonly port: number } | { readonly path: string }
  readonly user: string
  readonly password: string
  readonly database: string
  readonly tls: object | false
  /** For the session, by their names in PostgreSQL. */
  readonly parameters: Readonly<Record<string, string>>
}

/** Those that a server takes at the start of a session and that people give in URLs; others are for other programs. */
const PARAMETERS = ['application_name', 'options', 'search_path', 'statement_timeout', 'lock_timeout']

/** Throws URIError for what is not well encoded, and SettingsError for a file that cannot be read. */
export function placeOf(databaseUrl: string): Place {
  const url = new URL(databaseUrl)
  const given = url.searchParams
  // That of an IPv6 address is in brackets. A folder is that of the server's socket.
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

/** Certificates are verified unless it says `no-verify`; whoever names one wants TLS. */
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
