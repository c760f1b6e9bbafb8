/** Builds routes that need a session. Checks the session and the form token of each request. */
import type { Request, RequestHandler, Response } from 'express'
import type { RouteDeps } from '../../http/deps.ts'
import { spanOf } from '../../http/request-span.ts'
import { createRouter } from '../../http/router.ts'
import { withinSpan } from '../../use-cases/base/deps.ts'
import { isFromHere, isOurForm } from './origin.ts'
import { sendMessage } from './response.tsx'
import type { Visit } from './visit.ts'

/** A request with its visit. `deps` use the span of the request. */
export interface VisitRequest<V> {
  readonly deps: RouteDeps
  readonly visit: V
  readonly req: Request
  readonly res: Response
}

export type Handler<V> = (request: VisitRequest<V>) => unknown

interface SessionRoutes<S, V> {
  readonly deps: RouteDeps
  /** Returns the browser's session, or null if the browser has none. */
  readonly find: (req: Request, res: Response) => Promise<S | null>
  /** Returns the visit to which the session allows access, or null if there is none. */
  readonly load: (session: S, deps: RouteDeps, res: Response) => Promise<V | null>
  /** Replaces `load` in requests that `turn` does not limit, because they can take seconds. */
  readonly loadAlone?: (session: S, deps: RouteDeps, res: Response) => Promise<V | null>
  /** Sends the response if there is no session or no visit. */
  readonly refuse: (req: Request, res: Response) => unknown
  readonly readForm: RequestHandler
  /** Limits the number of pages that are loaded and rendered at the same time. */
  readonly turn: <T>(session: S, work: () => Promise<T>) => Promise<T>
  /** Limits the number of forms that are handled at the same time. */
  readonly formTurn?: <T>(session: S, work: () => Promise<T>) => Promise<T>
}

export function sessionRoutes<S, V extends Visit>(props: SessionRoutes<S, V>) {
  const { deps, find, load, loadAlone = load, refuse, readForm, turn, formTurn } = props
  const router = createRouter({ mergeParams: true })
  const shown =
    (handler: Handler<V>): RequestHandler =>
    async (req, res) => {
      const session = await find(req, res)
      const show = async () => {
        const own = withinSpan(deps, spanOf(res))
        const visit = session && (await load(session, own, res))
        res.locals.actor = visit?.actor
        await (visit ? handler({ deps: own, visit, req, res }) : refuse(req, res))
      }
      await (session ? turn(session, show) : show())
    }
  const taken =
    (handler: Handler<V>): RequestHandler =>
    async (req, res) => {
      const session = await find(req, res)
      const take = async () => {
        const own = withinSpan(deps, spanOf(res))
        const visit = session && (await loadAlone(session, own, res))
        res.locals.actor = visit?.actor
        await (visit ? handler({ deps: own, visit, req, res }) : refuse(req, res))
      }
      await (session && formTurn ? formTurn(session, take) : take())
    }
  const post = (path: string, handler: Handler<V>) =>
    router.post(
      path,
      readForm,
      taken((request) =>
        isFromHere(request.req)
          ? handler(request)
          : sendMessage(request.res, 403, request.visit.frame, 'stale'),
      ),
    )
  return {
    router,
    get: (path: string, handler: Handler<V>) => router.get(path, shown(handler)),
    /** Adds a GET route that `turn` does not limit, because it has a separate limit. */
    view: (path: string, handler: Handler<V>) => router.get(path, taken(handler)),
    /** Adds a route for a form. If the token is invalid, the handler shows the form again with the typed values. */
    post,
    /** Adds a route for a form without typed values, and checks its token. */
    press: (path: string, handler: Handler<V>) =>
      post(path, (request) =>
        isOurForm(request.req, request.visit.csrf)
          ? handler(request)
          : sendMessage(request.res, 403, request.visit.frame, 'stale'),
      ),
    /** Adds a route for a form with a file. The handler parses the form and checks its token. */
    upload: (path: string | string[], handler: Handler<V>) => router.post(path, taken(handler)),
  }
}
