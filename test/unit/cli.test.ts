/** Tests the usage message of the command line. */
import { execFile } from 'node:child_process'
import { expect, test } from 'vitest'

/** Runs the command line without settings, because the usage message requires none. */
const cli = (...args: string[]) =>
  new Promise<{ code: number | null; out: string; problem: string }>((resolve) => {
    const env = { PATH: process.env.PATH }
    const child = execFile(process.execPath, ['src/cli/main.ts', ...args], { env }, (_, out, problem) =>
      resolve({ code: child.exitCode, out, problem }),
    )
  })

test.each([['--help'], ['migrate', '-h']])(
  '%s prints the commands and does nothing else',
  async (...args) => {
    expect(await cli(...args)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Usage: npm run cli/),
      problem: '',
    })
  },
)

test.each([
  ['no command', [], /^Usage/],
  ['an unknown command', ['mirgate'], /^Usage/],
  ['an unknown option', ['migrate', '--fast'], /^Unknown option '--fast'.*\n\nUsage/],
  ['an option without its value', ['create-vault', '--name'], /^Option '--name <value>'.*\n\nUsage/],
  [
    'an option of another command',
    ['rotate-signing-key', '--dry-run'],
    /^rotate-signing-key does not accept --dry-run\.\n\nUsage/,
  ],
  [
    'an extra argument',
    ['create-vault', '--name', 'First', 'client'],
    /^create-vault does not accept 'client'\. .*quotes.*\n\nUsage/,
  ],
  ['the name of an object property', ['constructor'], /^Usage/],
])('prints the usage if the command line contains %s', async (_, args, problem) => {
  expect(await cli(...args)).toMatchObject({ code: 2, out: '', problem: expect.stringMatching(problem) })
})
