/**
 * Tests that hanging receivers do not delay others or commands, and that internal failures do not count
 * against receivers.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually, type OwnInstance, startInstance } from '../support/instance.ts'
import { startReceiver } from '../support/receiver.ts'
import { attemptsOf, causeEvent, deliverTo, publish, readLog, settledLog } from '../support/webhook.ts'

describe('a worker', () => {
  let gatehouse: OwnInstance
  beforeAll(async () => {
    gatehouse = await startInstance()
    await gatehouse.startWorker()
  })
  afterAll(() => gatehouse.stop())

  test('sends a delivery again and counts it once if recording the attempt fails', async () => {
    const receiver = await startReceiver()
    await deliverTo(gatehouse, receiver.url)
    await gatehouse.asOwner('ALTER TABLE webhook_attempts RENAME TO hidden')
    const { id } = await causeEvent(gatehouse)
    await receiver.waitFor('identification_created')
    // The log was released because the attempt could not be recorded.
    await eventually(async () =>
      expect(await readLog(gatehouse, id)).toMatchObject({ status: 'pending', leaseId: null }),
    )
    await gatehouse.asOwner('ALTER TABLE hidden RENAME TO webhook_attempts')
    const log = await settledLog(gatehouse, id)
    expect([log.status, log.retries]).toEqual(['completed', 0])
    expect(await attemptsOf(gatehouse, id)).toHaveLength(1)
    const batch = gatehouse.temporal.workflow.getHandle(`webhook-deliveries-${log.batchId}`)
    await eventually(async () => expect((await batch.describe()).status.name).toBe('COMPLETED'))
    await receiver.stop()
  })

  test('delays neither another host nor commands because of 500 deliveries to a hanging host', async () => {
    const hanging = await startReceiver(() => {})
    const healthy = await startReceiver()
    await gatehouse.api.put('/users/update_webhook', {
      webhook_url: { ticket: [hanging.url], identification: [hanging.url], account: [healthy.url] },
    })
    // The first attempts of these take more than a minute.
    await publish(await gatehouse.operator(), gatehouse.vaultId, 'ticket', 420)
    const ids = await Promise.all(Array.from({ length: 80 }, () => gatehouse.api.createKyb()))
    await eventually(() => expect(healthy.received).toHaveLength(80))
    expect(hanging.received.length).toBeGreaterThan(4)
    expect(hanging.received.length).toBeLessThan(500)
    expect((await gatehouse.api.patch(`/kyb/${ids[0]}`, {})).status).toBe(200)
    await gatehouse.api.put('/users/update_webhook', { webhook_url: { account: [] } })
    await hanging.stop()
    await healthy.stop()
  })
})
