/** Rules for the options of webhook URLs. */
import { TOPICS, type Topic } from '../base/topics.ts'
import type { UrlList } from './events.ts'

/** The actor who set each header, and the time in ISO 8601. Omits headers that an earlier version set. */
export type HeadersSet = Readonly<Record<string, { readonly by: string; readonly at: string }>>

/** A registered URL with its options. Secret values are never read here. */
export interface WebhookUrl {
  readonly id: string
  readonly vaultId: string
  readonly url: string
  readonly topics: readonly Topic[]
  readonly name: string | null
  /** The names of the events that the URL receives, or null for all. */
  readonly events: readonly string[] | null
  readonly headerNames: readonly string[]
  readonly headersSet: HeadersSet
  readonly paused: boolean
  readonly maxPerSecond: number | null
  /** The certificate authorities and the client certificate, as PEM. */
  readonly ca: string | null
  readonly clientCertificate: string | null
}

/** The changes to a URL. Undefined options keep their values, and null removes an option. */
export interface UrlChange {
  readonly name?: string | null | undefined
  readonly events?: readonly string[] | null | undefined
  /** The headers to set, or null to remove all of them. A value of null removes one header. */
  readonly headers?: Readonly<Record<string, string | null>> | null | undefined
  readonly paused?: boolean | undefined
  readonly maxPerSecond?: number | null | undefined
  /** Certificate authorities, as PEM. */
  readonly ca?: string | null | undefined
  /** The client certificate with its chain, and its key, as PEM. If one of them is removed, both are. */
  readonly clientCertificate?: string | null | undefined
  readonly clientKey?: string | null | undefined
}

/** The certificates of a URL after a change, as PEM. */
export interface UrlCertificates {
  readonly ca: string | null
  readonly clientCertificate: string | null
  readonly clientKey: string | null
}

export function changeCertificates(before: UrlCertificates, change: UrlChange): UrlCertificates {
  const { ca = before.ca, clientCertificate, clientKey } = change
  // If only one of them is removed and the other is set, the later check refuses the other.
  if (clientCertificate === null || clientKey === null)
    return { ca, clientCertificate: clientCertificate ?? null, clientKey: clientKey ?? null }
  return {
    ca,
    clientCertificate: clientCertificate ?? before.clientCertificate,
    clientKey: clientKey ?? before.clientKey,
  }
}

export type Headers = Readonly<Record<string, string>>

/** The maximum number and total size of the headers of a URL, which receivers must accept. */
export const MAX_HEADERS = 20
export const MAX_HEADER_BYTES = 8_000

/** Returns the headers after the change. Names of headers have no case, and the new spelling remains. */
export function changeHeaders(before: Headers, change: NonNullable<UrlChange['headers']> | null): Headers {
  if (change === null) return {}
  const changed = new Map(Object.entries(change).map((entry) => [entry[0].toLowerCase(), entry]))
  const isKnown = new Set(Object.keys(before).map((name) => name.toLowerCase()))
  const replaced = Object.entries(before).map((entry) => changed.get(entry[0].toLowerCase()) ?? entry)
  const added = [...changed].flatMap(([name, entry]) => (isKnown.has(name) ? [] : [entry]))
  const isSet = (entry: readonly [string, string | null]): entry is [string, string] => entry[1] !== null
  return Object.fromEntries([...replaced, ...added].filter(isSet))
}

const bytesOf = (text: string): number => new TextEncoder().encode(text).length

/** Returns whether a request with these headers stays within the limits of common receivers. */
export const areHeadersTooLarge = (headers: Headers): boolean =>
  Object.keys(headers).length > MAX_HEADERS ||
  Object.entries(headers).reduce((sum, [name, value]) => sum + bytesOf(`${name}: ${value}\r\n`), 0) >
    MAX_HEADER_BYTES

/** The headers that Gatehouse sets itself, or that control the connection, in lower case. */
const OWN_HEADERS = new Set([
  'host',
  'content-length',
  'content-type',
  'content-encoding',
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authorization',
  'transfer-encoding',
  'te',
  'trailer',
  'upgrade',
  'expect',
  'user-agent',
  'service-signature',
  'traceparent',
  'tracestate',
])

export const isOwnHeader = (name: string): boolean =>
  OWN_HEADERS.has(name.toLowerCase()) || /^(webhook|gatehouse)-/i.test(name)

/** Returns each registered URL once, with its topics, in the order of the topics. */
export function topicsByUrl(urlList: UrlList): ReadonlyMap<string, readonly Topic[]> {
  const found = new Map<string, Topic[]>()
  for (const topic of TOPICS)
    for (const url of urlList[topic] ?? []) found.set(url, [...(found.get(url) ?? []), topic])
  return found
}

/** The maximum number of URLs of a topic. */
export const MAX_URLS = 10

/** Returns the registered spelling of the URL, or the URL itself if it is not registered. */
export function registeredSpelling(before: UrlList, url: string): string {
  const { href } = new URL(url)
  return [...topicsByUrl(before).keys()].find((each) => new URL(each).href === href) ?? url
}

/** Registers the URL for these topics only. Returns the URLs of the topics that change. */
export const withTopics = (before: UrlList, url: string, topics: readonly Topic[]): UrlList =>
  Object.fromEntries(
    TOPICS.flatMap((topic) => {
      const urls = before[topic] ?? []
      const isRegistered = urls.includes(url)
      if (isRegistered === topics.includes(topic)) return []
      return [[topic, isRegistered ? urls.filter((each) => each !== url) : [...urls, url]]]
    }),
  )

/** Returns the URL without the query, which may contain secrets. */
export const withoutQuery = (url: string): string => url.replace(/[?#].*$/s, '')
