/** Page: the groups of the OpenID provider, and the roles that each group grants. */
import type { Request, Response } from 'express'
import { parseOrRefuse } from '../../../contracts/check.ts'
import { changeGroupBody, groupParams } from '../../../contracts/operator-group.ts'
import { grantsOf } from '../../../contracts/user.ts'
import { hasPermission } from '../../../domain/access/grant.ts'
import { byOf } from '../../../http/address.ts'
import type { RouteDeps } from '../../../http/deps.ts'
import { requestAction } from '../../../use-cases/access/admin-action.ts'
import { listVaultNames } from '../../../use-cases/access/names.ts'
import { getGroup, listGroups } from '../../../use-cases/access/operator-groups.ts'
import { formEffect } from '../../../use-cases/base/effect.ts'
import { ButtonLink } from '../../components/button.tsx'
import { DataTable } from '../../components/data-table.tsx'
import { PostForm } from '../../components/form.tsx'
import { sendPage } from '../../routing/response.tsx'
import type { Sent } from '../../values/form-values.ts'
import type { ConsoleVisit } from '../visit.ts'
import { sendRequested } from './actions.tsx'
import { type FormState, InitialValues, Input, labelOf, NEW_FORM, runForm, textOf } from './form.tsx'
import { GrantInputs, grantsText, grantText, grantValue, sentGrants } from './grants.tsx'
import { BASE, FormFoot, Settings } from './shell.tsx'

const PATH = `${BASE}/groups`
const pathOf = (name: string): string => `${PATH}/group?name=${encodeURIComponent(name)}`

export async function showGroups(deps: RouteDeps, visit: ConsoleVisit, res: Response): Promise<void> {
  const { t } = visit.frame
  const groups = await listGroups(deps)
  const names = await listVaultNames(deps, 'all')
  sendPage(
    res,
    200,
    <Settings
      visit={visit}
      section="groups"
      title={t('settings.groups')}
      lead={t('settings.groups.hint')}
      tools={
        hasPermission(visit, 'administer_deployment') ? (
          <ButtonLink href={`${PATH}/new`} icon="plus">
            {t('settings.newGroup')}
          </ButtonLink>
        ) : null
      }
    >
      {groups.length === 0 ? (
        <p class="card quiet">{t('settings.groups.none')}</p>
      ) : (
        <DataTable
          isLinked
          rows={groups}
          keyOf={({ name }) => name}
          columns={[
            {
              key: 'name',
              head: labelOf(t, 'group'),
              cell: ({ name }) => (
                <a class="row-link" href={pathOf(name)}>
                  {name}
                </a>
              ),
            },
            {
              key: 'operator_roles',
              head: labelOf(t, 'operator_roles'),
              cell: ({ operatorGrants }) => grantsText(t, names, operatorGrants),
            },
          ]}
        />
      )}
    </Settings>,
  )
}

/** Shows the form for a group, or for a new group if `name` is null. */
export async function showGroup(
  deps: RouteDeps,
  visit: ConsoleVisit,
  name: string | null,
  res: Response,
  again: FormState = NEW_FORM,
): Promise<void> {
  const { frame } = visit
  const { t } = frame
  const { operatorGrants } = name === null ? { operatorGrants: [] } : await getGroup(deps, name)
  const canChange = hasPermission(visit, 'administer_deployment')
  const names = await listVaultNames(deps, 'all')
  sendPage(
    res,
    again.status,
    <Settings visit={visit} section="groups" title={name ?? t('settings.newGroup')} problems={again.problems}>
      {canChange ? (
        <PostForm visit={visit} action={`${PATH}/group`} class="settings-form">
          <div class="card settings-card">
            {name === null ? (
              <Input frame={frame} again={again} name="group" required />
            ) : (
              <>
                <input type="hidden" name="group" value={name} />
                <InitialValues again={again} values={{ operator_roles: operatorGrants.map(grantValue) }} />
              </>
            )}
            <GrantInputs
              {...{ frame, again, names }}
              grants={operatorGrants}
              hint="settings.groups.rolesHint"
            />
          </div>
          <FormFoot frame={frame} back={PATH} />
        </PostForm>
      ) : (
        <ul>
          {operatorGrants.map((grant) => (
            <li key={grantValue(grant)}>{grantText(t, names, grant)}</li>
          ))}
        </ul>
      )}
    </Settings>,
  )
}

export async function changeGroupFromForm(
  deps: RouteDeps,
  visit: ConsoleVisit,
  req: Request,
  res: Response,
): Promise<void> {
  const sent = (req.body ?? {}) as Sent
  const given = textOf(sent, 'group')
  const refused = await runForm(visit.frame, sent, async () => {
    const { name: group } = parseOrRefuse(groupParams, { name: given ?? '' })
    const { operatorGrants: now } = await getGroup(deps, group)
    const changed = sentGrants(sent, now)
    const body = parseOrRefuse(changeGroupBody, { operator_grants: changed ?? [] })
    const operatorGrants = changed ? (grantsOf(body) ?? []) : now
    const action = { kind: 'change_group', group, operatorGrants } as const
    const requested = await requestAction(deps, visit, byOf(visit, req), action, formEffect(deps))
    sendRequested(visit, res, requested, () => res.redirect(303, PATH))
  })
  if (refused) await showGroup(deps, visit, null, res, refused)
}
