/** Determines a reader's language, and finds the session and the verification to which it allows access. */

import { timingSafeEqual } from 'node:crypto'
import { parseCookie, stringifySetCookie } from 'cookie'
import type { Request, Response } from 'express'
import { validate as isUuid } from 'uuid'
import { applicantActor } from '../../domain/access/access.ts'
import type { Vault } from '../../domain/access/vault.ts'
import type { SessionScope } from '../../domain/entity/session-scope.ts'
import type { LinkedVerification } from '../../domain/identification/link.ts'
import type { RouteDeps } from '../../http/deps.ts'
import { openHandOver } from '../../use-cases/applicant/hand-over.ts'
import { findSession, openSession } from '../../use-cases/applicant/session.ts'
import type { Frame } from '../components/layout.tsx'
import { LANGUAGE_NAMES, type Language, translate } from '../texts/index.ts'

const LANGUAGE_COOKIE = 'gatehouse_language'
const A_DAY_SECONDS = 86_400
const A_YEAR_SECONDS = 365 * A_DAY_SECONDS

/**
 * Returns the name of the cookie. Browsers accept the `__Secure-` prefix only over HTTPS and with the attribute
 * `Secure`.
 */
const sessionCookie = ({ config }: RouteDeps): string =>
  isSecure(config.PUBLIC_URL) ? '__Secure-gatehouse_session' : 'gatehouse_session'
const isSecure = (publicUrl: string): boolean => publicUrl.startsWith('https:')

const cookiesOf = (req: Request) => parseCookie(req.headers.cookie ?? '')

const isLanguage = (text: unknown): text is Language => LANGUAGE_NAMES.some((name) => name === text)

const ANY_LANGUAGE = { languages: LANGUAGE_NAMES, defaultLanguage: 'en' } as const

/**
 * Returns the first of these languages that the vault offers: the chosen one, the browser's preference, and the
 * default.
 */
function languageOf(req: Request, vault: Vault | null): Language {
  const { languages, defaultLanguage } = vault ?? ANY_LANGUAGE
  const isOffered = (name: unknown): name is Language => languages.some((each) => each === name)
  const chosen = cookiesOf(req)[LANGUAGE_COOKIE]
  if (isOffered(chosen)) return chosen
  // The default comes first, because Express returns the first language if the browser accepts any.
  const asked = req.acceptsLanguages([defaultLanguage, ...languages])
  return isOffered(asked) ? asked : defaultLanguage
}

export function frameOf(req: Request, vault: Vault | null): Frame {
  const language = languageOf(req, vault)
  return {
    language,
    t: translate(language),
    vault,
    vaultName: vault?.name ?? null,
    path: req.baseUrl + req.path,
  }
}

/** Stores the language from the query in a cookie and redirects. Returns false if the query has no valid language. */
export function chooseLanguage(deps: RouteDeps, req: Request, res: Response): boolean {
  const { language } = req.query
  if (!isLanguage(language)) return false
  const path = req.baseUrl.startsWith('/console') ? '/console' : '/verify'
  setCookie(deps, res, { name: LANGUAGE_COOKIE, value: language, path, maxAge: A_YEAR_SECONDS })
  res.redirect(303, req.baseUrl + req.path)
  return true
}

/**
 * Sets a cookie that lasts until the browser closes, unless `maxAge` is set. The cookie is not `Strict`, because
 * readers follow links from emails, tickets and clients' sites.
 */
export function setCookie(
  { config }: RouteDeps,
  res: Response,
  cookie: { name: string; value: string; path: string; maxAge?: number },
): void {
  const secure = isSecure(config.PUBLIC_URL)
  res.append('Set-Cookie', stringifySetCookie({ ...cookie, httpOnly: true, sameSite: 'lax', secure }))
}

export type Form = 'kyb' | 'person'

const baseOf = (form: Form, identificationId: string): string => `/verify/${form}/${identificationId}`

/** Starts a session for this browser. Returns the path of the form, or null if the link has been replaced. */
export async function openForm(
  deps: RouteDeps,
  res: Response,
  form: Form,
  linked: LinkedVerification,
  link: string,
): Promise<string | null> {
  const token = await openSession(deps, linked, link)
  return token && setSession(deps, res, baseOf(form, linked.id), token)
}

/** Starts a session on a phone. Returns the path of the form, or null if the link has expired. */
export async function openFormOnPhone(deps: RouteDeps, res: Response, link: string): Promise<string | null> {
  const opened = await openHandOver(deps, link)
  return opened && setSession(deps, res, baseOf('person', opened.id), opened.session)
}

function setSession(deps: RouteDeps, res: Response, path: string, value: string): string {
  setCookie(deps, res, { name: sessionCookie(deps), value, path, maxAge: A_DAY_SECONDS })
  return path
}

/** Removes the cookie of a session that has ended. */
export const clearSession = (deps: RouteDeps, res: Response, { base }: Pick<Visit, 'base'>): void =>
  setCookie(deps, res, { name: sessionCookie(deps), value: '', path: base, maxAge: 0 })

/** A verification, with the session of one browser. */
export interface Visit {
  /** The ID of the identification. */
  readonly id: string
  readonly frame: Frame
  readonly vaultId: string
  readonly base: string
  /** The token that every form on the page must send. */
  readonly csrf: string
  readonly actor: string
  /** The hash that identifies the session in the database. */
  readonly sessionHash: Buffer
  /** The scope of the session. */
  readonly scope: SessionScope
}

/** Returns the visit, or null if the browser has no session for this verification. */
export async function findVisit(
  deps: RouteDeps,
  req: Request,
  form: Form,
  id: string,
): Promise<Visit | null> {
  const token = cookiesOf(req)[sessionCookie(deps)]
  if (token === undefined || !isUuid(id)) return null
  const session = await findSession(deps, token, id)
  if (!session) return null
  const { vault, csrf, sessionHash, scope } = session
  return {
    id,
    frame: frameOf(req, vault),
    vaultId: vault.id,
    base: baseOf(form, id),
    csrf,
    actor: applicantActor(id),
    sessionHash,
    scope,
  }
}

/**
 * Returns false if the browser reports that another site caused the request. Older browsers send no
 * `Sec-Fetch-Site`.
 */
export function isFromHere(req: Request): boolean {
  const site = req.get('Sec-Fetch-Site')
  return site === undefined || site === 'same-origin' || site === 'none'
}

/**
 * Checks the origin of a form that has no token yet, because there is no session. Older browsers send only `Origin`.
 */
export function isFromOurPage({ config }: RouteDeps, req: Request): boolean {
  const host = req.get('Host')
  // The pages send no referrer, so browsers may send `null` as the origin of a form.
  const ours = [undefined, 'null', config.PUBLIC_URL, `http://${host}`, `https://${host}`]
  return isFromHere(req) && ours.includes(req.get('Origin'))
}

/** Returns true if the form contains the token of this session. */
export function isOurForm(req: Request, csrf: string): boolean {
  const token = (req.body as { _csrf?: unknown } | undefined)?._csrf
  return isFromHere(req) && typeof token === 'string' && isSameToken(Buffer.from(token), Buffer.from(csrf))
}

const isSameToken = (given: Buffer, expected: Buffer): boolean =>
  given.length === expected.length && timingSafeEqual(given, expected)
