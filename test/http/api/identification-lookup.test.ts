/** Tests the operators' search for people and companies by exact email or name. Encrypted data is not searchable. */
import { afterAll, describe, expect, test } from 'vitest'
import { RISK_LEVELS } from '../../../src/domain/decision/risk.ts'
import { expectErrors } from '../../support/checks.ts'
import { company, createImported, createSoftKyc, person } from '../../support/identification.ts'
import { addVault, startInstance, unique } from '../../support/instance.ts'

// Operators search all vaults, so the test needs an instance without other people.
const gatehouse = await startInstance()
await gatehouse.startWorker()
afterAll(gatehouse.stop)
const operator = await gatehouse.operator()

const found = async (query: Record<string, string>): Promise<string[]> => {
  const { status, body } = await operator.get(`/identifications?${new URLSearchParams(query)}`)
  expect(status).toBe(200)
  return body.data.map(({ id }: { id: string }) => id)
}

describe('search results', () => {
  test('contain a person by email, or by name and surname, in any spelling', async () => {
    const id = await createSoftKyc(gatehouse.api, {
      name: 'Zoë',
      surname: 'Ångström',
      email: 'Zoe@Example.com',
    })
    expect(await found({ email: ' zoe@example.COM ' })).toEqual([id])
    // The same letters in decomposed form.
    expect(await found({ name: 'zoe\u0308', surname: 'A\u030angstro\u0308m' })).toEqual([id])
    expect(await found({ email: 'zoe@example.com', name: 'Zoë', surname: 'Ångström' })).toEqual([id])
    // Invisible characters are ignored, both in the search term and in the stored name.
    const unseen = await createSoftKyc(gatehouse.api, { name: 'Zo\u200bë', surname: ' Ång\u00adström\u200e' })
    expect(await found({ name: 'Z\u2060oë', surname: 'Ångström' })).toEqual([unseen, id])
  })
  test('match all terms, and only exactly', async () => {
    const id = await createSoftKyc(gatehouse.api, {
      name: 'Grace',
      surname: 'Hopper',
      email: 'grace@example.com',
    })
    expect(await found({ name: 'Grace', surname: 'Hopper' })).toEqual([id])
    expect(await found({ name: 'Grace' })).toEqual([])
    expect(await found({ email: 'grace@example.co' })).toEqual([])
    expect(await found({ email: 'grace@example.com', name: 'Ada', surname: 'Hopper' })).toEqual([])
    // The boundary between name and surname is significant.
    expect(await found({ name: 'Grace Hopper' })).toEqual([])
  })
  test('are empty if the term has only invisible characters', async () => {
    const vault_id = gatehouse.vaultId
    await createSoftKyc(gatehouse.api, person())
    await gatehouse.api.createKyb()
    for (const unseen of [{ name: '\u{e0041}' }, { surname: '\ufff9' }, { email: '\u{e0041}' }])
      for (const rest of [{}, { vault_id }]) expect(await found({ ...unseen, ...rest })).toEqual([])
    const query = new URLSearchParams({ name: '\u{e0041}', vault_id })
    expect((await operator.get(`/kyb?${query}`)).body.data).toEqual([])
  })
  test('contain companies from soft KYC and from applications by name and email', async () => {
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
  test('match the profile after an edit, and no longer the earlier one', async () => {
    const id = await createSoftKyc(gatehouse.api, { name: 'Mary', surname: 'Somerville' })
    expect((await gatehouse.api.put(`/identifications/${id}`, { surname: 'Fairfax' })).status).toBe(200)
    expect(await found({ name: 'Mary', surname: 'Fairfax' })).toEqual([id])
    expect(await found({ name: 'Mary', surname: 'Somerville' })).toEqual([])
  })
})

test('lists cases by country and by risk, together with all other terms', async () => {
  const id = await gatehouse.api.createKyb(unique(), {
    nature_of_business: { legal_company_name: 'Geysir hf.', country_of_incorporation: 'IS' },
  })
  const { identification_id } = (await gatehouse.api.get(`/kyb/${id}`)).body.data
  const companies = async (query: string): Promise<string[]> =>
    (await operator.get(`/kyb?per_page=100&${query}`)).body.data.map((each: { id: string }) => each.id)
  expect(await found({ country: 'IS' })).toEqual([identification_id])
  expect(await companies('country=IS')).toEqual([id])
  expect(await companies('country=IS&name=Geysir hf.&risk=low')).toEqual([id])
  expect(await companies('country=IS&risk=high')).toEqual([])
  expect(await found({ country: 'IS', name: 'Looms SA' })).toEqual([])
  const levels = await Promise.all(RISK_LEVELS.map((risk) => companies(`risk=${risk}`)))
  expect(levels.flat().sort()).toEqual((await companies('')).sort())
  for (const query of ['country=Iceland', 'risk=none'])
    expectErrors(await operator.get(`/identifications?${query}`), 'invalid')
})

describe('search by external ID, in all vaults or in one', () => {
  test('finds identifications and applications only by exact ID', async () => {
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
    // Each application has an identification with the same external ID.
    const companies = await found({ external_uuid: external })
    expect(companies).toHaveLength(2)
    expect(await found({ external_uuid: external, vault_id: other.vaultId })).toHaveLength(1)
    expect(await found({ external_uuid: external, email: 'nobody@example.com' })).toEqual([])
  })
  test('finds applications also by the company’s email and name', async () => {
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
  test('returns 422 if the vault is the only term for identifications', async () => {
    const answer = await operator.get(`/identifications?vault_id=${gatehouse.vaultId}`)
    expect(answer.status).toBe(422)
    expect(answer.body.errors).toMatchObject([{ code: 'invalid', field: 'email' }])
  })
  test('lists applications without a search term, of one vault or of all, newest first', async () => {
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

test('returns a paginated list of identifications from all vaults, with the same fields as the queue', async () => {
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

test('refuses a search without a term, and a search by a client', async () => {
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
