/** Page: the tasks of a person's verification and the status of each. */
import { ButtonLink } from '../../components/button.tsx'
import { Page } from '../../components/layout.tsx'
import { Notice } from '../../components/notice.tsx'
import {
  correctedOn,
  dueOf,
  dueOn,
  hasConsented,
  type PersonPage,
  type PersonVisit,
  pagesOf,
} from './visit.ts'

export function Overview({ visit }: { visit: PersonVisit }) {
  return (
    <Page frame={visit.frame} title={visit.frame.t('link.person.title')}>
      <OverviewContent visit={visit} />
    </Page>
  )
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
        <Notice title={t('person.again')}>
          <p>{identification.review?.clientComment ?? t('person.againText')}</p>
        </Notice>
      ) : (
        <p>{t('person.text')}</p>
      )}
      <ol class="tasks">
        {pagesOf(visit).map((page) => (
          <li key={page}>
            {hasConsented(visit) || page === 'consent' ? (
              <a href={`${base}/${page}`}>{t(`person.${page}`)}</a>
            ) : (
              <span>{t(`person.${page}`)}</span>
            )}
            <Status visit={visit} page={page} />
          </li>
        ))}
      </ol>
      <p>
        <ButtonLink href={`${base}/${first}`}>
          {t(due.length === 0 ? 'overview.check' : 'person.continue')}
        </ButtonLink>
      </p>
    </>
  )
}

function Status({ visit, page }: { visit: PersonVisit; page: PersonPage }) {
  const { t } = visit.frame
  if (correctedOn(visit, page)) return <span class="status bad">{t('person.status.again')}</span>
  return dueOn(visit, page).length > 0 ? (
    <span class="status">{t('person.status.open')}</span>
  ) : (
    <span class="status good">{t('status.complete')}</span>
  )
}
