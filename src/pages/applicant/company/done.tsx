/** Page: the status or the result of a company's verification. */
import type { ComponentChildren } from 'preact'
import type { Verification } from '../../../domain/identification/identification.ts'
import type { Identification } from '../../../domain/identification/record.ts'
import type { KybApplication } from '../../../domain/kyb/record.ts'
import type { CompanyResult } from '../../../use-cases/applicant/company-form.ts'
import { decidedAtOf, type Result, ResultPage, Submitted } from '../base/result.tsx'
import { companyName } from './sections.ts'
import { Summary } from './summary.tsx'
import type { CompanyVisit } from './visit.ts'

interface DoneProps extends CompanyResult {
  readonly visit: CompanyVisit
  /** True if the applicant receives the result by email. */
  readonly isEmailed?: boolean
  readonly note?: ComponentChildren
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
  readonly comment?: string | null
  readonly decidedAt?: Date | null
}

/** Returns the result of the application, or the stage of a review in progress. */
function endOf({ state, review }: KybApplication, identification: Identification | null): End {
  const { clientComment: comment = null, decidedAt = null } = review ?? {}
  if (state.status === 'open') return { stage: 'sent' }
  if (state.status === 'abandoned') return { stage: 'abandoned', comment }
  if (review?.outcome === 'approved') return { stage: 'approved', comment, decidedAt }
  // The identification has not applied the review yet, so the identification's status is outdated.
  if (!identification || identification.state.awaitsKyb) return { stage: 'rejected', comment, decidedAt }
  const { verification, waitingOn } = identification.state
  // The requested information has arrived.
  if (verification === 'initiated' && waitingOn !== 'client') return { stage: 'sent' }
  const stage = STAGES[verification]
  if (stage === 'sent') return { stage }
  // A later decision replaces the review.
  const later = identification.review
  return later
    ? { stage, comment: later.clientComment, decidedAt: decidedAtOf(identification) }
    : { stage, comment, decidedAt }
}

const OUTCOMES = {
  sent: 'received',
  asked: 'received',
  approved: 'approved',
  rejected: 'rejected',
  abandoned: 'closed',
} as const satisfies Record<End['stage'], Result['outcome']>

function resultOf({
  visit: { frame, application },
  identification,
  redirectUrl,
  isEmailed = false,
}: DoneProps): Result {
  const { t, vaultName } = frame
  const { stage, comment, decidedAt = null } = endOf(application, identification)
  const isOpen = application.state.status === 'open'
  const company = companyName(application)
  return {
    outcome: OUTCOMES[stage],
    title:
      company !== null && (stage === 'approved' || stage === 'rejected')
        ? t(`done.${stage}.titleOf`, { company })
        : t(`done.${stage}.title`),
    text: t(`done.${stage}.text`, { vault: vaultName ?? '' }),
    id: application.id,
    comment,
    decidedAt,
    submittedAt: application.submittedAt,
    waitingSince:
      stage === 'sent' ? (isOpen ? application : (identification ?? application)).waitingSince : null,
    canChange: isOpen,
    isEmailed,
    home: redirectUrl,
  }
}

/** Shows the status or the result. After the review has ended, also shows the submitted data. */
export const Done = (props: DoneProps) => {
  const { frame, application, base } = props.visit
  if (application.state.status === 'open')
    return <ResultPage frame={frame} result={resultOf(props)} back={base} note={props.note} />
  return (
    <ResultPage frame={frame} result={resultOf(props)} note={props.note}>
      <Submitted frame={frame}>
        <Summary visit={props.visit} />
      </Submitted>
    </ResultPage>
  )
}
