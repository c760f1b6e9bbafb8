/** Page: a user's roles and vaults, the actions that end the user's access, and the form for a new user. */
import { parseOrRefuse } from '../../../contracts/check.ts'
import { createUserBody, grantsOf, patchUserBody } from '../../../contracts/user.ts'
import { operatorActor } from '../../../domain/access/access.ts'
import { seatsOf } from '../../../domain/access/seat.ts'
import type { User } from '../../../domain/access/user.ts'
import { listVaultNames, type Names } from '../../../use-cases/access/names.ts'
import { getUser, revokeTokens, type UserWithPassword } from '../../../use-cases/access/users.ts'
import { ButtonLink } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { BEGAN, type Sent } from '../../values/form-values.ts'
import { flashAt } from '../base/flash.ts'
import { chosenOf, type Field, listOf, NEW_FORM, optionsOf, textOf } from '../base/form.ts'
import { Checkboxes, Inputs } from '../base/inputs.tsx'
import { confirmationPage, SettingsForm, secretPage } from '../base/parts.tsx'
import { seatPath } from '../base/visit.ts'
import { performAction } from './actions.tsx'
import { type Ask, mayAdministerAll, type Reply } from './ask.ts'
import {
  GrantInputs,
  grantValue,
  SHOWN_VAULT_ROLES,
  sentGrants,
  VaultGrantInputs,
  type VaultGrantInputsProps,
  VaultRoleInputs,
} from './grants.tsx'
import { BASE } from './sections.ts'
import { USERS, UserStates, userPath } from './users.tsx'

/** The place of the pages of one user, which lead back to the list. */
const PLACE = { section: 'users', up: { href: USERS, name: 'settings.users' } } as const

export const USER_ACTIONS = ['reset_password', 'remove_codes', 'revoke_tokens'] as const
type UserAction = (typeof USER_ACTIONS)[number]

const EMAIL: readonly Field<null>[] = [
  { name: 'email', type: 'email', hint: 'settings.newUser.email.hint', isRequired: true, value: () => null },
]

export async function newUserPage(ask: Ask): Promise<Reply> {
  const { t } = ask
  const names = await listVaultNames(ask.deps, 'all')
  return {
    ...PLACE,
    title: t('settings.newUser'),
    lead: t('settings.newUser.next'),
    children: (
      <SettingsForm
        ask={ask}
        action={`${USERS}/new`}
        press={t('settings.newUser')}
        back={USERS}
        isNew
        isSentOnce
      >
        <div class="card settings-card settings-roles">
          <Inputs ask={ask} fields={EMAIL} object={null} />
          <OneVault ask={ask} names={names} none="settings.allVaults" hint="settings.newUser.vault.hint">
            <GrantInputs ask={ask} grants={[]} names={names} label="settings.inAllVaults" />
          </OneVault>
        </div>
      </SettingsForm>
    ),
  }
}

/** Renders the inputs for roles in one more vault, as an operator or as the client's user. */
const OneVault = (props: Omit<VaultGrantInputsProps, 'label'>) => (
  <>
    <VaultGrantInputs {...props} label="settings.vault" />
    <VaultRoleInputs ask={props.ask} />
  </>
)

/** Returns a list with the vault in which `OneVault` adds client roles, or an empty list if it adds none. */
function vaultAdded(sent: Sent) {
  const id = textOf(sent, 'vaults')
  const roles = listOf(sent, 'roles')
  // A vault without any role is an error.
  const isForOperator = roles.length === 0 && listOf(sent, 'grant_roles').length > 0
  return id === null || isForOperator ? [] : [{ id, roles }]
}

export async function createUser(ask: Ask): Promise<Reply> {
  const { sent } = ask
  const { email, vaults, ...given } = parseOrRefuse(createUserBody, {
    email: textOf(sent, 'email') ?? '',
    operator_grants: sentGrants(sent, []) ?? [],
    vaults: vaultAdded(sent),
  })
  const action = { kind: 'create_user', email, vaults, operatorGrants: grantsOf(given) ?? [] } as const
  return performAction(ask, action, (user) => passwordPage(ask, user))
}

const passwordPage = (ask: Ask, { id, email, oneTimePassword }: UserWithPassword): Reply => ({
  section: 'users',
  ...secretPage(ask, {
    title: ask.t('settings.oneTimePassword.title', { email }),
    label: 'settings.oneTimePassword',
    text: 'settings.oneTimePassword.text',
    secret: oneTimePassword,
    done: 'settings.copied.password',
    next: userPath(id),
    children: (
      <p>
        {ask.t('settings.oneTimePassword.address')} <code>{`${ask.deps.config.PUBLIC_URL}/console`}</code>
      </p>
    ),
  }),
})

/** Returns the name of the input for the user's roles in a vault to which the user already has access. */
const inVault = (id: string): string => `roles-${id}`

export async function userPage(ask: Ask): Promise<Reply> {
  const { deps, t, id } = ask
  const user = await getUser(deps, id)
  const names = await listVaultNames(deps, 'all')
  const path = userPath(id)
  const actor = user.effectiveGrants.length > 0 ? operatorActor(id) : `user:${id}`
  const mayChange = mayAdministerAll(ask)
  const actions = USER_ACTIONS.filter(
    (action) => mayChange && (action !== 'remove_codes' || user.otpRequiredForLogin),
  )
  const values = {
    operator_roles: user.operatorGrants.map(grantValue),
    ...Object.fromEntries(user.vaults.map((vault) => [inVault(vault.id), vault.roles])),
  }
  return {
    ...PLACE,
    title: user.email || user.id,
    lead: (
      <>
        <UserStates t={t} user={user} />{' '}
        <a href={`${BASE}/audit?actor=${actor}`}>{t('settings.user.audit')}</a>
      </>
    ),
    children: (
      <SettingsForm ask={ask} action={path} values={values} back={path} maySave={mayChange}>
        <Card
          id="roles-title"
          title={t('settings.roles')}
          text={t('settings.user.rolesHint')}
          class="settings-roles"
        >
          <GrantInputs
            ask={ask}
            grants={user.operatorGrants}
            names={names}
            hint="settings.operator_roles.hint"
          />
          {user.vaults.map((vault) => (
            <VaultRoles key={vault.id} ask={ask} vault={vault} />
          ))}
        </Card>
        {mayChange ? (
          <Card id="vault-title" title={t('settings.inOneVault')} class="settings-roles">
            <OneVault ask={ask} names={names} />
          </Card>
        ) : null}
        <Seats ask={ask} user={user} names={names} />
        {actions.length > 0 ? (
          <Card id="access-title" title={t('settings.access')}>
            <div class="actions">
              {actions.map((action) => (
                <ButtonLink key={action} kind="danger" href={`${path}/${action}`}>
                  {t(`settings.${action}`)}
                </ButtonLink>
              ))}
            </div>
          </Card>
        ) : null}
      </SettingsForm>
    ),
  }
}

interface SeatsProps {
  readonly ask: Ask
  readonly user: User
  readonly names: Names
}

/** Shows where a vault's own user signs in, and whether the account is one of that vault only. */
function Seats({ ask: { deps, t }, user: { memberOf, vaults }, names }: SeatsProps) {
  const seats = memberOf === null ? seatsOf(vaults).map(({ id }) => id) : [memberOf]
  if (seats.length === 0) return null
  const nameOf = (id: string) => names.get(id) ?? id
  return (
    <Card id="seats-title" title={t('settings.user.seats')}>
      <p>
        {memberOf === null
          ? t('settings.user.seats.global')
          : t('settings.user.seats.member', { vault: nameOf(memberOf) })}
      </p>
      {seats.map((id) => (
        <p key={id}>
          {nameOf(id)}: <code class="webhook-address">{deps.config.PUBLIC_URL + seatPath(id)}</code>
        </p>
      ))}
    </Card>
  )
}

interface VaultRolesProps {
  readonly ask: Ask
  readonly vault: { readonly id: string; readonly name: string; readonly roles: readonly string[] }
}

function VaultRoles({ ask: { frame, t, again }, vault: { id, name, roles } }: VaultRolesProps) {
  // The user may have been granted access to the vault after the form was loaded.
  const wasShown = again.typed?.[BEGAN + inVault(id)] !== undefined
  return (
    <Checkboxes
      frame={frame}
      again={wasShown ? again : NEW_FORM}
      name={inVault(id)}
      label={name}
      options={optionsOf(t, SHOWN_VAULT_ROLES)}
      chosen={roles}
      isRow
    />
  )
}

/** Returns the vaults that the form sets, in the format of the API, or undefined if the form changed nothing. */
function sentVaults(sent: Sent, now: User['vaults']) {
  const chosen = now.map(({ id, roles }) => chosenOf(sent, inVault(id), roles))
  const added = vaultAdded(sent)
  if (added.length === 0 && chosen.every((roles) => roles === undefined)) return undefined
  // A user without a role in a vault has no access to it.
  const kept = now
    .map(({ id, roles }, index) => ({ id, roles: chosen[index] ?? roles }))
    .filter(({ roles }) => roles.length > 0)
  const rolesIn = new Map<string, readonly string[]>()
  for (const { id, roles } of [...kept, ...added])
    rolesIn.set(id, [...new Set([...(rolesIn.get(id) ?? []), ...roles])])
  return [...rolesIn].map(([id, roles]) => ({ id, roles }))
}

export async function changeUser(ask: Ask): Promise<Reply> {
  const { deps, res, id, sent } = ask
  const { email, vaults: now, operatorGrants } = await getUser(deps, id)
  const asked = parseOrRefuse(patchUserBody, {
    operator_grants: sentGrants(sent, operatorGrants),
    vaults: sentVaults(sent, now),
  })
  const { vaults } = asked
  const action = { kind: 'change_roles', userId: id, vaults, operatorGrants: grantsOf(asked) } as const
  return performAction(ask, action, () => flashAt(deps, res, userPath(id), 'rolesChanged', email || id))
}

export const askUserAction =
  (action: UserAction) =>
  async (ask: Ask): Promise<Reply> => {
    const { email } = await getUser(ask.deps, ask.id)
    const confirmation = confirmationPage(ask, {
      title: ask.t(`settings.${action}.title`, { email: email || ask.id }),
      text: `settings.${action}.text`,
      action: `${userPath(ask.id)}/${action}`,
      press: `settings.${action}`,
      back: userPath(ask.id),
    })
    return { section: 'users', ...confirmation }
  }

export const doUserAction =
  (kind: UserAction) =>
  async (ask: Ask): Promise<Reply> => {
    const { deps, by, res, id } = ask
    const name = (await getUser(deps, id)).email || id
    if (kind === 'revoke_tokens') {
      await revokeTokens(deps, by, id)
      return flashAt(deps, res, userPath(id), 'signedOut', name)
    }
    return performAction(ask, { kind, userId: id }, (user) =>
      'oneTimePassword' in user
        ? passwordPage(ask, user)
        : flashAt(deps, res, userPath(id), 'codesRemoved', name),
    )
  }
