/** Component: the result page of a company or a person. */
import type { ComponentChildren } from 'preact'
import type { Identification } from '../../domain/identification/record.ts'
import { reviewDueAt } from '../../domain/review/review-target.ts'
import { Advice } from '../components/advice.tsx'
import { ButtonLink } from '../components/button.tsx'
import { BigTile } from '../components/card.tsx'
import { CopyButton } from '../components/copy.tsx'
import { Glyph, type GlyphState } from '../components/glyph.tsx'
import { Icon } from '../components/icon.tsx'
import { type Frame, Page } from '../components/layout.tsx'
import { type Outcome, OutcomeHero } from '../components/outcome-hero.tsx'
import { TaskRow } from '../components/task-row.tsx'
import { LOCALES } from '../texts/index.ts'

export interface Result {
  /** The outcome, or null for a closed verification or a review that waits on the client. */
  readonly outcome: Outcome | null
  readonly title: string
  readonly text: string
  /** The ID of the application or identification. */
  readonly id: string
  readonly comment?: string | null | undefined
  /** When the outcome was decided, if known. */
  readonly decidedAt?: Date | null
  /** When the form was submitted, if known. */
  readonly submittedAt?: Date | null
  /** Since when the review has been pending, or null if it is not pending. */
  readonly waitingSince?: Date | null
  /** Whether the page names the rights to personal data after a rejection. */
  readonly hasRights?: boolean
  /** True if the page must update itself when the status changes. */
  readonly isPending: boolean
  /** The client's URL to which the applicant can return, or null. */
  readonly home: string | null
}

/** Returns when an operator decided the current result. Returns null if a check determined it. */
export const decidedAtOf = ({ state, review }: Pick<Identification, 'state' | 'review'>): Date | null =>
  review?.outcome === state.verification ? new Date(review.decidedAt * 1_000) : null

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

function ResultHead({ frame, result }: Pick<ResultProps, 'frame' | 'result'>) {
  const { outcome, title, text, decidedAt, isPending } = result
  if (outcome === null)
    return (
      <>
        <BigTile icon={isPending ? 'clock' : 'ban'} />
        <h1>{title}</h1>
        <p class="lead" role="status">
          {text}
        </p>
      </>
    )
  return (
    <OutcomeHero outcome={outcome} title={title}>
      <p role="status">
        {decidedAt && outcome !== 'received'
          ? frame.t('done.decided', { date: dateOf(frame, decidedAt, { year: 'numeric' }) })
          : text}
      </p>
    </OutcomeHero>
  )
}

const dateOf = ({ language }: Frame, at: Date, more: Intl.DateTimeFormatOptions = {}): string =>
  new Intl.DateTimeFormat(LOCALES[language], {
    day: 'numeric',
    month: 'long',
    timeZone: 'UTC',
    ...more,
  }).format(at)

function ResultContent({ frame, result, back, children }: Omit<ResultProps, 'note'>) {
  const { t, vault } = frame
  const { outcome, comment, waitingSince, isPending, home } = result
  const mail = vault?.supportEmail
  const actions = [
    isPending ? (
      <ButtonLink key="again" kind="secondary" icon="refresh-cw" href={frame.path}>
        {t('done.again')}
      </ButtonLink>
    ) : null,
    outcome !== 'approved' && !isPending && mail ? (
      <ButtonLink key="write" kind="secondary" icon="mail" href={`mailto:${mail}`}>
        {t('done.write', { vault: vault.name })}
      </ButtonLink>
    ) : null,
    home === null ? null : (
      <ButtonLink
        key="home"
        kind={outcome === 'approved' ? 'filled' : 'secondary'}
        {...(outcome === 'approved' && { endIcon: 'arrow-right' as const })}
        href={home}
      >
        {t('done.home', { vault: frame.vaultName ?? '' })}
      </ButtonLink>
    ),
    back === undefined ? null : (
      <ButtonLink key="back" kind="link" href={back}>
        {t('section.overview')}
      </ButtonLink>
    ),
  ].filter((action) => action !== null)
  return (
    <div class="result" {...(isPending && { 'data-refresh': '' })}>
      {outcome === 'approved' ? <Next frame={frame} home={home} /> : null}
      {outcome === 'rejected' && !comment ? (
        <section class="why" aria-labelledby="comment">
          <h2 id="comment">{t('done.why')}</h2>
          <p>{t('done.why.none', { vault: frame.vaultName ?? '' })}</p>
        </section>
      ) : null}
      {comment ? (
        <section class={outcome === 'rejected' ? 'why' : 'card result-note'} aria-labelledby="comment">
          <h2 id="comment">{t(outcome === 'rejected' ? 'done.why' : 'done.comment')}</h2>
          <p class="lines">{comment}</p>
        </section>
      ) : null}
      {waitingSince ? <Process frame={frame} result={result} waitingSince={waitingSince} /> : null}
      {outcome === 'rejected' ? <Remedies frame={frame} hasRights={result.hasRights === true} /> : null}
      <Reference frame={frame} id={result.id} />
      {children}
      {actions.length > 0 ? <div class="dock">{actions}</div> : null}
    </div>
  )
}

/** Lists the applicant's options after a rejection. */
function Remedies({ frame, hasRights }: { frame: Frame; hasRights: boolean }) {
  const { t, vault, vaultName } = frame
  const mail = vault?.supportEmail
  const ask = {
    icon: 'message-square-text',
    name: t('done.remedies.ask'),
    note: t('done.remedies.ask.text', { vault: vaultName ?? '' }),
  } as const
  const data = {
    icon: 'file-text',
    name: t('done.remedies.data'),
    note: t('done.remedies.data.text', { vault: vaultName ?? '' }),
  } as const
  const items = hasRights ? [ask, data] : [ask]
  return (
    <section class="remedies" aria-labelledby="remedies">
      <h2 id="remedies">{t('done.remedies')}</h2>
      {mail ? (
        <ul class="card rows">
          {items.map((item) => (
            <TaskRow key={item.name} href={`mailto:${mail}`} {...item} />
          ))}
        </ul>
      ) : (
        <Advice items={items} />
      )}
      <p class="row-note">{t('done.kept', { vault: vaultName ?? '' })}</p>
    </section>
  )
}

/** Shows the next step after an approval. */
function Next({ frame: { t, vaultName }, home }: { frame: Frame; home: string | null }) {
  const vault = vaultName ?? ''
  return (
    <section class="card result-next" aria-labelledby="next">
      <h2 id="next">{t('done.next')}</h2>
      <p>
        <Icon name="circle-check" size={20} />
        {t(home === null ? 'done.approved.contact' : 'done.approved.home', { vault })}
      </p>
    </section>
  )
}

interface ProcessProps extends Pick<ResultProps, 'frame' | 'result'> {
  readonly waitingSince: Date
}

/** Shows when the form was received and when the result is due. */
function Process({ frame, result: { submittedAt }, waitingSince }: ProcessProps) {
  const { t, vault } = frame
  const due = vault && reviewDueAt(waitingSince, vault.reviewTargetHours)
  const isLate = due === null || due < new Date()
  return (
    <ol class="card process">
      <ProcessStep state="done" name={t('done.step.received')}>
        {dateOf(frame, submittedAt ?? waitingSince, { weekday: 'long' })}
      </ProcessStep>
      <ProcessStep state="started" name={t('done.step.review')}>
        {t('done.step.review.text')}
      </ProcessStep>
      <ProcessStep
        state="todo"
        name={
          isLate
            ? t('done.step.late')
            : t('done.step.answer', { date: dateOf(frame, due, { weekday: 'long' }) })
        }
      >
        {t(isLate ? 'done.step.late.text' : 'done.step.answer.text')}
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

const REFERENCE_LENGTH = 8

/** Shows the end of the ID, which is short enough to read out. */
const Reference = ({ frame, id }: { frame: Frame; id: string }) => (
  <p class="card reference">
    <span class="quiet">{frame.t('done.reference')}</span>
    <strong class="number">{id.slice(-REFERENCE_LENGTH).toUpperCase()}</strong>
    <CopyButton frame={frame} kind="quiet" label={frame.t('done.reference')} />
  </p>
)
