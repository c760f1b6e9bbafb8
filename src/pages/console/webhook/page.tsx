/** Page: a webhook URL with its options and deliveries. */
import type { UrlWeek } from '../../../domain/webhook/log.ts'
import { type WebhookUrl, withoutQuery } from '../../../domain/webhook/url.ts'
import { getWebhookUrl, listUrlDeliveries } from '../../../use-cases/webhooks/urls.ts'
import { Banner } from '../../components/banner.tsx'
import { Button } from '../../components/button.tsx'
import { Chip } from '../../components/chip.tsx'
import { PostForm } from '../../components/form.tsx'
import { Menu } from '../../components/menu.tsx'
import type { PageContent } from '../base/ask.ts'
import { confirmationPage } from '../base/parts.tsx'
import { momentOf } from '../base/words.ts'
import type { UrlAsk } from './ask.ts'
import { Deliveries, PER_PAGE, readFilter } from './deliveries.tsx'
import { UrlState } from './list.tsx'
import { Options } from './options.tsx'

export async function urlPage(ask: UrlAsk): Promise<PageContent> {
  const { deps, frame, t, user, by, urlId, page, req, mayChange, client } = ask
  const shown = await getWebhookUrl(deps, user, urlId)
  const { url, resend, failingSince, maxAttempts } = shown
  const header = url.headerNames.find((each) => each === req.query.remove_header)
  if (mayChange && header !== undefined) return askToRemoveHeader(ask, header)
  if (client && req.query.remove !== undefined) return askToRemove(ask, url)
  const filter = readFilter(req.query)
  const range = { page, per_page: PER_PAGE }
  const { week, ...listed } = await listUrlDeliveries(deps, user, by, urlId, filter, range)
  return {
    title: url.name ?? t('settings.webhook'),
    count: (
      <UrlState frame={frame} paused={url.paused} failingSince={failingSince}>
        <Chip tone="success" icon="check">
          {t('settings.webhook.active')}
        </Chip>
      </UrlState>
    ),
    lead: <Week ask={ask} week={week} />,
    tools: mayChange ? <Tools ask={ask} url={url} /> : null,
    children: (
      <>
        {failingSince ? (
          <Banner tone="danger" title={t('settings.webhook.failing')}>
            {t('settings.webhook.failing.text', { at: momentOf(frame, failingSince) })}
          </Banner>
        ) : null}
        <Options ask={ask} shown={{ ...shown, highestPerSecond: week.highestPerSecond }} />
        <Deliveries {...{ ask, url, filter, resend, maxAttempts }} {...listed} />
      </>
    ),
  }
}

/** Shows how many deliveries of the last seven days arrived. */
function Week({ ask: { t }, week: { delivered, failed, isPartial } }: { ask: UrlAsk; week: UrlWeek }) {
  const total = delivered + failed
  if (total === 0) return <span class="quiet">{t('settings.webhook.week.none')}</span>
  return <>{t(isPartial ? 'settings.webhook.week.newest' : 'settings.webhook.week', { delivered, total })}</>
}

const askToRemoveHeader = (ask: UrlAsk, header: string): PageContent =>
  confirmationPage(ask, {
    title: ask.t('settings.webhook.headers.remove.title', { header }),
    text: 'settings.webhook.headers.remove.text',
    action: ask.path,
    values: { act: 'remove_header', header },
    press: 'settings.webhook.headers.remove',
    back: ask.path,
  })

const askToRemove = (ask: UrlAsk, { name, url }: WebhookUrl): PageContent =>
  confirmationPage(ask, {
    title: ask.t('settings.webhook.remove.title', { name: name ?? withoutQuery(url) }),
    text: 'settings.webhook.remove.text',
    action: ask.path,
    values: { act: 'remove' },
    press: 'settings.webhook.remove',
    back: ask.path,
  })

/** Renders the buttons that act on the whole URL. */
const Tools = ({ ask: { visit, t, path, client }, url: { paused } }: { ask: UrlAsk; url: WebhookUrl }) => (
  <PostForm visit={visit} action={path} class="actions webhook-tools">
    <Button kind="secondary" icon="send" name="act" value="test">
      {t('settings.webhooks.sendTest')}
    </Button>
    <Button kind="secondary" name="act" value={paused ? 'resume' : 'pause'}>
      {t(paused ? 'settings.webhook.resume' : 'settings.webhook.pause')}
    </Button>
    {client ? (
      <Menu label={t('console.more')} kind="secondary">
        <a href={`${path}?remove=yes`}>{t('settings.webhook.remove')}</a>
      </Menu>
    ) : null}
  </PostForm>
)
