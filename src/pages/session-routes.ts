/** Routes that a session opens: what they are given, and which requests they take. */
import { type Request, type RequestHandler, type Response, Router } from 'express'
import { sendMessage } from './answer.tsx'
import { isFromHere, isOurForm, type Visit } from './visit.ts'

type Handler<V> = (visit: V, req: Request, res: Response) => unknown

interface SessionRoutes<V> {
  /** What the browser's session opens; null when it opens nothing. */
  readonly find: (req: Request) => Promise<V | null>
  /** Answers where it opens nothing. */
  readonly refuse: (req: Request, res: Response) => unknown
  readonly readForm: RequestHandler
  /** Where many can be asked for at once that are slow to show. */
  readonly turn?: (visit: V, show: () => Promise<void>) => Promise<void>
}

export function sessionRoutes<V extends Pick<Visit, 'frame' | 'csrf'>>({
  find,
  refuse,
  readForm,
  turn = (_visit, show) => show(),
}: SessionRoutes<V>) {
  const router = Router({ mergeParams: true })
  const inSession =
    (handler: Handler<V>): RequestHandler =>
    async (req, res) => {
      const visit = await find(req)
      if (visit) await handler(visit, req, res)
      else await refuse(req, res)
    }
  const post = (path: string, handler: Handler<V>) =>
    router.post(
      path,
      readForm,
      inSession((visit, req, res) =>
        isFromHere(req) ? handler(visit, req, res) : sendMessage(res, 403, visit.frame, 'stale'),
      ),
    )
  return {
    router,
    get: (path: string, handler: Handler<V>) =>
      router.get(
        path,
        inSession((visit, req, res) => turn(visit, async () => void (await handler(visit, req, res)))),
      ),
    /** Forms that are shown again, as they were typed, when their token is not right. */
    post,
    /** Forms in which nothing is typed. */
    press: (path: string, handler: Handler<V>) =>
      post(path, (visit, req, res) =>
        isOurForm(req, visit.csrf) ? handler(visit, req, res) : sendMessage(res, 403, visit.frame, 'stale'),
      ),
    /** Forms with a file, whose token is read with it. */
    upload: (path: string | string[], handler: Handler<V>) => router.post(path, inSession(handler)),
  }
}
