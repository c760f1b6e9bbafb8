/**
 * Tests that every column of bytes is encrypted, a hash or public, and that encrypted columns name their
 * owner.
 */
import { is } from 'drizzle-orm'
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core'
import { expect, test } from 'vitest'
import * as schema from '../../../drizzle/schema.ts'
import { SEALED } from '../../../src/db/connection/sealed.ts'

const tables = Object.values(schema).flatMap((each) => (is(each, PgTable) ? [getTableConfig(each)] : []))
const columns = tables.flatMap(({ name: table, columns }) =>
  columns.map((column) => ({ name: `${table}.${column.name}`, type: column.getSQLType() })),
)

/** Every page shows the logo. The fingerprints are of lists, not of people in the database. */
const PUBLIC = ['vaults.logo', 'screening_lists.fingerprints']

test('every column of bytes is encrypted, a hash or public', () => {
  const bytes = columns.filter(({ type }) => type === 'bytea').map(({ name }) => name)
  const sealed = bytes.filter((name) => !/_hash$|\.sha256$/.test(name) && !PUBLIC.includes(name))
  expect(sealed.sort()).toEqual(Object.keys(SEALED).sort())
})

test('the owner of an encrypted value is a column of the same table that is never null', () => {
  for (const [sealed, { owner }] of Object.entries(SEALED)) {
    const table = tables.find(({ name }) => sealed.startsWith(`${name}.`))
    const column = table?.columns.find(({ name }) => name === owner)
    expect(column?.notNull, `${sealed} for ${owner}`).toBe(true)
  }
})
