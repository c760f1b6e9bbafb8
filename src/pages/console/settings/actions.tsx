/** Page: administrative actions that await a second approval. */

import type { Request, Response } from 'express'
import { type AdminProposal, mayDo, valuesOf } from '../../../domain/access/admin-action.ts'
import { personOf } from '../../../domain/access/audit.ts'
import { vaultsFor } from '../../../domain/access/grant.ts'
import { byOf } from '../../../http/address.ts'
import type { RouteDeps } from '../../../http/deps.ts'
import {
  confirmAction,
  listAdminProposals,
  type Requested,
  withdrawAction,
} from '../../../use-cases/access/admin-action.ts'
import { listEmails, listVaultNames } from '../../../use-cases/access/names.ts'
import { formEffect } from '../../../use-cases/base/effect.ts'
import { Button } from '../../components/button.tsx'
import { DataTable } from '../../components/data-table.tsx'
import { PostForm } from '../../components/form.tsx'
import { sendPage } from '../../routing/response.tsx'
import { pageOf } from '../page-links.tsx'
import type { ConsoleVisit } from '../visit.ts'
import { momentOf } from '../words.ts'
import { type FormState, labelOf, NEW_FORM, runForm } from './form.tsx'
import { BASE, Pager, PER_PAGE, Secret, Settings } from './shell.tsx'
import { valueText } from './value-text.ts'

const PATH = `${BASE}/actions`

export async function showActions(
  deps: RouteDeps,
  visit: ConsoleVisit,
  req: Request,
  res: Response,
  again: FormState = NEW_FORM,
): Promise<void> {
  const { frame } = visit
  const { t } = frame
  const page = pageOf(req.query.page)
  const { proposals, totalCount } = await listAdminProposals(deps, visit, { page, per_page: PER_PAGE })
  const people = proposals.flatMap(({ proposedBy, action }) => [
    personOf(proposedBy),
    'userId' in action ? action.userId : null,
  ])
  const emails = await listEmails(
    deps,
    people.filter((id) => id !== null),
  )
  const vaults = await listVaultNames(deps, vaultsFor(visit, 'read_settings'))
  const nameOf = ({ action }: AdminProposal): string => {
    if (action.kind === 'create_user') return action.email
    if (action.kind === 'change_group') return action.group
    return 'vaultId' in action
      ? (vaults.get(action.vaultId) ?? action.vaultId)
      : (emails.get(action.userId) ?? action.userId)
  }
  sendPage(
    res,
    again.status,
    <Settings
      visit={visit}
      section="actions"
      title={t('settings.actions')}
      lead={t(deps.config.ADMIN_FOUR_EYES ? 'actions.hint' : 'actions.off')}
      problems={again.problems}
    >
      {proposals.length === 0 ? (
        <p class="card quiet">{t('actions.none')}</p>
      ) : (
        <DataTable
          rows={proposals}
          keyOf={({ id }) => id}
          columns={[
            {
              key: 'action',
              head: t('actions.action'),
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
              head: t('actions.changes'),
              cell: ({ action }) =>
                valuesOf(action)
                  .map(
                    ([name, value]) =>
                      `${labelOf(t, name)}: ${(value ?? '') === '' ? '–' : valueText(frame, vaults, name, value) || '–'}`,
                  )
                  .join('; '),
            },
            {
              key: 'proposedBy',
              head: t('actions.proposedBy'),
              cell: ({ proposedBy, createdAt }) =>
                `${emails.get(personOf(proposedBy) ?? '') ?? proposedBy}, ${momentOf(frame, createdAt)}`,
            },
            {
              key: 'decide',
              head: t('actions.decide'),
              isHidden: true,
              cell: (proposal) =>
                mayDo(visit, proposal.action) ? <Decide visit={visit} proposal={proposal} /> : null,
            },
          ]}
        />
      )}
      <Pager frame={frame} page={page} totalCount={totalCount} hrefOf={(to) => `${PATH}?page=${to}`} />
    </Settings>,
  )
}

function Decide({ visit, proposal }: { readonly visit: ConsoleVisit; readonly proposal: AdminProposal }) {
  const { t } = visit.frame
  const isMine = proposal.proposedBy === visit.actor
  return (
    <div class="actions">
      {isMine ? null : (
        <PostForm visit={visit} action={`${PATH}/${proposal.id}/confirm`}>
          <Button>{t('actions.confirm')}</Button>
        </PostForm>
      )}
      <PostForm visit={visit} action={`${PATH}/${proposal.id}/withdraw`}>
        <Button kind="secondary">{t('actions.withdraw')}</Button>
      </PostForm>
    </div>
  )
}

export async function confirmFromForm(
  deps: RouteDeps,
  visit: ConsoleVisit,
  id: string,
  req: Request,
  res: Response,
): Promise<void> {
  const refused = await runForm(visit.frame, {}, async () => {
    const { passwordHalf } = await confirmAction(visit, byOf(visit, req), id, formEffect(deps))
    sendHalf(visit, res, passwordHalf, 'actions.half.second')
  })
  if (refused) await showActions(deps, visit, req, res, refused)
}

export async function withdrawFromForm(
  deps: RouteDeps,
  visit: ConsoleVisit,
  id: string,
  req: Request,
  res: Response,
): Promise<void> {
  await withdrawAction(deps, visit, byOf(visit, req), id)
  res.redirect(303, PATH)
}

/**
 * Calls `next` if the action is complete. If the action needs a second approval, shows the list of actions, or the
 * proposer's half of a password.
 */
export function sendRequested<T>(
  visit: ConsoleVisit,
  res: Response,
  requested: Requested<T>,
  next: (done: T) => void,
): void {
  if (requested.proposal) sendHalf(visit, res, requested.passwordHalf, 'actions.half.first')
  else next(requested.done)
}

function sendHalf(
  visit: ConsoleVisit,
  res: Response,
  half: string | null,
  text: 'actions.half.first' | 'actions.half.second',
): void {
  const { t } = visit.frame
  if (half === null) {
    res.redirect(303, PATH)
    return
  }
  sendPage(
    res,
    200,
    <Secret
      visit={visit}
      section="actions"
      title={t('settings.actions')}
      label={t('actions.half')}
      text={t(text)}
      secret={half}
      next={PATH}
    />,
  )
}
