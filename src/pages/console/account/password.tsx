/** Page: operators change their own password. Operators with a one-time password must do this first. */
import type { Response } from 'express'
import { parseOrRefuse } from '../../../contracts/check.ts'
import { changePasswordBody } from '../../../contracts/session.ts'
import { byOf, ipOf } from '../../../http/address.ts'
import { changePasswordInConsole } from '../../../use-cases/access/console-session.ts'
import { Button } from '../../components/button.tsx'
import { PostForm } from '../../components/form.tsx'
import { sendPage } from '../../routing/response.tsx'
import type { Sent } from '../../values/form-values.ts'
import { flashAt } from '../base/flash.ts'
import { type FormState, NEW_FORM, runForm } from '../base/form.ts'
import { Input } from '../base/inputs.tsx'
import { Shell } from '../base/shell.tsx'
import { type ConsoleRequest, type ConsoleVisit, setConsoleToken } from '../base/visit.ts'

export function showPassword(visit: ConsoleVisit, res: Response, again: FormState = NEW_FORM): void {
  const { frame } = visit
  const { t } = frame
  // Passwords are not shown again.
  const about = { frame, again: { ...again, typed: null }, required: true }
  sendPage(
    res,
    again.status,
    <Shell visit={visit} title={t('settings.password.change')} problems={again.problems}>
      <p>{t(visit.mustChoosePassword ? 'settings.password.must' : 'settings.password.ends')}</p>
      <PostForm visit={visit} action="/console/password" class="card settings-card account">
        <Input {...about} name="current_password" type="password" autocomplete="current-password" />
        <Input
          {...about}
          name="new_password"
          type="password"
          autocomplete="new-password"
          hint={t('settings.new_password.hint')}
        />
        <Button>{t('settings.password.change')}</Button>
      </PostForm>
    </Shell>,
  )
}

export async function changeOwnPassword({ deps, visit, req, res }: ConsoleRequest): Promise<void> {
  const { current_password = '', new_password = '' } = (req.body ?? {}) as Sent
  const refused = await runForm(visit.frame, {}, async () => {
    const body = parseOrRefuse(changePasswordBody, { current_password, new_password })
    const account = { userId: visit.userId, by: byOf(visit, req), ip: ipOf(req) }
    const change = { current: body.current_password, next: body.new_password }
    setConsoleToken(deps, res, await changePasswordInConsole(deps, account, change))
    res.redirect(303, flashAt(deps, res, '/console', 'passwordChanged'))
  })
  if (refused) showPassword(visit, res, refused)
}
