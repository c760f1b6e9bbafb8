/** Page: the state of single sign-on, and the addresses to enter at the provider. */
import type { Response } from 'express'
import type { RouteDeps } from '../../../http/deps.ts'
import { checkProvider } from '../../../use-cases/access/single-sign-on.ts'
import { Chip } from '../../components/chip.tsx'
import { CopyField } from '../../components/copy.tsx'
import { sendPage } from '../../routing/response.tsx'
import type { TextName } from '../../texts/index.ts'
import type { ConsoleVisit } from '../visit.ts'
import { Settings } from './shell.tsx'

export async function showSingleSignOn(deps: RouteDeps, visit: ConsoleVisit, res: Response): Promise<void> {
  const { t } = visit.frame
  const { identityProvider: provider, config } = deps
  const page = { visit, section: 'sso', title: t('sso.leave.title') } as const
  if (!provider)
    return sendPage(
      res,
      200,
      <Settings {...page} lead={t('settings.sso.off')}>
        <p>
          <code>OIDC_ISSUER</code>, <code>OIDC_CLIENT_ID</code>, <code>OIDC_CLIENT_SECRET</code>
        </p>
      </Settings>,
    )
  const problem = await checkProvider(deps)
  const addresses: readonly (readonly [id: string, name: TextName, address: string])[] = [
    ['redirect_uri', 'settings.sso.redirect', provider.redirectUri],
    ['sign_out_uri', 'settings.sso.signOut', provider.signOutUri],
    ['logout_uri', 'settings.sso.logout', provider.logoutUri],
    ...(config.SCIM_TOKEN === undefined
      ? []
      : ([['scim_url', 'settings.sso.scim', `${config.PUBLIC_URL}/scim/v2`]] as const)),
  ]
  sendPage(
    res,
    200,
    <Settings {...page} lead={t('settings.sso.lead')}>
      <div class="card settings-card">
        <p>
          {config.OIDC_ISSUER}{' '}
          {problem === null ? (
            <Chip tone="success" icon="shield-check">
              {t('settings.sso.reached')}
            </Chip>
          ) : (
            <Chip tone="warning" icon="circle-alert">
              {t('settings.sso.notReached')}
            </Chip>
          )}
        </p>
        {problem === null ? null : (
          <p>
            {t('settings.sso.problem')} <code>{problem}</code>
          </p>
        )}
        {addresses.map(([id, name, address]) => (
          <CopyField key={id} frame={page.visit.frame} id={id} label={t(name)} value={address} />
        ))}
        <p>{t('settings.sso.groups')}</p>
      </div>
    </Settings>,
  )
}
