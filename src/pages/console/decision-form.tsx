/** Component: the form for a decision on a case, and the text of a refused decision. */

import { isFittingReason, REASON_CODES } from '../../domain/decision/decision.ts'
import { Button, IconButton, PlainButton } from '../components/button.tsx'
import { ChoiceCard } from '../components/choice-card.tsx'
import { Icon, type IconName } from '../components/icon.tsx'
import type { Frame } from '../components/layout.tsx'
import { LANGUAGES, type TextName } from '../texts/index.ts'
import type { CaseProps, Deciding } from './case-view.tsx'
import type { Typed } from './decision.ts'
import { DECISION_FORM, Decided, describeFinding, FindingInputs, keyOf } from './finding.tsx'
import { wordOf } from './words.ts'

interface DecisionProps
  extends Pick<CaseProps, 'visit' | 'base' | 'version' | 'outcomes' | 'locked' | 'needSecond' | 'labelOf'>,
    Pick<Deciding, 'templates' | 'opensNext' | 'isAlone' | 'typed'> {
  /** The ID of the newest timeline entry on the page. */
  readonly since: number
}

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
const IS_REVISION = new Set<Outcome>(['revision_requested', 'initiated'])

/** Returns the outcomes that the form shows, including a locked approval. */
const shownOutcomes = ({ outcomes, locked }: Pick<DecisionProps, 'outcomes' | 'locked'>) =>
  (Object.keys(ICONS) as Outcome[]).filter(
    (each) => outcomes.includes(each) || (locked !== null && each === 'approved'),
  )

const prepareAction = (base: string) => `${base}/decision/prepare`

/** Returns the attributes of a button outside the form that opens the form with an outcome. */
export const decideAttributes = (base: string, outcome: string) => ({
  form: DECISION_FORM,
  formaction: prepareAction(base),
  formnovalidate: true,
  name: 'decide',
  value: outcome,
  'data-decide': outcome,
})

/** Renders the form. The style sheet shows a part with `data-outcome` only while that outcome is selected. */
export function DecisionForm(props: DecisionProps) {
  const { visit, base, version, since, opensNext, isAlone, typed } = props
  const { frame } = visit
  const { t } = frame
  const prepare = { formaction: prepareAction(base), formnovalidate: true }
  return (
    <form
      class="decision"
      method="post"
      id={DECISION_FORM}
      action={`${base}/decision`}
      data-unsent
      data-decision
    >
      <input type="hidden" name="_csrf" value={visit.csrf} />
      <input type="hidden" name="version" value={version} />
      <input type="hidden" name="since" value={since} />
      {/* Pressing Enter activates the first button of a form, so this button must not submit the decision. */}
      {isAlone ? <PlainButton hidden {...prepare} /> : null}
      <div class="drawer-body">
        <Outcomes {...props} />
        <Findings {...props} />
        <Reasons {...props} />
        <Comment {...props} />
        <div class="field">
          <label for="internal_note">
            {t('console.internal')} <span class="optional">{t('page.optional')}</span>
          </label>
          <textarea id="internal_note" name="internal_note" rows={2}>
            {typed.internal_note}
          </textarea>
        </div>
      </div>
      <div class="drawer-foot">
        <Button>
          <Submits {...props} />
        </Button>
        {isAlone ? (
          <Button kind="quiet" name="decide" value="" {...prepare}>
            {t('console.decide.back')}
          </Button>
        ) : (
          <Button type="button" kind="quiet" data-close>
            {t('console.decide.cancel')}
          </Button>
        )}
        <label class="choice">
          <input type="checkbox" name="open_next" value="yes" checked={opensNext} />
          <span>{t('console.decide.next')}</span>
        </label>
      </div>
    </form>
  )
}

/** The texts that state how to make an approval possible, keyed by the reason for the lock. */
const UNLOCKS: Partial<
  Record<TextName, 'console.unlock.due' | 'console.unlock.hits' | 'console.unlock.screening'>
> = {
  'console.locked.due': 'console.unlock.due',
  'console.locked.hits': 'console.unlock.hits',
  'console.locked.screening': 'console.unlock.screening',
}

function Outcomes({ visit: { frame }, outcomes, locked, typed }: DecisionProps) {
  const { t } = frame
  return (
    <fieldset
      class="field"
      id="outcome"
      tabIndex={-1}
      {...(locked !== null && { 'aria-describedby': 'approval-lock' })}
    >
      <legend class="unseen">{t('console.outcome')}</legend>
      <div class="outcomes">
        {shownOutcomes({ outcomes, locked }).map((outcome) => {
          const isLocked = outcome === 'approved' && locked !== null
          return (
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
          )
        })}
      </div>
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

function Findings({ visit: { frame }, base, outcomes, labelOf, isAlone, typed }: DecisionProps) {
  const { t } = frame
  const { findings = [] } = typed
  const revisions = outcomes.filter((outcome) => IS_REVISION.has(outcome))
  const others = outcomes.filter((outcome) => !IS_REVISION.has(outcome))
  return (
    <section class="findings" aria-labelledby="findings-title" {...(!isAlone && { 'data-findings': true })}>
      <div class="findings-head">
        <h3 id="findings-title">
          <span data-outcome={['none', ...revisions].join(' ')}>{t('console.decide.corrections')}</span>
          <span data-outcome={others.join(' ')}>{t('console.decide.findings')}</span>{' '}
          <span class="count" data-count>
            {findings.length}
          </span>
        </h3>
        {isAlone ? (
          <Button kind="link" name="decide" value="" formaction={prepareAction(base)} formnovalidate>
            {t('console.decide.add')}
          </Button>
        ) : (
          <Button type="button" kind="link" data-close>
            {t('console.decide.add')}
          </Button>
        )}
      </div>
      <p class="hint" data-empty hidden={findings.length > 0}>
        {t('console.decide.findings.none')}
      </p>
      <ul class="rows">
        {isAlone
          ? findings.map((finding) => {
              const label = labelOf(finding.path, finding.file_id)
              return (
                <li key={keyOf(finding.path, finding.file_id)} class="finding-edit">
                  <span class="row-name">{label}</span>
                  <FindingInputs frame={frame} label={label} finding={finding} />
                  <Button
                    kind="quiet"
                    icon="x"
                    name="remove"
                    value={keyOf(finding.path, finding.file_id)}
                    formaction={prepareAction(base)}
                    formnovalidate
                  >
                    {t('console.decide.remove')}
                    <span class="unseen">: {label}</span>
                  </Button>
                </li>
              )
            })
          : null}
      </ul>
      {isAlone ? null : (
        <template data-row>
          <li class="finding-row">
            <div class="row-text">
              <span class="row-name" data-label />
              <p class="row-note" data-text />
            </div>
            <IconButton type="button" icon="pencil" label={t('console.decide.edit')} data-edit />
            <IconButton type="button" icon="x" label={t('console.decide.remove')} data-remove />
          </li>
        </template>
      )}
    </section>
  )
}

/** Lists the reasons that fit at least one of the outcomes. */
function Reasons({ visit: { frame }, outcomes, typed }: DecisionProps) {
  const { t } = frame
  // Preselects the usual reason for an approval.
  const chosen = typed.reason_code ?? (typed.outcome === 'approved' ? 'complete' : undefined)
  return (
    <fieldset class="field reasons" id="reason_code" tabIndex={-1}>
      <legend>{t('console.reason')}</legend>
      <div class="choices">
        {REASON_CODES.map((code) => {
          const fitting = outcomes.filter((outcome) => isFittingReason(outcome, code))
          if (fitting.length === 0) return null
          return (
            <label key={code} class="choice" data-outcome={fitting.join(' ')}>
              <input type="radio" name="reason_code" value={code} checked={code === chosen} required />
              <span>{t(`console.reason.${code}`)}</span>
            </label>
          )
        })}
      </div>
    </fieldset>
  )
}

function Comment({ visit: { frame }, base, templates, typed }: DecisionProps) {
  const { t } = frame
  const languages = [...new Set(templates.map(({ language }) => language))]
  return (
    <>
      <div class="field">
        <label for="client_comment">
          {t('console.comment')} <span class="optional">{t('page.optional')}</span>
        </label>
        <textarea id="client_comment" name="client_comment" rows={3} aria-describedby="client_comment-hint">
          {typed.client_comment}
        </textarea>
        <div class="comment-foot">
          <p class="hint" id="client_comment-hint">
            {t('console.comment.hint')}
          </p>
          {/* Opens the preview in a new tab, so that the typed text is not lost. */}
          <Button kind="link" formaction={`${base}/decision/preview`} formtarget="_blank" formnovalidate>
            {t('console.preview')}
          </Button>
        </div>
      </div>
      {templates.length > 0 ? (
        <div class="field" data-templates>
          <label for="template">{t('console.template')}</label>
          <div class="actions joined">
            <select id="template" name="template">
              <option value="">{t('page.choose')}</option>
              {languages.map((language) => (
                <optgroup key={language} label={LANGUAGES[language]['language.name']}>
                  {templates
                    .filter((template) => template.language === language)
                    .map(({ id, title, text }) => (
                      <option key={id} value={id} data-text={text}>
                        {title}
                      </option>
                    ))}
                </optgroup>
              ))}
            </select>
            <Button kind="secondary" formaction={prepareAction(base)} formnovalidate data-insert>
              {t('console.template.insert')}
            </Button>
          </div>
        </div>
      ) : null}
    </>
  )
}

/**
 * Renders the submit button with one label per outcome. The label of a request for changes contains the number of
 * corrections.
 */
function Submits({ visit: { frame }, outcomes, needSecond, typed: { findings = [] } }: DecisionProps) {
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

/** Shows the text of a refused decision if the page no longer contains a form for it. */
export function Written({ frame, typed }: { readonly frame: Frame; readonly typed: Typed }) {
  const { t } = frame
  const { outcome, reason_code, client_comment, internal_note, findings = [] } = typed
  const said = [
    [t('console.outcome'), outcome && wordOf(frame, 'console.outcome', outcome)],
    [t('console.reason'), reason_code && wordOf(frame, 'console.reason', reason_code)],
    [t('console.comment'), client_comment],
    [t('console.internal'), internal_note],
    ...findings.map((finding) => describeFinding(frame, finding)),
  ].filter(([, value]) => value)
  if (said.length === 0) return null
  return (
    <section class="card" aria-labelledby="written-title">
      <h2 id="written-title">{t('console.written')}</h2>
      <p>{t('console.written.text')}</p>
      <Decided rows={said} />
    </section>
  )
}
