/** Component: the deliveries, emails and decisions of a vault in the last seven days. */
import type { WebhookUrl } from '../../../domain/webhook/url.ts'
import type { ClientWeek } from '../../../use-cases/review/client-cases.ts'
import { ButtonLink } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { Chip } from '../../components/chip.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { Icon } from '../../components/icon.tsx'
import type { Frame } from '../../components/layout.tsx'
import { LOCALES } from '../../texts/index.ts'
import { seatPath } from '../base/visit.ts'
import type { ClientAsk } from './ask.ts'

interface WeekProps {
  readonly ask: ClientAsk
  readonly week: ClientWeek
  readonly urls: readonly WebhookUrl[]
}

export function Week({ ask, week: { deliveries, decisions, emails }, urls }: WeekProps) {
  const { t, seat } = ask
  const webhooks = seatPath(seat.id, 'webhooks')
  const lastDays = <span class="quiet">{t('console.client.week.days')}</span>
  return (
    <>
      <Card id="deliveries-title" title={t('console.client.week.deliveries')} end={lastDays}>
        {urls.length === 0 ? (
          <EmptyState icon="webhook" text={t('console.client.urls.none')}>
            <ButtonLink kind="secondary" href={webhooks}>
              {t('console.client.week.urls')}
            </ButtonLink>
          </EmptyState>
        ) : (
          <>
            <Deliveries ask={ask} days={deliveries} />
            <ul class="rows client-rows">
              {urls.map(({ id, name, url, paused }) => (
                <li key={id}>
                  <a class="row-link" href={seatPath(seat.id, 'webhooks', 'urls', id)}>
                    {name ?? url}
                  </a>
                  {paused ? <Chip tone="warning">{t('settings.webhook.paused')}</Chip> : null}
                  <Icon name="chevron-right" />
                </li>
              ))}
            </ul>
          </>
        )}
      </Card>
      {emails ? (
        <Card id="emails-title" title={t('console.client.week.emails')} end={lastDays}>
          <Counts
            ask={ask}
            counts={[
              [t('console.client.week.sent'), emails.sent],
              [t('console.client.week.returned'), emails.failed],
            ]}
          />
        </Card>
      ) : null}
      <Card id="decided-title" title={t('console.client.week.decided')} end={lastDays}>
        <Counts
          ask={ask}
          counts={[
            [t('console.client.show.approved'), decisions.approved],
            [t('console.client.show.rejected'), decisions.rejected],
          ]}
        />
      </Card>
    </>
  )
}

interface CountsProps {
  readonly ask: ClientAsk
  readonly counts: readonly (readonly [label: string, count: number])[]
}

const numberText = ({ language }: Pick<Frame, 'language'>, value: number) =>
  value.toLocaleString(LOCALES[language])

const Counts = ({ ask: { frame }, counts }: CountsProps) => (
  <dl class="client-counts">
    {counts.map(([label, count]) => (
      <div key={label}>
        <dt>{label}</dt>
        <dd class="number">{numberText(frame, count)}</dd>
      </div>
    ))}
  </dl>
)

const CHART = { width: 210, height: 64, bar: 20, step: 30 }

/** Draws a bar for each day, with the failed deliveries on top. */
function Deliveries({ ask: { frame, t, seat }, days }: { ask: ClientAsk; days: ClientWeek['deliveries'] }) {
  const failedOf = (day: (typeof days)[number]) => day.failed + day.partial
  const totalOf = (day: (typeof days)[number]) => day.completed + failedOf(day) + day.unfinished
  const sum = (of: (day: (typeof days)[number]) => number) => days.reduce((total, day) => total + of(day), 0)
  const most = Math.max(1, ...days.map(totalOf))
  const heightOf = (count: number) => (count === 0 ? 0 : Math.max(2, (count / most) * CHART.height))
  const nameOf = (day: string) =>
    new Date(day).toLocaleDateString(LOCALES[frame.language], { weekday: 'short', timeZone: 'UTC' })
  const delivered = { delivered: sum((day) => day.completed), total: sum(totalOf) }
  if (delivered.total === 0) return <EmptyState icon="send" text={t('console.client.week.none')} />
  const failures = sum(failedOf)
  const text = t('console.client.week.failed', { count: failures })
  const status = sum((day) => day.failed) > 0 ? 'failed' : 'partial'
  return (
    <>
      <p class="client-figure">{t('console.client.week.delivered', delivered)}</p>
      <p class="quiet">
        {failures === 0 ? (
          text
        ) : (
          <a class="client-expired" href={`${seatPath(seat.id, 'webhooks')}?status=${status}`}>
            {text}
          </a>
        )}
      </p>
      <svg class="client-chart" viewBox={`0 0 ${CHART.width} ${CHART.height + 18}`} aria-hidden="true">
        {days.map((day, n) => {
          const [good, failed] = [heightOf(totalOf(day) - failedOf(day)), heightOf(failedOf(day))]
          const x = n * CHART.step + (CHART.step - CHART.bar) / 2
          return (
            <g key={day.day}>
              <rect class="bar" x={x} y={CHART.height - good} width={CHART.bar} height={good} rx={2} />
              <rect
                class="bar-failed"
                x={x}
                y={Math.max(0, CHART.height - good - failed)}
                width={CHART.bar}
                height={failed}
                rx={1}
              />
              <text x={x + CHART.bar / 2} y={CHART.height + 14} text-anchor="middle">
                {nameOf(day.day)}
              </text>
            </g>
          )
        })}
      </svg>
    </>
  )
}
