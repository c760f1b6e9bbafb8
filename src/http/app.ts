/** The HTTP application: its routes, and what surrounds every one of them. */
import { parse } from 'node:querystring'
import express, { type Express, type RequestHandler, Router } from 'express'
import type { Audience } from '../access/tokens.ts'
import { RequestRefused } from '../domain/errors.ts'
import { verificationPage } from '../pages/verification.ts'
import { apiKeyRoutes } from './api-key.ts'
import {
  type Authenticate,
  type Caller,
  createAuthentication,
  NOBODY,
  requireRole,
} from './authentication.ts'
import { caseRoutes } from './case.ts'
import type { AppDeps } from './deps.ts'
import { errorHandler } from './errors.ts'
import { eventRoutes } from './event.ts'
import { always, onceFor } from './idempotency.ts'
import { identificationRoutes } from './identification.ts'
import { identificationCreationRoutes } from './identification-creation.ts'
import { identificationLookupRoutes } from './identification-lookup.ts'
import { identificationReviewRoutes, sandboxVerificationRoutes } from './identification-review.ts'
import { checkJson } from './json-limits.ts'
import { kybApplicationRoutes } from './kyb-application.ts'
import { kybFileRoutes } from './kyb-file.ts'
import { kybReviewRoutes, sandboxReviewRoutes } from './kyb-review.ts'
import { type OpenApiDocument, openApiDocument } from './openapi.ts'
import { sandboxPaymentRoutes } from './payment.ts'
import { queueRoutes } from './queue.ts'
import { createRateLimit, type RateLimit } from './rate-limit.ts'
import { referenceRoutes } from './reference.ts'
import { requestLog } from './request-log.ts'
import type { Route } from './route.ts'
import { sessionRoutes } from './session.ts'
import { timelineRoutes } from './timeline.ts'
import { userRoutes } from './user.ts'
import { userOtpRoutes } from './user-otp.ts'
import { vaultRoutes } from './vault.ts'
import { webhookRoutes } from './webhook.ts'

const MAX_PARAMETERS = 100
const MAX_JSON_BYTES = 1024 * 1024
const CUT_OFF_MS = 1_000

export const BASES: Record<Audience, string> = { client: '/v1', operator: '/operator/v1' }

export function createApp(deps: AppDeps): Express {
  const { config, log } = deps
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.set('query parser', readQuery)
  app.set('trust proxy', config.TRUST_PROXY)
  app.use(requestLog(log))
  app.use(cutOff)
  app.get('/health', async (_req, res) => {
    await deps.db.orm.execute('SELECT 1')
    res.json({ status: 'ok' })
  })

  const access = { authenticate: createAuthentication(deps), limit: createRateLimit(deps) }
  app.use('/verify', async (req, res, next) => {
    await access.limit(null, req, res)
    next()
  })
  app.use(verificationPage(deps.db))

  const routes = routesOf(deps)
  const documents = documentsOf(deps)
  for (const audience of ['client', 'operator'] as const) {
    const reference = referenceRoutes(documents[audience])
    app.use(BASES[audience], reference, mount(deps, access, audience, routes[audience]))
  }

  app.use(() => {
    throw new RequestRefused({ code: 'not_found', message: 'There is nothing at this path.' })
  })
  app.use(errorHandler(log))
  return app
}

const DESCRIPTION =
  'Send an API key or an access token in the `Authorization` header, alone or after `Bearer`. Results come in ' +
  '`data`, moments in Unix seconds, refusals as `errors` with codes. A POST takes an `Idempotency-Key`.'

/** What each base path says of itself. */
export function documentsOf(deps: AppDeps): Record<Audience, OpenApiDocument> {
  const routes = routesOf(deps)
  const documentOf = (audience: Audience) => {
    const url = `${deps.config.PUBLIC_URL}${BASES[audience]}`
    const title = `Gatehouse: API for ${audience}s`
    return openApiDocument({ title, description: DESCRIPTION, url }, routes[audience])
  }
  return { client: documentOf('client'), operator: documentOf('operator') }
}

/** Every route there is, below its base. */
export function routesOf(deps: AppDeps): Record<Audience, Route[]> {
  const sandbox =
    deps.config.ENVIRONMENT === 'sandbox'
      ? [...sandboxReviewRoutes(deps), ...sandboxVerificationRoutes(deps), ...sandboxPaymentRoutes(deps)]
      : []
  return {
    client: [
      ...sessionRoutes(deps, 'client'),
      ...kybApplicationRoutes(deps),
      ...kybFileRoutes(deps),
      ...identificationCreationRoutes(deps),
      ...identificationRoutes(deps),
      ...webhookRoutes(deps),
      ...sandbox,
    ],
    operator: [
      ...sessionRoutes(deps, 'operator'),
      ...kybReviewRoutes(deps),
      ...identificationLookupRoutes(deps),
      ...identificationReviewRoutes(deps),
      ...caseRoutes(deps),
      ...queueRoutes(deps),
      ...vaultRoutes(deps),
      ...apiKeyRoutes(deps),
      ...userRoutes(deps),
      ...userOtpRoutes(deps),
      ...eventRoutes(deps),
      ...timelineRoutes(deps),
    ],
  }
}

/** Role before body: a caller without the role learns nothing about what it sent. */
function mount(
  deps: AppDeps,
  { authenticate, limit }: { authenticate: Authenticate; limit: RateLimit },
  audience: Audience,
  routes: readonly Route[],
): Router {
  const router = Router()
  // Any JSON is taken, so that a text or a number is refused for what it is by the schema.
  const parseJson = express.json({
    limit: MAX_JSON_BYTES,
    type: 'application/json',
    strict: false,
    verify(_req, _res, body, encoding) {
      if (encoding !== 'utf-8') throw new RequestRefused({ code: 'unsupported_media_type' })
      checkJson(body)
    },
  })
  const add = (route: Route) => {
    const { method, path, role, isForm, repeatable = false, handle } = route
    const takesKey = method === 'post' && role !== 'public' && !repeatable
    const guard: RequestHandler = async (req, res, next) => {
      const caller = role === 'public' ? NOBODY : await authenticate(audience, req)
      await limit(caller, req, res)
      if (!caller) {
        res.setHeader('WWW-Authenticate', 'Bearer')
        res.status(401).json({ error: 'The token is missing, invalid or expired.' })
        return
      }
      requireRole(caller, role)
      res.locals.caller = caller
      next()
    }
    const read = isForm ? [] : [requireJson, refuseEarly(parseJson)]
    router[method](path, guard, ...read, async (req, res) => {
      const caller = res.locals.caller as Caller
      const once = takesKey ? onceFor(deps, route, caller, req, res) : always(deps.db)
      const { status = 200, body } = await handle(caller, req, res, once)
      res.status(status).json(body)
    })
  }
  const parameters = (path: string) => path.split(':').length
  const paths = [...new Set(routes.map((each) => each.path))]
  // A path without parameters goes before one that a parameter would match, whatever the method.
  for (const path of paths.sort((a, b) => parameters(a) - parameters(b))) {
    const own = routes.filter((each) => each.path === path)
    for (const route of own) add(route)
    const allowed = own.map((each) => each.method.toUpperCase())
    router.all(path, (_req, res) => {
      res.setHeader('Allow', allowed.join(', '))
      throw new RequestRefused({ code: 'method_not_allowed' })
    })
  }
  return router
}

/** A body of another type would be passed over as if nothing had been sent. */
const requireJson: RequestHandler = (req, _res, next) => {
  const hasBody =
    req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0
  if (hasBody && !req.is('application/json')) throw new RequestRefused({ code: 'unsupported_media_type' })
  next()
}

const tooLarge = () => new RequestRefused({ code: 'payload_too_large' })

/** The parser reads a body that is too large to its end before it tells. */
const refuseEarly =
  (parse: RequestHandler): RequestHandler =>
  (req, res, next) => {
    let size = 0
    let refused = false
    if (Number(req.headers['content-length'] ?? 0) > MAX_JSON_BYTES) throw tooLarge()
    req.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (refused || size <= MAX_JSON_BYTES) return
      refused = true
      next(tooLarge())
    })
    return parse(req, res, (error?: unknown) => refused || next(error))
  }

/** Whoever is answered before everything was sent has a moment to read the answer; then nobody listens. */
const cutOff: RequestHandler = (req, res, next) => {
  res.on('finish', () => {
    if (req.complete) return
    setTimeout(() => req.complete || req.socket.destroy(), CUT_OFF_MS).unref()
  })
  next()
}

/** Names and values as they are; the parser would leave out what is beyond its limit. */
function readQuery(query: string | null): Record<string, string | string[] | undefined> {
  const text = query ?? ''
  if (text.split('&').length > MAX_PARAMETERS) {
    const message = `The query has more than ${MAX_PARAMETERS} parameters.`
    throw new RequestRefused({ code: 'malformed_request', message })
  }
  return parse(text)
}
