/** Explains why credentials are refused, without revealing anything to an attacker who guesses. */
import type { ErrorRequestHandler } from 'express'
import { decodeJwt } from 'jose'
import type { RouteDeps } from '../../http/deps.ts'
import { findKeyRefusal } from '../../use-cases/access/api-keys.ts'
import { credentialIn } from '../../use-cases/access/authentication.ts'
import { apiKeyPrefix } from '../../use-cases/credentials/api-key-text.ts'
import type { Audience } from '../../use-cases/credentials/tokens.ts'

const SIGN_IN: Record<Audience, string> = {
  client: 'POST /v1/sign_in',
  operator: 'POST /operator/v1/sign_in',
}
const SENT: Record<Audience, string> = {
  client: 'an API key or an access token',
  operator: `the access token of ${SIGN_IN.operator}`,
}

/** The message for a refused token of the OpenID provider. */
const OF_PROVIDER =
  'This token from the OpenID provider has expired, is not an access token for OIDC_AUDIENCE, or does not belong to an operator. Request another token.'

/** Thrown if the credentials are missing, invalid or expired. */
export class Unauthorized extends Error {
  override readonly name = 'Unauthorized'
  readonly status = 401
}

type ExplainDeps = Pick<RouteDeps, 'db' | 'config'>

export const explainUnauthorized =
  (deps: ExplainDeps, audience: Audience): ErrorRequestHandler =>
  async (error, req, res, next) => {
    if (!(error instanceof Unauthorized)) return next(error)
    res.setHeader('WWW-Authenticate', 'Bearer')
    res.status(401).json({ error: await explain(deps, audience, req.headers.authorization) })
  }

async function explain(deps: ExplainDeps, audience: Audience, header: string | undefined): Promise<string> {
  const { ENVIRONMENT: environment, OIDC_ISSUER: issuer } = deps.config
  const sent = credentialIn(header)
  if (sent === '')
    return `The request has no credentials. Send ${SENT[audience]} in the Authorization header.`
  if (audience === 'operator' && issuer !== undefined && claimsOf(sent)?.iss === issuer) return OF_PROVIDER
  if (!sent.startsWith('gk_')) return explainToken(audience, environment, sent)
  if (audience === 'operator') return `API keys are valid only for /v1. Operators send ${SENT.operator}.`
  const own = apiKeyPrefix(environment)
  return {
    other_environment: `This API key is for another environment. Keys of this environment start with ${own}.`,
    mistyped: 'This API key is incomplete or mistyped. Copy it again.',
    revoked: 'This API key has been revoked. Use another key.',
    unconfirmed: 'This API key awaits confirmation by a second administrator. Use it afterwards.',
    expired: 'This API key has expired. Use another key.',
    unknown: 'This API key does not exist here. It may belong to another installation.',
  }[await findKeyRefusal(deps, sent)]
}

function explainToken(audience: Audience, environment: string, sent: string): string {
  const claims = claimsOf(sent)
  if (!claims)
    return `The Authorization header does not contain ${SENT[audience]}. Send it with or without Bearer.`
  // The claims are not verified, and a forged token can contain anything.
  const audienceSent: unknown = [claims.aud].flat()[0]
  const [environmentSent, of] = typeof audienceSent === 'string' ? audienceSent.split(':') : []
  const exp = typeof claims.exp === 'number' ? claims.exp : 0
  if (environmentSent !== environment)
    return `This access token is for another environment. Sign in with ${SIGN_IN[audience]}.`
  if (of !== audience)
    return `This access token is for ${of === 'operator' ? 'operators' : 'clients'}. Sign in with ${SIGN_IN[audience]}.`
  if (exp * 1_000 <= Date.now())
    return `This access token has expired. Sign in again with ${SIGN_IN[audience]}.`
  return `This access token was revoked or does not exist here. Sign in again with ${SIGN_IN[audience]}.`
}

/** Returns the claims of a token without verifying it, or null if it is not a token. */
function claimsOf(text: string) {
  try {
    return decodeJwt(text)
  } catch {
    return null
  }
}
