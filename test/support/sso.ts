/** An instance with single sign-on, and a browser without scripts that signs in. */
import { parse } from 'node:querystring'
import { freePort } from '../../dev/launcher/ports.ts'
import { type Person, startProvider } from '../../dev/sso/provider.ts'
import type { Config } from '../../src/process/config.ts'
import { type OwnInstance, startInstance, unique } from './instance.ts'

/** Starts a provider with people, and an instance that uses it. */
export async function startWithProvider(env: Partial<Record<keyof Config, string>> = {}) {
  const port = await freePort()
  const address = `http://127.0.0.1:${port}`
  const provider = await startProvider({ gatehouse: address, people: new Map() })
  const gatehouse = await startInstance({ port, env: { PUBLIC_URL: address, ...provider.env, ...env } })
  return {
    provider,
    gatehouse,
    /** Adds a person to the provider, and returns the subject. */
    addPerson(groups: readonly string[], more: Partial<Person> = {}): string {
      const subject = unique()
      provider.people.set(subject, { email: `${subject}@example.com`, groups, ...more })
      return subject
    },
    async stop(): Promise<void> {
      await gatehouse.stop()
      await provider.stop()
    },
  }
}

/** A browser that keeps the cookies of each site, and follows redirects only on request. */
export function openBrowser() {
  const jars = new Map<string, Map<string, string>>()
  async function send(url: string, form?: Record<string, string>): Promise<Response> {
    const { host } = new URL(url)
    const jar = jars.get(host) ?? new Map<string, string>()
    jars.set(host, jar)
    const Cookie = [...jar].map((pair) => pair.join('=')).join('; ')
    const body = form && new URLSearchParams(form)
    const init = body ? { method: 'POST', body } : {}
    const response = await fetch(url, { redirect: 'manual', headers: { Cookie }, ...init })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      if (value === '') jar.delete(name)
      else jar.set(name, value)
    }
    return response
  }
  return { send, jars }
}

export type Browser = ReturnType<typeof openBrowser>

/** Presses the button for single sign-on. Returns the provider's address that the page opens. */
export async function startSignIn({ send }: Browser, { baseUrl }: Pick<OwnInstance, 'baseUrl'>, next = '') {
  const answer = await send(`${baseUrl}/console/sso?next=${encodeURIComponent(next)}`, {})
  const url = answer.headers.get('Refresh')?.replace(/^0; url=/, '') ?? ''
  return { answer, url, query: parse(new URL(url || 'none:').search.slice(1)) }
}

/** Signs in at the provider. Returns the address to which it sends the browser. */
export async function signInAtProvider({ send }: Browser, url: string, subject: string): Promise<string> {
  let response = await send(url)
  for (let steps = 0; steps < 10; steps++) {
    const location = response.headers.get('Location')
    const to = location === null ? response.url : new URL(location, response.url).href
    if (!to.startsWith(new URL(url).origin)) return to
    response = location === null ? await send(to, { subject }) : await send(to)
  }
  throw new Error('the provider does not send the browser back')
}

/** Signs in as the person. Returns the response of the callback. */
export async function singleSignOn(
  browser: Browser,
  gatehouse: Pick<OwnInstance, 'baseUrl'>,
  subject: string,
  next = '',
): Promise<Response> {
  const { url } = await startSignIn(browser, gatehouse, next)
  return browser.send(await signInAtProvider(browser, url, subject))
}
