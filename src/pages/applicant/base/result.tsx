/** Component: the result page of a company or a person. */
import type { ComponentChildren } from 'preact'
import { timeOf } from '../../../domain/base/unix-time.ts'
import { referenceOf } from '../../../domain/entity/reference.ts'
import type { Identification } from '../../../domain/identification/record.ts'
import { reviewDueAt } from '../../../domain/review/review-target.ts'
import { Advice } from '../../components/advice.tsx'
import { ButtonLink } from '../../components/button.tsx'
import { Tile } from '../../components/card.tsx'
import { mailTo } from '../../components/contact.tsx'
import { CopyButton } from '../../components/copy.tsx'
import { Glyph, type GlyphState, Icon, type IconName } from '../../components/icon.tsx'
import { type Frame, Page } from '../../components/layout.tsx'
import { type Outcome, OutcomeHero } from '../../components/outcome-hero.tsx'
import { RowText } from '../../components/row-text.tsx'
import { dayText, formatOf } from '../../values/dates.ts'

export interface Result {
  readonly outcome: Outcome
  readonly title: string
  readonly text: string
  readonly id: string
  readonly comment?: string | null | undefined
  /** When the outcome was decided, if known. */
  readonly decidedAt?: Date | null
  readonly submittedAt?: Date | null
  /** Since when the review has been pending, or null if it is not pending. */
  readonly waitingSince?: Date | null
  readonly isEmailed?: boolean
  readonly canChange?: boolean
  /** The client's URL to which the applicant can return, or null. */
  readonly home: string | null
}

/** Returns when an operator decided the current result. Returns null if a check determined it. */
export const decidedAtOf = ({ state, review }: Pick<Identification, 'state' | 'review'>): Date | null =>
  review?.outcome === state.verification ? timeOf(review.decidedAt) : null

interface ResultProps {
  readonly frame: Frame
  readonly result: Result
  /** The address of the form, while the applicant can change it. */
  readonly back?: string
  /** A sentence above the result. */
  readonly note?: ComponentChildren
  readonly children?: ComponentChildren
}

export const ResultPage = ({ frame, result, note, ...content }: ResultProps) => (
  <Page
    frame={frame}
    title={result.title}
    hero={
      <>
        {note}
        <ResultHead frame={frame} result={result} />
      </>
    }
  >
    <ResultContent frame={frame} result={result} {...content} />
  </Page>
)

const hasRemedies = ({ outcome }: Result): boolean => outcome === 'rejected' || outcome === 'closed'

function ResultHead({ frame, result }: Pick<ResultProps, 'frame' | 'result'>) {
  const { outcome, title, text, comment, decidedAt } = result
  const { t, vaultName } = frame
  return (
    <OutcomeHero outcome={outcome} title={title}>
      <p role="status">
        {decidedAt && (outcome === 'approved' || outcome === 'rejected')
          ? t('done.decided', { date: dayText(frame, decidedAt) })
          : text}
      </p>
      {outcome === 'rejected' && !comment ? <p>{t('done.why.none', { vault: vaultName ?? '' })}</p> : null}
    </OutcomeHero>
  )
}

const weekdayText = formatOf({ weekday: 'long', day: 'numeric', month: 'long' })

function ResultContent({ frame, frame: { t }, result, back, children }: Omit<ResultProps, 'note'>) {
  const vault = frame.vaultName ?? ''
  const { outcome, comment, waitingSince, home } = result
  const isPending = outcome === 'received'
  const mail = mailAbout(frame, result.id)
  const isApproved = outcome === 'approved'
  const actions = (
    [
      { href: isPending ? frame.path : null, text: t('done.again'), icon: 'refresh-cw' },
      { href: hasRemedies(result) ? mail : null, text: t('done.write', { vault }), icon: 'mail' },
      { href: home, text: t('done.home', { vault }), endIcon: isApproved ? 'arrow-right' : undefined },
      { href: back ?? null, text: t('done.change') },
    ] as const
  ).flatMap(({ href, ...action }) => (href === null ? [] : { href, ...action }))
  return (
    <div class="result" {...(isPending && { 'data-refresh': '' })}>
      {outcome === 'approved' ? <Next frame={frame} home={home} /> : null}
      {comment ? (
        <section class={outcome === 'rejected' ? 'why' : 'card result-note'} aria-labelledby="comment">
          <h2 id="comment">{t(outcome === 'rejected' ? 'done.why' : 'done.comment')}</h2>
          <p class="lines">{comment}</p>
        </section>
      ) : null}
      {waitingSince ? <Process frame={frame} result={result} waitingSince={waitingSince} /> : null}
      {hasRemedies(result) ? <Remedies frame={frame} result={result} /> : null}
      <Reference frame={frame} id={result.id} />
      {children}
      {actions.length > 0 ? (
        <div class="dock">
          {/* Only the first action is a button, so that the next step is clear. */}
          {actions.map(({ href, text, ...icons }, place) => (
            <ButtonLink
              key={href}
              kind={place > 0 ? 'link' : isApproved ? 'filled' : 'secondary'}
              href={href}
              {...(place === 0 && icons)}
            >
              {text}
            </ButtonLink>
          ))}
        </div>
      ) : null}
    </div>
  )
}

/** Returns the address of an email about a case, or null if the vault has no address. */
export const mailAbout = (frame: Frame, id: string, name?: string): string | null =>
  mailTo(frame, [name, `${frame.t('done.reference')} ${referenceOf(id)}`].filter(Boolean).join(', '))

/** Lists what the applicant can request without an approval, by email if the vault has an address. */
function Remedies({ frame, frame: { t }, result: { id, outcome } }: Pick<ResultProps, 'frame' | 'result'>) {
  const remedies = [
    outcome === 'closed' ? (['link', 'link'] as const) : (['message-square-text', 'ask'] as const),
    ['file-text', 'data'],
  ] as const
  return (
    <section class="remedies" aria-labelledby="remedies">
      <h2 id="remedies">{t('done.next')}</h2>
      <ul class="card rows">
        {remedies.map(([icon, remedy]) => {
          const name = t(`done.remedies.${remedy}`)
          const href = mailAbout(frame, id, name)
          const Row = href === null ? 'div' : 'a'
          return (
            <li key={remedy}>
              <Row class="task-row" {...(href !== null && { href })}>
                <Tile icon={icon} tone="neutral" />
                <RowText name={name} note={t(`done.remedies.${remedy}.text`)} />
                {href === null ? null : <Icon name="chevron-right" size={20} />}
              </Row>
            </li>
          )
        })}
      </ul>
      <p class="row-note">{t('done.kept', { vault: frame.vaultName ?? '' })}</p>
    </section>
  )
}

/** Shows what happens after an approval, and what the applicant can close or keep. */
function Next({ frame: { t, vaultName }, home }: { frame: Frame; home: string | null }) {
  const vault = vaultName ?? ''
  const steps = [
    ...(home === null
      ? ([
          ['mail', 'contact'],
          ['circle-check', 'close'],
        ] as const)
      : ([['circle-check', 'home']] as const)),
    ['copy', 'keep'],
  ] as const satisfies readonly (readonly [IconName, string])[]
  return (
    <section class="card result-next" aria-labelledby="next">
      <h2 id="next">{t('done.next')}</h2>
      <Advice
        items={steps.map(([icon, step]) => ({
          icon,
          name: t(`done.next.${step}`, { vault }),
          note: t(`done.next.${step}.text`, { vault }),
        }))}
      />
    </section>
  )
}

interface ProcessProps extends Pick<ResultProps, 'frame' | 'result'> {
  readonly waitingSince: Date
}

/** Shows when the form was received and when the result is due. */
function Process({ frame, result: { submittedAt, canChange, isEmailed }, waitingSince }: ProcessProps) {
  const { t, vault } = frame
  const name = { vault: frame.vaultName ?? '' }
  const due = vault && reviewDueAt(waitingSince, vault.reviewTargetHours)
  const isLate = due === null || due < new Date()
  const answer = isEmailed ? 'done.step.answer.email' : 'done.step.answer.text'
  return (
    <ol class="card process">
      <ProcessStep state="done" name={t('done.step.received')}>
        {weekdayText(frame, submittedAt ?? waitingSince)}
      </ProcessStep>
      <ProcessStep state="started" name={t('done.step.review')}>
        {t(canChange ? 'done.sent.change' : 'done.step.review.text', name)}
      </ProcessStep>
      <ProcessStep
        state="todo"
        name={isLate ? t('done.step.late') : t('done.step.answer', { date: weekdayText(frame, due) })}
      >
        {isLate ? `${t('done.step.late.text')} ` : null}
        {t(answer, name)}
      </ProcessStep>
    </ol>
  )
}

interface ProcessStepProps {
  readonly state: GlyphState
  readonly name: string
  readonly children: ComponentChildren
}

const ProcessStep = ({ state, name, children }: ProcessStepProps) => (
  <li {...(state === 'started' && { 'aria-current': 'step' })}>
    <Glyph state={state} />
    <div>
      <strong class="row-name">{name}</strong>
      {children ? <p class="row-note">{children}</p> : null}
    </div>
  </li>
)

/** Folds the details that the applicant submitted. */
export const Submitted = ({ frame, children }: { frame: Frame; children: ComponentChildren }) => (
  <details class="result-submitted">
    <summary>
      <h2>{frame.t('done.submitted')}</h2>
      <Icon name="chevron-down" size={20} />
    </summary>
    <div class="result-values">{children}</div>
  </details>
)

export const Reference = ({ frame, id }: { frame: Frame; id: string }) => (
  <p class="card reference">
    <span class="quiet">{frame.t('done.reference')}</span>
    <strong class="number">{referenceOf(id)}</strong>
    <CopyButton frame={frame} kind="quiet" label={frame.t('done.reference')} />
  </p>
)
