/** Component: the drawer in which a second operator approves a decision or sends it back. */
import type { ComponentChildren } from 'preact'
import { confirm, confirmBody, withdraw, withdrawBody } from '../../../contracts/confirmation.ts'
import type { Problem } from '../../../domain/base/errors.ts'
import type { ConfirmationStep, Proposal } from '../../../domain/decision/confirmation.ts'
import { fittingReasons, REASON_CODES, type ReasonCode } from '../../../domain/decision/decision.ts'
import { consolePath } from '../../../domain/entity/console-path.ts'
import type { Entity } from '../../../domain/entity/entity.ts'
import { newEffect } from '../../../use-cases/base/effect.ts'
import { settleDecision } from '../../../use-cases/case/decision.ts'
import { isPending } from '../../../use-cases/review/decided.ts'
import { Button, ButtonLink } from '../../components/button.tsx'
import { Chip } from '../../components/chip.tsx'
import { ChoiceCard } from '../../components/choice-card.tsx'
import { Drawer } from '../../components/drawer.tsx'
import { PostForm } from '../../components/form.tsx'
import { Avatar, Glyph, Icon } from '../../components/icon.tsx'
import { RowText } from '../../components/row-text.tsx'
import { collectProblems } from '../../routing/refusals.ts'
import type { Translate } from '../../texts/index.ts'
import type { Sent } from '../../values/form-values.ts'
import { setFlash } from '../base/flash.ts'
import { momentOf } from '../base/words.ts'
import { type Compared, refusedDecision, type Typed } from './decision.ts'
import { OpenNext } from './decision-form.tsx'
import { leaveCase } from './decision-preparation.ts'
import { Decided, keyOf } from './finding.tsx'
import type { CaseForm } from './form.ts'
import { confirmationPath } from './tabs.ts'
import { nameOf } from './timeline.tsx'
import type { CaseProps } from './view.tsx'

interface ConfirmationProps
  extends Pick<CaseProps, 'visit' | 'mayDecide' | 'mayConfirm' | 'base' | 'title' | 'version'>,
    Pick<CaseProps, 'typed' | 'timeline' | 'opensConfirmation' | 'labelOf' | 'deciding'> {
  readonly pending: Proposal
}

const DRAWER = 'second-approval'

/** Returns whether the operator can approve the decision of another operator. */
export const canConfirm = ({
  visit,
  mayConfirm,
  pending,
}: Pick<ConfirmationProps, 'visit' | 'mayConfirm' | 'pending'>) => mayConfirm && pending.by !== visit.actor

export const confirmationLink = (base: string) => ({ href: confirmationPath(base), 'data-opens': DRAWER })

/** Shows which decision awaits a second approval: as a task of the operator who can approve it, or as a state. */
export function Confirmation(props: ConfirmationProps) {
  const { visit, base, version, pending } = props
  const { t } = visit.frame
  const isMine = pending.by === visit.actor
  const canAct = canConfirm(props)
  const proposed = proposedText(props)
  return (
    <section class="case-part" aria-labelledby="confirmation-title">
      <h2 id="confirmation-title">{t(canAct ? 'console.needs' : 'console.why.second_review')}</h2>
      {canAct ? (
        <a class="card need" {...confirmationLink(base)}>
          <Glyph state="warning" />
          <RowText name={t('console.confirmation')} note={proposed} />
          <span class="row-end">
            <Icon name="chevron-right" />
          </span>
        </a>
      ) : (
        <ProposalCard
          about={props}
          rows={isMine ? [reasonRow(t, pending.reasonCode), ...textsOf(t, pending)] : []}
        >
          <p class="hint">{t('console.confirmation.waits')}</p>
          {isMine && props.mayDecide ? (
            <PostForm visit={visit} action={`${base}/decision/withdraw`}>
              <input type="hidden" name="version" value={version} />
              <Button kind="secondary">{t('console.confirmation.withdraw')}</Button>
            </PostForm>
          ) : null}
        </ProposalCard>
      )}
    </section>
  )
}

const textsOf = (t: Translate, { clientComment, internalNote }: Proposal) =>
  [
    [t('console.comment.applicant'), clientComment],
    [t('console.internal'), internalNote],
  ].filter(([, value]) => value)

const reasonRow = (t: Translate, code: ReasonCode | null) =>
  [t('console.reason'), code && t(`console.reason.${code}`)] as const

function proposedText({ visit, pending, timeline }: ConfirmationProps): string {
  const { t } = visit.frame
  const isMine = pending.by === visit.actor
  const who = isMine ? t('console.you') : nameOf(visit.frame, timeline.emails, pending.by)
  return t(`console.confirmation.by.${pending.outcome}`, { who })
}

/** Renders the drawer of the second operator. The first operator has none. */
export function ConfirmationDrawer(props: ConfirmationProps) {
  const { visit, typed, opensConfirmation: isOpen } = props
  const { compared } = typed
  const { t } = visit.frame
  if (!canConfirm(props)) return null
  return (
    <Drawer
      t={t}
      id={DRAWER}
      title={
        <>
          {t('console.confirmation')}{' '}
          <span class="quiet small">{t('console.confirmation.step', { step: compared ? 2 : 1 })}</span>
        </>
      }
      isOpen={isOpen || compared !== undefined}
    >
      {compared ? <Compare {...props} compared={compared} /> : <Choose {...props} />}
    </Drawer>
  )
}

interface CardProps {
  readonly about: ConfirmationProps
  readonly rows: readonly (readonly ComponentChildren[])[]
  readonly children?: ComponentChildren
}

/** Shows the proposal, as far as the operator can see it. */
function ProposalCard({ about, rows, children }: CardProps) {
  const { visit, pending, timeline } = about
  const email = nameOf(visit.frame, timeline.emails, pending.by)
  const known = rows.filter(([, value]) => value)
  return (
    <div class="card proposal">
      <div class="proposal-head">
        <Avatar name={email} isSmall isColoured />
        <RowText name={proposedText(about)} note={momentOf(visit.frame, pending.since)} />
      </div>
      {known.length > 0 ? <Decided rows={known} /> : null}
      {children}
    </div>
  )
}

/** Asks the second operator for a reason before the page shows the first operator's reason. */
function Choose(props: ConfirmationProps) {
  const { visit, base, version, pending, timeline, typed } = props
  const { t } = visit.frame
  const who = nameOf(visit.frame, timeline.emails, pending.by)
  const isBack = typed.back === true
  const reasons = pending.outcome === 'case_closed' ? REASON_CODES : fittingReasons(pending.outcome)
  return (
    <PostForm visit={visit} action={`${base}/decision/compare`} class="decision" data-unsent>
      <input type="hidden" name="version" value={version} />
      <div class="drawer-body">
        <ProposalCard
          about={props}
          rows={[[t('console.reason'), <span class="quiet">{t('console.confirmation.hidden')}</span>]]}
        />
        <div class="field">
          <label for="reason_code">{t('console.confirmation.reason')}</label>
          <p class="hint" id="reason-hint">
            {t('console.confirmation.first')}
          </p>
          <select
            id="reason_code"
            name="reason_code"
            required
            autofocus={!isBack}
            aria-describedby="reason-hint"
          >
            <option value="">{t('page.choose')}</option>
            {reasons.map((code) => (
              <option key={code} value={code} selected={code === typed.reason_code}>
                {t(`console.reason.${code}`)}
              </option>
            ))}
          </select>
        </div>
        {/* Also keeps the note of a refused form. */}
        <details open={isBack || typed.internal_note !== undefined}>
          <summary>{t('console.confirmation.instead')}</summary>
          <div class="field">
            <p class="hint">{t('console.confirmation.back.text', { who })}</p>
            <Note t={t} text={typed.internal_note} isRequired isMissing={isBack} />
            <Button
              kind="secondary"
              name="back"
              value="yes"
              formaction={`${base}/decision/confirm`}
              formnovalidate
            >
              {t('console.confirmation.back')}
            </Button>
          </div>
        </details>
      </div>
      <div class="drawer-foot">
        <Button icon="lock">{t('console.confirmation.compare')}</Button>
        <p class="hint">{t('console.confirmation.incomplete')}</p>
        <ButtonLink kind="quiet" href={base} data-close>
          {t('console.decide.cancel')}
        </ButtonLink>
      </div>
    </PostForm>
  )
}

interface NoteProps {
  readonly t: Translate
  readonly text: string | undefined
  readonly isRequired?: boolean
  /** True if the second operator sent the decision back without a note. */
  readonly isMissing?: boolean
}

const Note = ({ t, text, isRequired = false, isMissing = false }: NoteProps) => (
  <div class="field">
    <label for="second-note">
      {t('console.internal')}{' '}
      {isRequired ? null : (
        <>
          <span class="optional" data-if="none">
            {t('console.confirmation.back.note')}
          </span>
          <span class="optional" data-if="no">
            {t('page.optional')}
          </span>
        </>
      )}
    </label>
    <textarea
      id="second-note"
      name="internal_note"
      rows={2}
      autofocus={isMissing}
      {...(isMissing && { 'aria-invalid': true, 'aria-describedby': 'second-note-problem' })}
    >
      {text}
    </textarea>
    {isMissing ? (
      <p class="problem" id="second-note-problem">
        {t('console.confirmation.unsaid')}
      </p>
    ) : null}
  </div>
)

/** Compares both reasons, shows the first operator's texts and findings, and asks for the decision. */
function Compare(props: ConfirmationProps & { readonly compared: Compared }) {
  const { visit, base, title, version, pending, compared, timeline, typed, labelOf } = props
  const { frame } = visit
  const { t } = frame
  const who = nameOf(frame, timeline.emails, pending.by)
  const isBack = typed.back === true
  const isSame = pending.reasonCode === compared.reason_code
  const confirms = t(`console.confirmation.confirm.${pending.outcome}`)
  return (
    <PostForm visit={visit} action={`${base}/decision/confirm`} class="decision">
      <input type="hidden" name="version" value={version} />
      <input type="hidden" name="reason_code" value={compared.reason_code} />
      {/* Without the focus, the dialog would focus its button that closes it. */}
      <div class="drawer-body" tabIndex={-1} autofocus={!isBack}>
        <ProposalCard
          about={props}
          rows={[
            reasonRow(t, pending.reasonCode),
            [
              t('console.confirmation.reason'),
              <span class="spread">
                {t(`console.reason.${compared.reason_code}`)}
                {pending.reasonCode ? (
                  <Chip tone={isSame ? 'success' : 'warning'} icon={isSame ? 'check' : 'triangle-alert'}>
                    {t(isSame ? 'console.confirmation.same' : 'console.confirmation.differ')}
                  </Chip>
                ) : null}
              </span>,
            ],
            ...textsOf(t, pending),
          ]}
        >
          {pending.reasonCode && !isSame ? (
            <p class="hint">{t('console.confirmation.applies', { who })}</p>
          ) : null}
        </ProposalCard>
        {pending.findings.length > 0 ? (
          <section class="findings" aria-labelledby="found-title">
            <h3 id="found-title">
              {t('console.confirmation.findings', { who })}{' '}
              <span class="count">{pending.findings.length}</span>
            </h3>
            <ul class="rows">
              {pending.findings.map(({ path, fileId, code, comment }) => (
                <li key={keyOf(path, fileId)} class="row-text">
                  <span class="row-name">{labelOf(path, fileId)}</span>
                  <span class="row-note">
                    {[t(`console.finding.${code}`), comment].filter(Boolean).join(': ')}
                  </span>
                </li>
              ))}
            </ul>
          </section>
        ) : null}
        <p class="hint lock-hint">
          <Icon name="circle-check" size={16} />
          {t('console.confirmation.unchanged')}
        </p>
        <fieldset class="field">
          <legend>{t('console.confirmation.decision')}</legend>
          <div class="outcomes">
            <ChoiceCard
              label={confirms}
              icon="check-check"
              text={t(`console.confirmation.effect.${pending.outcome}`, { title })}
              name="back"
              value="no"
              required
            />
            <ChoiceCard
              label={t('console.confirmation.back')}
              icon="undo-2"
              text={t('console.confirmation.back.text', { who })}
              name="back"
              value="yes"
              checked={isBack}
              required
            />
          </div>
        </fieldset>
        <Note t={t} text={compared.internal_note} isMissing={isBack} />
      </div>
      <div class="drawer-foot">
        <Button icon="lock">
          <span data-if="none">{t('console.decide')}</span>
          <span data-if="no">{confirms}</span>
          <span data-if="yes">{t('console.confirmation.back')}</span>
        </Button>
        <p class="hint">{t('console.decide.choose')}</p>
        <ButtonLink kind="quiet" href={base} data-close>
          {t('console.decide.cancel')}
        </ButtonLink>
        <OpenNext t={t} isChecked={props.deciding.opensNext} />
      </div>
    </PostForm>
  )
}

/** Runs the step that a confirmation form submits. Sending a decision back withdraws it. */
export async function takeConfirmation<E extends Entity>(asked: ConfirmationStep, form: CaseForm<E>) {
  const { deps, visit, target, req, res, showAgain } = form
  const { t } = visit.frame
  const { version, reason_code, internal_note, back, open_next } = (req.body ?? {}) as Sent
  const isBack = back === 'yes' && asked !== 'compare'
  const step = isBack ? 'withdraw' : asked
  const text = String(internal_note ?? '').trim()
  const note = text === '' ? {} : { internal_note: text }
  const typed: Typed = { ...(typeof reason_code === 'string' && { reason_code }), ...note }
  const refuse = (problems: readonly Problem[]) =>
    showAgain({ ...refusedDecision(visit.frame, problems), typed })
  const confirmed = confirmBody.safeParse({ version: Number(version), reason_code, ...note }).data
  const withdrawn = withdrawBody.safeParse({ version: Number(version), ...note }).data
  if (isBack && text === '') {
    const problems = [{ field: 'second-note', message: t('console.confirmation.unsaid') }]
    const compared = confirmed && { compared: confirmed }
    return showAgain({ status: 422, problems, typed: { ...typed, back: true, ...compared } })
  }
  const command = step === 'withdraw' ? withdrawn && withdraw(withdrawn) : confirmed && confirm(confirmed)
  if (!command) return refuse([{ code: 'invalid', message: t('console.confirmation.incomplete') }])
  if (step === 'compare')
    return confirmed && (await isPending(deps, target))
      ? showAgain({ status: 200, problems: [], typed: { compared: confirmed } })
      : refuse([{ code: 'no_decision_pending' }])
  const problems = await collectProblems(() => settleDecision(deps, visit, target, command, newEffect()))
  if (problems.length > 0) return refuse(problems)
  setFlash(deps, res, step !== 'withdraw' ? 'decided' : isBack ? 'sentBack' : 'withdrawn', target)
  if (step === 'withdraw') return res.redirect(303, consolePath(target.entity, target.id))
  await leaveCase(form, open_next === 'yes')
}
