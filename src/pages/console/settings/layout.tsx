/** Component: the layout of the settings pages. */
import { hasPermission } from '../../../domain/access/grant.ts'
import { Avatar, Icon } from '../../components/icon.tsx'
import type { Frame } from '../../components/layout.tsx'
import { PageHead, Shell } from '../base/shell.tsx'
import type { Ask, ChosenVault, SettingsPage } from './ask.ts'
import { BASE, SECTIONS, type Section, VAULT_SECTIONS, type VaultSectionName, vaultPath } from './sections.ts'

type SettingsProps = SettingsPage & Pick<Ask, 'visit' | 'again'>

export function Settings(props: SettingsProps) {
  const { visit, again, up, title, count, lead, tools, aside, children } = props
  return (
    <Shell
      visit={visit}
      title={title}
      problems={again.problems}
      class={aside ? 'settings-page settings-page-wide' : 'settings-page'}
      head={<SettingsNav {...props} />}
    >
      <div class="settings-content">
        <PageHead frame={visit.frame} {...{ title, up, count, lead, tools }} />
        {children}
      </div>
      {aside}
    </Shell>
  )
}

/** Lists the sections of the deployment and, if a vault is chosen, those of the vault. */
function SettingsNav({ visit, section, vault }: SettingsProps) {
  const { frame } = visit
  const { t } = frame
  const sections = Object.entries<Section>(SECTIONS).filter(
    ([, { permission }]) => permission === undefined || hasPermission(visit, permission),
  )
  const linkTo = ([key, { path, name, icon }]: readonly [string, Section], base: string) => (
    <a key={key} href={`${base}${path}`} {...(key === section && { 'aria-current': 'page' })}>
      <Icon name={icon} />
      {t(name)}
    </a>
  )
  return (
    <div class="settings-nav">
      <div class="settings-side">
        <p class="settings-title">{t('settings')}</p>
        {vault ? <VaultSwitch frame={frame} vault={vault} section={section} /> : null}
        {/* Folds the sections on a phone. On a desk, the style sheet shows them without the summary. */}
        <details class="settings-fold">
          <summary>
            <span>{t({ ...SECTIONS, ...VAULT_SECTIONS }[section].name)}</span>
            <Icon name="chevron-down" />
          </summary>
          <nav aria-label={t('settings')}>
            {vault ? (
              <>
                {Object.entries(VAULT_SECTIONS).map((each) => linkTo(each, vaultPath(vault.id)))}
                <hr />
              </>
            ) : null}
            {sections.map((each) => linkTo(each, BASE))}
          </nav>
        </details>
      </div>
    </div>
  )
}

/** The maximum number of vaults in the menu. The list of vaults contains all of them. */
const MAX_OFFERED = 30

interface VaultSwitchProps {
  readonly frame: Frame
  readonly vault: ChosenVault
  readonly section: VaultSectionName
}

/** Renders a menu that opens the same section of another vault. */
function VaultSwitch({ frame: { t }, vault, section }: VaultSwitchProps) {
  const others = [...vault.names].filter(([id]) => id !== vault.id).slice(0, MAX_OFFERED)
  return (
    <details class="menu vault-switch">
      <summary>
        <Avatar name={vault.name} isSmall />
        <span>{vault.name}</span>
        <Icon name="chevrons-up-down" />
        <span class="unseen">{t('settings.switch')}</span>
      </summary>
      <div class="menu-entries">
        {others.map(([id, name]) => (
          <a key={id} href={vaultPath(id, section)}>
            {name}
          </a>
        ))}
        <a href={`${BASE}/vaults`}>{t('settings.allVaults')}</a>
      </div>
    </details>
  )
}
