/** An instance with single sign-on, and a browser without scripts that signs in. */
import { createHash, randomBytes } from 'node:crypto'
import { parse } from 'node:querystring'
import { freePort } from '../../dev/launcher/ports.ts'
import { API, CLIENT, type Person, startProvider } from '../../dev/sso/provider.ts'
import type { Config } from '../../src/process/config.ts'
import { type OwnInstance, startInstance, unique } from './instance.ts'

/** Settings for SCIM 2.0, with a provider that is not running. */
export const SCIM = {
  OIDC_ISSUER: 'http://127.0.0.1:9',
  OIDC_CLIENT_ID: 'gatehouse',
  OIDC_CLIENT_SECRET: 'of-gatehouse',
  SCIM_TOKEN: 'a-token-of-the-directory',
}

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

/** Presses the button for single sign-on. Returns the address at the provider that the page opens. */
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

/** Ends the person's session at the provider, which informs its clients. */
export async function signOutAtProvider({ send }: Browser, { issuer }: { readonly issuer: string }) {
  const page = await (await send(`${issuer}/session/end`)).text()
  const [, action = ''] = /action="([^"]+)"/.exec(page) ?? []
  const [, xsrf = ''] = /name="xsrf" value="([^"]+)"/.exec(page) ?? []
  return send(action, { xsrf, logout: 'yes' })
}

/** Signs in at the provider for the operator API. Returns the access token and the ID token. */
export async function requestTokens(
  gatehouse: Pick<OwnInstance, 'baseUrl'>,
  { issuer }: { readonly issuer: string },
  subject: string,
) {
  const browser = openBrowser()
  const redirect_uri = `${gatehouse.baseUrl}/console/sso/callback`
  const verifier = randomBytes(32).toString('base64url')
  const query = new URLSearchParams({
    client_id: CLIENT.id,
    redirect_uri,
    response_type: 'code',
    scope: 'openid email groups',
    resource: API,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  const back = await signInAtProvider(browser, `${issuer}/auth?${query}`, subject)
  const response = await fetch(`${issuer}/token`, {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa(`${CLIENT.id}:${CLIENT.secret}`)}` },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code: new URL(back).searchParams.get('code') ?? '',
      redirect_uri,
      code_verifier: verifier,
      resource: API,
    }),
  })
  const { access_token, id_token } = (await response.json()) as { access_token: string; id_token: string }
  return { accessToken: access_token, idToken: id_token }
}
