/** Tests the arguments of the command line. */
import { execFile } from 'node:child_process'
import { expect, test } from 'vitest'
import { readCommandLine } from '../../../src/cli/command-line.ts'

/** Runs the command line without settings, because the usage message requires none. */
const cli = (...args: string[]) =>
  new Promise<{ code: number | null; out: string; problem: string }>((resolve) => {
    const env = { PATH: process.env.PATH }
    const child = execFile(process.execPath, ['src/cli/main.ts', ...args], { env }, (_, out, problem) =>
      resolve({ code: child.exitCode, out, problem }),
    )
  })

test.concurrent.each([
  [['migrate', '-h'], { code: 0, out: expect.stringMatching(/^Usage: npm run cli/), problem: '' }],
  [['mirgate'], { code: 2, out: '', problem: expect.stringMatching(/^Usage: npm run cli/) }],
])('%j prints the usage and does nothing else', async (args, result) => {
  expect(await cli(...args)).toEqual(result)
})

test.each([['--help'], ['migrate', '-h']])('%s asks for help', (...args) => {
  expect(readCommandLine(args)).toMatchObject({ command: 'help' })
})

test('returns the command and its action', () => {
  expect(readCommandLine(['profile', 'check', '--vault', 'x'])).toMatchObject({
    command: 'profile',
    action: 'check',
  })
})

test('returns the command and its options', () => {
  expect(readCommandLine(['create-user', '--email', 'a@example.com', '--role', 'x', '--role', 'y'])).toEqual({
    command: 'create-user',
    values: { email: 'a@example.com', role: ['x', 'y'] },
  })
})

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
  ['a command without its action', ['profile'], /^profile needs one of export, check, compare, publish/],
  ['two actions', ['profile', 'check', 'publish'], /^profile does not accept 'publish'/],
  ['the name of an object property', ['constructor'], /^Usage/],
])('answers %s with the usage', (_, args, problem) => {
  expect(readCommandLine(args)).toEqual({ problem: expect.stringMatching(problem) })
})
