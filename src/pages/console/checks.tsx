/** The checks of an identification by providers: who was asked, and what came of it. */
import type { Frame } from '../components/layout.tsx'
import type { IdentificationReview } from './cases.tsx'
import { labelOf, momentOf, wordOf } from './words.ts'

type Check = IdentificationReview['checks'][number]

interface ChecksProps {
  readonly frame: Frame
  readonly checks: readonly Check[]
}

/** The newest is shown first. One that nobody was ever to make is not spoken of. */
export function Checks({ frame, checks }: ChecksProps) {
  const { t } = frame
  if (checks.length === 0) return null
  const moment = (seconds: number) => (
    <time dateTime={new Date(seconds * 1_000).toISOString()}>{momentOf(frame, seconds)}</time>
  )
  return (
    <section class="card" aria-labelledby="checks-title">
      <h2 id="checks-title">{t('console.checks')}</h2>
      <ul class="timeline">
        {checks.toReversed().map((check) => (
          <li key={check.id}>
            <strong>{saying(frame, check)}</strong> <span class="quiet">{check.provider}</span>
            <p class="quiet">
              {t('console.checks.asked')} {moment(check.asked_at)}
              {check.answered_at === null ? null : (
                <>
                  {' · '}
                  {t('console.checks.answered')} {moment(check.answered_at)}
                </>
              )}
            </p>
            {check.reason_code ? (
              <p>
                {wordOf(frame, 'console.reason', check.reason_code)}
                {check.fields.length > 0
                  ? `: ${check.fields.map((field) => labelOf(t, field)).join(', ')}`
                  : ''}
              </p>
            ) : null}
            {check.failure ? <p class="comment">{wordOf(frame, 'console.checks', check.failure)}</p> : null}
          </li>
        ))}
      </ul>
    </section>
  )
}

const saying = (frame: Frame, { outcome, failure }: Check): string => {
  if (outcome !== null) return wordOf(frame, 'console.checks', outcome)
  return frame.t(failure === null ? 'console.checks.underWay' : 'console.checks.unanswered')
}
