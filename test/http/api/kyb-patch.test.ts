/** Tests `PATCH /kyb/{id}`, and that refused requests leave no trace. */
import { eq } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { beneficiaries } from '../../../drizzle/schema.ts'
import { hashBeneficiary } from '../../../src/db/lists/lookup.ts'
import { expectRefusal, settled, tracesOf } from '../../support/checks.ts'
import { sharedInstance, unique } from '../../support/instance.ts'
import { completeApplication, completeSections, UBO } from '../../support/kyb.ts'

const gatehouse = await sharedInstance({ worker: true })
const { api } = gatehouse

const read = async (id: string) => (await api.get(`/kyb/${id}`)).body.data

describe('PATCH /kyb/{id}', () => {
  test('returns a message, and stores the change', async () => {
    const id = await api.createKyb()
    const answer = await api.patch(`/kyb/${id}`, {
      nature_of_business: { legal_company_name: 'Zürich AG ☂' },
    })
    expect(answer).toMatchObject({ status: 200, body: { message: expect.any(String) } })
    expect(answer.body.requirements).toEqual((await read(id)).requirements)
    expect((await read(id)).nature_of_business.legal_company_name).toBe('Zürich AG ☂')
  })

  test('changes only the sent fields, clears them if they are null, and replaces lists of values', async () => {
    const id = await api.createKyb(unique(), completeSections())
    await api.patch(`/kyb/${id}`, {
      nature_of_business: { city_address: 'Hamburg', postal_code_address: null },
      usage_of_account: { list_of_services: ['crypto_trading'] },
    })
    const { nature_of_business, usage_of_account } = completeSections()
    expect(await read(id)).toMatchObject({
      nature_of_business: { ...nature_of_business, city_address: 'Hamburg', postal_code_address: null },
      usage_of_account: { ...usage_of_account, list_of_services: ['crypto_trading'] },
    })
  })

  test('matches beneficiaries by case-insensitive email, keeps their links, adds and removes them', async () => {
    const id = await api.createKyb(unique(), completeSections())
    const [ada] = (await read(id)).beneficiaries.beneficiaries_list
    const people = (...beneficiaries_list: object[]) =>
      api.patch(`/kyb/${id}`, { beneficiaries: { beneficiaries_list } })
    await people({ email: UBO.toUpperCase(), full_name: 'Ada King' }, { email: 'bob@example.com' })
    const { beneficiaries_list } = (await read(id)).beneficiaries
    expect(beneficiaries_list[0]).toEqual({ ...ada, full_name: 'Ada King' })
    expect(beneficiaries_list[1]).toMatchObject({ email: 'bob@example.com', full_name: null })
    await people({ email: UBO, _destroy: true })
    expect((await read(id)).beneficiaries.beneficiaries_list).toEqual([beneficiaries_list[1]])
  })

  test('changes the email of the beneficiary whose external_id is sent, and keeps the link', async () => {
    const id = await api.createKyb(unique(), completeSections())
    const [ada] = (await read(id)).beneficiaries.beneficiaries_list
    const email = 'ada.king@example.com'
    const list = [{ external_id: ada.external_id, email }]
    expect((await api.patch(`/kyb/${id}`, { beneficiaries: { beneficiaries_list: list } })).status).toBe(200)
    expect((await read(id)).beneficiaries.beneficiaries_list).toEqual([{ ...ada, email }])
    const own = eq(beneficiaries.id, ada.external_id)
    const [row] = await gatehouse.db.orm.select().from(beneficiaries).where(own)
    expect(row).toMatchObject(hashBeneficiary(gatehouse.db, { email }))
  })

  test('changes nothing if the client sends back the data that it has read', async () => {
    const { id } = await completeApplication(api)
    await api.patch(`/kyb/${id}`, {
      beneficiaries: { beneficiaries_list: [{ email: 'Bob.Babbage@Example.com' }] },
    })
    const before = await read(id)
    expect(before.beneficiaries.beneficiaries_list[1].email).toBe('Bob.Babbage@Example.com')
    expect((await api.patch(`/kyb/${id}`, before)).status).toBe(200)
    expect(await read(id)).toEqual(before)
  })

  test('sets completed if and only if nothing is due', async () => {
    const { id } = await completeApplication(api)
    expect(await read(id)).toMatchObject({ status: { completed: true }, requirements: { currently_due: [] } })
    await api.patch(`/kyb/${id}`, { nature_of_business: { phone: null } })
    expect(await read(id)).toMatchObject({
      status: { completed: false, processed: false },
      requirements: { currently_due: ['nature_of_business.phone'] },
    })
    await api.patch(`/kyb/${id}`, { nature_of_business: { phone: '+4930123456' } })
    expect((await read(id)).status.completed).toBe(true)
  })

  test('keeps the application incomplete if values are insufficient, and states the reasons', async () => {
    const { id } = await completeApplication(api)
    const [ada] = (await read(id)).beneficiaries.beneficiaries_list
    const answer = await api.patch(`/kyb/${id}`, {
      nature_of_business: { legal_company_name: ' \n ', date_of_incorporation: '2090-01-01' },
      usage_of_account: { fund_origin_confirmation: false, nesting_confirmation: true },
      beneficiaries: { beneficiaries_list: [{ email: UBO, politically_exposed: null }] },
    })
    expect(answer.status).toBe(200)
    const { status, requirements } = await read(id)
    expect(status).toEqual({ completed: false, processed: false })
    const due = [
      ['nature_of_business.legal_company_name', 'missing', 'The field is empty. Send a value.'],
      [
        'nature_of_business.date_of_incorporation',
        'in_future',
        'The date is in the future. Send an earlier date.',
      ],
      [
        'usage_of_account.nesting_justification',
        'missing',
        'The field is empty. Send a value. It is required because `nesting_confirmation` is true.',
      ],
      [
        'usage_of_account.fund_origin_confirmation',
        'not_confirmed',
        'The statement is not confirmed. Send true if it is correct.',
      ],
      [
        `beneficiaries.beneficiaries_list.${ada.external_id}.politically_exposed`,
        'unanswered',
        'The question is not answered. Send true or false.',
      ],
    ]
    expect(requirements).toEqual({
      currently_due: due.map(([path]) => path),
      reasons: due.map(([path, code, message]) => ({ path, code, message })),
      errors: [],
    })
  })

  test('removes whitespace around texts', async () => {
    const id = await api.createKyb(unique(), { nature_of_business: { city_address: ' Berlin\n' } })
    expect((await read(id)).nature_of_business.city_address).toBe('Berlin')
  })

  test('names a known beneficiary by external_id in errors, and a new one by position', async () => {
    const id = await api.createKyb(unique(), completeSections())
    const [ada] = (await read(id)).beneficiaries.beneficiaries_list
    const list = 'beneficiaries.beneficiaries_list'
    const fieldsOf = async (...people: object[]) => {
      const { body } = await api.patch(`/kyb/${id}`, { beneficiaries: { beneficiaries_list: people } })
      return body.errors.map(({ field }: { field: string }) => field)
    }
    const bob = { email: 'bob@example.com' }
    const known = { email: UBO.toUpperCase() }
    expect(await fieldsOf({ ...bob, roles: ['king'] }, { ...known, roles: ['king'], full_name: 7 })).toEqual([
      `${list}.0.roles.0`,
      `${list}.${ada.external_id}.full_name`,
      `${list}.${ada.external_id}.roles.0`,
    ])
    const files = { proof_address: [{ id: unique() }] }
    expect(await fieldsOf({ ...bob, ...files }, { ...known, ...files })).toEqual([
      `${list}.0.proof_address.0.id`,
      `${list}.${ada.external_id}.proof_address.0.id`,
    ])
    for (const people of [null, 'x', [null], [{ email: { toString: null } }]])
      expect(
        (await api.patch(`/kyb/${id}`, { beneficiaries: { beneficiaries_list: people, x: 1 } })).status,
      ).toBe(422)
  })

  test('accepts a list of uploaded files, and detaches them only if the list is null', async () => {
    const id = await api.createKyb()
    const upload = async () => (await api.upload(id, { attribute: 'legal_structures' })).body
    const [first, second] = [await upload(), await upload()]
    const lists = (list: object[]) => api.patch(`/kyb/${id}`, { business_files: { legal_structures: list } })
    expect((await lists([second, first])).status).toBe(200)
    expect((await read(id)).business_files.legal_structures).toEqual([second, first])
    expect((await lists([{ id: second.id }])).status).toBe(200)
    expect((await lists([])).status).toBe(200)
    expect((await read(id)).business_files.legal_structures).toEqual([second, first])
    expect((await tracesOf(gatehouse, id)).files).toBe(2)
    await api.patch(`/kyb/${id}`, { business_files: { legal_structures: null } })
    expect((await read(id)).business_files.legal_structures).toEqual([])
    expect((await tracesOf(gatehouse, id)).files).toBe(0)
    expect((await lists([first])).body.errors).toMatchObject([{ code: 'unknown_file' }])
  })

  test('finds the same application and workflow if the ID is in upper case', async () => {
    const id = await api.createKyb()
    const answer = await api.patch(`/kyb/${id.toUpperCase()}`, { usage_of_account: { usage: 'Up' } })
    expect(answer.status).toBe(200)
    expect((await read(id)).usage_of_account.usage).toBe('Up')
    const handle = gatehouse.temporal.workflow.getHandle(`kyb-${id.toUpperCase()}`)
    await expect(handle.describe()).rejects.toThrow()
  })
})

describe('a refused PATCH /kyb/{id}', () => {
  let id: string
  beforeAll(async () => {
    id = await api.createKyb()
    await api.patch(`/kyb/${id}`, { nature_of_business: { city_address: 'Berlin' } })
  })
  const patch =
    (body: unknown, headers: Record<string, string> = {}) =>
    () =>
      api.send('PATCH', `/kyb/${id}`, body, headers)
  const refused = (request: Parameters<typeof expectRefusal>[2], status: number, ...codes: string[]) =>
    expectRefusal(gatehouse, id, request, status, ...codes)

  test('returns 400 for a date that does not exist', () =>
    refused(patch({ nature_of_business: { date_of_incorporation: '2026-02-30' } }), 400, 'malformed_request'))
  test('returns 400 with all problems if other fields are invalid too', () =>
    refused(
      patch({ nature_of_business: { date_of_incorporation: '2026-02-30', phone: '1', more: 1 } }),
      400,
      'malformed_request',
      'invalid',
      'unknown_field',
    ))
  test('returns 422 and writes nothing if one of two fields is invalid', () =>
    refused(patch({ nature_of_business: { city_address: 'Bonn', phone: '1' } }), 422, 'invalid'))
  test('returns 422 with each invalid field of the largest application', async () => {
    const person = (n: number) => ({
      email: `p${n}@example.com`,
      stake_in_company: 'x',
      politically_exposed: 'x',
    })
    const people = Array.from({ length: 80 }, (_, n) => person(n))
    const patch = { beneficiaries: { beneficiaries_list: people } }
    const { status, body } = await api.patch(`/kyb/${await api.createKyb()}`, patch)
    expect([status, body.errors.length]).toEqual([422, 160])
  })
  test('returns 422 with each unknown field', () =>
    refused(patch({ owner: {}, usage_of_account: { x: 1 } }), 422, 'unknown_field', 'unknown_field'))
  test('returns 422 for an unknown file', () =>
    refused(patch({ business_files: { legal_structures: [{ id: unique() }] } }), 422, 'unknown_file'))
  test('returns 422 for a file of another application', async () => {
    const other = await api.createKyb()
    const { body } = await api.upload(other, { attribute: 'legal_structures' })
    await refused(patch({ business_files: { legal_structures: [body] } }), 422, 'unknown_file')
  })
  test('returns 422 for the keys __proto__ and constructor', () =>
    refused(
      patch(
        '{"__proto__":{"admin":true},"constructor":{},"nature_of_business":{"__proto__":{"phone":"+49301"}}}',
      ),
      422,
      'unknown_field',
      'unknown_field',
      'unknown_field',
    ))
  test('returns 422 for a NUL character and half a surrogate pair', () =>
    refused(
      patch('{"nature_of_business":{"city_address":"a\\u0000","state_address":"\\ud800"}}'),
      422,
      'invalid',
      'invalid',
    ))
  test.each(['{', '{"a":1,}', "{'a':1}", 'nature_of_business', '{"a":1}{"b":2}'])(
    'returns 400 for invalid JSON (%s)',
    (text) => refused(patch(text), 400, 'malformed_request'),
  )
  test.each(['[]', '"text"', '5', 'true', 'null'])(
    'returns 422 for JSON that is not an object (%s)',
    (text) => refused(patch(text), 422, 'invalid'),
  )
  test('returns 400 for deeply nested JSON', async () => {
    const depth = 100_000
    await refused(
      patch(`{"usage_of_account":${'['.repeat(depth)}${']'.repeat(depth)}}`),
      400,
      'malformed_request',
    )
    await refused(patch(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`), 400, 'malformed_request')
  })
  test('returns 403 kyb_processed if the application is processed', async () => {
    const done = await api.createKyb()
    await api.post(`/sandbox/kyb/${done}/simulate_review`, { outcome: 'rejected' })
    await settled(gatehouse, done)
    await expectRefusal(
      gatehouse,
      done,
      () => api.patch(`/kyb/${done}`, { usage_of_account: { usage: 'x' } }),
      403,
      'kyb_processed',
    )
  })
  test('returns 403 before it validates the body if the application is processed', async () => {
    const done = await api.createKyb()
    await api.post(`/sandbox/kyb/${done}/simulate_review`, { outcome: 'rejected' })
    const wrong = [
      () => api.patch(`/kyb/${done}`, { more: 1 }),
      () => api.send('PATCH', `/kyb/${done}`, '{'),
      () => api.send('PATCH', `/kyb/${done}`, '{}', { 'Content-Type': 'text/plain' }),
      () => api.put(`/kyb/delete_file/${done}`, { blob_key: 1 }),
      () => api.post(`/kyb/upload_file/${done}`, {}),
    ]
    for (const request of wrong)
      expect(await request()).toMatchObject({ status: 403, body: { errors: [{ code: 'kyb_processed' }] } })
  })
})
