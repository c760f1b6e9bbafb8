/** An OpenID provider that can lie, fail and be slow. Tests set its responses. */
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'

type Claims = Readonly<Record<string, unknown>>

/** Each setting makes the provider misbehave in one respect. */
export interface Lies {
  /** Replaces claims of each token. Undefined claims are missing. */
  readonly claims?: Claims
  /** Signs with a key that is not published. */
  readonly hasForgedKey?: boolean
  /** Replaces values of the metadata. */
  readonly metadata?: Readonly<Record<string, unknown>>
  /** Responds to this path with this status or body, or only after this time. */
  readonly fails?: {
    readonly path: string
    readonly status?: number
    readonly delayMs?: number
    readonly body?: string
  }
}

export async function startLyingProvider() {
  const [published, forged] = [await generateKeyPair('RS256'), await generateKeyPair('RS256')]
  const jwk = { ...(await exportJWK(published.publicKey)), kid: 'published', alg: 'RS256', use: 'sig' }
  let lies: Lies = {}
  let person: Claims = {}

  async function sign(claims: Claims, type = 'JWT'): Promise<string> {
    const now = Math.floor(Date.now() / 1000)
    const times = { iat: now, exp: now + 300 }
    const all = { iss: issuer, aud: 'gatehouse', ...times, ...claims, ...lies.claims }
    return new SignJWT(all as JWTPayload)
      .setProtectedHeader({ alg: 'RS256', kid: 'published', typ: type })
      .sign((lies.hasForgedKey ? forged : published).privateKey)
  }

  const routes: Record<string, () => Promise<unknown> | unknown> = {
    '/.well-known/openid-configuration': () => ({
      issuer,
      authorization_endpoint: `${issuer}/auth`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      ...lies.metadata,
    }),
    '/keys': () => ({ keys: [jwk] }),
    '/token': async () => ({
      access_token: 'opaque',
      token_type: 'Bearer',
      id_token: await sign(person),
    }),
  }
  const send = (res: ServerResponse, status: number, body: unknown) =>
    res
      .writeHead(status, { 'Content-Type': 'application/json' })
      .end(typeof body === 'string' ? body : JSON.stringify(body))
  const server = createServer(async (req, res): Promise<void> => {
    const { pathname: path } = new URL(req.url ?? '', issuer)
    const { fails } = lies
    if (fails?.path === path) {
      if (fails.delayMs !== undefined)
        await new Promise((resolve) => setTimeout(resolve, fails.delayMs).unref())
      if (fails.status !== undefined) return void send(res, fails.status, fails.body ?? '{}')
      if (fails.body !== undefined) return void send(res, 200, fails.body)
    }
    send(res, 200, await routes[path]?.())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    issuer,
    sign,
    /** The claims of the next ID token. */
    issue(claims: Claims, more: Lies = {}): void {
      person = claims
      lies = more
    },
    async stop(): Promise<void> {
      server.close()
      server.closeAllConnections()
    },
  }
}
