/** Component: the cells of the queue, which show the reason, the risk, the documents and the age of a case. */
import type { ComponentChildren } from 'preact'
import { unixSeconds } from '../../../domain/base/unix-time.ts'
import type { RiskLevel } from '../../../domain/decision/risk.ts'
import type { Entity } from '../../../domain/entity/entity.ts'
import type {
  CaseOutcome,
  Decided,
  DetailedEntry,
  ListedEntry,
  QueueReason,
  TitledEntry,
} from '../../../domain/review/queue.ts'
import { targetShare, targetState } from '../../../domain/review/review-target.ts'
import { Chip, type Tone } from '../../components/chip.tsx'
import { textOf } from '../../components/fields.tsx'
import { Avatar, Flag, Icon, type IconName } from '../../components/icon.tsx'
import type { Frame } from '../../components/layout.tsx'
import { Ring } from '../../components/progress.tsx'
import { shortDayText } from '../../values/dates.ts'
import { ageText, waitText } from '../base/age.ts'
import { momentOf, wordOf } from '../base/words.ts'

const REASONS: Readonly<Record<QueueReason, { tone: Tone; icon: IconName }>> = {
  new: { tone: 'neutral', icon: 'sparkles' },
  resubmitted: { tone: 'info', icon: 'undo-2' },
  possible_duplicate: { tone: 'warning', icon: 'copy' },
  screening_hit: { tone: 'danger', icon: 'shield-alert' },
  second_review: { tone: 'accent', icon: 'users' },
}

const NO_FLAG = { kyb: 'building-2', identification: 'user' } as const

interface SignProps {
  readonly frame: Frame
  readonly entry: { readonly kind: Entity; readonly country: string | null }
}

/** Shows the flag of a case's country, or an icon for the kind of case. */
export const CaseSign = ({ frame, entry: { kind, country } }: SignProps) =>
  country ? (
    <Flag country={country} label={textOf(frame, 'country', country)} />
  ) : (
    <span class="no-flag">
      <Icon name={NO_FLAG[kind]} />
    </span>
  )

/** Returns the title of a case. If there is no name yet, returns the end of the ID instead. */
export const caseTitle = ({ t }: Frame, { title, id }: Pick<TitledEntry, 'title' | 'id'>): string =>
  title || t('console.nameless', { id: id.slice(-6) })

interface CellProps {
  readonly frame: Frame
  readonly entry: DetailedEntry
}

/** Shows why the case is in the queue. `people` contains the names of operators, keyed by actor. */
export function ReasonCell({ frame, entry, people }: CellProps & { people: ReadonlyMap<string, string> }) {
  const { t } = frame
  const { reason, pending, openHits, corrections, duplicateReasons } = entry
  if (reason === null) return null
  const notes = {
    new: null,
    second_review:
      pending && t('console.why.proposed', { name: people.get(pending.by) ?? t('console.party.operator') }),
    screening_hit: t('console.why.hits', { count: openHits }),
    possible_duplicate: duplicateReasons.map((each) => wordOf(frame, 'console.duplicate', each)).join(' · '),
    resubmitted: corrections && t('console.why.corrected', { ...corrections }),
  }
  return (
    <>
      <Chip {...REASONS[reason]}>{t(`console.why.${reason}`)}</Chip>{' '}
      <span class="quiet reason-note">{notes[reason]}</span>
    </>
  )
}

const LEVELS: readonly RiskLevel[] = ['low', 'medium', 'high']

/** Shows the risk level as a word, with one to three bars. A low risk is certain only after the submission. */
export const RiskCell = ({ frame: { t }, entry: { riskLevel, outcome } }: CellProps) =>
  riskLevel === null ? null : riskLevel === 'low' && outcome === 'not_submitted' ? (
    <span class="quiet">{t('console.risk.unrated')}</span>
  ) : (
    <span class="cell">
      <svg class={`risk risk-${riskLevel}`} viewBox="0 0 16 14" width={16} height={14} aria-hidden="true">
        {LEVELS.map((level, n) => (
          <rect
            key={level}
            class={n <= LEVELS.indexOf(riskLevel) ? 'risk-on' : 'risk-off'}
            x={n * 6}
            y={8 - n * 4}
            width="4"
            height={6 + n * 4}
          />
        ))}
      </svg>
      {t(`console.risk.${riskLevel}`)}
    </span>
  )

export const DocumentsCell = ({ entry: { documents } }: CellProps) =>
  documents === null ? null : (
    <span class={documents.done < documents.total ? 'cell' : 'cell documents-complete'}>
      <progress max={documents.total} value={documents.done} aria-hidden="true" />
      <span class="number">
        {documents.done}/{documents.total}
      </span>
    </span>
  )

/** Shows the age as text, with a ring that is full once the review target is reached. A script updates the text. */
export function AgeCell({ frame, entry }: CellProps) {
  const { waitingSince, dueAt, reviewTargetHours } = entry
  const share = dueAt === null ? 0 : targetShare(waitingSince, reviewTargetHours, new Date())
  const state = targetState(share)
  return (
    <span class={`cell age-${state}`}>
      {dueAt === null ? null : <Ring share={Math.max(0.06, share)} size={16} width={2.5} />}
      <span data-since={unixSeconds(waitingSince)}>{ageText(frame, waitingSince)}</span>
      {state === 'overdue' ? <span class="unseen">{frame.t('console.overdue')}</span> : null}
    </span>
  )
}

const OUTCOMES: Readonly<Record<CaseOutcome, { tone: Tone; icon: IconName }>> = {
  not_submitted: { tone: 'neutral', icon: 'pencil' },
  in_review: { tone: 'info', icon: 'hourglass' },
  changes_requested: { tone: 'warning', icon: 'undo-2' },
  approved: { tone: 'success', icon: 'check' },
  rejected: { tone: 'danger', icon: 'ban' },
  blocked: { tone: 'danger', icon: 'lock' },
  closed: { tone: 'neutral', icon: 'circle-minus' },
}

export const OutcomeCell = ({
  frame: { t },
  entry: { outcome },
}: {
  frame: Frame
  entry: Pick<DetailedEntry, 'outcome'>
}) => <Chip {...OUTCOMES[outcome]}>{t(`console.outcome.state.${outcome}`)}</Chip>

/** Returns the actors whose names a list of cases shows. */
export const actorsIn = (entries: readonly ListedEntry[]): string[] =>
  entries.flatMap(({ decided }) => decided?.by ?? [])

interface DecidedCellProps extends CellProps {
  readonly decided: Decided | null
  readonly people: ReadonlyMap<string, string>
}

/** Shows the state of a case and, while it is open, since when or on whom it waits. */
export function StatusCell({ frame, frame: { t }, entry }: CellProps) {
  const { outcome, pending, waitingOn, createdAt, waitingSince } = entry
  const note = pending
    ? t('console.why.second_review')
    : waitingOn === 'nobody'
      ? null
      : outcome === 'not_submitted'
        ? t('console.started', { day: shortDayText(frame, createdAt) })
        : `${t('console.waitsFor')}: ${waitText(frame, waitingOn, waitingSince)}`
  return (
    <>
      <OutcomeCell frame={frame} entry={entry} />{' '}
      {note === null ? null : <span class="quiet reason-note">{note}</span>}
    </>
  )
}

/** Shows who decided a case and when. */
export function DecidedCell({ frame, frame: { t }, entry, decided, people }: DecidedCellProps) {
  if (decided === null)
    // A case that no one has to decide ended without a decision.
    return entry.waitingOn === 'nobody' ? null : <span class="quiet">{t('console.undecided')}</span>
  const names = decided.by.map((actor) => people.get(actor) ?? null)
  const [first = null] = names
  return (
    <span class="cell" title={names.filter(Boolean).join(', ')}>
      {first === null ? <Icon name="cpu" /> : <Avatar name={first} isSmall isColoured />}
      <span class="row-text">
        {first === null ? (
          <span>{t('console.automatic')}</span>
        ) : (
          names.filter(Boolean).map((name) => <span key={name}>{name}</span>)
        )}
        <time class="row-note number" dateTime={decided.at.toISOString()}>
          {momentOf(frame, decided.at)}
        </time>
      </span>
    </span>
  )
}

export function AssigneeCell({
  frame: { t },
  name,
  take,
}: {
  frame: Frame
  name: string | null
  /** The button of a case that is assigned to no one. */
  take: ComponentChildren
}) {
  if (name === null)
    return (
      <span class="take">
        <span class="unassigned">{t('console.unassigned')}</span>
        {take}
      </span>
    )
  return (
    <span class="cell" title={name}>
      <Avatar name={name} isSmall isColoured />
      <span>{name}</span>
    </span>
  )
}
