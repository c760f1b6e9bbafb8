/** Page: the list of users and operators, and the form for a new one. */

import type { Request, Response } from 'express'
import { parseOrRefuse } from '../../../contracts/check.ts'
import { createUserBody } from '../../../contracts/user.ts'
import { CLIENT_ROLES, OPERATOR_ROLES } from '../../../domain/access/access.ts'
import type { User } from '../../../domain/access/user.ts'
import { byOf } from '../../../http/address.ts'
import type { RouteDeps } from '../../../http/deps.ts'
import { requestAction } from '../../../use-cases/access/admin-action.ts'
import { listVaultNames } from '../../../use-cases/access/names.ts'
import { listUsers, type UserWithPassword } from '../../../use-cases/access/users.ts'
import { formEffect } from '../../../use-cases/effect.ts'
import { Button, ButtonLink } from '../../components/button.tsx'
import { PostForm } from '../../components/form.tsx'
import type { Frame } from '../../components/layout.tsx'
import type { Sent } from '../../form-values.ts'
import { sendPage } from '../../response.tsx'
import type { Translate } from '../../texts/index.ts'
import type { ConsoleVisit } from '../visit.ts'
import { sendRequested } from './actions.tsx'
import {
  Checkboxes,
  type FormState,
  Input,
  labelOf,
  listOf,
  NEW_FORM,
  runForm,
  Select,
  textOf,
} from './form.tsx'
import { BASE, Pager, PER_PAGE, pageOf, Secret, Settings, Table } from './shell.tsx'

export async function showUsers(
  deps: RouteDeps,
  visit: ConsoleVisit,
  req: Request,
  res: Response,
): Promise<void> {
  const { frame } = visit
  const { t } = frame
  const page = pageOf(req.query)
  const { users, totalCount } = await listUsers(deps, { page, per_page: PER_PAGE })
  const columns = ['email', 'operator_roles', 'vaults', 'state'].map((column) => labelOf(t, column))
  const rows = users.map((user) => ({
    key: user.id,
    cells: [
      <a href={`${BASE}/users/${user.id}`}>{user.email || user.id}</a>,
      user.operatorRoles.map((role) => labelOf(t, role)).join(', '),
      user.vaults.map(({ name }) => name).join(', '),
      statesOf(t, user).join(', '),
    ],
  }))
  sendPage(
    res,
    200,
    <Settings visit={visit} section="users" title={t('settings.users')}>
      <p>
        <ButtonLink href={`${BASE}/users/new`}>{t('settings.newUser')}</ButtonLink>
      </p>
      <Table caption={t('settings.users')} columns={columns} rows={rows} />
      <Pager frame={frame} page={page} totalCount={totalCount} hrefOf={(to) => `${BASE}/users?page=${to}`} />
    </Settings>,
  )
}

export const statesOf = (t: Translate, { passwordExpiresAt, otpRequiredForLogin }: User): string[] => [
  ...(passwordExpiresAt === null ? [] : [t('settings.user.oneTime')]),
  t(otpRequiredForLogin ? 'settings.user.codes' : 'settings.user.noCodes'),
]

export async function showNewUser(
  deps: RouteDeps,
  visit: ConsoleVisit,
  res: Response,
  again: FormState = NEW_FORM,
): Promise<void> {
  const { frame } = visit
  const { t } = frame
  const about = { frame, again }
  sendPage(
    res,
    again.status,
    <Settings visit={visit} section="users" title={t('settings.newUser')} problems={again.problems}>
      <PostForm visit={visit} action={`${BASE}/users/new`}>
        <Input {...about} name="email" type="email" required />
        <Checkboxes
          {...about}
          name="operator_roles"
          hint={t('settings.operator_roles.hint')}
          options={roleOptions(t, OPERATOR_ROLES)}
        />
        <AnotherVault frame={frame} again={again} names={await listVaultNames(deps)} />
        <Button>{t('settings.newUser')}</Button>
      </PostForm>
    </Settings>,
  )
}

export const roleOptions = (t: Translate, roles: readonly string[]) =>
  roles.map((value) => ({ value, label: labelOf(t, value) }))

interface AnotherVaultProps {
  readonly frame: Frame
  readonly again: FormState
  readonly names: ReadonlyMap<string, string>
}

/** Inputs for a further vault and the roles in it. */
export const AnotherVault = ({ frame, again, names }: AnotherVaultProps) => (
  <>
    <Select
      frame={frame}
      again={again}
      name="vaults"
      none={frame.t('settings.vaults.noneMore')}
      hint={frame.t('settings.vaults.hint')}
      options={[...names].map(([value, label]) => ({ value, label }))}
    />
    <Checkboxes
      frame={frame}
      again={again}
      name="roles"
      options={roleOptions(frame.t, CLIENT_ROLES)}
      chosen={CLIENT_ROLES}
    />
  </>
)

/** Returns the vault chosen in `AnotherVault`, or an empty list. */
export function anotherVault(sent: Sent) {
  const id = textOf(sent, 'vaults')
  return id === null ? [] : [{ id, roles: listOf(sent, 'roles') }]
}

export async function createUserFromForm(
  deps: RouteDeps,
  visit: ConsoleVisit,
  req: Request,
  res: Response,
): Promise<void> {
  const sent = (req.body ?? {}) as Sent
  const refused = await runForm(visit.frame, sent, async () => {
    const body = parseOrRefuse(createUserBody, {
      email: textOf(sent, 'email') ?? '',
      operator_roles: listOf(sent, 'operator_roles'),
      vaults: anotherVault(sent),
    })
    const { operator_roles: operatorRoles, ...account } = body
    const action = { kind: 'create_user', ...account, operatorRoles } as const
    const requested = await requestAction(deps, byOf(visit, req), action, formEffect(deps))
    sendRequested(visit, res, requested, (user) => sendPassword(visit, res, user))
  })
  if (refused) await showNewUser(deps, visit, res, refused)
}

export const sendPassword = (
  visit: ConsoleVisit,
  res: Response,
  { id, email, oneTimePassword }: UserWithPassword,
): void =>
  sendPage(
    res,
    200,
    <Secret
      visit={visit}
      section="users"
      title={email}
      label={visit.frame.t('settings.oneTimePassword')}
      text={visit.frame.t('settings.oneTimePassword.text')}
      secret={oneTimePassword}
      next={`${BASE}/users/${id}`}
    />,
  )
