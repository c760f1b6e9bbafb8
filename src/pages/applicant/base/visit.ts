/** Starts and finds the session of an applicant's browser, and the verification to which it allows access. */
import type { Request, Response } from 'express'
import { validate as isUuid } from 'uuid'
import { applicantActor } from '../../../domain/access/access.ts'
import type { SessionScope } from '../../../domain/entity/session-scope.ts'
import type { LinkedVerification } from '../../../domain/identification/link.ts'
import type { RouteDeps } from '../../../http/deps.ts'
import { followHandOver } from '../../../use-cases/applicant/hand-over.ts'
import { findSession, keepLanguage, startSession } from '../../../use-cases/applicant/session.ts'
import type { Frame } from '../../components/layout.tsx'
import { cookiesOf, isSecure, setCookie } from '../../routing/cookie.ts'
import { frameOf } from '../../routing/language.ts'
import type { Visit } from '../../routing/visit.ts'

const A_DAY_SECONDS = 86_400

/** Browsers accept the `__Secure-` prefix only over HTTPS and with the attribute `Secure`. */
const sessionCookie = ({ config }: RouteDeps): string =>
  isSecure(config.PUBLIC_URL) ? '__Secure-gatehouse_session' : 'gatehouse_session'

export type Form = 'kyb' | 'person'

const baseOf = (form: Form, identificationId: string): string => `/verify/${form}/${identificationId}`

/**
 * Runs work that loads or renders a page in one of the slots for pages. The limit applies to each verification, because
 * a verification can have many sessions.
 */
export const takeTurn = <T>(
  deps: RouteDeps,
  { id, vaultId }: Pick<ApplicantVisit, 'id' | 'vaultId'>,
  work: () => Promise<T>,
): Promise<T> => deps.showing.run({ vaultId, caller: applicantActor(id) }, work)

/** Starts a session for this browser. Returns the path of the form, or null if the link has been replaced. */
export async function startForm(
  deps: RouteDeps,
  res: Response,
  form: Form,
  linked: LinkedVerification,
  link: string,
): Promise<string | null> {
  const token = await takeTurn(deps, { id: linked.id, vaultId: linked.vault.id }, () =>
    startSession(deps, linked, link),
  )
  return token && setSession(deps, res, baseOf(form, linked.id), token)
}

/** Starts a session on a phone. Returns the path of the form, or null if the link has expired. */
export async function startFormOnPhone(deps: RouteDeps, res: Response, link: string): Promise<string | null> {
  const opened = await followHandOver(deps, link)
  return opened && setSession(deps, res, baseOf('person', opened.id), opened.session)
}

function setSession(deps: RouteDeps, res: Response, path: string, value: string): string {
  setCookie(deps, res, { name: sessionCookie(deps), value, path, maxAge: A_DAY_SECONDS })
  return path
}

export const clearSession = (deps: RouteDeps, res: Response, { base }: Pick<ApplicantVisit, 'base'>): void =>
  setCookie(deps, res, { name: sessionCookie(deps), value: '', path: base, maxAge: 0 })

export interface ApplicantVisit extends Visit {
  /** The ID of the identification. */
  readonly id: string
  readonly vaultId: string
  readonly base: string
  /** The hash that identifies the session in the database. */
  readonly sessionHash: Buffer
  readonly scope: SessionScope
}

/** Returns the visit, or null if the browser has no session for this verification. */
export async function findVisit(
  deps: RouteDeps,
  req: Request,
  form: Form,
  id: string,
): Promise<ApplicantVisit | null> {
  const token = cookiesOf(req)[sessionCookie(deps)]
  if (token === undefined || !isUuid(id)) return null
  const session = await findSession(deps, token, id)
  if (!session) return null
  const { vault, csrf, sessionHash, scope } = session
  const frame = frameOf(req, vault)
  if (session.language !== frame.language) await keepLanguage(deps, id, frame.language)
  return {
    id,
    frame,
    vaultId: vault.id,
    base: baseOf(form, id),
    csrf,
    actor: applicantActor(id),
    sessionHash,
    scope,
  }
}

/** Returns a visit without a session, for previews, which show neither photos nor owners' links. */
export const anonymousVisit = (
  frame: Frame,
  { id, vaultId }: Pick<ApplicantVisit, 'id' | 'vaultId'>,
  base: string,
): ApplicantVisit => ({
  frame,
  id,
  vaultId,
  base,
  csrf: '',
  scope: 'everything',
  actor: '',
  sessionHash: Buffer.alloc(0),
})
