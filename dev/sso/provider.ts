/** Runs a local OpenID provider for tests and `npm run demo:sso`. Its people sign in by choosing their name. */

import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWK } from 'jose'
import type { Configuration, default as OidcProvider } from 'oidc-provider'
import { escapeHtml } from '../../src/http/page.ts'

export interface Person {
  readonly email: string
  readonly groups: readonly string[]
  readonly isEmailVerified?: boolean
}

export const CLIENT = { id: 'gatehouse', secret: 'a-secret-for-this-machine-only' }
/** The audience of the access tokens that `resource` requests. */
export const API = 'https://gatehouse.test/operator'

interface ProviderOptions {
  /** The address of Gatehouse. */
  readonly gatehouse: string
  /** The people, keyed by subject. The caller may change them while the provider is running. */
  readonly people: Map<string, Person>
  readonly port?: number
}

export type LocalProvider = Awaited<ReturnType<typeof startProvider>>

export async function startProvider({ gatehouse, people, port = 0 }: ProviderOptions) {
  let handle: ReturnType<OidcProvider['callback']> | null = null
  const server: Server = createServer((req, res) => handle?.(req, res))
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  let keys: JWK[] = []

  /** Signs with a new key. With `keep`, the earlier keys remain published. */
  async function rotateKeys({ keep = false } = {}): Promise<void> {
    const { privateKey } = await generateKeyPair('RS256', { extractable: true })
    const key = { ...(await exportJWK(privateKey)), kid: crypto.randomUUID(), alg: 'RS256', use: 'sig' }
    keys = [key, ...(keep ? keys : [])]
    const provider = await createProvider(issuer, settingsFor(gatehouse, people, keys))
    addSignInPage(provider, people)
    handle = provider.callback()
  }
  await rotateKeys()
  return {
    issuer,
    people,
    rotateKeys,
    /** The settings for Gatehouse. */
    env: {
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: CLIENT.id,
      OIDC_CLIENT_SECRET: CLIENT.secret,
      OIDC_AUDIENCE: API,
    },
    async stop(): Promise<void> {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Loads the library on demand, because it prints warnings about its use in production. */
async function createProvider(issuer: string, settings: Configuration): Promise<OidcProvider> {
  const { info, warn } = console
  Object.assign(console, { info: () => {}, warn: () => {} })
  try {
    const { Provider } = await import('oidc-provider')
    return new Provider(issuer, settings)
  } finally {
    Object.assign(console, { info, warn })
  }
}

const settingsFor = (gatehouse: string, people: Map<string, Person>, keys: JWK[]): Configuration => ({
  clients: [
    {
      client_id: CLIENT.id,
      client_secret: CLIENT.secret,
      redirect_uris: [`${gatehouse}/console/sso/callback`],
      post_logout_redirect_uris: [`${gatehouse}/console/sign_in`],
      backchannel_logout_uri: `${gatehouse}/console/sso/backchannel_logout`,
      backchannel_logout_session_required: true,
    },
  ],
  jwks: { keys },
  cookies: { keys: ['local'] },
  scopes: ['openid', 'email', 'groups'],
  claims: { openid: ['sub', 'sid'], email: ['email', 'email_verified'], groups: ['groups'] },
  findAccount: (_ctx, subject) => {
    const person = people.get(subject)
    return (
      person && {
        accountId: subject,
        claims: () => ({
          sub: subject,
          email: person.email,
          email_verified: person.isEmailVerified ?? true,
          groups: [...person.groups],
        }),
      }
    )
  },
  // An access token for the API has the same claims as an ID token.
  extraTokenClaims: (_ctx, token) => {
    const person = 'accountId' in token ? people.get(token.accountId ?? '') : undefined
    return person && { email: person.email, groups: [...person.groups] }
  },
  interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
  // Grants the consent of every person without asking.
  loadExistingGrant: async ({ oidc }) => {
    const grant = new oidc.provider.Grant({
      clientId: oidc.client?.clientId ?? '',
      accountId: oidc.session?.accountId ?? '',
    })
    grant.addOIDCScope('openid email groups')
    grant.addResourceScope(API, '')
    await grant.save()
    return grant
  },
  // The library's own function refuses addresses of this machine.
  fetch: (url, options) => fetch(url, { ...options, dispatcher: undefined } as RequestInit),
  features: {
    devInteractions: { enabled: false },
    backchannelLogout: { enabled: true },
    rpInitiatedLogout: {
      enabled: true,
      logoutSource: (ctx, form) => {
        const button = '<button form="op.logoutForm" name="logout" value="yes">Sign out</button>'
        ctx.body = pageOf(`${form}${button}`)
      },
    },
    resourceIndicators: {
      enabled: true,
      useGrantedResource: () => true,
      getResourceServerInfo: () => ({ scope: '', audience: API, accessTokenFormat: 'jwt' as const }),
    },
  },
  ttl: {
    AccessToken: 600,
    AuthorizationCode: 60,
    IdToken: 600,
    Grant: 3600,
    Interaction: 600,
    Session: 3600,
  },
})

/** Shows a button for each person. */
function addSignInPage(provider: OidcProvider, people: Map<string, Person>): void {
  provider.use(async (ctx, next) => {
    if (!ctx.path.startsWith('/interaction/')) return next()
    if (ctx.method === 'POST') {
      const accountId = new URLSearchParams(await readBody(ctx.req)).get('subject') ?? ''
      await provider.interactionFinished(ctx.req, ctx.res, { login: { accountId } })
      ctx.respond = false
      return
    }
    const buttons = [...people].map(
      ([subject, { email, groups }]) =>
        `<p><button name="subject" value="${escapeHtml(subject)}">${escapeHtml(email)}</button> ${escapeHtml(groups.join(', ') || 'no groups')}</p>`,
    )
    ctx.type = 'html'
    ctx.body = pageOf(`<form method="post">${buttons.join('')}</form>`)
  })
}

const pageOf = (content: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>Local provider</title><h1>Local provider</h1>${content}</html>`

async function readBody(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
