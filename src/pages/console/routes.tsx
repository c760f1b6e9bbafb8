/** The operators' console: its addresses, below `/console`. */
import { type RequestHandler, Router } from 'express'
import { closeConsoleSession } from '../../db/console-session.ts'
import type { RouteDeps } from '../../http/deps.ts'
import { sendMessage, sendPage } from '../answer.tsx'
import { sessionRoutes } from '../session-routes.ts'
import { chooseLanguage, frameOf } from '../visit.ts'
import { showQueue } from './queue.tsx'
import { enter, SignIn } from './sign-in.tsx'
import { consoleToken, findConsoleVisit, forgetConsole } from './visit.ts'

export function consoleRoutes(deps: RouteDeps, readForm: RequestHandler): Router {
  const { router, get, press } = sessionRoutes({
    find: (req) => findConsoleVisit(deps, req),
    refuse: (req, res) =>
      res.redirect(
        303,
        `/console/sign_in?next=${encodeURIComponent((req.baseUrl + req.path).replace(/\/$/, ''))}`,
      ),
    readForm,
  })
  get('/', (visit, req, res) => showQueue(deps, visit, req, res))
  press('/sign_out', async (_visit, req, res) => {
    await closeConsoleSession(deps.db, consoleToken(deps, req) ?? '')
    forgetConsole(deps, res)
    res.redirect(303, '/console/sign_in')
  })

  const all = Router()
  all.use((req, res, next) => {
    if (req.method !== 'GET' || !chooseLanguage(deps, req, res)) next()
  })
  all.get('/sign_in', (req, res) => sendPage(res, 200, <SignIn frame={frameOf(req, null)} />))
  all.post('/sign_in', readForm, (req, res) => enter(deps, req, res))
  all.use(router)
  all.use((req, res) => sendMessage(res, 404, frameOf(req, null), 'missing'))
  return all
}
