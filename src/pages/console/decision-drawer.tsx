/** Component: the decision form, in a drawer over the case or, without scripts, on a separate page. */
import { Drawer } from '../components/drawer.tsx'
import type { FieldProblem } from '../components/layout.tsx'
import { DecisionForm, type DecisionProps } from './decision-form.tsx'
import { Shell } from './shell.tsx'
import { Meanwhile, type TimelineShown } from './timeline.tsx'

interface DecisionDrawerProps extends DecisionProps {
  /** The name of the case. */
  readonly title: string
}

export function DecisionDrawer({ title, ...form }: DecisionDrawerProps) {
  const { t } = form.visit.frame
  return (
    <Drawer id="decide" title={t('console.decide.title', { title })} closeLabel={t('console.keys.close')}>
      <DecisionForm {...form} isAlone={false} />
    </Drawer>
  )
}

interface DecisionPageProps extends DecisionDrawerProps {
  readonly problems: readonly FieldProblem[]
  readonly timeline: TimelineShown
  /** The ID of the newest timeline entry that the operator saw before the form was refused. */
  readonly seen: number | null
}

export function DecisionPage({ title, problems, timeline, seen, ...form }: DecisionPageProps) {
  const { frame } = form.visit
  return (
    <Shell visit={form.visit} title={frame.t('console.decide.title', { title })} problems={problems}>
      {problems.length > 0 ? <Meanwhile frame={frame} {...timeline} since={seen} /> : null}
      <div class="card decision-page">
        <DecisionForm {...form} isAlone />
      </div>
    </Shell>
  )
}
