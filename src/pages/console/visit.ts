/** An operator at the console: who it is, in which language, and the token of the forms. */
import { parseCookie } from 'cookie'
import type { Request, RequestHandler, Response } from 'express'
import { findConsoleSession, openConsoleSession } from '../../db/access/console-session.ts'
import type { User } from '../../db/access/user.ts'
import { type OperatorRole, operatorActor } from '../../domain/access/access.ts'
import { RequestRefused } from '../../domain/errors.ts'
import type { RouteDeps } from '../../http/deps.ts'
import { newToken } from '../../storage/random.ts'
import { sendMessage } from '../answer.tsx'
import type { Frame } from '../components/layout.tsx'
import { sessionRoutes } from '../session-routes.ts'
import { frameOf, setCookie } from '../visit.ts'

const A_DAY_SECONDS = 86_400

/** As for the pages of applicants, browsers take the name over https alone. */
const cookieName = ({ config }: RouteDeps): string =>
  config.PUBLIC_URL.startsWith('https:') ? '__Secure-gatehouse_console' : 'gatehouse_console'

export const consoleToken = (deps: RouteDeps, req: Request): string | undefined =>
  parseCookie(req.headers.cookie ?? '')[cookieName(deps)]

const setToken = (deps: RouteDeps, res: Response, value: string, maxAge: number): void =>
  setCookie(deps, res, { name: cookieName(deps), value, path: '/console', maxAge })

export async function openConsole(deps: RouteDeps, res: Response, user: User): Promise<void> {
  const token = newToken()
  await openConsoleSession(deps.db, token, user)
  setToken(deps, res, token, A_DAY_SECONDS)
}

export const forgetConsole = (deps: RouteDeps, res: Response): void => setToken(deps, res, '', 0)

/** A page of the console as its reader sees it. */
export interface ConsoleVisit {
  readonly frame: Frame
  readonly csrf: string
  readonly userId: string
  /** How timelines name the operator. */
  readonly actor: string
  /** None before somebody has a password of their own. */
  readonly roles: readonly string[]
  readonly mustChoosePassword: boolean
}

/** The same after signing in once more: what was typed before can still be sent. */
const csrfOf = ({ db }: RouteDeps, { id, tokenVersion }: Pick<User, 'id' | 'tokenVersion'>): string =>
  db.encryption.hash(`${id} ${tokenVersion}`, 'console_csrf').toString('base64url')

/** Null when nobody is signed in who may use the console. */
export async function findConsoleVisit(deps: RouteDeps, req: Request): Promise<ConsoleVisit | null> {
  const token = consoleToken(deps, req)
  const user = token === undefined ? null : await findConsoleSession(deps.db, token)
  if (!user || token === undefined || user.operatorRoles.length === 0) return null
  const mustChoosePassword = user.passwordExpiresAt !== null
  return {
    // A password that somebody else made is good for choosing another one, and for nothing else.
    roles: mustChoosePassword ? [] : user.operatorRoles,
    mustChoosePassword,
    frame: frameOf(req, null),
    csrf: csrfOf(deps, user),
    userId: user.id,
    actor: operatorActor(user.id),
  }
}

/** Routes for whoever has the role; for every operator without one. Others see as much as of a wrong address. */
export const consoleSession = (deps: RouteDeps, readForm: RequestHandler, role?: OperatorRole) =>
  sessionRoutes({
    find: async (req) => {
      const visit = await findConsoleVisit(deps, req)
      return visit && (role === undefined || visit.roles.includes(role)) ? visit : null
    },
    refuse: async (req, res) => {
      const path = (req.baseUrl + req.path).replace(/\/$/, '')
      const visit = await findConsoleVisit(deps, req)
      if (!visit && path === '/console/sign_out') res.redirect(303, '/console/sign_in')
      // The page is what the browser sends once more; its address leads nowhere by itself.
      else if (!visit && req.method === 'POST')
        sendMessage(res, 401, { ...frameOf(req, null), path: '/console' }, 'console.unsaved')
      else if (!visit) res.redirect(303, `/console/sign_in?next=${encodeURIComponent(path)}`)
      else if (visit.mustChoosePassword) res.redirect(303, '/console/password')
      else if (path === '/console') res.redirect(303, '/console/settings')
      else throw new RequestRefused({ code: 'not_found' })
    },
    readForm,
    turn: ({ actor }, show) => deps.reading(actor, show),
  })
