/** Component: the page of a case, with its data, the document viewer, the decision form and the timeline. */

import type { ComponentChildren } from 'preact'
import { v7 as newId } from 'uuid'
import type { Proposal } from '../../domain/decision/confirmation.ts'
import { fittingReasons } from '../../domain/decision/decision.ts'
import type { Delivery } from '../../domain/webhook/log.ts'
import { Button } from '../components/button.tsx'
import { PostForm } from '../components/form.tsx'
import type { FieldProblem, Frame } from '../components/layout.tsx'
import { Confirmation } from './confirmation.tsx'
import type { Typed } from './decision.ts'
import { Deliveries } from './deliveries.tsx'
import { DECISION_FORM, Decided, describeFinding } from './finding.tsx'
import { Glance, type GlanceProps } from './glance.tsx'
import { MAX_NOTE } from './note.ts'
import { Shell } from './shell.tsx'
import { Meanwhile, newestOf, Timeline } from './timeline.tsx'
import { type ShownFile, Viewer } from './viewer.tsx'
import { wordOf } from './words.ts'

interface CasePageProps extends GlanceProps {
  readonly title: string
  readonly version: number
  readonly outcomes: readonly string[]
  /** A decision that needs a second approval. */
  readonly pending: Proposal | null
  /** The ID of the newest timeline entry that the operator saw before a form was refused. */
  readonly since: number | null
  /** The document that the address names. */
  readonly chosen: ShownFile | null
  readonly deliveries: readonly Delivery[]
  readonly problems?: readonly FieldProblem[]
  readonly typed?: Typed
  /** Further forms below the decision. */
  readonly more?: ComponentChildren
  readonly children: ComponentChildren
}

export function CasePage(props: CasePageProps) {
  const { visit, base, title, outcomes, pending, timeline, since, chosen, deliveries } = props
  const { problems = [], typed = {} } = props
  const { frame } = visit
  const { t } = frame
  const told = { frame, ...timeline, since }
  const canDecide = outcomes.length > 0 && !pending
  return (
    <Shell visit={visit} title={title} problems={problems}>
      {problems.length > 0 ? <Meanwhile {...told} /> : null}
      {canDecide || (pending && !typed.outcome) ? null : <Written frame={frame} typed={typed} />}
      <Glance {...props} />
      <div class="case">
        <div class="facts">{props.children}</div>
        <Viewer frame={frame} chosen={chosen} />
        <div class="aside">
          {pending ? (
            <Confirmation {...props} pending={pending} compared={typed.compared} emails={timeline.emails} />
          ) : null}
          {canDecide ? (
            <>
              <DecisionForm {...props} />
              <input type="hidden" name="since" value={newestOf(timeline.entries)} form={DECISION_FORM} />
            </>
          ) : null}
          {props.more}
          <section class="card" aria-labelledby="note-title">
            <h2 id="note-title">{t('console.note')}</h2>
            <PostForm visit={visit} action={`${base}/notes`} data-unsent>
              <input type="hidden" name="id" value={typed.note?.id ?? newId()} />
              <label class="unseen" for="text">
                {t('console.note')}
              </label>
              <textarea id="text" name="text" rows={2} maxLength={MAX_NOTE} required>
                {typed.note?.text}
              </textarea>
              <Button kind="secondary">{t('console.note.add')}</Button>
            </PostForm>
          </section>
          <Timeline {...told} />
          <Deliveries visit={visit} base={base} deliveries={deliveries} />
        </div>
      </div>
    </Shell>
  )
}

/** Shows the text of a refused decision if the page no longer has a form for it. */
function Written({ frame, typed }: { readonly frame: Frame; readonly typed: Typed }) {
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

function DecisionForm({ visit, base, version, outcomes, typed = {} }: CasePageProps) {
  const { t } = visit.frame
  const isFit = (outcome: string) => fittingReasons(outcome).some((code) => code === typed.reason_code)
  const reasonGroup = typed.outcome ?? outcomes.find(isFit)
  return (
    <section class="card" aria-labelledby="decision-title">
      <h2 id="decision-title">{t('console.decision')}</h2>
      <form method="post" id={DECISION_FORM} action={`${base}/decision`} data-unsent>
        <input type="hidden" name="_csrf" value={visit.csrf} />
        <input type="hidden" name="version" value={version} />
        <fieldset class="field" id="outcome" tabIndex={-1}>
          <legend>{t('console.outcome')}</legend>
          <div class="choices">
            {outcomes.map((outcome) => (
              <label key={outcome} class="choice">
                <input
                  type="radio"
                  name="outcome"
                  value={outcome}
                  checked={outcome === typed.outcome}
                  required
                />
                <span>{wordOf(visit.frame, 'console.outcome', outcome)}</span>
              </label>
            ))}
          </div>
        </fieldset>
        <div class="field">
          <label for="reason_code">{t('console.reason')}</label>
          <select id="reason_code" name="reason_code" required>
            <option value="">{t('page.choose')}</option>
            {/* The style sheet shows the group of the chosen outcome. */}
            {outcomes.map((outcome) => (
              <optgroup
                key={outcome}
                label={wordOf(visit.frame, 'console.outcome', outcome)}
                data-outcome={outcome}
              >
                {fittingReasons(outcome).map((code) => (
                  <option
                    key={code}
                    value={code}
                    selected={outcome === reasonGroup && code === typed.reason_code}
                  >
                    {t(`console.reason.${code}`)}
                  </option>
                ))}
              </optgroup>
            ))}
          </select>
        </div>
        <div class="field">
          <label for="client_comment">
            {t('console.comment')} <span class="quiet">{t('page.optional')}</span>
          </label>
          <p class="hint" id="client_comment-hint">
            {t('console.comment.hint')}
          </p>
          <textarea id="client_comment" name="client_comment" rows={2} aria-describedby="client_comment-hint">
            {typed.client_comment}
          </textarea>
        </div>
        <div class="field">
          <label for="internal_note">
            {t('console.internal')} <span class="quiet">{t('page.optional')}</span>
          </label>
          <textarea id="internal_note" name="internal_note" rows={2}>
            {typed.internal_note}
          </textarea>
        </div>
        <p class="actions">
          <Button>{t('console.decide')}</Button>
          {/* Opens in a new tab, so that the typed text is not lost. */}
          <Button kind="secondary" formaction={`${base}/decision/preview`} formtarget="_blank" formnovalidate>
            {t('console.preview')}
          </Button>
        </p>
      </form>
    </section>
  )
}
