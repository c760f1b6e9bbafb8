/** Component: the form for a decision on a case. */
import { Button, PlainButton } from '../../components/button.tsx'
import type { Translate } from '../../texts/index.ts'
import { BackButton, preparing } from './decision-buttons.tsx'
import { Comment } from './decision-comment.tsx'
import { Findings } from './decision-findings.tsx'
import { Outcomes, Reasons, Submits } from './decision-outcomes.tsx'
import { DECISION_FORM } from './finding.tsx'
import type { DecisionProps } from './view.tsx'

export const OpenNext = ({ t, isChecked }: { t: Translate; isChecked: boolean }) => (
  <label class="choice">
    <input type="checkbox" name="open_next" value="yes" checked={isChecked} />
    <span>{t('console.decide.next')}</span>
  </label>
)

/** Renders the form. The style sheet shows a part with `data-outcome` only while that outcome is selected. */
export function DecisionForm(props: DecisionProps) {
  const { visit, base, version, since, opensNext, isAlone, typed } = props
  const { frame } = visit
  const { t } = frame
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
      {isAlone ? <PlainButton hidden {...preparing(base)} /> : null}
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
        <Button icon="lock">
          <Submits {...props} />
        </Button>
        <p class="hint">{t('console.decide.choose')}</p>
        <BackButton base={base} isAlone={isAlone} kind="quiet">
          {t(isAlone ? 'console.decide.back' : 'console.decide.cancel')}
        </BackButton>
        <OpenNext t={t} isChecked={opensNext} />
      </div>
    </form>
  )
}
