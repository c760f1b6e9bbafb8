/** Tests which versions Gatehouse accepts, and that the documentation states the same ones. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import {
  type Component,
  requireSupported,
  SUPPORTED,
  supportedVersions,
} from '../../../src/process/versions.ts'

test.each<[Component, string, boolean]>([
  ['PostgreSQL', '16.0', true],
  ['PostgreSQL', '18.4 (Debian 18.4-1)', true],
  ['PostgreSQL', '19beta1', false],
  ['Temporal server', '1.31.2', true],
  ['Temporal server', '1.32.0-158.1', false],
  ['Temporal server', '2.0.0', false],
  ['Node.js', 'v26.12.1', true],
])('accepts %s %s (tested: %s)', (component, version, isTested) => {
  expect(requireSupported(component, version)).toBe(isTested)
})

test.each<[Component, string, string]>([
  ['PostgreSQL', '15.18 (Debian 15.18-0+deb12u1)', 'PostgreSQL 15.18'],
  ['Temporal server', '1.9.3', 'Temporal server 1.9.3'],
  ['Node.js', 'v20.20.2', 'Node.js 20.20.2'],
  ['PostgreSQL', '', 'PostgreSQL 0'],
])('refuses %s %s and says which version to install', (component, version, named) => {
  const message = `${named} is too old. Install version ${supportedVersions(component)}.`
  expect(() => requireSupported(component, version)).toThrow(message)
})

test.each(Object.keys(SUPPORTED) as Component[])(
  'docs/upgrades.md states the versions of %s',
  (component) => {
    const page = readFileSync(new URL('../../../docs/upgrades.md', import.meta.url), 'utf8')
    const [, stated] = new RegExp(`^\\| ${component} \\| ([\\d.]+(?: to [\\d.]+)?)`, 'm').exec(page) ?? []
    expect(stated).toBe(supportedVersions(component))
  },
)

test('states that Node.js is too old before it reads a setting', async () => {
  for (const script of ['src/server.ts', 'src/worker.ts', 'src/cli/main.ts'])
    expect(/^import '(.*)'$/m.exec(readFileSync(script, 'utf8'))?.[1]).toMatch(/process\/node.ts$/)
  const old = "data:text/javascript,Object.defineProperty(process,'version',{value:'v20.20.2'})"
  const run = promisify(execFile)(process.execPath, ['--import', old, 'src/cli/main.ts', 'migrate'])
  await expect(run).rejects.toMatchObject({
    code: 1,
    stderr: 'Node.js 20.20.2 is too old. Install version 26.\n',
  })
})
