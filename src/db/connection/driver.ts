/** Configures postgres.js for every connection: types, limits and address. */
import { connect, type Socket } from 'node:net'
import postgres from 'postgres'
import { parse as parseList } from 'postgres-array'
import { placeOf } from './database-url.ts'

interface DriverOptions {
  /**
   * Runs before each attempt to connect, and may wait or throw. By default, a client connects only once, because the
   * driver would retry for ever without a pause.
   */
  readonly beforeConnecting?: () => Promise<void> | void
  readonly onSocket?: (socket: Socket) => void
  readonly connectMs?: number
  readonly onClose?: () => void
  readonly parameters?: Record<string, string | number>
}

export const CONNECT_MS = 2_000

const asIs = (value: unknown) => value

/** Leaves strings unchanged, because the driver serialises the parameters again when it repeats a query. */
const unlessText = (serialize: (value: never) => string) => (value: unknown) =>
  typeof value === 'string' ? value : serialize(value as never)

/** Disables the driver's conversion of dates, because Drizzle converts them. */
const TYPES: Record<string, postgres.PostgresType> = {
  date: { to: 1184, from: [1082, 1083, 1114, 1184], serialize: asIs, parse: asIs },
  json: {
    to: 114,
    from: [114, 3802],
    serialize: unlessText((value: unknown) => JSON.stringify(value)),
    parse: (text: string) => JSON.parse(text),
  },
  boolean: {
    to: 16,
    from: [16],
    serialize: unlessText((value: boolean) => (value ? 't' : 'f')),
    parse: (text: string) => text === 't',
  },
  bytea: {
    to: 17,
    from: [17],
    serialize: unlessText((bytes: Buffer) => `\\x${Buffer.from(bytes).toString('hex')}`),
    parse: (text: string) => Buffer.from(text.slice(2), 'hex'),
  },
  /**
   * Registers lists of texts and UUIDs, because the driver would otherwise query the catalogue for their types on every
   * connection.
   */
  list: { to: 1009, from: [1009, 1015, 2951], serialize: asIs, parse: (text: string) => parseList(text) },
}

/** Creates a client with one connection, which is established at the first query. */
export function createClient(databaseUrl: string, options: DriverOptions = {}): postgres.Sql {
  const { tls, address, user, password, database, parameters } = placeOf(databaseUrl)
  let connections = 0
  const once = () => {
    if (connections++ > 0) throw connectionError('CONNECTION_CLOSED', 'the connection was lost')
  }
  const { beforeConnecting = once } = options
  const setup = {
    max: 1,
    ...(user !== '' && { user }),
    ...(password !== '' && { password }),
    ...(database !== '' && { database }),
    ssl: tls,
    connect_timeout: (options.connectMs ?? CONNECT_MS) / 1_000,
    keep_alive: 10,
    max_lifetime: null,
    fetch_types: false,
    types: TYPES,
    connection: { application_name: 'gatehouse', ...parameters, ...options.parameters },
    // Discards notices, which the driver prints by default.
    onnotice: () => {},
    onclose: () => options.onClose?.(),
    backoff: () => 0,
    // Creates the socket here, so that it can be destroyed if the server is silent. The driver's types lack this
    // option.
    async socket(): Promise<Socket> {
      await beforeConnecting()
      const socket = connect({ ...address, noDelay: true })
      options.onSocket?.(socket)
      // Sets `host`, because TLS reads the server name from this property.
      return Object.assign(socket, 'host' in address ? { host: address.host } : {})
    },
  }
  return postgres(setup)
}

export const connectionError = (code: string, message: string): Error =>
  Object.assign(new Error(message), { code })
