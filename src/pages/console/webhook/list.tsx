/** Components: the webhook URLs of a vault with their health, and a banner about those that fail. */
import type { ComponentChildren } from 'preact'
import { listFailing, type UrlUser, type UrlWithHealth } from '../../../use-cases/webhooks/urls.ts'
import { Banner } from '../../components/banner.tsx'
import { Chip } from '../../components/chip.tsx'
import type { Frame } from '../../components/layout.tsx'
import type { TextName } from '../../texts/index.ts'
import { sinceText } from '../base/age.ts'
import type { FormAsk } from '../base/ask.ts'
import { List } from '../base/parts.tsx'
import type { ConsoleRequest } from '../base/visit.ts'
import { topicsText } from '../base/words.ts'

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
  readonly ask: FormAsk
  readonly urls: readonly UrlWithHealth[]
  /** The address before the IDs of the URLs. */
  readonly base: string
  /** The text and the button of an empty list. */
  readonly none: TextName
  readonly action?: ComponentChildren
}

export const UrlTable = ({ ask, ask: { frame, t }, urls, base, none, action }: UrlTableProps) => (
  <List
    ask={ask}
    class="queue"
    isLinked
    rows={urls}
    keyOf={({ id }) => id}
    none={none}
    icon="webhook"
    action={action}
    columns={[
      {
        key: 'url',
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
        head: 'settings.webhook.state',
        cell: ({ paused, health }) => {
          const oldestPendingAt = earliest(health.map((each) => each.oldestPendingAt))
          return (
            <span class="row-text">
              <span>
                <UrlState
                  frame={frame}
                  paused={paused}
                  failingSince={earliest(health.map((each) => each.failingSince))}
                >
                  <Chip tone={health.some(({ accepted }) => accepted > 0) ? 'success' : 'neutral'}>
                    {t('settings.webhooks.fine')}
                  </Chip>
                </UrlState>
              </span>
              {oldestPendingAt ? (
                <span class="row-note">
                  {t('settings.webhooks.waiting', { age: sinceText(frame, oldestPendingAt) })}
                </span>
              ) : null}
            </span>
          )
        },
      },
    ]}
  />
)

const earliest = (dates: readonly (Date | null)[]): Date | null =>
  dates.reduce((found, date) => (date && (!found || date < found) ? date : found), null)

interface UrlStateProps {
  readonly frame: Frame
  readonly paused: boolean
  readonly failingSince: Date | null
  /** The chip of a URL that is neither paused nor failing. */
  readonly children: ComponentChildren
}

export function UrlState({ frame, paused, failingSince, children }: UrlStateProps) {
  const { t } = frame
  if (paused)
    return (
      <Chip tone="warning" icon="clock">
        {t('settings.webhook.paused')}
      </Chip>
    )
  if (!failingSince) return children
  return (
    <Chip tone="danger" icon="circle-alert">
      {t('settings.webhooks.failing', { age: sinceText(frame, failingSince) })}
    </Chip>
  )
}
