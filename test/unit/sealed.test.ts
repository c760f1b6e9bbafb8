/** Every column that holds bytes is sealed, and named with whom it is sealed for, or holds a hash or what is public. */
import { is } from 'drizzle-orm'
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core'
import { expect, test } from 'vitest'
import * as schema from '../../drizzle/schema.ts'
import { SEALED } from '../../src/db/connection/sealed.ts'

const tables = Object.values(schema).flatMap((each) => (is(each, PgTable) ? [getTableConfig(each)] : []))
const columns = tables.flatMap(({ name: table, columns }) =>
  columns.map((column) => ({ name: `${table}.${column.name}`, type: column.getSQLType() })),
)

/** Anyone who opens a page sees the logo; the fingerprints are of lists, not of the people we hold. */
const PUBLIC = ['vaults.logo', 'screening_lists.fingerprints']

test('a column of bytes is in the table of sealed columns, or a hash, or public', () => {
  const bytes = columns.filter(({ type }) => type === 'bytea').map(({ name }) => name)
  const sealed = bytes.filter((name) => !/_hash$|\.sha256$/.test(name) && !PUBLIC.includes(name))
  expect(sealed.sort()).toEqual(Object.keys(SEALED).sort())
})

test('whom a value is sealed for is a column of the same table that never is empty', () => {
  for (const [sealed, { owner }] of Object.entries(SEALED)) {
    const table = tables.find(({ name }) => sealed.startsWith(`${name}.`))
    const column = table?.columns.find(({ name }) => name === owner)
    expect(column?.notNull, `${sealed} for ${owner}`).toBe(true)
  }
})
