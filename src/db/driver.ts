/** How postgres.js is set up for every connection: its types, its limits, its TLS. */
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { parsePgArray } from 'drizzle-orm/pg-core'
import postgres from 'postgres'

interface DriverOptions {
  /** May wait, or throw: the driver itself would try again for ever, and at once. */
  readonly beforeConnecting?: () => Promise<void> | void
  readonly onSocket?: (socket: Socket) => void
  readonly onClose?: () => void
  readonly parameters?: Record<string, string | number>
}

const asIs = (value: unknown) => value

/** Dates and JSON are left to Drizzle. */
const TYPES = {
  date: { to: 1184, from: [1082, 1083, 1114, 1184], serialize: asIs, parse: asIs },
  json: {
    to: 114,
    from: [114, 3802],
    serialize: (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value)),
    parse: (text: string) => JSON.parse(text),
  },
  /** Lists of texts and of uuids. The driver would ask the catalogue for them on every connection. */
  list: { to: 1009, from: [1009, 1015, 2951], serialize: asIs, parse: parsePgArray },
}

/** A client of one connection. Nothing connects before the first query. */
export function createClient(databaseUrl: string, options: DriverOptions = {}): postgres.Sql {
  const url = new URL(databaseUrl)
  const port = Number(url.port || 5432)
  // That of an IPv6 address is in brackets.
  const host = url.hostname.replace(/^\[|\]$/g, '') || 'localhost'
  const setup = {
    max: 1,
    ssl: takeTls(url, host),
    connect_timeout: 2,
    keep_alive: 10,
    max_lifetime: null,
    fetch_types: false,
    types: TYPES,
    connection: { application_name: 'gatehouse', ...options.parameters },
    // It would print them.
    onnotice: () => {},
    onclose: () => options.onClose?.(),
    backoff: () => 0,
    // Not in the driver's types: sockets of our own can be destroyed when the server is silent.
    async socket(): Promise<Socket> {
      await options.beforeConnecting?.()
      const socket = connect({ host, port, noDelay: true })
      options.onSocket?.(socket)
      // Where TLS looks for the name of the server.
      return Object.assign(socket, { host })
    },
  }
  return postgres(url.href, setup)
}

/** Takes what is said about TLS out of the URL. Certificates are verified unless it says `no-verify`. */
function takeTls(url: URL, host: string): object | false {
  const take = (name: string) => {
    const value = url.searchParams.get(name)
    url.searchParams.delete(name)
    return value
  }
  const mode = take('sslmode')
  const [ca, cert, key] = ['sslrootcert', 'sslcert', 'sslkey'].map((name) => {
    const file = take(name)
    return file === null ? undefined : readFileSync(file)
  })
  if (mode === null || mode === 'disable') return false
  return { host, rejectUnauthorized: mode !== 'no-verify', ca, cert, key }
}
