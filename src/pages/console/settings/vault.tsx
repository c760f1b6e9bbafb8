/** Page: a vault's settings, API keys and webhooks. */

import type { Request, Response } from 'express'
import { parseOrRefuse } from '../../../contracts/check.ts'
import { patchVaultBody, vaultChangesOf } from '../../../contracts/vault.ts'
import type { ApiKey } from '../../../domain/access/api-key.ts'
import type { WebhookHealth } from '../../../domain/webhook/health.ts'
import { byOf } from '../../../http/address.ts'
import type { RouteDeps } from '../../../http/deps.ts'
import { requestAction } from '../../../use-cases/access/admin-action.ts'
import { logoPath } from '../../../use-cases/access/branding.ts'
import { listCommentTemplates } from '../../../use-cases/access/comment-templates.ts'
import {
  getVault,
  getVaultDetails,
  readVaultLimits,
  type VaultLimit,
} from '../../../use-cases/access/vaults.ts'
import { formEffect } from '../../../use-cases/effect.ts'
import { getWebhookSettings } from '../../../use-cases/webhooks/settings.ts'
import { testRegisteredUrl } from '../../../use-cases/webhooks/test-event.ts'
import { Button } from '../../components/button.tsx'
import { PostForm } from '../../components/form.tsx'
import type { Frame } from '../../components/layout.tsx'
import type { Sent } from '../../form-values.ts'
import { sendPage } from '../../response.tsx'
import type { TextName } from '../../texts/en.ts'
import { ageText } from '../queue.tsx'
import type { ConsoleVisit } from '../visit.ts'
import { momentOf } from '../words.ts'
import { sendRequested } from './actions.tsx'
import { CommentTemplates } from './comment-templates.tsx'
import { type FormState, labelOf, NEW_FORM, runForm, textOf } from './form.tsx'
import { BASE, Settings, Table } from './shell.tsx'
import { VaultFields, vaultBodyOf } from './vaults.tsx'

/** The page shows only the newest keys. The API returns all of them. */
const SHOWN_KEYS = 50

export async function showVault(
  deps: RouteDeps,
  visit: ConsoleVisit,
  id: string,
  res: Response,
  again: FormState = NEW_FORM,
): Promise<void> {
  const { t } = visit.frame
  const { vault, keys, webhooks } = await getVaultDetails(deps, id, SHOWN_KEYS)
  const limits = await readVaultLimits(deps, id)
  const { longRetries } = await getWebhookSettings(deps, id)
  const templates = await listCommentTemplates(deps, id)
  const logo = logoPath(vault)
  const base = `${BASE}/vaults/${id}`
  sendPage(
    res,
    again.status,
    <Settings visit={visit} section="vaults" title={vault.name} problems={again.problems}>
      <p>
        <code>{id}</code> · <a href={`${BASE}/audit?vault_id=${id}`}>{t('settings.itsAudit')}</a>
      </p>
      <section class="card" aria-labelledby="settings-title">
        <h2 id="settings-title">{t('settings.vault')}</h2>
        <PostForm visit={visit} action={base}>
          <VaultFields frame={visit.frame} again={again} vault={vault} />
          <Button>{t('settings.save')}</Button>
        </PostForm>
      </section>
      <section class="card" aria-labelledby="pages-title">
        <h2 id="pages-title">{t('settings.pages')}</h2>
        {logo ? (
          <p>
            <img class="logo" src={logo} alt={t('settings.logo')} />
          </p>
        ) : null}
        <p>
          <a href={`${base}/pages`}>{t('settings.pages.change')}</a> ·{' '}
          <a href={`${base}/preview`}>{t('settings.preview')}</a>
        </p>
      </section>
      <CommentTemplates frame={visit.frame} vaultId={id} templates={templates} />
      <section class="card" aria-labelledby="keys-title">
        <h2 id="keys-title">{t('settings.keys')}</h2>
        {keys.length === 0 ? <p class="quiet">{t('settings.keys.none')}</p> : null}
        {keys.length === 0 ? null : <Keys frame={visit.frame} keys={keys} />}
        <p>
          <a href={`${base}/api_keys`}>{t('settings.newKey')}</a>
        </p>
      </section>
      <section class="card" aria-labelledby="webhooks-title">
        <h2 id="webhooks-title">{t('settings.webhooks')}</h2>
        <p class="hint">{t('settings.webhooks.hint')}</p>
        <p>{t(longRetries ? 'settings.webhooks.longRetries' : 'settings.webhooks.shortRetries')}</p>
        {webhooks.length === 0 ? <p class="quiet">{t('settings.webhooks.none')}</p> : null}
        {webhooks.length === 0 ? null : <Webhooks visit={visit} base={base} health={webhooks} />}
      </section>
      <Limits frame={visit.frame} limits={limits} />
    </Settings>,
  )
}

interface LimitsProps {
  readonly frame: Frame
  readonly limits: readonly VaultLimit[]
}

/** Shows the limits of the deployment and the vault's usage. */
function Limits({ frame: { t, language }, limits }: LimitsProps) {
  const numbers = new Intl.NumberFormat(language)
  return (
    <section class="card" aria-labelledby="limits-title">
      <h2 id="limits-title">{t('settings.limits')}</h2>
      <p class="hint">{t('settings.limits.hint')}</p>
      <Table
        caption={t('settings.limits')}
        columns={['name', 'limit', 'used'].map((column) => t(`settings.limits.${column}` as TextName))}
        rows={limits.map(({ name, limit, used }) => ({
          key: name,
          cells: [
            t(`settings.limit.${name}` as TextName),
            numbers.format(limit),
            used === null ? '' : numbers.format(used),
          ],
        }))}
      />
    </section>
  )
}

export async function changeFromForm(
  deps: RouteDeps,
  visit: ConsoleVisit,
  id: string,
  req: Request,
  res: Response,
): Promise<void> {
  const sent = (req.body ?? {}) as Sent
  const refused = await runForm(visit.frame, sent, async () => {
    const body = parseOrRefuse(patchVaultBody, vaultBodyOf(sent, await getVault(deps, id)))
    const action = { kind: 'change_vault', vaultId: id, changes: vaultChangesOf(body) } as const
    const requested = await requestAction(deps, byOf(visit, req), action, formEffect(deps))
    sendRequested(visit, res, requested, () => res.redirect(303, `${BASE}/vaults/${id}`))
  })
  if (refused) await showVault(deps, visit, id, res, refused)
}

/** Sends a test event to a URL. This changes no data. */
export async function testFromForm(
  deps: RouteDeps,
  visit: ConsoleVisit,
  id: string,
  req: Request,
  res: Response,
): Promise<void> {
  const { t } = visit.frame
  const url = textOf((req.body ?? {}) as Sent, 'url') ?? ''
  const { statusCode, error, durationMs, excerpt } = await testRegisteredUrl(deps, id, url)
  const isAccepted = error === null
  const said = [
    statusCode === null ? error : t('settings.webhooks.answered', { status: String(statusCode) }),
    t('settings.webhooks.took', { ms: durationMs }),
  ]
  sendPage(
    res,
    200,
    <Settings visit={visit} section="vaults" title={t('settings.webhooks.tested')}>
      <p>
        <code>{url}</code>
      </p>
      <p>
        <span class={`status ${isAccepted ? 'good' : 'bad'}`}>
          {t(isAccepted ? 'settings.webhooks.taken' : 'settings.webhooks.notTaken')}
        </span>{' '}
        {said.join(' · ')}
      </p>
      {excerpt ? <p class="quiet">{excerpt}</p> : null}
      <p>
        <a href={`${BASE}/vaults/${id}`}>{t('settings.goOn')}</a>
      </p>
    </Settings>,
  )
}

function Keys({ frame, keys }: { frame: Frame; keys: readonly ApiKey[] }) {
  const { t } = frame
  const columns = ['key', 'roles', 'last_used_at', 'state'].map((column) => labelOf(t, column))
  const rows = keys.map((key) => ({
    key: key.id,
    cells: [
      <>
        <code>{key.prefix}…</code> {key.name}
      </>,
      key.roles.map((role) => labelOf(t, role)).join(', '),
      key.lastUsedAt === null ? t('settings.never') : momentOf(frame, key.lastUsedAt),
      <KeyState frame={frame} apiKey={key} />,
    ],
  }))
  return <Table caption={t('settings.keys')} columns={columns} rows={rows} />
}

function KeyState({ frame, apiKey: key }: { frame: Frame; apiKey: ApiKey }) {
  const { t } = frame
  if (key.revokedAt !== null) return <>{t('settings.revokedAt', { at: momentOf(frame, key.revokedAt) })}</>
  if (key.expiresAt !== null && key.expiresAt.getTime() < Date.now())
    return <>{t('settings.expiredAt', { at: momentOf(frame, key.expiresAt) })}</>
  return (
    <>
      {key.expiresAt === null ? null : (
        <>{t('settings.expiresAt', { at: momentOf(frame, key.expiresAt) })} · </>
      )}
      <a href={`${BASE}/api_keys/${key.id}/revoke`}>
        {t('settings.revoke')}
        <span class="unseen">: {key.prefix}</span>
      </a>
    </>
  )
}

interface WebhooksProps {
  readonly visit: ConsoleVisit
  readonly base: string
  readonly health: readonly WebhookHealth[]
}

function Webhooks({ visit, base, health }: WebhooksProps) {
  const { frame } = visit
  const { t } = frame
  const columns = ['topic', 'url', 'accepted', 'state', 'test'].map((column) => labelOf(t, column))
  const rows = health.map(({ topic, url, ...seen }) => ({
    key: `${topic} ${url}`,
    cells: [
      <code>{topic}</code>,
      url,
      seen.attempts === 0
        ? t('settings.webhooks.idle')
        : t('settings.webhooks.accepted', { accepted: seen.accepted, attempts: seen.attempts }),
      <>
        {seen.failingSince === null ? (
          <span class={`status ${seen.accepted > 0 ? 'good' : ''}`}>{t('settings.webhooks.fine')}</span>
        ) : (
          <span class="status bad">
            {t('settings.webhooks.failing', { age: ageText(frame, seen.failingSince) })}
          </span>
        )}
        {seen.oldestPendingAt === null ? null : (
          <> · {t('settings.webhooks.waiting', { age: ageText(frame, seen.oldestPendingAt) })}</>
        )}
      </>,
      <PostForm visit={visit} action={`${base}/webhook_tests`}>
        <input type="hidden" name="url" value={url} />
        <Button kind="link">
          {t('settings.webhooks.sendTest')}
          <span class="unseen">: {url}</span>
        </Button>
      </PostForm>,
    ],
  }))
  return <Table caption={t('settings.webhooks')} columns={columns} rows={rows} />
}
