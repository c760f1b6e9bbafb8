/** Access tokens: JWTs signed with EdDSA, valid for an hour (design, section 6.1). */
import { createLocalJWKSet, importJWK, jwtVerify, SignJWT } from 'jose'
import type { VaultAccess } from '../db/access.ts'
import type { SigningKey } from '../db/signing-key.ts'

const LIFETIME_SECONDS = 3_600
const ISSUER = 'gatehouse'

/** Clients and operators have tokens of their own: one is never good for the other's paths. */
export type Audience = 'client' | 'operator'

export interface Claims {
  readonly userId: string
  readonly vaults: readonly VaultAccess[]
  readonly operatorRoles: readonly string[]
}

export interface Tokens {
  sign(audience: Audience, claims: Claims): Promise<{ token: string; expiresAt: number }>
  /** Null for a token that is malformed, expired, signed by somebody else or of another audience. */
  verify(audience: Audience, token: string): Promise<Claims | null>
}

/** `environment` is part of the audience: a sandbox token is worth nothing in production. */
export async function createTokens(keys: readonly SigningKey[], environment: string): Promise<Tokens> {
  const [newest] = keys
  if (!newest) throw new Error('there is no key to sign access tokens with')
  const privateKey = await importJWK(newest.privateJwk, 'EdDSA')
  const jwks = createLocalJWKSet({
    keys: keys.map(({ id, publicJwk }) => ({ ...publicJwk, kid: id, alg: 'EdDSA' })),
  })
  const audienceOf = (audience: Audience) => `${environment}:${audience}`
  return {
    async sign(audience, { userId, vaults, operatorRoles }) {
      const expiresAt = Math.floor(Date.now() / 1000) + LIFETIME_SECONDS
      const claims = audience === 'client' ? { vaults } : { operator_roles: operatorRoles }
      const token = await new SignJWT({ ...claims })
        .setProtectedHeader({ alg: 'EdDSA', kid: newest.id })
        .setIssuer(ISSUER)
        .setAudience(audienceOf(audience))
        .setSubject(userId)
        .setIssuedAt()
        .setExpirationTime(expiresAt)
        .sign(privateKey)
      return { token, expiresAt }
    },
    async verify(audience, token) {
      try {
        const { payload } = await jwtVerify(token, jwks, {
          issuer: ISSUER,
          audience: audienceOf(audience),
          algorithms: ['EdDSA'],
        })
        return {
          userId: payload.sub ?? '',
          vaults: (payload.vaults ?? []) as VaultAccess[],
          operatorRoles: (payload.operator_roles ?? []) as string[],
        }
      } catch {
        return null
      }
    },
  }
}
