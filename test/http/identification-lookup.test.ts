/** Operators find people and companies by exact email or name; encrypted data are not searchable. */
import { afterAll, describe, expect, test } from 'vitest'
import { company, createImported, createSoftKyc, person } from '../support/identification.ts'
import { addVault, startInstance, unique } from '../support/instance.ts'

// Operators search every vault, so others' people must not be there.
const gatehouse = await startInstance()
await gatehouse.startWorker()
afterAll(gatehouse.stop)
const operator = await gatehouse.operator()

const found = async (query: Record<string, string>): Promise<string[]> => {
  const { status, body } = await operator.get(`/identifications?${new URLSearchParams(query)}`)
  expect(status).toBe(200)
  return body.data.map(({ id }: { id: string }) => id)
}

describe('what is found', () => {
  test('a person by e-mail, and by name and surname, however they are typed', async () => {
    const id = await createSoftKyc(gatehouse.api, {
      name: 'Zoë',
      surname: 'Ångström',
      email: 'Zoe@Example.com',
    })
    expect(await found({ email: ' zoe@example.COM ' })).toEqual([id])
    // The same letters, composed in another way.
    expect(await found({ name: 'zoe\u0308', surname: 'A\u030angstro\u0308m' })).toEqual([id])
    expect(await found({ email: 'zoe@example.com', name: 'Zoë', surname: 'Ångström' })).toEqual([id])
    // What nobody sees is no other name, neither where it is looked for nor where it is stored.
    const unseen = await createSoftKyc(gatehouse.api, { name: 'Zo\u200bë', surname: ' Ång\u00adström\u200e' })
    expect(await found({ name: 'Z\u2060oë', surname: 'Ångström' })).toEqual([unseen, id])
  })
  test('only what matches everything that is given, and only exactly', async () => {
    const id = await createSoftKyc(gatehouse.api, {
      name: 'Grace',
      surname: 'Hopper',
      email: 'grace@example.com',
    })
    expect(await found({ name: 'Grace', surname: 'Hopper' })).toEqual([id])
    expect(await found({ name: 'Grace' })).toEqual([])
    expect(await found({ email: 'grace@example.co' })).toEqual([])
    expect(await found({ email: 'grace@example.com', name: 'Ada', surname: 'Hopper' })).toEqual([])
    // Where a name ends and the surname begins is part of it.
    expect(await found({ name: 'Grace Hopper' })).toEqual([])
  })
  test('nothing by what nobody sees, though there is much in the vault', async () => {
    const vault_id = gatehouse.vaultId
    await createSoftKyc(gatehouse.api, person())
    await gatehouse.api.createKyb()
    for (const unseen of [{ name: '\u{e0041}' }, { surname: '\ufff9' }, { email: '\u{e0041}' }])
      for (const rest of [{}, { vault_id }]) expect(await found({ ...unseen, ...rest })).toEqual([])
    const query = new URLSearchParams({ name: '\u{e0041}', vault_id })
    expect((await operator.get(`/kyb?${query}`)).body.data).toEqual([])
  })
  test('a company of soft KYC and one of an application, each by its name and e-mail', async () => {
    const soft = await gatehouse.api.post(
      '/identifications/soft_kyc',
      company({ name: 'Looms SA', email: 'looms@example.com' }),
    )
    const kybId = await gatehouse.api.createKyb(unique(), {
      nature_of_business: { legal_company_name: 'Looms SA', email: 'mill@example.com' },
    })
    const { body } = await gatehouse.api.get('/identifications?per_page=1')
    const ofKyb = body.data[0].id
    expect(new Set(await found({ name: 'looms sa' }))).toEqual(new Set([soft.body.data.id, ofKyb]))
    expect(await found({ email: 'mill@example.com' })).toEqual([ofKyb])

    const edit = { nature_of_business: { email: 'new@example.com' } }
    expect((await gatehouse.api.patch(`/kyb/${kybId}`, edit)).status).toBe(200)
    expect(await found({ email: 'new@example.com' })).toEqual([ofKyb])
    expect(await found({ email: 'mill@example.com' })).toEqual([])
  })
  test('what a profile says after an edit, not what it said before', async () => {
    const id = await createSoftKyc(gatehouse.api, { name: 'Mary', surname: 'Somerville' })
    expect((await gatehouse.api.put(`/identifications/${id}`, { surname: 'Fairfax' })).status).toBe(200)
    expect(await found({ name: 'Mary', surname: 'Fairfax' })).toEqual([id])
    expect(await found({ name: 'Mary', surname: 'Somerville' })).toEqual([])
  })
})

describe('by the client’s own id, in every vault or in one', () => {
  test('identifications and applications, exactly', async () => {
    const other = await addVault(gatehouse)
    const external = unique()
    const kybs = [await gatehouse.api.createKyb(external), await other.api.createKyb(external)]
    const kyb = async (query: string) => {
      const { status, body } = await operator.get(`/kyb?${query}`)
      expect(status).toBe(200)
      return body.data.map(({ id }: { id: string }) => id)
    }
    expect(new Set(await kyb(`external_id=${external}`))).toEqual(new Set(kybs))
    expect(await kyb(`external_id=${external}&vault_id=${other.vaultId}`)).toEqual([kybs[1]])
    expect(await kyb(`external_id=${external.slice(1)}`)).toEqual([])
    // Each began with an identification of the same id.
    const companies = await found({ external_uuid: external })
    expect(companies).toHaveLength(2)
    expect(await found({ external_uuid: external, vault_id: other.vaultId })).toHaveLength(1)
    expect(await found({ external_uuid: external, email: 'nobody@example.com' })).toEqual([])
  })
  test('applications also by the company’s e-mail and name', async () => {
    const nature_of_business = { legal_company_name: 'Difference AG', email: 'mail@difference.example' }
    const id = await gatehouse.api.createKyb(unique(), { nature_of_business })
    for (const query of ['email=MAIL@difference.example', 'name=difference%20ag']) {
      const { body } = await operator.get(`/kyb?${query}&vault_id=${gatehouse.vaultId}`)
      expect(body.data).toEqual([
        {
          kind: 'kyb',
          id,
          title: 'Difference AG',
          vault_id: gatehouse.vaultId,
          status: 'open',
          version: 1,
          waiting_on: 'client',
          waiting_since: expect.any(Number),
          assigned_to: null,
          assigned_until: null,
          open_hits: 0,
          is_pending: false,
        },
      ])
    }
  })
  test('a vault alone is nothing to look for among people', async () => {
    const answer = await operator.get(`/identifications?vault_id=${gatehouse.vaultId}`)
    expect(answer.status).toBe(422)
    expect(answer.body.errors).toMatchObject([{ code: 'invalid', field: 'email' }])
  })
  test('applications are listed without a search term, of one vault or of all, newest first', async () => {
    const other = await addVault(gatehouse)
    const ids = [await other.api.createKyb(), await other.api.createKyb()].reverse()
    const last = await gatehouse.api.createKyb()
    const listed = async (query: string) => {
      const { status, body } = await operator.get(`/kyb?${query}`)
      expect(status).toBe(200)
      return body
    }
    const ofVault = await listed(`vault_id=${other.vaultId}`)
    expect(ofVault.data.map(({ id }: { id: string }) => id)).toEqual(ids)
    const newest = await listed('per_page=2')
    expect(newest.data.map(({ id }: { id: string }) => id)).toEqual([last, ids[0]])
    expect(newest.pagination.total_count).toBeGreaterThan(2)
  })
})

test('identifications of every vault are found, a page at a time, as the queue shows them', async () => {
  const other = await addVault(gatehouse)
  const email = 'both@example.com'
  const first = await createSoftKyc(gatehouse.api, { email })
  const second = await createSoftKyc(other.api, { email })
  const { body } = await operator.get(`/identifications?email=${email}&per_page=1`)
  expect(body.pagination).toEqual({ current_page: 1, per_page: 1, total_pages: 2, total_count: 2 })
  expect(body.data).toEqual([
    {
      kind: 'identification',
      id: second,
      title: 'Ada Lovelace',
      vault_id: other.vaultId,
      status: 'initiated',
      version: 1,
      waiting_on: expect.any(String),
      waiting_since: expect.any(Number),
      assigned_to: null,
      assigned_until: null,
      open_hits: 0,
      is_pending: false,
    },
  ])
  expect(await found({ email, page: '2', per_page: '1' })).toEqual([first])
})

test('a lookup without anything to look for is refused, and one by a client or a stranger, too', async () => {
  await createImported(gatehouse.api)
  const nothing = await operator.get('/identifications')
  expect(nothing.status).toBe(422)
  expect(nothing.body.errors[0]).toMatchObject({ code: 'invalid', field: 'email' })
  expect((await operator.get('/identifications?email=')).body.errors[0].code).toBe('required')
  expect((await operator.get('/identifications?mail=a')).body.errors[0].code).toBe('unknown_field')
  const url = `${gatehouse.baseUrl}/operator/v1/identifications?email=${person().email}`
  const headers = { Authorization: gatehouse.credentials.api_key }
  expect((await fetch(url, { headers })).status).toBe(401)
})
