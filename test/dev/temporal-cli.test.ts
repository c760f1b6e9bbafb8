/** Tests which `temporal` program `npm start` uses. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { findTemporalCli } from '../../dev/launcher/temporal.ts'

let folder: string
let onPath: string
const program = (name: string) => join(folder, name)

const write = (path: string, output: string) =>
  writeFileSync(path, `#!/bin/sh\necho '${output}'\n`, { mode: 0o755 })

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-cli-'))
  onPath = join(folder, 'path')
  mkdirSync(onPath)
  vi.stubEnv('PATH', `${onPath}:${process.env.PATH}`)
  write(join(onPath, 'temporal'), 'temporal version 1.4.1 (Server 1.28.0, UI 2.39.0)')
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
})

test('resolves a path relative to the folder of the launcher', async () => {
  write(program('given'), 'temporal version 1.6.0 (Server 1.30.0, UI 2.45.0)')
  vi.stubEnv('TEMPORAL_CLI', relative(process.cwd(), program('given')))
  expect(await findTemporalCli(() => {})).toBe(program('given'))
})

test.each([
  ['temporal version 1.2.0 (Server 1.27.9, UI 2.30.0)', 'its server has version 1.27, but 1.28 is required'],
  ['temporal version 0.13.0 (Server 0.30.1)', 'its server has version 0.30, but 1.28 is required'],
  ['usage', 'its output has no server version (usage)'],
  [null, 'the program does not exist'],
])('skips a given program that prints %j for the one on PATH', async (output, problem) => {
  if (output !== null) write(program('given'), output)
  vi.stubEnv('TEMPORAL_CLI', program('given'))
  const said: string[] = []
  expect(await findTemporalCli((line) => said.push(line))).toBe('temporal')
  expect(said).toEqual([`Skipping ${program('given')}, because ${problem}.`])
})
