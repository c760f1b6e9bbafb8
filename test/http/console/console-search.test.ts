/** Tests the console's search for parts of names, and the rows that it reads. */
import { asc, eq, sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { identifications, kybApplications, nameParts } from '../../../drizzle/schema.ts'
import { searchCases } from '../../../src/use-cases/review/queue.ts'
import { openConsole } from '../../support/console.ts'
import { createImported, createSoftKyc } from '../../support/identification.ts'
import { addVault, eventually, sharedInstance, unique } from '../../support/instance.ts'
import { completeSections, UBO } from '../../support/kyb.ts'
import { reconcile } from '../../support/webhook.ts'

const gatehouse = await sharedInstance({ worker: true })
const { api, baseUrl, credentials, db } = gatehouse

/** Returns a word that no other test uses. */
const newWord = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) =>
    String.fromCharCode(97 + (byte % 26)),
  ).join('')

const find = async (text: string, per_page = 25) => {
  const { entries, hasMore } = await searchCases({ db }, { actor: 'operator', address: null }, 'all', text, {
    page: 1,
    per_page,
  })
  return { ids: entries.map(({ id }) => id), hasMore }
}
const idsOf = async (text: string) => (await find(text)).ids

const company = (legal_company_name: string, more: object = {}) => ({
  nature_of_business: { legal_company_name, ...more },
})
const owner = (email: string, full_name: string) => ({
  beneficiaries: { beneficiaries_list: [{ email, full_name, roles: ['director'] }] },
})
/** Returns the rows of an entity with the transactions that wrote them. */
const rowsOf = (id: string) =>
  db.orm
    .select({ hash: sql<string>`encode(part_hash, 'hex')`, writtenBy: sql<string>`xmin::text` })
    .from(nameParts)
    .where(eq(nameParts.entityId, id))
    .orderBy(asc(nameParts.partHash))

test('finds companies, their beneficiaries and people by the beginnings of words, newest first', async () => {
  const [bank, ada] = [newWord(), newWord()]
  const kyb = await api.createKyb(unique(), {
    ...company(`${bank} Übersee-Bank AG`, { comercial_name: 'Nord' }),
    ...owner(UBO, `Grace ${ada}`),
  })
  const closed = await createImported(api, { name: ada, surname: 'López' })
  expect((await api.put(`/identifications/${closed}/close`)).status).toBe(200)
  expect(await idsOf(bank.slice(0, 5))).toEqual([kyb])
  expect(await idsOf(`ban ${bank.slice(0, 3)} uebers`)).toEqual([kyb])
  expect(await idsOf(`${ada.slice(0, 6)} GRA`)).toEqual([kyb])
  expect(await idsOf(`lop ${ada}`)).toEqual([closed])
  expect(await idsOf(ada.slice(0, -1))).toEqual([closed, kyb])
  // All words must be in the same name.
  for (const none of [`${bank} ${ada}`, `${bank} nord`, bank.slice(1), `${bank} b`, `${bank}x`])
    expect(await idsOf(none), none).toEqual([])
})

test('shows matches of all vaults on the page, exact ones first', async () => {
  const me = await openConsole(baseUrl, credentials)
  const other = await addVault(gatehouse)
  const word = newWord()
  const exact = await createSoftKyc(api, { external_uuid: word, name: 'Ada', surname: unique() })
  const named = await other.api.createKyb(unique(), company(`${word} Ltd`))
  const older = await createSoftKyc(api, { name: word, surname: 'Ltd' })
  expect(await idsOf(word)).toEqual([exact, older, named])
  const address = (await me.post('/console/search', { q: word.slice(0, 8) })).headers.get('Location')
  expect((await me.text(address ?? '')).match(/data-id="[^"]+"/g)).toEqual([
    `data-id="${older}"`,
    `data-id="${named}"`,
  ])
})

test('shows the name of the owner that a company matches', async () => {
  const me = await openConsole(baseUrl, credentials)
  const [bank, ada] = [newWord(), newWord()]
  await api.createKyb(unique(), { ...company(`${bank} Bank`), ...owner(UBO, `Ada ${ada}`) })
  const found = async (text: string) => {
    const { headers } = await me.post('/console/search', { q: text })
    return me.text(headers.get('Location') ?? '')
  }
  expect(await found(ada)).toContain(`Match: Ada ${ada}`)
  expect(await found(bank)).not.toContain('Match:')
})

test('returns at most one page, and states that there are more', async () => {
  const word = newWord()
  const ids: string[] = []
  for (let n = 0; n < 4; n += 1) ids.push(await createSoftKyc(api, { name: word, surname: `Same${n}` }))
  expect(await find(word, 3)).toEqual({ ids: ids.toReversed().slice(0, 3), hasMore: true })
  expect(await find(`sam ${word}`, 4)).toEqual({ ids: ids.toReversed(), hasMore: false })
})

test('does not show an entity whose hash is the same but whose name is not', async () => {
  const word = newWord()
  const [id, other] = [await createSoftKyc(api, { name: word }), await createSoftKyc(api)]
  await db.orm.execute(sql`INSERT INTO name_parts (part_hash, entity_id)
    SELECT part_hash, ${other} FROM name_parts WHERE entity_id = ${id} ON CONFLICT DO NOTHING`)
  expect(await idsOf(word)).toEqual([id])
})

describe('the index of name parts', () => {
  test('changes only by the difference if a name changes', async () => {
    const [before, after] = [newWord(), newWord()]
    const id = await api.createKyb(unique(), { ...company(`${before} Bank`), ...owner(UBO, 'Ada Lovelace') })
    const old = await rowsOf(id)
    expect(old).toHaveLength(19)
    expect((await api.patch(`/kyb/${id}`, company(`${after} Bank`))).status).toBe(200)
    const rows = await rowsOf(id)
    expect(rows.filter((row) => old.some(({ hash }) => hash === row.hash))).toEqual(
      old.filter(({ hash }) => rows.some((row) => row.hash === hash)),
    )
    expect(await idsOf(before)).toEqual([])
    expect(await idsOf(`${after} ban`)).toEqual([id])
    expect(await idsOf(`ada ${after}`)).toEqual([])
  })
  test('stays the same if other fields change', async () => {
    const word = newWord()
    const id = await api.createKyb(unique(), { ...company(word), ...owner(UBO, `Ada ${word}`) })
    const rows = await rowsOf(id)
    const { usage_of_account } = completeSections()
    expect((await api.patch(`/kyb/${id}`, { usage_of_account })).status).toBe(200)
    expect(await rowsOf(id)).toEqual(rows)
  })
  test('contains the new name of a person, and no removed beneficiary', async () => {
    const [word, another] = [newWord(), newWord()]
    const person = await createSoftKyc(api, { name: word })
    const kyb = await api.createKyb(unique(), owner(UBO, word))
    expect(await idsOf(word)).toEqual([kyb, person])
    expect((await api.put(`/identifications/${person}`, { name: another })).status).toBe(200)
    const gone = { beneficiaries: { beneficiaries_list: [{ email: UBO, _destroy: true }] } }
    expect((await api.patch(`/kyb/${kyb}`, gone)).status).toBe(200)
    expect(await idsOf(word)).toEqual([])
    expect(await idsOf(another)).toEqual([person])
    expect(await rowsOf(kyb)).toEqual([])
  })
})

test('housekeeping writes the rows that an earlier version did not write', async () => {
  const word = newWord()
  const kyb = await api.createKyb(unique(), { ...company(word), ...owner(UBO, word) })
  const person = await createSoftKyc(api, { name: word })
  const hashes = async () =>
    [await rowsOf(kyb), await rowsOf(person)].map((rows) => rows.map(({ hash }) => hash))
  const written = await hashes()
  for (const [table, id] of [
    [kybApplications, kyb],
    [identifications, person],
  ] as const) {
    await db.orm.update(table).set({ namesSpelt: false }).where(eq(table.id, id))
    await db.orm.delete(nameParts).where(eq(nameParts.entityId, id))
  }
  expect(await idsOf(word.slice(0, 5))).toEqual([])
  // A pass skips rows that a workflow is writing.
  await eventually(async () => {
    await reconcile(gatehouse)
    expect(await hashes()).toEqual(written)
  })
  expect(await idsOf(word.slice(0, 5))).toEqual([person, kyb])
})

test('lists exact matches first, even if others are newer', async () => {
  const word = newWord()
  const exact = await api.createKyb(unique(), company(`${word} Bank`))
  const longer = await api.createKyb(unique(), company(`${word} Bank Holding`))
  const owned = await api.createKyb(unique(), {
    ...company(newWord()),
    ...owner(`${word}@example.com`, `${word} Bank Junior`),
  })
  // The exact name also finds the identification of the company.
  const [first, , ...others] = await idsOf(`${word} bank`)
  expect([first, ...others]).toEqual([exact, owned, longer])
})
