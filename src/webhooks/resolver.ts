/**
 * Names of receivers, resolved over the network by c-ares: a name server that never answers holds up nobody else's
 * names, and none of the threads by which the database's is found.
 */
import type { LookupAddress, LookupAllOptions } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { LRUCache } from 'lru-cache'

/** How names are resolved. */
export type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

export type Names = Resolve & {
  /** Whether an answer, or that there is none, is remembered. */
  knows(hostname: string): boolean
}

/** No name server answers, which says nothing about the name: a code of ours. */
export const NO_NAME_SERVER = 'ENAMESERVER'

const TIMEOUT_MS = 2_000
/** Addresses are kept for as long as they say, within bounds; that there are none, for a moment. */
const [MIN_KEPT_MS, MAX_KEPT_MS, FAILURE_KEPT_MS] = [1_000, 30_000, 5_000]
/** Whoever has looked a name up in vain is not to wait as long again to be told so. */
const SILENCE_KEPT_MS = 2_000
const MAX_NAMES = 10_000

/** What is known of a name: no addresses when it does not resolve. */
interface Known {
  readonly addresses: LookupAddress[]
  /** For how long that is so. */
  readonly seconds: number
}

/** Such names are this machine's, and asked of nobody (RFC 6761). */
const isLocal = (name: string): boolean => /(^|\.)localhost$/i.test(name)
const LOCAL: Known = {
  addresses: [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ],
  seconds: 0,
}

/** `servers` are those of the machine unless given. */
export function createResolver(servers?: readonly string[]): Names {
  const resolver = new Resolver({ timeout: TIMEOUT_MS / 2, tries: 2 })
  if (servers) resolver.setServers(servers)

  /** Until then nobody is asked anything, since nobody answered. */
  let silentUntil = 0
  let asking: Promise<boolean> | null = null
  /** Whether anything is: a server that is silent about one name may answer for others, and all know of the root. */
  function isAnswered(): Promise<boolean> {
    asking ??= within(TIMEOUT_MS, resolver.resolveSoa('.'))
      .then((root) => root !== null)
      .finally(() => {
        asking = null
      })
    return asking
  }

  async function ask(name: string): Promise<Known> {
    if (performance.now() < silentUntil) throw noNameServer()
    // Each for itself: there are servers that never say anything about one of the two.
    const [v4, v6] = await Promise.all([
      within(TIMEOUT_MS, resolver.resolve4(name, { ttl: true })),
      within(TIMEOUT_MS, resolver.resolve6(name, { ttl: true })),
    ])
    if (!v4 && !v6 && !(await isAnswered())) {
      silentUntil = performance.now() + SILENCE_KEPT_MS
      throw noNameServer()
    }
    const records = [
      ...(v4 ?? []).map((record) => ({ ...record, family: 4 })),
      ...(v6 ?? []).map((record) => ({ ...record, family: 6 })),
    ]
    return {
      addresses: records.map(({ address, family }) => ({ address, family })),
      // Few machines reach more than the other family alone: so it is asked for again soon.
      seconds: v4 ? Math.min(...records.map(({ ttl }) => ttl)) : FAILURE_KEPT_MS / 1_000,
    }
  }

  /** Of questions for one name at the same time one is asked. */
  const known = new LRUCache<string, Known>({
    max: MAX_NAMES,
    ttl: FAILURE_KEPT_MS,
    ignoreFetchAbort: true,
    fetchMethod: async (name, _stale, { options }) => {
      const found = await ask(name)
      const keptMs = Math.max(MIN_KEPT_MS, Math.min(MAX_KEPT_MS, found.seconds * 1_000))
      options.ttl = found.addresses.length > 0 ? keptMs : FAILURE_KEPT_MS
      return found
    },
  })

  const resolve: Resolve = (hostname, { family }, callback) => {
    const name = hostname.toLowerCase()
    const isWanted = (each: LookupAddress) => !family || each.family === family
    const finding = isLocal(name) ? Promise.resolve(LOCAL) : known.fetch(name)
    finding.then(
      (found?: Known) => {
        const addresses = (found?.addresses ?? []).filter(isWanted)
        const none = Object.assign(new Error('the name does not resolve'), { code: 'ENOTFOUND' })
        callback(addresses.length > 0 ? null : none, addresses)
      },
      (error: NodeJS.ErrnoException) => callback(error, []),
    )
  }
  return Object.assign(resolve, {
    knows: (hostname: string) => isLocal(hostname) || known.has(hostname.toLowerCase()),
  })
}

/** However long the servers are tried: then there is no answer, which is null. */
function within<T>(ms: number, query: Promise<T>): Promise<T | [] | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((settle) => {
    timer = setTimeout(settle, ms, null)
  })
  return Promise.race([query.catch(noneUnlessSilent), late]).finally(() => clearTimeout(timer))
}

/** Without a socket, too, none of the servers is reached; one whose own servers are away says that it failed. */
const SILENT = new Set(['ECONNREFUSED', 'ETIMEOUT', 'ESERVFAIL'])
/** A name that does not resolve has no addresses. */
const noneUnlessSilent = ({ code = '' }: NodeJS.ErrnoException): [] | null => (SILENT.has(code) ? null : [])

const noNameServer = () => Object.assign(new Error('no name server answers'), { code: NO_NAME_SERVER })
