/** Page: the sections of the company form and the status of each. */
import { ButtonLink } from '../../components/button.tsx'
import { Page } from '../../components/layout.tsx'
import { Notice } from '../../components/notice.tsx'
import { correctionsOn, dueOn, SECTION_PAGES, type SectionPage } from './sections.ts'
import type { CompanyVisit } from './visit.ts'

export function Overview({ visit }: { visit: CompanyVisit }) {
  return (
    <Page frame={visit.frame} title={visit.frame.t('overview.title')}>
      <OverviewContent visit={visit} />
    </Page>
  )
}

export function OverviewContent({ visit }: { visit: CompanyVisit }) {
  const { frame, application, base } = visit
  const { t } = frame
  const corrections = application.corrections
  return (
    <>
      <p>{t('overview.text')}</p>
      <Revision visit={visit} />
      {corrections.length > 0 && application.currentlyDue.length === 0 ? null : (
        <p class="quiet">{t('overview.progress', { missing: application.currentlyDue.length })}</p>
      )}
      <ul class="tasks">
        {SECTION_PAGES.map((page) => (
          <li key={page}>
            <a href={`${base}/${page}`}>{t(`section.${page}`)}</a>
            <Status visit={visit} page={page} />
          </li>
        ))}
      </ul>
      {isSubmitted(visit) ? (
        <>
          <p class="state good">{t('overview.submitted')}</p>
          <p>
            <a href={`${base}/done`}>{t('overview.progressLink')}</a>
          </p>
        </>
      ) : (
        <p>
          <ButtonLink href={`${base}/check`}>{t('overview.check')}</ButtonLink>
        </p>
      )}
    </>
  )
}

/** The comment of a reviewer who requests changes. */
export function Revision({ visit: { frame, application } }: { visit: CompanyVisit }) {
  if (application.corrections.length === 0) return null
  return (
    <Notice title={frame.t('overview.revision')}>
      <p>{application.review?.clientComment ?? frame.t('overview.revisionText')}</p>
    </Notice>
  )
}

const isSubmitted = ({ application }: CompanyVisit): boolean => application.submittedAt !== null

/** Lists all sections next to the current one, on wide screens only. */
export function Steps({ visit, current }: { visit: CompanyVisit; current: SectionPage }) {
  const { frame, base } = visit
  const { t } = frame
  return (
    <nav class="steps" aria-label={t('overview.title')}>
      <ul>
        {SECTION_PAGES.map((page) => (
          <li key={page}>
            <a href={`${base}/${page}`} {...(page === current && { 'aria-current': 'page' })}>
              {t(`section.${page}`)}
            </a>
          </li>
        ))}
        <li>
          {isSubmitted(visit) ? (
            <a href={`${base}/done`}>{t('overview.progressLink')}</a>
          ) : (
            <a href={`${base}/check`}>{t('overview.check')}</a>
          )}
        </li>
      </ul>
    </nav>
  )
}

function Status({ visit: { frame, application }, page }: { visit: CompanyVisit; page: SectionPage }) {
  const { t } = frame
  const missing = dueOn(application, page).length
  if (correctionsOn(application, page).length > 0)
    return <span class="status bad">{t('status.problem')}</span>
  if (missing > 0) return <span class="status">{t('status.missing', { missing })}</span>
  return <span class="status good">{t('status.complete')}</span>
}
