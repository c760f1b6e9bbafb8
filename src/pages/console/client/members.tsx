/** Page: the members of a vault, who are its own users of the console. */
import { parseOrRefuse } from '../../../contracts/check.ts'
import { memberBody } from '../../../contracts/user.ts'
import { SEAT_ROLES } from '../../../domain/access/access.ts'
import { addMember, changeMember, getMember, listMembers } from '../../../use-cases/access/members.ts'
import { onceEffect } from '../../../use-cases/base/effect.ts'
import { Button, ButtonLink } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { Chip } from '../../components/chip.tsx'
import { PostForm } from '../../components/form.tsx'
import { Avatar } from '../../components/icon.tsx'
import { flashAt } from '../base/flash.ts'
import { idIn, textOf, toOptions } from '../base/form.ts'
import { Input, Select } from '../base/inputs.tsx'
import { confirmationPage, List, NewId, secretPage } from '../base/parts.tsx'
import { seatPath } from '../base/visit.ts'
import { type ClientAsk, type ClientReply, canManage } from './ask.ts'

export async function membersPage(ask: ClientAsk): Promise<ClientReply> {
  const { deps, visit, frame, t, caller, seat, again } = ask
  const members = await listMembers(deps, caller)
  const base = seatPath(seat.id, 'members')
  return {
    title: t('console.client.members'),
    children: (
      <>
        <List
          ask={ask}
          class="queue case-rows"
          rows={members}
          keyOf={({ id }) => id}
          columns={[
            {
              key: 'email',
              class: 'what',
              cell: ({ id, email }) => (
                <span class="name-cell">
                  <Avatar name={email} isSmall />
                  <span class="row-text">{email}</span>
                  {id === visit.userId ? <Chip>{t('console.client.members.you')}</Chip> : null}
                </span>
              ),
            },
            {
              key: 'role',
              head: 'console.client.role',
              cell: ({ role }) => t(`console.client.role.${role}`),
            },
            {
              key: 'act',
              class: 'act',
              head: 'console.client.action',
              isHidden: true,
              cell: ({ id, email, role }) =>
                id !== visit.userId && canManage(ask) ? (
                  <span class="actions">
                    {SEAT_ROLES.filter((each) => each !== role).map((each) => (
                      <ButtonLink key={each} kind="link" href={`${base}/${id}?role=${each}`}>
                        {t(`console.client.makes.${each}`)}
                        <span class="unseen">: {email}</span>
                      </ButtonLink>
                    ))}
                    <ButtonLink kind="link" href={`${base}/${id}`}>
                      {t('console.client.members.remove')}
                      <span class="unseen">: {email}</span>
                    </ButtonLink>
                  </span>
                ) : null,
            },
          ]}
        />
        {canManage(ask) ? (
          <Card
            id="new-member-title"
            title={t('console.client.members.add')}
            text={t('console.client.members.next')}
          >
            <PostForm visit={visit} action={base} class="client-form">
              <NewId again={again} />
              <Input frame={frame} again={again} name="email" type="email" required />
              <Select
                frame={frame}
                again={again}
                name="role"
                label={t('console.client.role')}
                hint={t('console.client.role.hint')}
                options={toOptions(SEAT_ROLES, (role) => t(`console.client.role.${role}`))}
              />
              <Button icon="plus">{t('console.client.members.add')}</Button>
            </PostForm>
          </Card>
        ) : null}
      </>
    ),
  }
}

export async function createMember(ask: ClientAsk): Promise<ClientReply> {
  const { deps, t, caller, by, seat, sent } = ask
  const given = parseOrRefuse(memberBody, { email: textOf(sent, 'email') ?? '', role: textOf(sent, 'role') })
  const { email, oneTimePassword } = await addMember(
    deps,
    caller,
    by,
    given,
    onceEffect(deps, by, idIn(sent)),
  )
  return secretPage(ask, {
    title: t('settings.oneTimePassword.title', { email }),
    label: 'settings.oneTimePassword',
    text: 'settings.oneTimePassword.text',
    secret: oneTimePassword,
    done: 'settings.copied.password',
    next: seatPath(seat.id, 'members'),
    children: (
      <p>
        {t('console.client.members.address')} <code>{deps.config.PUBLIC_URL + seatPath(seat.id)}</code>
      </p>
    ),
  })
}

/** Asks for confirmation before the form changes the role in the address, or removes the member. */
export async function askToChange(ask: ClientAsk): Promise<ClientReply> {
  const { deps, t, caller, seat, req, id } = ask
  const { email } = await getMember(deps, caller, id)
  const back = seatPath(seat.id, 'members')
  const role = roleIn(req.query)
  const change = role ? (`makes.${role}` as const) : 'members.remove'
  return confirmationPage(ask, {
    title: t(`console.client.${change}.title`, { email }),
    text: `console.client.${change}.text`,
    action: `${back}/${id}`,
    values: { role: role ?? '' },
    press: `console.client.${change}`,
    back,
  })
}

const roleIn = ({ role }: Readonly<Record<string, unknown>>) => SEAT_ROLES.find((each) => each === role)

/** Changes the role of a member. Without a role, removes the member. */
export async function saveMember(ask: ClientAsk): Promise<ClientReply> {
  const { deps, caller, by, seat, res, id, sent } = ask
  const role = roleIn(sent)
  const { email } = await changeMember(deps, caller, by, id, role ?? null)
  return flashAt(deps, res, seatPath(seat.id, 'members'), role ? 'roleChanged' : 'memberRemoved', email)
}
