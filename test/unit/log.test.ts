/** What is logged of an error: where and what kind, never a value that somebody sent. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { describeError } from '../../src/process/log.ts'
import { SettingsError } from '../../src/process/settings-error.ts'

const SECRET = 'ada@example.com'
const told = (error: unknown) => JSON.stringify(describeError(error))

test('an error is told by its name, code and places', () => {
  const error = Object.assign(new TypeError(`bad value ${SECRET}`), { code: '22P02', table_name: 'files' })
  expect(describeError(error)).toMatchObject({ name: 'TypeError', code: '22P02', table: 'files' })
  expect(told(error)).toContain('log.test.ts')
  expect(told(error)).not.toContain(SECRET)
})

test('what is wrong with a setting is told in our words, as a cause too', () => {
  const wrong = new SettingsError('SCREENING_LIST_DIR: no list in /lists.')
  expect(describeError(wrong)).toMatchObject({ name: 'SettingsError', message: wrong.message })
  expect(describeError(new Error(SECRET, { cause: wrong }))).toMatchObject({
    message: undefined,
    cause: { message: wrong.message },
  })
})

test('what a driver says in its message, detail, query and parameters stays out', () => {
  const driver = Object.assign(new Error(`duplicate key (${SECRET})`), {
    code: '23505',
    constraint_name: 'users_email_hash_unique',
    detail: `Key (email)=(${SECRET}) already exists.`,
    where: SECRET,
    query: `insert ${SECRET}`,
    parameters: [SECRET],
    args: [SECRET],
  })
  const query = new Error(`Failed query: insert\nparams: ${SECRET}`, { cause: driver })
  expect(told(query)).not.toContain(SECRET)
  expect(describeError(query)).toMatchObject({ cause: { constraint: 'users_email_hash_unique' } })
})

test('a message that looks like a place of the stack is still left out', () => {
  const forged = new Error(`params: x\n    at ${SECRET} (file.ts:1:1)`)
  expect(told(forged)).not.toContain(SECRET)
  expect(told(forged)).toContain('log.test.ts')
})

test('whatever the message says, it is not logged', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 4 }), (value) => {
      const marked = `<<${value}>>`
      expect(told(new Error(`first\n    at ${marked}\n${marked}`))).not.toContain('<<')
    }),
  )
})

test.each([[SECRET], [7], [null], [undefined], [{ message: SECRET }]])(
  '%j thrown tells its type only',
  (thrown) => {
    expect(describeError(thrown)).toEqual({ name: typeof thrown })
  },
)

const FILLING = `
  import { createLogger, logCrash } from './src/process/log.ts'
  const log = createLogger('info', 'test')
  logCrash(log)
  for (let n = 0; n < 2_000; n++) log.info('what fills it and more of what fills it, and more of what fills it')
  setTimeout(() => { console.error('it lives'); throw new Error('it ends') }, 100)`
const run = (script: string, stdout: number | 'pipe') =>
  spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    stdio: ['ignore', stdout, 'pipe'],
  })

test.skipIf(!existsSync('/dev/full'))(
  'a log on a full disk ends no process, nor holds its end up',
  async () => {
    const full = openSync('/dev/full', 'w')
    const child = run(FILLING, full)
    const said = text(child.stderr as Readable)
    const [code] = await once(child, 'exit')
    closeSync(full)
    expect([await said, code]).toEqual(['it lives\n', 1])
  },
)

const CRASHING = `
  import { createLogger, logCrash } from './src/process/log.ts'
  const log = createLogger('info', 'test')
  logCrash(log)
  log.info('begins')
  log.info('goes on')
  throw new Error('it ends')`
const LOSING = `
  import { createLogger, logCrash } from './src/process/log.ts'
  const log = createLogger('info', 'test')
  logCrash(log)
  for (let n = 0; n < 20_000; n++) log.info('what fills it and more of what fills it, and more of what fills it')
  setTimeout(() => { throw new Error('it ends') }, 1_000)`

test.skipIf(!existsSync('/dev/full'))('a crash beside a full disk ends the process', async () => {
  const full = openSync('/dev/full', 'w')
  const [code] = await once(run(CRASHING, full), 'exit')
  closeSync(full)
  expect(code).toBe(1)
})

test('lines that were lost are counted, and what ends the process is said', async () => {
  const child = run(LOSING, 'pipe')
  const [said, [code]] = await Promise.all([text(child.stdout as Readable), once(child, 'exit')])
  const lines = said
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const { lost } = lines.find(({ level }) => level === 40)
  expect(lines.filter(({ level }) => level === 30).length + lost).toBe(20_000)
  expect([lines.at(-1).level, lines.at(-1).err.name, code]).toEqual([60, 'Error', 1])
})

test('a log that nobody reads holds no process up', async () => {
  const child = run(FILLING, 'pipe')
  const [said] = await once(child.stderr as Readable, 'data')
  expect(String(said)).toBe('it lives\n')
  child.kill('SIGKILL')
})
