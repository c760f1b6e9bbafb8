/** Page: the list of users and operators. */
import { validate as isUuid } from 'uuid'
import { USER_KINDS, type User, type UserFilter } from '../../../domain/access/user.ts'
import { listVaultNames } from '../../../use-cases/access/names.ts'
import { countUsers, listSamePeople, listUsers } from '../../../use-cases/access/users.ts'
import { Banner } from '../../components/banner.tsx'
import { ButtonLink } from '../../components/button.tsx'
import { Chip } from '../../components/chip.tsx'
import { Avatar } from '../../components/icon.tsx'
import { RowName } from '../../components/row-name.tsx'
import type { Translate } from '../../texts/index.ts'
import { FilterBar, LinkFilter, queryText } from '../base/filter-bar.tsx'
import { labelOf } from '../base/form.ts'
import { List, PER_PAGE } from '../base/parts.tsx'
import { type Ask, mayAdministerAll, type Reply } from './ask.ts'
import { grantsText } from './grants.tsx'
import { BASE } from './sections.ts'

export const USERS = `${BASE}/users`
export const userPath = (id: string): string => `${USERS}/${id}`

/** The filters of the chips. Undefined selects all users. */
const KINDS = [undefined, ...USER_KINDS] as const

export async function usersPage(ask: Ask): Promise<Reply> {
  const { deps, frame, t, page, req } = ask
  const filter: UserFilter = {
    kind: USER_KINDS.find((each) => each === req.query.kind),
    vaultId: isUuid(req.query.vault_id) ? String(req.query.vault_id) : undefined,
  }
  const { entries: users, totalCount } = await listUsers(deps, { page, per_page: PER_PAGE }, filter)
  const [names, pairs] = await Promise.all([listVaultNames(deps, 'all'), listSamePeople(deps)])
  const counts = await Promise.all(KINDS.map((kind) => countUsers(deps, { ...filter, kind })))
  const hrefOf = (change: UserFilter, to = 1) => {
    const { kind, vaultId } = { ...filter, ...change }
    return `${USERS}?${queryText({ kind, vault_id: vaultId, page: to > 1 ? String(to) : undefined })}`
  }
  return {
    section: 'users',
    title: t('settings.users'),
    count: t('settings.users.count', { count: counts[0] ?? 0 }),
    tools: mayAdministerAll(ask) ? (
      <ButtonLink href={`${USERS}/new`} icon="user-plus">
        {t('settings.newUser')}
      </ButtonLink>
    ) : null,
    children: (
      <>
        {pairs.length > 0 ? <SamePeople t={t} pairs={pairs} /> : null}
        <FilterBar
          frame={frame}
          tabs={KINDS.map((kind, index) => ({
            key: kind ?? 'all',
            name: t(kind === undefined ? 'console.filter.all' : `settings.users.${kind}`),
            href: hrefOf({ kind }),
            count: String(counts[index]),
            isCurrent: kind === filter.kind,
          }))}
        >
          <LinkFilter
            frame={frame}
            label={t('console.filter.vault_id')}
            chosen={filter.vaultId}
            options={names.size > 1 ? [...names] : []}
            hrefOf={(vaultId) => hrefOf({ vaultId })}
          />
        </FilterBar>
        <List
          ask={ask}
          class="queue case-rows"
          isLinked
          rows={users}
          keyOf={({ id }) => id}
          none="settings.users.none"
          icon="users"
          totalCount={totalCount}
          hrefOf={(to) => hrefOf({}, to)}
          columns={[
            {
              key: 'email',
              class: 'what',
              cell: ({ id, email, vaults }) => (
                <RowName
                  sign={<Avatar name={email || id} isSmall />}
                  href={userPath(id)}
                  name={email || id}
                  notes={vaults.map(({ name }) => name)}
                />
              ),
            },
            {
              key: 'roles',
              class: 'words',
              cell: ({ operatorGrants, vaults }) =>
                [
                  grantsText(t, names, operatorGrants),
                  ...new Set(vaults.flatMap(({ roles }) => roles.map((role) => labelOf(t, role)))),
                ]
                  .filter(Boolean)
                  .join(', '),
            },
            { key: 'state', cell: (user) => <UserStates t={t} user={user} /> },
          ]}
        />
      </>
    ),
  }
}

const SHOWN_PAIRS = 10

/** Warns about people who seem to have two accounts, with which they can confirm their own decisions. Newest first. */
const SamePeople = ({ t, pairs }: { t: Translate; pairs: Awaited<ReturnType<typeof listSamePeople>> }) => (
  <Banner tone="warning" title={t('settings.samePeople')}>
    <p>{t('settings.samePeople.text')}</p>
    <ul>
      {pairs
        .slice(-SHOWN_PAIRS)
        .toReversed()
        .map(([one, other]) => (
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
