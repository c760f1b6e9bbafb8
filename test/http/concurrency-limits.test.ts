/** Tests that slow requests of one vault or applicant use only their share of the database connections. */
import { and, eq, isNotNull } from 'drizzle-orm'
import postgres from 'postgres'
import { expect, test } from 'vitest'
import { files } from '../../drizzle/schema.ts'
import { SLOTS } from '../../src/use-cases/limits/table.ts'
import { beginCompany, sendForm, startForm } from '../support/hosted-page.ts'
import { addVault, eventually, sharedInstance, unique } from '../support/instance.ts'
import { beginPerson, openPerson } from '../support/person-page.ts'
import { END_OF_FORM, formPart, MULTIPART } from '../support/slow-body.ts'

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

test('stores the upload of an applicant while slow uploads of two others hold all slots of the vault', async () => {
  const { api, baseUrl, db, credentials, vaultId } = gatehouse
  const [one, two, three] = [await api.createKyb(), await api.createKyb(), await api.createKyb()]
  const cut = new AbortController()
  const head = `${formPart('attribute', 'legal_structures')}\r\n${formPart('file', '%PDF-1.4 ', 'a.pdf')}`
  const { maxPerVault, maxPerCaller } = SLOTS.receiving
  const upload = (id: string, body: BodyInit) =>
    fetch(`${baseUrl}/v1/kyb/upload_file/${id}`, {
      method: 'POST',
      headers: { ...MULTIPART, Authorization: credentials.api_key },
      body,
      signal: cut.signal,
      duplex: 'half',
    } as RequestInit).then(
      ({ status }) => status,
      () => 'aborted',
    )
  const unfinished = () =>
    new ReadableStream({ start: (stream) => stream.enqueue(Buffer.from(head.padEnd(5_000))) })
  const slow = Array.from({ length: maxPerVault }, (_, n) =>
    upload(n < maxPerCaller ? one : two, unfinished()),
  )
  await eventually(async () =>
    expect(await db.orm.$count(files, eq(files.vaultId, vaultId))).toBe(maxPerVault),
  )
  const stored = and(eq(files.kybApplicationId, three), isNotNull(files.sha256))
  void upload(three, `${head}${END_OF_FORM}`)
  await eventually(async () => expect(await db.orm.$count(files, stored)).toBe(1))
  expect(await Promise.race(slow)).toBe(503)
  cut.abort()
  expect((await Promise.all(slow)).filter((status) => status !== 'aborted')).toEqual([503])
})
