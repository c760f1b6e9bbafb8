/** Tests the storage of uploaded files: atomic writes, encryption and removal. */
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createBlobFolder } from '../../../src/storage/blob-folder.ts'
import { type BlobStore, createBlobStore } from '../../../src/storage/blob-store.ts'
import { StorageUnavailable } from '../../../src/storage/byte-store.ts'
import { createEncryption } from '../../../src/storage/encryption.ts'

const key = () => randomBytes(32).toString('base64')
let folder: string
let blobs: BlobStore
/** True while no blob has ever been stored. */
let isEmpty: boolean
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-blobs-'))
  isEmpty = true
  const encryption = createEncryption({ ENCRYPTION_KEYS: `k1:${key()}`, HASH_KEY: key() })
  blobs = createBlobStore([createBlobFolder(folder)], encryption, async () => isEmpty)
})
afterEach(() => rmSync(folder, { recursive: true }))

async function* chunks(...parts: (Buffer | Error)[]): AsyncGenerator<Buffer> {
  for (const part of parts) {
    if (part instanceof Error) throw part
    yield part
  }
}
const paths = () =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
const onlyPath = () => paths()[0] ?? ''

test('returns a blob of many chunks unchanged, with its size and checksum', async () => {
  const parts = Array.from({ length: 40 }, () => randomBytes(30_000))
  const whole = Buffer.concat(parts)
  const id = randomUUID()
  expect(await blobs.write(id, chunks(...parts))).toEqual({
    size: whole.length,
    sha256: createHash('sha256').update(whole).digest(),
    end: whole.subarray(-1_024),
  })
  expect((await blobs.read(id)).equals(whole)).toBe(true)
})

test('returns the end of a blob across its last chunks', async () => {
  const [first, second, third] = [randomBytes(2_000), randomBytes(300), randomBytes(400)]
  const { end } = await blobs.write(randomUUID(), chunks(first, second, third))
  expect(end).toEqual(Buffer.concat([first.subarray(-324), second, third]))
})

test('lists complete and partial blobs', async () => {
  const ids = [randomUUID(), randomUUID()] as const
  await blobs.write(ids[0], chunks(Buffer.from('whole')))
  await blobs.write(ids[1], chunks(Buffer.from('partial'), new Error('aborted'))).catch(() => undefined)
  writeFileSync(join(folder, 'notes.txt'), 'of another program')
  const listed: string[] = []
  for await (const each of blobs.ids()) listed.push(each)
  expect(listed.sort()).toEqual([...ids].sort())
})

test('syncs the file before renaming it, and the folder before the write resolves', async () => {
  const id = randomUUID()
  const synced: string[] = []
  const { prototype } = await handlesOf(folder)
  const sync = prototype.sync
  vi.spyOn(prototype, 'sync').mockImplementation(async function (this: FileHandle) {
    const what = (await this.stat()).isDirectory() ? 'folder' : 'file'
    synced.push(`${what}, ${onlyPath().endsWith(id) ? 'named' : 'not named'}`)
    return sync.call(this)
  })
  await blobs.write(id, chunks(Buffer.from('there')))
  vi.restoreAllMocks()
  expect(synced).toEqual(['folder, not named', 'file, not named', 'folder, named'])
})

async function handlesOf(path: string) {
  const handle = await open(path)
  await handle.close()
  return { prototype: Object.getPrototypeOf(handle) as FileHandle }
}

test('stores an empty blob', async () => {
  const id = randomUUID()
  expect((await blobs.write(id, chunks())).size).toBe(0)
  expect(await blobs.read(id)).toEqual(Buffer.alloc(0))
})

test('encrypts files and makes them readable only by their owner', async () => {
  await blobs.write(randomUUID(), chunks(Buffer.from('a passport number')))
  expect(readFileSync(onlyPath()).includes('passport')).toBe(false)
  expect(statSync(onlyPath()).mode & 0o077).toBe(0)
})

test('rejects an interrupted write and leaves nothing readable', async () => {
  const id = randomUUID()
  await expect(blobs.write(id, chunks(randomBytes(200_000), new Error('aborted')))).rejects.toThrow('aborted')
  await expect(blobs.read(id)).rejects.toThrow()
  await blobs.remove(id)
  expect(paths()).toEqual([])
})

test('writes a blob again if the first write of this ID was interrupted', async () => {
  const id = randomUUID()
  await blobs.write(id, chunks(randomBytes(90_000), new Error('aborted'))).catch(() => undefined)
  await blobs.write(id, chunks(Buffer.from('second')))
  expect((await blobs.read(id)).toString()).toBe('second')
})

test('removes a blob, and does nothing if it does not exist', async () => {
  const id = randomUUID()
  await blobs.write(id, chunks(Buffer.from('gone')))
  await blobs.remove(id)
  await blobs.remove(id)
  await expect(blobs.read(id)).rejects.toThrow()
  expect(paths()).toEqual([])
})

test('rejects a blob that was renamed to another ID', async () => {
  const [id, other] = [randomUUID(), randomUUID()]
  await blobs.write(id, chunks(Buffer.from('mine')))
  const stolen = readFileSync(onlyPath())
  await blobs.write(other, chunks(Buffer.from('other')))
  const otherPath = paths().find((path) => path.endsWith(other)) ?? ''
  writeFileSync(otherPath, stolen)
  await expect(blobs.read(other)).rejects.toThrow()
})

describe('without the stored blobs in the folder, such as on an unmounted share,', () => {
  const id = randomUUID()
  beforeEach(async () => {
    await blobs.write(id, chunks(Buffer.from('stored before')))
    isEmpty = false
    renameSync(join(folder, id.slice(-2)), join(folder, 'mounted elsewhere'))
  })

  const WORK = {
    write: () => blobs.write(randomUUID(), chunks(Buffer.from('new'))),
    read: () => blobs.read(id),
    keyId: () => blobs.keyId(id),
    remove: () => blobs.remove(id),
  }
  test.for(Object.entries(WORK))('%s fails and creates nothing', async ([_name, work]) => {
    await expect(work()).rejects.toBeInstanceOf(StorageUnavailable)
    rmSync(folder, { recursive: true })
    await expect(work()).rejects.toThrow('Check that the volume is mounted')
    expect(existsSync(folder)).toBe(false)
    mkdirSync(folder)
  })
})

test('throws StorageUnavailable if the disk is full, but not if the upload is interrupted', async () => {
  const { prototype } = await handlesOf(folder)
  vi.spyOn(prototype, 'sync').mockRejectedValue(
    Object.assign(new Error(), { code: 'ENOSPC', syscall: 'fsync' }),
  )
  await expect(blobs.write(randomUUID(), chunks(Buffer.from('much')))).rejects.toThrow(
    'BLOB_URL: fsync failed with ENOSPC.',
  )
  vi.restoreAllMocks()
  const breaksOff = Object.assign(new Error('broken off'), { code: 'ETIMEDOUT' })
  await expect(blobs.write(randomUUID(), chunks(breaksOff))).rejects.toBe(breaksOff)
})
