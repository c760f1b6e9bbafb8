/** Component: the newest deliveries to a webhook URL, each with its latest attempt. */
import { isInProgress, type UrlDelivery } from '../../../domain/webhook/log.ts'
import { Button } from '../../components/button.tsx'
import { Chip } from '../../components/chip.tsx'
import { DataTable } from '../../components/data-table.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { PostForm } from '../../components/form.tsx'
import { countText, FilterBar } from '../filter-bar.tsx'
import { PageLinks } from '../page-links.tsx'
import { failureWords, momentOf } from '../words.ts'
import type { UrlAsk } from './ask.ts'

export const PER_PAGE = 25
const FILTERS = ['all', 'failed', 'waiting'] as const
type Filter = (typeof FILTERS)[number]

export const readFilter = (given: unknown): Filter => FILTERS.find((each) => each === given) ?? 'all'

interface DeliveriesProps {
  readonly ask: UrlAsk
  readonly filter: Filter
  readonly deliveries: readonly UrlDelivery[]
  readonly hasMore: boolean
  readonly counts: Readonly<Record<Filter, number>>
}

export function Deliveries({ ask, filter, deliveries, hasMore, counts }: DeliveriesProps) {
  const { frame, t, path, page, base } = ask
  const hrefOf = (to: number, show = filter) => `${path}?show=${show}${to > 1 ? `&page=${to}` : ''}`
  return (
    <section aria-labelledby="attempts-title" class="webhook-attempts">
      <h2 id="attempts-title">{t('console.client.attempts')}</h2>
      <FilterBar
        frame={frame}
        tabs={FILTERS.map((show) => ({
          key: show,
          name: t(`settings.webhook.show.${show}`),
          href: hrefOf(1, show),
          count: countText(counts[show]),
          isCurrent: show === filter,
        }))}
      />
      {deliveries.length === 0 ? (
        <EmptyState icon="send" text={t('settings.webhook.deliveries.none')} />
      ) : (
        <DataTable
          class="queue"
          rows={deliveries}
          keyOf={({ id }) => id}
          columns={[
            {
              key: 'at',
              head: t('console.client.at'),
              cell: ({ createdAt, latest }) => momentOf(frame, latest?.createdAt ?? createdAt),
            },
            {
              key: 'event',
              head: t('console.client.event'),
              cell: ({ id, event }) =>
                'operator' in ask.user ? <code>{event}</code> : <a href={`${base}/${id}`}>{event}</a>,
            },
            {
              key: 'result',
              head: t('settings.webhook.result'),
              cell: (each) => <Result ask={ask} delivery={each} />,
            },
            {
              key: 'took',
              head: t('settings.webhook.took'),
              cell: ({ latest }) => (latest ? t('settings.webhooks.took', { ms: latest.durationMs }) : null),
            },
            {
              key: 'attempt',
              head: t('settings.webhook.attempt'),
              cell: ({ latest }) => latest?.number ?? null,
            },
            {
              key: 'act',
              head: t('settings.webhook.sendAgain'),
              isHidden: true,
              cell: (each) => <SendAgain ask={ask} delivery={each} />,
            },
          ]}
        />
      )}
      <PageLinks frame={frame} page={page} hasMore={hasMore} hrefOf={hrefOf} />
      {page > 1 && !hasMore ? <p class="quiet">{t('settings.webhook.deliveries.newest')}</p> : null}
    </section>
  )
}

interface DeliveryProps {
  readonly ask: UrlAsk
  readonly delivery: UrlDelivery
}

function Result({ ask: { frame, t }, delivery: { status, dueAt, latest } }: DeliveryProps) {
  const isUnfinished = status === 'pending' || status === 'processing'
  if (latest?.error === null)
    return (
      <Chip tone="success" icon="check">
        {latest.statusCode}
      </Chip>
    )
  if (!latest) return <Chip icon="clock">{t('settings.webhook.waiting')}</Chip>
  return (
    <span class="row-text">
      <span>
        <Chip tone={isUnfinished ? 'warning' : 'danger'} icon={isUnfinished ? 'clock' : 'x'}>
          {failureWords(frame, latest.error)}
        </Chip>
      </span>
      {isUnfinished && dueAt ? (
        <span class="row-note">{t('console.delivery.later', { at: momentOf(frame, dueAt) })}</span>
      ) : null}
    </span>
  )
}

function SendAgain({ ask: { visit, t, path, mayChange }, delivery }: DeliveryProps) {
  const { id, event, latest } = delivery
  const isFailed = latest !== null && latest.error !== null
  if (!mayChange || !isFailed || isInProgress({ ...delivery, leaseId: null })) return null
  return (
    <PostForm visit={visit} action={path}>
      <input type="hidden" name="delivery" value={id} />
      <Button kind="link" name="act" value="retry">
        {t('settings.webhook.sendAgain')}
        <span class="unseen">: {event}</span>
      </Button>
    </PostForm>
  )
}
