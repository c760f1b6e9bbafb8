/** Page: a webhook URL of a vault, its options, and sending its failed deliveries again. */
import { RequestRefused } from '../../../domain/base/errors.ts'
import { DEFAULT_RESEND_PER_SECOND, type Resend } from '../../../domain/webhook/resend.ts'
import type { WebhookUrl } from '../../../domain/webhook/url.ts'
import {
  changeRegisteredUrl,
  getRegisteredUrl,
  startRegisteredResend,
  stopRegisteredResend,
} from '../../../use-cases/webhooks/urls.ts'
import { Banner } from '../../components/banner.tsx'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { Chip } from '../../components/chip.tsx'
import { PostForm } from '../../components/form.tsx'
import { momentOf } from '../words.ts'
import { type Ask, mayAdminister, placeInVault, type Reply } from './ask.ts'
import { textOf } from './form.ts'
import { Input } from './inputs.tsx'
import { vaultPath } from './sections.ts'

export const urlPath = (vaultId: string, urlId: string): string =>
  `${vaultPath(vaultId, 'webhooks')}/${urlId}`

export async function webhookUrlPage(ask: Ask): Promise<Reply> {
  const { deps, visit, frame, t, id, urlId } = ask
  const place = await placeInVault(ask, 'webhooks')
  const { url, resend, failingSince } = await getRegisteredUrl(deps, visit, id, urlId)
  const mayChange = mayAdminister(ask, id)
  return {
    ...place,
    title: url.name ?? t('settings.webhook'),
    up: { href: vaultPath(id, 'webhooks'), name: 'settings.webhooks' },
    lead: <code>{url.url}</code>,
    tools: mayChange ? (
      <PostForm visit={visit} action={urlPath(id, urlId)}>
        <input type="hidden" name="paused" value={url.paused ? '' : 'yes'} />
        <Button kind="secondary">
          {t(url.paused ? 'settings.webhook.resume' : 'settings.webhook.pause')}
        </Button>
      </PostForm>
    ) : null,
    children: (
      <>
        {failingSince ? (
          <Banner tone="danger" title={t('settings.webhook.failing')}>
            {t('settings.webhook.failing.text', { at: momentOf(frame, failingSince) })}
          </Banner>
        ) : null}
        <div class="card settings-card">
          <Options ask={ask} url={url} />
        </div>
        <Card id="resend-title" title={t('settings.webhook.resend')}>
          <ResendForm ask={ask} resend={resend} mayChange={mayChange} />
        </Card>
      </>
    ),
  }
}

function Options({ ask: { t }, url }: { ask: Ask; url: WebhookUrl }) {
  const { topics, events, headerNames, paused, maxPerSecond } = url
  const codes = (names: readonly string[]) =>
    names.flatMap((name, n) => [n > 0 ? ', ' : null, <code key={name}>{name}</code>])
  return (
    <dl class="facts">
      <dt>{t('settings.webhook.state')}</dt>
      <dd>
        <Chip tone={paused ? 'warning' : 'success'} icon={paused ? 'clock' : 'check'}>
          {t(paused ? 'settings.webhook.paused' : 'settings.webhook.active')}
        </Chip>
      </dd>
      <dt>{t('settings.webhook.topics')}</dt>
      <dd>{codes(topics)}</dd>
      <dt>{t('settings.webhook.events')}</dt>
      <dd>{events ? codes(events) : t('settings.webhook.allEvents')}</dd>
      <dt>{t('settings.webhook.headers')}</dt>
      <dd>{headerNames.length > 0 ? codes(headerNames) : t('settings.webhook.none')}</dd>
      <dt>{t('settings.webhook.rate')}</dt>
      <dd>
        {maxPerSecond === null
          ? t('settings.webhook.none')
          : t('settings.webhook.perSecond', { count: maxPerSecond })}
      </dd>
    </dl>
  )
}

interface ResendProps {
  readonly ask: Ask
  readonly resend: Resend
  readonly mayChange: boolean
}

function ResendForm({ ask, resend, mayChange }: ResendProps) {
  const { visit, frame, t, id, urlId, again } = ask
  const { status, total, sent } = resend
  const path = urlPath(id, urlId)
  return (
    <>
      {status === 'none' ? null : (
        <p role="status">{t(`settings.webhook.resend.${status}`, { sent, total })}</p>
      )}
      {!mayChange ? null : status === 'running' ? (
        <PostForm visit={visit} action={`${path}/resend_stop`}>
          <Button kind="secondary">{t('settings.webhook.resend.stop')}</Button>
        </PostForm>
      ) : (
        <PostForm visit={visit} action={`${path}/resend`}>
          <Input
            frame={frame}
            again={again}
            name="since"
            type="date"
            required
            value={new Date().toISOString().slice(0, 10)}
            hint={t('settings.webhook.resend.hint')}
          />
          <div class="actions">
            <Button icon="send">{t('settings.webhook.resend.start')}</Button>
          </div>
        </PostForm>
      )}
    </>
  )
}

/** Pauses or resumes the URL. */
export async function changeWebhookUrl({ deps, visit, by, id, urlId, sent }: Ask): Promise<string> {
  const paused = textOf(sent, 'paused') === 'yes'
  await changeRegisteredUrl(deps, visit, by, id, urlId, { paused })
  return urlPath(id, urlId)
}

/** Starts to send the failed deliveries since a day in UTC again. */
export async function startUrlResend({ deps, visit, by, id, urlId, sent }: Ask): Promise<string> {
  const text = textOf(sent, 'since') ?? ''
  const since = new Date(/^\d{4}-\d{2}-\d{2}$/.test(text) ? text : Number.NaN)
  if (Number.isNaN(since.getTime()) || since.getTime() < 0)
    throw new RequestRefused({ code: 'invalid', field: 'since' })
  const asked = { since, perSecond: DEFAULT_RESEND_PER_SECOND }
  await startRegisteredResend(deps, visit, by, id, urlId, asked)
  return urlPath(id, urlId)
}

export async function stopUrlResend({ deps, visit, by, id, urlId }: Ask): Promise<string> {
  await stopRegisteredResend(deps, visit, by, id, urlId)
  return urlPath(id, urlId)
}
