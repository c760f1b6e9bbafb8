/** Page: administrative actions that await a second approval. */
import { type AdminAction, type AdminProposal, mayDo, valuesOf } from '../../../domain/access/admin-action.ts'
import { areSamePerson, personOf } from '../../../domain/access/audit.ts'
import { vaultsFor } from '../../../domain/access/grant.ts'
import {
  type ActionOf,
  confirmAction,
  listAdminProposals,
  type Outcomes,
  requestAction,
  withdrawAction,
} from '../../../use-cases/access/admin-action.ts'
import { listEmails, listVaultNames } from '../../../use-cases/access/names.ts'
import { formEffect, onceEffect } from '../../../use-cases/base/effect.ts'
import { Button } from '../../components/button.tsx'
import { PostForm } from '../../components/form.tsx'
import { flashAt, type ObjectNotice } from '../base/flash.ts'
import { idIn, labelOf } from '../base/form.ts'
import { List, PER_PAGE, secretPage } from '../base/parts.tsx'
import { momentOf } from '../base/words.ts'
import type { Ask, Reply } from './ask.ts'
import { BASE } from './sections.ts'
import { valueText } from './value-text.ts'

const PATH = `${BASE}/actions`

export async function actionsPage(ask: Ask): Promise<Reply> {
  const { deps, visit, frame, t, page } = ask
  const { entries: proposals, totalCount } = await listAdminProposals(deps, visit, {
    page,
    per_page: PER_PAGE,
  })
  const { emails, vaults, nameOf } = await findNames(ask, proposals)
  const isOn = deps.config.ADMIN_FOUR_EYES
  const changeText = ([name, value]: [name: string, value: unknown]) =>
    `${labelOf(t, name)}: ${(value ?? '') === '' ? '–' : valueText(frame, vaults, name, value) || '–'}`
  return {
    section: 'actions',
    title: t('settings.actions'),
    lead: isOn ? t('actions.hint') : proposals.length > 0 ? t('actions.off') : null,
    children: (
      <List
        ask={ask}
        rows={proposals}
        keyOf={({ id }) => id}
        none={isOn ? 'actions.none' : 'actions.off'}
        icon="check-check"
        totalCount={totalCount}
        hrefOf={(to) => `${PATH}?page=${to}`}
        columns={[
          {
            key: 'action',
            head: 'actions.action',
            cell: (proposal) => (
              <>
                <strong>{t(`actions.${proposal.action.kind}`)}</strong>
                <br />
                {nameOf(proposal.action)}
              </>
            ),
          },
          {
            key: 'changes',
            head: 'actions.changes',
            cell: ({ action }) => valuesOf(action).map(changeText).join('; '),
          },
          {
            key: 'proposedBy',
            class: 'address',
            head: 'actions.proposedBy',
            cell: ({ proposedBy, createdAt }) =>
              `${emails.get(personOf(proposedBy) ?? '') ?? proposedBy}, ${momentOf(frame, createdAt)}`,
          },
          {
            key: 'decide',
            head: 'actions.decide',
            isHidden: true,
            cell: (proposal) => (mayDo(visit, proposal.action) ? <Decide ask={ask} {...proposal} /> : null),
          },
        ]}
      />
    ),
  }
}

/** Returns the names of the objects that the actions change, and of the people who proposed them. */
async function findNames(
  { deps, visit }: Pick<Ask, 'deps' | 'visit'>,
  proposals: readonly Pick<AdminProposal, 'action' | 'proposedBy'>[],
) {
  const people = proposals.flatMap(({ proposedBy, action }) => [
    personOf(proposedBy) ?? [],
    'userId' in action ? action.userId : [],
  ])
  const emails = await listEmails(deps, people.flat())
  const vaults = await listVaultNames(deps, vaultsFor(visit, 'read_settings'))
  const nameOf = (action: AdminAction): string => {
    if (action.kind === 'create_user') return action.email
    if (action.kind === 'change_group') return action.group
    return 'vaultId' in action
      ? (vaults.get(action.vaultId) ?? action.vaultId)
      : (emails.get(action.userId) ?? action.userId)
  }
  return { emails, vaults, nameOf }
}

const Decide = ({ ask: { visit, t }, id, proposedBy }: AdminProposal & { readonly ask: Ask }) => (
  <div class="actions">
    {areSamePerson(proposedBy, visit.actor) ? null : (
      <PostForm visit={visit} action={`${PATH}/${id}/confirm`}>
        <Button>{t('actions.confirm')}</Button>
      </PostForm>
    )}
    <PostForm visit={visit} action={`${PATH}/${id}/withdraw`}>
      <Button kind="secondary">{t('actions.withdraw')}</Button>
    </PostForm>
  </div>
)

export async function confirmProposal(ask: Ask): Promise<Reply> {
  const { deps, visit, by, id } = ask
  const { proposal, passwordHalf } = await confirmAction(visit, by, id, formEffect(deps))
  if (passwordHalf !== null) return halfPage(ask, passwordHalf, 'actions.half.second')
  return toList(ask, 'actionConfirmed', proposal.action)
}

export async function withdrawProposal(ask: Ask): Promise<Reply> {
  const { deps, visit, by, id } = ask
  const { action } = await withdrawAction(deps, visit, by, id)
  return toList(ask, 'actionWithdrawn', action)
}

/** Returns the list of actions, with a notice that names the action and its object. */
async function toList(ask: Ask, notice: ObjectNotice, action: AdminAction): Promise<Reply> {
  const { nameOf } = await findNames(ask, [{ action, proposedBy: ask.visit.actor }])
  return flashAt(ask.deps, ask.res, PATH, notice, `${ask.t(`actions.${action.kind}`)}, ${nameOf(action)}`)
}

/** Returns `next`, or the list of actions or half of a password if a second approval is necessary. */
export async function performAction<K extends AdminAction['kind']>(
  ask: Ask,
  action: ActionOf<K>,
  next: (done: Outcomes[K]) => Reply,
): Promise<Reply> {
  const { deps, visit, by, sent } = ask
  const requested = await requestAction(deps, visit, by, action, onceEffect(deps, by, idIn(sent)))
  if (!requested.proposal) return next(requested.done)
  const { passwordHalf } = requested
  if (passwordHalf !== null) return halfPage(ask, passwordHalf, 'actions.half.first')
  return toList(ask, 'actionProposed', action)
}

const halfPage = (ask: Ask, secret: string, text: 'actions.half.first' | 'actions.half.second'): Reply => ({
  section: 'actions',
  ...secretPage(ask, {
    title: ask.t('settings.actions'),
    label: 'actions.half',
    text,
    secret,
    done: 'settings.copied.password',
    next: PATH,
  }),
})
