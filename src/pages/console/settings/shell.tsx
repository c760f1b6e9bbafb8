/** Component: the layout of the settings pages, and the parts that they share. */

import type { ComponentChildren } from 'preact'
import { hasPermission, type Permission, vaultsFor } from '../../../domain/access/grant.ts'
import type { RouteDeps } from '../../../http/deps.ts'
import { listVaultNames, type Names } from '../../../use-cases/access/names.ts'
import { Avatar } from '../../components/avatar.tsx'
import { Button, ButtonLink } from '../../components/button.tsx'
import { CopyField } from '../../components/copy.tsx'
import { PostForm } from '../../components/form.tsx'
import { Icon, type IconName } from '../../components/icon.tsx'
import type { FieldProblem, Frame } from '../../components/layout.tsx'
import type { TextName } from '../../texts/index.ts'
import { PageLinks } from '../page-links.tsx'
import { Shell } from '../shell.tsx'
import type { ConsoleVisit } from '../visit.ts'

export const BASE = '/console/settings'

interface Section {
  readonly permission?: Permission
  readonly path: string
  readonly name: TextName
  readonly icon: IconName
}

/** The sections of one vault. Their paths are relative to the path of the vault. */
const VAULT_SECTIONS = {
  general: { path: '', name: 'settings.general', icon: 'sliders-horizontal' },
  pages: { path: '/pages', name: 'settings.pages', icon: 'palette' },
  templates: { path: '/comment_templates', name: 'settings.templates', icon: 'message-square-text' },
  keys: { path: '/api_keys', name: 'settings.keys', icon: 'key-round' },
  webhooks: { path: '/webhooks', name: 'settings.webhooks', icon: 'webhook' },
} satisfies Readonly<Record<string, Section>>

/** The sections of the whole deployment. */
const SECTIONS = {
  vaults: { path: '/vaults', name: 'settings.vaults', icon: 'building-2' },
  users: { permission: 'read_deployment', path: '/users', name: 'settings.users', icon: 'users' },
  sso: { permission: 'read_deployment', path: '/single_sign_on', name: 'sso.leave.title', icon: 'key-round' },
  groups: { permission: 'read_deployment', path: '/groups', name: 'settings.groups', icon: 'users' },
  actions: { path: '/actions', name: 'settings.actions', icon: 'check-check' },
  audit: { path: '/audit', name: 'settings.audit', icon: 'scroll-text' },
} satisfies Readonly<Record<string, Section>>

/** The vault of a page, and the names of the vaults to switch to. */
export interface ChosenVault {
  readonly id: string
  readonly name: string
  readonly names: Names
}

export async function chooseVault(
  deps: RouteDeps,
  visit: ConsoleVisit,
  { id, name }: Pick<ChosenVault, 'id' | 'name'>,
): Promise<ChosenVault> {
  return { id, name, names: await listVaultNames(deps, vaultsFor(visit, 'read_settings')) }
}

interface AnySettingsProps {
  readonly visit: ConsoleVisit
  readonly title: string
  /** The page of the list that contains the object of this page. */
  readonly up?: { readonly href: string; readonly name: TextName }
  /** One sentence about the page. */
  readonly lead?: ComponentChildren
  /** Buttons at the end of the title's line. */
  readonly tools?: ComponentChildren
  /** The third column, such as a preview. */
  readonly aside?: ComponentChildren
  readonly problems?: readonly FieldProblem[]
  readonly children: ComponentChildren
}

type Place =
  | { readonly section: keyof typeof SECTIONS; readonly vault?: undefined }
  | { readonly section: keyof typeof VAULT_SECTIONS; readonly vault: ChosenVault }

type SettingsProps = AnySettingsProps & Place

export const Settings = (props: SettingsProps) => {
  const { visit, up, title, lead, tools, aside, problems = [], children } = props
  return (
    <Shell
      visit={visit}
      title={title}
      problems={problems}
      class={aside ? 'settings-page settings-page-wide' : 'settings-page'}
      head={<SettingsNav {...props} />}
    >
      <div class="settings-content">
        {up ? (
          <a class="settings-up" href={up.href}>
            {visit.frame.t(up.name)} <Icon name="chevron-right" size={14} />
          </a>
        ) : null}
        <div class="page-head">
          <h1>{title}</h1>
          {tools ? <div class="page-head-end">{tools}</div> : null}
        </div>
        {lead ? <p class="settings-lead">{lead}</p> : null}
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
        {vault ? <VaultSwitch frame={frame} vault={vault} path={VAULT_SECTIONS[section].path} /> : null}
        <nav aria-label={t('settings')}>
          {vault ? (
            <>
              {Object.entries(VAULT_SECTIONS).map((each) => linkTo(each, `${BASE}/vaults/${vault.id}`))}
              <hr />
            </>
          ) : null}
          {sections.map((each) => linkTo(each, BASE))}
        </nav>
      </div>
    </div>
  )
}

/** The maximum number of vaults in the menu. The list of vaults contains all of them. */
const MAX_OFFERED = 30

/** Renders a menu that opens the same section of another vault. */
function VaultSwitch({ frame: { t }, vault, path }: { frame: Frame; vault: ChosenVault; path: string }) {
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
          <a key={id} href={`${BASE}/vaults/${id}${path}`}>
            {name}
          </a>
        ))}
        <a href={`${BASE}/vaults`}>{t('settings.allVaults')}</a>
      </div>
    </details>
  )
}

interface FootProps {
  readonly frame: Frame
  /** False if the operator cannot save the form. */
  readonly maySave?: boolean
  /** The label of the main button. */
  readonly press?: string
  /** The address of the link that discards the entered values. */
  readonly back: string
  /** True if the form creates an object. */
  readonly isNew?: boolean
  /** More buttons. */
  readonly children?: ComponentChildren
}

/** Renders the buttons of a form, which stay visible. A script adds the number of unsaved changes. */
export const FormFoot = ({
  frame: { t },
  maySave = true,
  press,
  back,
  isNew = false,
  children,
}: FootProps) =>
  maySave ? (
    <div class="settings-foot">
      <Button>{press ?? t('settings.save')}</Button>
      {children}
      <ButtonLink kind="quiet" href={back}>
        {t(isNew ? 'settings.cancel' : 'settings.discard')}
      </ButtonLink>
      {isNew ? null : (
        <span
          class="quiet"
          role="status"
          data-one={t('settings.unsaved.one')}
          data-many={t('settings.unsaved.many', { count: '{count}' })}
        />
      )}
    </div>
  ) : null

type ConfirmPageProps = Omit<AnySettingsProps, 'children'> &
  Place & {
    readonly text: string
    readonly action: string
    /** The label of the button. */
    readonly press: string
    readonly back: string
  }

/** Asks for confirmation before an action that cannot be undone. */
export const ConfirmPage = ({ text, action, press, back, ...page }: ConfirmPageProps) => (
  <Settings {...page}>
    <PostForm visit={page.visit} action={action} class="card settings-card">
      <p>{text}</p>
      <div class="actions">
        <Button kind="danger">{press}</Button>
        <ButtonLink kind="secondary" href={back}>
          {page.visit.frame.t('settings.cancel')}
        </ButtonLink>
      </div>
    </PostForm>
  </Settings>
)

type SecretProps = Omit<AnySettingsProps, 'children'> &
  Place & {
    readonly label: string
    readonly secret: string
    readonly text: string
    readonly next: string
  }

/** Shows a secret, which no later page shows again. */
export function Secret({ label, secret, text, next, ...page }: SecretProps) {
  const { frame } = page.visit
  return (
    <Settings {...page}>
      <div class="card settings-card">
        <CopyField frame={frame} id="secret" label={label} hint={text} value={secret} />
        <div class="actions">
          <ButtonLink href={next}>{frame.t('settings.goOn')}</ButtonLink>
        </div>
      </div>
    </Settings>
  )
}

export const PER_PAGE = 50

interface PagerProps {
  readonly frame: Frame
  readonly page: number
  readonly totalCount: number
  readonly hrefOf: (page: number) => string
}

export const Pager = ({ page, totalCount, ...links }: PagerProps) => (
  <PageLinks {...links} page={page} hasMore={page * PER_PAGE < totalCount} />
)
