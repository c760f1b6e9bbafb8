/** Page: sending all failed deliveries of a webhook URL again, with its progress. */
import { parseOrRefuse } from '../../../contracts/check.ts'
import { resendBody } from '../../../contracts/webhook-url.ts'
import { RequestRefused } from '../../../domain/base/errors.ts'
import { timeOf } from '../../../domain/base/unix-time.ts'
import { DEFAULT_RESEND_PER_SECOND, type Resend } from '../../../domain/webhook/resend.ts'
import { getWebhookUrl, startResend, stopResend } from '../../../use-cases/webhooks/urls.ts'
import { Button } from '../../components/button.tsx'
import { PostForm } from '../../components/form.tsx'
import { isoDay } from '../../values/dates.ts'
import { flashAt } from '../base/flash.ts'
import { textOf } from '../base/form.ts'
import { Input } from '../base/inputs.tsx'
import { nameOf } from './actions.tsx'
import type { UrlAsk, UrlReply } from './ask.ts'

export async function resendPage(ask: UrlAsk): Promise<UrlReply> {
  const { deps, t, user, urlId, path } = ask
  const { url, resend } = await getWebhookUrl(deps, user, urlId)
  const { status, sent, total, perSecond } = resend
  const isRunning = status === 'running'
  return {
    title: t('settings.webhook.resend'),
    lead: <code class="webhook-address">{url.url}</code>,
    children: (
      <div class="card card-body webhook-resend" {...(isRunning && { 'data-refresh': '' })}>
        {status === 'none' ? null : (
          <>
            <p role="status">{t(`settings.webhook.resend.${status}`, { sent, total })}</p>
            {total > 0 ? (
              <progress max={total} value={sent} aria-label={t('settings.webhook.resend.progress')} />
            ) : null}
          </>
        )}
        {isRunning ? (
          <p class="quiet">
            {t(url.paused ? 'settings.webhook.resend.paused' : 'settings.webhook.resend.rate', {
              count: perSecond ?? 0,
            })}
          </p>
        ) : null}
        {ask.mayChange ? isRunning ? <Stop ask={ask} /> : <Start ask={ask} last={resend} /> : null}
        <p>
          <a href={path}>{t('settings.webhook.back')}</a>
        </p>
      </div>
    ),
  }
}

const Stop = ({ ask: { visit, t, path } }: { readonly ask: UrlAsk }) => (
  <PostForm visit={visit} action={`${path}/resend`}>
    <Button kind="secondary" name="act" value="stop">
      {t('settings.webhook.resend.stop')}
    </Button>
  </PostForm>
)

/** Renders the form with the values of the last resending, which may have been stopped. */
const Start = ({ ask: { visit, frame, t, path, again }, last }: { ask: UrlAsk; last: Resend }) => (
  <PostForm visit={visit} action={`${path}/resend`}>
    <Input
      {...{ frame, again }}
      name="since"
      type="date"
      required
      value={isoDay(last.since ?? new Date())}
      hint={t('settings.webhook.resend.hint')}
    />
    <Input
      {...{ frame, again }}
      name="per_second"
      inputMode="numeric"
      required
      value={String(last.perSecond ?? DEFAULT_RESEND_PER_SECOND)}
      hint={t('settings.webhook.resend.rate.hint')}
    />
    <div class="actions">
      <Button icon="send">{t('settings.webhook.resend.start')}</Button>
    </div>
  </PostForm>
)

/** Starts or stops to send the failed deliveries since a day in UTC again. */
export async function runResend(ask: UrlAsk): Promise<UrlReply> {
  const { deps, res, user, by, urlId, path, sent } = ask
  const page = `${path}/resend`
  if (sent.act === 'stop') {
    await stopResend(deps, user, by, urlId)
    return flashAt(deps, res, page, 'resendStopped', await nameOf(ask))
  }
  const day = textOf(sent, 'since') ?? ''
  const since = /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(day) / 1_000 : Number.NaN
  if (!Number.isInteger(since)) throw new RequestRefused({ code: 'invalid', field: 'since' })
  const given = parseOrRefuse(resendBody, { since, per_second: Number(textOf(sent, 'per_second')) })
  const asked = { since: timeOf(given.since), perSecond: given.per_second }
  await startResend(deps, user, by, urlId, asked)
  return flashAt(deps, res, page, 'resendStarted', await nameOf(ask))
}
