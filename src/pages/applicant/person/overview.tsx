/** Page: the tasks of a person's verification and the status of each. */
import { Banner } from '../../components/banner.tsx'
import { ButtonLink } from '../../components/button.tsx'
import type { IconName } from '../../components/icon.tsx'
import { TaskRow } from '../../components/task-row.tsx'
import { StepPage } from './page.tsx'
import {
  correctedOn,
  dueOf,
  dueOn,
  hasConsented,
  type PersonPage,
  type PersonVisit,
  pagesOf,
} from './visit.ts'

export const Overview = ({ visit }: { visit: PersonVisit }) => (
  <StepPage visit={visit} current={null} title={visit.frame.t('link.person.title')}>
    <OverviewContent visit={visit} />
  </StepPage>
)

const ICONS: Readonly<Record<PersonPage, IconName>> = {
  consent: 'shield-check',
  details: 'user',
  document: 'id-card',
  document_front: 'camera',
  document_back: 'camera',
  selfie: 'scan-face',
}

export function OverviewContent({ visit }: { visit: PersonVisit }) {
  const { frame, base, identification } = visit
  const { t } = frame
  const asked = identification.review?.outcome === 'initiated'
  const due = dueOf(visit)
  const [first = 'check'] = pagesOf(visit).filter((page) => dueOn(visit, page).length > 0)
  return (
    <>
      {asked ? (
        <Banner tone="warning" title={t('person.again')}>
          <p class="lines">{identification.review?.clientComment ?? t('person.againText')}</p>
        </Banner>
      ) : (
        <p class="lead">{t('person.text')}</p>
      )}
      <ol class="card rows">
        {pagesOf(visit).map((page) => {
          const isDue = dueOn(visit, page).length > 0
          const isWrong = correctedOn(visit, page)
          return (
            <TaskRow
              key={page}
              href={hasConsented(visit) || page === 'consent' ? `${base}/${page}` : null}
              icon={ICONS[page]}
              name={t(`person.${page}`)}
              note={null}
              state={isWrong ? 'warning' : isDue ? 'todo' : 'done'}
              status={t(isWrong ? 'person.status.again' : isDue ? 'person.status.open' : 'status.complete')}
            />
          )
        })}
      </ol>
      <div class="dock">
        <ButtonLink href={`${base}/${first}`}>
          {t(due.length === 0 ? 'overview.check' : 'person.continue')}
        </ButtonLink>
      </div>
    </>
  )
}
