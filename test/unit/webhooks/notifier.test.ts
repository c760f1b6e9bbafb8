/** Tests when workers are notified of commits: with the next write, by a timer, after a failed write, and at the end. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Database } from '../../../src/db/connection/database.ts'
import { createLogger } from '../../../src/process/log.ts'
import { createNotifier, type Notifier } from '../../../src/webhooks/notifier.ts'

/** The longest time for which the notification of a commit is delayed. */
const PAUSE_MS = 8

let sent: number
let notifier: Notifier
beforeEach(() => {
  vi.useFakeTimers()
  sent = 0
  const execute = async () => void sent++
  notifier = createNotifier({
    db: { orm: { execute } } as unknown as Database,
    log: createLogger('silent', 'test'),
  })
})
afterEach(() => vi.useRealTimers())

/** Writes for this long. Returns the news of which the write notified the workers, or null. */
const write = async (ms = 1) => {
  let notified: string | null = null
  await notifier.notifyWith(async (news) => {
    notified = news
    await vi.advanceTimersByTimeAsync(ms)
    return { written: ['log'] }
  })
  return notified as string | null
}
const failing = () =>
  notifier.notifyWith(async () => {
    throw new Error('refused')
  })

test('adds notifications to consecutive writes, without separate statements', async () => {
  const notified: (string | null)[] = []
  for (let n = 0; n < 12; n += 1) {
    notified.push(await write())
    await vi.advanceTimersByTimeAsync(1)
  }
  expect(notified.map((news) => news ?? '-').join(' ')).toBe('logs - - - all - - - all - - -')
  expect(sent).toBe(0)
  await vi.advanceTimersByTimeAsync(PAUSE_MS)
  expect(sent).toBe(1)
})

test('reports a commit after the pause if no write follows', async () => {
  await write()
  expect(await write()).toBe(null)
  await vi.advanceTimersByTimeAsync(PAUSE_MS - 1)
  expect(sent).toBe(0)
  await vi.advanceTimersByTimeAsync(1)
  expect(sent).toBe(1)
  await vi.advanceTimersByTimeAsync(100)
  expect(sent).toBe(1)
})

/** Leaves a commit whose notification is pending, so that the next write should send it. */
async function leaveCommit(): Promise<void> {
  await write(7)
  await write(0)
  await vi.advanceTimersByTimeAsync(1)
}

test('reports earlier commits at once if the write that should report them fails', async () => {
  await leaveCommit()
  await expect(failing()).rejects.toThrow('refused')
  await vi.advanceTimersByTimeAsync(0)
  expect(sent).toBe(1)
  await vi.advanceTimersByTimeAsync(100)
  expect(sent).toBe(1)
})

test('reports earlier commits at once if the write wrote nothing', async () => {
  await leaveCommit()
  await notifier.notifyWith(async () => ({ written: [] }))
  await vi.advanceTimersByTimeAsync(0)
  expect(sent).toBe(1)
})

test('reports earlier commits in time if the next write takes long', async () => {
  await leaveCommit()
  const writing = write(100)
  await vi.advanceTimersByTimeAsync(PAUSE_MS)
  expect(sent).toBe(1)
  expect(await writing).toBe('all')
})

test('reports commits during a write that takes long', async () => {
  await leaveCommit()
  const writing = write(5)
  notifier.notify(['other'])
  await writing
  expect(sent).toBe(0)
  await vi.advanceTimersByTimeAsync(PAUSE_MS)
  expect(sent).toBe(1)
})

test('reports pending commits before it becomes idle', async () => {
  await write()
  await write()
  await notifier.idle()
  expect(sent).toBe(1)
  await vi.advanceTimersByTimeAsync(100)
  expect(sent).toBe(1)
})
