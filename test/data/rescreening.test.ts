/**
 * Tests screening after a list changes: which people are compared with which entries, and whose result
 * remains valid.
 */
import { createHash, randomBytes } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { newKeys } from '../../dev/launcher/secrets.ts'
import { sealedFor } from '../../src/db/connection/sealed.ts'
import { findDueForScreening } from '../../src/db/screening/screening.ts'
import { carryOver } from '../../src/db/screening/screening-list.ts'
import { createLogger } from '../../src/process/log.ts'
import { createLocalScreener } from '../../src/screening/local.ts'
import { createScreening } from '../../src/screening/screening.ts'
import { createEncryption } from '../../src/storage/encryption.ts'
import { cloneDatabase, dropDatabase, openDatabase } from '../support/database.ts'
import { createList } from '../support/list.ts'

const PEOPLE = 60
const DUE_MS = 240_000

const name = `test_${randomBytes(6).toString('hex')}`
const log = createLogger('silent', 'test')
const list = createList()
const encryption = createEncryption(newKeys())
const db = openDatabase(await cloneDatabase(name), encryption)
const screener = createLocalScreener({ folder: list.folder, threshold: 0.7 })
const match = vi.fn(screener.match)
const { screenDue } = createScreening({ db, screener: { ...screener, match }, log })
afterAll(async () => {
  await db.end()
  await dropDatabase(name)
  list.remove()
})

const ids: string[] = Array.from({ length: PEOPLE }, () => crypto.randomUUID())
/** Returns a name that resembles none of the others. */
const nameOf = (n: number) => {
  const hash = createHash('sha256').update(`${n}`).digest('hex')
  const letters = hash.replace(/\d/g, (digit) => 'klmnoprstu'[Number(digit)] ?? '')
  return { name: letters.slice(0, 10), surname: letters.slice(10, 22) }
}
const fullName = (n: number) => `${nameOf(n).name} ${nameOf(n).surname}`

beforeAll(async () => {
  await db.orm.execute(sql`INSERT INTO vaults (id, name) VALUES (uuidv7(), 'Analytical Engines')`)
  for (const [n, id] of ids.entries()) {
    const profile = encryption.sealJson(nameOf(n), sealedFor('identifications.profile', id))
    await db.orm.execute(sql`
      INSERT INTO identifications (id, vault_id, external_uuid, kind, origin, verification, status, waiting_on,
        awaits_kyb, profile)
      SELECT ${id}, vaults.id, ${id}, 'person', 'soft_kyc', 'approved', 'approved', 'nobody', false, ${profile}
      FROM vaults`)
  }
})

const ENTRY = { id: 'e1', name: fullName(3) }
const versions = async () =>
  (
    await db.orm.execute<{ version: string }>(
      sql`SELECT DISTINCT screened_with AS version FROM identifications`,
    )
  ).map(({ version }) => version)
const withHits = async () =>
  (await db.orm.execute<{ id: string }>(sql`SELECT id FROM identifications WHERE open_hits > 0`)).map(
    ({ id }) => ids.indexOf(id),
  )

test('compares everyone with the first list, and then only with entries that changed', async () => {
  list.write([ENTRY])
  expect(await screenDue(DUE_MS)).toBe(PEOPLE)
  expect(match).toHaveBeenCalledTimes(PEOPLE)
  expect(await withHits()).toEqual([3])

  match.mockClear()
  list.write([ENTRY, { id: 'e2', name: fullName(7) }])
  expect(await screenDue(DUE_MS)).toBe(PEOPLE)
  // A person with a hit is also compared with the whole list.
  expect(match).toHaveBeenCalledTimes(2)
  expect((await withHits()).sort()).toEqual([3, 7])
  expect(await versions()).toEqual([await screener.version()])
  const [row] = await db.orm.execute<{ count: number }>(
    sql`SELECT count(*)::int AS count FROM screening_lists`,
  )
  expect(row?.count).toBe(1)
})

test('removes the hits of entries that are no longer in the list', async () => {
  match.mockClear()
  list.write([{ id: 'e2', name: fullName(7) }])
  expect(await screenDue(DUE_MS)).toBe(PEOPLE)
  expect(match).toHaveBeenCalledTimes(2)
  expect(await withHits()).toEqual([7])
})

test('compares everyone with the complete list if the earlier list is unknown', async () => {
  await db.orm.execute(sql`DELETE FROM screening_lists`)
  match.mockClear()
  list.write([{ id: 'e2', name: fullName(7) }, ENTRY])
  expect(await screenDue(DUE_MS)).toBe(PEOPLE)
  expect(match).toHaveBeenCalledTimes(PEOPLE)
})

test('does not reuse the result of a person who has changed since it was recorded', async () => {
  const due = await findDueForScreening(db, 'another', PEOPLE)
  await db.orm.execute(sql`UPDATE identifications SET version = version + 1 WHERE id = ${ids[0]}`)
  const carried = await carryOver(db, due, 'another')
  expect(carried.has(ids[0] ?? '')).toBe(false)
  expect(carried.size).toBe(PEOPLE - 3)
})
