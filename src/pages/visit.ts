/** A reader of pages: the language, and the session with the verification that it opens. */

import { timingSafeEqual } from 'node:crypto'
import { parseCookie, stringifySetCookie } from 'cookie'
import type { Request, Response } from 'express'
import { validate as isUuid } from 'uuid'
import type { Vault } from '../domain/access/vault.ts'
import type { LinkedVerification } from '../domain/identification/link.ts'
import type { RouteDeps } from '../http/deps.ts'
import { findSession, openSession } from '../use-cases/applicant/session.ts'
import type { Frame } from './components/layout.tsx'
import { LANGUAGE_NAMES, type Language, translate } from './texts/index.ts'

const LANGUAGE_COOKIE = 'gatehouse_language'
const A_DAY_SECONDS = 86_400
const A_YEAR_SECONDS = 365 * A_DAY_SECONDS

/** Browsers take the name over https alone, with `Secure`. */
const sessionCookie = ({ config }: RouteDeps): string =>
  isSecure(config.PUBLIC_URL) ? '__Secure-gatehouse_session' : 'gatehouse_session'
const isSecure = (publicUrl: string): boolean => publicUrl.startsWith('https:')

const cookiesOf = (req: Request) => parseCookie(req.headers.cookie ?? '')

const isLanguage = (text: unknown): text is Language => LANGUAGE_NAMES.some((name) => name === text)

const ANY_LANGUAGE = { languages: LANGUAGE_NAMES, defaultLanguage: 'en' } as const

/** What was chosen before, else what the browser asks for, among those that the vault has. */
function languageOf(req: Request, vault: Vault | null): Language {
  const { languages, defaultLanguage } = vault ?? ANY_LANGUAGE
  const isOffered = (name: unknown): name is Language => languages.some((each) => each === name)
  const chosen = cookiesOf(req)[LANGUAGE_COOKIE]
  if (isOffered(chosen)) return chosen
  // The first of them where the browser takes any.
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

/** Keeps the language that a link names, and shows the page without it. False when none was named. */
export function chooseLanguage(deps: RouteDeps, req: Request, res: Response): boolean {
  const { language } = req.query
  if (!isLanguage(language)) return false
  const path = req.baseUrl.startsWith('/console') ? '/console' : '/verify'
  setCookie(deps, res, { name: LANGUAGE_COOKIE, value: language, path, maxAge: A_YEAR_SECONDS })
  res.redirect(303, req.baseUrl + req.path)
  return true
}

/** Until the browser is closed, without `maxAge`. Not `Strict`: pages are reached from mails, tickets and clients' sites. */
export function setCookie(
  { config }: RouteDeps,
  res: Response,
  cookie: { name: string; value: string; path: string; maxAge?: number },
): void {
  const secure = isSecure(config.PUBLIC_URL)
  res.append('Set-Cookie', stringifySetCookie({ ...cookie, httpOnly: true, sameSite: 'lax', secure }))
}

/** What is filled in: a company's form, or a person's. */
export type Form = 'kyb' | 'person'

/** Below which the form's pages are. */
const baseOf = (form: Form, identificationId: string): string => `/verify/${form}/${identificationId}`

/** Opens the form to this browser. Returns the form's address, or null if the link was replaced in the meantime. */
export async function openForm(
  deps: RouteDeps,
  res: Response,
  form: Form,
  linked: LinkedVerification,
  link: string,
): Promise<string | null> {
  const token = await openSession(deps, linked, link)
  if (token === null) return null
  const path = baseOf(form, linked.id)
  setCookie(deps, res, { name: sessionCookie(deps), value: token, path, maxAge: A_DAY_SECONDS })
  return path
}

/** A verification as one browser sees it. */
export interface Visit {
  /** Of the identification. */
  readonly id: string
  readonly frame: Frame
  readonly vaultId: string
  readonly base: string
  /** Goes with every form of the page, and comes back with it. */
  readonly csrf: string
  readonly actor: string
  /** By which rows name the session. */
  readonly sessionHash: Buffer
}

/** Null when the browser's session does not open this verification. */
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
  const { vault, csrf, sessionHash } = session
  return {
    id,
    frame: frameOf(req, vault),
    vaultId: vault.id,
    base: baseOf(form, id),
    csrf,
    actor: `applicant:${id}`,
    sessionHash,
  }
}

/** What browsers say, those that say whence a request comes. */
export function isFromHere(req: Request): boolean {
  const site = req.get('Sec-Fetch-Site')
  return site === undefined || site === 'same-origin' || site === 'none'
}

/** The same where there is no session yet, whose token a form would carry: older browsers name an origin alone. */
export function isFromOurPage({ config }: RouteDeps, req: Request): boolean {
  const host = req.get('Host')
  // Our pages send no referrer, of whose forms browsers write null.
  const ours = [undefined, 'null', config.PUBLIC_URL, `http://${host}`, `https://${host}`]
  return isFromHere(req) && ours.includes(req.get('Origin'))
}

/** Whether a form was sent from a page that was shown in this session. */
export function isOurForm(req: Request, csrf: string): boolean {
  const token = (req.body as { _csrf?: unknown } | undefined)?._csrf
  return isFromHere(req) && typeof token === 'string' && isSameToken(Buffer.from(token), Buffer.from(csrf))
}

const isSameToken = (given: Buffer, expected: Buffer): boolean =>
  given.length === expected.length && timingSafeEqual(given, expected)
