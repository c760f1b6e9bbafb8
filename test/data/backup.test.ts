/** Tests a backup of the database and then the files, and the restore of both. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { pathToFileURL } from 'node:url'
import { eq, sql } from 'drizzle-orm'
import postgres from 'postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { files } from '../../drizzle/schema.ts'
import { checkFiles } from '../../src/cli/file-check.ts'
import type { DatabasePool } from '../../src/db/connection/database.ts'
import { connectBlobStore, findAttachedFiles } from '../../src/db/files/file.ts'
import type { BlobStore } from '../../src/storage/blob-store.ts'
import { blobFolderOf } from '../support/checks.ts'
import { cloneDatabase, dropDatabase, openDatabase } from '../support/database.ts'
import { eventually, startInstance, unique } from '../support/instance.ts'
import { reconcile } from '../support/webhook.ts'

const gatehouse = await startInstance()
await gatehouse.startWorker()
const { api } = gatehouse
const name = `test_${unique().replaceAll('-', '')}`
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-backup-'))

let restored: { db: DatabasePool; blobs: BlobStore }
let kyb: string
/** Detached after the dump of the database and before the copy of the files. */
let detached: string
/** Uploaded between the dump and the copy. */
let newer: string

/** Copies all rows at one moment into a separate database, which is equivalent to a dump and its restore. */
async function dumpAndRestore(): Promise<{ url: string }> {
  const url = await cloneDatabase(name)
  const [from, to] = [gatehouse.env.DATABASE_URL, url].map((each) => postgres(each, { max: 1 }))
  if (!from || !to) throw new Error('two connections')
  await to`SET session_replication_role = replica`
  await from`BEGIN ISOLATION LEVEL REPEATABLE READ`
  const tables = await from<{ name: string }[]>`SELECT table_name AS name FROM information_schema.tables
    WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`
  await to.unsafe(`TRUNCATE ${tables.map((table) => table.name).join(', ')} CASCADE`)
  for (const table of tables) {
    await pipeline(
      await from`COPY ${from(table.name)} TO STDOUT`.readable(),
      await to`COPY ${to(table.name)} FROM STDIN`.writable(),
    )
  }
  await Promise.all([from.end(), to.end()])
  return { url }
}

beforeAll(async () => {
  kyb = await api.createKyb()
  const upload = async () => (await api.upload(kyb, { attribute: 'legal_structures' })).body.id as string
  detached = await upload()
  const { url } = await dumpAndRestore()
  await api.put(`/kyb/delete_file/${kyb}`, { blob_key: detached, attribute_key: 'legal_structures' })
  newer = await upload()
  await reconcile(gatehouse)
  cpSync(blobFolderOf(gatehouse.config), folder, { recursive: true })
  const { encryption } = gatehouse.db
  const db = openDatabase(url, encryption, { connections: 2 })
  restored = { db, blobs: connectBlobStore(db, { BLOB_URL: pathToFileURL(folder).href }) }
})
afterAll(async () => {
  await restored.db.end()
  await gatehouse.stop()
  await dropDatabase(name)
  rmSync(folder, { recursive: true })
})

test('restores a file that was detached after the dump', async () => {
  const { db, blobs } = restored
  expect([...(await findAttachedFiles(db, { kybApplicationId: kyb })).keys()]).toEqual([detached])
  expect((await blobs.read(detached)).length).toBeGreaterThan(0)
})

test('removes no files if the database has no row for any of them', async () => {
  const lines: string[] = []
  const empty = `${name}_empty`
  const { encryption } = gatehouse.db
  const db = openDatabase(await cloneDatabase(empty), encryption, { connections: 1 })
  const { blobs } = restored
  expect(await checkFiles({ db, blobs, say: (line) => lines.push(line) }, { repair: true })).toBe(false)
  expect(lines.at(-1)).toContain('Nothing was deleted.')
  expect((await blobs.read(detached)).length).toBeGreaterThan(0)
  await db.end()
  await dropDatabase(empty)
})

test('names files uploaded after the dump, which have no row, and removes them on request', async () => {
  const lines: string[] = []
  const check = (repair: boolean) => checkFiles({ ...restored, say: (line) => lines.push(line) }, { repair })
  expect(await check(false)).toBe(false)
  expect(await check(true)).toBe(true)
  expect(await check(false)).toBe(true)
  expect(lines).toEqual([
    `${newer} has no row`,
    `${newer} had no row and was deleted`,
    'The stored files match the database.',
  ])
  await restored.blobs.remove(detached)
  expect(await check(true)).toBe(false)
  // The storage is now empty, so it is probably the wrong one.
  expect(lines.slice(-2)).toEqual([
    `${detached} is missing`,
    expect.stringContaining('Nothing was marked as lost.'),
  ])
})

test('removes a detached file after one day', async () => {
  expect(await gatehouse.blobs.keyId(detached)).not.toBe(null)
  await gatehouse.db.orm
    .update(files)
    .set({ keptUntil: sql`kept_until - interval '1 day'` })
    .where(eq(files.id, detached))
  await eventually(async () => {
    await reconcile(gatehouse)
    expect(await gatehouse.blobs.keyId(detached)).toBe(null)
    expect(await gatehouse.db.orm.$count(files, eq(files.id, detached))).toBe(0)
  })
  expect(await gatehouse.blobs.keyId(newer)).not.toBe(null)
})
