/** Page: the next step or the result of a company's verification. */
import type { Verification } from '../../../domain/identification/identification.ts'
import type { Identification } from '../../../domain/identification/record.ts'
import type { KybApplication } from '../../../domain/kyb/record.ts'
import type { CompanyResult } from '../../../use-cases/applicant/company-form.ts'
import { Page } from '../../components/layout.tsx'
import { Notice } from '../../components/notice.tsx'
import { Home } from '../home.tsx'
import { Summary } from './summary.tsx'
import type { CompanyVisit } from './visit.ts'

interface DoneProps extends CompanyResult {
  readonly visit: CompanyVisit
}

/** The stages by verification status. An appeal can change the result of a rejected application. */
const STAGES = {
  rejected: 'rejected',
  attention: 'sent',
  initiated: 'asked',
  approved: 'approved',
  closed: 'abandoned',
} as const satisfies Record<Verification, string>

interface End {
  readonly stage: (typeof STAGES)[Verification]
  /** The comment of the reviewer. */
  readonly comment?: string | null
}

/** Returns the result of the application, or a stage in progress. */
export function endOf({ state, review }: KybApplication, identification: Identification | null): End {
  const comment = review?.clientComment ?? null
  if (state.status === 'open') return { stage: 'sent' }
  if (state.status === 'abandoned') return { stage: 'abandoned', comment }
  if (review?.outcome === 'approved') return { stage: 'approved', comment }
  // The identification has not applied the review yet, so its status is outdated.
  if (!identification || identification.state.awaitsKyb) return { stage: 'rejected', comment }
  const { verification, waitingOn } = identification.state
  // The requested information has arrived.
  if (verification === 'initiated' && waitingOn !== 'client') return { stage: 'sent' }
  const stage = STAGES[verification]
  if (stage === 'sent') return { stage }
  // A later decision replaces the comment of the review.
  const { clientComment } = identification.review ?? { clientComment: comment }
  return { stage, comment: clientComment }
}

/** Shows the next step or the result. */
export function Done(props: DoneProps) {
  const { frame, application, base } = props.visit
  const { stage } = endOf(application, props.identification)
  const isOpen = application.state.status === 'open'
  return (
    <Page frame={frame} title={frame.t(`done.${stage}.title`)} {...(isOpen && { back: base })}>
      <DoneContent {...props} />
    </Page>
  )
}

export function DoneContent({ visit, identification, redirectUrl }: DoneProps) {
  const { frame, application, base } = visit
  const { t, vaultName } = frame
  const { stage, comment } = endOf(application, identification)
  const isOpen = application.state.status === 'open'
  return (
    <>
      {stage === 'sent' || stage === 'asked' ? (
        <div data-refresh>
          <p>{t(`done.${stage}.text`, { vault: vaultName ?? '' })}</p>
          {isOpen ? <p class="quiet">{t('done.sent.change')}</p> : null}
          <p>
            <a href={`${base}/done`}>{t('done.again')}</a>
          </p>
        </div>
      ) : null}
      <Home frame={frame} href={redirectUrl} />
      {comment ? (
        <Notice title={t('done.comment')}>
          <p>{comment}</p>
        </Notice>
      ) : null}
      {isOpen ? null : <Summary visit={visit} />}
    </>
  )
}
