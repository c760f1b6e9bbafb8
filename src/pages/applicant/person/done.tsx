/** Page: the next step or the result of a person's verification. */

import type { Identification } from '../../../domain/identification/record.ts'
import { type Frame, Page } from '../../components/layout.tsx'
import { Notice } from '../../components/notice.tsx'
import { Home } from '../home.tsx'
import type { PersonVisit } from './visit.ts'

interface DoneProps {
  readonly visit: Pick<PersonVisit, 'frame' | 'identification'>
  readonly home: string | null
}

export function Done(props: DoneProps) {
  const { frame, identification } = props.visit
  return (
    <Page frame={frame} title={doneTitle(frame, identification)}>
      <DoneContent {...props} />
    </Page>
  )
}

const outcomeOf = (identification: Identification) => {
  const { verification } = identification.state
  return verification === 'initiated' || verification === 'attention' ? 'waiting' : verification
}

export const doneTitle = ({ t }: Frame, identification: Identification): string =>
  t(`person.${outcomeOf(identification)}`)

export function DoneContent({ visit: { frame, identification }, home }: DoneProps) {
  const { t, vaultName } = frame
  const vault = vaultName ?? ''
  const outcome = outcomeOf(identification)
  const isWaiting = outcome === 'waiting'
  const comment = isWaiting ? null : identification.review?.clientComment
  return (
    <div {...(isWaiting && { 'data-refresh': '' })}>
      <p role="status">{t(`person.${outcome}.text`, { vault })}</p>
      {comment ? (
        <Notice title={t('done.comment')}>
          <p>{comment}</p>
        </Notice>
      ) : null}
      {isWaiting ? (
        <p>
          <a href={frame.path}>{t('person.waiting.refresh')}</a>
        </p>
      ) : null}
      <Home frame={frame} href={home} />
    </div>
  )
}
