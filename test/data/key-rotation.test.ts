/**
 * Tests the rotation of the encryption key: interruption, continuation, concurrent writes and removal of the
 * old key.
 */
import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import postgres from 'postgres'
import { afterAll, expect, test } from 'vitest'
import { users, webhookUrls } from '../../drizzle/schema.ts'
import { rotateDataKey } from '../../src/cli/key-rotation.ts'
import { findKybApplication } from '../../src/db/cases/kyb-application.ts'
import { saveMarks } from '../../src/db/cases/review-mark.ts'
import { insertCommand } from '../../src/db/commands/command.ts'
import type { Database } from '../../src/db/connection/database.ts'
import { readKeyUse, resealColumn } from '../../src/db/connection/key-rotation.ts'
import { SEALED_COLUMNS, sealedFor } from '../../src/db/connection/sealed.ts'
import { connectBlobStore } from '../../src/db/files/file.ts'
import { createEncryption } from '../../src/storage/encryption.ts'
import type { Api } from '../support/api.ts'
import { blobFolderOf, blobsIn } from '../support/checks.ts'
import { damaging, openDatabase } from '../support/database.ts'
import { dumpBlobs, dumpSealed } from '../support/dump.ts'
import { eventually, type Instance, startInstance, unique } from '../support/instance.ts'
import { createList } from '../support/list.ts'
import {
  createPlants,
  foundIn,
  plantCodes,
  plantHolds,
  plantHosted,
  plantKept,
  plantKyb,
  plantListed,
  plantPerson,
  plantProposal,
} from '../support/plants.ts'
import { spawnProcess } from '../support/processes.ts'
import { startReceiver } from '../support/receiver.ts'

const newKey = (id: string) => `${id}:${randomBytes(32).toString('base64')}`
const [OLD, NEW, THIRD, FOURTH] = [newKey('k1'), newKey('k2'), newKey('k3'), newKey('k4')]

const plants = createPlants()

// This process knows the new key but still encrypts with the old one, as during a deployment.
const list = createList()
const env = { ENCRYPTION_KEYS: `${OLD},${NEW}`, SCREENING_LIST_DIR: list.folder }
const gatehouse = await startInstance({ env })
await gatehouse.startWorker()
const { api } = gatehouse
const operator = await gatehouse.operator()
const receiver = await startReceiver((res) => res.writeHead(200).end(plants.text('receiver')))
await api.put('/users/update_webhook', { webhook_url: { identification: [receiver.url] } })
await api.send('POST', '/users/rotate_webhook_secret', { overlap_hours: 24 }, { 'Idempotency-Key': 'rotate' })
const kyb = await plantKyb(plants, api, operator, gatehouse.baseUrl)
await plantHolds(plants, api, operator, kyb.identificationId)
await plantPerson(plants, api, operator)
await plantKept(plants, gatehouse.db, api)
await plantProposal(plants, api, operator, gatehouse.vaultId)
await plantListed(plants, api, operator, list)
await plantHosted(plants, gatehouse)
await plantCodes(plants, gatehouse.db, gatehouse.credentials.user_email)
const hook = (await api.get('/webhook_urls')).body.data[0].id as string
await api.patch(`/webhook_urls/${hook}`, { headers: { 'X-Token': plants.text('a header') } })
await gatehouse.db.orm.update(webhookUrls).set({
  clientKey: gatehouse.db.encryption.seal(plants.text('a key'), sealedFor('webhook_urls.client_key', hook)),
})
const marked = { entity: 'kyb', id: kyb.id, vaultId: gatehouse.vaultId } as const
const [reviewer] = await gatehouse.db.orm.select({ id: users.id }).from(users).limit(1)
const flag = { path: 'nature_of_business.phone', fileId: null, code: 'mismatch' } as const
await saveMarks(gatehouse.db, marked, reviewer?.id ?? '', [{ ...flag, comment: plants.text('a flag') }])
// A payload exists until its command is applied.
const waiting = { entity: 'kyb', id: kyb.id, vaultId: gatehouse.vaultId } as const
await insertCommand(
  gatehouse.db,
  {
    id: unique(),
    target: waiting,
    command: { kind: 'patch', patch: { usage_of_account: { usage: plants.text('a waiting command') } } },
    actor: 'system',
  },
  86_400_000,
)
afterAll(async () => {
  await receiver.stop()
  await gatehouse.stop()
  list.remove()
})

const allDelivered = () =>
  eventually(async () => {
    const rows = await gatehouse.db.orm.execute(
      sql`SELECT FROM webhook_logs WHERE status IN ('pending', 'processing')`,
    )
    expect(rows).toEqual([])
  })

await allDelivered()

/** Opens the database and the files with these keys. */
function openedWith(keys: string) {
  const encryption = createEncryption({ ENCRYPTION_KEYS: keys, HASH_KEY: gatehouse.env.HASH_KEY })
  const db = openDatabase(gatehouse.env.DATABASE_URL, encryption, { connections: 2 })
  return { db, blobs: connectBlobStore(db, gatehouse.config), close: () => db.end() }
}

/** Runs `work` while a transaction holds this lock. */
async function whileHeld<T>(lock: string, work: () => Promise<T>): Promise<T> {
  const client = postgres(gatehouse.env.DATABASE_URL, { max: 1 })
  await client.unsafe(`BEGIN; ${lock}`)
  return work().finally(() => client.end())
}

const ROTATED = `${NEW},${OLD}`
const rotate = () =>
  spawnProcess('src/cli/main.ts', { ...gatehouse.env, ENCRYPTION_KEYS: ROTATED }, 'rotate-data-key')
const SILENT = { done: () => {}, unopened: () => {} }
const use = ({ db, blobs }: Pick<Instance, 'db' | 'blobs'>) => readKeyUse(db, blobs)
/** Returns the plaintexts, because rotation changes only the encrypted bytes. */
const contents = async (db: Database) =>
  (await dumpSealed(db)).split('\n').sort().join('\n') + dumpBlobs(gatehouse.config, db)

test('all values use the old key before the rotation', async () => {
  const uses = await use(gatehouse)
  expect([...uses.keys()]).toEqual([...SEALED_COLUMNS, 'files'])
  for (const [name, keys] of uses) expect([...keys.keys()], name).toEqual(['k1'])
})

test('re-encrypts everything after an interruption, and no longer needs the old key', async () => {
  const before = await contents(gatehouse.db)
  // The lock stops the rotation here. Reads continue.
  const killed = await whileHeld('LOCK TABLE kyb_applications IN EXCLUSIVE MODE', async () => {
    const first = rotate()
    await first.wrote('identifications.profile: ')
    await first.wrote('holds.notes: ')
    await first.stop('SIGKILL')
    return first.output()
  })
  expect(killed).toMatch(/^users\.email: 2 of 2 re-encrypted$/m)
  const halfway = await use(gatehouse)
  expect([...(halfway.get('identifications.profile') ?? [])].map(([key]) => key)).toEqual(['k2'])
  expect([...(halfway.get('kyb_applications.content') ?? [])].map(([key]) => key)).toEqual(['k1'])
  // Some values use the old key and others the new key. A process with both keys reads all of them.
  expect(await contents(gatehouse.db)).toBe(before)

  const second = rotate()
  expect(await second.ended).toBe(0)
  expect(second.output()).not.toContain('users.email')
  expect(second.output()).toContain('files: 6 of 6 re-encrypted')
  expect(second.output()).toContain('encrypted with the key k2. You can remove older keys')

  const after = openedWith(NEW)
  expect(await contents(after.db)).toBe(before)
  expect(foundIn(plants, before).length).toBeGreaterThan(40)
  for (const id of kyb.files) expect((await after.blobs.read(id)).toString()).toContain('plant')
  expect((await findKybApplication(after.db, gatehouse.vaultId, kyb.id))?.files.size).toBe(2)
  await after.close()
})

test('loses no concurrent write, and afterwards re-encrypts values that were written with the old key', async () => {
  const { api } = gatehouse
  const ids = await Promise.all(Array.from({ length: 6 }, () => api.createKyb()))
  const rotating = openedWith(ROTATED)
  let isOver = false
  const loop = (async () => {
    while (!isOver) for (const name of SEALED_COLUMNS) await resealColumn(rotating.db, name, SILENT)
  })()
  const edits = ids.map((id) => editRepeatedly(api, id))
  const written = await Promise.all(edits).finally(() => {
    isOver = true
    return loop
  })
  for (const [index, id] of ids.entries()) {
    const { body } = await api.get(`/kyb/${id}`)
    expect(body.data.nature_of_business).toMatchObject(written[index] ?? {})
  }
  // This instance still encrypts with the old key, so the old key remains in use until the next rotation.
  await api.createKyb()
  await allDelivered()
  const lines: string[] = []
  await rotateDataKey(rotating.db, rotating.blobs, (line) => lines.push(line))
  expect(lines.at(-1)).toContain('You can remove older keys')
  for (const [name, keys] of await use(rotating)) expect([...keys.keys()], name).toEqual(['k2'])
  await rotating.close()
})

/** Writes different fields in each edit, so that a lost write leaves a field empty. */
async function editRepeatedly(api: Api, id: string): Promise<object> {
  const fields = [
    'legal_company_name',
    'comercial_name',
    'description_activity',
    'legal_address',
    'vat_number',
  ]
  const all: Record<string, string> = {}
  for (const field of fields) {
    const value = `${field} of ${id}`
    const { status } = await api.patch(`/kyb/${id}`, { nature_of_business: { [field]: value } })
    expect(status).toBe(200)
    all[field] = value
  }
  return all
}

test('skips locked values and reports them', async () => {
  const rotating = openedWith(`${THIRD},${ROTATED}`)
  const lines: string[] = []
  const left = await whileHeld('SELECT FROM users LIMIT 1 FOR UPDATE', () =>
    rotateDataKey(rotating.db, rotating.blobs, (line) => lines.push(line)),
  )
  expect(left).toEqual(['k2'])
  expect(lines.at(-1)).toContain('The key k2 still encrypts 1 values. Keep it')
  expect(await rotateDataKey(rotating.db, rotating.blobs, () => {})).toEqual([])
  await rotating.close()
})

const FIRST_REVIEWED = sql`id = (SELECT min(id::text)::uuid FROM identifications WHERE review IS NOT NULL)`

test('reports and keeps values that cannot be decrypted, and re-encrypts all others', async () => {
  const keys = `${FOURTH},${THIRD},${ROTATED}`
  const after = openedWith(keys)
  const { orm } = after.db
  const [person] = await orm.execute<{ id: string }>(
    sql`${damaging('identifications', 'review', FIRST_REVIEWED)} RETURNING id`,
  )
  // Even the key ID of this value is not valid text.
  await orm.execute(sql`UPDATE kyb_applications SET content = set_byte(content, 1, 255) WHERE id = ${kyb.id}`)
  await orm.execute(sql`UPDATE kyb_applications SET review = '' WHERE id = ${kyb.id}`)
  const [file = '', unread = ''] = [...kyb.files].sort()
  const pathOf = (id: string) =>
    join(
      blobFolderOf(gatehouse.config),
      blobsIn(blobFolderOf(gatehouse.config)).find((each) => each.endsWith(id)) ?? '',
    )
  const path = pathOf(file)
  const bytes = readFileSync(path)
  bytes.writeUInt8((bytes.at(-1) ?? 0) ^ 1, bytes.length - 1)
  writeFileSync(path, bytes)
  // Simulates a failing disk.
  const elsewhere = pathOf(unread)
  rmSync(elsewhere)
  mkdirSync(elsewhere)

  const rotation = spawnProcess(
    'src/cli/main.ts',
    { ...gatehouse.env, ENCRYPTION_KEYS: keys },
    'rotate-data-key',
  )
  expect(await rotation.ended).toBe(1)
  for (const what of [
    `identifications.review:${person?.id}`,
    `kyb_applications.content:${kyb.id}`,
    `kyb_applications.review:${kyb.id}`,
    `files:${unread}`,
  ])
    expect(rotation.output()).toContain(`${what} cannot be decrypted. `)
  expect(rotation.output()).toContain(`files:${file} cannot be decrypted. Unsupported state`)
  expect(rotation.output()).toContain('The key k3 still encrypts 2 values. Keep it')
  expect(rotation.output()).toContain('The key of 2 values cannot be determined')
  const left = [...(await use(after))].flatMap(([name, keys]) =>
    [...keys].flatMap(([key, count]) => (key === 'k4' ? [] : [[name, key, count]])),
  )
  expect(left).toEqual([
    ['identifications.review', 'k3', 1],
    ['kyb_applications.content', '\\3773', 1],
    ['kyb_applications.review', '', 1],
    ['files', 'k3', 1],
    ['files', '', 1],
  ])
  await after.close()
})
