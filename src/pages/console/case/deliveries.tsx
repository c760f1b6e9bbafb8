/** Component: the webhook deliveries of a case and their attempts, with buttons to send them again. */
import { traceIdOf } from '../../../domain/base/traceparent.ts'
import type { Entity } from '../../../domain/entity/entity.ts'
import { isUnfinished, readEventBody } from '../../../domain/webhook/events.ts'
import { type Delivery, isInProgress } from '../../../domain/webhook/log.ts'
import { retryDelivery } from '../../../use-cases/webhooks/deliveries.ts'
import { Button } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { PostForm } from '../../components/form.tsx'
import type { Frame } from '../../components/layout.tsx'
import type { Sent } from '../../values/form-values.ts'
import { TraceId } from '../base/trace-id.tsx'
import type { ConsoleVisit } from '../base/visit.ts'
import { failureWords, momentOf, wordOf } from '../base/words.ts'
import { type CaseForm, runCaseForm } from './form.ts'

/** Selects the newest deliveries, which the page shows. The API returns all deliveries. */
export const DELIVERIES = { page: 1, per_page: 10 }

const eventOf = ({ payload }: Delivery): string => readEventBody(payload).name

interface DeliveriesProps {
  readonly visit: ConsoleVisit
  readonly mayRetry: boolean
  readonly base: string
  readonly deliveries: readonly Delivery[]
}

export function Deliveries({ visit, mayRetry, base, deliveries }: DeliveriesProps) {
  const { frame } = visit
  const { t } = frame
  return (
    <section class="card screen-only" aria-labelledby="deliveries-title">
      <h2 id="deliveries-title">{t('console.deliveries')}</h2>
      {deliveries.length === 0 ? <EmptyState icon="send" text={t('console.deliveries.none')} /> : null}
      <ul class="entries">
        {deliveries.map((delivery) => (
          <li key={delivery.id}>
            <time class="quiet small" dateTime={delivery.createdAt.toISOString()}>
              {momentOf(frame, delivery.createdAt)}
            </time>{' '}
            <strong>{eventOf(delivery)}</strong> {statusText(frame, delivery)}
            {delivery.attempts.length > 0 ? (
              <details>
                <summary>{t('console.deliveries.attempts', { count: delivery.attempts.length })}</summary>
                <ul>
                  {delivery.attempts.map(({ round, number, url, statusCode, error, createdAt }) => (
                    <li key={`${round} ${number} ${url}`}>
                      <time dateTime={createdAt.toISOString()}>{momentOf(frame, createdAt)}</time> {url}:{' '}
                      {error === null
                        ? (statusCode ?? t('console.deliveries.underWay'))
                        : failureWords(frame, error)}
                    </li>
                  ))}
                </ul>
              </details>
            ) : null}
            <TraceId frame={frame} id={traceIdOf(delivery.traceparent)} />
            {isInProgress(delivery) || !mayRetry ? null : (
              <Retry visit={visit} base={base} delivery={delivery} />
            )}
          </li>
        ))}
      </ul>
      {deliveries.length === DELIVERIES.per_page ? (
        <p class="quiet">{t('console.deliveries.newest', { count: DELIVERIES.per_page })}</p>
      ) : null}
    </section>
  )
}

function statusText(frame: Frame, delivery: Delivery): string {
  const { status, dueAt, urlsDestiny } = delivery
  if (urlsDestiny.length === 0) return frame.t('console.delivery.kept')
  if (dueAt !== null && isUnfinished(status) && !isInProgress(delivery))
    return frame.t('console.delivery.later', { at: momentOf(frame, dueAt) })
  return wordOf(frame, 'console.delivery', status)
}

/** Shows the retry button. If some URLs accepted the event, the operator can resend it to the other URLs only. */
function Retry(props: Omit<DeliveriesProps, 'deliveries' | 'mayRetry'> & { delivery: Delivery }) {
  const { visit, base, delivery } = props
  const { t } = visit.frame
  const event = <span class="unseen">: {eventOf(delivery)}</span>
  const reachedSome = delivery.status !== 'completed' && delivery.attempts.some(({ error }) => error === null)
  return (
    <PostForm visit={visit} action={`${base}/deliveries/${delivery.id}/retry`}>
      <input type="hidden" name="round" value={delivery.round} />
      <p class="actions">
        {reachedSome ? (
          <Button kind="link" name="only_failed" value="yes">
            {t('console.deliveries.retryFailed')}
            {event}
          </Button>
        ) : null}
        <Button kind="link">
          {t(reachedSome ? 'console.deliveries.retryAll' : 'console.deliveries.retry')}
          {event}
        </Button>
      </p>
    </PostForm>
  )
}

export async function retryFromForm(form: CaseForm<Entity>): Promise<void> {
  const { deps, visit, target, req } = form
  const { only_failed, round } = (req.body ?? {}) as Sent
  const asked = {
    deliveryId: String(req.params.delivery),
    onlyFailed: only_failed === 'yes',
    round: Number(round),
  }
  await runCaseForm(form, () => retryDelivery(deps, visit.actor, target, asked), {
    place: 'deliveries-title',
    done: 'resent',
  })
}
