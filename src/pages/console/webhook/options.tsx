/** Component: the options of a webhook URL, each with its own form. */

import type { ComponentChildren } from 'preact'
import { personOf } from '../../../domain/access/audit.ts'
import { TOPICS } from '../../../domain/base/topics.ts'
import { EVENTS } from '../../../domain/webhook/events.ts'
import type { WebhookUrl } from '../../../domain/webhook/url.ts'
import type { ShownUrl } from '../../../use-cases/webhooks/urls.ts'
import { Button, ButtonLink } from '../../components/button.tsx'
import { Chip } from '../../components/chip.tsx'
import { PostForm } from '../../components/form.tsx'
import { dayText } from '../../values/dates.ts'
import { Checkboxes, Input, TextArea } from '../settings/inputs.tsx'
import { NewId } from '../settings/parts.tsx'
import { wordOf } from '../words.ts'
import type { UrlAsk } from './ask.ts'

interface OptionsProps
  extends Pick<ShownUrl, 'url' | 'ca' | 'clientCertificate' | 'setters' | 'secretReplacedAt'> {
  readonly ask: UrlAsk
  readonly highestPerSecond: number
}

export function Options({
  ask,
  highestPerSecond,
  url,
  ca,
  clientCertificate,
  setters,
  secretReplacedAt,
}: OptionsProps) {
  const { frame, t, again, client } = ask
  const { name, topics, events, headerNames, paused, maxPerSecond } = url
  const none = <span class="quiet">{t('settings.webhook.none')}</span>
  const inputs = { frame, again }
  return (
    <dl class="card webhook-options">
      <Option ask={ask} label={t('settings.webhook.state')}>
        <Chip tone={paused ? 'warning' : 'success'} icon={paused ? 'clock' : 'check'}>
          {t(paused ? 'settings.webhook.paused' : 'settings.webhook.active')}
        </Chip>
      </Option>
      <Option
        ask={ask}
        label={t('settings.webhook.name')}
        act="name"
        form={<Input {...inputs} name="name" label={t('settings.webhook.name')} value={name} />}
      >
        {name ?? none}
      </Option>
      <Option ask={ask} label={t('settings.url')}>
        <code class="webhook-address">{url.url}</code>
      </Option>
      <Option
        ask={ask}
        label={t('settings.webhook.topics')}
        act="topics"
        form={
          client ? (
            <Checkboxes
              {...inputs}
              name="topics"
              options={TOPICS.map((value) => ({ value, label: value }))}
              chosen={topics}
              hint={t('settings.webhook.topics.hint')}
            />
          ) : null
        }
      >
        <Codes names={topics} />
      </Option>
      <Option
        ask={ask}
        label={t('settings.webhook.events')}
        act="events"
        form={
          <Checkboxes
            {...inputs}
            name="events"
            options={offeredEvents(url).map((value) => ({ value, label: value }))}
            chosen={events ?? []}
            hint={t('settings.webhook.events.hint')}
          />
        }
      >
        {events ? <Codes names={events} /> : t('settings.webhook.allEvents')}
      </Option>
      <Option
        ask={ask}
        label={t('settings.webhook.headers')}
        act="headers"
        edit={t('settings.webhook.headers.set')}
        form={
          <>
            <Input {...inputs} name="headers" required hint={t('settings.webhook.headers.hint')} />
            <Input {...inputs} name="header_value" type="password" required />
          </>
        }
      >
        {headerNames.length === 0 ? none : <HeaderNames ask={ask} url={url} setters={setters} />}
      </Option>
      <Option
        ask={ask}
        label={t('settings.webhook.rate')}
        act="max_per_second"
        form={
          <Input
            {...inputs}
            name="max_per_second"
            inputMode="numeric"
            value={maxPerSecond === null ? null : String(maxPerSecond)}
            hint={t('settings.webhook.rate.hint')}
          />
        }
      >
        {maxPerSecond === null ? none : t('settings.webhook.perSecond', { count: maxPerSecond })}{' '}
        {highestPerSecond > 0 ? (
          <span class="row-note">{t('settings.webhook.highest', { count: highestPerSecond })}</span>
        ) : null}
      </Option>
      <Option
        ask={ask}
        label={t('settings.ca')}
        act="ca"
        form={<Pem ask={ask} name="ca" hint={t('settings.webhook.ca.hint')} isOptional />}
      >
        {ca ? <Certificate ask={ask} {...ca} /> : none}
      </Option>
      <Option
        ask={ask}
        label={t('settings.client_certificate')}
        act="client_certificate"
        fields={['client_key']}
        form={
          <>
            <Pem ask={ask} name="client_certificate" hint={t('settings.webhook.client.hint')} isOptional />
            <Pem ask={ask} name="client_key" hint={t('settings.webhook.key.hint')} isOptional />
          </>
        }
      >
        {clientCertificate ? <Certificate ask={ask} {...clientCertificate} /> : none}
      </Option>
      <Option
        ask={ask}
        label={t('settings.webhook.secret')}
        act="secret"
        fields={['overlap_hours']}
        edit={t('settings.webhook.secret.replace')}
        save={t('settings.webhook.secret.replace')}
        form={
          client ? (
            <>
              <NewId again={again} />
              <p>{t('settings.webhook.secret.replace.text')}</p>
              <Input
                {...inputs}
                name="overlap_hours"
                inputMode="numeric"
                value="0"
                hint={t('settings.webhook.secret.overlap.hint')}
              />
            </>
          ) : null
        }
      >
        <Hidden />{' '}
        <span class="row-note">
          {secretReplacedAt
            ? t('settings.webhook.secret.replaced', { day: dayText(frame, secretReplacedAt) })
            : t('settings.webhook.secret.first')}
        </span>
      </Option>
      {client ? (
        <div class="webhook-option">
          <dt class="unseen">{t('settings.webhook.remove')}</dt>
          <dd class="webhook-edit">
            <details>
              <summary class="button button-danger">{t('settings.webhook.remove')}</summary>
              <PostForm visit={ask.visit} action={ask.path}>
                <p>{t('settings.webhook.remove.text')}</p>
                <Button kind="danger" name="act" value="remove">
                  {t('settings.webhook.remove')}
                </Button>
              </PostForm>
            </details>
          </dd>
        </div>
      ) : null}
    </dl>
  )
}

interface OptionProps {
  readonly ask: UrlAsk
  readonly label: string
  /** The action of the form, which is also the name of its main input. */
  readonly act?: string
  /** The names of the other inputs. */
  readonly fields?: readonly string[]
  readonly edit?: string
  readonly save?: string
  readonly form?: ComponentChildren
  /** The current value. */
  readonly children: ComponentChildren
}

function Option({ ask, label, act, fields = [], edit, save, form, children }: OptionProps) {
  const { visit, t, path, again, mayChange } = ask
  const isRefused = again.problems.some(({ field }) => field === act || fields.includes(field))
  return (
    <div class="webhook-option">
      <dt>{label}</dt>
      <dd>{children}</dd>
      {form && mayChange ? (
        <dd class="webhook-edit">
          <details open={isRefused}>
            <summary>
              {edit ?? t('settings.webhook.edit')}
              <span class="unseen">: {label}</span>
            </summary>
            <PostForm visit={visit} action={path}>
              {form}
              <div class="actions">
                <Button kind="secondary" name="act" value={act}>
                  {save ?? t('settings.save')}
                </Button>
              </div>
            </PostForm>
          </details>
        </dd>
      ) : null}
    </div>
  )
}

const Codes = ({ names }: { readonly names: readonly string[] }) => (
  <span class="webhook-codes">
    {names.map((name) => (
      <code key={name}>{name}</code>
    ))}
  </span>
)

/** The events of the URL's topics, and others that are already selected. */
export const offeredEvents = ({ topics, events }: WebhookUrl): string[] => {
  const known = Object.entries(EVENTS).flatMap(([name, { topic }]) => (topics.includes(topic) ? [name] : []))
  return [...new Set([...known, ...(events ?? [])])]
}

/** Stands for a secret value. */
const Hidden = () => <span aria-hidden="true">••••••••</span>

interface HeaderNamesProps extends Pick<ShownUrl, 'url' | 'setters'> {
  readonly ask: UrlAsk
}

const HeaderNames = ({ ask, url: { headerNames, headersSet }, setters }: HeaderNamesProps) => {
  const { frame, t, path, mayChange } = ask
  const setText = (name: string) => {
    const set = headersSet[name]
    if (!set) return null
    const day = dayText(frame, new Date(set.at))
    const [kind = ''] = set.by.split(':')
    // Clients do not see who of the operators set a header.
    if ('vaults' in ask.user && kind === 'operator') return t('settings.webhook.headers.on', { day })
    const by = setters.get(personOf(set.by) ?? '') ?? wordOf(frame, 'settings.actor', kind)
    return t('settings.webhook.headers.by', { by, day })
  }
  return (
    <>
      <ul class="webhook-headers">
        {headerNames.map((name) => (
          <li key={name}>
            <code>{name}</code> <Hidden /> <span class="row-note">{setText(name)}</span>
            {mayChange ? (
              <ButtonLink kind="link" href={`${path}?remove_header=${encodeURIComponent(name)}`}>
                {t('settings.webhook.headers.remove')}
                <span class="unseen">: {name}</span>
              </ButtonLink>
            ) : null}
          </li>
        ))}
      </ul>
      <p class="row-note">{t('settings.webhook.headers.secret')}</p>
    </>
  )
}

interface PemProps {
  readonly ask: UrlAsk
  readonly name: string
  readonly hint: string
  readonly isOptional: boolean
}

/** Renders an input for a text in PEM format. A script adds a button that reads a file. */
const Pem = ({ ask: { frame, t, again }, name, ...more }: PemProps) => (
  <>
    <TextArea frame={frame} again={again} name={name} value={null} rows={4} {...more} />
    <label class="webhook-file" hidden data-reads={name}>
      {t('settings.webhook.file')} <input type="file" accept=".pem,.crt,.cer,.key" />
    </label>
  </>
)

interface CertificateProps extends NonNullable<ShownUrl['ca']> {
  readonly ask: UrlAsk
}

const Certificate = ({ ask: { frame, t }, subject, validTo }: CertificateProps) => (
  <>
    {subject}{' '}
    <span class="row-note">{t('settings.webhook.validUntil', { day: dayText(frame, validTo) })}</span>
  </>
)
