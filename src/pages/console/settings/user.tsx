/** Page: a user's roles and vaults, and the actions that end the user's access. */

import type { Request, Response } from 'express'
import { parseOrRefuse } from '../../../contracts/check.ts'
import { grantsOf, patchUserBody } from '../../../contracts/user.ts'
import { CLIENT_ROLES, operatorActor } from '../../../domain/access/access.ts'
import { hasPermission } from '../../../domain/access/grant.ts'
import { byOf } from '../../../http/address.ts'
import type { RouteDeps } from '../../../http/deps.ts'
import { requestAction } from '../../../use-cases/access/admin-action.ts'
import { listVaultNames } from '../../../use-cases/access/names.ts'
import { getUser, revokeTokens } from '../../../use-cases/access/users.ts'
import { formEffect } from '../../../use-cases/base/effect.ts'
import { ButtonLink } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { PostForm } from '../../components/form.tsx'
import { sendPage } from '../../routing/response.tsx'
import { BEGAN, type Sent } from '../../values/form-values.ts'
import type { ConsoleVisit } from '../visit.ts'
import { sendRequested } from './actions.tsx'
import { chosenOf, type FormState, InitialValues, listOf, NEW_FORM, runForm } from './form.tsx'
import { GrantInputs, grantValue, sentGrants } from './grants.tsx'
import { BASE, ConfirmPage, FormFoot, Settings } from './shell.tsx'
import { AnotherVault, anotherVault, roleOptions, sendPassword, UP, UserStates } from './users.tsx'

export const USER_ACTIONS = ['reset_password', 'remove_codes', 'revoke_tokens'] as const
type UserAction = (typeof USER_ACTIONS)[number]

/** Returns the name of the input for the user's roles in a vault to which the user already has access. */
const inVault = (id: string): string => `roles-${id}`

export async function showUser(
  deps: RouteDeps,
  visit: ConsoleVisit,
  id: string,
  res: Response,
  again: FormState = NEW_FORM,
): Promise<void> {
  const { frame } = visit
  const { t } = frame
  const user = await getUser(deps, id)
  const allNames = await listVaultNames(deps, 'all')
  const names = new Map(allNames)
  for (const vault of user.vaults) names.delete(vault.id)
  const base = `${BASE}/users/${id}`
  const actor = user.effectiveGrants.length > 0 ? operatorActor(id) : `user:${id}`
  const mayChange = hasPermission(visit, 'administer_deployment')
  const actions = USER_ACTIONS.filter(
    (action) => mayChange && (action !== 'remove_codes' || user.otpRequiredForLogin),
  )
  sendPage(
    res,
    again.status,
    <Settings
      visit={visit}
      section="users"
      up={UP}
      title={user.email || user.id}
      lead={
        <>
          <UserStates t={t} user={user} />{' '}
          <a href={`${BASE}/audit?actor=${actor}`}>{t('settings.user.audit')}</a>
        </>
      }
      problems={again.problems}
    >
      <PostForm visit={visit} action={base} class="settings-form" data-changes>
        <InitialValues
          again={again}
          values={{
            operator_roles: user.operatorGrants.map(grantValue),
            ...Object.fromEntries(user.vaults.map((vault) => [inVault(vault.id), vault.roles])),
          }}
        />
        <Card id="roles-title" title={t('settings.roles')} text={t('settings.user.rolesHint')}>
          <GrantInputs
            {...{ frame, again }}
            grants={user.operatorGrants}
            names={allNames}
            hint="settings.operator_roles.hint"
          />
          {user.vaults.map((vault) => (
            <VaultRoles key={vault.id} visit={visit} again={again} vault={vault} />
          ))}
        </Card>
        {mayChange ? <AnotherVault frame={frame} again={again} names={names} /> : null}
        <Card id="access-title" title={t('settings.access')}>
          <div class="actions">
            {actions.map((action) => (
              <ButtonLink key={action} kind="danger" href={`${base}/${action}`}>
                {t(`settings.${action}`)}
              </ButtonLink>
            ))}
          </div>
        </Card>
        <FormFoot frame={frame} maySave={mayChange} back={base} />
      </PostForm>
    </Settings>,
  )
}

interface VaultRolesProps {
  readonly visit: ConsoleVisit
  readonly again: FormState
  readonly vault: { readonly id: string; readonly name: string; readonly roles: readonly string[] }
}

function VaultRoles({ visit: { frame }, again, vault: { id, name, roles } }: VaultRolesProps) {
  // The user may have been granted access to the vault after the form was loaded.
  const wasShown = again.typed?.[BEGAN + inVault(id)] !== undefined
  const checked = again.typed && wasShown ? listOf(again.typed, inVault(id)) : roles
  return (
    <fieldset class="field">
      <legend>{name}</legend>
      <div class="choices choices-line">
        {roleOptions(frame.t, CLIENT_ROLES).map(({ value, label }) => (
          <label key={value} class="choice">
            <input type="checkbox" name={inVault(id)} value={value} checked={checked.includes(value)} />
            <span>{label}</span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}

export async function changeUserFromForm(
  deps: RouteDeps,
  visit: ConsoleVisit,
  id: string,
  req: Request,
  res: Response,
): Promise<void> {
  const sent = (req.body ?? {}) as Sent
  const { vaults: reached, operatorGrants } = await getUser(deps, id)
  const chosen = reached.map((vault) => ({
    ...vault,
    chosen: chosenOf(sent, inVault(vault.id), vault.roles),
  }))
  // A user without a role in a vault has no access to it.
  const kept = chosen
    .map(({ id, roles, chosen = roles }) => ({ id, roles: chosen }))
    .filter(({ roles }) => roles.length > 0)
  const more = anotherVault(sent)
  const areTouched = more.length > 0 || chosen.some((vault) => vault.chosen !== undefined)
  const refused = await runForm(visit.frame, sent, async () => {
    const asked = parseOrRefuse(patchUserBody, {
      operator_grants: sentGrants(sent, operatorGrants),
      vaults: areTouched ? [...kept, ...more] : undefined,
    })
    const { vaults } = asked
    const action = { kind: 'change_roles', userId: id, vaults, operatorGrants: grantsOf(asked) } as const
    const requested = await requestAction(deps, visit, byOf(visit, req), action, formEffect(deps))
    sendRequested(visit, res, requested, () => res.redirect(303, `${BASE}/users/${id}`))
  })
  if (refused) await showUser(deps, visit, id, res, refused)
}

export async function askUserAction(
  deps: RouteDeps,
  visit: ConsoleVisit,
  id: string,
  action: UserAction,
  res: Response,
): Promise<void> {
  const { t } = visit.frame
  const { email } = await getUser(deps, id)
  sendPage(
    res,
    200,
    <ConfirmPage
      visit={visit}
      section="users"
      title={t(`settings.${action}.title`, { email: email || id })}
      text={t(`settings.${action}.text`)}
      action={`${BASE}/users/${id}/${action}`}
      press={t(`settings.${action}`)}
      back={`${BASE}/users/${id}`}
    />,
  )
}

export async function doUserAction(
  deps: RouteDeps,
  visit: ConsoleVisit,
  id: string,
  action: UserAction,
  req: Request,
  res: Response,
): Promise<void> {
  const by = byOf(visit, req)
  const back = () => res.redirect(303, `${BASE}/users/${id}`)
  if (action === 'revoke_tokens') {
    await revokeTokens(deps, by, id)
    back()
  } else if (action === 'reset_password') {
    const requested = await requestAction(deps, visit, by, { kind: action, userId: id }, formEffect(deps))
    sendRequested(visit, res, requested, (user) => sendPassword(visit, res, user))
  } else {
    const requested = await requestAction(deps, visit, by, { kind: action, userId: id }, formEffect(deps))
    sendRequested(visit, res, requested, back)
  }
}
