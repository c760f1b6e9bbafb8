/** Page: the status or the result of a person's verification. */
import type { ComponentChildren } from 'preact'
import { decidedAtOf, type Result, ResultPage } from '../base/result.tsx'
import type { PersonVisit } from './visit.ts'

interface DoneProps {
  readonly visit: Pick<PersonVisit, 'frame' | 'identification'>
  readonly home: string | null
  readonly isEmailed?: boolean
  readonly note?: ComponentChildren
  readonly children?: ComponentChildren
}

export const Done = ({ visit, home, isEmailed = false, ...content }: DoneProps) => (
  <ResultPage frame={visit.frame} result={{ ...resultOf(visit, home), isEmailed }} {...content} />
)

const OUTCOMES = {
  waiting: 'received',
  approved: 'approved',
  rejected: 'rejected',
  closed: 'closed',
} as const

function resultOf({ frame, identification }: DoneProps['visit'], home: string | null): Result {
  const { t, vaultName } = frame
  const { state, review, waitingSince } = identification
  const { verification } = state
  const isWaiting = verification === 'initiated' || verification === 'attention'
  const status = isWaiting ? 'waiting' : verification
  return {
    outcome: OUTCOMES[status],
    title: t(`person.${status}`),
    text: t(`person.${status}.text`, { vault: vaultName ?? '' }),
    id: identification.id,
    comment: isWaiting ? null : review?.clientComment,
    decidedAt: decidedAtOf(identification),
    waitingSince: isWaiting ? waitingSince : null,
    home,
  }
}
