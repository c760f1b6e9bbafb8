/** Component: the page of a case, with the header, the tabs and their panes, the documents and the decision. */
import type { ComponentChildren } from 'preact'
import { v7 as newId } from 'uuid'
import { Button } from '../../components/button.tsx'
import { Drawer } from '../../components/drawer.tsx'
import { PostForm } from '../../components/form.tsx'
import type { Tab } from '../../components/tabs.tsx'
import { Shell } from '../base/shell.tsx'
import { Confirmation, ConfirmationDrawer } from './confirmation.tsx'
import { DecisionForm } from './decision-form.tsx'
import { Deliveries } from './deliveries.tsx'
import { Decided, FindingInputs, keyOf, type TypedFinding } from './finding.tsx'
import { CaseHead } from './head.tsx'
import { findingsOfMarks, MarkForms } from './marks.tsx'
import { MAX_NOTE } from './note.ts'
import { type CaseTab, shownIn, tabPath } from './tabs.ts'
import { type ChangedValues, Meanwhile, newestOf, Timeline } from './timeline.tsx'
import type { CaseProps } from './view.tsx'
import { Written } from './written.tsx'

/** A tab with its content. The open document is next to the content, except in wide tabs. */
export interface CasePanel {
  readonly tab: CaseTab
  readonly name: string
  readonly count?: Tab['count']
  readonly isUrgent?: boolean
  readonly isWide?: boolean
  readonly content: ComponentChildren
}

interface CasePageProps extends CaseProps {
  readonly panels: readonly CasePanel[]
  readonly log?: ComponentChildren
  /** The values that have changed since the latest decision. */
  readonly changed?: ChangedValues
  /** The panes next to the panels, if there are any. */
  readonly children: ComponentChildren
}

export function CasePage(props: CasePageProps) {
  const { visit, base, title, outcomes, pending, timeline, since, tab, problems, typed } = props
  const { frame } = visit
  const { t } = frame
  const meanwhile = problems.length > 0 ? <Meanwhile {...{ frame, base, since, ...timeline }} /> : null
  const canDecide = outcomes.length > 0 && !pending
  const { deciding, marks } = props
  const findings = deciding.typed.findings ?? (deciding.isSent ? [] : findingsOfMarks(marks))
  const decision = {
    ...props,
    ...deciding,
    typed: { ...deciding.typed, ...(findings.length > 0 && { findings }) },
    since: newestOf(timeline.entries),
  }
  const decisionTitle = t('console.decide.title', { title })
  if (canDecide && deciding.isAlone)
    return (
      <Shell visit={visit} title={decisionTitle} problems={problems}>
        {meanwhile}
        <div class="card decision-page">
          <DecisionForm {...decision} />
        </div>
      </Shell>
    )
  const history: CasePanel = {
    tab: 'history',
    name: t('console.tab.history'),
    isWide: true,
    content: <History {...props} />,
  }
  const panels = [...props.panels, history]
  const tabs = panels.map(({ content: _, tab: id, isWide: __, ...each }) => ({
    ...each,
    href: tabPath(base, id),
    isCurrent: id === tab,
  }))
  const beside = panels.filter(({ isWide }) => !isWide)
  return (
    <Shell
      visit={visit}
      title={title}
      problems={problems}
      class="case-main"
      head={<CaseHead {...props} tabs={tabs} />}
    >
      {meanwhile}
      {canDecide || (pending && !typed.outcome) ? null : <Written frame={frame} typed={typed} />}
      <div
        class={props.children ? 'panes case' : 'case case-single'}
        data-case={base}
        data-tab={tab}
        {...shownIn(tab, ...beside.map((each) => each.tab))}
      >
        <div class="pane-start">
          <section class="print-only" aria-labelledby="about-title">
            <h2 id="about-title">{t('console.facts')}</h2>
            <Decided rows={props.facts} />
          </section>
          {pending ? <Confirmation {...props} pending={pending} /> : null}
          {beside.map((each) => (
            <Panel key={each.tab} {...each} current={tab} />
          ))}
        </div>
        {props.children}
      </div>
      {panels
        .filter(({ isWide }) => isWide)
        .map((each) => (
          <Panel key={each.tab} {...each} current={tab} />
        ))}
      <MarkForms marks={props.marks} />
      {pending ? <ConfirmationDrawer {...props} pending={pending} /> : null}
      {canDecide ? (
        <>
          <Drawer t={t} id="decide" title={decisionTitle}>
            <DecisionForm {...decision} />
          </Drawer>
          <SentFindings {...props} findings={findings} />
        </>
      ) : null}
    </Shell>
  )
}

interface SentProps extends Pick<CasePageProps, 'visit' | 'labelOf'> {
  readonly findings: readonly TypedFinding[]
}

/** Renders the inputs of the findings that the decision sends. Operators edit flags instead of these inputs. */
const SentFindings = ({ visit, labelOf, findings }: SentProps) => (
  <div id="sent-findings" data-fresh hidden>
    {findings.map((finding) => {
      const label = labelOf(finding.path, finding.file_id)
      return (
        <div key={keyOf(finding.path, finding.file_id)} data-label={label}>
          <FindingInputs frame={visit.frame} label={label} finding={finding} />
        </div>
      )
    })}
  </div>
)

const Panel = ({ tab, name, isWide, content, current }: CasePanel & { readonly current: CaseTab }) => (
  <section
    id={`tab-${tab}`}
    class={isWide ? 'case-panel case-wide' : 'case-panel'}
    aria-label={name}
    {...shownIn(current, tab)}
  >
    {tab === 'summary' ? null : <p class="print-only print-title">{name}</p>}
    {content}
  </section>
)

function History(props: CasePageProps) {
  const {
    visit,
    mayDecide,
    base,
    typed,
    timeline,
    since,
    historyFilter: filter,
    deliveries,
    facts,
    log,
  } = props
  const { changed = new Map() } = props
  const { frame } = visit
  const { t } = frame
  return (
    <div class="case-history">
      <div class="case-pane">
        <Timeline {...{ frame, base, filter, since, changed, ...timeline }} mayNote={mayDecide} />
      </div>
      <div class="case-pane">
        {mayDecide ? (
          <section class="card screen-only" aria-labelledby="note-title">
            <h2 id="note-title">{t('console.internal')}</h2>
            <PostForm visit={visit} action={`${base}/notes`} class="field" data-unsent>
              <input type="hidden" name="id" value={typed.note?.id ?? newId()} />
              <label class="unseen" for="text">
                {t('console.internal')}
              </label>
              <textarea id="text" name="text" rows={2} maxLength={MAX_NOTE} required>
                {typed.note?.text}
              </textarea>
              <p class="actions">
                <Button kind="secondary">{t('console.note.add')}</Button>
              </p>
            </PostForm>
          </section>
        ) : null}
        {/* Paper begins with these facts. */}
        <section class="card screen-only" aria-labelledby="facts-title">
          <h2 id="facts-title">{t('console.facts')}</h2>
          <Decided rows={facts} />
        </section>
        {log}
        <Deliveries visit={visit} mayRetry={mayDecide} base={base} deliveries={deliveries} />
      </div>
    </div>
  )
}
