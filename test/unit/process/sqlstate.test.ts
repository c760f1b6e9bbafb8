/** Tests that errors of PostgreSQL have the conditions that PostgreSQL itself lists. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { postgresBinaries } from '../../../dev/launcher/postgres-binaries.ts'
import { conditionOf } from '../../../src/process/sqlstate.ts'

test('names the condition of each error', async () => {
  const { postgres } = await postgresBinaries()
  const file = readFileSync(join(postgres, '../../share/postgresql/errcodes.txt'), 'utf8')
  const listed = [...file.matchAll(/^(\w{5}) +E +\w+ +(\w+)$/gm)]
  expect(listed.length).toBeGreaterThan(200)
  // A code with several names has its official name first.
  const names = new Map(listed.toReversed().map(([, code = '', name]) => [code, name]))
  for (const [code, name] of names) expect([code, conditionOf(code)]).toEqual([code, name])
})

test.each(['EPIPE', 'ECONNREFUSED', '', undefined, 'xxxxx'])('names no condition for %s', (code) => {
  expect(conditionOf(code)).toBeUndefined()
})
