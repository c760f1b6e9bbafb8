/** Page: the groups of the OpenID provider, and the roles that each group grants. */
import { parseOrRefuse } from '../../../contracts/check.ts'
import { changeGroupBody, groupParams } from '../../../contracts/operator-group.ts'
import { grantsOf } from '../../../contracts/user.ts'
import { listVaultNames } from '../../../use-cases/access/names.ts'
import { getGroup, listGroups } from '../../../use-cases/access/operator-groups.ts'
import { ButtonLink } from '../../components/button.tsx'
import { flashAt } from '../base/flash.ts'
import { type Field, textOf } from '../base/form.ts'
import { Inputs } from '../base/inputs.tsx'
import { List, RowLink, SettingsForm } from '../base/parts.tsx'
import { performAction } from './actions.tsx'
import { type Ask, mayAdministerAll, type Reply } from './ask.ts'
import { GrantInputs, grantsText, grantText, grantValue, sentGrants, VaultGrantInputs } from './grants.tsx'
import { BASE } from './sections.ts'

const PATH = `${BASE}/groups`
const pathOf = (name: string): string => `${PATH}/group?name=${encodeURIComponent(name)}`

export async function groupsPage(ask: Ask): Promise<Reply> {
  const { deps, t } = ask
  const groups = await listGroups(deps)
  const names = await listVaultNames(deps, 'all')
  const add = mayAdministerAll(ask) ? (
    <ButtonLink href={`${PATH}/new`} icon="plus">
      {t('settings.newGroup')}
    </ButtonLink>
  ) : null
  return {
    section: 'groups',
    title: t('settings.groups'),
    lead: t('settings.groups.hint'),
    tools: groups.length > 0 ? add : null,
    children: (
      <List
        ask={ask}
        isLinked
        rows={groups}
        keyOf={({ name }) => name}
        none={add ? 'settings.groups.none' : 'settings.groups.none.reader'}
        icon="network"
        action={add}
        columns={[
          { key: 'group', cell: ({ name }) => <RowLink href={pathOf(name)}>{name}</RowLink> },
          { key: 'operator_roles', cell: ({ operatorGrants }) => grantsText(t, names, operatorGrants) },
        ]}
      />
    ),
  }
}

const NAME: readonly Field<null>[] = [{ name: 'group', isRequired: true, value: () => null }]

export const newGroupPage = (ask: Ask): Promise<Reply> => showGroup(ask, null)

export const groupPage = (ask: Ask): Promise<Reply> => showGroup(ask, String(ask.req.query.name ?? ''))

/** Shows the form for a group, or for a new group if `name` is null. */
async function showGroup(ask: Ask, name: string | null): Promise<Reply> {
  const { deps, t } = ask
  const { operatorGrants } = name === null ? { operatorGrants: [] } : await getGroup(deps, name)
  const names = await listVaultNames(deps, 'all')
  return {
    section: 'groups',
    title: name ?? t('settings.newGroup'),
    children: mayAdministerAll(ask) ? (
      <SettingsForm
        ask={ask}
        action={`${PATH}/group`}
        back={PATH}
        isNew={name === null}
        press={name === null ? t('settings.newGroup') : undefined}
        {...(name !== null && { values: { operator_roles: operatorGrants.map(grantValue) } })}
      >
        <div class="card settings-card settings-roles">
          {name === null ? (
            <Inputs ask={ask} fields={NAME} object={null} />
          ) : (
            <input type="hidden" name="group" value={name} />
          )}
          <GrantInputs ask={ask} names={names} grants={operatorGrants} hint="settings.groups.rolesHint" />
          <VaultGrantInputs ask={ask} names={names} label="settings.grant_vault" />
        </div>
      </SettingsForm>
    ) : (
      <ul>
        {operatorGrants.map((grant) => (
          <li key={grantValue(grant)}>{grantText(t, names, grant)}</li>
        ))}
      </ul>
    ),
  }
}

export async function saveGroup(ask: Ask): Promise<Reply> {
  const { deps, res, sent } = ask
  const { name: group } = parseOrRefuse(groupParams, { name: textOf(sent, 'group') ?? '' })
  const { operatorGrants: now } = await getGroup(deps, group)
  const changed = sentGrants(sent, now)
  const body = parseOrRefuse(changeGroupBody, { operator_grants: changed ?? [] })
  const operatorGrants = changed ? (grantsOf(body) ?? []) : now
  const action = { kind: 'change_group', group, operatorGrants } as const
  return performAction(ask, action, () => flashAt(deps, res, PATH, 'groupSaved', group))
}
