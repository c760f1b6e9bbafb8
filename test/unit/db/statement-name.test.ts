/** Tests the names of statements in traces. */
import { expect, test } from 'vitest'
import { nameStatement } from '../../../src/db/connection/statement-name.ts'

test.each([
  ['select "id" from "commands" where "id" = $1', 'SELECT commands'],
  [
    'SELECT (SELECT json_agg(b) FROM b) FROM kyb_applications k JOIN beneficiaries b ON true',
    'SELECT kyb_applications',
  ],
  ['select (select count(*) from accounts), id from "identifications" for update', 'SELECT identifications'],
  ['WITH locked AS (SELECT * FROM commands FOR UPDATE) SELECT id FROM locked', 'SELECT commands'],
  [
    'WITH applied AS (UPDATE commands SET id = $1 RETURNING id) INSERT INTO others SELECT * FROM applied',
    'UPDATE commands',
  ],
  ['DO $$ BEGIN END $$', 'DO'],
])('names a statement by its operation and its main table: %s', (text, name) => {
  expect(nameStatement(text)).toBe(name)
})
