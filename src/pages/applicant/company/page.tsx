/** Component: the layout of the pages of the company form, with the progress and a button to leave. */
import type { ComponentChildren } from 'preact'
import { countDetails, type Item, itemsOf } from '../../../domain/kyb/progress.ts'
import { Button, type ButtonKind, ButtonLink, PlainButton } from '../../components/button.tsx'
import { SaveStatus } from '../../components/form.tsx'
import type { GlyphState } from '../../components/icon.tsx'
import { type FieldProblem, Page } from '../../components/layout.tsx'
import { ProgressBar, Rail, type RailStep, segmentOf } from '../../components/progress.tsx'
import { LEAVE } from '../base/leave.tsx'
import { isOpenChange } from '../base/revision-list.tsx'
import { fixesOf } from './revision.tsx'
import { companyName, pageOf, SECTION_PAGES, type SectionPage } from './sections.ts'
import type { CompanyVisit } from './visit.ts'

/** The ID of the form that the button in the header saves before the applicant leaves. */
export const SECTION_FORM = 'section-form'

interface CompanyPageProps {
  readonly visit: CompanyVisit
  readonly title: string
  readonly lead?: ComponentChildren
  readonly printTitle?: string
  readonly current: 'overview' | SectionPage | 'check'
  readonly back?: string
  readonly problems?: readonly FieldProblem[]
  /** True if the page has a form with the ID `SECTION_FORM`. */
  readonly hasForm?: boolean
  readonly children: ComponentChildren
}

export function CompanyPage({ visit, current, hasForm = false, children, ...page }: CompanyPageProps) {
  const { rail, progress } = progressParts(visit, current)
  return (
    <Page
      frame={visit.frame}
      {...page}
      tools={
        <>
          <SaveStatus frame={visit.frame} />
          {/* Pressing Enter activates the first button of a form, so this one must save the form without leaving. */}
          {hasForm ? (
            <PlainButton class="unseen" form={SECTION_FORM} tabIndex={-1} aria-hidden="true" />
          ) : null}
          <Leave visit={visit} hasForm={hasForm} kind="secondary" class="leave" />
        </>
      }
      rail={rail}
      progress={progress}
    >
      {children}
      <p class="row-short">
        <Leave visit={visit} hasForm={hasForm} kind="link" />
      </p>
    </Page>
  )
}

/** Renders the progress, as the page shows it and as a save returns it. */
export function progressParts(visit: CompanyVisit, current: CompanyPageProps['current']) {
  const { t } = visit.frame
  const items = itemsOf(visit.application)
  const steps = stepsOf(visit, items, current)
  const fixes = fixesOf(visit)
  const { done, total } = fixes ?? countDetails(items)
  const text = t(fixes ? 'progress.fixed' : 'progress.done', { done, total })
  const sections = steps.filter(({ icon, href }) => icon === undefined && !href.endsWith('/check'))
  return {
    rail: (
      <Rail done={done} total={total} text={text} label={t('overview.title')} steps={steps}>
        <About visit={visit} />
      </Rail>
    ),
    progress: (
      <ProgressBar
        segments={fixes ? fixes.list.map((fix) => segmentOf(!isOpenChange(fix))) : sections}
        text={text}
        end={current === 'overview' ? null : steps.find(({ isCurrent }) => isCurrent)?.name}
      />
    ),
  }
}

interface LeaveProps {
  readonly visit: CompanyVisit
  readonly hasForm: boolean
  readonly kind: ButtonKind
  readonly class?: string
}

/** The button to leave, which is in the header on large screens, and below the content on phones. */
const Leave = ({ visit: { frame, base }, hasForm, ...look }: LeaveProps) =>
  hasForm ? (
    <Button {...look} form={SECTION_FORM} name={LEAVE} value="yes">
      {frame.t('leave')}
    </Button>
  ) : (
    <ButtonLink {...look} href={`${base}/leave`}>
      {frame.t('leave')}
    </ButtonLink>
  )

const About = ({ visit: { frame, application } }: { visit: CompanyVisit }) => (
  <p class="rail-about small">
    <strong>{companyName(application) ?? frame.t('overview.title')}</strong>
    {frame.vaultName === null ? null : frame.t('rail.askedBy', { vault: frame.vaultName })}
  </p>
)

const ITEM_STATUS = {
  done: 'task.done',
  started: 'task.started',
  todo: 'task.todo',
  warning: 'status.problem',
} as const

interface SectionProgress {
  readonly done: number
  readonly total: number
  readonly toFix: number
  readonly state: keyof typeof ITEM_STATUS
}

export function progressOn(visit: CompanyVisit, items: readonly Item[], page: SectionPage): SectionProgress {
  const own = items.filter(({ section }) => section === page)
  const { done, total } = countDetails(own)
  const open = fixesOf(visit)?.list.filter(isOpenChange) ?? []
  const toFix = open.filter(({ path }) => pageOf(visit.application, path) === page).length
  const state = toFix > 0 ? 'warning' : done === total ? 'done' : done > 0 ? 'started' : 'todo'
  return { done, total, toFix, state }
}

function stepsOf(visit: CompanyVisit, items: readonly Item[], current: string): RailStep[] {
  const { frame, application, base } = visit
  const { t } = frame
  const isSubmitted = application.submittedAt !== null
  const step = (href: string, name: string, state: GlyphState, status: string, isCurrent: boolean) => ({
    href,
    name,
    state,
    status,
    isCurrent,
    done: state === 'done' ? 1 : 0,
    total: 1,
  })
  return [
    { ...step(base, t('overview'), 'todo', '', current === 'overview'), icon: 'layout-list' },
    ...SECTION_PAGES.map((page) => {
      const { done, total, state } = progressOn(visit, items, page)
      return {
        ...step(`${base}/${page}`, t(`section.${page}`), state, t(ITEM_STATUS[state]), page === current),
        done,
        total,
        count: state === 'started' ? t('task.left', { left: total - done }) : undefined,
      }
    }),
    isSubmitted
      ? step(`${base}/done`, t('overview.progressLink'), 'done', t('task.done'), false)
      : step(`${base}/check`, t('overview.check'), 'todo', t('task.todo'), current === 'check'),
  ]
}
