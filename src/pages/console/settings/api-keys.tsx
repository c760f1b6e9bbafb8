/** Page: the API keys of a vault. Administrators create keys, which are shown once, and revoke them. */
import { createApiKeyBody } from '../../../contracts/api-key.ts'
import { parseOrRefuse } from '../../../contracts/check.ts'
import { CLIENT_ROLES } from '../../../domain/access/access.ts'
import type { ApiKey } from '../../../domain/access/api-key.ts'
import {
  type CreatedApiKey,
  createApiKey,
  getApiKey,
  listApiKeys,
  revokeApiKey,
} from '../../../use-cases/access/api-keys.ts'
import { formEffect } from '../../../use-cases/base/effect.ts'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { Chip } from '../../components/chip.tsx'
import { PostForm } from '../../components/form.tsx'
import type { Sent } from '../../values/form-values.ts'
import type { FormAsk, PageContent } from '../ask.ts'
import { idIn } from '../case-form.ts'
import { flashAt } from '../flash.ts'
import { momentOf } from '../words.ts'
import { type Ask, mayAdminister, placeInVault, type Reply } from './ask.ts'
import { enteredValues, type Field, labelOf, optionsOf } from './form.ts'
import { Inputs } from './inputs.tsx'
import { confirmationPage, List, NewId, secretPage } from './parts.tsx'
import { BASE, vaultPath } from './sections.ts'

/** The number of keys to show, newest first. The API returns all keys. */
export const SHOWN_KEYS = 50

const KEY_FIELDS: readonly Field<null>[] = [
  { name: 'name', hint: 'settings.keyName.hint', value: () => null },
  {
    name: 'roles',
    choose: 'some',
    options: (t) => optionsOf(t, CLIENT_ROLES),
    value: () => CLIENT_ROLES,
    hint: 'settings.roles.hint',
    isRow: true,
  },
  {
    name: 'expires_at',
    type: 'date',
    hint: 'settings.expires_at.hint',
    value: () => null,
    // The key remains valid until the end of the day, in UTC.
    read: (day) => (day === '' ? null : Date.parse(`${day}T23:59:59Z`) / 1_000),
  },
]

interface KeysProps {
  readonly ask: FormAsk
  readonly keys: readonly ApiKey[]
  readonly mayChange: boolean
  /** The address of the list, which receives the form for a new key. */
  readonly action: string
  /** Returns the address of the page that asks whether to revoke a key. */
  readonly revocationOf: (id: string) => string
}

/** Lists the keys of a vault, for operators and for the vault's own users. */
export function Keys({ ask, keys, mayChange, action, revocationOf }: KeysProps) {
  const { visit, frame, t, again } = ask
  return (
    <>
      <List
        ask={ask}
        rows={keys}
        keyOf={({ id }) => id}
        none="settings.keys.none"
        icon="key-round"
        columns={[
          {
            key: 'key',
            cell: ({ prefix, name }) => (
              <>
                {name}
                {name ? <br /> : null}
                <code class="quiet">{prefix}…</code>
              </>
            ),
          },
          { key: 'roles', cell: ({ roles }) => roles.map((role) => labelOf(t, role)).join(', ') },
          {
            key: 'last_used_at',
            cell: ({ lastUsedAt }) => (lastUsedAt ? momentOf(frame, lastUsedAt) : t('settings.never')),
          },
          { key: 'state', cell: (key) => <KeyState ask={ask} apiKey={key} /> },
          {
            key: 'revoke',
            isHidden: true,
            cell: ({ id, prefix, revokedAt }) =>
              mayChange && revokedAt === null ? (
                <a href={revocationOf(id)}>
                  {t('settings.revoke')}
                  <span class="unseen">: {prefix}</span>
                </a>
              ) : null,
          },
        ]}
      />
      {mayChange ? (
        <Card id="new-key-title" title={t('settings.newKey')} class="settings-form">
          <PostForm visit={visit} action={action} class="client-form">
            <NewId again={again} />
            <Inputs ask={ask} fields={KEY_FIELDS} object={null} />
            <Button icon="plus">{t('settings.newKey')}</Button>
          </PostForm>
        </Card>
      ) : null}
    </>
  )
}

export async function keysPage(ask: Ask): Promise<Reply> {
  const { deps, visit, t, id: vaultId } = ask
  const place = await placeInVault(ask, 'keys')
  const { keys } = await listApiKeys(deps, { operator: visit }, vaultId, { page: 1, per_page: SHOWN_KEYS })
  return {
    ...place,
    title: t('settings.keys'),
    children: (
      <Keys
        ask={ask}
        keys={keys}
        mayChange={mayAdminister(ask, vaultId)}
        action={vaultPath(vaultId, 'keys')}
        revocationOf={revocationPath}
      />
    ),
  }
}

const revocationPath = (id: string) => `${BASE}/api_keys/${id}/revoke`

/** Returns the name of a key, or the beginning of the key if it has no name. */
export const keyName = ({ name, prefix }: ApiKey): string => name || `${prefix}…`

/** Returns the name with the beginning of the key, because several keys can have one name. */
const keyTitle = ({ name, prefix }: ApiKey): string => (name ? `${name} (${prefix}…)` : `${prefix}…`)

interface KeyStateProps {
  readonly ask: Pick<Ask, 'frame' | 't'>
  readonly apiKey: ApiKey
}

function KeyState({ ask: { frame, t }, apiKey }: KeyStateProps) {
  const { revokedAt, expiresAt, awaitsConfirmation } = apiKey
  if (revokedAt !== null) return <Chip>{t('settings.revokedAt', { at: momentOf(frame, revokedAt) })}</Chip>
  const isExpired = !awaitsConfirmation && expiresAt !== null && expiresAt.getTime() < Date.now()
  const isWarning = awaitsConfirmation || isExpired
  const at = expiresAt && { at: momentOf(frame, expiresAt) }
  return (
    <Chip tone={isWarning ? 'warning' : 'success'} icon={isWarning ? 'clock' : 'check'}>
      {awaitsConfirmation
        ? t('settings.keys.unconfirmed')
        : at
          ? t(isExpired ? 'settings.expiredAt' : 'settings.expiresAt', at)
          : t('settings.valid')}
    </Chip>
  )
}

/** Returns the key that the form asks for. */
export function keyIn(sent: Sent) {
  const { roles, name = null, expires_at } = parseOrRefuse(createApiKeyBody, enteredValues(sent, KEY_FIELDS))
  return { roles, name, expiresAt: expires_at ? new Date(expires_at * 1_000) : null }
}

/** Returns the page with a new key. `list` is the address of the page that follows. */
export const newKeyPage = (ask: FormAsk, { key }: CreatedApiKey, list: string): PageContent =>
  secretPage(ask, {
    title: ask.t('settings.keyMade'),
    label: 'settings.key',
    text: 'settings.once',
    secret: key,
    next: list,
  })

/** Asks for confirmation before a key is revoked. `action` is the address of the form. */
export const revocationPage = (ask: FormAsk, key: ApiKey, action: string, list: string): PageContent =>
  confirmationPage(ask, {
    title: ask.t('settings.revoke.title', { key: keyTitle(key) }),
    text: 'settings.revoke.text',
    action,
    press: 'settings.revoke',
    back: list,
  })

export async function createKey(ask: Ask): Promise<Reply> {
  const { deps, visit, by, id: vaultId, sent } = ask
  const asked = keyIn(sent)
  // Loads the rest of the page first, because a key that cannot be shown is lost.
  const place = await placeInVault(ask, 'keys')
  const key = await createApiKey(deps, { operator: visit }, by, vaultId, asked, formEffect(deps, idIn(sent)))
  return { ...place, ...newKeyPage(ask, key, vaultPath(vaultId, 'keys')) }
}

export async function askToRevoke(ask: Ask): Promise<Reply> {
  const { deps, visit, id } = ask
  const key = await getApiKey(deps, { operator: visit }, id)
  const { vaultId } = key
  const page = revocationPage(ask, key, revocationPath(id), vaultPath(vaultId, 'keys'))
  return { ...(await placeInVault(ask, 'keys', { vaultId })), ...page }
}

export async function revokeKey({ deps, visit, by, res, id }: Ask): Promise<Reply> {
  const key = await revokeApiKey(deps, { operator: visit }, by, id)
  return flashAt(res, vaultPath(key.vaultId, 'keys'), 'keyRevoked', keyName(key))
}
