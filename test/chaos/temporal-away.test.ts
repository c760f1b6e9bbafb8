/** Tests an outage of Temporal: few retries and log lines, immediate deliveries, and a complete recovery. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { freePort } from '../../dev/launcher/ports.ts'
import { startTemporal, type Temporal } from '../../dev/launcher/temporal.ts'
import { identifications, kybApplications } from '../../drizzle/schema.ts'
import { insertWebhookLogs } from '../../src/db/webhooks/outbox.ts'
import { DEADLINE_MS } from '../../src/temporal/gateway.ts'
import { createApi } from '../support/api.ts'
import { eventually, type OwnInstance, startInstance, unique } from '../support/instance.ts'
import { type Spawned, spawnProcess } from '../support/processes.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { creationEvent, deliverTo } from '../support/webhook.ts'

const AWAY_MS = process.env.CHAOS === 'full' ? 120_000 : 6_000
/** The number of log lines must not grow with the number of creations. */
const MAX_LINES = 12 + AWAY_MS / 60_000
/** The starter starts workflows one by one, so that commands are not delayed. */
const STARTED_WITHIN_MS = 120_000 + AWAY_MS

describe('during an outage of Temporal', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-temporal-'))
  let port: number
  let temporal: Temporal
  let gatehouse: OwnInstance
  let receiver: Receiver
  let server: Spawned
  let worker: Spawned
  let api: ReturnType<typeof createApi>

  const startServer = () =>
    startTemporal({ cli: inject('temporalCli'), port, dbFile: join(folder, 'temporal.db') })
  const spawn = (script: string, more: object = {}) =>
    spawnProcess(script, { ...gatehouse.env, LOG_LEVEL: 'warn', UV_THREADPOOL_SIZE: '32', ...more })

  beforeAll(async () => {
    port = await freePort()
    temporal = await startServer()
    gatehouse = await startInstance({ temporalAddress: temporal.address, deadlineMs: DEADLINE_MS })
    receiver = await startReceiver()
    await deliverTo(gatehouse, receiver.url)
    const apiPort = String(await freePort())
    server = spawn('src/server.ts', { PORT: apiPort, HOST: '127.0.0.1' })
    worker = spawn('src/worker.ts')
    await Promise.all([server.ready(), worker.ready()])
    api = createApi(`http://127.0.0.1:${apiPort}/v1`, gatehouse.credentials.api_key)
  })
  afterAll(async () => {
    process.kill(temporal.pid, 'SIGCONT')
    await Promise.all([server.stop('SIGKILL'), worker.stop('SIGKILL')])
    await gatehouse.stop()
    await receiver.stop()
    await temporal.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  /** Creates at least ten applications during the outage. */
  async function createWhileAway(): Promise<void> {
    let created = 0
    for (const until = Date.now() + AWAY_MS; Date.now() < until || created < 10; created += 1) {
      await api.createKyb()
      await sleep(50)
    }
  }

  async function expectDelivery(): Promise<void> {
    const external_uuid = unique()
    await insertWebhookLogs(gatehouse.db, gatehouse.vaultId, [creationEvent(external_uuid)])
    gatehouse.notifier.notify([external_uuid])
    await eventually(() =>
      expect(receiver.received.some((each) => each.attributes.external_uuid === external_uuid)).toBe(true),
    )
  }

  /** Checks that every entity has exactly one workflow. */
  async function expectAllStarted(): Promise<void> {
    const { orm } = gatehouse.db
    await eventually(async () => {
      for (const table of [kybApplications, identifications])
        expect(await orm.$count(table, sql`workflow_started_at IS NULL`)).toBe(0)
    }, STARTED_WITHIN_MS)
    const entities = (await orm.$count(kybApplications)) + (await orm.$count(identifications))
    await eventually(async () => {
      const query = `WorkflowType IN ('kybApplication', 'identification')`
      const { count } = await gatehouse.temporal.workflow.count(query)
      expect(count).toBe(entities)
    })
  }

  const linesOf = ({ output }: Spawned) => output().split('\n').filter(Boolean)

  test('creations and first attempts succeed, commands return 503, and logs stay short if the server hangs', async () => {
    const known = await api.createKyb()
    await eventually(async () => expect((await api.patch(`/kyb/${known}`, {})).status).toBe(200))
    process.kill(temporal.pid, 'SIGSTOP')
    const before = linesOf(worker).length
    const command = api.patch(`/kyb/${known}`, { usage_of_account: { usage: 'lost' } })
    await createWhileAway()
    expect((await command).status).toBe(503)
    await expectDelivery()
    expect(linesOf(worker).slice(before).length).toBeLessThan(MAX_LINES)
    expect(linesOf(server).length).toBeLessThan(MAX_LINES)
    process.kill(temporal.pid, 'SIGCONT')
    await expectAllStarted()
    await eventually(async () => expect((await api.patch(`/kyb/${known}`, {})).status).toBe(200))
  })

  test('a new worker delivers if the server is killed, and polls after the restart', async () => {
    const exited = temporal.exited
    process.kill(temporal.pid, 'SIGKILL')
    await exited
    await worker.stop('SIGKILL')
    worker = spawn('src/worker.ts')
    await expectDelivery()
    await createWhileAway()
    expect(linesOf(worker).length).toBeLessThan(MAX_LINES)
    expect(worker.child.exitCode).toBeNull()
    temporal = await startServer()
    await worker.ready()
    await expectAllStarted()
  })

  test('a worker exits at SIGTERM if the server is killed, even before its first poll', async () => {
    process.kill(temporal.pid, 'SIGKILL')
    worker.child.kill('SIGTERM')
    expect(await worker.ended).toBe(0)
    worker = spawn('src/worker.ts')
    await worker.wrote('Temporal does not respond')
    worker.child.kill('SIGTERM')
    expect(await worker.ended).toBe(0)
    temporal = await startServer()
  })
})
