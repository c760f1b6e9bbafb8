/** What was sent to the client about an application or identification: attempts, and sending it again. */
import { v7 as newId } from 'uuid'
import { transaction } from '../../db/database.ts'
import { type Delivery, isAbout } from '../../db/delivery.ts'
import { appendTimeline } from '../../db/timeline.ts'
import { retryWebhookLog } from '../../db/webhook-retry.ts'
import type { EntityRef } from '../../domain/entity.ts'
import { RequestRefused } from '../../domain/errors.ts'
import { isUnfinished } from '../../domain/events.ts'
import type { RouteDeps } from '../../http/deps.ts'
import { PostForm } from '../form.tsx'
import type { ConsoleVisit } from './visit.ts'
import { momentOf, wordOf } from './words.ts'

/** The newest ones: the API has the rest. */
export const DELIVERIES = { page: 1, per_page: 10 }

const eventOf = ({ payload }: Delivery): string => {
  const { data, error } = JSON.parse(payload) as Record<string, { event?: string } | undefined>
  return data?.event ?? error?.event ?? ''
}

interface DeliveriesProps {
  readonly visit: ConsoleVisit
  readonly base: string
  readonly deliveries: readonly Delivery[]
}

export function Deliveries({ visit, base, deliveries }: DeliveriesProps) {
  const { frame } = visit
  const { t } = frame
  return (
    <section class="card" aria-labelledby="deliveries-title">
      <h2 id="deliveries-title">{t('console.deliveries')}</h2>
      {deliveries.length === 0 ? <p class="quiet">{t('console.deliveries.none')}</p> : null}
      <ul class="timeline">
        {deliveries.map((delivery) => (
          <li key={delivery.id}>
            <time dateTime={delivery.createdAt.toISOString()}>{momentOf(frame, delivery.createdAt)}</time>{' '}
            <strong>{eventOf(delivery)}</strong>{' '}
            {delivery.urlsDestiny.length === 0
              ? t('console.delivery.kept')
              : wordOf(frame, 'console.delivery', delivery.status)}
            {delivery.attempts.length > 0 ? (
              <details>
                <summary>{t('console.deliveries.attempts', { count: delivery.attempts.length })}</summary>
                <ul>
                  {delivery.attempts.map(({ round, number, url, statusCode, error, createdAt }) => (
                    <li key={`${round} ${number} ${url}`}>
                      <time dateTime={createdAt.toISOString()}>{momentOf(frame, createdAt)}</time> {url}:{' '}
                      {[statusCode, error].filter(Boolean).join(' ') || t('console.deliveries.underWay')}
                    </li>
                  ))}
                </ul>
              </details>
            ) : null}
            {isUnfinished(delivery.status) ? null : (
              <PostForm visit={visit} action={`${base}/deliveries/${delivery.id}/retry`}>
                <button type="submit" class="quiet">
                  {t('console.deliveries.retry')}
                  <span class="unseen">: {eventOf(delivery)}</span>
                </button>
              </PostForm>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

/** As a client does it; who did it is written down. Throws RequestRefused. */
export async function retryDelivery(
  { db, notifier }: RouteDeps,
  { actor }: ConsoleVisit,
  target: EntityRef,
  id: string,
): Promise<void> {
  const { entity, vaultId } = target
  const retried = await transaction(db, async (tx) => {
    const log = (await isAbout(tx, target, id)) ? await retryWebhookLog(tx, vaultId, id) : 'not_found'
    if (typeof log === 'string') throw new RequestRefused({ code: log })
    await appendTimeline(tx, {
      vaultId,
      entity,
      entityId: target.id,
      action: 'delivery_retried',
      actor,
      causeId: newId(),
    })
    return log
  })
  notifier.tell([retried.id])
}
