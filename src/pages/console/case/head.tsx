/** Component: the header of a case, with its name, age, assignment, decisions and tabs. */
import { consolePath } from '../../../domain/entity/console-path.ts'
import type { QueueEntry } from '../../../domain/review/queue.ts'
import { type TargetState, targetShare, targetState } from '../../../domain/review/review-target.ts'
import { Button, ButtonLink, PlainButton } from '../../components/button.tsx'
import { Chip } from '../../components/chip.tsx'
import { textOf } from '../../components/fields.tsx'
import { PostForm } from '../../components/form.tsx'
import { Avatar, Flag, Icon } from '../../components/icon.tsx'
import { Menu } from '../../components/menu.tsx'
import { Ring } from '../../components/progress.tsx'
import { type Tab, Tabs } from '../../components/tabs.tsx'
import { targetText, waitText } from '../base/age.ts'
import { wordOf } from '../base/words.ts'
import { OutcomeCell } from '../lists/queue-cells.tsx'
import { canConfirm, confirmationLink } from './confirmation.tsx'
import { decideAttributes } from './decision-buttons.tsx'
import { nameOf } from './timeline.tsx'
import type { CaseProps } from './view.tsx'

interface CaseHeadProps extends CaseProps {
  readonly tabs: readonly Tab[]
}

export function CaseHead(props: CaseHeadProps) {
  const { visit, title, country, vault, outcome, tabs } = props
  const { frame } = visit
  const { t } = frame
  return (
    <div class="case-head">
      <p class="print-only quiet">{t('console.caseFile')}</p>
      <div class="case-line">
        <ButtonLink kind="quiet" class="button-icon" href="/console" aria-label={t('console.toQueue')}>
          <Icon name="arrow-left" size={20} />
        </ButtonLink>
        <Flag country={country} />
        <h1>{title}</h1>
        <div class="case-meta">
          <span class="quiet case-place">
            {[country && textOf(frame, 'country', country), vault].filter(Boolean).join(' · ')}
            {outcome === 'in_review' && !props.pending ? (
              <span class="print-only"> · {t('console.outcome.state.in_review')}</span>
            ) : null}
          </span>
          {props.pending ? (
            <Chip tone="info" icon="users">
              {t('console.why.second_review')}
            </Chip>
          ) : outcome === 'in_review' ? null : (
            <OutcomeCell frame={frame} entry={props} />
          )}
          <Risk {...props} />
          <Age {...props} />
          <Assignee {...props} />
        </div>
        <span class="quiet small case-lock screen-only" id={LOCK_ID} data-fresh hidden={!isLocked(props)}>
          {props.lockNote}
        </span>
        <Place {...props} />
        <Menu label={t('console.more')} kind="secondary">
          {props.mayDecide ? <Assign {...props} /> : null}
          {props.outcomes.includes('attention') ? (
            <PlainButton {...decideAttributes(props.base, 'attention')}>
              <Icon name="triangle-alert" />
              {t('console.outcome.attention')}
            </PlainButton>
          ) : null}
          {props.links}
        </Menu>
        <div class="case-actions" id="case-actions" data-fresh>
          <Decisions {...props} />
        </div>
      </div>
      <Tabs label={t('console.tabs')} tabs={tabs} />
    </div>
  )
}

const RISK_TONES = { medium: 'warning', high: 'danger' } as const

const Risk = ({ visit: { frame }, riskLevel }: CaseHeadProps) =>
  riskLevel === 'low' ? null : (
    <Chip tone={RISK_TONES[riskLevel]}>{frame.t(`console.riskLevel.${riskLevel}`)}</Chip>
  )

const TONES = { good: '', soon: 'tone-warning', overdue: 'tone-danger' } as const satisfies Record<
  TargetState,
  string
>

/** Shows the waiting time and the review target, or the party that acts next. */
function Age({ visit, waitingOn, waitingSince, targetHours }: CaseHeadProps) {
  const { frame } = visit
  const { t } = frame
  if (waitingOn === 'nobody') return null
  if (waitingOn !== 'operator')
    return (
      <span class="case-age quiet">
        {t('console.waitsFor')}: {waitText(frame, waitingOn, waitingSince)}
      </span>
    )
  const share = targetShare(waitingSince, targetHours, new Date())
  return (
    <span class={`case-age ${TONES[targetState(share)]}`.trim()} title={t('console.age.title')}>
      <Ring share={share} size={16} width={2.5} />
      <span class="unseen">{t('console.age.title')}: </span>
      {targetText(frame, share, targetHours)}
    </span>
  )
}

function Assignee({ visit, assignedTo, timeline }: CaseHeadProps) {
  const { frame, actor, email } = visit
  const { t } = frame
  if (assignedTo === null) return null
  const isMine = assignedTo === actor
  const name = isMine ? email : nameOf(frame, timeline.emails, assignedTo)
  return (
    <span class="case-who" title={name}>
      <Avatar name={name} isSmall isColoured={!isMine} />{' '}
      <span class="unseen">{t('console.column.who')}: </span>
      {isMine ? t('console.me') : name}
    </span>
  )
}

function Place({ visit, place }: CaseHeadProps) {
  const { t } = visit.frame
  if (!place || place.count === 1) return null
  const { number, count, previous, next } = place
  const link = (rel: 'prev' | 'next', entry: QueueEntry | undefined, label: string) =>
    entry ? (
      <ButtonLink
        kind="quiet"
        class="button-icon"
        rel={rel}
        href={consolePath(entry.kind, entry.id)}
        aria-label={label}
        title={label}
      >
        <Icon name={rel === 'prev' ? 'chevron-up' : 'chevron-down'} size={20} />
      </ButtonLink>
    ) : null
  return (
    <span class="case-queue quiet screen-only">
      {t('console.viewer.of', { number, count })}
      {link('prev', previous, t('console.case.previous'))}
      {link('next', next, t('console.case.next'))}
    </span>
  )
}

function Assign({ visit, base, assignedTo }: CaseHeadProps) {
  const { t } = visit.frame
  const isMine = assignedTo === visit.actor
  return (
    <PostForm visit={visit} action={`${base}/assignment`}>
      <PlainButton name="assign" value={isMine ? 'no' : 'yes'}>
        <Icon name={isMine ? 'x' : 'user-check'} />
        {t(isMine ? 'console.release' : assignedTo === null ? 'console.assign' : 'console.takeOver')}
      </PlainButton>
    </PostForm>
  )
}

/** The buttons in their order. The approval is last, because it is the main action. */
const BUTTONS = [
  ['rejected', 'danger'],
  ['initiated', 'secondary'],
  ['revision_requested', 'secondary'],
  ['approved', 'filled'],
] as const

const LOCK_ID = 'lock-note'

const isLocked = ({ outcomes, locked, pending }: CaseHeadProps) =>
  locked !== null && !pending && outcomes.length > 0

/** Each button opens the drawer or, without scripts, the page of the form with the typed values. */
function Decisions({ visit, base, outcomes, locked, pending, mayConfirm }: CaseHeadProps) {
  if (pending)
    return canConfirm({ visit, mayConfirm, pending }) ? (
      <ButtonLink {...confirmationLink(base)}>{visit.frame.t('console.confirmation.decide')}</ButtonLink>
    ) : null
  if (outcomes.length === 0) return null
  return (
    <>
      {BUTTONS.map(([outcome, kind]) => {
        const label = wordOf(visit.frame, 'console.outcome', outcome)
        if (outcome === 'approved' && locked)
          return (
            <Button
              key={outcome}
              icon="lock"
              aria-disabled="true"
              aria-describedby={LOCK_ID}
              {...decideAttributes(base, outcome)}
            >
              {label}
            </Button>
          )
        return outcomes.includes(outcome) ? (
          <Button key={outcome} kind={kind} {...decideAttributes(base, outcome)}>
            {label}
          </Button>
        ) : null
      })}
    </>
  )
}
