/** Puts routes below a base path: who calls, how often, with what body, and what is answered. */
import express, { type ErrorRequestHandler, type IRoute, type RequestHandler, Router } from 'express'
import { RequestRefused, statusOf } from '../domain/errors.ts'
import type { RouteDeps } from '../http/deps.ts'
import { NOT_UTF8, problemsOf } from '../http/errors.ts'
import { FileBody, sendFile } from '../http/file-answer.ts'
import { type Caller, NOBODY, requireRole } from '../use-cases/access/caller.ts'
import type { Audience } from '../use-cases/access/tokens.ts'
import { readerOf } from '../use-cases/concurrency-limit.ts'
import { sendInParts } from './answer.ts'
import { always, onceFor } from './idempotency.ts'
import { checkJson } from './json-limits.ts'
import { explainNotFound } from './not-found.ts'
import { type Route, takesKey } from './route.ts'
import { whyUnauthorized } from './unauthorized.ts'

const MAX_JSON_BYTES = 1024 * 1024

/** Role before body: a caller without the role learns nothing about what it sent. */
export function mount(deps: RouteDeps, audience: Audience, routes: readonly Route[]): Router {
  const router = Router()
  // Any JSON is taken, so that a text or a number is refused for what it is by the schema.
  const parseJson = express.json({
    limit: MAX_JSON_BYTES,
    type: 'application/json',
    strict: false,
    verify(_req, _res, body, encoding) {
      if (encoding !== 'utf-8') throw new RequestRefused(NOT_UTF8)
      checkJson(body)
    },
  })
  const add = (at: IRoute, route: Route) => {
    const { method, path, role, isForm, precondition, handle } = route
    const guard: RequestHandler = async (req, res, next) => {
      res.locals.pattern = req.baseUrl.toLowerCase() + path
      const asStranger = () => deps.limit(null, req, res)
      const caller =
        role === 'public' ? NOBODY : await deps.authenticate(audience, req.headers.authorization, asStranger)
      if (caller) await deps.limit(caller, req, res)
      if (!caller) {
        res.setHeader('WWW-Authenticate', 'Bearer')
        res.status(401).json({ error: await whyUnauthorized(deps, audience, req.headers.authorization) })
        return
      }
      requireRole(caller, role)
      Object.assign(res.locals, { caller, path, params: req.params })
      next()
    }
    const read = isForm ? [] : [requireJson, refuseEarly(parseJson)]
    const answerTo: RequestHandler = async (req, res) => {
      const caller = res.locals.caller as Caller
      const once = takesKey(route) ? onceFor(deps, route, caller, req, res) : always(deps)
      const answer = async () => {
        const { status = 200, body, rest } = await handle(deps, caller, req, res, once)
        if (body instanceof FileBody) sendFile(res, status, body.content)
        else if (rest) await sendInParts(res, body, rest)
        else res.status(status).json(body)
      }
      await (method === 'get' ? deps.reading(readerOf(caller), answer) : answer())
    }
    const refuse: ErrorRequestHandler = async (error, req, res, _next) => {
      // Without a caller it was refused before its body was read. Where something is away, that is told, and soon.
      if (res.locals.caller && statusOf(problemsOf(error)) < 500)
        await precondition?.(deps, res.locals.caller as Caller, req)
      throw error
    }
    at[method](guard, ...read, answerTo, refuse)
  }
  const parameters = (path: string) => path.split(':').length
  const paths = [...new Set(routes.map((each) => each.path))]
  // A path without parameters goes before one that a parameter would match, whatever the method.
  for (const path of paths.sort((a, b) => parameters(a) - parameters(b))) {
    const own = routes.filter((each) => each.path === path)
    const at = router.route(path)
    for (const route of own) add(at, route)
    const allowed = own.map((each) => each.method.toUpperCase())
    at.all((_req, res) => {
      res.setHeader('Allow', allowed.join(', '))
      const message = `This path exists, but not with this method: it takes ${allowed.join(', ')}.`
      throw new RequestRefused({ code: 'method_not_allowed', message })
    })
  }
  router.use(explainNotFound(deps, audience))
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
