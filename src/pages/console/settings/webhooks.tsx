/** Page: the webhooks of a vault and the result of a test event. */
import type { WebhookHealth } from '../../../domain/webhook/health.ts'
import { getWebhookHealth, getWebhookSettings } from '../../../use-cases/webhooks/settings.ts'
import { testRegisteredUrl } from '../../../use-cases/webhooks/test-event.ts'
import { Button } from '../../components/button.tsx'
import { Chip } from '../../components/chip.tsx'
import { PostForm } from '../../components/form.tsx'
import { ageText } from '../age.ts'
import { FailingChip, TestResult } from '../webhook-parts.tsx'
import { type Ask, mayAdminister, placeInVault, type Reply } from './ask.ts'
import { textOf } from './form.ts'
import { List } from './parts.tsx'
import { vaultPath } from './sections.ts'
import { urlPath } from './webhook-url.tsx'

export async function webhooksPage(ask: Ask): Promise<Reply> {
  const { deps, visit, t, id } = ask
  const place = await placeInVault(ask, 'webhooks')
  const { longRetries } = await getWebhookSettings(deps, visit, id)
  const health = await getWebhookHealth(deps, visit, id)
  return {
    ...place,
    title: t('settings.webhooks'),
    lead: t('settings.webhooks.hint'),
    children: (
      <>
        <p>{t(longRetries ? 'settings.webhooks.longRetries' : 'settings.webhooks.shortRetries')}</p>
        <List
          ask={ask}
          rows={health}
          keyOf={({ topic, url }) => `${topic} ${url}`}
          none="settings.webhooks.none"
          icon="webhook"
          columns={[
            {
              key: 'url',
              cell: ({ id: urlId, topic, url }) => (
                <>
                  <code>{topic}</code>
                  <br />
                  <a href={urlPath(id, urlId)}>{url}</a>
                </>
              ),
            },
            {
              key: 'accepted',
              cell: ({ attempts, accepted }) =>
                attempts === 0
                  ? t('settings.webhooks.idle')
                  : t('settings.webhooks.accepted', { accepted, attempts }),
            },
            { key: 'state', cell: (each) => <WebhookState ask={ask} health={each} /> },
            {
              key: 'test',
              isHidden: true,
              cell: ({ url }) =>
                mayAdminister(ask, id) ? (
                  <PostForm visit={visit} action={`${vaultPath(id)}/webhook_tests`}>
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
      </>
    ),
  }
}

function WebhookState({ ask: { frame, t }, health }: { ask: Ask; health: WebhookHealth }) {
  const { failingSince, accepted, oldestPendingAt } = health
  return (
    <>
      {failingSince !== null ? (
        <FailingChip frame={frame} since={failingSince} />
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

/** Sends a test event to a URL, and returns the result. This changes no data. */
export async function testWebhook(ask: Ask): Promise<Reply> {
  const { deps, visit, frame, t, id, sent } = ask
  const place = await placeInVault(ask, 'webhooks')
  const url = textOf(sent, 'url') ?? ''
  const result = await testRegisteredUrl(deps, visit, id, url)
  return {
    ...place,
    title: t('settings.webhooks.tested'),
    lead: <code>{url}</code>,
    children: (
      <TestResult frame={frame} result={result} back={vaultPath(id, 'webhooks')} class="settings-card" />
    ),
  }
}
