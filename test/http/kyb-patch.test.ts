/** `PATCH /kyb/{id}`, and that what it refuses leaves no trace. */
import { eq } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { beneficiaries } from '../../drizzle/schema.ts'
import { hashBeneficiary } from '../../src/db/cases/lookup.ts'
import { expectRefusal, settled, tracesOf } from '../support/checks.ts'
import { addVault, sharedInstance, unique } from '../support/instance.ts'
import { completeApplication, completeSections, UBO } from '../support/kyb.ts'

const gatehouse = await sharedInstance({ worker: true })
const { api } = gatehouse

const read = async (id: string) => (await api.get(`/kyb/${id}`)).body.data

describe('PATCH /kyb/{id}', () => {
  test('an edit is answered with a message and is there for the next read', async () => {
    const id = await api.createKyb()
    const answer = await api.patch(`/kyb/${id}`, {
      nature_of_business: { legal_company_name: 'Zürich AG ☂' },
    })
    expect(answer).toMatchObject({ status: 200, body: { message: expect.any(String) } })
    expect(answer.body.requirements).toEqual((await read(id)).requirements)
    expect((await read(id)).nature_of_business.legal_company_name).toBe('Zürich AG ☂')
  })

  test('only what is sent changes; null clears; lists of values replace', async () => {
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

  test('beneficiaries match by e-mail in any case, keep their link, are added and removed', async () => {
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

  test('what was read can be sent back, and changes nothing', async () => {
    const { id } = await completeApplication(api)
    await api.patch(`/kyb/${id}`, {
      beneficiaries: { beneficiaries_list: [{ email: 'Bob.Babbage@Example.com' }] },
    })
    const before = await read(id)
    expect(before.beneficiaries.beneficiaries_list[1].email).toBe('Bob.Babbage@Example.com')
    expect((await api.patch(`/kyb/${id}`, before)).status).toBe(200)
    const after = { ...before, version: before.version + 1, updated_at: expect.any(Number) }
    expect(await read(id)).toEqual(after)
  })

  test('completed is true exactly while nothing is due', async () => {
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

  test('what does not count leaves the application incomplete, and says why', async () => {
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
      ['nature_of_business.legal_company_name', 'missing', 'Nothing is filled in.'],
      ['nature_of_business.date_of_incorporation', 'in_future', 'The date lies in the future.'],
      [
        'usage_of_account.nesting_justification',
        'missing',
        'Nothing is filled in. It is needed because `nesting_confirmation` is true.',
      ],
      [
        'usage_of_account.fund_origin_confirmation',
        'not_confirmed',
        'It is not confirmed: send true once it is so.',
      ],
      [
        `beneficiaries.beneficiaries_list.${ada.external_id}.politically_exposed`,
        'unanswered',
        'It is not answered: send true or false.',
      ],
    ]
    expect(requirements).toEqual({
      currently_due: due.map(([path]) => path),
      reasons: due.map(([path, code, message]) => ({ path, code, message })),
      errors: [],
    })
  })

  test('texts are kept without the blanks around them', async () => {
    const id = await api.createKyb(unique(), { nature_of_business: { city_address: ' Berlin\n' } })
    expect((await read(id)).nature_of_business.city_address).toBe('Berlin')
  })

  test('what is wrong with a beneficiary names the person as what is due does; who is new, by the place', async () => {
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

  test('a list in a PATCH may name uploaded files; only null detaches them', async () => {
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

  test('an id in upper case reaches the same application and the same workflow', async () => {
    const id = await api.createKyb()
    const answer = await api.patch(`/kyb/${id.toUpperCase()}`, { usage_of_account: { usage: 'Up' } })
    expect(answer.status).toBe(200)
    expect((await read(id)).usage_of_account.usage).toBe('Up')
    const handle = gatehouse.temporal.workflow.getHandle(`kyb-${id.toUpperCase()}`)
    await expect(handle.describe()).rejects.toThrow()
  })
})

describe('a PATCH that is refused leaves no command, no event and nothing changed', () => {
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

  test('a date that does not exist: 400', () =>
    refused(patch({ nature_of_business: { date_of_incorporation: '2026-02-30' } }), 400, 'malformed_request'))
  test('a date that does not exist beside invalid fields: 400, with all of them', () =>
    refused(
      patch({ nature_of_business: { date_of_incorporation: '2026-02-30', phone: '1', more: 1 } }),
      400,
      'malformed_request',
      'invalid',
      'unknown_field',
    ))
  test('one valid field beside an invalid one: 422, and the valid one is not written', () =>
    refused(patch({ nature_of_business: { city_address: 'Bonn', phone: '1' } }), 422, 'invalid'))
  test('every field of the largest application that is wrong: 422 that names each', async () => {
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
  test('unknown fields: 422 that names them', () =>
    refused(patch({ owner: {}, usage_of_account: { x: 1 } }), 422, 'unknown_field', 'unknown_field'))
  test('an unknown file: 422', () =>
    refused(patch({ business_files: { legal_structures: [{ id: unique() }] } }), 422, 'unknown_file'))
  test('a file of another application: 422', async () => {
    const other = await api.createKyb()
    const { body } = await api.upload(other, { attribute: 'legal_structures' })
    await refused(patch({ business_files: { legal_structures: [body] } }), 422, 'unknown_file')
  })
  test('__proto__ and constructor as keys: 422', () =>
    refused(
      patch(
        '{"__proto__":{"admin":true},"constructor":{},"nature_of_business":{"__proto__":{"phone":"+49301"}}}',
      ),
      422,
      'unknown_field',
      'unknown_field',
      'unknown_field',
    ))
  test('a NUL character and half a character: 422', () =>
    refused(
      patch('{"nature_of_business":{"city_address":"a\\u0000","state_address":"\\ud800"}}'),
      422,
      'invalid',
      'invalid',
    ))
  test.each(['{', '{"a":1,}', "{'a':1}", 'nature_of_business', '{"a":1}{"b":2}'])(
    'no JSON (%s): 400',
    (text) => refused(patch(text), 400, 'malformed_request'),
  )
  test.each(['[]', '"text"', '5', 'true', 'null'])('JSON that is no object (%s): 422', (text) =>
    refused(patch(text), 422, 'invalid'),
  )
  test('very deep JSON: 400', async () => {
    const depth = 100_000
    await refused(
      patch(`{"usage_of_account":${'['.repeat(depth)}${']'.repeat(depth)}}`),
      400,
      'malformed_request',
    )
    await refused(patch(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`), 400, 'malformed_request')
  })
  test('a body of more than 1 MB: 413', () =>
    refused(patch({ usage_of_account: { usage: 'x'.repeat(1_100_000) } }), 413, 'payload_too_large'))
  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/xml',
    'multipart/form-data; boundary=x',
  ])('a body of the type %s: 415', (type) =>
    refused(patch('{"usage_of_account":{}}', { 'Content-Type': type }), 415, 'unsupported_media_type'),
  )
  test('an encoding that nobody knows: 415', () =>
    refused(patch('{}', { 'Content-Encoding': 'compress' }), 415, 'unsupported_media_type'))
  test('a key that may only read: 403', () =>
    refused(() => gatehouse.reader.patch(`/kyb/${id}`, {}), 403, 'insufficient_role'))
  test('a key of another vault: 404', async () => {
    const { api: stranger } = await addVault(gatehouse)
    await refused(() => stranger.patch(`/kyb/${id}`, { usage_of_account: { usage: 'x' } }), 404, 'not_found')
  })
  test('a processed application: 403 kyb_processed', async () => {
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
  test('a processed application: 403 before whatever is wrong with the body', async () => {
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
