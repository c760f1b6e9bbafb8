/**
 * Resolves the names of receivers over the network, with c-ares. A name server that does not respond therefore delays
 * no other names, and does not block the threads that resolve the name of the database.
 */
import type { LookupAddress, LookupAllOptions } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { LRUCache } from 'lru-cache'

export type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

export type Names = Resolve & {
  /** Returns whether the cache has a result for the name. A name that does not resolve also has a result. */
  knows(hostname: string): boolean
}

/** Gatehouse's own error code. No name server responded, so it is unknown whether the name resolves. */
export const NO_NAME_SERVER = 'ENAMESERVER'

const TIMEOUT_MS = 2_000
/** The minimum and maximum time for which addresses are cached, and the time for names without addresses. */
const [MIN_KEPT_MS, MAX_KEPT_MS, FAILURE_KEPT_MS] = [1_000, 30_000, 5_000]
/** How long queries are suspended after no name server responded, so that not every caller waits for a timeout. */
const SILENCE_KEPT_MS = 2_000
const MAX_NAMES = 10_000

/** The result for a name. If the name does not resolve, the result contains no addresses. */
interface Answer {
  readonly addresses: LookupAddress[]
  readonly ttlSeconds: number
}

/** Returns true for local names, which belong to this machine and are never queried (RFC 6761). */
const isLocal = (name: string): boolean => /(^|\.)localhost$/i.test(name)
const LOCAL: Answer = {
  addresses: [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ],
  ttlSeconds: 0,
}

/** Creates a resolver. By default, it uses the machine's name servers. */
export function createResolver(servers?: readonly string[]): Names {
  const query = createQuery(servers)
  /** The results by name. Concurrent lookups of a name share one query. */
  const cache = new LRUCache<string, Answer>({
    max: MAX_NAMES,
    ttl: FAILURE_KEPT_MS,
    ignoreFetchAbort: true,
    fetchMethod: async (name, _stale, { options }) => {
      const answer = await query(name)
      const keptMs = Math.max(MIN_KEPT_MS, Math.min(MAX_KEPT_MS, answer.ttlSeconds * 1_000))
      options.ttl = answer.addresses.length > 0 ? keptMs : FAILURE_KEPT_MS
      return answer
    },
  })

  const resolve: Resolve = (hostname, { family }, callback) => {
    const name = hostname.toLowerCase()
    const isWanted = (each: LookupAddress) => !family || each.family === family
    const answering = isLocal(name) ? Promise.resolve(LOCAL) : cache.fetch(name)
    answering.then(
      (answer?: Answer) => {
        const addresses = (answer?.addresses ?? []).filter(isWanted)
        const notFound = Object.assign(new Error('the name does not resolve'), { code: 'ENOTFOUND' })
        callback(addresses.length > 0 ? null : notFound, addresses)
      },
      (error: NodeJS.ErrnoException) => callback(error, []),
    )
  }
  return Object.assign(resolve, {
    knows: (hostname: string) => isLocal(hostname) || cache.has(hostname.toLowerCase()),
  })
}

/**
 * Creates a function that queries the name servers for a name. The function throws `NO_NAME_SERVER` if none of them
 * responds.
 */
function createQuery(servers: readonly string[] | undefined): (name: string) => Promise<Answer> {
  const resolver = new Resolver({ timeout: TIMEOUT_MS / 2, tries: 2 })
  if (servers) resolver.setServers(servers)
  const state = { silentUntil: 0, checking: null as Promise<boolean> | null }

  /** Queries the root zone, which all servers know, because a server may fail to respond only for one name. */
  function isAnyServerResponding(): Promise<boolean> {
    state.checking ??= within(TIMEOUT_MS, resolver.resolveSoa('.'))
      .then((root) => root !== null)
      .finally(() => {
        state.checking = null
      })
    return state.checking
  }

  return async (name) => {
    if (performance.now() < state.silentUntil) throw noNameServer()
    // Sends two separate queries, because some servers never respond to one of them.
    const [v4, v6] = await Promise.all([
      within(TIMEOUT_MS, resolver.resolve4(name, { ttl: true })),
      within(TIMEOUT_MS, resolver.resolve6(name, { ttl: true })),
    ])
    if (!v4 && !v6 && !(await isAnyServerResponding())) {
      state.silentUntil = performance.now() + SILENCE_KEPT_MS
      throw noNameServer()
    }
    const records = [
      ...(v4 ?? []).map((record) => ({ ...record, family: 4 })),
      ...(v6 ?? []).map((record) => ({ ...record, family: 6 })),
    ]
    return {
      addresses: records.map(({ address, family }) => ({ address, family })),
      // Most machines need an IPv4 address, so a name without one is queried again soon.
      ttlSeconds: v4 ? Math.min(...records.map(({ ttl }) => ttl)) : FAILURE_KEPT_MS / 1_000,
    }
  }
}

/** Waits for a query. Returns null if no server responds in time, and an empty list if the name does not resolve. */
function within<T>(timeoutMs: number, query: Promise<T>): Promise<T | [] | null> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<null>((settle) => {
    timer = setTimeout(settle, timeoutMs, null)
  })
  return Promise.race([query.catch(noneUnlessSilent), timeout]).finally(() => clearTimeout(timer))
}

/** The error codes that mean no response. With ESERVFAIL, the servers behind a server did not respond. */
const SILENT = new Set(['ECONNREFUSED', 'ETIMEOUT', 'ESERVFAIL'])
const noneUnlessSilent = ({ code = '' }: NodeJS.ErrnoException): [] | null => (SILENT.has(code) ? null : [])

const noNameServer = () => Object.assign(new Error('no name server responded'), { code: NO_NAME_SERVER })
