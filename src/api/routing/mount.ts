/**
 * Mounts routes under a base path. Each request passes through these steps, which share their results in `res.locals`:
 *
 * - `admit` authenticates the caller, counts the request and checks the role. A caller without the role learns nothing
 *   about the body.
 * - `readJson` reads the body, unless the route reads a form itself.
 * - `readmit` authenticates the caller again, because access can end while the body arrives. A route that reads a form
 *   runs it with `once`.
 * - `handleRequest` runs the route and sends the response.
 * - `checkPrecondition` handles errors. If the entity's state forbids the request, it reports that instead of problems
 *   with the body.
 */
import type { ErrorRequestHandler, Request, RequestHandler, Response, Router } from 'express'
import { statusOf } from '../../domain/base/errors.ts'
import { beforeHead } from '../../http/before-head.ts'
import { hasBody } from '../../http/cut-off.ts'
import type { RouteDeps } from '../../http/deps.ts'
import { problemsOf } from '../../http/errors.ts'
import { FileBody, sendFile } from '../../http/file-response.ts'
import { spanOf } from '../../http/request-span.ts'
import { createRouter, refuseMethod } from '../../http/router.ts'
import { inSpan } from '../../process/span.ts'
import { ANONYMOUS, readerOf, requireRole, shareOf } from '../../use-cases/access/caller.ts'
import { withinSpan } from '../../use-cases/base/deps.ts'
import type { Audience } from '../../use-cases/credentials/tokens.ts'
import { readJson } from '../json/body.ts'
import { createRunOnce, createUnkeyedRun, type RunOnce } from './idempotency.ts'
import { explainNotFound } from './not-found.ts'
import { type RouteResponse, sendInParts, sendJson } from './response.ts'
import {
  type Admitted,
  acceptsIdempotencyKey,
  changesAccess,
  type Route,
  takesChangingSlot,
  takesReadingSlot,
} from './route.ts'
import { explainUnauthorized, Unauthorized } from './unauthorized.ts'

export function mountRoutes(deps: RouteDeps, audience: Audience, routes: readonly Route[]): Router {
  const router = createRouter()
  // A router compares a path with each of its routes, so the routes below a first segment have their own one.
  const parts = new Map<string, Router>()
  for (const [path, own] of byPath(routes)) {
    const segment = firstSegmentOf(path)
    const part = parts.get(segment) ?? createRouter()
    parts.set(segment, part)
    const at = part.route(path)
    for (const route of own) {
      const readmit = createReadmission(deps, audience, route)
      const body: RequestHandler[] = [...readJson, (req, res, next) => readmit(req, res).then(next)]
      at[route.method](
        admit(deps, audience, route),
        ...(route.isForm ? [] : body),
        handleRequest(deps, route, readmit),
        checkPrecondition(deps, route),
      )
    }
    at.all(refuseMethod(at))
  }
  const choosePart: RequestHandler = (req, res, next) => {
    const part = parts.get(firstSegmentOf(req.path))
    if (part) part(req, res, next)
    else next()
  }
  // Lists the routes, as a router does.
  router.use(Object.assign(choosePart, { stack: [...parts.values()].flatMap(({ stack }) => stack) }))
  router.use(explainUnauthorized(deps, audience), explainNotFound(deps, audience))
  return router
}

const firstSegmentOf = (path: string) => path.split('/', 2)[1] ?? ''

/** Groups the routes by path, and sorts fixed paths before paths whose parameters would match them. */
function byPath(routes: readonly Route[]): [path: string, routes: Route[]][] {
  const parameters = (path: string) => path.split(':').length
  const paths = [...new Set(routes.map(({ path }) => path))]
  return paths
    .sort((a, b) => parameters(a) - parameters(b))
    .map((path) => [path, routes.filter((each) => each.path === path)])
}

const admit =
  (deps: RouteDeps, audience: Audience, { path, role }: Route): RequestHandler =>
  async (req, res, next) => {
    res.locals.pattern = req.baseUrl + path
    const { authorization } = req.headers
    const asStranger = () => deps.limit(null, req, res)
    const caller = await inSpan(spanOf(res), 'authenticate', {}, async () => {
      const known =
        role === 'public' ? ANONYMOUS : await deps.authenticate(audience, authorization, asStranger)
      if (known) await deps.limit(known, req, res)
      return known
    })
    if (!caller) throw new Unauthorized()
    res.locals.actor = caller.actor
    requireRole(caller, role)
    Object.assign(res.locals, { caller, path, params: req.params as Admitted['params'] } satisfies Admitted)
    next()
  }

type Readmit = (req: Request, res: Response) => Promise<void>

const createReadmission =
  (deps: RouteDeps, audience: Audience, { role }: Route): Readmit =>
  async (req, res) => {
    if (role === 'public' || !hasBody(req)) return
    const caller = await deps.authenticate(audience, req.headers.authorization, async () => () => {})
    if (!caller) throw new Unauthorized()
    Object.assign(res.locals, { caller } satisfies Partial<Admitted>)
    requireRole(caller, role)
  }

const handleRequest =
  (deps: RouteDeps, route: Route, readmit: Readmit): RequestHandler =>
  async (req, res) => {
    const { caller } = res.locals as Admitted
    // PostgreSQL's notice of the change arrives only shortly after the commit.
    if (changesAccess(route)) beforeHead(res, deps.forgetCallers)
    await inSpan(
      spanOf(res),
      route.name,
      { attributes: { 'gatehouse.caller': caller.actor } },
      async (span) => {
        const own = withinSpan(deps, span)
        const runOnce = acceptsIdempotencyKey(route)
          ? createRunOnce(own, route, caller, req, res)
          : createUnkeyedRun(own)
        const once: RunOnce = async (content, work) => {
          if (route.isForm) await readmit(req, res)
          return runOnce(content, work)
        }
        const run = async () => send(res, await route.handle(own, caller, req, res, once))
        // A client that reads a long list slowly keeps its slot, so it is disconnected if others wait.
        const stop = () => res.headersSent && Boolean(res.destroy())
        const isGone = () => res.destroyed
        if (takesReadingSlot(route)) await deps.reading.run(shareOf(caller), run, { stop, isGone })
        else await (takesChangingSlot(route) ? deps.changing(readerOf(caller), run) : run())
      },
    )
  }

async function send(res: Response, { status = 200, body, rest }: RouteResponse): Promise<void> {
  if (body instanceof FileBody) sendFile(res, status, body.content)
  else if (rest) await sendInParts(res, body, rest)
  else await sendJson(res, status, body)
}

/**
 * Throws the refusal of the route's precondition, or the error itself if there is none. Skips the precondition if the
 * request is not authenticated or Gatehouse has failed.
 */
const checkPrecondition =
  (deps: RouteDeps, { precondition }: Route): ErrorRequestHandler =>
  async (error, req, res, _next) => {
    const { caller } = res.locals as Partial<Admitted>
    const own = withinSpan(deps, spanOf(res))
    if (caller && statusOf(problemsOf(error)) < 500) await precondition?.(own, caller, req)
    throw error
  }
