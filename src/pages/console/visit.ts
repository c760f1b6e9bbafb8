/** Finds the operator of a console session, and builds routes that require one. */
import { parseCookie } from 'cookie'
import type { Request, RequestHandler, Response } from 'express'
import { hasPermission, type Permission } from '../../domain/access/grant.ts'
import { RequestRefused } from '../../domain/base/errors.ts'
import type { RouteDeps } from '../../http/deps.ts'
import { type ConsoleOperator, findConsoleOperator } from '../../use-cases/access/console-session.ts'
import { setCookie } from '../routing/cookie.ts'
import { frameOf } from '../routing/language.ts'
import { sendMessage } from '../routing/response.tsx'
import { sessionRoutes, type VisitRequest } from '../routing/session-routes.ts'
import type { Visit } from '../routing/visit.ts'

const A_DAY_SECONDS = 86_400

/** Returns the name of the cookie. Browsers accept the `__Secure-` prefix only over HTTPS. */
const cookieName = ({ config }: RouteDeps): string =>
  config.PUBLIC_URL.startsWith('https:') ? '__Secure-gatehouse_console' : 'gatehouse_console'

export const consoleToken = (deps: RouteDeps, req: Request): string | undefined =>
  parseCookie(req.headers.cookie ?? '')[cookieName(deps)]

export const setConsoleToken = (
  deps: RouteDeps,
  res: Response,
  value: string,
  maxAge = A_DAY_SECONDS,
): void => setCookie(deps, res, { name: cookieName(deps), value, path: '/console', maxAge })

export const forgetConsole = (deps: RouteDeps, res: Response): void => setConsoleToken(deps, res, '', 0)

/** The visit of an operator to the console. */
export interface ConsoleVisit extends Visit, ConsoleOperator {
  /** Whether the deployment has an OpenID provider. */
  readonly hasProvider: boolean
}

export type ConsoleRequest = VisitRequest<ConsoleVisit>

/** Returns the visit, or null if no operator is signed in. */
export async function findConsoleVisit(deps: RouteDeps, req: Request): Promise<ConsoleVisit | null> {
  const token = consoleToken(deps, req)
  const operator = token === undefined ? null : await findConsoleOperator(deps, token)
  const hasProvider = deps.identityProvider !== null
  return operator && { ...operator, frame: frameOf(req, null), hasProvider }
}

/**
 * Builds routes for operators who have the permission in at least one vault, or for all operators. For other operators,
 * the pages do not exist.
 */
export const consoleSession = (deps: RouteDeps, readForm: RequestHandler, permission?: Permission) =>
  sessionRoutes({
    deps,
    find: async (req) => {
      const visit = await findConsoleVisit(deps, req)
      return visit && (permission === undefined || hasPermission(visit, permission)) ? visit : null
    },
    load: async (visit) => visit,
    refuse: async (req, res) => {
      const path = (req.baseUrl + req.path).replace(/\/$/, '')
      const visit = await findConsoleVisit(deps, req)
      if (!visit && path === '/console/sign_out') res.redirect(303, '/console/sign_in')
      // Does not redirect, so that the operator can sign in, return to the form and send it again.
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
