/** Tests deliveries while Temporal hangs: first attempts continue, and the later ones wait in a few batches. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { freePort } from '../../dev/launcher/ports.ts'
import { startTemporal, type Temporal } from '../../dev/launcher/temporal.ts'
import { eventually, type OwnInstance, startInstance } from '../support/instance.ts'
import { type Spawned, spawnProcess } from '../support/processes.ts'
import { startReceiver } from '../support/receiver.ts'
import { publish, readLogs } from '../support/webhook.ts'

const AWAY_MS = process.env.CHAOS === 'full' ? 60_000 : 10_000

describe('while Temporal hangs', () => {
  let temporal: Temporal
  let gatehouse: OwnInstance
  let worker: Spawned
  beforeAll(async () => {
    temporal = await startTemporal({ cli: inject('temporalCli'), port: await freePort() })
    gatehouse = await startInstance({ temporalAddress: temporal.address })
    worker = spawnProcess('src/worker.ts', { ...gatehouse.env, LOG_LEVEL: 'warn' })
    await worker.ready()
  })
  afterAll(async () => {
    await worker.stop()
    await gatehouse.stop()
    await temporal.stop()
  })

  test('accepted events finish without a workflow, and refused ones are delivered afterwards in a few batches', async () => {
    let isOpen = false
    const accepting = await startReceiver()
    const refusing = await startReceiver((res) => res.writeHead(isOpen ? 200 : 503).end())
    const webhook_url = { ticket: [accepting.url], account: [refusing.url] }
    await gatehouse.api.put('/users/update_webhook', { webhook_url })
    const operator = await gatehouse.operator()
    process.kill(temporal.pid, 'SIGSTOP')
    const accepted: string[] = []
    const refused: string[] = []
    const until = Date.now() + AWAY_MS
    for (let n = 0; Date.now() < until; n += 1) {
      accepted.push(...(await publish(operator, gatehouse.vaultId, 'ticket', 1)))
      if (n % 10 === 0) refused.push(...(await publish(operator, gatehouse.vaultId, 'account', 1)))
      await sleep(50)
    }
    await eventually(async () => {
      const states = (await readLogs(gatehouse, accepted)).map(({ status }) => status)
      expect(new Set(states)).toEqual(new Set(['completed']))
    })
    expect(new Set(refusing.received.map(({ attributes }) => attributes.event_id)).size).toBe(refused.length)
    isOpen = true
    process.kill(temporal.pid, 'SIGCONT')
    await eventually(async () => {
      const states = (await readLogs(gatehouse, refused)).map(({ status }) => status)
      expect(new Set(states)).toEqual(new Set(['completed']))
    })
    expect(accepting.received).toHaveLength(accepted.length)
    const batches = new Set((await readLogs(gatehouse, refused)).map(({ batchId }) => batchId))
    // Without merging, there would be one batch per second.
    expect(batches.size).toBeLessThanOrEqual(6)
    expect(
      worker
        .output()
        .split('\n')
        .filter((line) => line.includes('was not started')).length,
    ).toBe(1)
    await accepting.stop()
    await refusing.stop()
  })
})
