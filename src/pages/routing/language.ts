/** Determines a reader's language, which a cookie or the browser chooses. */
import type { Request, Response } from 'express'
import type { Vault } from '../../domain/access/vault.ts'
import type { RouteDeps } from '../../http/deps.ts'
import type { Frame } from '../components/layout.tsx'
import { LANGUAGE_NAMES, type Language, languagesAt, translate } from '../texts/index.ts'
import { cookiesOf, setCookie } from './cookie.ts'

const LANGUAGE_COOKIE = 'gatehouse_language'
const A_YEAR_SECONDS = 365 * 86_400

export const isLanguage = (text: unknown): text is Language => LANGUAGE_NAMES.some((name) => name === text)

/** Returns the chosen language, the browser's or the default, whichever the vault offers first. */
function languageOf(req: Request, vault: Vault | null): Language {
  const any = { languages: languagesAt(req.originalUrl), defaultLanguage: 'en' } as const
  const { languages, defaultLanguage } = vault ?? any
  const isOffered = (name: unknown): name is Language => languages.some((each) => each === name)
  const chosen = cookiesOf(req)[LANGUAGE_COOKIE]
  if (isOffered(chosen)) return chosen
  // The default comes first, because Express returns the first language if the browser accepts any.
  const asked = req.acceptsLanguages([defaultLanguage, ...languages])
  return isOffered(asked) ? asked : defaultLanguage
}

type KnownVault = { vault?: Vault | null }

export function frameOf(req: Request, vault: Vault | null): Frame {
  const language = languageOf(req, vault)
  const locals: KnownVault | undefined = req.res?.locals
  if (locals) locals.vault = vault
  return {
    language,
    t: translate(language),
    vault,
    vaultName: vault?.name ?? null,
    path: req.baseUrl + req.path,
  }
}

/** Returns the frame for a failure, with the vault if the request has reached it. */
export const lastFrameOf = (req: Request): Frame =>
  frameOf(req, (req.res?.locals as KnownVault | undefined)?.vault ?? null)

/** Stores the language from the query in a cookie and redirects. Returns false if the query has no valid language. */
export function chooseLanguage(deps: RouteDeps, req: Request, res: Response): boolean {
  const { language } = req.query
  if (!isLanguage(language)) return false
  const path = req.baseUrl.startsWith('/console') ? '/console' : '/verify'
  setCookie(deps, res, { name: LANGUAGE_COOKIE, value: language, path, maxAge: A_YEAR_SECONDS })
  res.redirect(303, req.baseUrl + req.path)
  return true
}
