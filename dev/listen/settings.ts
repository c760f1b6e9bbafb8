/** Reads the webhook secret of the running instance, and registers a URL temporarily. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { TOPICS, type Topic } from '../../src/domain/base/topics.ts'
import type { UrlList } from '../../src/domain/webhook/events.ts'
import { findInstance, type Instance } from '../instance.ts'
import { whileLocked } from '../lock.ts'
import { UserFacingError } from '../user-facing-error.ts'
import type { UrlOptions } from './options.ts'

export type Settings = ReturnType<typeof settingsOf>

/** Returns the settings of the instance that uses the folder. Throws UserFacingError if there is none. */
export function findSettings(dataDir: string): Settings {
  const otherwise = 'To verify webhooks of another instance, add its secret with --secret whsec_...'
  return settingsOf(dataDir, findInstance(dataDir, otherwise))
}

/** Long enough for a busy machine. */
const RESPONSE_MS = 60_000
/** The interval between two looks at the state of the registered URL. */
const WATCH_MS = 2_000

/** A registered URL as the API returns it. The values of headers are never shown. */
export interface RegisteredUrl {
  readonly id: string
  readonly url: string
  readonly name: string | null
  readonly events: readonly string[] | null
  readonly header_names: readonly string[]
  readonly max_per_second: number | null
  readonly paused: boolean
}

const PAUSED = 'Paused. Deliveries wait until the URL is resumed.'

/** Returns a line for each option that is set. */
export const describeOptions = (
  { name, events, header_names, max_per_second, paused }: RegisteredUrl,
  { ca, client_certificate }: UrlOptions,
): string[] => [
  ...(name ? [`Name: ${name}`] : []),
  ...(events ? [`Events: ${events.join(', ')}`] : []),
  ...(header_names.length > 0 ? [`Headers: ${header_names.join(', ')}`] : []),
  ...(max_per_second ? [`Maximum rate: ${max_per_second} per second`] : []),
  ...(ca ? ['Trusts only the authorities of --ca'] : []),
  ...(client_certificate ? ['Sends the certificate of --client-certificate'] : []),
  ...(paused ? [PAUSED] : []),
]

function settingsOf(dataDir: string, { base_url, api_key }: Instance) {
  async function call<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(base_url + path, {
      method,
      headers: { Authorization: api_key, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(RESPONSE_MS),
    }).catch((error: Error) => {
      throw new UserFacingError(
        `${base_url} does not respond (${error.message}). Check that the instance is running.`,
      )
    })
    if (response.ok) return (await response.json()) as T
    throw new UserFacingError(`${method} ${path} returned ${response.status}:\n${await response.text()}`)
  }
  const read = async () => {
    const { data } = await call<{ data: { webhook_url_list: UrlList; webhook_secret: string } }>(
      'GET',
      '/users/settings',
    )
    return data
  }
  /** Changes the lists of the topics. Each change replaces whole lists, so only one process reads and changes them. */
  const change = (
    topicsIn: (urls: UrlList) => readonly Topic[],
    changed: (urls: readonly string[]) => readonly string[],
  ): Promise<void> =>
    whileLocked(join(dataDir, 'listen.lock'), async () => {
      const { webhook_url_list: urls } = await read()
      const topics = topicsIn(urls)
      if (topics.length === 0) return
      const entries = topics.map((topic) => [topic, changed(urls[topic] ?? [])])
      await call('PUT', '/users/update_webhook', { webhook_url: Object.fromEntries(entries) })
    })
  const find = async (url: string) =>
    (await call<{ data: RegisteredUrl[] }>('GET', '/webhook_urls')).data.find((each) => each.url === url)
  return {
    secret: async (): Promise<string> => (await read()).webhook_secret,
    /** Adds the URL to the topics. Existing URLs remain. */
    add: (url: string, topics: readonly Topic[]) =>
      change(
        (urls) => topics.filter((topic) => !urls[topic]?.includes(url)),
        (urls) => [...urls, url],
      ),
    /** Changes the options of the registered URL, and returns all of its options. */
    async configure(url: string, options: UrlOptions): Promise<RegisteredUrl> {
      const registered = await find(url)
      if (!registered) throw new UserFacingError(`${url} is no longer registered.`)
      if (Object.keys(options).length === 0) return registered
      return (await call<{ data: RegisteredUrl }>('PATCH', `/webhook_urls/${registered.id}`, options)).data
    },
    /** Reports each pause and each resumption of the URL until the signal. */
    async watchPauses(url: string, wasPaused: boolean, note: (line: string) => void, stopped: AbortSignal) {
      let isPaused = wasPaused
      while (!stopped.aborted) {
        await sleep(WATCH_MS, undefined, { signal: stopped }).catch(() => {})
        const paused = await find(url).then(
          (found) => found?.paused ?? isPaused,
          () => isPaused,
        )
        if (paused !== isPaused) note(paused ? PAUSED : 'Resumed.')
        isPaused = paused
      }
    },
    /** Removes the URL from every topic, even if an earlier command left it there. */
    remove: (url: string) =>
      change(
        (urls) => TOPICS.filter((topic) => urls[topic]?.includes(url)),
        (urls) => urls.filter((each) => each !== url),
      ),
  }
}
