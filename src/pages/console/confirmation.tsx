/** Component: the form to confirm or withdraw a decision that needs a second approval. */

import { confirm, confirmBody, withdraw, withdrawBody } from '../../contracts/confirmation.ts'
import type { ConfirmationStep, Proposal } from '../../domain/decision/confirmation.ts'
import { fittingReasons, REASON_CODES } from '../../domain/decision/decision.ts'
import { consolePath } from '../../domain/entity/console-path.ts'
import type { Entity } from '../../domain/entity/entity.ts'
import { newEffect } from '../../use-cases/base/effect.ts'
import { settleDecision } from '../../use-cases/case/decision.ts'
import { isPending } from '../../use-cases/review/decided.ts'
import { Button } from '../components/button.tsx'
import { Card } from '../components/card.tsx'
import { PostForm } from '../components/form.tsx'
import { collectProblems } from '../routing/refusals.ts'
import type { Sent } from '../values/form-values.ts'
import type { CaseForm } from './case-form.ts'
import { type Compared, refusedDecision, type Typed } from './decision.ts'
import { Decided, describeFinding } from './finding.tsx'
import { setFlash } from './flash.ts'
import { nameOf, type TimelineShown } from './timeline.tsx'
import type { ConsoleVisit } from './visit.ts'
import { momentOf, wordOf } from './words.ts'

interface ConfirmationProps {
  readonly visit: ConsoleVisit
  readonly mayDecide: boolean
  readonly mayConfirm: boolean
  readonly base: string
  readonly version: number
  readonly pending: Proposal
  readonly compared: Compared | undefined
  /** The values of a refused form. */
  readonly typed?: Typed
  /** The emails of operators, keyed by user ID. */
  readonly emails: TimelineShown['emails']
}

export function Confirmation(props: ConfirmationProps) {
  const { visit, base, version, pending, compared, emails } = props
  const { frame } = visit
  const { t } = frame
  const isMine = pending.by === visit.actor
  return (
    <Card
      id="confirmation-title"
      title={t('console.confirmation')}
      icon="users"
      text={
        <>
          <strong>{wordOf(frame, 'console.outcome', pending.outcome)}</strong>{' '}
          {isMine ? t('console.confirmation.you') : nameOf(frame, emails, pending.by)} ·{' '}
          {momentOf(frame, pending.since)}
        </>
      }
    >
      {isMine ? (
        <p>{t('console.confirmation.mine')}</p>
      ) : !props.mayConfirm ? null : compared ? (
        <Compare {...props} compared={compared} />
      ) : (
        <Choose {...props} />
      )}
      {props.mayDecide ? (
        <PostForm visit={visit} action={`${base}/decision/withdraw`}>
          <input type="hidden" name="version" value={version} />
          <Button kind="link">{t('console.confirmation.withdraw')}</Button>
        </PostForm>
      ) : null}
    </Card>
  )
}

/** Asks the second operator for a reason before the page shows the first operator's reason. */
function Choose({ visit, base, version, pending, typed = {} }: ConfirmationProps) {
  const { t } = visit.frame
  const reasons = pending.outcome === 'case_closed' ? REASON_CODES : fittingReasons(pending.outcome)
  return (
    <PostForm visit={visit} action={`${base}/decision/compare#confirmation-title`} data-unsent>
      <input type="hidden" name="version" value={version} />
      <div class="field">
        <label for="reason_code">{t('console.confirmation.reason')}</label>
        <select id="reason_code" name="reason_code" required>
          <option value="">{t('page.choose')}</option>
          {reasons.map((code) => (
            <option key={code} value={code} selected={code === typed.reason_code}>
              {t(`console.reason.${code}`)}
            </option>
          ))}
        </select>
      </div>
      <div class="field">
        <label for="second-note">
          {t('console.internal')} <span class="optional">{t('page.optional')}</span>
        </label>
        <textarea id="second-note" name="internal_note" rows={2}>
          {typed.internal_note}
        </textarea>
      </div>
      <Button>{t('console.confirmation.compare')}</Button>
    </PostForm>
  )
}

function Compare({
  visit,
  base,
  version,
  pending,
  compared,
}: ConfirmationProps & { readonly compared: Compared }) {
  const { frame } = visit
  const { t } = frame
  const said = [
    [t('console.confirmation.yours'), t(`console.reason.${compared.reason_code}`)],
    [
      t('console.confirmation.theirs'),
      pending.reasonCode ? t(`console.reason.${pending.reasonCode}`) : t('check.notGiven'),
    ],
    [t('console.comment'), pending.clientComment ?? t('check.notGiven')],
    [t('console.internal'), pending.internalNote ?? t('check.notGiven')],
    ...pending.findings.map((finding) => describeFinding(frame, finding)),
  ]
  return (
    <>
      <Decided rows={said} />
      <PostForm visit={visit} action={`${base}/decision/confirm`}>
        <input type="hidden" name="version" value={version} />
        <input type="hidden" name="reason_code" value={compared.reason_code} />
        <input type="hidden" name="internal_note" value={compared.internal_note ?? ''} />
        <Button>{t('console.confirmation.confirm')}</Button>
      </PostForm>
    </>
  )
}

/** Runs the step that a confirmation form submits. */
export async function takeConfirmation<E extends Entity>(
  step: ConfirmationStep,
  { deps, visit, target, req, res, showAgain }: CaseForm<E>,
): Promise<void> {
  const { version, reason_code, internal_note } = (req.body ?? {}) as Sent
  const note = String(internal_note ?? '').trim()
  const typed: Typed = {
    ...(typeof reason_code === 'string' && { reason_code }),
    ...(note !== '' && { internal_note: note }),
  }
  const said = { version: Number(version), ...(note !== '' && { internal_note: note }) }
  const confirmed = confirmBody.safeParse({ ...said, reason_code })
  const withdrawn = withdrawBody.safeParse(said)
  const command =
    step === 'withdraw'
      ? withdrawn.data && withdraw(withdrawn.data)
      : confirmed.data && confirm(confirmed.data)
  if (!command) {
    const problems = [{ code: 'invalid', message: visit.frame.t('console.confirmation.incomplete') }] as const
    return showAgain({ ...refusedDecision(visit.frame, problems), typed })
  }
  if (step === 'compare' && confirmed.data && (await isPending(deps, target)))
    return showAgain({ status: 200, problems: [], typed: { compared: confirmed.data } })
  if (step === 'compare')
    return showAgain({ ...refusedDecision(visit.frame, [{ code: 'no_decision_pending' }]), typed })
  const problems = await collectProblems(() => settleDecision(deps, visit, target, command, newEffect()))
  if (problems.length > 0) return showAgain({ ...refusedDecision(visit.frame, problems), typed })
  if (step !== 'withdraw') setFlash(res, 'decided')
  res.redirect(303, step === 'withdraw' ? consolePath(target.entity, target.id) : '/console')
}
