/** Tests that services start together, or not at all. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createFleet, type Hooks } from '../../dev/launcher/fleet.ts'
import { startChild } from '../../dev/launcher/process.ts'
import { eventually } from '../support/instance.ts'

const script = (code: string, ready: RegExp) => (hooks: Hooks) =>
  startChild(
    { name: 'A script', command: process.execPath, args: ['-e', code], onSpawn: hooks.onSpawn },
    (child) => child.line((line) => ready.test(line)),
    hooks.signal,
  )
const runs = script("console.log('ready'); setInterval(() => {}, 1000)", /ready/)
const fails = script("console.log('no port'); process.exit(1)", /ready/)

function newFleet() {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-fleet-'))
  const fleet = createFleet(folder, () => {}, new AbortController().signal)
  onTestFinished(async () => {
    await fleet.stop()
    rmSync(folder, { recursive: true })
  })
  return fleet
}

const lives = (pid: number | null) => {
  try {
    return process.kill(pid as number, 0)
  } catch {
    return false
  }
}

test('stops the other services if one does not start, so that they can be started again', async () => {
  const fleet = newFleet()
  await expect(fleet.keepAll({ api: fails, worker: runs })).rejects.toThrow('no port')
  const { worker } = fleet.pids
  expect(lives(worker)).toBe(false)

  await fleet.keepAll({ api: runs, worker: runs })
  const { api, worker: restarted } = fleet.pids
  expect([lives(api), lives(restarted)]).toEqual([true, true])
  process.kill(restarted as number, 'SIGKILL')
  await eventually(() => expect(fleet.pids.worker).not.toBe(restarted))
  await fleet.stop()
  expect([lives(api), lives(fleet.pids.worker)]).toEqual([false, false])
})
