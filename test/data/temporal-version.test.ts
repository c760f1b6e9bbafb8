/** Tests that a Temporal server that is too old is refused before anything changes. */
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../dev/launcher/ports.ts'
import type { Finding } from '../../src/cli/doctor.ts'
import { eventually, type OwnInstance, startInstance } from '../support/instance.ts'
import { startTemporalOf } from '../support/old-temporal.ts'
import { spawnProcess } from '../support/processes.ts'

const REFUSAL = 'Temporal server 1.30.4 is too old. Install version 1.31.'
let gatehouse: OwnInstance
let old: Awaited<ReturnType<typeof startTemporalOf>>
beforeAll(async () => {
  gatehouse = await startInstance()
  old = await startTemporalOf('1.30.4')
})
afterAll(async () => {
  old.stop()
  await gatehouse.stop()
})

const start = (script: string, args: string[] = [], env: Record<string, string> = {}) => {
  const started = spawnProcess(script, { ...gatehouse.env, TEMPORAL_ADDRESS: old.address, ...env }, ...args)
  onTestFinished(() => started.stop('SIGKILL'))
  return started
}

test('by setup-temporal, which asks it only for its version', async () => {
  const cli = start('src/cli/main.ts', ['setup-temporal'])
  expect([await cli.ended, cli.output()]).toEqual([1, `${REFUSAL}\n`])
  expect(old.calls()).toEqual(['GetSystemInfo'])
})

test('by an API, which is not ready and logs the versions', async () => {
  const port = await freePort()
  const api = start('src/server.ts', [], { PORT: String(port), LOG_LEVEL: 'warn' })
  await eventually(async () => {
    const response = await fetch(`http://127.0.0.1:${port}/readyz`)
    expect(await response.json()).toEqual({ status: 'temporal_too_old' })
  })
  await api.wrote(REFUSAL)
})

test('but not by an API to which no server responds, because it serves reads', async () => {
  const port = await freePort()
  start('src/server.ts', [], { PORT: String(port), TEMPORAL_ADDRESS: '127.0.0.1:1' })
  await eventually(async () => {
    const response = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(1_000) })
    expect(await response.json()).toEqual({ status: 'ok' })
  })
})

test('by a worker, which exits and states the versions', async () => {
  const worker = start('src/worker.ts')
  expect(await worker.ended).toBe(1)
  expect(worker.output()).toContain(REFUSAL)
})

test('by doctor, which says what to install', async () => {
  const cli = start('src/cli/main.ts', ['doctor', '--json'])
  expect(await cli.ended).toBe(1)
  expect(JSON.parse(cli.output()) as Finding[]).toContainEqual({
    check: 'versions',
    status: 'fail',
    text: REFUSAL,
    remedy: 'Correct this, and run doctor again.',
  })
})
