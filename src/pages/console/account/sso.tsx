/** Page: single sign-on, with the redirects to the OpenID provider and back. */
import type { Request, Response } from 'express'
import { ipOf } from '../../../http/address.ts'
import type { RouteDeps } from '../../../http/deps.ts'
import { signOutOfConsole } from '../../../use-cases/access/console-session.ts'
import {
  connectIdentity,
  endProviderSessions,
  findEndSessionUrl,
  finishSignIn,
  isConnected,
  PENDING_SECONDS,
  type SingleSignOnRefusal,
  startSignIn,
} from '../../../use-cases/access/single-sign-on.ts'
import { Button, ButtonLink } from '../../components/button.tsx'
import { PostForm } from '../../components/form.tsx'
import type { IconName } from '../../components/icon.tsx'
import { Page } from '../../components/layout.tsx'
import { MessageHead } from '../../components/outcome-hero.tsx'
import { cookiesOf, setCookie } from '../../routing/cookie.ts'
import { frameOf } from '../../routing/language.ts'
import { isFromOurPage } from '../../routing/origin.ts'
import { sendMessage, sendPage } from '../../routing/response.tsx'
import type { Sent } from '../../values/form-values.ts'
import { Shell } from '../base/shell.tsx'
import {
  CLIENT_BASE,
  type ConsoleRequest,
  consoleToken,
  findConsoleVisit,
  forgetConsole,
  setConsoleToken,
} from '../base/visit.ts'

const COOKIE = 'gatehouse_sso'
const COOKIE_PATH = '/console/sso'

const REFUSALS = {
  stale: [400, 'clock'],
  failed: [400, 'circle-alert'],
  unavailable: [503, 'clock'],
  no_group: [403, 'circle-alert'],
  no_email: [403, 'circle-alert'],
  account_exists: [403, 'circle-alert'],
  taken: [403, 'circle-alert'],
  ended: [403, 'circle-alert'],
} as const satisfies Record<SingleSignOnRefusal, readonly [number, IconName]>

/** Returns the path if it belongs to the console, or `/console` otherwise, to prevent open redirects. */
export function consolePathOf(next: unknown): string {
  const path = String(next ?? '')
  return /^\/console(\/[\w/-]*)?$/.test(path) ? path : '/console'
}

export async function startSingleSignOn(deps: RouteDeps, req: Request, res: Response): Promise<void> {
  if (!isFromOurPage(deps, req)) return sendMessage(res, 403, frameOf(req, null), 'stale')
  const started = await startSignIn(deps)
  if ('refused' in started) return sendRefusal(req, res, started.refused)
  setPending(deps, res, `${started.token} ${consolePathOf(req.query.next)}`, PENDING_SECONDS)
  leaveFor(req, res, started.url)
}

/** Opens a session after the sign-in at the provider, or connects the identity to the current account. */
export async function finishSingleSignOn(deps: RouteDeps, req: Request, res: Response): Promise<void> {
  const [token = '', next] = (cookiesOf(req)[COOKIE] ?? '').split(' ')
  setPending(deps, res, '', 0)
  const response = new URL(req.originalUrl, deps.config.PUBLIC_URL).searchParams
  if (next === CONNECT_PATH) {
    const visit = await findConsoleVisit(deps, req)
    const refused = visit ? await connectIdentity(deps, visit, token, response, ipOf(req)) : 'stale'
    return refused === null ? res.redirect(303, CONNECT_PATH) : sendRefusal(req, res, refused)
  }
  const finished = await finishSignIn(deps, token, response, ipOf(req))
  if ('refused' in finished) return sendRefusal(req, res, finished.refused)
  setConsoleToken(deps, res, finished.session)
  res.redirect(303, consolePathOf(next))
}

/** Closes the sessions that the provider's logout token names. */
export async function endSessions(deps: RouteDeps, req: Request, res: Response): Promise<void> {
  const token = String((req.body as Sent | undefined)?.logout_token ?? '')
  if (await endProviderSessions(deps, token)) res.status(200).end()
  else res.status(400).json({ error: 'invalid_request' })
}

const CONNECT_PATH = '/console/single_sign_on'

export async function showConnection({ deps, visit, res }: ConsoleRequest): Promise<void> {
  const { t } = visit.frame
  const connected = await isConnected(deps, visit.userId)
  sendPage(
    res,
    200,
    <Shell visit={visit} title={t('sso.leave.title')}>
      <p>{t(connected ? 'sso.connected' : 'sso.connect.text')}</p>
      {connected ? null : (
        <PostForm visit={visit} action={CONNECT_PATH} class="card settings-card account">
          <Button>{t('sso.connect')}</Button>
        </PostForm>
      )}
    </Shell>,
  )
}

export async function startConnection({ deps, visit, req, res }: ConsoleRequest): Promise<void> {
  const started = await startSignIn(deps, visit.userId)
  if ('refused' in started) return sendRefusal(req, res, started.refused)
  setPending(deps, res, `${started.token} ${CONNECT_PATH}`, PENDING_SECONDS)
  leaveFor(req, res, started.url)
}

/** Returns the address of the sign-in. Members of a vault sign in at the address of its pages. */
function signInPathOf({ grants, seats: [seat] }: ConsoleRequest['visit']): string {
  const next = grants.length === 0 && seat ? `?next=${encodeURIComponent(`${CLIENT_BASE}/${seat.id}`)}` : ''
  return `/console/sign_in${next}`
}

/** Ends the session here and, if it began with single sign-on, at the provider. */
export async function signOut({ deps, visit, req, res }: ConsoleRequest): Promise<void> {
  await signOutOfConsole(deps, consoleToken(deps, req) ?? '')
  forgetConsole(deps, res)
  const url = visit.isSingleSignOn && deps.identityProvider ? await findEndSessionUrl(deps) : null
  if (url === null) res.redirect(303, signInPathOf(visit))
  else leaveFor(req, res, url)
}

const setPending = (deps: RouteDeps, res: Response, value: string, maxAge: number): void =>
  setCookie(deps, res, { name: COOKIE, value, path: COOKIE_PATH, maxAge })

/**
 * Sends a page that immediately opens the address. A redirect would fail: the content security policy also applies to
 * the redirects of a form, and providers redirect to sites that Gatehouse does not know.
 */
function leaveFor(req: Request, res: Response, { href }: URL): void {
  const frame = frameOf(req, null)
  const { t } = frame
  res.setHeader('Refresh', `0; url=${href}`)
  sendPage(
    res,
    200,
    <Page
      frame={{ ...frame, path: '/console/sign_in' }}
      title={t('sso.leave.title')}
      lead={t('sso.leave.text')}
    >
      <p>
        <ButtonLink href={href}>{t('sso.leave.link')}</ButtonLink>
      </p>
    </Page>,
  )
}

function sendRefusal(req: Request, res: Response, refused: SingleSignOnRefusal): void {
  const frame = frameOf(req, null)
  const { t } = frame
  const [status, icon] = REFUSALS[refused]
  sendPage(
    res,
    status,
    <Page
      frame={{ ...frame, path: '/console/sign_in' }}
      title={t(`sso.${refused}.title`)}
      hero={
        <MessageHead icon={icon} title={t(`sso.${refused}.title`)} text={t(`sso.${refused}.text`)}>
          <ButtonLink kind="secondary" href="/console/sign_in">
            {t('sso.again')}
          </ButtonLink>
        </MessageHead>
      }
    />,
  )
}
