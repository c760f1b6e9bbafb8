/** Component: the outcomes of a decision, and the parts of its form that depend on the outcome. */
import {
  FINDINGS_OF_REASON,
  isFittingReason,
  REASON_CODES,
  type ReasonCode,
} from '../../../domain/decision/decision.ts'
import { ChoiceCard } from '../../components/choice-card.tsx'
import { Icon, type IconName } from '../../components/icon.tsx'
import type { TextName } from '../../texts/index.ts'
import { wordOf } from '../base/words.ts'
import type { DecisionProps } from './view.tsx'

type Outcome = DecisionProps['outcomes'][number]

/** The icons of the outcomes, in the order in which the form shows them. */
const ICONS: Readonly<Record<Outcome, IconName>> = {
  approved: 'badge-check',
  revision_requested: 'undo-2',
  initiated: 'message-square-text',
  rejected: 'ban',
  attention: 'circle-alert',
}

/** The outcomes whose findings the client and the applicant see. */
export const IS_REVISION = new Set<Outcome>(['revision_requested', 'initiated'])

/** The texts that state how to make an approval possible, keyed by the reason for the lock. */
const UNLOCKS: Partial<
  Record<
    TextName,
    'console.unlock.due' | 'console.unlock.hits' | 'console.unlock.same' | 'console.unlock.screening'
  >
> = {
  'console.locked.due': 'console.unlock.due',
  'console.locked.hits': 'console.unlock.hits',
  'console.locked.same': 'console.unlock.same',
  'console.locked.other': 'console.unlock.same',
  'console.locked.screening': 'console.unlock.screening',
}

export function Outcomes({ visit: { frame }, outcome: state, outcomes, locked, typed }: DecisionProps) {
  const { t } = frame
  return (
    <fieldset
      class="field"
      id="outcome"
      tabIndex={-1}
      data-fresh
      {...(locked !== null && { 'aria-describedby': 'approval-lock' })}
    >
      <legend class="unseen">{t('console.outcome')}</legend>
      <div class="outcomes">
        {(Object.keys(ICONS) as Outcome[]).map((outcome) => {
          const isLocked = outcome === 'approved' && locked !== null
          return isLocked || outcomes.includes(outcome) ? (
            <ChoiceCard
              key={outcome}
              name="outcome"
              value={outcome}
              label={wordOf(frame, 'console.outcome', outcome)}
              icon={isLocked ? 'lock' : ICONS[outcome]}
              checked={outcome === typed.outcome && !isLocked}
              disabled={isLocked}
              required
            />
          ) : null
        })}
      </div>
      {state === 'not_submitted' ? <p class="hint">{t('console.decide.unsubmitted')}</p> : null}
      {locked === null ? null : (
        <p class="hint lock-hint" id="approval-lock">
          <Icon name="lock" size={14} />
          <span>
            {t(locked)}. {UNLOCKS[locked] ? `${t(UNLOCKS[locked])}.` : null}
          </span>
        </p>
      )}
    </fieldset>
  )
}

/** Lists the reasons that fit at least one of the outcomes. */
export function Reasons({ visit: { frame }, outcomes, typed }: DecisionProps) {
  const { t } = frame
  // Preselects the usual reason for an approval, and the reason that the first correction suggests.
  const [found] = typed.findings ?? []
  const fits = (code: ReasonCode) => FINDINGS_OF_REASON[code]?.some((each) => each === found?.code)
  const usual: Partial<Record<string, ReasonCode | undefined>> = {
    approved: 'complete',
    revision_requested: REASON_CODES.find(fits),
    initiated: REASON_CODES.find(fits),
  }
  const chosen = typed.reason_code ?? usual[typed.outcome ?? '']
  return (
    <fieldset class="field reasons" id="reason_code" tabIndex={-1}>
      <legend>{t('console.reason')}</legend>
      <div class="choices">
        {REASON_CODES.map((code) => {
          const fitting = outcomes.filter((outcome) => isFittingReason(outcome, code))
          if (fitting.length === 0) return null
          return (
            <label key={code} class="choice" data-outcome={fitting.join(' ')}>
              <input
                type="radio"
                name="reason_code"
                value={code}
                checked={code === chosen}
                required
                data-suggested-by={FINDINGS_OF_REASON[code]?.join(' ')}
              />
              <span>{t(`console.reason.${code}`)}</span>
            </label>
          )
        })}
      </div>
    </fieldset>
  )
}

/** Renders a label per outcome. That of a request for changes has the number of corrections. */
export function Submits({ visit: { frame }, outcomes, needSecond, typed: { findings = [] } }: DecisionProps) {
  const { t } = frame
  const label = (outcome: Outcome) =>
    needSecond.includes(outcome) ? t('console.decide.second') : wordOf(frame, 'console.outcome', outcome)
  const corrections = (count: number, shown = String(count)) => t('console.decide.request', { count, shown })
  return (
    <>
      <span data-outcome="none">{t('console.decide')}</span>
      {outcomes.map((outcome) => (
        <span
          key={outcome}
          data-outcome={outcome}
          {...(IS_REVISION.has(outcome) && {
            'data-requests': true,
            'data-none': wordOf(frame, 'console.outcome', outcome),
            'data-one': corrections(1),
            'data-many': corrections(2, '{count}'),
          })}
        >
          {IS_REVISION.has(outcome) && findings.length > 0 ? corrections(findings.length) : label(outcome)}
        </span>
      ))}
    </>
  )
}
