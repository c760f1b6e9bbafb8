/** Tests which `temporal` program `npm start` uses. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { expect, test, vi } from 'vitest'
import { findTemporalCli } from '../../dev/launcher/temporal.ts'

test('resolves a path relative to the folder of the launcher', async () => {
  const found = await findTemporalCli(() => {})
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-cli-'))
  const program = join(folder, 'temporal')
  writeFileSync(program, `#!/bin/sh\nexec '${found}' "$@"\n`, { mode: 0o755 })
  vi.stubEnv('TEMPORAL_CLI', relative(process.cwd(), program))
  expect(await findTemporalCli(() => {})).toBe(program)
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
})
