/** Page: administrative actions that await a second approval. */
import { type AdminAction, type AdminProposal, mayDo, valuesOf } from '../../../domain/access/admin-action.ts'
import { personOf } from '../../../domain/access/audit.ts'
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
import { formEffect } from '../../../use-cases/base/effect.ts'
import { Button } from '../../components/button.tsx'
import { PostForm } from '../../components/form.tsx'
import { momentOf } from '../words.ts'
import type { Ask, Reply } from './ask.ts'
import { labelOf } from './form.ts'
import { List, PER_PAGE, secretPage } from './parts.tsx'
import { BASE } from './sections.ts'
import { valueText } from './value-text.ts'

const PATH = `${BASE}/actions`

export async function actionsPage(ask: Ask): Promise<Reply> {
  const { deps, visit, frame, t, page } = ask
  const { proposals, totalCount } = await listAdminProposals(deps, visit, { page, per_page: PER_PAGE })
  const people = proposals.flatMap(({ proposedBy, action }) => [
    personOf(proposedBy) ?? [],
    'userId' in action ? action.userId : [],
  ])
  const emails = await listEmails(deps, people.flat())
  const vaults = await listVaultNames(deps, vaultsFor(visit, 'read_settings'))
  const nameOf = ({ action }: AdminProposal): string => {
    if (action.kind === 'create_user') return action.email
    if (action.kind === 'change_group') return action.group
    return 'vaultId' in action
      ? (vaults.get(action.vaultId) ?? action.vaultId)
      : (emails.get(action.userId) ?? action.userId)
  }
  const changeText = ([name, value]: [name: string, value: unknown]) =>
    `${labelOf(t, name)}: ${(value ?? '') === '' ? '–' : valueText(frame, vaults, name, value) || '–'}`
  return {
    section: 'actions',
    title: t('settings.actions'),
    lead: t(deps.config.ADMIN_FOUR_EYES ? 'actions.hint' : 'actions.off'),
    children: (
      <List
        ask={ask}
        rows={proposals}
        keyOf={({ id }) => id}
        none="actions.none"
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
                {nameOf(proposal)}
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

const Decide = ({ ask: { visit, t }, id, proposedBy }: AdminProposal & { readonly ask: Ask }) => (
  <div class="actions">
    {proposedBy === visit.actor ? null : (
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
  const { passwordHalf } = await confirmAction(visit, by, id, formEffect(deps))
  return afterHalf(ask, passwordHalf, 'actions.half.second')
}

export async function withdrawProposal({ deps, visit, by, id }: Ask): Promise<Reply> {
  await withdrawAction(deps, visit, by, id)
  return PATH
}

/**
 * Performs the action and returns `next`. If the action needs a second approval, returns the list of actions, or the
 * proposer's half of a password.
 */
export async function performAction<K extends AdminAction['kind']>(
  ask: Ask,
  action: ActionOf<K>,
  next: (done: Outcomes[K]) => Reply,
): Promise<Reply> {
  const { deps, visit, by } = ask
  const requested = await requestAction(deps, visit, by, action, formEffect(deps))
  return requested.proposal
    ? afterHalf(ask, requested.passwordHalf, 'actions.half.first')
    : next(requested.done)
}

const afterHalf = (
  ask: Ask,
  half: string | null,
  text: 'actions.half.first' | 'actions.half.second',
): Reply =>
  half === null
    ? PATH
    : secretPage(
        ask,
        { section: 'actions' },
        { title: ask.t('settings.actions'), label: 'actions.half', text, secret: half, next: PATH },
      )
