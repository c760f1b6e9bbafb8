/** Component: the provider checks of an identification and their results. */
import type { VerificationCheck } from '../../../domain/identification/verification-check.ts'
import type { Frame } from '../../components/layout.tsx'
import { labelOf, momentOf, wordOf } from '../base/words.ts'

/** Lists the checks, newest first. */
export function Checks({ frame, checks }: { frame: Frame; checks: readonly VerificationCheck[] }) {
  const { t } = frame
  if (checks.length === 0) return null
  const moment = (date: Date) => (
    <time class="quiet small" dateTime={date.toISOString()}>
      {momentOf(frame, date)}
    </time>
  )
  return (
    <section class="card" aria-labelledby="checks-title">
      <h2 id="checks-title">{t('console.checks')}</h2>
      <ul class="entries">
        {checks.toReversed().map((check) => (
          <li key={check.id}>
            <strong>{checkText(frame, check)}</strong> <span class="quiet">{check.provider}</span>
            <p class="quiet small">
              {t('console.checks.asked')} {moment(check.createdAt)}
              {check.answeredAt === null ? null : (
                <>
                  {' · '}
                  {t('console.checks.answered')} {moment(check.answeredAt)}
                </>
              )}
            </p>
            {check.result?.reasonCode ? (
              <p>
                {wordOf(frame, 'console.reason', check.result.reasonCode)}
                {check.result.fields?.length
                  ? `: ${check.result.fields.map((field) => labelOf(t, field)).join(', ')}`
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

/** Returns what the operator has to do if a check has no outcome, or undefined. */
export const checkNote = (frame: Frame, { result, failure }: VerificationCheck): string | undefined =>
  failure !== null
    ? wordOf(frame, 'console.checks', failure)
    : result?.outcome === 'manual'
      ? frame.t('console.checks.manual.text')
      : undefined

export const checkText = (frame: Frame, { result, failure }: VerificationCheck): string => {
  if (result !== null) return wordOf(frame, 'console.checks', result.outcome)
  return frame.t(failure === null ? 'console.checks.underWay' : 'console.checks.unanswered')
}
