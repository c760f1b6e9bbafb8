/** Tests that a Temporal server that is too old is refused before anything changes. */
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { Finding } from '../../src/cli/doctor.ts'
import { type OwnInstance, startInstance } from '../support/instance.ts'
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

const start = (script: string, ...args: string[]) => {
  const started = spawnProcess(script, { ...gatehouse.env, TEMPORAL_ADDRESS: old.address }, ...args)
  onTestFinished(() => started.stop('SIGKILL'))
  return started
}

test('by setup-temporal, which asks it only for its version', async () => {
  const cli = start('src/cli/main.ts', 'setup-temporal')
  expect([await cli.ended, cli.output()]).toEqual([1, `${REFUSAL}\n`])
  expect(old.calls()).toEqual(['GetSystemInfo'])
})

test('by a worker, which exits and states the versions', async () => {
  const worker = start('src/worker.ts')
  expect(await worker.ended).toBe(1)
  expect(worker.output()).toContain(REFUSAL)
})

test('by doctor, which says what to install', async () => {
  const cli = start('src/cli/main.ts', 'doctor', '--json')
  expect(await cli.ended).toBe(1)
  expect(JSON.parse(cli.output()) as Finding[]).toContainEqual({
    check: 'versions',
    status: 'fail',
    text: REFUSAL,
    remedy: 'Correct this, and run doctor again.',
  })
})
