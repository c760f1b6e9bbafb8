/** A reader of pages: the language, the session, and the company's application that the session opens. */
import { parseCookie, stringifySetCookie } from 'cookie'
import { csrfSync } from 'csrf-sync'
import type { Request, Response } from 'express'
import { validate as isUuid } from 'uuid'
import { findIdentification, vaultOfIdentification } from '../db/identification.ts'
import { findKybApplication, findKybOfIdentification, type KybApplication } from '../db/kyb-application.ts'
import { isPageSession, openPageSession } from '../db/page-session.ts'
import { findVault } from '../db/vault.ts'
import type { EntityRef } from '../domain/entity.ts'
import type { RouteDeps } from '../http/deps.ts'
import { newToken } from '../storage/random.ts'
import type { Frame } from './layout.tsx'
import { LANGUAGE_NAMES, type Language, translate } from './texts/index.ts'

const LANGUAGE_COOKIE = 'gatehouse_language'
const A_DAY_SECONDS = 86_400
const A_YEAR_SECONDS = 365 * A_DAY_SECONDS

/** A cookie that no other site sets is named so; browsers take the name over https alone. */
const sessionCookie = ({ config }: RouteDeps): string =>
  isSecure(config.PUBLIC_URL) ? '__Host-gatehouse_session' : 'gatehouse_session'
const isSecure = (publicUrl: string): boolean => publicUrl.startsWith('https:')

const cookiesOf = (req: Request) => parseCookie(req.headers.cookie ?? '')

const isLanguage = (text: unknown): text is Language => LANGUAGE_NAMES.some((name) => name === text)

/** What was chosen before, else what the browser asks for. */
export function languageOf(req: Request): Language {
  const chosen = cookiesOf(req)[LANGUAGE_COOKIE]
  if (isLanguage(chosen)) return chosen
  const asked = req.acceptsLanguages([...LANGUAGE_NAMES])
  return isLanguage(asked) ? asked : 'en'
}

export function frameOf(req: Request, vaultName: string | null): Frame {
  const language = languageOf(req)
  return { language, t: translate(language), vaultName, path: req.baseUrl + req.path }
}

/** Keeps the language that a link names, and shows the page without it. False when none was named. */
export function chooseLanguage({ config }: RouteDeps, req: Request, res: Response): boolean {
  const { language } = req.query
  if (!isLanguage(language)) return false
  setCookie(res, LANGUAGE_COOKIE, language, isSecure(config.PUBLIC_URL), A_YEAR_SECONDS)
  res.redirect(303, req.baseUrl + req.path)
  return true
}

/** Not `Strict`: the first page is reached from a mail, or from the client's site. */
function setCookie(res: Response, name: string, value: string, secure: boolean, maxAge: number): void {
  const options = { path: '/', httpOnly: true, sameSite: 'lax', secure, maxAge } as const
  res.append('Set-Cookie', stringifySetCookie({ name, value, ...options }))
}

/** The browser may fill the verification in from now on, beside those that it could before. */
export async function openSession(
  deps: RouteDeps,
  req: Request,
  res: Response,
  identificationId: string,
): Promise<void> {
  const name = sessionCookie(deps)
  const token = cookiesOf(req)[name] ?? newToken()
  await openPageSession(deps.db, token, identificationId)
  setCookie(res, name, token, isSecure(deps.config.PUBLIC_URL), A_DAY_SECONDS)
}

/** A company's form as one browser sees it. */
export interface Visit {
  readonly frame: Frame
  readonly target: EntityRef<'kyb'>
  readonly application: KybApplication
  /** Below which the form's pages are. */
  readonly base: string
  /** Goes with every form of the page, and comes back with it. */
  readonly csrf: string
  readonly actor: string
}

/** Null when the browser's session does not open this verification. */
export async function findVisit(deps: RouteDeps, req: Request, id: string): Promise<Visit | null> {
  const { db } = deps
  const token = cookiesOf(req)[sessionCookie(deps)]
  if (token === undefined || !isUuid(id) || !(await isPageSession(db, token, id))) return null
  const vaultId = await vaultOfIdentification(db, id)
  if (vaultId === null) return null
  const identification = await findIdentification(db, vaultId, id)
  const kyb = await findKybOfIdentification(db, vaultId, id)
  const application = kyb && (await findKybApplication(db, vaultId, kyb.id))
  if (!identification || identification.erasedAt || !application) return null
  const vault = await findVault(db, vaultId)
  return {
    frame: frameOf(req, vault?.name ?? ''),
    target: { entity: 'kyb', id: application.id, vaultId },
    application,
    base: `/verify/kyb/${id}`,
    csrf: csrfOf(deps, token),
    actor: `applicant:${id}`,
  }
}

/** It follows from the session, so that showing a page writes nothing. */
const csrfOf = ({ db }: RouteDeps, token: string): string =>
  db.encryption.hash(token, 'page_csrf').toString('base64url')

/** Whether a form was sent from a page of ours: it has the token, and browsers that say whence say so. */
export function isOurForm(req: Request, csrf: string): boolean {
  const site = req.get('Sec-Fetch-Site')
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false
  const { isRequestValid } = csrfSync({
    getTokenFromRequest: ({ body }) => (body as { _csrf?: string } | undefined)?._csrf,
    getTokenFromState: () => csrf,
    storeTokenInState: () => {},
  })
  return isRequestValid(req)
}
