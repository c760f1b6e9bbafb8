/** Pages: the webhook URLs of a vault and its delivery log, for the vault's own users. */
import { parseOrRefuse } from '../../../contracts/check.ts'
import { newWebhookUrlBody } from '../../../contracts/webhook.ts'
import { TOPICS } from '../../../domain/base/topics.ts'
import { isUnfinished, LOG_STATUSES, type LogStatus, readEventBody } from '../../../domain/webhook/events.ts'
import { isInProgress, type WebhookLog } from '../../../domain/webhook/log.ts'
import { withoutQuery } from '../../../domain/webhook/url.ts'
import { formEffect } from '../../../use-cases/base/effect.ts'
import {
  getWebhookLog,
  listWebhookAttempts,
  listWebhookLogs,
  retryWebhookLog,
} from '../../../use-cases/webhooks/logs.ts'
import { addWebhookUrl, listUrlsWithHealth } from '../../../use-cases/webhooks/urls.ts'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { Chip, type Tone } from '../../components/chip.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { PostForm } from '../../components/form.tsx'
import type { Frame } from '../../components/layout.tsx'
import { RowText } from '../../components/row-text.tsx'
import { tookText } from '../../values/durations.ts'
import { DayFilter, readDay } from '../base/day-filter.tsx'
import { FilterBar, LinkFilter, queryText } from '../base/filter-bar.tsx'
import { flashAt } from '../base/flash.ts'
import { listOf, textOf, toOptions } from '../base/form.ts'
import { Checkboxes, Input } from '../base/inputs.tsx'
import { PageLinks } from '../base/page-links.tsx'
import { List } from '../base/parts.tsx'
import { seatPath } from '../base/visit.ts'
import { failureWords, momentOf, topicText, wordOf } from '../base/words.ts'
import type { UrlHandler } from '../webhook/ask.ts'
import { failingBanner, UrlTable } from '../webhook/list.tsx'
import { type ClientAsk, type ClientHandler, type ClientReply, canManage } from './ask.ts'

const PER_PAGE = 25

const TONES: Readonly<Record<LogStatus, Tone>> = {
  pending: 'neutral',
  processing: 'info',
  completed: 'success',
  partial: 'warning',
  failed: 'danger',
}

/** Returns the state of a delivery, with an initial capital letter. */
function stateText(frame: Frame, status: LogStatus): string {
  const text = wordOf(frame, 'console.delivery', status)
  return text.charAt(0).toLocaleUpperCase(frame.language) + text.slice(1)
}

const readStatus = (given: unknown): LogStatus | 'all' =>
  LOG_STATUSES.find((status) => status === given) ?? 'all'

export async function webhooksPage(ask: ClientAsk): Promise<ClientReply> {
  const { deps, frame, t, caller, seat, page, req } = ask
  const status = readStatus(req.query.status)
  const topic = TOPICS.find((each) => each === req.query.topic) ?? 'all'
  const on = readDay(req.query.day)
  const base = seatPath(seat.id, 'webhooks')
  const mayAdd = canManage(ask)
  const urls = await listUrlsWithHealth(deps, caller)
  const listed = await listWebhookLogs(
    deps,
    caller,
    undefined,
    { topic, status, from: on.from, before: on.before },
    { page, per_page: PER_PAGE },
  )
  const isNew =
    urls.length === 0 &&
    listed.totalCount === 0 &&
    status === 'all' &&
    topic === 'all' &&
    on.day === undefined
  const hrefOf = (change: Partial<Record<'status' | 'topic' | 'day', string | undefined>>, to = 1) => {
    const asked = { status, topic: topic === 'all' ? undefined : topic, day: on.day, ...change }
    return `${base}?${queryText({ ...asked, page: to > 1 ? String(to) : undefined })}`
  }
  return {
    title: t('settings.webhooks'),
    children: (
      <>
        {await failingBanner(ask, caller, base)}
        <UrlTable
          ask={ask}
          urls={urls}
          base={`${base}/urls`}
          none={mayAdd ? 'console.client.urls.none' : 'console.client.urls.none.reader'}
        />
        {mayAdd ? <NewUrl ask={ask} isOpen={urls.length === 0} /> : null}
        {isNew ? null : (
          <>
            <h2 class="client-title">{t('console.deliveries')}</h2>
            <FilterBar
              frame={frame}
              tabs={(['all', ...LOG_STATUSES] as const).map((each) => ({
                key: each,
                name: each === 'all' ? t('console.filter.all') : stateText(frame, each),
                href: hrefOf({ status: each }),
                count: each === status ? String(listed.totalCount) : '',
                isCurrent: each === status,
              }))}
            >
              <LinkFilter
                frame={frame}
                label={t('settings.topic')}
                chosen={topic}
                options={TOPICS.map((each) => [each, each])}
                hrefOf={(chosen) => hrefOf({ topic: chosen })}
              />
              <DayFilter frame={frame} chosen={on.day} hrefOf={(day) => hrefOf({ day })} />
            </FilterBar>
            <List
              ask={ask}
              none="settings.webhook.deliveries.none"
              icon="send"
              class="queue case-rows"
              isLinked
              rows={listed.entries}
              keyOf={({ id }) => id}
              columns={[
                {
                  key: 'event',
                  head: 'console.client.event',
                  class: 'what',
                  cell: ({ id, payload, topic }) => (
                    <span class="row-text">
                      <a class="row-link" href={`${base}/${id}`}>
                        {readEventBody(payload).name}
                      </a>
                      <span class="row-note">{topic}</span>
                    </span>
                  ),
                },
                {
                  key: 'state',
                  head: 'console.client.state',
                  cell: (log) => <LogState ask={ask} log={log} />,
                },
                {
                  key: 'at',
                  head: 'console.client.at',
                  cell: ({ createdAt }) => momentOf(frame, createdAt),
                },
              ]}
            />
            <PageLinks
              frame={frame}
              page={page}
              hasMore={page * PER_PAGE < listed.totalCount}
              hrefOf={(to) => hrefOf({}, to)}
            />
          </>
        )}
      </>
    ),
  }
}

function LogState({ ask: { frame, t }, log }: { readonly ask: ClientAsk; readonly log: WebhookLog }) {
  if (log.urlsDestiny.length === 0) return <span class="quiet">{t('console.delivery.kept')}</span>
  return (
    <span class="row-text">
      <span>
        <Chip tone={TONES[log.status]}>{stateText(frame, log.status)}</Chip>
      </span>
      {log.failReason ? <span class="row-note">{failureWords(frame, log.failReason)}</span> : null}
    </span>
  )
}

interface NewUrlProps {
  readonly ask: ClientAsk
  /** False if the page has a list, above which the form is folded. */
  readonly isOpen: boolean
}

const NewUrl = ({ ask: { visit, frame, t, seat, again }, isOpen }: NewUrlProps) => (
  <details class="card client-fold" open={isOpen || again.problems.length > 0}>
    <summary>{t('console.client.urls.add')}</summary>
    <PostForm visit={visit} action={seatPath(seat.id, 'webhooks')} class="card-body client-form">
      <Input frame={frame} again={again} name="url" hint={t('console.client.url')} inputMode="url" required />
      <Checkboxes
        frame={frame}
        again={again}
        name="topics"
        hint={t('console.client.topics.hint')}
        options={toOptions(TOPICS, (topic) => topicText(t, topic))}
        chosen={['identification']}
        isRow
      />
      <Button icon="plus">{t('console.client.urls.add')}</Button>
    </PostForm>
  </details>
)

export async function addUrl({ deps, caller, by, seat, res, sent }: ClientAsk): Promise<ClientReply> {
  const body = newWebhookUrlBody(deps.config.WEBHOOK_ALLOW_PRIVATE)
  const given = parseOrRefuse(body, { url: textOf(sent, 'url') ?? '', topics: listOf(sent, 'topics') })
  const path = seatPath(seat.id, 'webhooks', 'urls', await addWebhookUrl(deps, caller, by, given))
  return flashAt(deps, res, path, 'urlAdded', withoutQuery(given.url))
}

/** Shows a page of a URL, which operators also see. */
export const ofUrl =
  (handler: UrlHandler): ClientHandler =>
  async (ask) => {
    const { seat, id, caller } = ask
    const base = seatPath(seat.id, 'webhooks')
    const mayChange = canManage(ask)
    const path = `${base}/urls/${id}`
    const client = mayChange ? caller : null
    const reply = await handler({ ...ask, user: caller, urlId: id, base, path, mayChange, client })
    if (typeof reply === 'string') return reply
    return { up: { href: base, name: 'console.client.webhooks' }, ...reply }
  }

/** The maximum number of attempts of a delivery with all its rounds that the page shows. */
const MOST_ATTEMPTS = 100

export async function deliveryPage(ask: ClientAsk): Promise<ClientReply> {
  const { deps, visit, frame, t, caller, seat, id } = ask
  const log = await getWebhookLog(deps, caller, id)
  const { entries: attempts } = await listWebhookAttempts(deps, caller, id, {
    page: 1,
    per_page: MOST_ATTEMPTS,
  })
  const base = seatPath(seat.id, 'webhooks')
  return {
    title: readEventBody(log.payload).name,
    up: { href: base, name: 'console.client.webhooks' },
    count: <LogState ask={ask} log={log} />,
    lead: momentOf(frame, log.createdAt),
    tools:
      canManage(ask) && !isInProgress(log) ? (
        <PostForm visit={visit} action={`${base}/${id}`} class="actions">
          {log.status === 'partial' ? (
            <Button kind="link" name="only_failed" value="yes">
              {t('console.deliveries.retryFailed')}
            </Button>
          ) : null}
          <Button kind="secondary" icon="send">
            {t(isUnfinished(log.status) ? 'settings.webhook.sendNow' : 'settings.webhook.sendAgain')}
          </Button>
        </PostForm>
      ) : null,
    children: (
      <>
        <Card id="attempts-title" title={t('console.client.attempts')}>
          {attempts.length === 0 ? (
            <EmptyState icon="send" text={t('console.client.attempts.none')} />
          ) : (
            <ul class="rows client-rows">
              {attempts.map(({ round, number, url, statusCode, error, createdAt, durationMs }) => (
                <li key={`${round} ${number} ${url}`}>
                  <RowText
                    name={url}
                    note={`${momentOf(frame, createdAt)} · ${tookText(frame.language, durationMs)}`}
                  />
                  <Chip tone={error === null ? 'success' : 'danger'}>
                    {error === null
                      ? t('settings.webhooks.answered', { status: String(statusCode) })
                      : failureWords(frame, error)}
                  </Chip>
                </li>
              ))}
            </ul>
          )}
        </Card>
        <Card id="body-title" title={t('console.client.body')}>
          <pre class="excerpt">{JSON.stringify(JSON.parse(log.payload), null, 2)}</pre>
        </Card>
      </>
    ),
  }
}

export async function resendDelivery({ deps, res, caller, seat, id, sent }: ClientAsk): Promise<ClientReply> {
  await retryWebhookLog(deps, caller, id, sent.only_failed === 'yes', formEffect(deps))
  const { payload } = await getWebhookLog(deps, caller, id)
  return flashAt(deps, res, seatPath(seat.id, 'webhooks', id), 'eventResent', readEventBody(payload).name)
}
