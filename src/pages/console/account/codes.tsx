/** Page: the operator's own one-time codes. Operators enrol themselves, and only they see the secret. */
import type { Response } from 'express'
import { renderSVG } from 'uqr'
import { parseOrRefuse } from '../../../contracts/check.ts'
import { confirmOtpBody, enrolOtpBody } from '../../../contracts/user.ts'
import { byOf, ipOf } from '../../../http/address.ts'
import type { RouteDeps } from '../../../http/deps.ts'
import { confirmOtp, enrolOtp, type OtpEnrolment } from '../../../use-cases/access/user-otp.ts'
import { getUser } from '../../../use-cases/access/users.ts'
import { Button } from '../../components/button.tsx'
import { PostForm } from '../../components/form.tsx'
import { sendPage } from '../../routing/response.tsx'
import type { Sent } from '../../values/form-values.ts'
import { flashAt } from '../base/flash.ts'
import { type FormState, NEW_FORM, runForm, textOf } from '../base/form.ts'
import { Input } from '../base/inputs.tsx'
import { Shell } from '../base/shell.tsx'
import type { ConsoleRequest, ConsoleVisit } from '../base/visit.ts'

const PATH = '/console/codes'

export async function showCodes(
  deps: RouteDeps,
  visit: ConsoleVisit,
  res: Response,
  again: FormState = NEW_FORM,
): Promise<void> {
  const { frame } = visit
  const { t } = frame
  const { otpRequiredForLogin: isOn } = await getUser(deps, visit.userId)
  // Passwords and codes are not shown again.
  const about = { frame, again: { ...again, typed: null }, required: true }
  sendPage(
    res,
    again.status,
    <Shell visit={visit} title={t('codes.title')} problems={again.problems}>
      <p>{t(isOn ? 'codes.on' : 'codes.off')}</p>
      <PostForm visit={visit} action={PATH} class="card settings-card account">
        <Input {...about} name="current_password" type="password" autocomplete="current-password" />
        {isOn ? <Input {...about} name="otp_attempt" autocomplete="one-time-code" /> : null}
        <Button>{t(isOn ? 'codes.replace' : 'codes.begin')}</Button>
      </PostForm>
    </Shell>,
  )
}

/** Creates a secret and shows it in the response. No other page shows the secret. */
export async function enrolFromForm({ deps, visit, req, res }: ConsoleRequest): Promise<void> {
  const sent = (req.body ?? {}) as Sent
  const refused = await runForm(visit.frame, {}, async () => {
    const code = textOf(sent, 'otp_attempt')
    const asked = parseOrRefuse(enrolOtpBody, {
      current_password: String(sent.current_password ?? ''),
      ...(code !== null && { otp_attempt: code }),
    })
    const account = { userId: visit.userId, by: byOf(visit, req), ip: ipOf(req) }
    const proof = { password: asked.current_password, code: asked.otp_attempt }
    showSecret(visit, res, await enrolOtp(deps, account, proof))
  })
  if (refused) await showCodes(deps, visit, res, refused)
}

function showSecret(visit: ConsoleVisit, res: Response, { secret, url }: OtpEnrolment): void {
  const { frame } = visit
  const { t } = frame
  const groups = secret.match(/.{1,4}/g) ?? []
  sendPage(
    res,
    200,
    <Shell visit={visit} title={t('codes.title')} problems={[]}>
      <PostForm visit={visit} action={`${PATH}/confirm`} class="card settings-card account">
        <ol>
          <li>{t('codes.scan')}</li>
          <li>{t('codes.confirm')}</li>
        </ol>
        <figure class="otp">
          <div role="img" aria-label={t('codes.qr')} dangerouslySetInnerHTML={{ __html: renderSVG(url) }} />
          <figcaption>
            {t('codes.secret')} <code>{groups.join(' ')}</code>
          </figcaption>
        </figure>
        <Input frame={frame} again={NEW_FORM} required name="code" autocomplete="one-time-code" />
        <Button>{t('codes.finish')}</Button>
      </PostForm>
    </Shell>,
  )
}

/** Confirms the secret. If the code is wrong, shows the first step again, because the secret is shown only once. */
export async function confirmFromForm({ deps, visit, req, res }: ConsoleRequest): Promise<void> {
  const sent = (req.body ?? {}) as Sent
  const refused = await runForm(visit.frame, {}, async () => {
    const { code } = parseOrRefuse(confirmOtpBody, { code: textOf(sent, 'code') ?? '' })
    await confirmOtp(deps, byOf(visit, req), visit.userId, code)
    res.redirect(303, flashAt(deps, res, PATH, 'codesOn'))
  })
  if (refused) await showCodes(deps, visit, res, refused)
}
