/** Builds the routes that need a session, and checks the session and the form token of each request. */
import { type Request, type RequestHandler, type Response, Router } from 'express'
import type { RouteDeps } from '../http/deps.ts'
import { spanOf } from '../http/request-span.ts'
import { withinSpan } from '../use-cases/deps.ts'
import { sendMessage } from './response.tsx'
import { isFromHere, isOurForm, type Visit } from './visit.ts'

/** `deps` belong to the request's span. */
type Handler<V> = (visit: V, req: Request, res: Response, deps: RouteDeps) => unknown

interface SessionRoutes<S, V> {
  readonly deps: RouteDeps
  /** Returns the session of the browser, or null if it has none. */
  readonly find: (req: Request) => Promise<S | null>
  /** Returns the visit that the session gives access to, or null if there is none. */
  readonly load: (session: S, deps: RouteDeps) => Promise<V | null>
  /** Replaces `load` for requests that can take seconds, which `turn` does not limit. */
  readonly loadAlone?: (session: S, deps: RouteDeps) => Promise<V | null>
  /** Sends the response if there is no session or no visit. */
  readonly refuse: (req: Request, res: Response) => unknown
  readonly readForm: RequestHandler
  /** Limits the number of pages that are loaded and rendered at the same time. */
  readonly turn: <T>(session: S, work: () => Promise<T>) => Promise<T>
}

export function sessionRoutes<S, V extends Pick<Visit, 'frame' | 'csrf'>>({
  deps,
  find,
  load,
  loadAlone = load,
  refuse,
  readForm,
  turn,
}: SessionRoutes<S, V>) {
  const router = Router({ mergeParams: true })
  const shown =
    (handler: Handler<V>): RequestHandler =>
    async (req, res) => {
      const session = await find(req)
      const show = async () => {
        const own = withinSpan(deps, spanOf(res))
        const visit = session && (await load(session, own))
        await (visit ? handler(visit, req, res, own) : refuse(req, res))
      }
      await (session ? turn(session, show) : show())
    }
  const taken =
    (handler: Handler<V>): RequestHandler =>
    async (req, res) => {
      const session = await find(req)
      const own = withinSpan(deps, spanOf(res))
      const visit = session && (await loadAlone(session, own))
      await (visit ? handler(visit, req, res, own) : refuse(req, res))
    }
  const post = (path: string, handler: Handler<V>) =>
    router.post(
      path,
      readForm,
      taken((visit, req, res, own) =>
        isFromHere(req) ? handler(visit, req, res, own) : sendMessage(res, 403, visit.frame, 'stale'),
      ),
    )
  return {
    router,
    /** For pages. */
    get: (path: string, handler: Handler<V>) => router.get(path, shown(handler)),
    /** For responses that have their own limit. */
    view: (path: string, handler: Handler<V>) => router.get(path, taken(handler)),
    /** For forms that the handler shows again, with the typed values, if their token is invalid. */
    post,
    /** For forms without typed values. */
    press: (path: string, handler: Handler<V>) =>
      post(path, (visit, req, res, own) =>
        isOurForm(req, visit.csrf)
          ? handler(visit, req, res, own)
          : sendMessage(res, 403, visit.frame, 'stale'),
      ),
    /** For forms with a file. The handler parses the form and checks its token. */
    upload: (path: string | string[], handler: Handler<V>) => router.post(path, taken(handler)),
  }
}
