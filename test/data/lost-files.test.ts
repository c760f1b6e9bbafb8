/** Tests files whose bytes are lost: backups, checks, cases, and the applicants who are asked again. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { eq } from 'drizzle-orm'
import pino from 'pino'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { pendingFacts } from '../../drizzle/schema.ts'
import { checkFiles } from '../../src/cli/file-check.ts'
import { moveFiles } from '../../src/cli/file-move.ts'
import { connectByteStores } from '../../src/storage/blob-store.ts'
import type { ByteStore } from '../../src/storage/byte-store.ts'
import { blobsIn } from '../support/checks.ts'
import { actionsOf } from '../support/identification.ts'
import { eventually, type OwnInstance, startInstance } from '../support/instance.ts'
import { completeApplication } from '../support/kyb.ts'
import { agePendingFacts } from '../support/pending-fact.ts'
import { beginPerson, fillInPerson, openPerson, submitPerson } from '../support/person-page.ts'
import { photoFile, photograph } from '../support/photo.ts'
import { reconcile } from '../support/webhook.ts'

const root = mkdtempSync(join(tmpdir(), 'gatehouse-lost-'))
const stored = join(root, 'files')
const urlOf = (folder: string) => pathToFileURL(folder).href
let gatehouse: OwnInstance
let lines: string[]
let logged: { msg: string; fileId?: string }[]
const say = (line: string) => void lines.push(line)

beforeAll(async () => {
  logged = []
  mkdirSync(stored)
  const env = { BLOB_URL: urlOf(stored), SANDBOX_CHECK_DELAY_MS: '300000' }
  const log = pino({ level: 'warn' }, { write: (line) => void logged.push(JSON.parse(line)) })
  gatehouse = await startInstance({ env, log })
  await gatehouse.startWorker()
  // One file always remains, because a storage without any file counts as the wrong one.
  await gatehouse.api.upload(await gatehouse.api.createKyb(), { attribute: 'legal_structures' })
})
beforeEach(() => {
  lines = []
  logged = []
})
afterAll(async () => {
  await gatehouse.stop()
  rmSync(root, { recursive: true })
})

/** Removes the bytes of a file, like a damaged disk. */
const lose = (id: string) => rmSync(join(stored, id.slice(-2), id))
const check = (repair: boolean) => checkFiles({ db: gatehouse.db, blobs: gatehouse.blobs, say }, { repair })

/** Copies all files to an empty folder, and returns the IDs there. */
async function backUp(): Promise<{ isComplete: boolean; ids: string[] }> {
  const folder = mkdtempSync(join(root, 'backup-'))
  const [target] = connectByteStores({ BLOB_URL: urlOf(folder) }) as [ByteStore]
  const sources = connectByteStores({ BLOB_URL: urlOf(stored) })
  const isComplete = await moveFiles({ db: gatehouse.db, target, sources, say })
  return { isComplete, ids: blobsIn(folder).map((name) => name.slice(3)) }
}

/** Expects that the backup and the check name this file, that a repair marks it, and that both are then complete. */
async function expectMarked(id: string): Promise<void> {
  const { isComplete, ids } = await backUp()
  expect([isComplete, ids.includes(id), ids.length > 0]).toEqual([false, false, true])
  expect(await check(false)).toBe(false)
  expect(lines.filter((line) => line === `${id} is missing`)).toHaveLength(2)
  expect(await check(true)).toBe(true)
  expect(lines.at(-1)).toBe(`${id} was missing and is marked as lost`)
  expect(await check(false)).toBe(true)
  expect((await backUp()).isComplete).toBe(true)
}

/** Sends the fact of a marked file to its workflow. */
async function send(id: string): Promise<void> {
  await agePendingFacts(gatehouse, id)
  await reconcile(gatehouse)
}

test('marks a company’s lost document, and asks for it again', async () => {
  const { api } = gatehouse
  const operator = await gatehouse.operator()
  const { id, files } = await completeApplication(api)
  const lost = files.directors_registers ?? ''
  const application = async () => (await api.get(`/kyb/${id}`)).body.data
  expect((await application()).requirements.currently_due).toEqual([])
  lose(lost)
  await expectMarked(lost)
  await send(lost)
  await eventually(async () => {
    expect((await application()).requirements.currently_due).toHaveLength(1)
    const { body } = await operator.get(`/kyb/${id}/timeline`)
    expect(body.data.map(({ action }: { action: string }) => action)).toContain('file_lost')
  })
  expect(JSON.stringify((await operator.get(`/kyb/${id}`)).body)).toContain('"warnings":["lost"]')
})

test.each([
  { at: 'before the submission', isSubmitted: false },
  { at: 'during the review', isSubmitted: true },
])('marks a person’s photo that is lost $at, and asks for it again', async ({ isSubmitted }) => {
  const { api, baseUrl } = gatehouse
  const person = await openPerson(baseUrl, await beginPerson({ api }))
  await fillInPerson(person)
  if (isSubmitted) await submitPerson(person)
  const operator = await gatehouse.operator()
  const files = async () => (await operator.get(`/identifications/${person.id}`)).body.data.files
  const selfie = (await files()).find((file: { attribute: string }) => file.attribute === 'selfie')
  lose(selfie.id)
  await expectMarked(selfie.id)
  await send(selfie.id)
  await eventually(async () => expect(await actionsOf(gatehouse, person.id)).toContain('file_lost'))
  const page = await (await person.get('/check')).text()
  expect(page).toContain(isSubmitted ? 'Add the missing document.' : 'Photos: 1 missing')
  // A submitted photo remains in the case, which shows that the photo is lost.
  const [lost] = (await files()).filter((file: { id: string }) => file.id === selfie.id)
  expect(lost?.warnings).toEqual(isSubmitted ? ['lost'] : undefined)
  const photo = photoFile(await photograph())
  expect((await person.upload('selfie', photo)).status).toBe(303)
  await submitPerson(person)
})

test('forgets a lost document that was removed', async () => {
  const { api } = gatehouse
  const id = await api.createKyb()
  const file = (await api.upload(id, { attribute: 'legal_structures' })).body.id as string
  lose(file)
  await api.put(`/kyb/delete_file/${id}`, { blob_key: file, attribute_key: 'legal_structures' })
  await expectMarked(file)
  expect(await gatehouse.db.orm.$count(pendingFacts, eq(pendingFacts.sourceId, file))).toBe(0)
})

test('logs a lost file once, whether an operator or the applicant opens it', async () => {
  const { api, baseUrl } = gatehouse
  const operator = await gatehouse.operator()
  const person = await openPerson(baseUrl, await beginPerson({ api }))
  await fillInPerson(person)
  const { body } = await operator.get(`/identifications/${person.id}`)
  const { id } = body.data.files.find((file: { attribute: string }) => file.attribute === 'selfie')
  lose(id)
  for (const open of [() => operator.get(`/files/${id}`), () => person.get(`/files/${id}`)]) {
    logged = []
    expect((await open()).status).toBe(404)
    const about = logged.filter(({ fileId }) => fileId === id)
    expect(about.map(({ msg }) => msg)).toEqual(['attached file is missing from the blob store'])
  }
})

test('marks nothing if no file is found', async () => {
  for (const name of blobsIn(stored)) rmSync(join(stored, name))
  expect(await check(true)).toBe(false)
  expect(lines.at(-1)).toContain('Nothing was marked as lost.')
})
