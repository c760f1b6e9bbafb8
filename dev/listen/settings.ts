/** The webhook settings of the running instance: its secret, and a URL put among them for a while. */
import { TOPICS, type Topic, type UrlList } from '../../src/domain/events.ts'
import { findInstance, type Instance } from '../instance.ts'
import { Unmet } from '../unmet.ts'

export type Settings = ReturnType<typeof settingsOf>

/** Throws Unmet when no instance runs on the folder. */
export function findSettings(dataDir: string): Settings {
  const otherwise = 'To verify what another instance sends, give its webhook secret: --secret whsec_...'
  return settingsOf(findInstance(dataDir, otherwise))
}

function settingsOf({ base_url, api_key }: Pick<Instance, 'base_url' | 'api_key'>) {
  async function call<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(base_url + path, {
      method,
      headers: { Authorization: api_key, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(10_000),
    }).catch((error: Error) => {
      throw new Unmet(`${base_url} does not answer (${error.message}): is the instance running?`)
    })
    if (response.ok) return (await response.json()) as T
    throw new Unmet(`${method} ${path} was refused with ${response.status}:\n${await response.text()}`)
  }
  const read = async () => {
    const { data } = await call<{ data: { webhook_url_list: UrlList; webhook_secret: string } }>(
      'GET',
      '/users/settings',
    )
    return data
  }
  return {
    secret: async (): Promise<string> => (await read()).webhook_secret,
    /** URLs that were there stay there. */
    async add(url: string, topics: readonly Topic[]): Promise<void> {
      const { webhook_url_list: urls } = await read()
      const changed = topics.map((topic) => [topic, [...new Set([...(urls[topic] ?? []), url])]])
      await call('PUT', '/users/update_webhook', { webhook_url: Object.fromEntries(changed) })
    },
    /** From every topic, so that what an earlier one could not take away goes as well. */
    async remove(url: string): Promise<void> {
      const { webhook_url_list: urls } = await read()
      const changed = TOPICS.filter((topic) => urls[topic]?.includes(url)).map((topic) => [
        topic,
        (urls[topic] ?? []).filter((each) => each !== url),
      ])
      await call('PUT', '/users/update_webhook', { webhook_url: Object.fromEntries(changed) })
    },
  }
}
