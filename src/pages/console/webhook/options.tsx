/** Component: the options of a webhook URL, as a table. Each has its own form. */
import type { ComponentChildren } from 'preact'
import { personOf } from '../../../domain/access/audit.ts'
import { TOPICS } from '../../../domain/base/topics.ts'
import { EVENTS } from '../../../domain/webhook/events.ts'
import type { WebhookUrl } from '../../../domain/webhook/url.ts'
import type { ShownUrl } from '../../../use-cases/webhooks/urls.ts'
import { Button, ButtonLink } from '../../components/button.tsx'
import { PostForm } from '../../components/form.tsx'
import type { TextName } from '../../texts/index.ts'
import { dayText } from '../../values/dates.ts'
import { type Field, NEW_FORM, toOptions } from '../base/form.ts'
import { FileInput, Inputs, TextArea } from '../base/inputs.tsx'
import { InitialValues, NewId } from '../base/parts.tsx'
import { topicsText, topicText, wordOf } from '../base/words.ts'
import type { UrlAsk } from './ask.ts'

interface Shown extends Pick<ShownUrl, 'url' | 'ca' | 'clientCertificate' | 'setters' | 'secretReplacedAt'> {
  readonly highestPerSecond: number
}

interface OptionRow {
  readonly label: TextName
  /** Returns the current value, or null if there is none. */
  readonly value: (shown: Shown, ask: UrlAsk) => ComponentChildren
  /** The action of the form. Problems name it or one of the inputs. */
  readonly act?: string
  readonly isOfClient?: boolean
  /** True if few URLs need the option. */
  readonly isRare?: boolean
  readonly lead?: (ask: UrlAsk, url: WebhookUrl) => ComponentChildren
  readonly fields?: readonly Field<WebhookUrl>[]
  /** The inputs before these that only clients have. */
  readonly clientFields?: readonly Field<WebhookUrl>[]
  /** The hints of the inputs for texts in PEM format, by name. */
  readonly pemHints?: Readonly<Record<string, TextName>>
  readonly edit?: TextName
  readonly save?: TextName
}

const OPTIONS: readonly OptionRow[] = [
  {
    label: 'settings.webhook.name',
    value: ({ url }) => url.name,
    act: 'name',
    fields: [{ name: 'name', value: ({ name }) => name }],
  },
  {
    label: 'settings.url',
    value: ({ url }, { t, client }) => (
      <>
        <code class="webhook-address">
          {url.url.split(/(?<=[^/]\/)(?!\/)/).flatMap((part) => [part, <wbr key={part} />])}
        </code>
        {client ? <p class="row-note">{t('settings.webhook.another')}</p> : null}
      </>
    ),
  },
  {
    label: 'settings.webhook.events',
    value: ({ url: { topics, events } }, { t }) => (
      <>
        {events ? (
          <Codes names={events} />
        ) : (
          <>
            {t('settings.webhook.allEvents')}
            <p class="row-note">{t('settings.webhook.topics', { topics: topicsText(t, topics) })}</p>
          </>
        )}
      </>
    ),
    act: 'events',
    lead: ({ client, again }, { topics }) =>
      client ? <InitialValues again={again} values={{ topics }} /> : null,
    clientFields: [
      {
        name: 'topics',
        choose: 'some',
        options: (t) => toOptions(TOPICS, (topic) => topicText(t, topic)),
        value: ({ topics }) => topics,
        hint: 'settings.webhook.topics.hint',
      },
    ],
    fields: [
      {
        name: 'events',
        choose: 'some',
        options: (_, url) => toOptions(offeredEvents(url), String),
        value: ({ events }) => events,
        hint: 'settings.webhook.events.hint',
      },
    ],
  },
  {
    label: 'settings.webhook.headers',
    value: ({ url, setters }, ask) =>
      url.headerNames.length === 0 ? null : <HeaderNames ask={ask} url={url} setters={setters} />,
    act: 'headers',
    edit: 'settings.webhook.headers.set',
    fields: [
      { name: 'headers', value: () => null, isRequired: true, hint: 'settings.webhook.headers.hint' },
      { name: 'header_value', value: () => null, isRequired: true, type: 'password' },
    ],
  },
  {
    label: 'settings.webhook.rate',
    value: ({ url: { maxPerSecond }, highestPerSecond }, { t }) => (
      <>
        {maxPerSecond === null ? <None t={t} /> : t('settings.webhook.perSecond', { count: maxPerSecond })}
        {highestPerSecond > 0 ? (
          <p class="row-note">{t('settings.webhook.highest', { count: highestPerSecond })}</p>
        ) : null}
      </>
    ),
    act: 'max_per_second',
    fields: [
      {
        name: 'max_per_second',
        inputMode: 'numeric',
        value: ({ maxPerSecond }) => maxPerSecond,
        hint: 'settings.webhook.rate.hint',
      },
    ],
  },
  {
    label: 'settings.ca',
    value: ({ ca }, ask) =>
      ca ? <Certificate ask={ask} {...ca} /> : <span class="quiet">{ask.t('settings.webhook.ca.none')}</span>,
    act: 'ca',
    isRare: true,
    pemHints: { ca: 'settings.webhook.ca.hint' },
  },
  {
    label: 'settings.client_certificate',
    value: ({ clientCertificate }, ask) =>
      clientCertificate && <Certificate ask={ask} {...clientCertificate} />,
    act: 'client_certificate',
    isRare: true,
    pemHints: { client_certificate: 'settings.webhook.client.hint', client_key: 'settings.webhook.key.hint' },
  },
  {
    label: 'settings.webhook.secret',
    value: ({ secretReplacedAt }, { frame, t }) => (
      <>
        <Hidden />
        <p class="row-note">
          {secretReplacedAt
            ? `${t('settings.webhook.secret.replaced', { day: dayText(frame, secretReplacedAt) })} · `
            : null}
          {t('settings.webhook.secret.all')}
        </p>
      </>
    ),
    act: 'secret',
    isOfClient: true,
    edit: 'settings.webhook.replace',
    save: 'settings.webhook.secret.replace',
    lead: ({ t, again }) => (
      <>
        <NewId again={again} />
        <p>{t('settings.webhook.secret.replace.text')}</p>
      </>
    ),
    fields: [
      {
        name: 'overlap_hours',
        inputMode: 'numeric',
        value: () => '24',
        hint: 'settings.webhook.secret.overlap.hint',
      },
    ],
  },
]

export function Options({ ask, shown }: { readonly ask: UrlAsk; readonly shown: Shown }) {
  const { ca, clientCertificate } = shown
  const isOpen =
    ca !== null || clientCertificate !== null || OPTIONS.some((row) => row.isRare && isWrong(ask, row))
  const rows = (isRare: boolean) => (
    <dl>
      {OPTIONS.filter((row) => (row.isRare ?? false) === isRare).map((row) => (
        <Option key={row.label} ask={ask} shown={shown} row={row} />
      ))}
    </dl>
  )
  return (
    <div class="card webhook-options">
      {rows(false)}
      <details class="webhook-more" open={isOpen}>
        <summary>{ask.t('settings.webhook.certificates')}</summary>
        {rows(true)}
      </details>
    </div>
  )
}

/** Returns whether a problem names the action or an input of the option. */
function isWrong({ again }: UrlAsk, row: OptionRow): boolean {
  const { act, fields = [], clientFields = [], pemHints = {} } = row
  const inputs = [act, ...[...clientFields, ...fields].map(({ name }) => name), ...Object.keys(pemHints)]
  return again.problems.some(({ field }) => inputs.includes(field))
}

function Option({ ask, shown, row }: { ask: UrlAsk; shown: Shown; row: OptionRow }) {
  const { visit, t, path, mayChange, client } = ask
  const { act, isOfClient, lead, fields = [], clientFields = [], pemHints = {}, edit, save } = row
  const isOpen = isWrong(ask, row)
  // The form of another option has other values.
  const own = isOpen ? ask : { ...ask, again: NEW_FORM }
  return (
    <div class="webhook-option">
      <dt>{t(row.label)}</dt>
      <dd>{row.value(shown, ask) ?? <None t={t} />}</dd>
      {act && mayChange && (client || !isOfClient) ? (
        <dd class="webhook-edit">
          <details open={isOpen}>
            <summary>
              {t(edit ?? 'settings.webhook.edit')}
              <span class="unseen">: {t(row.label)}</span>
            </summary>
            <PostForm visit={visit} action={path}>
              {lead?.(own, shown.url)}
              <Inputs ask={own} fields={[...(client ? clientFields : []), ...fields]} object={shown.url} />
              {Object.entries(pemHints).map(([name, hint]) => (
                <Pem key={name} ask={own} name={name} hint={t(hint)} />
              ))}
              <div class="actions">
                <Button kind="secondary" name="act" value={act}>
                  {t(save ?? 'settings.save')}
                </Button>
              </div>
            </PostForm>
          </details>
        </dd>
      ) : null}
    </div>
  )
}

const None = ({ t }: Pick<UrlAsk, 't'>) => <span class="quiet">{t('settings.webhook.none')}</span>

const Codes = ({ names }: { readonly names: readonly string[] }) => (
  <span class="webhook-codes">
    {names.map((name) => (
      <code key={name} class="chip">
        {name}
      </code>
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

/** Renders an input for a text in PEM format. A script adds a button that reads a file. */
const Pem = ({ ask: { frame, t, again }, name, hint }: { ask: UrlAsk; name: string; hint: string }) => (
  <>
    <TextArea frame={frame} again={again} name={name} hint={hint} value={null} rows={4} isOptional />
    <div hidden data-reads={name}>
      <FileInput choose={t('settings.webhook.file')} id={`${name}_file`} accept=".pem,.crt,.cer,.key" />
    </div>
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
