/** Where the form begins: its sections, and how far each is. */
import { Page } from '../../components/layout.tsx'
import { correctionsOn, dueOn, SECTION_PAGES, type SectionPage } from './sections.ts'
import type { CompanyVisit } from './visit.ts'

export function Overview({ visit }: { visit: CompanyVisit }) {
  const { frame, application, base } = visit
  const { t } = frame
  const corrections = application.corrections
  return (
    <Page frame={frame} title={t('overview.title')}>
      <p>{t('overview.text')}</p>
      {corrections.length > 0 ? (
        <div class="notice">
          <h2>{t('overview.revision')}</h2>
          <p>{application.review?.clientComment ?? t('overview.revisionText')}</p>
        </div>
      ) : null}
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
      <p>
        <a class="button" href={`${base}/check`}>
          {t('overview.check')}
        </a>
      </p>
    </Page>
  )
}

/** On wide screens, beside a section: where one is, and what else there is. */
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
          <a href={`${base}/check`}>{t('overview.check')}</a>
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
