/** An operator at the console: who it is, in which language, and the token of the forms. */
import { parseCookie, stringifySetCookie } from 'cookie'
import type { Request, Response } from 'express'
import { findConsoleSession, openConsoleSession } from '../../db/console-session.ts'
import type { User } from '../../db/user.ts'
import type { RouteDeps } from '../../http/deps.ts'
import { newToken } from '../../storage/random.ts'
import type { Frame } from '../layout.tsx'
import { frameOf } from '../visit.ts'

const A_DAY_SECONDS = 86_400

/** As for the pages of applicants, browsers take the name over https alone. */
const cookieName = ({ config }: RouteDeps): string =>
  config.PUBLIC_URL.startsWith('https:') ? '__Secure-gatehouse_console' : 'gatehouse_console'

export const consoleToken = (deps: RouteDeps, req: Request): string | undefined =>
  parseCookie(req.headers.cookie ?? '')[cookieName(deps)]

/** Not `Strict`: links to the console stand in tickets and mails. */
function setCookie(deps: RouteDeps, res: Response, value: string, maxAge: number): void {
  const secure = deps.config.PUBLIC_URL.startsWith('https:')
  const cookie = { name: cookieName(deps), value, path: '/console', maxAge, httpOnly: true, secure }
  res.append('Set-Cookie', stringifySetCookie({ ...cookie, sameSite: 'lax' }))
}

export async function openConsole(deps: RouteDeps, res: Response, user: User): Promise<void> {
  const token = newToken()
  await openConsoleSession(deps.db, token, user)
  setCookie(deps, res, token, A_DAY_SECONDS)
}

export const forgetConsole = (deps: RouteDeps, res: Response): void => setCookie(deps, res, '', 0)

/** A page of the console as its reader sees it. */
export interface ConsoleVisit {
  readonly frame: Frame
  readonly csrf: string
  readonly userId: string
  /** How timelines name the operator. */
  readonly actor: string
}

/** Null when nobody is signed in who may review. */
export async function findConsoleVisit(deps: RouteDeps, req: Request): Promise<ConsoleVisit | null> {
  const token = consoleToken(deps, req)
  const user = token === undefined ? null : await findConsoleSession(deps.db, token)
  if (!user || token === undefined || !mayReview(user)) return null
  return {
    frame: frameOf(req, null),
    csrf: deps.db.encryption.hash(token, 'console_csrf').toString('base64url'),
    userId: user.id,
    actor: `operator:${user.id}`,
  }
}

/** A password that somebody else made is good for choosing another one, and for nothing else. */
export const mayReview = ({
  operatorRoles,
  passwordExpiresAt,
}: Pick<User, 'operatorRoles' | 'passwordExpiresAt'>): boolean =>
  operatorRoles.includes('operator_review') && passwordExpiresAt === null
