/** Waiting for what a signal brings about ends, whatever happens to the clock. */
import { afterEach, test, vi } from 'vitest'
import { waitUntil } from '../../src/use-cases/cases/wait-until.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

test('it ends although the clock was set back meanwhile', async () => {
  const ended = waitUntil(async () => false, performance.now() - 3_800)
  const now = Date.now()
  vi.spyOn(Date, 'now').mockReturnValue(now - 3_600_000)
  await ended
})
