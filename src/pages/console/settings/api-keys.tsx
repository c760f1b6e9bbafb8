/** Page: the API keys of a vault, for operators and for the vault's own users. */
import { createApiKeyBody } from '../../../contracts/api-key.ts'
import { parseOrRefuse } from '../../../contracts/check.ts'
import { CLIENT_ROLES } from '../../../domain/access/access.ts'
import type { ApiKey } from '../../../domain/access/api-key.ts'
import { createApiKey, getApiKey, listApiKeys, revokeApiKey } from '../../../use-cases/access/api-keys.ts'
import type { VaultUser } from '../../../use-cases/access/caller.ts'
import { formEffect } from '../../../use-cases/base/effect.ts'
import { Button, ButtonLink } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { Chip } from '../../components/chip.tsx'
import { PostForm } from '../../components/form.tsx'
import type { FormAsk, PageContent } from '../base/ask.ts'
import { flashAt } from '../base/flash.ts'
import { enteredValues, type Field, idIn, labelOf, optionsOf } from '../base/form.ts'
import { Inputs } from '../base/inputs.tsx'
import { confirmationPage, List, NewId, secretPage } from '../base/parts.tsx'
import { momentOf } from '../base/words.ts'
import { type Ask, type Handler, mayAdminister, placeInVault, type Reply } from './ask.ts'
import { BASE, vaultPath } from './sections.ts'

/** The number of keys to show, newest first. The API returns all keys. */
const SHOWN_KEYS = 50

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

/** Clients have no operators, to whom the other hint refers. */
const CLIENT_KEY_FIELDS = KEY_FIELDS.map(
  (field): Field<null> => (field.name === 'roles' ? { ...field, hint: 'settings.keyRoles.hint' } : field),
)

interface KeysAsk extends FormAsk {
  readonly user: VaultUser
  readonly vaultId: string
  /** The ID of the key in the address. */
  readonly id: string
  readonly mayChange: boolean
  /** The address of the list, which receives the form for a new key. */
  readonly list: string
  /** Returns the address of the page that asks whether to revoke a key. */
  readonly revocationOf: (id: string) => string
}

/** Returns the content of a page, or the path to which the browser is redirected. */
export type KeysHandler = (ask: KeysAsk) => Promise<PageContent | string>

export const keysPage: KeysHandler = async (ask) => {
  const { deps, t, user, vaultId } = ask
  const { entries: keys } = await listApiKeys(deps, user, vaultId, { page: 1, per_page: SHOWN_KEYS })
  return { title: t('settings.keys'), children: <Keys ask={ask} keys={keys} /> }
}

function Keys({ ask, keys }: { readonly ask: KeysAsk; readonly keys: readonly ApiKey[] }) {
  const { visit, frame, t, user, again, mayChange, list, revocationOf } = ask
  return (
    <>
      <List
        ask={ask}
        rows={keys}
        keyOf={({ id }) => id}
        none={mayChange ? 'settings.keys.none' : 'settings.keys.none.reader'}
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
          {
            key: 'roles',
            class: 'words',
            cell: ({ roles }) => roles.map((role) => labelOf(t, role)).join(', '),
          },
          {
            key: 'last_used_at',
            cell: ({ lastUsedAt }) => (lastUsedAt ? momentOf(frame, lastUsedAt) : t('settings.never')),
          },
          { key: 'state', cell: (key) => <KeyState ask={ask} apiKey={key} /> },
          {
            key: 'revoke',
            class: 'act',
            isHidden: true,
            cell: ({ id, prefix, revokedAt }) =>
              mayChange && revokedAt === null ? (
                <ButtonLink kind="link" href={revocationOf(id)}>
                  {t('settings.revoke')}
                  <span class="unseen">: {prefix}</span>
                </ButtonLink>
              ) : null,
          },
        ]}
      />
      {mayChange ? (
        <Card id="new-key-title" title={t('settings.newKey')} class="settings-form">
          <PostForm visit={visit} action={list} class="client-form">
            <NewId again={again} />
            <Inputs ask={ask} fields={'operator' in user ? KEY_FIELDS : CLIENT_KEY_FIELDS} object={null} />
            <Button icon="plus">{t('settings.newKey')}</Button>
          </PostForm>
        </Card>
      ) : null}
    </>
  )
}

/** Returns the name of a key, or the beginning of the key if it has no name. */
const keyName = ({ name, prefix }: ApiKey): string => name || `${prefix}…`

/** Returns the name with the beginning of the key, because several keys can have one name. */
const keyTitle = ({ name, prefix }: ApiKey): string => (name ? `${name} (${prefix}…)` : `${prefix}…`)

function KeyState({ ask: { frame, t }, apiKey }: { ask: Pick<Ask, 'frame' | 't'>; apiKey: ApiKey }) {
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

export const createKey: KeysHandler = async (ask) => {
  const { deps, by, user, vaultId, list, sent } = ask
  const { roles, name = null, expires_at } = parseOrRefuse(createApiKeyBody, enteredValues(sent, KEY_FIELDS))
  const asked = { roles, name, expiresAt: expires_at ? new Date(expires_at * 1_000) : null }
  const { key } = await createApiKey(deps, user, by, vaultId, asked, formEffect(deps, idIn(sent)))
  return secretPage(ask, {
    title: ask.t('settings.keyMade'),
    label: 'settings.key',
    text: 'settings.once',
    secret: key,
    done: 'settings.copied.key',
    next: list,
  })
}

export const askToRevoke: KeysHandler = async (ask) => {
  const { deps, user, id, list, revocationOf } = ask
  const key = await getApiKey(deps, user, id)
  return confirmationPage(ask, {
    title: ask.t('settings.revoke.title', { key: keyTitle(key) }),
    text: 'settings.revoke.text',
    action: revocationOf(id),
    press: 'settings.revoke',
    back: list,
  })
}

export const revokeKey: KeysHandler = async ({ deps, by, res, user, id, list }) => {
  const key = await revokeApiKey(deps, user, by, id)
  return flashAt(deps, res, list, 'keyRevoked', keyName(key))
}

/** Shows a page of a vault's keys to operators. */
export const ofKeys =
  (handler: KeysHandler): Handler =>
  (ask) =>
    replyInVault(ask, ask.id, handler)

/** Shows a page of a key, whose vault is not in the address, to operators. */
export const ofKey =
  (handler: KeysHandler): Handler =>
  async (ask) => {
    const { vaultId } = await getApiKey(ask.deps, { operator: ask.visit }, ask.id)
    return replyInVault(ask, vaultId, handler)
  }

async function replyInVault(ask: Ask, vaultId: string, handler: KeysHandler): Promise<Reply> {
  // Loads the rest of the page first, because a key that cannot be shown is lost.
  const place = await placeInVault(ask, 'keys', { vaultId })
  const reply = await handler({
    ...ask,
    user: { operator: ask.visit },
    vaultId,
    mayChange: mayAdminister(ask, vaultId),
    list: vaultPath(vaultId, 'keys'),
    revocationOf: (id) => `${BASE}/api_keys/${id}/revoke`,
  })
  return typeof reply === 'string' ? reply : { ...place, ...reply }
}
