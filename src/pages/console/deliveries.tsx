/** What was sent to the client about an application or identification, and with what success. */
import type { Delivery } from '../../db/delivery.ts'
import type { Frame } from '../layout.tsx'

/** The newest ones: the API has the rest. */
export const DELIVERIES = { page: 1, per_page: 10 }

const eventOf = ({ payload }: Delivery): string => {
  const { data, error } = JSON.parse(payload) as Record<string, { event?: string } | undefined>
  return data?.event ?? error?.event ?? ''
}

export function Deliveries({ frame, deliveries }: { frame: Frame; deliveries: readonly Delivery[] }) {
  const { t, language } = frame
  const moment = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' })
  return (
    <section class="card" aria-labelledby="deliveries-title">
      <h2 id="deliveries-title">{t('console.deliveries')}</h2>
      {deliveries.length === 0 ? <p class="quiet">{t('console.deliveries.none')}</p> : null}
      <ul class="timeline">
        {deliveries.map((delivery) => (
          <li key={delivery.id}>
            <time dateTime={delivery.createdAt.toISOString()}>{moment.format(delivery.createdAt)}</time>{' '}
            <strong>{eventOf(delivery)}</strong> {delivery.status}
            <ul>
              {delivery.attempts.map(({ round, number, url, statusCode, error }) => (
                <li key={`${round} ${number} ${url}`}>
                  {url}: {statusCode ?? error ?? t('console.deliveries.underWay')}
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </section>
  )
}
