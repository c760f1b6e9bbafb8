/** Tests that waiting for the effect of a signal ends, regardless of clock changes. */
import { afterEach, test, vi } from 'vitest'
import { waitUntil } from '../../../src/use-cases/case/wait-until.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

test('the wait ends even if the clock is set back', async () => {
  const ended = waitUntil(async () => false, performance.now() - 3_800)
  const now = Date.now()
  vi.spyOn(Date, 'now').mockReturnValue(now - 3_600_000)
  await ended
})
