/**
 * Page: declines reminders. Only a POST declines them, because mail scanners follow links. Mail programs send the same
 * POST from their own servers (RFC 8058), so it needs no session and may come from another origin.
 */
import type { Request, RequestHandler, Response } from 'express'
import { validate as isUuid } from 'uuid'
import type { Vault } from '../../../domain/access/vault.ts'
import type { RouteDeps } from '../../../http/deps.ts'
import { findReminderVault, stopReminders } from '../../../use-cases/applicant/reminders.ts'
import { Button } from '../../components/button.tsx'
import { Page } from '../../components/layout.tsx'
import { frameOf } from '../../routing/language.ts'
import { sendMessage, sendPage } from '../../routing/response.tsx'

export const reminderRoute =
  (deps: RouteDeps): RequestHandler =>
  async (req, res) => {
    const [id, key] = [String(req.params.id), String(req.params.key)]
    const vault = isUuid(id) ? await findReminderVault(deps, id, key) : null
    if (!vault) return sendMessage(res, 404, frameOf(req, null), 'missing')
    const isDeclining = req.method === 'POST'
    if (isDeclining) await stopReminders(deps, id)
    sendReminderPage(req, res, vault, isDeclining)
  }

function sendReminderPage(req: Request, res: Response, vault: Vault, hasDeclined: boolean): void {
  const frame = frameOf(req, vault)
  const { t } = frame
  const name = hasDeclined ? 'reminders.stopped' : 'reminders.ask'
  const icon = hasDeclined ? 'check' : 'clock'
  sendPage(
    res,
    200,
    <Page frame={frame} title={t(name)} icon={icon} lead={t(`${name}.text`, { vault: vault.name })}>
      {hasDeclined ? null : (
        <form method="post" class="dock">
          <Button>{t('reminders.stop')}</Button>
        </form>
      )}
    </Page>,
  )
}
