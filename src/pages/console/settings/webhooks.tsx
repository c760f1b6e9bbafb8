/** Page: the webhooks of a vault. */
import { getWebhookSettings } from '../../../use-cases/webhooks/settings.ts'
import { listUrlsWithHealth } from '../../../use-cases/webhooks/urls.ts'
import { ButtonLink } from '../../components/button.tsx'
import type { UrlHandler } from '../webhook/ask.ts'
import { failingBanner, UrlTable } from '../webhook/list.tsx'
import { type Ask, type Handler, mayAdminister, mayAdministerAll, placeInVault, type Reply } from './ask.ts'
import { vaultPath } from './sections.ts'
import { USERS } from './users.tsx'

export async function webhooksPage(ask: Ask): Promise<Reply> {
  const { deps, visit, t, id } = ask
  const place = await placeInVault(ask, 'webhooks')
  const { longRetries } = await getWebhookSettings(deps, visit, id)
  const user = { operator: visit, vaultId: id }
  const base = vaultPath(id, 'webhooks')
  const urls = await listUrlsWithHealth(deps, user)
  return {
    ...place,
    title: t('settings.webhooks'),
    lead: urls.length > 0 ? t('settings.webhooks.hint') : null,
    children: (
      <>
        {await failingBanner(ask, user, base)}
        {urls.length > 0 ? (
          <p>{t(longRetries ? 'settings.webhooks.longRetries' : 'settings.webhooks.shortRetries')}</p>
        ) : null}
        <UrlTable
          ask={ask}
          urls={urls}
          base={base}
          none="settings.webhooks.none"
          action={
            <>
              {mayAdministerAll(ask) ? (
                <ButtonLink kind="secondary" href={`${USERS}/new`}>
                  {t('settings.newUser')}
                </ButtonLink>
              ) : null}
              <ButtonLink kind="secondary" href={vaultPath(id, 'keys')}>
                {t('settings.keys')}
              </ButtonLink>
            </>
          }
        />
      </>
    ),
  }
}

/** Shows a page of a URL, which clients also see. */
export const ofUrl =
  (handler: UrlHandler): Handler =>
  async (ask) => {
    const { visit, id, urlId } = ask
    const place = await placeInVault(ask, 'webhooks')
    const base = vaultPath(id, 'webhooks')
    const reply = await handler({
      ...ask,
      user: { operator: visit, vaultId: id },
      base,
      path: `${base}/${urlId}`,
      mayChange: mayAdminister(ask, id),
      client: null,
    })
    if (typeof reply === 'string') return reply
    return { ...place, up: { href: base, name: 'settings.webhooks' }, ...reply }
  }
