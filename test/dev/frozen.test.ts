/** Tests that a hanging process is replaced, by itself or by its supervisor. */
import { expect, test } from 'vitest'
import { startChild } from '../../dev/launcher/process.ts'
import { supervise } from '../../dev/launcher/supervisor.ts'
import { eventually } from '../support/instance.ts'
import { spawnProcess } from '../support/processes.ts'

const STUCK = 'test/support/stuck.ts'

test('a process kills itself and prints a message if its event loop hangs', async () => {
  const stuck = spawnProcess(STUCK, { MOST_SECONDS: '10' })
  await stuck.ready()
  stuck.child.send('stand still')
  expect(await stuck.ended).toBeNull()
  expect(stuck.child.signalCode).toBe('SIGKILL')
  expect(stuck.output()).toContain('event loop hangs')
})

test('a hanging process kills itself even if no one reads its output', async () => {
  const stuck = spawnProcess(STUCK, { MOST_SECONDS: '10' })
  await stuck.ready()
  stuck.child.stderr?.destroy()
  stuck.child.send('stand still')
  await stuck.ended
  expect(stuck.child.signalCode).toBe('SIGKILL')
})

test('a supervisor restarts a process that stays stopped, but not one that continues after a second', async () => {
  const pids: number[] = []
  const supervised = await supervise(
    {
      name: 'A process',
      start: (signal) =>
        startChild(
          {
            name: 'stuck',
            command: process.execPath,
            args: [STUCK],
            env: { MOST_SECONDS: '60' },
            ipc: true,
            maxSilenceMs: 6_000,
          },
          (child) => child.message(),
          signal,
        ),
      onUp: (pid) => void pids.push(pid),
      say: () => {},
    },
    new AbortController().signal,
  )
  const [first = 0] = pids
  process.kill(first, 'SIGSTOP')
  setTimeout(() => process.kill(first, 'SIGCONT'), 1_000)
  await new Promise((resolve) => setTimeout(resolve, 3_000))
  expect(pids).toHaveLength(1)
  process.kill(first, 'SIGSTOP')
  await eventually(() => expect(pids).toHaveLength(2))
  await supervised.stop()
})
