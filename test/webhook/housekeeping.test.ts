/** Tests housekeeping of webhook logs: the search index, the counts and the deletion of old logs. */
import { spawn } from 'node:child_process'
import { randomInt, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { text as readText } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { and, eq, inArray, sql, TransactionRollbackError } from 'drizzle-orm'
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { publishedEvents, webhookAttempts, webhookLogCounts, webhookLogs } from '../../drizzle/schema.ts'
import {
  deleteOldWebhookLogs,
  foldWebhookLogCounts,
  indexWebhookLogs,
  recountWebhookLogs,
} from '../../src/db/webhooks/housekeeping.ts'
import {
  listWebhookLogs,
  selectAllWithText,
  selectNewest,
  selectNewestWithText,
  selectWithIds,
} from '../../src/db/webhooks/log.ts'
import { deleteOldPublishedEvents } from '../../src/db/webhooks/published-event.ts'
import { LOG_STATUSES, type LogStatus } from '../../src/domain/webhook/events.ts'
import type { Api } from '../support/api.ts'
import { addVault, startInstance, unique } from '../support/instance.ts'
import { scriptArgs } from '../support/processes.ts'
import { insertLogs } from '../support/webhook.ts'

let api: Api
let vaultId: string
const gatehouse = await startInstance()
beforeEach(async () => {
  ;({ api, vaultId } = await addVault(gatehouse))
})
afterAll(() => gatehouse.stop())

const search = async (text: string, status: LogStatus = 'completed') => {
  const query = new URLSearchParams({ type: 'account', status, search: text })
  const { body } = await api.get(`/webhook_logs?${query}`)
  return { ids: body.data.map(({ id }: { id: string }) => id), total: body.pagination.total_count }
}

describe('search', () => {
  test('returns the same logs before, during and after indexing', async () => {
    const texts = [...Array.from({ length: 30 }, (_, n) => `order ${n} of ZÜRICH`), 'another']
    const insert = () => insertLogs(gatehouse, vaultId, ...texts.map((text) => ({ text })))
    const expected = (await insert()).slice(0, 30).toReversed()
    expect(await search('of zürich')).toEqual({ ids: expected, total: 30 })
    expect(await indexWebhookLogs(gatehouse.db)).toBe(31)
    expect(await search('of zürich')).toEqual({ ids: expected, total: 30 })
    expected.unshift(...(await insert()).slice(0, 30).toReversed())
    expect(await search('of zürich')).toEqual({ ids: expected, total: 60 })
    expect((await search('f z')).total).toBe(60)
  })

  test('indexes only finished deliveries, and a retried one when it finishes again', async () => {
    await api.put('/users/update_webhook', { webhook_url: { account: ['https://receiver.example'] } })
    const ids = await insertLogs(
      gatehouse,
      vaultId,
      ...LOG_STATUSES.map((status) => ({ status, text: 'needle' })),
    )
    const indexed = async () => {
      await indexWebhookLogs(gatehouse.db)
      const rows = await gatehouse.db.orm.select().from(webhookLogs).where(inArray(webhookLogs.id, ids))
      return rows.filter((row) => row.indexed).map(({ status }) => status)
    }
    expect((await indexed()).sort()).toEqual(['completed', 'failed', 'partial'])
    await api.post(`/webhook_logs/${ids.at(-1)}/retry`)
    expect((await indexed()).sort()).toEqual(['completed', 'partial'])
    expect((await search('needle', 'pending')).ids.sort()).toEqual([ids[0], ids.at(-1)].sort())
  })

  test('uses the index for text, and the newest logs for short text, among many logs', async () => {
    await gatehouse.db.orm.execute(sql`
      INSERT INTO webhook_logs (id, vault_id, topic, status, payload, urls_destiny, indexed)
      SELECT uuidv7(), ${vaultId}, 'account', 'completed', '{"data":{"event":"e","attributes":{"id":"' ||
        gen_random_uuid() || '","number":' || n || '}}}', '{}', true
      FROM generate_series(1, 20000) AS n`)
    await gatehouse.asOwner('VACUUM ANALYZE webhook_logs')
    const filter = { topic: 'account', status: 'completed' } as const
    const planOf = async (query: ReturnType<typeof selectAllWithText>) => {
      const rows = await gatehouse.db.orm.execute(sql`EXPLAIN (COSTS OFF) ${query}`)
      return rows.map((row) => row['QUERY PLAN']).join('\n')
    }
    const plan = await planOf(selectAllWithText(vaultId, filter, unique()))
    expect(plan).toContain('Bitmap Index Scan on webhook_logs_search')
    expect(plan).toContain('Scan Backward using webhook_logs_unindexed')
    expect(plan).not.toContain('Seq Scan')
    expect(await planOf(selectNewestWithText(vaultId, filter, 'zq'))).not.toContain('Seq Scan')
    // A search of all topics and statuses merges the same indexes.
    const all = { topic: 'all', status: 'all' } as const
    const planOfAll = await planOf(selectAllWithText(vaultId, all, unique()))
    expect(planOfAll).toContain('Bitmap Index Scan on webhook_logs_search')
    expect(planOfAll).not.toContain('Seq Scan')
    expect(await planOf(selectNewestWithText(vaultId, all, 'zq'))).not.toContain('Seq Scan')
    // So does an erasure.
    const planOfErasure = await planOf(selectWithIds(vaultId, [randomUUID(), randomUUID()]))
    expect(planOfErasure).toContain('Bitmap Index Scan on webhook_logs_search')
    expect(planOfErasure).not.toContain('Seq Scan')
    const page = await planOf(selectNewest(vaultId, all, 80))
    expect(page).toContain('Merge Append')
    expect(page).not.toContain('Seq Scan')
    expect((await search('"number":12345}')).total).toBe(1)
    // The count is limited to 10,000.
    expect((await search('attributes')).total).toBe(10_000)
    expect(await recountWebhookLogs(gatehouse.db, { repair: false })).toEqual([])
  })
})

describe('counts', () => {
  const totalOf = async (status: LogStatus) =>
    (await listWebhookLogs(gatehouse.db, vaultId, { page: 1, per_page: 1 }, { topic: 'account', status }))
      .totalCount
  const rowsOf = () => gatehouse.db.orm.$count(webhookLogCounts, eq(webhookLogCounts.vaultId, vaultId))

  test('are correct after concurrent changes and during folding', async () => {
    const { db } = gatehouse
    const pick = <T>(of: readonly T[]): T => of[randomInt(of.length)] as T
    // Statements with many rows affect only the writer's own rows, and all others affect one row, so that no
    // deadlock is possible.
    const writer = async (number: number) => {
      const urlsDestiny = [`https://receiver.example/${number}`]
      const own = and(eq(webhookLogs.vaultId, vaultId), eq(webhookLogs.urlsDestiny, urlsDestiny))
      const ownOfOneStatus = () => and(own, eq(webhookLogs.status, pick(LOG_STATUSES)))
      const CHANGES = [
        () =>
          insertLogs(
            gatehouse,
            vaultId,
            ...Array.from({ length: 1 + randomInt(9) }, () => ({ status: pick(LOG_STATUSES), urlsDestiny })),
          ),
        () =>
          db.orm
            .update(webhookLogs)
            .set({ status: pick(LOG_STATUSES) })
            .where(ownOfOneStatus()),
        () =>
          db.orm
            .update(webhookLogs)
            .set({ status: pick(LOG_STATUSES) })
            .where(
              sql`id = (SELECT id FROM webhook_logs WHERE vault_id = ${vaultId} ORDER BY random() LIMIT 1)`,
            ),
        () => db.orm.update(webhookLogs).set({ batchId: unique() }).where(ownOfOneStatus()),
        () => db.orm.delete(webhookLogs).where(and(ownOfOneStatus(), sql`id::text ~ '[0-3]$'`)),
        // Changes that are rolled back are not counted.
        () =>
          db.orm
            .transaction(async (tx) => {
              await tx.delete(webhookLogs).where(own)
              tx.rollback()
            })
            .catch((error) => {
              if (!(error instanceof TransactionRollbackError)) throw error
            }),
        () => foldWebhookLogCounts(db),
        () => recountWebhookLogs(db, { repair: true }),
      ]
      for (let i = 0; i < 25; i += 1) await pick<() => Promise<unknown>>(CHANGES)()
    }
    await Promise.all(Array.from({ length: 6 }, (_, number) => writer(number)))
    for (const status of LOG_STATUSES) {
      const rows = await db.orm.execute<{ count: number }>(
        sql`SELECT count(*)::int FROM webhook_logs WHERE vault_id = ${vaultId} AND status = ${status}`,
      )
      expect(await totalOf(status)).toBe(rows[0]?.count)
    }
    expect(await recountWebhookLogs(db, { repair: false })).toEqual([])
  })

  test('do not change if no log changes its group, and are folded into one row per group', async () => {
    const ids = await insertLogs(gatehouse, vaultId, {}, {})
    await insertLogs(gatehouse, vaultId, { status: 'failed' })
    expect(await rowsOf()).toBe(2)
    await gatehouse.db.orm.update(webhookLogs).set({ batchId: unique() }).where(inArray(webhookLogs.id, ids))
    expect(await rowsOf()).toBe(2)
    await insertLogs(gatehouse, vaultId, { status: 'failed' })
    await foldWebhookLogCounts(gatehouse.db)
    expect([await rowsOf(), await totalOf('completed'), await totalOf('failed')]).toEqual([2, 2, 2])
    await gatehouse.db.orm.delete(webhookLogs).where(inArray(webhookLogs.id, ids))
    await foldWebhookLogCounts(gatehouse.db)
    expect([await rowsOf(), await totalOf('completed')]).toEqual([1, 0])
  })

  test('are corrected on request if a recount finds a difference', async () => {
    await insertLogs(gatehouse, vaultId, {}, {}, { status: 'failed' })
    await gatehouse.db.orm
      .update(webhookLogCounts)
      .set({ delta: 7 })
      .where(and(eq(webhookLogCounts.vaultId, vaultId), eq(webhookLogCounts.status, 'completed')))
    const day = expect.stringMatching(/^\d{4}-\d\d-\d\d$/)
    const difference = { vault_id: vaultId, topic: 'account', status: 'completed', day, delta: -5 }
    expect(await recountWebhookLogs(gatehouse.db, { repair: false })).toEqual([difference])
    expect(await recountWebhookLogs(gatehouse.db, { repair: true })).toEqual([difference])
    expect(await recountWebhookLogs(gatehouse.db, { repair: false })).toEqual([])
    expect(await totalOf('completed')).toBe(2)
  })

  test('are corrected once by concurrent recounts', async () => {
    await insertLogs(gatehouse, vaultId, {}, {}, {})
    await gatehouse.db.orm.delete(webhookLogCounts).where(eq(webhookLogCounts.vaultId, vaultId))
    // All recounts have started before the first one can write.
    const held = gatehouse.asOwner(
      'BEGIN; LOCK TABLE webhook_log_counts IN SHARE MODE; SELECT pg_sleep(0.5); COMMIT',
    )
    await sleep(100)
    const recounts = Array.from({ length: 10 }, () => recountWebhookLogs(gatehouse.db, { repair: true }))
    await held
    expect((await Promise.all(recounts)).filter(({ length }) => length > 0)).toHaveLength(1)
    expect(await recountWebhookLogs(gatehouse.db, { repair: false })).toEqual([])
  })

  test('make `recount-webhook-logs` exit with 1 while they are wrong', async () => {
    const { DATABASE_URL, ENCRYPTION_KEYS, HASH_KEY, BLOB_URL } = gatehouse.env
    const env = { ...process.env, DATABASE_URL, ENCRYPTION_KEYS, HASH_KEY, BLOB_URL }
    const recount = async (...options: string[]) => {
      const args = [...scriptArgs('src/cli/main.ts'), 'recount-webhook-logs', ...options]
      const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
      const [printed, [code]] = await Promise.all([readText(child.stdout), once(child, 'exit')])
      return [code, printed.trim().split('\n')[0]]
    }
    await insertLogs(gatehouse, vaultId, {}, {})
    await gatehouse.db.orm.delete(webhookLogCounts).where(eq(webhookLogCounts.vaultId, vaultId))
    const line = expect.stringMatching(`^${vaultId} account completed of [\\d-]{10}: \\+2$`)
    expect(await recount()).toEqual([1, line])
    expect(await recount('--repair')).toEqual([0, line])
    expect(await recount()).toEqual([0, 'The counts are correct.'])
  })
})

describe('retention', () => {
  test('deletes old IDs of published events', async () => {
    const { db } = gatehouse
    const published = (eventId: string, days: number) =>
      db.orm.insert(publishedEvents).values({
        vaultId,
        eventId,
        contentHash: Buffer.alloc(32),
        createdAt: new Date(Date.now() - days * 86_400_000),
      })
    const [old, young] = [unique(), unique()]
    await published(old, 91)
    await published(young, 89)
    expect(await deleteOldPublishedEvents(db, 90)).toBe(1)
    const left = await db.orm.select().from(publishedEvents).where(eq(publishedEvents.vaultId, vaultId))
    expect(left.map(({ eventId }) => eventId)).toEqual([young])
  })

  test('deletes old finished deliveries with their attempts, and nothing else', async () => {
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000)
    const old = await insertLogs(
      gatehouse,
      vaultId,
      ...LOG_STATUSES.map((status) => ({ status, createdAt: daysAgo(91) })),
    )
    const young = await insertLogs(gatehouse, vaultId, { createdAt: daysAgo(89) })
    const attempt = { round: 1, number: 1, url: 'https://receiver.example', durationMs: 1 }
    const all = [...old, ...young]
    await gatehouse.db.orm
      .insert(webhookAttempts)
      .values(all.map((webhookLogId) => ({ ...attempt, webhookLogId })))
    // The clock of the deleting process must not matter.
    const ahead = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 3_650 * 86_400_000)
    expect(await deleteOldWebhookLogs(gatehouse.db, 90)).toBe(3)
    ahead.mockRestore()
    const [pending = '', processing = ''] = old
    const kept = [pending, processing, ...young]
    const logs = await gatehouse.db.orm.select().from(webhookLogs).where(inArray(webhookLogs.id, all))
    const attempts = await gatehouse.db.orm.select().from(webhookAttempts)
    expect(logs.map(({ id }) => id).sort()).toEqual([...kept].sort())
    expect(attempts.map(({ webhookLogId }) => webhookLogId).sort()).toEqual([...kept].sort())
    expect(await recountWebhookLogs(gatehouse.db, { repair: false })).toEqual([])
  })
})
