/** Component: the form for a decision on a case, and the text of a refused one. */

import { fittingReasons } from '../../domain/decision/decision.ts'
import { Button } from '../components/button.tsx'
import type { Frame } from '../components/layout.tsx'
import type { Typed } from './decision.ts'
import { DECISION_FORM, Decided, describeFinding } from './finding.tsx'
import type { ConsoleVisit } from './visit.ts'
import { wordOf } from './words.ts'

/** Shows the text of a refused decision if the page no longer has a form for it. */
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

interface DecisionFormProps {
  readonly visit: ConsoleVisit
  /** The path of the page of the case. */
  readonly base: string
  readonly version: number
  readonly outcomes: readonly string[]
  readonly typed?: Typed
}

export function DecisionForm({ visit, base, version, outcomes, typed = {} }: DecisionFormProps) {
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
