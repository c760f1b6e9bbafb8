/** Tests that the service role can read and write rows, but owns nothing and cannot change the history. */
import { randomBytes } from 'node:crypto'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { migrate } from '../../src/db/connection/migrate.ts'
import { createDatabase, dropDatabase, dropRole } from '../support/database.ts'

const name = `test_${randomBytes(6).toString('hex')}`
const [role, owner] = [`${name}_service`, `${name}_owner`]
let ownerUrl: string
let serviceUrl: string
let db: postgres.Sql

const as = (url: string, user: string) => {
  const other = new URL(url)
  other.username = user
  other.password = 'of-this-test'
  return other.href
}

beforeAll(async () => {
  ownerUrl = await createDatabase(name)
  serviceUrl = as(ownerUrl, role)
  // At first, one role owns everything. The second migration adds the service role.
  await migrate(ownerUrl)
  await migrate(ownerUrl, { service: serviceUrl })
  db = postgres(serviceUrl, { max: 1, onnotice: () => {} })
})
afterAll(async () => {
  await db.end()
  await dropDatabase(name)
  await dropRole(role)
  await dropRole(owner)
})

test('the service role has no special attributes and owns nothing', async () => {
  expect(
    await db`SELECT rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls FROM pg_roles
      WHERE rolname = current_user`.values(),
  ).toEqual([[false, false, false, false, false]])
  expect(await db`SELECT FROM pg_class WHERE relowner = ${role}::regrole`).toHaveLength(0)
})

test.each([
  'CREATE TABLE mine (id integer)',
  'ALTER TABLE vaults ADD COLUMN mine text',
  'DROP TABLE vaults',
  'TRUNCATE audit_log',
  'DELETE FROM audit_log',
  "UPDATE audit_log SET actor = 'somebody else'",
  'DELETE FROM timeline',
  "UPDATE timeline SET action = 'something else'",
  'DELETE FROM drizzle.__drizzle_migrations',
  "COPY vaults TO PROGRAM 'cat'",
  'ALTER TABLE webhook_logs DISABLE TRIGGER ALL',
])('the service role cannot %s', async (statement) => {
  await expect(db.unsafe(statement)).rejects.toMatchObject({ code: '42501' })
})

test.each([
  "INSERT INTO vaults (id, name) VALUES (uuidv7(), 'Analytical Engines')",
  'UPDATE timeline SET notes = NULL',
  'UPDATE audit_log SET count = count + 1',
  'DELETE FROM webhook_logs',
  'SELECT FROM timeline LIMIT 1 FOR UPDATE',
  'SELECT FROM drizzle.__drizzle_migrations',
])('the service role can %s', async (statement) => {
  await db.unsafe(statement)
})

test('the service role can use a new table after the next migration', async () => {
  const byOwner = postgres(ownerUrl, { max: 1 })
  await byOwner`CREATE TABLE later (id integer)`
  await expect(db`INSERT INTO later VALUES (1)`).rejects.toMatchObject({ code: '42501' })
  await migrate(ownerUrl, { service: serviceUrl })
  await db`INSERT INTO later VALUES (1)`
  await byOwner.end()
})

describe('a cluster with another administrator', () => {
  const [database, other] = [`${name}_owned`, `${name}_other`]
  let url: string
  beforeAll(async () => {
    const admin = postgres(inject('postgresUrl'), { max: 1 })
    url = as(await createDatabase(database), owner)
    await admin.unsafe(`CREATE ROLE ${owner} LOGIN PASSWORD 'of-this-test'`)
    await admin.unsafe(`ALTER DATABASE ${database} OWNER TO ${owner}`)
    await admin.end()
  })
  afterAll(() => dropDatabase(database))

  test('is migrated by an owner without superuser rights, who grants rights to an existing role', async () => {
    await migrate(url, { service: as(url, role) })
    const service = postgres(as(url, role), { max: 1 })
    await service`SELECT FROM vaults`
    await expect(service`DROP TABLE vaults`).rejects.toMatchObject({ code: '42501' })
    await service.end()
  })
  test('requires an administrator to create a missing role', async () => {
    await expect(migrate(url, { service: as(url, other) })).rejects.toThrow(
      `There is no role ${other}: let an administrator create it, CREATE ROLE ${other} LOGIN PASSWORD '…', and migrate again.`,
    )
  })
})
