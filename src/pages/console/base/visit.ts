/** Finds the user of a console session, and builds routes that require one. */
import type { Request, RequestHandler, Response } from 'express'
import { hasPermission, type Permission } from '../../../domain/access/grant.ts'
import { isSeatPermission, type SeatPermission, seatPermits } from '../../../domain/access/seat.ts'
import { RequestRefused } from '../../../domain/base/errors.ts'
import type { RouteDeps } from '../../../http/deps.ts'
import { ANONYMOUS, type Reader, readerOf, shareOf } from '../../../use-cases/access/caller.ts'
import { type ConsoleUser, findConsoleUser } from '../../../use-cases/access/console-session.ts'
import { cookiesOf, isSecure, setCookie } from '../../routing/cookie.ts'
import { frameOf } from '../../routing/language.ts'
import { sendMessage } from '../../routing/response.tsx'
import { sessionRoutes, type VisitRequest } from '../../routing/session-routes.ts'
import type { Visit } from '../../routing/visit.ts'
import { takeFlash } from './flash.ts'

const A_DAY_SECONDS = 86_400

/** Returns the name of the cookie. Browsers accept the `__Secure-` prefix only over HTTPS. */
const cookieName = ({ config }: RouteDeps): string =>
  isSecure(config.PUBLIC_URL) ? '__Secure-gatehouse_console' : 'gatehouse_console'

export const consoleToken = (deps: RouteDeps, req: Request): string | undefined =>
  cookiesOf(req)[cookieName(deps)]

export const setConsoleToken = (
  deps: RouteDeps,
  res: Response,
  value: string,
  maxAge = A_DAY_SECONDS,
): void => setCookie(deps, res, { name: cookieName(deps), value, path: '/console', maxAge })

export const forgetConsole = (deps: RouteDeps, res: Response): void => setConsoleToken(deps, res, '', 0)

export interface ConsoleVisit extends Visit, ConsoleUser {
  readonly hasProvider: boolean
  /** The text about the last action, which the page shows once. */
  readonly notice?: string | undefined
}

export type ConsoleRequest = VisitRequest<ConsoleVisit>

export type ConsolePermission = Permission | SeatPermission

/**
 * Returns whether the user has the permission in at least one vault. No permission of an operator applies to a vault's
 * own users, so they reach only routes that require a permission of theirs.
 */
export const mayUse = (visit: ConsoleVisit, needed: ConsolePermission): boolean =>
  isSeatPermission(needed)
    ? visit.seats.some((seat) => seatPermits(seat, needed))
    : hasPermission(visit, needed)

/** Returns the visit, or null if no one is signed in. */
export async function findConsoleVisit(deps: RouteDeps, req: Request): Promise<ConsoleVisit | null> {
  const token = consoleToken(deps, req)
  const user = token === undefined ? null : await findConsoleUser(deps, token)
  const hasProvider = deps.identityProvider !== null
  return user && { ...user, frame: frameOf(req, null), hasProvider }
}

/**
 * Builds routes for users who have the permission in at least one vault. For other users, the pages do not exist.
 * Without a permission, builds routes about the user's own account.
 */
export const consoleSession = (deps: RouteDeps, readForm: RequestHandler, permission?: ConsolePermission) =>
  sessionRoutes({
    deps,
    find: async (req, res) => {
      const visit = await findConsoleVisit(deps, req)
      if (!visit || (permission !== undefined && !mayUse(visit, permission))) return null
      // Counts the requests of vaults' own users as those to the API. Operators have no limit.
      await deps.limit({ ...ANONYMOUS, actor: visit.actor }, req, res)
      return visit
    },
    load: async (visit, own, res) =>
      res.req.method === 'GET' ? { ...visit, notice: await takeFlash(own, visit, res) } : visit,
    refuse: async (req, res) => {
      const path = (req.baseUrl + req.path).replace(/\/$/, '')
      const visit = await findConsoleVisit(deps, req)
      if (!visit && path === '/console/sign_out') res.redirect(303, '/console/sign_in')
      // Does not redirect, so that the operator can sign in, return to the form and send it again.
      else if (!visit && req.method === 'POST')
        sendMessage(res, 401, { ...frameOf(req, null), path: '/console' }, 'console.unsaved')
      else if (!visit) res.redirect(303, `/console/sign_in?next=${encodeURIComponent(path)}`)
      else if (visit.mustChoosePassword) res.redirect(303, '/console/password')
      else if (path === '/console') res.redirect(303, startOf(visit))
      else throw new RequestRefused({ code: 'not_found' })
    },
    readForm,
    turn: (visit, show) => deps.reading.run(shareOf(readerIn(visit)), show),
    // The forms of operators have no limit, as their other changes.
    formTurn: (visit, take) =>
      visit.grants.length > 0 ? take() : deps.changing(readerOf(readerIn(visit)), take),
  })

const readerIn = ({ actor, grants, seats }: ConsoleVisit): Reader => ({
  actor,
  vaults: grants.length > 0 ? [] : seats,
})

/** Returns the first page of users who do not read the queue. */
const startOf = (visit: ConsoleVisit): string =>
  hasPermission(visit, 'read_settings') ? '/console/settings' : CLIENT_BASE

/** The address of the pages for vaults' own users. */
export const CLIENT_BASE = '/console/client'

export const seatPath = (vaultId: string, ...rest: readonly string[]): string =>
  [CLIENT_BASE, vaultId, ...rest].join('/')
