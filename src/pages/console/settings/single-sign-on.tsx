/** Page: the state of single sign-on, and the addresses to enter at the provider. */
import { checkProvider } from '../../../use-cases/access/single-sign-on.ts'
import { Chip } from '../../components/chip.tsx'
import { CopyField } from '../../components/copy.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import type { TextName } from '../../texts/index.ts'
import type { Ask, Reply } from './ask.ts'

export async function singleSignOnPage({ deps, frame, t }: Ask): Promise<Reply> {
  const { identityProvider: provider, config } = deps
  const page = { section: 'sso', title: t('sso.leave.title') } as const
  if (!provider) {
    const settings = (
      <EmptyState icon="log-in" text={t('settings.sso.off')}>
        {['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'].map((name) => (
          <code key={name}>{name}</code>
        ))}
      </EmptyState>
    )
    return { ...page, children: settings }
  }
  const problem = await checkProvider(deps)
  const addresses: readonly (readonly [id: string, name: TextName, address: string])[] = [
    ['redirect_uri', 'settings.sso.redirect', provider.redirectUri],
    ['sign_out_uri', 'settings.sso.signOut', provider.signOutUri],
    ['logout_uri', 'settings.sso.logout', provider.logoutUri],
    ...(config.SCIM_TOKEN === undefined
      ? []
      : ([['scim_url', 'settings.sso.scim', `${config.PUBLIC_URL}/scim/v2`]] as const)),
  ]
  return {
    ...page,
    lead: t('settings.sso.lead'),
    children: (
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
          <CopyField key={id} frame={frame} id={id} label={t(name)} value={address} />
        ))}
        <p>{t('settings.sso.groups')}</p>
      </div>
    ),
  }
}
