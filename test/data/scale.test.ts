/** Tests that no list, search or filter reads a large table completely. */
import { execa } from 'execa'
import { expect, test } from 'vitest'

test('no request reads a large table completely', async () => {
  const { stdout, exitCode } = await execa({ reject: false })`node bench/scale.ts --rows 10000`
  expect(exitCode, stdout).toBe(0)
}, 300_000)
