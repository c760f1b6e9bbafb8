/** Page: the tasks of a person's verification and the status of each. */
import { Banner } from '../../components/banner.tsx'
import { ButtonLink } from '../../components/button.tsx'
import type { IconName } from '../../components/icon.tsx'
import { TaskRow } from '../../components/task-row.tsx'
import { ReviewComment } from '../base/review-comment.tsx'
import { type Step, StepPage, stepsOf } from './page.tsx'
import { Revision } from './revision.tsx'
import { dueOf, dueOn, fixesOf, hasConsented, type PersonVisit, pagesOf } from './visit.ts'

export const Overview = ({ visit }: { visit: PersonVisit }) => (
  <StepPage visit={visit} current={null} title={overviewTitle(visit)}>
    <OverviewContent visit={visit} />
  </StepPage>
)

export function overviewTitle(visit: PersonVisit): string {
  const { t } = visit.frame
  const fixes = fixesOf(visit)
  return fixes && fixes.done < fixes.total
    ? t('revision.title', { count: fixes.total - fixes.done })
    : t('link.person.title')
}

const ICONS: Readonly<Record<Step | 'check', IconName>> = {
  consent: 'shield-check',
  details: 'user',
  document: 'id-card',
  pictures: 'camera',
  check: 'list-checks',
}

export function OverviewContent({ visit }: { visit: PersonVisit }) {
  const { frame, base, identification } = visit
  const { t } = frame
  const fixes = fixesOf(visit)
  const due = dueOf(visit)
  const [first = 'check'] = pagesOf(visit).filter((page) => dueOn(visit, page).length > 0)
  const steps = stepsOf(visit, null).map(({ id, href, name, state, done, total, status, fixes }) => (
    <TaskRow
      key={id}
      href={hasConsented(visit) || id === 'consent' ? href : null}
      icon={ICONS[id]}
      name={name}
      note={fixes.join(', ') || null}
      shortNote={fixes.length > 0 ? `${status}: ${fixes.join(', ')}` : status}
      state={state}
      share={done / total}
      status={status}
    />
  ))
  if (fixes)
    return (
      <Revision visit={visit} fixes={fixes}>
        {steps.filter(({ key }) => key !== 'check')}
      </Revision>
    )
  return (
    <>
      {identification.review?.outcome === 'initiated' ? (
        <Banner tone="warning" title={t('person.again')}>
          <ReviewComment comment={identification.review.clientComment}>{t('person.againText')}</ReviewComment>
        </Banner>
      ) : (
        <p class="lead">{t('person.text')}</p>
      )}
      <ol class="card rows">{steps}</ol>
      <div class="dock">
        <ButtonLink href={`${base}/${first}`}>
          {t(due.length === 0 ? 'overview.check' : 'person.continue')}
        </ButtonLink>
      </div>
    </>
  )
}
