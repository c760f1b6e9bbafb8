/** Page: the list of users and operators. */
import type { User } from '../../../domain/access/user.ts'
import { listVaultNames } from '../../../use-cases/access/names.ts'
import { listSamePeople, listUsers } from '../../../use-cases/access/users.ts'
import { Avatar } from '../../components/avatar.tsx'
import { Banner } from '../../components/banner.tsx'
import { ButtonLink } from '../../components/button.tsx'
import { Chip } from '../../components/chip.tsx'
import type { Translate } from '../../texts/index.ts'
import { type Ask, mayAdministerAll, type Reply } from './ask.ts'
import { grantsText } from './grants.tsx'
import { List, PER_PAGE, RowLink } from './parts.tsx'
import { BASE } from './sections.ts'

export const USERS = `${BASE}/users`
export const userPath = (id: string): string => `${USERS}/${id}`

export async function usersPage(ask: Ask): Promise<Reply> {
  const { deps, t, page } = ask
  const { users, totalCount } = await listUsers(deps, { page, per_page: PER_PAGE })
  const [names, pairs] = await Promise.all([listVaultNames(deps, 'all'), listSamePeople(deps)])
  return {
    section: 'users',
    title: t('settings.users'),
    count: t('settings.users.count', { count: totalCount }),
    tools: mayAdministerAll(ask) ? (
      <ButtonLink href={`${USERS}/new`} icon="user-plus">
        {t('settings.newUser')}
      </ButtonLink>
    ) : null,
    children: (
      <>
        {pairs.length > 0 ? <SamePeople t={t} pairs={pairs} /> : null}
        <List
          ask={ask}
          isLinked
          rows={users}
          keyOf={({ id }) => id}
          totalCount={totalCount}
          columns={[
            {
              key: 'email',
              cell: ({ id, email }) => (
                <span class="with-avatar">
                  <Avatar name={email || id} isSmall />
                  <RowLink href={userPath(id)}>{email || id}</RowLink>
                </span>
              ),
            },
            { key: 'operator_roles', cell: ({ operatorGrants }) => grantsText(t, names, operatorGrants) },
            { key: 'vaults', cell: (user) => user.vaults.map(({ name }) => name).join(', ') },
            { key: 'state', cell: (user) => <UserStates t={t} user={user} /> },
          ]}
        />
      </>
    ),
  }
}

const SHOWN_PAIRS = 10

/** Warns about people who seem to have two accounts, with which they can confirm their own decisions. */
const SamePeople = ({ t, pairs }: { t: Translate; pairs: Awaited<ReturnType<typeof listSamePeople>> }) => (
  <Banner tone="warning" title={t('settings.samePeople')}>
    <p>{t('settings.samePeople.text')}</p>
    <ul>
      {pairs.slice(0, SHOWN_PAIRS).map(([one, other]) => (
        <li key={`${one.id} ${other.id}`}>
          <a href={userPath(one.id)}>{one.email}</a>, <a href={userPath(other.id)}>{other.email}</a>
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
