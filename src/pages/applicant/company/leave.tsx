/** Page: confirms that everything is saved, and explains how to continue later. */
import { ButtonLink } from '../../components/button.tsx'
import { Page } from '../../components/layout.tsx'
import type { CompanyVisit } from './visit.ts'

export function Leave({ visit: { frame, base } }: { visit: CompanyVisit }) {
  const { t } = frame
  return (
    <Page frame={frame} title={t('leave.title')} lead={t('leave.text')}>
      <div class="actions">
        <ButtonLink kind="secondary" href={base}>
          {t('leave.back')}
        </ButtonLink>
      </div>
    </Page>
  )
}
