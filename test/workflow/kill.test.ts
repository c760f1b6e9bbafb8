/** Tests processes that are killed after the commit of a command and before its completion in Temporal. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { freePort } from '../../dev/launcher/ports.ts'
import { startTemporal, type Temporal } from '../../dev/launcher/temporal.ts'
import { kybApplications, unacknowledgedCommands } from '../../drizzle/schema.ts'
import { readTimeline } from '../../src/db/commands/timeline.ts'
import { eventually, type OwnInstance, startInstance } from '../support/instance.ts'
import { reconcile } from '../support/webhook.ts'

/** Long enough for a busy worker to commit a command. A killed one lets the caller wait this long. */
const COMMAND_MS = 15_000
const DYING_WORKER = 'test/support/dying-worker.ts'
const patch = { nature_of_business: { legal_company_name: 'Acme' } }

describe('a command between commit and completion', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-temporal-'))
  let port: number
  let temporal: Temporal
  let gatehouse: OwnInstance

  const startServer = () =>
    startTemporal({ cli: inject('temporalCli'), port, dbFile: join(folder, 'temporal.db') })

  beforeAll(async () => {
    port = await freePort()
    temporal = await startServer()
    gatehouse = await startInstance({ temporalAddress: temporal.address, deadlineMs: COMMAND_MS })
  })
  afterAll(async () => {
    await gatehouse.stop()
    await temporal.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  async function appliedOnce(id: string): Promise<void> {
    const [row] = await gatehouse.db.orm.select().from(kybApplications).where(eq(kybApplications.id, id))
    expect(row?.version).toBe(2)
    const { entries } = await readTimeline(gatehouse.db, 'kyb', id)
    expect(entries.map(({ action }) => action)).toEqual(['created', 'patch'])
  }

  test('returns 200 and is applied once if the worker is killed', async () => {
    await gatehouse.spawnWorker(DYING_WORKER, { KILL_SELF: 'true' })
    const id = await gatehouse.api.createKyb()
    expect((await gatehouse.api.patch(`/kyb/${id}`, patch)).status).toBe(200)
    await appliedOnce(id)
    const worker = await gatehouse.spawnWorker()
    await landsEventually(id)
    worker.kill('SIGKILL')
  })

  test('returns 200 and is applied once if the Temporal server is killed and restarted', async () => {
    const worker = await gatehouse.spawnWorker(DYING_WORKER, { KILL_PID: String(temporal.pid) })
    const id = await gatehouse.api.createKyb()
    const answer = gatehouse.api.patch(`/kyb/${id}`, patch)
    await temporal.exited
    temporal = await startServer()
    expect((await answer).status).toBe(200)
    await appliedOnce(id)
    await landsEventually(id)
    worker.kill('SIGKILL')
  })

  test('returns 200 if the Temporal server stays unavailable, and reaches its workflow later', async () => {
    const worker = await gatehouse.spawnWorker(DYING_WORKER, { KILL_PID: String(temporal.pid) })
    const id = await gatehouse.api.createKyb()
    const answer = gatehouse.api.post(`/sandbox/kyb/${id}/simulate_review`, { outcome: 'rejected' })
    await temporal.exited
    expect((await answer).status).toBe(200)
    temporal = await startServer()
    const ofIt = eq(unacknowledgedCommands.entityId, id)
    expect(await gatehouse.db.orm.$count(unacknowledgedCommands, ofIt)).toBe(1)
    const longAgo = new Date(Date.now() - 60_000)
    await gatehouse.db.orm.update(unacknowledgedCommands).set({ appliedAt: longAgo }).where(ofIt)
    await eventually(async () => {
      await reconcile(gatehouse)
      const { status } = await gatehouse.temporal.workflow.getHandle(`kyb-${id}`).describe()
      expect(status.name).toBe('COMPLETED')
    })
    expect(await gatehouse.db.orm.$count(unacknowledgedCommands, ofIt)).toBe(0)
    worker.kill('SIGKILL')
  })

  test('returns 200 and is applied once if the worker and the Temporal server are killed', async () => {
    await gatehouse.spawnWorker(DYING_WORKER, { KILL_PID: String(temporal.pid), KILL_SELF: 'true' })
    const id = await gatehouse.api.createKyb()
    const answer = gatehouse.api.patch(`/kyb/${id}`, patch)
    await temporal.exited
    temporal = await startServer()
    expect((await answer).status).toBe(200)
    await appliedOnce(id)
    await gatehouse.spawnWorker()
    await landsEventually(id)
  })

  /** Sends commands until one is applied. Until the workflow task of the killed worker times out, they return 503. */
  async function landsEventually(id: string): Promise<void> {
    const statuses: number[] = []
    await eventually(async () => {
      // A change without an effect would not need the workflow.
      const again = { nature_of_business: { city_address: `City ${statuses.length}` } }
      const { status } = await gatehouse.api.patch(`/kyb/${id}`, again)
      statuses.push(status)
      expect(status).toBe(200)
    })
    expect(statuses.slice(0, -1).every((status) => status === 503)).toBe(true)
    const [row] = await gatehouse.db.orm.select().from(kybApplications).where(eq(kybApplications.id, id))
    expect(row?.version).toBe(3)
  }
})
