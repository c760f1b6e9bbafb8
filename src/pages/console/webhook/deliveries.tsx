/** Component: the newest deliveries to a webhook URL, each with its latest attempt. */
import { isUnfinished } from '../../../domain/webhook/events.ts'
import { isInProgress, type UrlDelivery } from '../../../domain/webhook/log.ts'
import type { Resend } from '../../../domain/webhook/resend.ts'
import type { WebhookUrl } from '../../../domain/webhook/url.ts'
import type { UrlDeliveryFilter } from '../../../use-cases/webhooks/urls.ts'
import { Button, ButtonLink } from '../../components/button.tsx'
import { Chip } from '../../components/chip.tsx'
import { PostForm } from '../../components/form.tsx'
import { tookText } from '../../values/durations.ts'
import { DayFilter, readDay } from '../base/day-filter.tsx'
import { countText, FilterBar, LinkFilter, queryText } from '../base/filter-bar.tsx'
import { PageLinks } from '../base/page-links.tsx'
import { List } from '../base/parts.tsx'
import { failureWords, momentOf } from '../base/words.ts'
import { caseTitle } from '../lists/queue-cells.tsx'
import type { UrlAsk } from './ask.ts'
import { offeredEvents } from './options.tsx'

export const PER_PAGE = 25
const EVENT_NAME = /^[a-z][a-z0-9_]{0,63}$/
const SHOWN = ['all', 'failed', 'waiting'] as const

/** The filter in the address. Ignores invalid values. */
interface DeliveriesFilter extends UrlDeliveryFilter {
  /** The day in UTC, in ISO 8601. */
  readonly day?: string | undefined
}

export function readFilter({ show, event, day }: Readonly<Record<string, unknown>>): DeliveriesFilter {
  return {
    show: SHOWN.find((each) => each === show) ?? 'all',
    event: typeof event === 'string' && EVENT_NAME.test(event) ? event : undefined,
    ...readDay(day),
  }
}

type Asked = Partial<Record<'show' | 'event' | 'day', string | undefined>>

interface DeliveriesProps {
  readonly ask: UrlAsk
  readonly url: WebhookUrl
  readonly filter: DeliveriesFilter
  readonly deliveries: readonly UrlDelivery[]
  /** The cases whose names the reader may see, by ID. */
  readonly cases: ReadonlyMap<string, { readonly id: string; readonly title: string | null }>
  readonly hasMore: boolean
  /** The newest resending. */
  readonly resend: Resend
  readonly maxAttempts: number
  readonly counts: Readonly<Record<(typeof SHOWN)[number], number>> & { readonly isPartial: boolean }
}

export function Deliveries(props: DeliveriesProps) {
  const { ask, url, filter, deliveries, cases, hasMore, counts, resend, maxAttempts } = props
  const { frame, t, path, page, base } = ask
  const hrefOf = (change: Asked, to = 1) => {
    const { show, event, day } = { ...filter, ...change }
    return `${path}?${queryText({ show, event, day, page: to > 1 ? String(to) : undefined })}`
  }
  const events = [...new Set([...offeredEvents(url), ...(filter.event ? [filter.event] : [])])]
  return (
    <section aria-labelledby="attempts-title" class="webhook-attempts">
      <div class="page-head">
        <h2 id="attempts-title">{t('console.client.week.deliveries')}</h2>
        <Resending ask={ask} resend={resend} hasFailed={counts.failed > 0} />
      </div>
      <FilterBar
        frame={frame}
        tabs={SHOWN.map((show) => ({
          key: show,
          name: t(`settings.webhook.show.${show}`),
          href: hrefOf({ show }),
          count: countText(counts[show]),
          isCurrent: show === filter.show,
        }))}
      >
        <LinkFilter
          frame={frame}
          label={t('console.client.event')}
          chosen={filter.event}
          options={events.map((event) => [event, event])}
          hrefOf={(event) => hrefOf({ event })}
        />
        <DayFilter frame={frame} chosen={filter.day} hrefOf={(day) => hrefOf({ day })} />
      </FilterBar>
      <List
        ask={ask}
        none="settings.webhook.deliveries.none"
        icon="send"
        class="queue webhook-deliveries"
        rows={deliveries}
        keyOf={({ id }) => id}
        columns={[
          {
            key: 'at',
            class: 'at',
            head: 'console.client.at',
            cell: ({ createdAt, latest }) => momentOf(frame, latest?.createdAt ?? createdAt),
          },
          {
            key: 'event',
            class: 'event',
            head: 'console.client.event',
            cell: ({ id, event, caseId }) => {
              const about = caseId === null ? undefined : cases.get(caseId)
              return (
                <span class="row-text">
                  {'operator' in ask.user ? <code>{event}</code> : <a href={`${base}/${id}`}>{event}</a>}
                  {about ? <span class="row-note">{caseTitle(frame, about)}</span> : null}
                </span>
              )
            },
          },
          {
            key: 'result',
            class: 'result',
            head: 'settings.webhook.result',
            cell: (each) => <Result ask={ask} delivery={each} />,
          },
          {
            key: 'took',
            head: 'settings.webhook.took',
            cell: ({ latest }) => (latest ? tookText(frame.language, latest.durationMs) : null),
          },
          {
            key: 'attempt',
            class: 'attempt',
            head: 'settings.webhook.attempt',
            cell: (each) => attemptText(ask, each, maxAttempts),
          },
          {
            key: 'act',
            class: 'act',
            head: 'settings.webhook.sendAgain',
            isHidden: true,
            cell: (each) => <SendAgain ask={ask} delivery={each} />,
          },
        ]}
      />
      <PageLinks frame={frame} page={page} hasMore={hasMore} hrefOf={(to) => hrefOf({}, to)} />
      {counts.isPartial ? <p class="quiet">{t('settings.webhook.deliveries.newest')}</p> : null}
    </section>
  )
}

interface ResendingProps extends Pick<DeliveriesProps, 'ask' | 'resend'> {
  readonly hasFailed: boolean
}

/** Leads to the page that sends all failed deliveries again, with the progress of the newest resending. */
function Resending({ ask: { t, path, mayChange }, resend, hasFailed }: ResendingProps) {
  const { status, sent, total } = resend
  const isRunning = status === 'running'
  const mayStart = mayChange && hasFailed
  if (status === 'none' && !mayStart) return null
  return (
    <div class="page-head-end">
      {status === 'none' ? null : (
        <span class="quiet">{t(`settings.webhook.resend.${status}`, { sent, total })}</span>
      )}
      {isRunning || mayStart ? (
        <ButtonLink kind="secondary" href={`${path}/resend`}>
          {t(isRunning ? 'settings.webhook.resend.show' : 'settings.webhook.resend.start')}
        </ButtonLink>
      ) : null}
    </div>
  )
}

/** Returns the number of the latest attempt, with the maximum unless the delivery failed under another maximum. */
function attemptText({ t }: UrlAsk, { status, latest }: UrlDelivery, limit: number): string | null {
  if (!latest) return null
  const { number, error } = latest
  const isLimited = error === null || isUnfinished(status) ? number <= limit : number === limit
  return isLimited ? t('settings.webhook.attempt.of', { number, limit }) : String(number)
}

interface DeliveryProps {
  readonly ask: UrlAsk
  readonly delivery: UrlDelivery
}

function Result({ ask: { frame, t }, delivery: { status, dueAt, latest } }: DeliveryProps) {
  const isWaiting = isUnfinished(status)
  if (latest?.error === null)
    return (
      <Chip tone="success" icon="check">
        {t('settings.webhooks.answered', { status: String(latest.statusCode) })}
      </Chip>
    )
  if (!latest) return <Chip icon="clock">{t('settings.webhook.waiting')}</Chip>
  return (
    <span class="row-text">
      <span>
        <Chip tone={isWaiting ? 'warning' : 'danger'} icon={isWaiting ? 'clock' : 'x'}>
          {failureWords(frame, latest.error)}
        </Chip>
      </span>
      {isWaiting && dueAt ? (
        <span class="row-note">{t('console.delivery.later', { at: momentOf(frame, dueAt) })}</span>
      ) : null}
    </span>
  )
}

function SendAgain({ ask: { visit, t, path, mayChange }, delivery }: DeliveryProps) {
  const { id, event, status, latest } = delivery
  const isFailed = latest !== null && latest.error !== null
  if (!mayChange || !isFailed || isInProgress({ ...delivery, leaseId: null })) return null
  return (
    <PostForm visit={visit} action={path}>
      <input type="hidden" name="delivery" value={id} />
      <Button kind="link" name="act" value="retry">
        {t(isUnfinished(status) ? 'settings.webhook.sendNow' : 'settings.webhook.sendAgain')}
        <span class="unseen">: {event}</span>
      </Button>
    </PostForm>
  )
}
