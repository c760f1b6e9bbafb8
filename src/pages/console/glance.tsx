/** Component: the summary and the assignment of a case. */

import type { ComponentChildren } from 'preact'
import { Button } from '../components/button.tsx'
import { PostForm } from '../components/form.tsx'
import { nameOf, type TimelineShown } from './timeline.tsx'
import type { ConsoleVisit } from './visit.ts'

export interface GlanceProps {
  readonly visit: ConsoleVisit
  /** The path of the page. The paths of its forms begin with it. */
  readonly base: string
  readonly state: readonly (readonly [label: string, value: ComponentChildren])[]
  readonly assignedTo: string | null
  readonly timeline: TimelineShown
}

export function Glance(props: GlanceProps) {
  return (
    <section class="glance" aria-label={props.visit.frame.t('console.state')}>
      <dl>
        {props.state.map(([label, value]) => (
          <div key={label} class="fact">
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <Assignment {...props} />
    </section>
  )
}

function Assignment({ visit, base, assignedTo, timeline }: GlanceProps) {
  const { t } = visit.frame
  const isMine = assignedTo === visit.actor
  return (
    <PostForm visit={visit} action={`${base}/assignment`}>
      <p class="quiet">
        {assignedTo === null
          ? t('console.assigned.nobody')
          : isMine
            ? t('console.assigned.me')
            : t('console.assigned.other', { who: nameOf(visit.frame, timeline.emails, assignedTo) })}
      </p>
      <Button kind="link" name="assign" value={isMine ? 'no' : 'yes'}>
        {t(isMine ? 'console.release' : assignedTo === null ? 'console.assign' : 'console.takeOver')}
      </Button>
    </PostForm>
  )
}
