/** Routes that a session opens: what they are given, and which requests they take. */
import { type Request, type RequestHandler, type Response, Router } from 'express'
import { sendMessage } from './response.tsx'
import { isFromHere, isOurForm, type Visit } from './visit.ts'

type Handler<V> = (visit: V, req: Request, res: Response) => unknown

interface SessionRoutes<S, V> {
  /** Returns the session of the browser, or null if it has none. */
  readonly find: (req: Request) => Promise<S | null>
  /** Returns what the session opens, or null if it opens nothing. */
  readonly load: (session: S) => Promise<V | null>
  /** As `load`, for requests that `turn` does not limit: they may take seconds. */
  readonly loadAlone?: (session: S) => Promise<V | null>
  /** Answers where it opens nothing. */
  readonly refuse: (req: Request, res: Response) => unknown
  readonly readForm: RequestHandler
  /** Limits how many pages are loaded and shown at once. */
  readonly turn: <T>(session: S, work: () => Promise<T>) => Promise<T>
}

export function sessionRoutes<S, V extends Pick<Visit, 'frame' | 'csrf'>>({
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
        const visit = session && (await load(session))
        await (visit ? handler(visit, req, res) : refuse(req, res))
      }
      await (session ? turn(session, show) : show())
    }
  const taken =
    (handler: Handler<V>): RequestHandler =>
    async (req, res) => {
      const session = await find(req)
      const visit = session && (await loadAlone(session))
      await (visit ? handler(visit, req, res) : refuse(req, res))
    }
  const post = (path: string, handler: Handler<V>) =>
    router.post(
      path,
      readForm,
      taken((visit, req, res) =>
        isFromHere(req) ? handler(visit, req, res) : sendMessage(res, 403, visit.frame, 'stale'),
      ),
    )
  return {
    router,
    /** Pages. */
    get: (path: string, handler: Handler<V>) => router.get(path, shown(handler)),
    /** What has a limit of its own. */
    view: (path: string, handler: Handler<V>) => router.get(path, taken(handler)),
    /** Forms that are shown again, as they were typed, when their token is not right. */
    post,
    /** Forms in which nothing is typed. */
    press: (path: string, handler: Handler<V>) =>
      post(path, (visit, req, res) =>
        isOurForm(req, visit.csrf) ? handler(visit, req, res) : sendMessage(res, 403, visit.frame, 'stale'),
      ),
    /** Forms with a file, whose token is read with it. */
    upload: (path: string | string[], handler: Handler<V>) => router.post(path, taken(handler)),
  }
}
