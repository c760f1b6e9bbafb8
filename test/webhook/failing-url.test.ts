/** Tests the events about URLs that fail for an hour, and that accept deliveries again. */
import { eq, sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { webhookFailingUrls } from '../../drizzle/schema.ts'
import { eventually, sharedInstance } from '../support/instance.ts'
import { startReceiver } from '../support/receiver.ts'
import { reconcile } from '../support/webhook.ts'
import { vaultWith } from '../support/webhook-url.ts'

const gatehouse = await sharedInstance({ worker: true })

test('other URLs get webhook_failing once after an hour, and webhook_recovered', async () => {
  let status = 500
  const failing = await startReceiver((res) => res.writeHead(status).end())
  const [other, filtered] = [await startReceiver(), await startReceiver()]
  const failingUrl = `${failing.url}?token=secret`
  const vault = await vaultWith(gatehouse, failingUrl)
  const urls = { ticket: [failingUrl], account: [other.url], identification: [filtered.url] }
  await vault.api.put('/users/update_webhook', { webhook_url: urls })
  const { data } = (await vault.api.get('/webhook_urls')).body
  const { id } = data.find(({ url }: { url: string }) => url === filtered.url)
  await vault.api.patch(`/webhook_urls/${id}`, { events: ['kyb_processed'] })
  await vault.publish(1)
  const failed = eq(webhookFailingUrls.vaultId, vault.vaultId)
  await eventually(async () => expect(await gatehouse.db.orm.$count(webhookFailingUrls, failed)).toBe(1))
  await reconcile(gatehouse)
  await gatehouse.db.orm
    .update(webhookFailingUrls)
    .set({ failingSince: sql`failing_since - interval '1 hour'` })
    .where(failed)
  await reconcile(gatehouse)
  await reconcile(gatehouse)
  await eventually(() => expect(other.received).toHaveLength(1))
  expect(other.received[0]?.body).not.toContain('secret')
  expect(other.received[0]).toMatchObject({
    event: 'webhook_failing',
    attributes: {
      webhook_url_uuid: vault.idOf(failingUrl),
      status: 'failing',
      first_failed_at: expect.any(Number),
      version: expect.any(Number),
    },
  })
  expect((await vault.api.get('/users/settings')).body.data.failing_webhook_urls).toHaveLength(1)

  status = 200
  await vault.publish(1)
  await eventually(async () => expect(await gatehouse.db.orm.$count(webhookFailingUrls, failed)).toBe(0))
  await reconcile(gatehouse)
  await eventually(() => expect(other.received).toHaveLength(2))
  expect(other.received[1]).toMatchObject({
    event: 'webhook_recovered',
    attributes: { webhook_url_uuid: vault.idOf(failingUrl), status: 'active' },
  })
  expect(filtered.received).toHaveLength(0)
  expect((await vault.api.get('/users/settings')).body.data.failing_webhook_urls).toEqual([])
  for (const receiver of [failing, other, filtered]) await receiver.stop()
})
