/** Tests that the exit of a screening thread fails its own questions, but not its replacement's questions. */
import { expect, test } from 'vitest'
import { createLocalScreener } from '../../../src/screening/local.ts'

test('does not fail the questions of a new thread if the earlier thread exits late', async () => {
  // Without settings, each thread fails when it starts. Its exit follows its error.
  const screener = createLocalScreener(null as never)
  const ask = () => screener.version().catch((error: Error) => error.message)
  const first = await ask()
  expect(first).toContain('folder')
  expect(await ask()).toBe(first)
})
