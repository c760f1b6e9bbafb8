/** Components: the webhook URLs of a vault with their health, and a banner about those that fail. */
import { listFailing, type UrlUser, type UrlWithHealth } from '../../../use-cases/webhooks/urls.ts'
import { Banner } from '../../components/banner.tsx'
import { Chip } from '../../components/chip.tsx'
import { DataTable } from '../../components/data-table.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import type { Frame } from '../../components/layout.tsx'
import { sinceText } from '../age.ts'
import type { ConsoleRequest } from '../visit.ts'
import { topicsText } from '../words.ts'

/** Renders a banner with links to the failing URLs, or nothing if none has failed for an hour. */
export async function failingBanner(
  { deps, visit: { frame } }: Pick<ConsoleRequest, 'deps' | 'visit'>,
  user: UrlUser,
  base: string,
) {
  const failing = await listFailing(deps, user)
  if (failing.length === 0) return null
  return (
    <Banner tone="danger" title={frame.t('settings.webhooks.failingUrls', { count: failing.length })}>
      <ul class="webhook-failing">
        {failing.map(({ id, name, url }) => (
          <li key={id}>
            <a href={`${base}/${id}`}>{name ?? url}</a>
          </li>
        ))}
      </ul>
    </Banner>
  )
}

interface UrlTableProps {
  readonly frame: Frame
  readonly urls: readonly UrlWithHealth[]
  /** The address before the IDs of the URLs. */
  readonly base: string
  readonly none: string
}

export function UrlTable({ frame, frame: { t }, urls, base, none }: UrlTableProps) {
  if (urls.length === 0) return <EmptyState icon="webhook" text={none} />
  return (
    <DataTable
      class="queue"
      isLinked
      rows={urls}
      keyOf={({ id }) => id}
      columns={[
        {
          key: 'url',
          head: t('settings.url'),
          class: 'what',
          cell: ({ id, name, url, topics }) => (
            <span class="row-text">
              <a class="row-link webhook-address" href={`${base}/${id}`}>
                {name ?? url}
              </a>
              {name ? <span class="row-note webhook-address">{url}</span> : null}
              <span class="row-note">{topicsText(t, topics)}</span>
            </span>
          ),
        },
        {
          key: 'accepted',
          head: t('settings.accepted'),
          cell: ({ health }) => {
            const attempts = health.reduce((sum, each) => sum + each.attempts, 0)
            const accepted = health.reduce((sum, each) => sum + each.accepted, 0)
            return attempts === 0
              ? t('settings.webhooks.idle')
              : t('settings.webhooks.accepted', { accepted, attempts })
          },
        },
        {
          key: 'state',
          head: t('settings.webhook.state'),
          cell: (url) => <UrlState frame={frame} url={url} />,
        },
      ]}
    />
  )
}

const earliest = (dates: readonly (Date | null)[]): Date | null =>
  dates.reduce((found, date) => (date && (!found || date < found) ? date : found), null)

function UrlState({
  frame,
  url: { paused, health },
}: {
  readonly frame: Frame
  readonly url: UrlWithHealth
}) {
  const { t } = frame
  const failingSince = earliest(health.map((each) => each.failingSince))
  const oldestPendingAt = earliest(health.map((each) => each.oldestPendingAt))
  return (
    <span class="row-text">
      <span>
        {paused ? (
          <Chip tone="warning" icon="clock">
            {t('settings.webhook.paused')}
          </Chip>
        ) : failingSince ? (
          <Chip tone="danger" icon="circle-alert">
            {t('settings.webhooks.failing', { age: sinceText(frame, failingSince) })}
          </Chip>
        ) : (
          <Chip tone={health.some(({ accepted }) => accepted > 0) ? 'success' : 'neutral'}>
            {t('settings.webhooks.fine')}
          </Chip>
        )}
      </span>
      {oldestPendingAt ? (
        <span class="row-note">
          {t('settings.webhooks.waiting', { age: sinceText(frame, oldestPendingAt) })}
        </span>
      ) : null}
    </span>
  )
}
