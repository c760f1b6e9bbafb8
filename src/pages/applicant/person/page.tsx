/** Component: the layout of the pages of a person's verification, with the progress and a link back. */
import type { ComponentProps } from 'preact'
import { ADDED } from '../../../domain/identification/person-form.ts'
import { labelOf } from '../../components/fields.tsx'
import { Page } from '../../components/layout.tsx'
import { ProgressBar, Rail, type RailStep, segmentOf } from '../../components/progress.tsx'
import { FinishLater } from '../base/leave.tsx'
import { isOpenChange } from '../base/revision-list.tsx'
import {
  correctedOn,
  dueOn,
  fixesOf,
  hasConsented,
  type PersonPage,
  type PersonVisit,
  pagesOf,
} from './visit.ts'

/** The steps of the progress, with the pages of each. */
export const STEPS = {
  consent: ['consent'],
  details: ['details', 'link'],
  document: ['document'],
  pictures: ['document_front', 'document_back', 'selfie'],
} as const satisfies Record<string, readonly PersonPage[]>
export type Step = keyof typeof STEPS

/** Returns whether the page belongs to the step. Documents that a profile adds follow the photos. */
export const isInStep = (step: Step, page: string): boolean =>
  STEPS[step].some((each) => each === page) || (step === 'pictures' && page.startsWith(ADDED))

type Place = PersonPage | 'check'

interface PersonPageProps
  extends Omit<ComponentProps<typeof Page>, 'frame' | 'back' | 'rail' | 'progress' | 'key' | 'ref'> {
  readonly visit: PersonVisit
  /** The current page, or null for the overview. */
  readonly current: Place | null
  /** The ID of the form that is saved before the person leaves. */
  readonly form?: string
}

export function StepPage({ visit, current, form, ...page }: PersonPageProps) {
  const { frame } = visit
  const { t } = frame
  const steps = stepsOf(visit, current)
  const fixes = fixesOf(visit)
  const { done, total } = fixes ?? {
    done: steps.filter((step) => step.done === step.total).length,
    total: steps.length,
  }
  const text = t(fixes ? 'progress.fixed' : 'progress.done', { done, total })
  const back = backOf(visit, current)
  // A phone to which a computer handed over takes only the photos.
  if (visit.scope !== 'everything') return <Page frame={frame} {...page} />
  return (
    <Page
      frame={frame}
      {...(back !== null && { back })}
      rail={<Rail done={done} total={total} steps={steps} text={text} label={t('link.person.title')} />}
      progress={
        <ProgressBar
          segments={fixes?.list.map((fix) => segmentOf(!isOpenChange(fix))) ?? steps}
          text={text}
          end={steps.find(({ isCurrent }) => isCurrent)?.name}
        />
      }
      {...page}
    >
      {page.children}
      {hasConsented(visit) ? <FinishLater visit={visit} form={form} /> : null}
    </Page>
  )
}

interface PersonStep extends RailStep {
  readonly id: Step | 'check'
  /** The labels of the fields and photos that need changes. */
  readonly fixes: readonly string[]
}

export function stepsOf(visit: PersonVisit, current: Place | null): PersonStep[] {
  const { base, frame } = visit
  const { t } = frame
  const required = pagesOf(visit)
  const steps = (Object.keys(STEPS) as Step[]).map((step): PersonStep => {
    const pages = required.filter((page) => isInStep(step, page))
    const due = pages.filter((page) => dueOn(visit, page).length > 0)
    const fixes = new Set(pages.flatMap((page) => correctedOn(visit, page)))
    const isWrong = fixes.size > 0
    const done = pages.length - due.length
    return {
      id: step,
      fixes: [...fixes].map((path) => labelOf(t, path)),
      href: `${base}/${due[0] ?? pages[0] ?? ''}`,
      name: t(`person.${step}`),
      state: isWrong ? 'warning' : due.length === 0 ? 'done' : done > 0 ? 'started' : 'todo',
      done,
      total: pages.length,
      status: t(
        isWrong ? 'person.status.again' : due.length === 0 ? 'status.complete' : 'person.status.open',
      ),
      isCurrent: current !== null && isInStep(step, current),
    }
  })
  const check: PersonStep = {
    id: 'check',
    fixes: [],
    href: `${base}/check`,
    name: t('check.title'),
    state: 'todo',
    done: 0,
    total: 1,
    status: t('person.status.open'),
    isCurrent: current === 'check',
  }
  return [...steps, check]
}

/** Returns the previous page, or null on the overview and before the person has consented. */
function backOf(visit: PersonVisit, current: Place | null): string | null {
  if (current === null || (current === 'consent' && !hasConsented(visit))) return null
  const pages: Place[] = [...pagesOf(visit), 'check']
  return `${visit.base}/${pages[pages.indexOf(current) - 1] ?? ''}`.replace(/\/$/, '')
}
