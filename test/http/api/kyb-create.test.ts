/** Tests `POST /kyb`, `GET /kyb`, `GET /kyb/{id}` and `GET /kyb/validate/{id}` without a worker. */
import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { accounts, files, identifications, kybApplications, timeline } from '../../../drizzle/schema.ts'
import { listKybApplications } from '../../../src/db/cases/kyb-application-list.ts'
import { fileContext } from '../../../src/db/files/file.ts'
import { expectErrors } from '../../support/checks.ts'
import { addVault, sharedInstance, unique } from '../../support/instance.ts'
import { completeSections, UBO } from '../../support/kyb.ts'

const gatehouse = await sharedInstance()
const { api } = gatehouse
const stranger = (await addVault(gatehouse)).api

/** Copied from the specification, independent of the code. */
const FIELDS = {
  nature_of_business:
    'legal_company_name comercial_name different_commercial_name company_registration_id country_of_incorporation date_of_incorporation description_activity products_offered subject_of_supervision website phone email legal_address postal_code_address city_address state_address country_address vat_number company_type tax_residency_country directors_residency_country website_legal_name_check website_activity_check',
  usage_of_account:
    'usage source_of_funds nesting_confirmation nesting_justification flow_of_funds_description fund_origin_confirmation ubo_source_of_wealth ubo_source_of_wealth_other list_of_services list_of_countries_operated list_of_countries_intended fund_evidences proof_regulations aml_policies risky_activities trx_count_monthly trx_value_monthly introduced_to_service',
  business_files:
    'incorporation_certificates articles_of_association legal_structures residence_proofs shareholders_registers directors_registers good_standing_certificate internal_shareholder_register power_of_attorney signature_type public_registry_shares',
  beneficiaries: 'evidence_of_ubos shareholders_confirmation beneficiaries_list',
}

const rows = () =>
  Promise.all(
    [kybApplications, identifications, accounts, timeline].map((table) => gatehouse.db.orm.$count(table)),
  )

describe('POST /kyb', () => {
  test('requires only an external_id, and returns 201 with the application and a password of 20 characters', async () => {
    const externalId = unique()
    const { status, body } = await api.post('/kyb', { external_id: externalId })
    expect(status).toBe(201)
    expect(body.generated_password).toMatch(/^[A-Za-z0-9]{20}$/)
    expect(body.data).toMatchObject({
      external_id: externalId,
      client_kyc: false,
      internal: false,
      status: { completed: false, processed: false },
      beneficiaries: { beneficiaries_list: [], evidence_of_ubos: [] },
      review: null,
    })
    expect(body.data.requirements.currently_due).toContain('nature_of_business.legal_company_name')
  })

  test('fills in the sections and flags of the request', async () => {
    const sections = completeSections()
    const { body } = await api.post('/kyb', {
      external_id: unique(),
      client_kyc: true,
      internal: true,
      ...sections,
    })
    expect(body.data).toMatchObject({ ...sections, client_kyc: true, internal: true })
    expect(body.data.requirements.currently_due).not.toContain('nature_of_business.phone')
  })

  test('creates the identification and its account before it responds', async () => {
    const externalId = unique()
    await api.createKyb(externalId)
    const { body } = await api.get(`/identifications?filter[external_uuid]=${externalId}`)
    expect(body.data).toMatchObject([{ external_uuid: externalId, status: 'initiated' }])
  })

  test('shows the password once, and stores only a hash', async () => {
    const { body } = await api.post('/kyb', { external_id: unique() })
    const [row] = await gatehouse.db.orm
      .select()
      .from(kybApplications)
      .where(eq(kybApplications.id, body.data.id))
    expect(row?.passwordHash).toHaveLength(32)
    expect(JSON.stringify((await api.get(`/kyb/${body.data.id}`)).body)).not.toContain(
      body.generated_password,
    )
  })

  test.each([
    [{}, [{ code: 'required', field: 'external_id' }]],
    [{ external_id: '' }, [{ code: 'required', field: 'external_id' }]],
    [{ external_id: null }, [{ code: 'invalid', field: 'external_id' }]],
    [{ external_id: 'a\u0000b' }, [{ code: 'invalid', field: 'external_id' }]],
    [{ external_id: 'half \ud800' }, [{ code: 'invalid', field: 'external_id' }]],
    [{ external_id: 'x'.repeat(256) }, [{ code: 'too_long', field: 'external_id' }]],
    [
      { external_id: 'a', internal: 'yes', more: 1, nature_of_business: { phone: '1', nothing: 2 } },
      [
        { code: 'invalid', field: 'internal' },
        { code: 'unknown_field', field: 'more' },
        { code: 'invalid', field: 'nature_of_business.phone' },
        { code: 'unknown_field', field: 'nature_of_business.nothing' },
      ],
    ],
    [
      { external_id: 'a', business_files: { legal_structures: [{ id: unique() }] } },
      [{ code: 'unknown_file', field: 'business_files.legal_structures.0.id' }],
    ],
  ])('returns 422 for %j with every problem, and creates nothing', async (body, problems) => {
    const before = await rows()
    const answer = await api.post('/kyb', body)
    expect(answer.status).toBe(422)
    expectErrors(answer, ...problems)
    expect(await rows()).toEqual(before)
  })

  test('returns 422 if the external_id is taken, and creates nothing', async () => {
    const externalId = unique()
    await api.createKyb(externalId)
    const before = await rows()
    const answer = await api.post('/kyb', { external_id: externalId })
    expect(answer.status).toBe(422)
    expectErrors(answer, { code: 'external_id_taken', field: 'external_id' })
    expect(await rows()).toEqual(before)
  })

  test('creates one application for ten concurrent requests with the same external_id', async () => {
    const externalId = unique()
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => api.post('/kyb', { external_id: externalId })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(422)])
  })

  test('accepts the same external_id in two vaults', async () => {
    const externalId = unique()
    await api.createKyb(externalId)
    await stranger.createKyb(externalId)
  })
})

describe('GET /kyb/{id}', () => {
  test('returns every specified field, as null or an empty list if it has no value', async () => {
    const { body } = await api.get(`/kyb/${await api.createKyb()}`)
    expect(body.data.nature_of_business).toMatchObject({ legal_company_name: null, website: null })
    expect(body.data.usage_of_account).toMatchObject({ source_of_funds: [], aml_policies: [], usage: null })
    for (const [section, fields] of Object.entries(FIELDS)) {
      expect(Object.keys(body.data[section]).sort()).toEqual(fields.split(' ').sort())
    }
    expect(body.data.created_at).toBeTypeOf('number')
  })

  test('returns a beneficiary with an external_id and a link, and names its requirements by that ID', async () => {
    const { body } = await api.get(`/kyb/${await api.createKyb(unique(), completeSections())}`)
    const [person] = body.data.beneficiaries.beneficiaries_list
    expect(person).toMatchObject({ email: UBO, proof_address: [], politically_exposed: false })
    expect(person.link).toMatch(/^http.+\/verify\/[\w-]{43}$/)
    const path = `beneficiaries.beneficiaries_list.${person.external_id}.beneficiary_identification`
    expect(body.data.requirements.currently_due).toContain(path)
    expect(JSON.stringify(body.data.requirements)).not.toContain('@')
  })

  test('returns 404 for an unknown ID or another vault', async () => {
    for (const id of [unique(), '00000000-0000-0000-0000-000000000000', await stranger.createKyb()]) {
      const answer = await api.get(`/kyb/${id}`)
      expect(answer.status).toBe(404)
      expect(answer.body).toEqual({
        errors: [{ code: 'not_found', message: expect.stringContaining('Record not found') }],
      })
    }
  })

  test('accepts an ID in upper case', async () => {
    const id = await api.createKyb()
    expect((await api.get(`/kyb/${id.toUpperCase()}`)).body.data.id).toBe(id)
  })

  test.each(['1', 'abc', '%20', '%00', "'%20OR%201=1", '..%2f'])('returns 400 for the ID %s', async (id) => {
    const answer = await api.get(`/kyb/${id}`)
    expect(answer.status).toBe(400)
    expectErrors(answer, 'malformed_request')
  })

  test('returns 400 for a path with invalid encoding', async () => {
    expect((await api.get('/kyb/%E0%A4%A')).status).toBe(400)
  })
})

describe('GET /kyb/validate/{id}', () => {
  test('reports if the application exists in the caller’s vault', async () => {
    const id = await api.createKyb()
    expect(await api.get(`/kyb/validate/${id}`)).toMatchObject({ status: 200, body: { exists: true } })
    expect((await stranger.get(`/kyb/validate/${id}`)).body).toEqual({ exists: false })
    expect((await api.get(`/kyb/validate/${unique()}`)).body).toEqual({ exists: false })
    expect((await gatehouse.reader.get(`/kyb/validate/${id}`)).body).toEqual({ exists: true })
  })
})

describe('GET /kyb', () => {
  test('reads large applications and those with many files in small batches', async () => {
    const { api: own, vaultId } = await addVault(gatehouse)
    const { db } = gatehouse
    const ids: string[] = []
    for (let n = 0; n < 3; n++) ids.unshift(await own.createKyb())
    const name = 'n'.repeat(800)
    const ofOne = (kybApplicationId: string) =>
      Array.from({ length: 500 }, () => {
        const id = unique()
        return {
          id,
          kybApplicationId,
          state: 'attached' as const,
          name: db.encryption.seal(name, fileContext(id)),
        }
      })
    for (const id of ids) await db.orm.insert(files).values(ofOne(id))
    const { entries: applications, rest } = await listKybApplications(db, vaultId, { page: 1, per_page: 100 })
    expect(applications.length).toBeLessThan(3)
    const read = [...applications]
    for await (const each of rest ?? []) read.push(each)
    expect(read.map(({ id }) => id)).toEqual(ids)
  })
  test('lists the vault’s applications, newest first, in pages of 25', async () => {
    const { api: own } = await addVault(gatehouse)
    expect((await own.get('/kyb')).body).toEqual({
      data: [],
      pagination: { current_page: 1, per_page: 25, total_pages: 1, total_count: 0 },
    })
    const ids: string[] = []
    for (let n = 0; n < 5; n++) ids.unshift(await own.createKyb())
    const idsOf = async (query: string) => {
      const { body } = await own.get(`/kyb${query}`)
      return { ids: body.data.map(({ id }: { id: string }) => id), ...body.pagination }
    }
    expect(await idsOf('')).toEqual({ ids, current_page: 1, per_page: 25, total_pages: 1, total_count: 5 })
    expect(await idsOf('?per_page=2&page=2')).toEqual({
      ids: ids.slice(2, 4),
      current_page: 2,
      per_page: 2,
      total_pages: 3,
      total_count: 5,
    })
    expect(await idsOf('?page=99')).toMatchObject({ ids: [], current_page: 99, total_pages: 1 })
    expect(await idsOf('?per_page=101')).toMatchObject({ ids, per_page: 100 })
    expect(await idsOf('?page=999999999&per_page=999999999')).toMatchObject({ ids: [], per_page: 100 })
  })

  test('filters by external_id, status and dates', async () => {
    const { api: own } = await addVault(gatehouse)
    const external_id = unique()
    await api.createKyb(external_id)
    const [open, completed] = [await own.createKyb(external_id), await own.createKyb()]
    const [processed, abandoned] = [await own.createKyb(), await own.createKyb()]
    const at = (day: number) => Date.UTC(2026, 0, day) / 1_000
    const states = [
      [open, { status: 'open', completed: false }],
      [completed, { status: 'open', completed: true }],
      [processed, { status: 'processed', completed: true }],
      [abandoned, { status: 'abandoned', completed: false }],
    ] as const
    for (const [n, [id, state]] of states.entries()) {
      const createdAt = new Date(at(n + 1) * 1_000)
      await gatehouse.db.orm
        .update(kybApplications)
        .set({ ...state, createdAt })
        .where(eq(kybApplications.id, id))
    }
    const found = async (query: string) => {
      const { data, pagination } = (await own.get(`/kyb?${query}`)).body
      expect(pagination.total_count).toBe(data.length)
      return data.map(({ id }: { id: string }) => id)
    }
    expect(await found(`external_id=${external_id}`)).toEqual([open])
    expect(await found(`external_id=${external_id}&status=processed`)).toEqual([])
    expect(await found(`external_id=${unique()}`)).toEqual([])
    expect(await found('status=open')).toEqual([completed, open])
    expect(await found('status=completed')).toEqual([processed, completed])
    expect(await found('status=processed')).toEqual([processed])
    expect(await found('status=abandoned')).toEqual([abandoned])
    expect(await found(`from=${at(2)}`)).toEqual([abandoned, processed, completed])
    expect(await found(`to=${at(2)}`)).toEqual([completed, open])
    expect(await found(`from=${at(2)}&to=${at(3) - 1}`)).toEqual([completed])
    // The latest accepted time.
    expect(await found(`from=${at(2)}&to=253402300799`)).toEqual(await found(`from=${at(2)}`))
    expect(await found(`from=${at(1)}&to=${at(4)}&status=open&external_id=${external_id}`)).toEqual([open])
  })

  test.each([
    ['status=done', 422],
    ['from=yesterday', 400],
    ['vault_id=abc', 400],
    ['page=0', 422],
    ['page=-1', 422],
    ['per_page=0', 422],
    ['per_page=-1', 422],
    ['page=abc', 400],
    ['page=1.5', 400],
    ['page=', 400],
    ['per_page=abc', 400],
    ['page=0&per_page=abc', 400],
    ['pages=1', 422],
  ])('responds to %s with %i', async (query, status) => {
    expect((await api.get(`/kyb?${query}`)).status).toBe(status)
  })
})
