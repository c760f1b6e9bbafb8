/** Page: the sign-in to the console. */
import type { Request, Response } from 'express'
import { validate as isUuid } from 'uuid'
import { ipOf } from '../../../http/address.ts'
import type { RouteDeps } from '../../../http/deps.ts'
import { signInToConsole } from '../../../use-cases/access/console-session.ts'
import { LimitReached } from '../../../use-cases/limits/counter.ts'
import { Button } from '../../components/button.tsx'
import { Hint } from '../../components/field-notes.tsx'
import { type Frame, Frameset, OwnSign, Problems } from '../../components/layout.tsx'
import { frameOf } from '../../routing/language.ts'
import { isFromOurPage } from '../../routing/origin.ts'
import { sendPage } from '../../routing/response.tsx'
import type { TextName } from '../../texts/index.ts'
import type { Sent } from '../../values/form-values.ts'
import { CLIENT_BASE, setConsoleToken } from '../base/visit.ts'
import { consolePathOf } from './sso.tsx'

interface SignInProps {
  readonly frame: Frame
  readonly config: RouteDeps['config']
  /** The page that opens after single sign-on. */
  readonly next?: string | undefined
  readonly email?: string
  readonly refused?: TextName | null
}

function SignIn({ frame, frame: { t }, config, next, email = '', refused = null }: SignInProps) {
  const hasSingleSignOn = config.OIDC_ISSUER !== undefined
  const isForEmergencies = config.OPERATOR_PASSWORDS === 'off'
  const password = <PasswordForm frame={frame} email={email} isMain={!hasSingleSignOn} />
  const problems = refused === null ? [] : [{ field: '', message: t(refused) }]
  return (
    <Frameset frame={frame} title={t('console.signIn')} isWrong={refused !== null} look="hosted">
      <header class="hosted-bar">
        <div class="bar-inside">
          <div class="bar-start">
            <OwnSign />
          </div>
        </div>
      </header>
      <div class="columns sign-in">
        <main id="content" class="card flow">
          {refused === null ? null : <Problems t={t} problems={problems} />}
          {refused === 'console.wrong' && vaultIn(consolePathOf(next)) === null ? (
            <p class="hint">{t('console.wrong.member')}</p>
          ) : null}
          <h1>{t('console.signIn')}</h1>
          {hasSingleSignOn ? (
            <form
              method="post"
              class="link-form"
              action={`/console/sso?next=${encodeURIComponent(consolePathOf(next))}`}
            >
              <Button icon="key-round">{t('sso.signIn')}</Button>
            </form>
          ) : null}
          {isForEmergencies ? (
            <details open={refused !== null}>
              <summary>{t('sso.emergency')}</summary>
              {password}
            </details>
          ) : (
            password
          )}
        </main>
      </div>
    </Frameset>
  )
}

interface PasswordFormProps {
  readonly frame: Frame
  readonly email: string
  /** False if the page has another main button. */
  readonly isMain: boolean
}

const PasswordForm = ({ frame: { t }, email, isMain }: PasswordFormProps) => (
  <form method="post" class="link-form">
    <div class="field">
      <label for="email">{t('console.email')}</label>
      <input
        type="email"
        id="email"
        name="email"
        autocomplete="username"
        value={email}
        required
        autofocus={email === ''}
      />
    </div>
    <div class="field">
      <label for="password">{t('console.password')}</label>
      <input type="password" id="password" name="password" autocomplete="current-password" required />
    </div>
    <div class="field">
      <label for="otp_attempt">{t('console.code')}</label>
      <Hint id="otp_attempt" hint={t('console.codeHint')} />
      <input
        type="text"
        id="otp_attempt"
        name="otp_attempt"
        aria-describedby="otp_attempt-hint"
        inputMode="numeric"
        autocomplete="one-time-code"
      />
    </div>
    <Button kind={isMain ? 'filled' : 'secondary'}>{t('console.signIn')}</Button>
  </form>
)

export const showSignIn = ({ config }: RouteDeps, req: Request, res: Response): void =>
  sendPage(res, 200, <SignIn frame={frameOf(req, null)} config={config} next={nextOf(req)} />)

const REFUSALS = {
  wrong: 'console.wrong',
  code_needed: 'console.codeNeeded',
  code_wrong: 'console.codeWrong',
  passwords_off: 'sso.passwordsOff',
} as const satisfies Record<string, TextName>

export async function signInFromForm(deps: RouteDeps, req: Request, res: Response): Promise<void> {
  const frame = frameOf(req, null)
  const { email: given, password, otp_attempt: code } = (req.body ?? {}) as Sent
  const email = String(given ?? '').trim()
  const refuse = (status: number, refused: TextName) =>
    sendPage(
      res,
      status,
      <SignIn frame={frame} config={deps.config} next={nextOf(req)} email={email} refused={refused} />,
    )
  if (!isFromOurPage(deps, req)) return refuse(403, 'console.foreign')
  const credentials = {
    email,
    password: String(password ?? ''),
    code: String(code ?? '').replaceAll(' ', '') || undefined,
    vaultId: vaultIn(nextOf(req)),
  }
  try {
    const signedIn = await signInToConsole(deps, credentials, ipOf(req))
    if ('refused' in signedIn) return refuse(422, REFUSALS[signedIn.refused])
    setConsoleToken(deps, res, signedIn.token)
    res.redirect(303, nextOf(req))
  } catch (error) {
    if (!(error instanceof LimitReached)) throw error
    res.setHeader('Retry-After', Math.ceil(error.waitMs / 1000))
    refuse(429, 'console.tooMany')
  }
}

/** Returns the vault whose page opens after the sign-in, or null. */
function vaultIn(next: string): string | null {
  const [, id = ''] = next.toLowerCase().split(`${CLIENT_BASE}/`)
  const [vaultId = ''] = id.split('/')
  return isUuid(vaultId) ? vaultId : null
}

const nextOf = ({ query }: Request): string => consolePathOf(query.next)
