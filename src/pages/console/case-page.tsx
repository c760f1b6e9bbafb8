/** Component: the page of a case, with its data, the document viewer, the decision form and the timeline. */

import type { ComponentChildren } from 'preact'
import { v7 as newId } from 'uuid'
import type { Proposal } from '../../domain/decision/confirmation.ts'
import type { Delivery } from '../../domain/webhook/log.ts'
import { Button } from '../components/button.tsx'
import { PostForm } from '../components/form.tsx'
import type { FieldProblem } from '../components/layout.tsx'
import { Confirmation } from './confirmation.tsx'
import type { Typed } from './decision.ts'
import { DecisionForm, Written } from './decision-form.tsx'
import { Deliveries } from './deliveries.tsx'
import { DECISION_FORM } from './finding.tsx'
import { Glance, type GlanceProps } from './glance.tsx'
import { MAX_NOTE } from './note.ts'
import { Shell } from './shell.tsx'
import { Meanwhile, newestOf, Timeline } from './timeline.tsx'
import { type ShownFile, Viewer } from './viewer.tsx'

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
