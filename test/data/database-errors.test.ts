/** Tests that failures of a real PostgreSQL name their condition and a remedy, and never data. */

import { type SQL, sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { newKeys } from '../../dev/launcher/secrets.ts'
import { connectDatabase } from '../../src/db/connection/database.ts'
import { explainDatabaseFailure } from '../../src/db/connection/failure.ts'
import { createLogger, describeError } from '../../src/process/log.ts'
import { createEncryption } from '../../src/storage/encryption.ts'
import { asAdmin, cloneDatabase, dropDatabase, dropRole, serviceUrlOf } from '../support/database.ts'
import { spawnProcess } from '../support/processes.ts'

const PASSWORD = 'the-password-of-ada'
const name = `test_errors_${process.pid}`
const roles = { stranger: `${name}_stranger`, limited: `${name}_limited` }
const urlOf = (changes: Partial<Record<'username' | 'password' | 'pathname' | 'port', string>>) =>
  Object.assign(new URL(serviceUrlOf(name)), changes).href

beforeAll(async () => {
  await cloneDatabase(name)
  await asAdmin(`REVOKE CONNECT ON DATABASE ${name} FROM PUBLIC`)
  await asAdmin(`CREATE ROLE ${roles.stranger} LOGIN PASSWORD '${PASSWORD}'`)
  await asAdmin(`CREATE ROLE ${roles.limited} LOGIN PASSWORD '${PASSWORD}' CONNECTION LIMIT 0`)
  await asAdmin(`GRANT CONNECT ON DATABASE ${name} TO ${roles.limited}, gatehouse_service`)
})
afterAll(async () => {
  await dropDatabase(name)
  for (const role of Object.values(roles)) await dropRole(role)
})

const as = (username: string) => urlOf({ username, password: PASSWORD })
const ONE = sql`SELECT 1`

test.each<[string, () => string, SQL, string]>([
  ['a wrong password', () => urlOf({ password: 'wrong' }), ONE, 'invalid_password'],
  ['a missing database', () => urlOf({ pathname: '/absent' }), ONE, 'invalid_catalog_name'],
  ['a role without the right to connect', () => as(roles.stranger), ONE, 'insufficient_privilege'],
  ['too many connections', () => as(roles.limited), ONE, 'too_many_connections'],
  ['a forbidden change', () => urlOf({}), sql`DELETE FROM audit_log`, 'insufficient_privilege'],
  ['a missing table', () => urlOf({}), sql`SELECT ${PASSWORD}::text FROM absent`, 'undefined_table'],
  ['a wrong value', () => urlOf({}), sql`SELECT ${PASSWORD}::text::uuid`, 'invalid_text_representation'],
  ['no server', () => urlOf({ port: '1' }), ONE, 'ECONNREFUSED'],
])('names the condition of %s in the log and in an explanation', async (_, url, query, condition) => {
  const db = connectDatabase(url(), createEncryption(newKeys()), createLogger('silent', 'test'))
  const error = await db.orm.execute(query).catch((failure: unknown) => failure)
  await db.end()
  for (const text of [JSON.stringify(describeError(error)), explainDatabaseFailure(error)]) {
    expect(text).toContain(condition)
    expect(text).not.toContain(PASSWORD)
  }
})

test('is not the database’s failure if another part failed', () => {
  expect(explainDatabaseFailure(new Error('x'))).toBeNull()
})

test('the command line prints the condition and the remedy', async () => {
  const env = { ...newKeys(), DATABASE_URL: urlOf({ password: 'wrong' }), BLOB_URL: 'file:///nowhere' }
  const cli = spawnProcess(
    'src/cli/main.ts',
    { ...env, TEMPORAL_ADDRESS: inject('temporalAddress') },
    'migrate',
  )
  expect(await cli.ended).toBe(1)
  expect(cli.output()).toMatch(
    /^PostgreSQL reports invalid_password \(28P01\)\. Correct the password in the URL\.\n\{/,
  )
})
