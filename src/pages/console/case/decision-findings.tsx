/** Component: the list of findings in the decision form. */
import { Button, IconButton } from '../../components/button.tsx'
import { BackButton, preparing } from './decision-buttons.tsx'
import { IS_REVISION } from './decision-outcomes.tsx'
import { FindingInputs, keyOf } from './finding.tsx'
import type { DecisionProps } from './view.tsx'

export function Findings(props: DecisionProps) {
  const { visit, base, outcomes, isAlone, typed } = props
  const { t } = visit.frame
  const { findings = [] } = typed
  const revisions = outcomes.filter((outcome) => IS_REVISION.has(outcome))
  const others = outcomes.filter((outcome) => !IS_REVISION.has(outcome))
  // The title of the drawer is a heading of level 2.
  const Heading = isAlone ? 'h2' : 'h3'
  return (
    <section class="findings" aria-labelledby="findings-title" {...(!isAlone && { 'data-findings': true })}>
      <div class="spread">
        <Heading id="findings-title">
          <span data-outcome={['none', ...revisions].join(' ')}>{t('console.decide.corrections')}</span>
          <span data-outcome={others.join(' ')}>{t('console.decide.findings')}</span>{' '}
          <span class="count" data-count>
            {findings.length}
          </span>
        </Heading>
        <BackButton base={base} isAlone={isAlone} kind="link">
          {t('console.decide.add')}
        </BackButton>
      </div>
      <p class="hint" data-empty hidden={findings.length > 0}>
        <span data-outcome={['none', ...revisions].join(' ')}>{t('console.decide.corrections.none')}</span>
        <span data-outcome={others.join(' ')}>{t('console.decide.findings.none')}</span>
      </p>
      {isAlone ? <EditableFindings {...props} /> : <FindingRows {...props} />}
    </section>
  )
}

/** Renders the inputs of the findings on a page that shows only the form. */
const EditableFindings = ({ visit: { frame }, base, labelOf, typed: { findings = [] } }: DecisionProps) => (
  <ul class="rows">
    {findings.map((finding) => {
      const key = keyOf(finding.path, finding.file_id)
      const label = labelOf(finding.path, finding.file_id)
      return (
        <li key={key} class="finding-edit">
          <span class="row-name">{label}</span>
          <FindingInputs frame={frame} label={label} finding={finding} />
          <Button kind="quiet" icon="x" name="remove" value={key} {...preparing(base)}>
            {frame.t('console.decide.remove')}
            <span class="unseen">: {label}</span>
          </Button>
        </li>
      )
    })}
  </ul>
)

/** Renders the empty list that a script fills with the findings on the page of the case. */
const FindingRows = ({ visit: { frame } }: DecisionProps) => (
  <>
    <ul class="rows" />
    <template data-row>
      <li class="finding-row">
        <div class="row-text">
          <span class="row-name" data-label />
          <p class="row-note" data-text />
        </div>
        <IconButton type="button" icon="pencil" label={frame.t('console.decide.edit')} data-edit />
        <IconButton type="button" icon="x" label={frame.t('console.decide.remove')} data-remove />
      </li>
    </template>
  </>
)
