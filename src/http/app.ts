/** The HTTP application: its routes, and what surrounds every one of them. */
import { randomUUID } from 'node:crypto'
import express, { type Express, type RequestHandler, Router } from 'express'
import type { Audience } from '../access/tokens.ts'
import { RequestRefused } from '../domain/errors.ts'
import type { Logger } from '../log.ts'
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
import { identificationRoutes } from './identification.ts'
import { identificationCreationRoutes } from './identification-creation.ts'
import { identificationReviewRoutes, sandboxVerificationRoutes } from './identification-review.ts'
import { kybApplicationRoutes } from './kyb-application.ts'
import { kybFileRoutes } from './kyb-file.ts'
import { kybReviewRoutes, sandboxReviewRoutes } from './kyb-review.ts'
import { sandboxPaymentRoutes } from './payment.ts'
import { queueRoutes } from './queue.ts'
import { createRateLimit, type RateLimit } from './rate-limit.ts'
import type { Route } from './route.ts'
import { sessionRoutes } from './session.ts'
import { timelineRoutes } from './timeline.ts'
import { userRoutes } from './user.ts'
import { userOtpRoutes } from './user-otp.ts'
import { vaultRoutes } from './vault.ts'
import { webhookRoutes } from './webhook.ts'

export const BASES: Record<Audience, string> = { client: '/v1', operator: '/operator/v1' }

export function createApp(deps: AppDeps): Express {
  const { config, log } = deps
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.set('trust proxy', config.TRUST_PROXY)
  app.use(requestLog(log))
  app.get('/health', async (_req, res) => {
    await deps.pool.query('SELECT 1')
    res.json({ status: 'ok' })
  })

  const access = { authenticate: createAuthentication(deps), limit: createRateLimit(deps) }
  app.use('/verify', async (req, res, next) => {
    await access.limit(null, req, res)
    next()
  })
  app.use(verificationPage(deps.db))

  const routes = routesOf(deps)
  app.use(BASES.client, mount(access, 'client', routes.client))
  app.use(BASES.operator, mount(access, 'operator', routes.operator))

  app.use(() => {
    throw new RequestRefused({ code: 'not_found', message: 'There is nothing at this path.' })
  })
  app.use(errorHandler(log))
  return app
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
  { authenticate, limit }: { authenticate: Authenticate; limit: RateLimit },
  audience: Audience,
  routes: readonly Route[],
): Router {
  const router = Router()
  // Any JSON is taken, so that a text or a number is refused for what it is by the schema.
  const parseJson = express.json({ limit: '1mb', type: 'application/json', strict: false })
  for (const { method, path, role, form = false, handle } of routes) {
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
    const read = form ? [] : [requireJson, parseJson]
    router[method](path, guard, ...read, async (req, res) => {
      const { status = 200, body } = await handle(res.locals.caller as Caller, req, res)
      res.status(status).json(body)
    })
  }
  for (const path of new Set(routes.map((each) => each.path))) {
    const allowed = routes.filter((each) => each.path === path).map((each) => each.method.toUpperCase())
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

function requestLog(log: Logger): RequestHandler {
  return (req, res, next) => {
    const requestId = randomUUID()
    const started = performance.now()
    res.setHeader('X-Request-Id', requestId)
    res.on('finish', () => {
      const route = `${req.baseUrl}${(req.route as { path?: string } | undefined)?.path ?? ''}`
      const ms = Math.round(performance.now() - started)
      log.info({ requestId, method: req.method, route, status: res.statusCode, ms }, 'answered')
    })
    next()
  }
}
