/** Performs the actions of the page of a webhook URL. */
import type { z } from 'zod'
import { parseOrRefuse } from '../../../contracts/check.ts'
import { rotateWebhookSecretBody, topicList } from '../../../contracts/webhook.ts'
import { updateWebhookUrlBody, urlChangeOf } from '../../../contracts/webhook-url.ts'
import { RequestRefused } from '../../../domain/base/errors.ts'
import { type WebhookUrl, withoutQuery } from '../../../domain/webhook/url.ts'
import { onceEffect } from '../../../use-cases/base/effect.ts'
import { type RotatedSecret, rotateWebhookSecret } from '../../../use-cases/webhooks/settings.ts'
import { testRegisteredUrl } from '../../../use-cases/webhooks/test-event.ts'
import {
  getWebhookUrl,
  resendDelivery,
  setUrlTopics,
  updateWebhookUrl,
} from '../../../use-cases/webhooks/urls.ts'
import { ButtonLink } from '../../components/button.tsx'
import { Chip } from '../../components/chip.tsx'
import { tookText } from '../../values/durations.ts'
import type { Sent } from '../../values/form-values.ts'
import { flashAt, type ObjectNotice } from '../base/flash.ts'
import { chosenOf, idIn, listOf, textOf } from '../base/form.ts'
import { secretPage } from '../base/parts.tsx'
import { failureWords } from '../base/words.ts'
import type { UrlAsk, UrlHandler, UrlReply } from './ask.ts'

type Body = z.input<typeof updateWebhookUrlBody>

/** Returns the number in the text, or NaN, which the schema refuses, also for a number such as 1e3 or 0x10. */
const numberIn = (text: string | null) =>
  text === null ? null : /^\d+$/.test(text) ? Number(text) : Number.NaN

/** The changes of the forms in the format of the API, keyed by their action. */
const CHANGES: Readonly<Record<string, (sent: Sent) => Body>> = {
  pause: () => ({ paused: true }),
  resume: () => ({ paused: false }),
  name: (sent) => ({ name: textOf(sent, 'name') }),
  events: (sent) => {
    const events = listOf(sent, 'events')
    return { events: events.length > 0 ? events : null }
  },
  headers: (sent) => ({ headers: { [textOf(sent, 'headers') ?? '']: textOf(sent, 'header_value') ?? '' } }),
  remove_header: (sent) => ({ headers: { [textOf(sent, 'header') ?? '']: null } }),
  max_per_second: (sent) => ({ max_per_second: numberIn(textOf(sent, 'max_per_second')) }),
  ca: (sent) => ({ ca: textOf(sent, 'ca') }),
  client_certificate: (sent) => {
    const client_certificate = textOf(sent, 'client_certificate')
    const client_key = textOf(sent, 'client_key')
    // Without a certificate and a key, both are removed.
    return client_certificate === null && client_key === null
      ? { client_certificate: null }
      : { client_certificate: client_certificate ?? undefined, client_key: client_key ?? undefined }
  },
}

const ACTIONS: Readonly<Record<string, UrlHandler>> = {
  test: testPage,
  async topics(ask) {
    await changeTopics(ask, listOf(ask.sent, 'topics'))
    return flashAt(ask.deps, ask.res, ask.path, 'urlSaved', await nameOf(ask))
  },
  async events(ask) {
    const { url } = await getWebhookUrl(ask.deps, ask.user, ask.urlId)
    const topics = ask.client && chosenOf(ask.sent, 'topics', url.topics)
    if (topics) await changeTopics(ask, topics)
    return changeOptions(ask, 'events')
  },
  async remove(ask) {
    const name = await nameOf(ask)
    await saveTopics(ask, [])
    return flashAt(ask.deps, ask.res, ask.base, 'urlRemoved', name)
  },
  secret: replaceSecret,
  async retry(ask) {
    const { deps, res, user, by, urlId, path, sent } = ask
    await resendDelivery(deps, user, by, urlId, textOf(sent, 'delivery') ?? '')
    return flashAt(deps, res, path, 'eventResent', await nameOf(ask))
  },
}

/** The notices of the forms that do not change the URL in general. */
const NOTICES: Readonly<Record<string, ObjectNotice>> = {
  pause: 'urlPaused',
  resume: 'urlResumed',
  headers: 'headerSet',
  remove_header: 'headerRemoved',
}

/** Returns the name of the URL, or its address without the query, which can contain secrets. */
const urlName = ({ name, url }: WebhookUrl): string => name ?? withoutQuery(url)

export const nameOf = async ({ deps, user, urlId }: UrlAsk): Promise<string> =>
  urlName((await getWebhookUrl(deps, user, urlId)).url)

const saveTopics = ({ deps, client, by, urlId }: UrlAsk, given: readonly string[]) => {
  if (client === null) throw new RequestRefused({ code: 'not_found' })
  return setUrlTopics(deps, client, by, urlId, parseOrRefuse(topicList, given))
}

async function changeTopics(ask: UrlAsk, given: readonly string[]): Promise<void> {
  if (given.length === 0) throw new RequestRefused({ code: 'invalid', field: 'topics' })
  await saveTopics(ask, given)
}

export async function runUrlAction(ask: UrlAsk): Promise<UrlReply> {
  const act = textOf(ask.sent, 'act') ?? ''
  const run = Object.hasOwn(ACTIONS, act) ? ACTIONS[act] : undefined
  return run ? run(ask) : changeOptions(ask, act)
}

async function changeOptions({ deps, res, user, by, urlId, path, sent }: UrlAsk, act: string) {
  const changed = Object.hasOwn(CHANGES, act) ? CHANGES[act] : undefined
  if (!changed) throw new RequestRefused({ code: 'invalid', field: 'act' })
  const change = urlChangeOf(parseOrRefuse(updateWebhookUrlBody, changed(sent)))
  const url = await updateWebhookUrl(deps, user, by, urlId, change)
  const [header] = Object.keys(change.headers ?? {})
  return flashAt(deps, res, path, NOTICES[act] ?? 'urlSaved', header ?? urlName(url))
}

async function replaceSecret(ask: UrlAsk): Promise<UrlReply> {
  const { deps, t, client, by, path, sent } = ask
  if (client === null) throw new RequestRefused({ code: 'not_found' })
  // The page of an unknown URL has no form.
  await nameOf(ask)
  const given = { overlap_hours: numberIn(textOf(sent, 'overlap_hours')) ?? 0 }
  const { overlap_hours: hours } = parseOrRefuse(rotateWebhookSecretBody, given)
  const effect = onceEffect<RotatedSecret>(deps, by, idIn(sent))
  const { secret } = await rotateWebhookSecret(deps, client, by, undefined, hours, effect)
  return secretPage(ask, {
    title: t('settings.webhook.secret.new'),
    label: 'settings.webhook.secret',
    text: 'settings.webhook.secret.new.text',
    secret,
    done: 'settings.copied.secret',
    next: path,
  })
}

async function testPage(ask: UrlAsk): Promise<UrlReply> {
  const { deps, frame, t, user, urlId, path } = ask
  const { statusCode, error, durationMs, excerpt } = await testRegisteredUrl(deps, user, urlId)
  const isAccepted = error === null
  const said = [
    statusCode === null
      ? error && failureWords(frame, error)
      : t('settings.webhooks.answered', { status: String(statusCode) }),
    tookText(frame.language, durationMs),
  ]
  return {
    title: t('settings.webhooks.tested'),
    children: (
      <div class="card settings-card">
        <p class="actions">
          <Chip tone={isAccepted ? 'success' : 'danger'} icon={isAccepted ? 'check' : 'circle-alert'}>
            {t(isAccepted ? 'settings.webhooks.taken' : 'settings.webhooks.notTaken')}
          </Chip>
          <span>{said.join(' · ')}</span>
        </p>
        {excerpt ? <pre class="excerpt">{excerpt}</pre> : null}
        <div class="actions">
          <ButtonLink href={path}>{t('settings.webhook.back')}</ButtonLink>
        </div>
      </div>
    ),
  }
}
