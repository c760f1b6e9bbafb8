/** Tests that slow requests of one vault or applicant use only their share of the database connections. */
import { and, eq, inArray, isNotNull } from 'drizzle-orm'
import postgres from 'postgres'
import { expect, test } from 'vitest'
import { files } from '../../../drizzle/schema.ts'
import { SLOTS } from '../../../src/use-cases/limits/table.ts'
import { PDF } from '../../support/api.ts'
import { beginCompany, sendForm, startForm } from '../../support/hosted-page.ts'
import { addVault, eventually, sharedInstance, unique } from '../../support/instance.ts'
import { beginPerson, openPerson } from '../../support/person-page.ts'
import { formPart, MULTIPART } from '../../support/slow-body.ts'

const FLOOD = 60
const SEARCH = '/webhook_logs?type=identification&status=completed&search=nothing'

/** Returns the number of connections that wait for a lock on the table. */
async function countBlocked(tx: postgres.TransactionSql): Promise<number> {
  const [row] =
    await tx`SELECT count(*)::int AS blocked FROM pg_locks WHERE relation = 'files'::regclass AND NOT granted`
  return row?.blocked
}

const gatehouse = await sharedInstance()
const { api: other } = await addVault(gatehouse)

test('serves other vaults during 60 blocked searches with two keys of one vault', async () => {
  const { api, reader } = gatehouse
  const operator = await gatehouse.operator()
  const locking = postgres(gatehouse.env.DATABASE_URL, { max: 1 })
  await locking.begin(async (tx) => {
    await tx`LOCK TABLE webhook_logs`
    const flood = Promise.all(Array.from({ length: FLOOD }, (_, n) => (n % 2 ? api : reader).get(SEARCH)))
    for (let n = 0; n < 5; n++)
      for (const { status } of [await other.get('/kyb'), await operator.get('/queue')])
        expect(status).toBe(200)
    const answers = await flood
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]))
    expect(answers.every(({ headers }) => headers.get('Retry-After') === '1')).toBe(true)
  })
  await locking.end()
  expect((await api.get(SEARCH)).status).toBe(200)
})

test('serves other applicants and the API during 60 blocked pages of one applicant', async () => {
  const { baseUrl, env, api } = gatehouse
  const company = await startForm(baseUrl, await beginCompany(gatehouse, unique()))
  const person = await openPerson(baseUrl, await beginPerson({ api: other }))
  const locking = postgres(env.DATABASE_URL, { max: 1 })
  const flood = await locking.begin(async (tx) => {
    await tx`LOCK TABLE files`
    const expectBlocked = (n: number) => eventually(async () => expect(await countBlocked(tx)).toBe(n))
    const flood = Array.from({ length: FLOOD }, () =>
      sendForm(baseUrl + company.base, undefined, company.headers),
    )
    const { maxPerCaller } = SLOTS.pages
    await expectBlocked(maxPerCaller)
    // The page of another applicant reads the same table, so it waits for the lock instead of for a slot.
    const page = person.get('/consent')
    await expectBlocked(maxPerCaller + 1)
    expect((await api.get('/identifications')).status).toBe(200)
    return { answers: [page, ...flood] }
  })
  await locking.end()
  const statuses = (await Promise.all(flood.answers)).map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([200]))
})

test('serves others during 60 blocked changes of one vault, and 60 blocked openings of one link', async () => {
  const { baseUrl, env, api } = gatehouse
  const { api: attacker } = await addVault(gatehouse)
  const id = await attacker.createKyb()
  const link = baseUrl + (await beginPerson({ api: attacker }))
  const locking = postgres(env.DATABASE_URL, { max: 1 })
  const floods = {
    changes: () => attacker.post(`/kyb/${id}/form_link`, {}),
    openings: () => fetch(link, { method: 'POST', redirect: 'manual' }),
  }
  for (const [name, send] of Object.entries(floods)) {
    const answers = await locking.begin(async (tx) => {
      await tx`SELECT FROM identifications JOIN kyb_applications AS kyb ON kyb.identification_id = identifications.id
        WHERE kyb.id = ${id} FOR UPDATE`
      await tx`SELECT FROM verification_links FOR UPDATE`
      const flood = Promise.all(Array.from({ length: FLOOD }, send))
      for (let n = 0; n < 5; n++) expect([name, (await other.get('/kyb')).status]).toEqual([name, 200])
      return { flood }
    })
    const statuses = new Set((await answers.flood).map(({ status }) => status))
    expect([201, 303].some((status) => statuses.has(status))).toBe(true)
  }
  await locking.end()
  expect((await api.get('/kyb')).status).toBe(200)
})

/** Holds slots of the vault with uploads that do not end, as many as there are IDs of applications. */
async function holdUploads(ids: readonly string[]) {
  const { baseUrl, db, credentials } = gatehouse
  const head = `${formPart('attribute', 'legal_structures')}\r\n${formPart('file', '%PDF-1.4 ', 'a.pdf')}`
  const cut = new AbortController()
  const slow = ids.map((id) => {
    const body = new ReadableStream({ start: (stream) => stream.enqueue(Buffer.from(head.padEnd(5_000))) })
    const headers = { ...MULTIPART, Authorization: credentials.api_key }
    const asked = { method: 'POST', headers, body, signal: cut.signal, duplex: 'half' } as RequestInit
    return fetch(`${baseUrl}/v1/kyb/upload_file/${id}`, asked).then(
      ({ status }) => status,
      () => 'aborted',
    )
  })
  const started = inArray(files.kybApplicationId, [...ids])
  await eventually(async () => expect(await db.orm.$count(files, started)).toBe(ids.length))
  return { slow, cut: () => cut.abort() }
}

const { maxPerVault, maxPerCaller } = SLOTS.receiving

test('stores an upload while slow uploads for two other applications hold all slots of the vault', async () => {
  const { api, db } = gatehouse
  const [one, two, three] = [await api.createKyb(), await api.createKyb(), await api.createKyb()]
  const { slow, cut } = await holdUploads(
    Array.from({ length: maxPerVault }, (_, n) => (n < maxPerCaller ? one : two)),
  )
  void api.upload(three, { attribute: 'legal_structures' })
  const stored = and(eq(files.kybApplicationId, three), isNotNull(files.sha256))
  await eventually(async () => expect(await db.orm.$count(files, stored)).toBe(1))
  expect(await Promise.race(slow)).toBe(503)
  cut()
  expect((await Promise.all(slow)).filter((status) => status !== 'aborted')).toEqual([503])
})

test('stores the upload of an applicant while a key holds all slots of the vault', async () => {
  const { api, db, baseUrl } = gatehouse
  const name = unique()
  const { base, csrf, headers } = await startForm(baseUrl, await beginCompany(gatehouse, name))
  const own = (await api.get(`/kyb?external_id=${name}`)).body.data[0].id
  // The application of the applicant is among them.
  const ids = [own]
  while (ids.length < maxPerVault) ids.push(await api.createKyb())
  const { slow, cut } = await holdUploads(ids)
  const form = new FormData()
  form.set('_csrf', csrf)
  form.set('file', PDF, 'a.pdf')
  void sendForm(`${baseUrl}${base}/files/articles_of_association`, form, headers)
  const stored = and(eq(files.kybApplicationId, own), isNotNull(files.sha256))
  await eventually(async () => expect(await db.orm.$count(files, stored)).toBe(1), 30_000)
  cut()
  expect((await Promise.all(slow)).filter((status) => status !== 'aborted')).toEqual([503])
})
