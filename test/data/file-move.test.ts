/**
 * Tests the move of all files to another folder: copies, interruptions, damaged files, deletion and the
 * move back.
 */
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { eq, sql } from 'drizzle-orm'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { files } from '../../drizzle/schema.ts'
import { deleteMovedFiles, moveFiles } from '../../src/cli/file-move.ts'
import { whileStored } from '../../src/db/files/stored-file.ts'
import { connectByteStores } from '../../src/storage/blob-store.ts'
import type { ByteStore } from '../../src/storage/byte-store.ts'
import { PNG } from '../support/api.ts'
import { blobsIn } from '../support/checks.ts'
import { startInstance } from '../support/instance.ts'
import { spawnProcess } from '../support/processes.ts'

const ATTRIBUTE = { attribute: 'legal_structures' }
const root = mkdtempSync(join(tmpdir(), 'gatehouse-move-'))
const [target, source] = [join(root, 'new'), join(root, 'old')]
const urlOf = (folder: string) => pathToFileURL(folder).href
const BLOB_URL = `${urlOf(target)},${urlOf(source)}`
const gatehouse = await startInstance({ env: { BLOB_URL } })
await gatehouse.startWorker()
const { api, db } = gatehouse
const reader = await gatehouse.operator()
afterAll(async () => {
  await gatehouse.stop()
  rmSync(root, { recursive: true })
})

let kyb: string
let ids: string[]
let lines: string[]
const pathIn = (folder: string, id: string) => join(folder, id.slice(-2), id)
const namesIn = (folder: string) => blobsIn(folder).map((name) => name.slice(3))
const upload = async (file?: Blob) => (await api.upload(kyb, ATTRIBUTE, file)).body.id as string
const statusOf = async (id: string) => (await reader.get(`/files/${id}?original=true`)).status

/** Stores three files in the old folder. */
beforeEach(async () => {
  lines = []
  await db.orm.delete(files)
  for (const folder of [target, source]) {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder)
  }
  kyb = await api.createKyb()
  ids = [await upload(), await upload(PNG), await upload()]
  rmSync(source, { recursive: true })
  renameSync(target, source)
  mkdirSync(target)
})

const stores = (url = BLOB_URL) => {
  const [first, ...others] = connectByteStores({ BLOB_URL: url }) as [ByteStore, ...ByteStore[]]
  return { db, target: first, sources: others, say: (line: string) => lines.push(line) }
}

test('copies all files, reports its progress, and keeps the originals', async () => {
  for (const id of ids) expect(await statusOf(id)).toBe(200)
  expect(await moveFiles(stores())).toBe(true)
  expect(lines).toEqual([
    expect.stringMatching(/^3 of 3 files, 0\.0 of 0\.0 MB: 3 copied$/),
    `All files are stored in ${target}. 3 of them were copied in this run.`,
  ])
  expect(namesIn(target).sort()).toEqual([...ids].sort())
  expect(blobsIn(source)).toEqual(blobsIn(target))
  for (const id of ids) expect(readFileSync(pathIn(target, id))).toEqual(readFileSync(pathIn(source, id)))
})

test('copies only missing and damaged files if it runs again', async () => {
  await moveFiles(stores())
  const [missing = '', damaged = ''] = ids
  rmSync(pathIn(target, missing))
  writeFileSync(pathIn(target, damaged), readFileSync(pathIn(target, damaged)).subarray(0, -1))
  expect(await moveFiles(stores())).toBe(true)
  expect(lines.at(-1)).toContain('2 of them were copied in this run.')
  expect(await deleteMovedFiles(stores())).toBe(true)
  for (const id of ids) expect(await statusOf(id)).toBe(200)
})

test('names files that are missing or damaged in the source, and moves the others', async () => {
  const [missing = '', damaged = '', good = ''] = ids
  rmSync(pathIn(source, missing))
  writeFileSync(pathIn(source, damaged), 'something else')
  expect(await moveFiles(stores())).toBe(false)
  expect(lines.slice(0, -2).sort()).toEqual(
    [`${missing} is missing`, `${damaged} differs after the copy`].sort(),
  )
  expect(lines.at(-1)).toBe('2 files were not copied. 1 are complete.')
  expect(await deleteMovedFiles(stores())).toBe(false)
  expect(namesIn(source)).toEqual([damaged])
  expect(await statusOf(good)).toBe(200)
})

test('fails if no file is found, because the source is probably the wrong place', async () => {
  for (const id of ids) rmSync(pathIn(source, id))
  await expect(moveFiles(stores())).rejects.toThrow('No file was found.')
})

test('reads from a place in which it cannot write', async () => {
  const { target: to, sources } = stores()
  const [from] = sources as [ByteStore]
  const refuse = () => Promise.reject(new Error('read-only'))
  const readOnly = { ...from, put: refuse, remove: refuse }
  expect(await moveFiles({ ...stores(), target: to, sources: [readOnly] })).toBe(true)
})

test('deletes an original only if its copy can be decrypted', async () => {
  await moveFiles(stores())
  const [damaged = ''] = ids
  writeFileSync(pathIn(target, damaged), 'something else')
  lines = []
  expect(await deleteMovedFiles(stores())).toBe(false)
  expect(lines).toEqual([`${damaged} is not stored in ${target}, and was kept`, '2 deleted, 1 kept'])
  expect(namesIn(source)).toEqual([damaged])
})

test('stores new files only in the target, and removes deleted files from both places', async () => {
  await moveFiles(stores())
  const newer = await upload()
  expect(namesIn(target)).toContain(newer)
  expect(namesIn(source)).not.toContain(newer)
  for (const id of [...ids, newer]) {
    await api.put(`/kyb/delete_file/${kyb}`, { blob_key: id, attribute_key: 'legal_structures' })
    await gatehouse.blobs.remove(id)
  }
  expect([...blobsIn(target), ...blobsIn(source)]).toEqual([])
})

test('delays the removal of a file that is being copied, and does not restore it afterwards', async () => {
  const [removed = ''] = ids
  const removing = db.orm.update(files).set({ state: 'detached' }).where(eq(files.id, removed))
  let isRemoved = false
  await whileStored(db, removed, async () => {
    void removing.then(() => {
      isRemoved = true
    })
    await db.orm.execute(sql`SELECT 1`)
    expect(isRemoved).toBe(false)
  })
  await removing
  await expect.poll(() => isRemoved).toBe(true)
  expect(await moveFiles(stores())).toBe(true)
  expect(namesIn(target)).not.toContain(removed)
})

test('moves files back', async () => {
  await moveFiles(stores())
  await deleteMovedFiles(stores())
  expect(blobsIn(source)).toEqual([])
  const back = stores(`${urlOf(source)},${urlOf(target)}`)
  expect(await moveFiles(back)).toBe(true)
  expect(await deleteMovedFiles(back)).toBe(true)
  expect(namesIn(source).sort()).toEqual([...ids].sort())
  expect(blobsIn(target)).toEqual([])
})

test('refuses two URLs for the same place, and deletes nothing', async () => {
  const link = stores(`${urlOf(source)},${urlOf(join(root, 'x', '..', 'old'))}`)
  for (const run of [moveFiles, deleteMovedFiles])
    await expect(run(link)).rejects.toThrow('are the same place')
  expect(namesIn(source).sort()).toEqual([...ids].sort())
})

test.each([
  ['there is no other place', urlOf(target), [], 'Add its URL to BLOB_URL, or set --from.'],
  ['the URL is invalid', urlOf(source), ['--from', 'ftp://x'], 'Begin the URL with file:// or s3://.'],
  [
    'processes do not store files in the target',
    BLOB_URL,
    ['--from', urlOf(target), '--to', urlOf(source), '--delete-source'],
    'requires that BLOB_URL lists the URL in --to first',
  ],
])('the command refuses to start if %s', async (_name, url, options, message) => {
  const env = { ...gatehouse.env, BLOB_URL: url }
  const cli = spawnProcess('src/cli/main.ts', env, 'move-files', '--to', urlOf(target), ...options)
  expect(await cli.ended).toBe(1)
  expect(cli.output()).toContain(message)
})

test('the command copies files to a backup that no process uses, and back', async () => {
  const backup = join(root, 'backup')
  mkdirSync(backup)
  const run = async (...options: string[]) => {
    const env = { ...gatehouse.env, BLOB_URL: urlOf(source) }
    return spawnProcess('src/cli/main.ts', env, 'move-files', ...options).ended
  }
  const [detached = ''] = ids
  await api.put(`/kyb/delete_file/${kyb}`, { blob_key: detached, attribute_key: 'legal_structures' })
  expect(await run('--to', urlOf(backup))).toBe(0)
  // An earlier backup of the database still names the file that was deleted.
  expect(namesIn(backup).sort()).toEqual([...ids].sort())
  rmSync(source, { recursive: true })
  mkdirSync(source)
  expect(await run('--to', urlOf(source), '--from', urlOf(backup))).toBe(0)
  expect(namesIn(source).sort()).toEqual([...ids].sort())
})

test('the command moves files and then deletes the originals', async () => {
  const run = async (...options: string[]) => {
    const cli = spawnProcess(
      'src/cli/main.ts',
      gatehouse.env,
      'move-files',
      '--to',
      urlOf(target),
      ...options,
    )
    return [await cli.ended, cli.output().trim().split('\n').at(-1)]
  }
  expect(await run()).toEqual([0, `All files are stored in ${target}. 3 of them were copied in this run.`])
  expect(await run('--delete-source')).toEqual([0, '3 deleted, 0 kept'])
})
