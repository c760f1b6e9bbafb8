/** Page: a reply that disputes a finding, next to the finding and the entered value. */
import type { Correction } from '../../../domain/decision/decision.ts'
import { Banner } from '../../components/banner.tsx'
import { Button, ButtonLink } from '../../components/button.tsx'
import { PostForm, type RefusedForm } from '../../components/form.tsx'
import { correctionText } from '../base/correction.ts'
import { ReplyFields } from '../base/reply.tsx'
import { CompanyPage } from './page.tsx'
import { labelOfFinding } from './revision.tsx'
import { hrefOf, pageOf } from './sections.ts'
import type { CompanyVisit } from './visit.ts'

interface ReplyPageProps extends RefusedForm {
  readonly visit: CompanyVisit
  readonly finding: Pick<Correction, 'path' | 'fileId'>
}

export function ReplyPage({ visit, finding, problems = [], typed = {} }: ReplyPageProps) {
  const { frame, base, application } = visit
  const { t } = frame
  const { path, fileId } = finding
  const isMeant = (each: Correction) => each.path === path && each.fileId === fileId
  const same = [...application.corrections, ...application.replies].filter(isMeant)
  const reply = application.replies.find(isMeant)?.reply
  const back = hrefOf(base, application, path)
  return (
    <CompanyPage
      visit={visit}
      title={t('reply.page')}
      current={pageOf(application, path) ?? 'check'}
      back={back}
      problems={problems}
    >
      <Banner tone="warning" title={labelOfFinding(visit, finding)}>
        <p class="lines">{correctionText(frame, same, path)}</p>
      </Banner>
      <PostForm visit={visit} class="flow" action={`${base}/replies`} data-unsent>
        <div class="card card-body">
          <ReplyFields frame={frame} finding={finding} reply={reply} problems={problems} typed={typed} />
        </div>
        <div class="dock">
          <Button>{t('reply.save')}</Button>
          <ButtonLink kind="quiet" href={back}>
            {t('reply.cancel')}
          </ButtonLink>
        </div>
      </PostForm>
    </CompanyPage>
  )
}
