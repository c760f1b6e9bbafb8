/** Tests that logs of errors contain their type and location, but never submitted values. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { describeError } from '../../../src/process/log.ts'
import { SettingsError } from '../../../src/process/settings-error.ts'

const SECRET = 'ada@example.com'
const logged = (error: unknown) => JSON.stringify(describeError(error))

test('a logged error has its name, code and location', () => {
  const error = Object.assign(new TypeError(`bad value ${SECRET}`), { code: '22P02', table_name: 'files' })
  expect(describeError(error)).toMatchObject({ name: 'TypeError', code: '22P02', table: 'files' })
  expect(logged(error)).toContain('log.test.ts')
  expect(logged(error)).not.toContain(SECRET)
})

test('a logged SettingsError has its message, also as a cause', () => {
  const wrong = new SettingsError('SCREENING_LIST_DIR: no list in /lists.')
  expect(describeError(wrong)).toMatchObject({ name: 'SettingsError', message: wrong.message })
  expect(describeError(new Error(SECRET, { cause: wrong }))).toMatchObject({
    message: undefined,
    cause: { message: wrong.message },
  })
})

test('a logged driver error has no message, detail, query or parameters', () => {
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
  expect(logged(query)).not.toContain(SECRET)
  expect(describeError(query)).toMatchObject({ cause: { constraint: 'users_email_hash_unique' } })
})

test('a logged error has no message that resembles a stack frame', () => {
  const forged = new Error(`params: x\n    at ${SECRET} (file.ts:1:1)`)
  expect(logged(forged)).not.toContain(SECRET)
  expect(logged(forged)).toContain('log.test.ts')
})

test('a logged error never has its message', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 4 }), (value) => {
      const marked = `<<${value}>>`
      expect(logged(new Error(`first\n    at ${marked}\n${marked}`))).not.toContain('<<')
    }),
  )
})

test.each([[SECRET], [7], [null], [undefined], [{ message: SECRET }]])(
  'a thrown %j is logged only with its type',
  (thrown) => {
    expect(describeError(thrown)).toEqual({ name: typeof thrown })
  },
)

const FILLING = `
  import { createLogger, logCrash } from './src/process/log.ts'
  const log = createLogger('info', 'test')
  logCrash(log)
  for (let n = 0; n < 2_000; n++) log.info('a long line that fills the buffer of the output quickly, in many bytes')
  setTimeout(() => { console.error('it lives'); throw new Error('it ends') }, 100)`
const run = (script: string, stdout: number | 'pipe') =>
  spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', stdout, 'pipe'],
  })

test
  .skipIf(!existsSync('/dev/full'))
  .concurrent('keeps the process running and able to exit if the disk is full', async () => {
    const full = openSync('/dev/full', 'w')
    const child = run(FILLING, full)
    const errors = text(child.stderr as Readable)
    const [code] = await once(child, 'exit')
    closeSync(full)
    expect([await errors, code]).toEqual(['it lives\n', 1])
  })

const CRASHING = `
  import { createLogger, logCrash } from './src/process/log.ts'
  const log = createLogger('info', 'test')
  logCrash(log)
  log.info('begins')
  log.info('continues')
  throw new Error('it ends')`
const LOSING = `
  import { createLogger, logCrash } from './src/process/log.ts'
  const log = createLogger('info', 'test')
  logCrash(log)
  for (let n = 0; n < 20_000; n++) log.info('a long line that fills the buffer of the output quickly, in many bytes')
  setTimeout(() => { throw new Error('it ends') }, 1_000)`

test
  .skipIf(!existsSync('/dev/full'))
  .concurrent('lets a crash end the process if the disk is full', async () => {
    const full = openSync('/dev/full', 'w')
    const [code] = await once(run(CRASHING, full), 'exit')
    closeSync(full)
    expect(code).toBe(1)
  })

const STALLING = `
  import { createLogger } from './src/process/log.ts'
  const log = createLogger('info', 'test')
  log.info('a request')
  log.error('a failure')
  log.info('another request')
  for (;;);`
const ENDING = `
  import { createLogger } from './src/process/log.ts'
  const log = createLogger('info', 'test')
  for (let n = 0; n < 3; n++) log.info('a request')`

test.concurrent('writes an error and the lines before it at once', async () => {
  const child = run(STALLING, 'pipe')
  const output = text(child.stdout as Readable)
  await once(child.stdout as Readable, 'data')
  child.kill('SIGKILL')
  expect((await output).match(/a\w* (request|failure)/g)).toEqual(['a request', 'a failure'])
})

test.concurrent('writes the last lines before the process ends', async () => {
  const child = run(ENDING, 'pipe')
  expect((await text(child.stdout as Readable)).match(/a request/g)).toHaveLength(3)
})

test.concurrent('counts lost lines, and logs the error that ends the process', async () => {
  const child = run(LOSING, 'pipe')
  const [output, [code]] = await Promise.all([text(child.stdout as Readable), once(child, 'exit')])
  const lines = output
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const { lost } = lines.find(({ level }) => level === 40)
  expect(lines.filter(({ level }) => level === 30).length + lost).toBe(20_000)
  expect([lines.at(-1).level, lines.at(-1).err.name, code]).toEqual([60, 'Error', 1])
})

test.concurrent('keeps the process running if no one reads the log', async () => {
  const child = run(FILLING, 'pipe')
  const [output] = await once(child.stderr as Readable, 'data')
  expect(String(output)).toBe('it lives\n')
  child.kill('SIGKILL')
})
