/** What happens next, or how a person's verification ended. */

import { Page } from '../../components/layout.tsx'
import { Home } from '../home.tsx'
import type { PersonVisit } from './visit.ts'

export function Done({ visit, home }: { visit: PersonVisit; home: string | null }) {
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
        <Home frame={frame} href={home} />
      </div>
    </Page>
  )
}
