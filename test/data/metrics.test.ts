/** Tests the metrics for Prometheus, and that alerts and the dashboard use only existing ones. */
import { readFileSync } from 'node:fs'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { freePort } from '../../dev/launcher/ports.ts'
import { apiMetrics } from '../../src/compose/metrics.ts'
import { readTaskAges, recordTaskRun } from '../../src/db/audit/task-run.ts'
import { readBacklogAges } from '../../src/db/commands/backlog-age.ts'
import { createApi } from '../support/api.ts'
import { eventually, type OwnInstance, startInstance } from '../support/instance.ts'
import { type Spawned, spawnProcess } from '../support/processes.ts'
import { startReceiver } from '../support/receiver.ts'
import { deliverTo } from '../support/webhook.ts'

const NAME = /\b(?:gatehouse|temporal|nodejs|process)_\w+/g

/** Returns the value of each sample by its name and labels as written. */
const samplesOf = (text: string) =>
  new Map(
    [...text.matchAll(/^(\w+(?:\{.*\})?) (\S+)$/gm)].map(([, name = '', value]) => [name, Number(value)]),
  )

const sum = (samples: Map<string, number>, name: string, ...labels: string[]) =>
  [...samples]
    .filter(([each]) => each.startsWith(`${name}{`) && labels.every((label) => each.includes(label)))
    .reduce((total, [, value]) => total + value, 0)

const read = (name: string) => readFileSync(new URL(`../../deploy/${name}`, import.meta.url), 'utf8')

describe('metrics of processes', () => {
  let gatehouse: OwnInstance
  let spawned: Spawned[]
  let ports: Record<'PORT' | 'api' | 'worker', number>
  let id: string
  let token: string

  const scrape = async (process: 'api' | 'worker'): Promise<string> =>
    (await fetch(`http://127.0.0.1:${ports[process]}/metrics`)).text()

  beforeAll(async () => {
    gatehouse = await startInstance()
    ports = { PORT: await freePort(), api: await freePort(), worker: await freePort() }
    const env = { ...gatehouse.env, PORT: String(ports.PORT) }
    spawned = [
      spawnProcess('src/server.ts', { ...env, METRICS_PORT: String(ports.api) }),
      spawnProcess('src/worker.ts', { ...env, METRICS_PORT: String(ports.worker) }),
    ]
    await Promise.all(spawned.map((each) => each.ready()))

    const receiver = await startReceiver()
    await deliverTo(gatehouse, receiver.url)
    const url = `http://127.0.0.1:${ports.PORT}`
    const api = createApi(`${url}/v1`, gatehouse.credentials.api_key)
    id = await api.createKyb()
    const change = { nature_of_business: { legal_company_name: 'Somebody Personal' } }
    expect((await api.patch(`/kyb/${id}`, change)).status).toBe(200)
    expect((await api.upload(id, { attribute: 'legal_structures' })).status).toBe(201)
    expect((await api.get(`/kyb/${crypto.randomUUID()}`)).status).toBe(404)
    token = 'made-up-token'
    await fetch(`${url}/verify/${token}`)
    await fetch(`${url}/VERIFY/kyb/${token}/files`)
    await fetch(`${url}/nowhere/${token}`)
    await receiver.waitFor('identification_created')
    await receiver.stop()
  })
  afterAll(async () => {
    await Promise.all(spawned.map((each) => each.stop()))
    await gatehouse.stop()
  })

  test('count the requests of an API by route, its commands, and its backlog', async () => {
    const samples = samplesOf(await scrape('api'))
    const requests = 'gatehouse_http_request_duration_seconds_count'
    expect(sum(samples, requests, 'route="/v1/kyb/:id"', 'method="PATCH"', 'status="200"')).toBe(1)
    expect(sum(samples, requests, 'route="/v1/kyb/:id"', 'status="404"')).toBe(1)
    expect(
      sum(samples, 'gatehouse_command_duration_seconds_count', 'kind="patch"', 'outcome="applied"'),
    ).toBe(1)
    const stored = 'gatehouse_file_store_requests_total'
    expect(sum(samples, stored, 'operation="write"', 'outcome="succeeded"')).toBe(1)
    expect(samples.get('gatehouse_database_pool_waiting{pool="api"}')).toBe(0)
    expect(samples.get('gatehouse_delivery_oldest_pending_seconds')).toBeGreaterThanOrEqual(0)
    expect(samples.get('gatehouse_queue_oldest_seconds{entity="kyb"}')).toBeGreaterThanOrEqual(0)
  })

  test('count deliveries, housekeeping and the Temporal SDK in a worker', async () => {
    const before = Date.now() / 1000
    await eventually(async () => {
      const samples = samplesOf(await scrape('worker'))
      expect(samples.get('gatehouse_delivery_attempts_total{status="completed"}')).toBe(1)
      const last = samples.get('gatehouse_housekeeping_last_pass_timestamp_seconds') ?? 0
      expect(last).toBeGreaterThan(before - 600)
      expect(sum(samples, 'temporal_workflow_task_execution_latency_seconds_count')).toBeGreaterThan(0)
    })
  })

  test('contain no ID, token or customer data', async () => {
    const text = (await scrape('api')) + (await scrape('worker'))
    for (const secret of [id, token, gatehouse.vaultId, 'Personal', gatehouse.credentials.api_key])
      expect(text).not.toContain(secret)
    expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-/)
  })

  test('contain every metric of the alerts and the dashboard', async () => {
    const rules = parse(read('prometheus-rules.yml')) as { groups: { rules: { expr: string }[] }[] }
    const dashboard = JSON.parse(read('grafana-dashboard.json')) as {
      panels: { targets?: { expr: string }[] }[]
    }
    const used = [
      ...rules.groups.flatMap((group) => group.rules),
      ...dashboard.panels.flatMap(({ targets = [] }) => targets),
    ].flatMap(({ expr }) => expr.match(NAME) ?? [])
    expect(used.length).toBeGreaterThan(20)
    // The Temporal SDK reports a metric only after its first event.
    await eventually(async () => {
      const text = (await scrape('api')) + (await scrape('worker'))
      const reported = new Set([...text.matchAll(NAME)].map(([name]) => name))
      for (const [, name = ''] of text.matchAll(/^# TYPE (\w+) histogram$/gm))
        for (const suffix of ['bucket', 'sum', 'count']) reported.add(`${name}_${suffix}`)
      expect(used.filter((name) => !reported.has(name))).toEqual([])
    })
  })

  test('report the state of the deployment: readiness, clock, scheduled tasks and disks', async () => {
    const samples = await eventually(async () => {
      const all = samplesOf(await scrape('api'))
      expect(all.get('gatehouse_unavailable{reason="database_away"}')).toBe(0)
      return all
    })
    expect(Math.abs(samples.get('gatehouse_clock_skew_seconds') ?? Number.NaN)).toBeLessThan(30)
    expect(sum(samples, 'gatehouse_disk_free_ratio')).toBeGreaterThan(0)
    expect(samples.get('gatehouse_database_bytes')).toBeGreaterThan(1_000_000)
    for (const task of ['backup', 'erasure'])
      expect(sum(samples, 'gatehouse_task_age_seconds', `task="${task}"`)).toBeGreaterThan(0)
    await eventually(async () =>
      expect(samplesOf(await scrape('worker')).get('gatehouse_unavailable{reason="temporal_away"}')).toBe(0),
    )
  })

  test('count from the last success of a task, or from the first vault', async () => {
    const hour = sql`UPDATE vaults SET created_at = created_at - interval '1 hour'`
    await gatehouse.db.orm.execute(hour)
    for (const _ of [1, 2]) await recordTaskRun(gatehouse.db, 'backup')
    const ages = await readTaskAges(gatehouse.db)
    expect(ages.backup).toBeLessThan(60)
    expect(ages.erasure).toBeGreaterThan(3600)
    expect(ages.restore_check).toBeNull()
  })

  test('report the age of the oldest waiting entity of each type, or 0', async () => {
    await spawned[1]?.stop()
    await gatehouse.db.orm.execute(sql`UPDATE webhook_logs SET status = 'completed'`)
    expect(await readBacklogAges(gatehouse.db)).toEqual({ delivery: 0, kyb: 0, identification: 0 })
    await gatehouse.api.createKyb()
    await gatehouse.db.orm.execute(sql`
      UPDATE kyb_applications SET waiting_on = 'operator', waiting_since = now() - interval '1 hour'
      WHERE id = ${id}`)
    const ages = await readBacklogAges(gatehouse.db)
    expect(ages.delivery).toBeGreaterThan(0)
    expect(ages.kyb).toBeGreaterThanOrEqual(3600)
    expect(ages.identification).toBe(0)
  })
})

describe('metrics from PostgreSQL', () => {
  test('are queried once for many scrapes, and are NaN if the query fails', async () => {
    let queries = 0
    const db = { usage: () => ({ active: 0, waiting: 0 }) } as Parameters<typeof apiMetrics>[0]
    const { registry } = apiMetrics(db, {}, async () => {
      queries += 1
      throw new Error('PostgreSQL is unavailable')
    })
    const texts = await Promise.all(Array.from({ length: 50 }, () => registry.metrics()))
    expect(queries).toBe(1)
    expect(texts[0]).toMatch(/^gatehouse_queue_oldest_seconds\{entity="kyb"\} NaN$/im)
  })
})
