/** Page: the webhooks of a vault and the result of a test event. */

import type { Request, Response } from 'express'
import { hasPermission } from '../../../domain/access/grant.ts'
import type { WebhookHealth } from '../../../domain/webhook/health.ts'
import type { RouteDeps } from '../../../http/deps.ts'
import { getVault } from '../../../use-cases/access/vaults.ts'
import { getWebhookHealth, getWebhookSettings } from '../../../use-cases/webhooks/settings.ts'
import { testRegisteredUrl } from '../../../use-cases/webhooks/test-event.ts'
import { Button, ButtonLink } from '../../components/button.tsx'
import { Chip } from '../../components/chip.tsx'
import { DataTable } from '../../components/data-table.tsx'
import { PostForm } from '../../components/form.tsx'
import type { Frame } from '../../components/layout.tsx'
import { sendPage } from '../../routing/response.tsx'
import type { Sent } from '../../values/form-values.ts'
import { ageText } from '../age.ts'
import type { ConsoleVisit } from '../visit.ts'
import { labelOf, textOf } from './form.tsx'
import { BASE, chooseVault, Settings } from './shell.tsx'

export async function showWebhooks(
  deps: RouteDeps,
  visit: ConsoleVisit,
  id: string,
  res: Response,
): Promise<void> {
  const { t } = visit.frame
  const vault = await getVault(deps, visit, 'read_settings', id)
  const { longRetries } = await getWebhookSettings(deps, visit, id)
  const health = await getWebhookHealth(deps, visit, id)
  sendPage(
    res,
    200,
    <Settings
      visit={visit}
      section="webhooks"
      vault={await chooseVault(deps, visit, vault)}
      title={t('settings.webhooks')}
      lead={t('settings.webhooks.hint')}
    >
      <p>{t(longRetries ? 'settings.webhooks.longRetries' : 'settings.webhooks.shortRetries')}</p>
      {health.length === 0 ? (
        <p class="card quiet">{t('settings.webhooks.none')}</p>
      ) : (
        <Webhooks visit={visit} vaultId={id} health={health} />
      )}
    </Settings>,
  )
}

interface WebhooksProps {
  readonly visit: ConsoleVisit
  readonly vaultId: string
  readonly health: readonly WebhookHealth[]
}

function Webhooks({ visit, vaultId, health }: WebhooksProps) {
  const { t } = visit.frame
  return (
    <DataTable
      rows={health}
      keyOf={({ topic, url }) => `${topic} ${url}`}
      columns={[
        {
          key: 'url',
          head: labelOf(t, 'url'),
          cell: ({ topic, url }) => (
            <>
              <code>{topic}</code>
              <br />
              {url}
            </>
          ),
        },
        {
          key: 'accepted',
          head: labelOf(t, 'accepted'),
          cell: ({ attempts, accepted }) =>
            attempts === 0
              ? t('settings.webhooks.idle')
              : t('settings.webhooks.accepted', { accepted, attempts }),
        },
        {
          key: 'state',
          head: labelOf(t, 'state'),
          cell: (each) => <WebhookState frame={visit.frame} health={each} />,
        },
        {
          key: 'test',
          head: labelOf(t, 'test'),
          isHidden: true,
          cell: ({ url }) =>
            hasPermission(visit, 'administer', vaultId) ? (
              <PostForm visit={visit} action={`${BASE}/vaults/${vaultId}/webhook_tests`}>
                <input type="hidden" name="url" value={url} />
                <Button kind="secondary" icon="send">
                  {t('settings.webhooks.sendTest')}
                  <span class="unseen">: {url}</span>
                </Button>
              </PostForm>
            ) : null,
        },
      ]}
    />
  )
}

function WebhookState({ frame, health }: { frame: Frame; health: WebhookHealth }) {
  const { t } = frame
  const { failingSince, accepted, oldestPendingAt } = health
  return (
    <>
      {failingSince !== null ? (
        <Chip tone="danger" icon="circle-alert">
          {t('settings.webhooks.failing', { age: ageText(frame, failingSince) })}
        </Chip>
      ) : accepted > 0 ? (
        <Chip tone="success" icon="check">
          {t('settings.webhooks.fine')}
        </Chip>
      ) : (
        <span class="quiet">{t('settings.webhooks.fine')}</span>
      )}
      {oldestPendingAt === null ? null : (
        <p class="row-note">{t('settings.webhooks.waiting', { age: ageText(frame, oldestPendingAt) })}</p>
      )}
    </>
  )
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
  const vault = await getVault(deps, visit, 'read_settings', id)
  const url = textOf((req.body ?? {}) as Sent, 'url') ?? ''
  const { statusCode, error, durationMs, excerpt } = await testRegisteredUrl(deps, visit, id, url)
  const isAccepted = error === null
  const said = [
    statusCode === null ? error : t('settings.webhooks.answered', { status: String(statusCode) }),
    t('settings.webhooks.took', { ms: durationMs }),
  ]
  sendPage(
    res,
    200,
    <Settings
      visit={visit}
      section="webhooks"
      vault={await chooseVault(deps, visit, vault)}
      title={t('settings.webhooks.tested')}
      lead={<code>{url}</code>}
    >
      <div class="card settings-card">
        <p class="actions">
          <Chip tone={isAccepted ? 'success' : 'danger'} icon={isAccepted ? 'check' : 'circle-alert'}>
            {t(isAccepted ? 'settings.webhooks.taken' : 'settings.webhooks.notTaken')}
          </Chip>
          <span>{said.join(' · ')}</span>
        </p>
        {excerpt ? <pre class="excerpt">{excerpt}</pre> : null}
        <div class="actions">
          <ButtonLink href={`${BASE}/vaults/${id}/webhooks`}>{t('settings.goOn')}</ButtonLink>
        </div>
      </div>
    </Settings>,
  )
}
