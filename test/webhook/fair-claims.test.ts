/** Tests that events of other vaults wait for at most two claims while one vault sends a flood. */
import { sql } from 'drizzle-orm'
import { v7 as newId } from 'uuid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { claimNewLogs } from '../../src/db/webhooks/new-log-claim.ts'
import { insertWebhookSettings } from '../../src/db/webhooks/setting.ts'
import { addVault, eventually, type OwnInstance, startInstance } from '../support/instance.ts'
import { startReceiver } from '../support/receiver.ts'
import { publish } from '../support/webhook.ts'

describe('claims', () => {
  let gatehouse: OwnInstance
  beforeAll(async () => {
    gatehouse = await startInstance()
  })
  afterAll(() => gatehouse.stop())

  const flood = (vaultId: string, url: string, count: number, round = 1) =>
    gatehouse.db.orm.execute(sql`
      INSERT INTO webhook_logs (id, vault_id, topic, round, payload, urls_destiny)
      SELECT uuidv7(), ${vaultId}, 'ticket', ${round},
        '{"data": {"event": "ticket_made", "attributes": {"event_id": "' || n || '"}}}', ARRAY[${url}]
      FROM generate_series(1, ${count}) AS n`)
  const forget = () => gatehouse.db.orm.execute(sql`DELETE FROM webhook_logs`)
  const claim = (more: { limit?: number; excludedVaults?: string[]; afterVault?: string | null } = {}) => {
    const ids = { batchId: newId(), leaseId: newId() }
    return claimNewLogs(gatehouse.db, { ...ids, limit: 100, excludedVaults: [], afterVault: null, ...more })
  }
  const vaultsOf = ({ attempts }: Awaited<ReturnType<typeof claim>>) => {
    const counts = new Map<string, number>()
    for (const { vaultId } of attempts) counts.set(vaultId, (counts.get(vaultId) ?? 0) + 1)
    return counts
  }

  test('give each vault an equal share, with the newest round last, and skip excluded vaults', async () => {
    const { vaultId: other } = await addVault(gatehouse)
    await flood(gatehouse.vaultId, 'https://receiver.example', 300, 2)
    await flood(gatehouse.vaultId, 'https://receiver.example', 60)
    await flood(other, 'https://receiver.example', 1)
    const first = await claim()
    expect(vaultsOf(first)).toEqual(
      new Map([
        [gatehouse.vaultId, 50],
        [other, 1],
      ]),
    )
    expect(first.attempts.every(({ round }) => round === 1)).toBe(true)
    expect(first.hasMore).toBe(true)
    const { attempts } = await claim()
    expect(attempts.map(({ round }) => round).sort()).toEqual([...Array(10).fill(1), ...Array(40).fill(2)])
    expect((await claim({ excludedVaults: [gatehouse.vaultId] })).attempts).toEqual([])
    await forget()
  })

  test('cover all vaults in turn if one claim cannot read all of them', async () => {
    const made = await gatehouse.db.orm.execute<{ id: string }>(sql`
      INSERT INTO vaults (id, name) SELECT uuidv7(), 'One of many' FROM generate_series(1, 150) RETURNING id`)
    for (const { id } of made) {
      await insertWebhookSettings(gatehouse.db, id, 'whsec_of_many')
      await flood(id, 'https://receiver.example', 3)
    }
    const seen = new Set<string>()
    let afterVault: string | null = null
    for (let n = 0; n < 2; n += 1) {
      const claimed = await claim({ limit: 10, afterVault })
      for (const vaultId of vaultsOf(claimed).keys()) seen.add(vaultId)
      expect(claimed.hasMore).toBe(true)
      afterVault = claimed.afterVault
    }
    expect(afterVault).toBeNull()
    expect(seen.size).toBe(150)
    await forget()
  })

  test('let another vault’s event overtake a flood, even if some hosts are slow', async () => {
    const { vaultId: other, api } = await addVault(gatehouse)
    const [quick, hanging, receiver] = await Promise.all([
      startReceiver(),
      startReceiver(() => {}),
      startReceiver(),
    ])
    await api.put('/users/update_webhook', { webhook_url: { ticket: [receiver.url] } })
    const operator = await gatehouse.operator()
    await flood(gatehouse.vaultId, hanging.url, 3_000)
    await flood(gatehouse.vaultId, quick.url, 20_000)
    const worker = await gatehouse.startWorker()
    await eventually(() => expect(hanging.received.length).toBeGreaterThan(10))
    for (let n = 1; n <= 3; n += 1) {
      const before = quick.received.length
      await publish(operator, other, 'ticket', 1)
      await eventually(() => expect(receiver.received).toHaveLength(n))
      expect(quick.received.length - before).toBeLessThan(4_000)
    }
    for (const each of [quick, hanging, receiver]) await each.stop()
    await worker.stop()
  })
})
