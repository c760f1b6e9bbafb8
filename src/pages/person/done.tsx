/** What happens next, or how a person's verification ended. */
import { identificationStatus } from '../../domain/identification.ts'
import { Page } from '../layout.tsx'
import type { PersonVisit } from './visit.ts'

/** Where the applicant came from, told the identification's id and its status. */
export function addressHome(redirectUrl: string, id: string, status: string): string {
  const url = new URL(redirectUrl)
  url.searchParams.set('identification_id', id)
  url.searchParams.set('status', status)
  return url.href
}

export function Done({ visit, redirectUrl }: { visit: PersonVisit; redirectUrl: string | null }) {
  const { frame, identification } = visit
  const { t, vaultName } = frame
  const vault = vaultName ?? ''
  const { verification } = identification.state
  const isUnderWay = verification === 'initiated' || verification === 'attention'
  const outcome = isUnderWay ? 'waiting' : verification
  const comment = isUnderWay ? null : identification.review?.clientComment
  return (
    <Page frame={frame} title={t(`person.${outcome}`)}>
      <div {...(isUnderWay && { 'data-refresh': '' })}>
        <p role="status">{t(`person.${outcome}.text`, { vault })}</p>
        {comment ? (
          <div class="notice">
            <h2>{t('done.comment')}</h2>
            <p>{comment}</p>
          </div>
        ) : null}
        {isUnderWay ? (
          <p>
            <a href={frame.path}>{t('person.waiting.refresh')}</a>
          </p>
        ) : null}
        {redirectUrl === null ? null : (
          <p>
            <a
              class="button"
              href={addressHome(redirectUrl, identification.id, identificationStatus(identification.state))}
            >
              {t('done.home', { vault })}
            </a>
          </p>
        )}
      </div>
    </Page>
  )
}
