/** What is logged of an error: where and what kind, never a value that somebody sent. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { describeError } from '../../src/log.ts'
import { SettingsError } from '../../src/settings-error.ts'

const SECRET = 'ada@example.com'
const text = (error: unknown) => JSON.stringify(describeError(error))

test('an error is told by its name, code and places', () => {
  const error = Object.assign(new TypeError(`bad value ${SECRET}`), { code: '22P02', table_name: 'files' })
  expect(describeError(error)).toMatchObject({ name: 'TypeError', code: '22P02', table: 'files' })
  expect(text(error)).toContain('log.test.ts')
  expect(text(error)).not.toContain(SECRET)
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
  expect(text(query)).not.toContain(SECRET)
  expect(describeError(query)).toMatchObject({ cause: { constraint: 'users_email_hash_unique' } })
})

test('a message that looks like a place of the stack is still left out', () => {
  const forged = new Error(`params: x\n    at ${SECRET} (file.ts:1:1)`)
  expect(text(forged)).not.toContain(SECRET)
  expect(text(forged)).toContain('log.test.ts')
})

test('whatever the message says, it is not logged', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 4 }), (value) => {
      const marked = `<<${value}>>`
      expect(text(new Error(`first\n    at ${marked}\n${marked}`))).not.toContain('<<')
    }),
  )
})

test.each([[SECRET], [7], [null], [undefined], [{ message: SECRET }]])(
  '%j thrown tells its type only',
  (thrown) => {
    expect(describeError(thrown)).toEqual({ name: typeof thrown })
  },
)
