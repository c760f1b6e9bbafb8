/** Signs and verifies access tokens, which are JWTs with EdDSA and valid for one hour. */
import { importJWK, jwtVerify, SignJWT } from 'jose'
import type { SigningKey } from '../../db/access/signing-key.ts'
import type { VaultAccess } from '../../domain/access/access.ts'

const LIFETIME_MS = 3_600_000
const ISSUER = 'gatehouse'

/**
 * Each process reads the keys more often than this, so it knows a new key before another process signs with it. Unknown
 * key IDs are not looked up, because anyone could then cause queries.
 */
const SIGNS_AFTER_MS = 60_000
const READ_AGAIN_AFTER_MS = 20_000

/** The audience of a token. The token is not valid for the paths of the other audience. */
export type Audience = 'client' | 'operator'

interface Claims {
  readonly userId: string
  /** The version of the user's tokens. A token is valid only while this version is current. */
  readonly version: number
  readonly vaults: readonly VaultAccess[]
}

export interface Tokens {
  /** Signs a token. `expiresAt` is in Unix seconds. */
  sign(audience: Audience, claims: Claims): Promise<{ token: string; expiresAt: number }>
  /** Returns the claims, or null if the token is malformed, expired, forged or of another audience. */
  verify(audience: Audience, token: string): Promise<(Claims & { expiresAt: number }) | null>
}

interface KeySet {
  readonly readAt: number
  readonly signing: SigningKey
  readonly verifying: ReadonlyMap<string, VerifyingKey>
}
type VerifyingKey = Awaited<ReturnType<typeof importJWK>>

/** Creates the signer. `environment` is part of the audience, so a sandbox token is not valid in production. */
export function createTokens(
  readKeys: () => Promise<readonly SigningKey[]>,
  environment: string,
  now: () => number = Date.now,
): Tokens {
  const audienceOf = (audience: Audience) => `${environment}:${audience}`
  let held: KeySet | null = null
  let reading: Promise<KeySet> | null = null

  async function readAgain(): Promise<KeySet> {
    reading ??= keySet(readKeys, now).finally(() => {
      reading = null
    })
    held = await reading
    return held
  }
  const freshKeys = async () =>
    // The clock may have been set back.
    held && Math.abs(now() - held.readAt) < READ_AGAIN_AFTER_MS ? held : readAgain()
  /** Returns the last known keys if PostgreSQL is unavailable. */
  const knownKeys = () => freshKeys().catch((error: unknown) => held ?? Promise.reject(error))

  return {
    async sign(audience, { userId, version, vaults }) {
      const { signing } = await freshKeys()
      const issuedAt = Math.floor(now() / 1000)
      const expiresAt = issuedAt + LIFETIME_MS / 1000
      const claims = {
        // Omits an operator's grants, because they are read at each request.
        ...(audience === 'client' && { vaults: vaults.map(shortened) }),
        version,
      }
      const token = await new SignJWT(claims)
        .setProtectedHeader({ alg: 'EdDSA', kid: signing.id })
        .setIssuer(ISSUER)
        .setAudience(audienceOf(audience))
        .setSubject(userId)
        .setIssuedAt(issuedAt)
        .setExpirationTime(expiresAt)
        .sign(await importJWK(signing.privateJwk(), 'EdDSA'))
      return { token, expiresAt }
    },
    async verify(audience, token) {
      const { verifying } = await knownKeys()
      try {
        const { payload } = await jwtVerify(token, ({ kid }) => keyNamed(verifying, kid), {
          issuer: ISSUER,
          audience: audienceOf(audience),
          algorithms: ['EdDSA'],
          requiredClaims: ['sub', 'exp'],
          currentDate: new Date(now()),
        })
        return {
          userId: payload.sub ?? '',
          version: Number(payload.version ?? 0),
          vaults: (payload.vaults ?? []) as VaultAccess[],
          expiresAt: payload.exp ?? 0,
        }
      } catch {
        return null
      }
    },
  }
}

/** The maximum length of a name, so that a token with 20 vaults fits into a header. */
const MAX_NAME = 100
const shortened = ({ name, ...vault }: VaultAccess): VaultAccess => ({
  ...vault,
  name: name.slice(0, MAX_NAME),
})

function keyNamed(keys: ReadonlyMap<string, VerifyingKey>, id: string | undefined): VerifyingKey {
  const key = keys.get(id ?? '')
  if (!key) throw new Error('no signing key has this ID')
  return key
}

/** Selects the keys to verify with, and the key to sign with: the newest that all processes know, or the only one. */
async function keySet(readKeys: () => Promise<readonly SigningKey[]>, now: () => number): Promise<KeySet> {
  const readAt = now()
  const keys = await readKeys()
  // A key remains valid until the last token that it may have signed has expired.
  const needed = keys.filter((_, n) => {
    const successor = keys[n - 1]
    return !successor || successor.ageMs < SIGNS_AFTER_MS + LIFETIME_MS + SIGNS_AFTER_MS
  })
  const signing = keys.find(({ ageMs }) => ageMs >= SIGNS_AFTER_MS) ?? keys.at(-1)
  if (!signing) throw new Error('there is no key for signing access tokens')
  const verifying = await Promise.all(
    needed.map(async ({ id, publicJwk }) => [id, await importJWK(publicJwk, 'EdDSA')] as const),
  )
  return { readAt, signing, verifying: new Map(verifying) }
}
