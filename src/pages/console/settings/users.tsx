/** Page: the list of users and operators, and the form for a new user or operator. */

import type { Request, Response } from 'express'
import { parseOrRefuse } from '../../../contracts/check.ts'
import { createUserBody, grantsOf } from '../../../contracts/user.ts'
import { CLIENT_ROLES } from '../../../domain/access/access.ts'
import { hasPermission } from '../../../domain/access/grant.ts'
import type { User } from '../../../domain/access/user.ts'
import { byOf } from '../../../http/address.ts'
import type { RouteDeps } from '../../../http/deps.ts'
import { requestAction } from '../../../use-cases/access/admin-action.ts'
import { listVaultNames } from '../../../use-cases/access/names.ts'
import { listSamePeople, listUsers, type UserWithPassword } from '../../../use-cases/access/users.ts'
import { formEffect } from '../../../use-cases/base/effect.ts'
import { Avatar } from '../../components/avatar.tsx'
import { Banner } from '../../components/banner.tsx'
import { ButtonLink } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { Chip } from '../../components/chip.tsx'
import { DataTable } from '../../components/data-table.tsx'
import { PostForm } from '../../components/form.tsx'
import type { Frame } from '../../components/layout.tsx'
import { sendPage } from '../../routing/response.tsx'
import type { Translate } from '../../texts/index.ts'
import type { Sent } from '../../values/form-values.ts'
import { pageOf } from '../page-links.tsx'
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
import { GrantInputs, grantsText, sentGrants } from './grants.tsx'
import { BASE, FormFoot, Pager, PER_PAGE, Secret, Settings } from './shell.tsx'

/** The list of users, to which the pages of one user lead back. */
export const UP = { href: `${BASE}/users`, name: 'settings.users' } as const

export async function showUsers(
  deps: RouteDeps,
  visit: ConsoleVisit,
  req: Request,
  res: Response,
): Promise<void> {
  const { frame } = visit
  const { t } = frame
  const page = pageOf(req.query.page)
  const { users, totalCount } = await listUsers(deps, { page, per_page: PER_PAGE })
  const [names, pairs] = await Promise.all([listVaultNames(deps, 'all'), listSamePeople(deps)])
  sendPage(
    res,
    200,
    <Settings
      visit={visit}
      section="users"
      title={t('settings.users')}
      tools={
        hasPermission(visit, 'administer_deployment') ? (
          <ButtonLink href={`${BASE}/users/new`} icon="user-plus">
            {t('settings.newUser')}
          </ButtonLink>
        ) : null
      }
    >
      {pairs.length > 0 ? <SamePeople t={t} pairs={pairs} /> : null}
      <DataTable
        isLinked
        rows={users}
        keyOf={({ id }) => id}
        columns={[
          {
            key: 'email',
            head: labelOf(t, 'email'),
            cell: ({ id, email }) => (
              <span class="with-avatar">
                <Avatar name={email || id} isSmall />
                <a class="row-link" href={`${BASE}/users/${id}`}>
                  {email || id}
                </a>
              </span>
            ),
          },
          {
            key: 'operator_roles',
            head: labelOf(t, 'operator_roles'),
            cell: ({ operatorGrants }) => grantsText(t, names, operatorGrants),
          },
          {
            key: 'vaults',
            head: labelOf(t, 'vaults'),
            cell: (user) => user.vaults.map(({ name }) => name).join(', '),
          },
          { key: 'state', head: labelOf(t, 'state'), cell: (user) => <UserStates t={t} user={user} /> },
        ]}
      />
      <Pager frame={frame} page={page} totalCount={totalCount} hrefOf={(to) => `${BASE}/users?page=${to}`} />
    </Settings>,
  )
}

const SHOWN_PAIRS = 10

/** Warns about people who seem to have two accounts, with which they can confirm their own decisions. */
const SamePeople = ({ t, pairs }: { t: Translate; pairs: Awaited<ReturnType<typeof listSamePeople>> }) => (
  <Banner tone="warning" title={t('settings.samePeople')}>
    <p>{t('settings.samePeople.text')}</p>
    <ul>
      {pairs.slice(0, SHOWN_PAIRS).map(([one, other]) => (
        <li key={`${one.id} ${other.id}`}>
          <a href={`${BASE}/users/${one.id}`}>{one.email}</a>,{' '}
          <a href={`${BASE}/users/${other.id}`}>{other.email}</a>
        </li>
      ))}
    </ul>
  </Banner>
)

/** Shows whether the user has a one-time password, and whether one-time codes are on. */
export const UserStates = ({ t, user }: { t: Translate; user: User }) => (
  <span class="chips">
    {user.passwordExpiresAt === null ? null : (
      <Chip tone="warning" icon="key-round">
        {t('settings.user.oneTime')}
      </Chip>
    )}
    {user.otpRequiredForLogin ? (
      <Chip tone="success" icon="shield-check">
        {t('settings.user.codes')}
      </Chip>
    ) : (
      <Chip>{t('settings.user.noCodes')}</Chip>
    )}
  </span>
)

export async function showNewUser(
  deps: RouteDeps,
  visit: ConsoleVisit,
  res: Response,
  again: FormState = NEW_FORM,
): Promise<void> {
  const { frame } = visit
  const { t } = frame
  const about = { frame, again }
  const names = await listVaultNames(deps, 'all')
  sendPage(
    res,
    again.status,
    <Settings visit={visit} section="users" up={UP} title={t('settings.newUser')} problems={again.problems}>
      <PostForm visit={visit} action={`${BASE}/users/new`} class="settings-form">
        <div class="card settings-card">
          <Input {...about} name="email" type="email" required />
        </div>
        <Card id="staff-title" title={t('settings.staff')} text={t('settings.staff.text')}>
          <GrantInputs {...about} grants={[]} names={names} hint="settings.operator_roles.hint" />
        </Card>
        <AnotherVault frame={frame} again={again} names={names} />
        <FormFoot frame={frame} press={t('settings.newUser')} back={`${BASE}/users`} isNew />
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

/** Renders the inputs for another vault and the roles in it. */
export const AnotherVault = ({ frame, again, names }: AnotherVaultProps) => (
  <Card id="client-title" title={frame.t('settings.client')} text={frame.t('settings.client.text')}>
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
      hint={frame.t('settings.roles.hint')}
      isRow
    />
  </Card>
)

/** Returns a list with the vault that was chosen in `AnotherVault`, or an empty list if none was chosen. */
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
      operator_grants: sentGrants(sent, []) ?? [],
      vaults: anotherVault(sent),
    })
    const { email, vaults, ...given } = body
    const action = { kind: 'create_user', email, vaults, operatorGrants: grantsOf(given) ?? [] } as const
    const requested = await requestAction(deps, visit, byOf(visit, req), action, formEffect(deps))
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
