/** Lists the sections of the settings, in the order of the navigation. */
import type { Permission } from '../../../domain/access/grant.ts'
import type { IconName } from '../../components/icon.tsx'
import type { TextName } from '../../texts/index.ts'

export const BASE = '/console/settings'

export interface Section {
  readonly permission?: Permission
  readonly path: string
  readonly name: TextName
  readonly icon: IconName
}

/** The sections of one vault. Their paths are relative to the path of the vault. */
export const VAULT_SECTIONS = {
  general: { path: '', name: 'settings.general', icon: 'sliders-horizontal' },
  pages: { path: '/pages', name: 'settings.pages', icon: 'palette' },
  profile: { path: '/profile', name: 'settings.profile', icon: 'list-checks' },
  templates: { path: '/comment_templates', name: 'settings.templates', icon: 'message-square-text' },
  emails: { path: '/emails', name: 'settings.emailTexts', icon: 'mail' },
  keys: { path: '/api_keys', name: 'settings.keys', icon: 'key-round' },
  webhooks: { path: '/webhooks', name: 'settings.webhooks', icon: 'webhook' },
} satisfies Readonly<Record<string, Section>>

/** The sections of the whole deployment. */
export const SECTIONS = {
  vaults: { path: '/vaults', name: 'settings.vaults', icon: 'building-2' },
  users: { permission: 'read_deployment', path: '/users', name: 'settings.users', icon: 'users' },
  sso: { permission: 'read_deployment', path: '/single_sign_on', name: 'sso.leave.title', icon: 'log-in' },
  groups: { permission: 'read_deployment', path: '/groups', name: 'settings.groups', icon: 'network' },
  actions: { path: '/actions', name: 'settings.actions', icon: 'check-check' },
  erasures: { path: '/erasures', name: 'settings.erasures', icon: 'trash-2' },
  audit: { path: '/audit', name: 'settings.audit', icon: 'scroll-text' },
} satisfies Readonly<Record<string, Section>>

export type VaultSectionName = keyof typeof VAULT_SECTIONS
export type SectionName = keyof typeof SECTIONS

export const vaultPath = (vaultId: string, section: VaultSectionName = 'general'): string =>
  `${BASE}/vaults/${vaultId}${VAULT_SECTIONS[section].path}`
