/** Tests the creation of identifications by soft KYC, import and hosted verification. */
import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import {
  beneficiaries,
  identifications,
  kybApplications,
  verificationLinks,
} from '../../../drizzle/schema.ts'
import { expectErrors } from '../../support/checks.ts'
import {
  company,
  createImported,
  createSoftKyc,
  person,
  recordOf,
  statusOf,
  untilStatus,
} from '../../support/identification.ts'
import { addVault, sharedInstance, unique } from '../../support/instance.ts'
import { openPerson } from '../../support/person-page.ts'

const gatehouse = await sharedInstance({ worker: true })

const post = (path: string, body: unknown) => gatehouse.api.post(`/identifications/${path}`, body)
const anId = expect.stringMatching(/^[0-9a-f-]{36}$/)

describe('POST /identifications/soft_kyc', () => {
  test('returns 201 with the identification, which an operator reviews', async () => {
    const { status, body } = await post('soft_kyc', person())
    expect(status).toBe(201)
    expect(body).toEqual({
      data: {
        id: anId,
        status: 'initiated',
        name: 'Ada',
        surname: 'Lovelace',
        external_uuid: anId,
        account_id: anId,
        account_referral: expect.stringMatching(/^[A-Z2-9]{8}$/),
        kyb_id: null,
        blocks: [],
        review: null,
        waiting_on: 'provider',
        review_state: 'in_review',
        version: 1,
        updated_at: expect.any(Number),
        created_at: expect.any(Number),
        verified: null,
      },
    })
    const record = await recordOf(gatehouse, body.data.id)
    expect(record).toMatchObject({ kind: 'person', origin: 'soft_kyc' })
    expect(record.profile).toMatchObject({ address_country: 'GB', document_number: 'X1234567' })
    expect(record.profile).not.toHaveProperty('country')
  })
  test('returns 201 for a company', async () => {
    const externalUuid = unique()
    const more = { external_uuid: externalUuid, vat_number: 'DE1', website: 'https://example.com' }
    const { status, body } = await post('soft_kyc', company(more))
    expect(status).toBe(201)
    expect(body.data).toMatchObject({
      name: 'Analytical Engines Ltd',
      surname: '',
      external_uuid: externalUuid,
    })
    expect(await recordOf(gatehouse, body.data.id)).toMatchObject({ kind: 'company' })
  })
  test.each([
    ['Approved Annie', 'approved'],
    ['rejected ron', 'rejected'],
    ['ATTENTION ALAN', 'attention'],
  ])('leads to the status that the name selects in the sandbox: %s, %s', async (name, status) => {
    const id = await createSoftKyc(gatehouse.api, { name })
    await untilStatus(gatehouse.api, id, status)
    const { review } = (await gatehouse.api.get(`/identifications/${id}`)).body.data
    expect(review).toMatchObject({ outcome: status, reason_code: expect.any(String), client_comment: null })
  })

  const personFields = Object.keys(person()).filter((field) => field !== 'kind')
  test('returns 422 with every missing field', async () => {
    const answer = await post('soft_kyc', { kind: 'person' })
    expect(answer.status).toBe(422)
    expectErrors(answer, ...personFields.map((field) => ({ code: 'required', field })))
  })
  test('returns 422 with every missing field of a company', async () => {
    const answer = await post('soft_kyc', { kind: 'company' })
    const fields = Object.keys(company()).filter((field) => field !== 'kind')
    expect(answer.status).toBe(422)
    expectErrors(answer, ...fields.map((field) => ({ code: 'required', field })))
  })
  test.each([
    [{ kind: undefined }, { code: 'required', field: 'kind' }],
    [{ kind: 'robot' }, { code: 'invalid', field: 'kind' }],
    [{ country: 'XX' }, { code: 'invalid', field: 'country' }],
    [{ email: 'ada' }, { code: 'invalid', field: 'email' }],
    [{ birthdate: '2999-01-01' }, { code: 'invalid', field: 'birthdate' }],
    [{ birthdate: '1800-02-28' }, { code: 'invalid', field: 'birthdate' }],
    [{ name: 7 }, { code: 'invalid', field: 'name' }],
    [{ name: '' }, { code: 'required', field: 'name' }],
    [{ name: ' \u200b\u2800' }, { code: 'required', field: 'name' }],
    [{ name: 'x'.repeat(501) }, { code: 'too_long', field: 'name' }],
    [{ nickname: 'Addie' }, { code: 'unknown_field', field: 'nickname' }],
    [{ incorporation_date: '2000-01-01' }, { code: 'unknown_field', field: 'incorporation_date' }],
    [{ external_uuid: '' }, { code: 'required', field: 'external_uuid' }],
  ])('returns 422 for %j', async (more, problem) => {
    const answer = await post('soft_kyc', person(more))
    expect(answer.status).toBe(422)
    expectErrors(answer, problem)
  })
  test('returns 422 with all problems at once', async () => {
    const answer = await post('soft_kyc', person({ country: 'XX', email: 'ada', nickname: 'A' }))
    expectErrors(answer, 'invalid', 'invalid', 'unknown_field')
  })
  test.each(['2026-02-30', '10.12.1985', '1985-13-01', 'tomorrow'])(
    'returns 400 for the date %s',
    async (birthdate) => {
      const answer = await post('soft_kyc', person({ birthdate, country: 'XX' }))
      expect(answer.status).toBe(400)
      expect(answer.body.errors).toContainEqual(
        expect.objectContaining({ code: 'malformed_request', field: 'birthdate' }),
      )
    },
  )
  test('returns 422 external_uuid_taken, also for an application’s ID, and creates one of several concurrent requests', async () => {
    const externalUuid = unique()
    await gatehouse.api.createKyb(externalUuid)
    const answer = await post('soft_kyc', person({ external_uuid: externalUuid }))
    expect(answer.status).toBe(422)
    expectErrors(answer, { code: 'external_uuid_taken', field: 'external_uuid' })
    const body = { ...person(), external_uuid: unique() }
    const statuses = (await Promise.all([1, 2, 3].map(() => post('soft_kyc', body)))).map(
      ({ status }) => status,
    )
    expect(statuses.sort()).toEqual([201, 422, 422])
    // POST /kyb uses its own error code for the same conflict.
    const kyb = await gatehouse.api.post('/kyb', { external_id: body.external_uuid })
    expectErrors(kyb, { code: 'external_id_taken', field: 'external_id' })
  })
})

describe('POST /identifications/import_identity', () => {
  test('returns 201 with status approved and an account', async () => {
    const externalUuid = unique()
    const { status, body } = await post('import_identity', { external_uuid: externalUuid })
    expect(status).toBe(201)
    expect(body.data).toMatchObject({
      status: 'approved',
      external_uuid: externalUuid,
      name: '',
      account_id: anId,
    })
    expect(await recordOf(gatehouse, body.data.id)).toMatchObject({
      kind: 'person',
      origin: 'import',
      state: { waitingOn: 'nobody' },
    })
  })
  test('accepts the fields of soft KYC for its type', async () => {
    const id = await createImported(gatehouse.api, company({ external_uuid: unique() }))
    expect(await recordOf(gatehouse, id)).toMatchObject({ kind: 'company', name: 'Analytical Engines Ltd' })
    const answer = await post('import_identity', {
      external_uuid: unique(),
      kind: 'company',
      birthdate: '1985-12-10',
      country: 'XX',
    })
    expect(answer.status).toBe(422)
    expectErrors(answer, { code: 'unknown_field', field: 'birthdate' }, { code: 'invalid', field: 'country' })
  })
  test('returns 422 if the external_uuid is missing or taken, and 400 for an invalid date', async () => {
    expectErrors(await post('import_identity', {}), { code: 'required', field: 'external_uuid' })
    const body = { external_uuid: unique() }
    await post('import_identity', body)
    const answer = await post('import_identity', body)
    expect(answer.status).toBe(422)
    expectErrors(answer, { code: 'external_uuid_taken', field: 'external_uuid' })
    const malformed = await post('import_identity', { external_uuid: unique(), birthdate: '2026-02-30' })
    expect(malformed.status).toBe(400)
  })
  test('returns 403 import_not_enabled until an operator enables imports', async () => {
    const other = await addVault(gatehouse)
    const operator = await gatehouse.operator()
    const enable = (value: boolean) => operator.patch(`/vaults/${other.vaultId}`, { import_enabled: value })
    await enable(false)
    const body = { external_uuid: unique() }
    const answer = await other.api.post('/identifications/import_identity', body)
    expect(answer.status).toBe(403)
    expectErrors(answer, 'import_not_enabled')
    await enable(true)
    expect((await other.api.post('/identifications/import_identity', body)).status).toBe(201)
  })
})

describe('POST /identifications/create_identify_process', () => {
  const begin = (body: object) => post('create_identify_process', body)
  const page = async (url: string) => {
    const { pathname } = new URL(url)
    const response = await fetch(gatehouse.baseUrl + pathname)
    return { status: response.status, headers: response.headers, text: await response.text() }
  }

  test('returns 201 for kyc with a link to the page, and waits on the applicant', async () => {
    const externalUuid = unique()
    const { status, body } = await begin({
      type: 'kyc',
      external_uuid: externalUuid,
      email: 'ada@example.com',
      redirect_url: 'https://example.com/done',
    })
    expect(status).toBe(201)
    const url = expect.stringMatching(/\/verify\/[\w-]{43}$/)
    const expires_at = expect.any(Number)
    expect(body).toEqual({ data: { url, expires_at, identification_id: expect.any(String) } })
    expect(body.data.url.startsWith(gatehouse.config.PUBLIC_URL)).toBe(true)
    const { body: list } = await gatehouse.api.get(`/identifications?filter[external_uuid]=${externalUuid}`)
    const { id } = list.data[0]
    expect(await recordOf(gatehouse, id)).toMatchObject({
      kind: 'person',
      origin: 'hosted',
      state: { verification: 'initiated', waitingOn: 'applicant' },
    })
    const shown = await page(body.data.url)
    expect(shown.status).toBe(200)
    expect(shown.text).toContain('First vault')
    expect(shown.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(shown.text).not.toContain('<script>')
    // The sandbox API can set its result, and the page then shows the progress.
    const approved = await gatehouse.api.post(`/sandbox/identifications/${id}/simulate`, {
      outcome: 'approved',
    })
    expect(approved.status).toBe(200)
    expect((await page(body.data.url)).text).toContain('Continue to see the status')
  })
  test('returns a password for kyb, and uses the external_uuid as the external_id of the application', async () => {
    const externalUuid = unique()
    const { status, body } = await begin({ type: 'kyb', external_uuid: externalUuid })
    expect(status).toBe(201)
    expect(body.data).toEqual({
      url: expect.any(String),
      expires_at: expect.any(Number),
      generated_password: expect.stringMatching(/^\w{20}$/),
      identification_id: expect.any(String),
    })
    const { body: kybs } = await gatehouse.api.get('/kyb')
    const kyb = kybs.data.find((each: { external_id: string }) => each.external_id === externalUuid)
    expect(body.data.identification_id).toBe(kyb.identification_id)
    const valid = await gatehouse.api.post(`/kyb/validate_password/${kyb.id}`, {
      password: body.data.generated_password,
    })
    expect(valid.body).toEqual({ authenticate: true })
    expect((await page(body.data.url)).text).toContain('Company verification')
    await gatehouse.api.post(`/sandbox/kyb/${kyb.id}/simulate_review`, { outcome: 'approved' })
    await untilStatus(gatehouse.api, kyb.identification_id, 'approved')
    // A finished verification receives no new link.
    expectErrors(await begin({ type: 'kyb', external_uuid: externalUuid }), 'external_uuid_taken')
  })
  test('returns a new link and password for an initiated verification, and revokes the earlier ones', async () => {
    const request = { type: 'kyb', external_uuid: unique() }
    const first = (await begin(request)).body.data
    const second = await begin(request)
    expect(second.status).toBe(201)
    const { url, generated_password, identification_id } = second.body.data
    expect(identification_id).toBe(first.identification_id)
    expect(url).not.toBe(first.url)
    expect(generated_password).not.toBe(first.generated_password)
    expect((await page(first.url)).status).toBe(404)
    expect((await page(url)).status).toBe(200)
    const { body } = await gatehouse.api.get(
      `/identifications?filter[external_uuid]=${request.external_uuid}`,
    )
    expect(body.pagination.total_count).toBe(1)
  })
  test.each(['kyc', 'kyb'])(
    'creates one %s verification for concurrent requests, and only the last link is valid',
    async (type) => {
      const request = { type, external_uuid: unique() }
      const answers = await Promise.all([1, 2, 3, 4].map(() => begin(request)))
      expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201])
      const pages = await Promise.all(answers.map(({ body }) => page(body.data.url)))
      expect(pages.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404])
      const { body } = await gatehouse.api.get(
        `/identifications?filter[external_uuid]=${request.external_uuid}`,
      )
      expect(body.pagination.total_count).toBe(1)
    },
  )
  test('returns 422 external_uuid_taken if the type or the origin differs, or if the verification is closed', async () => {
    const kyc = { type: 'kyc', external_uuid: unique() }
    await begin(kyc)
    expectErrors(await begin({ ...kyc, type: 'kyb' }), {
      code: 'external_uuid_taken',
      field: 'external_uuid',
    })
    const soft = unique()
    await createSoftKyc(gatehouse.api, { external_uuid: soft })
    expectErrors(await begin({ type: 'kyc', external_uuid: soft }), 'external_uuid_taken')
    const byKyb = unique()
    await gatehouse.api.createKyb(byKyb)
    const answer = await begin({ type: 'kyb', external_uuid: byKyb })
    expect(answer.status).toBe(422)
    expectErrors(answer, 'external_uuid_taken')
    const { body } = await gatehouse.api.get(`/identifications?filter[external_uuid]=${kyc.external_uuid}`)
    await gatehouse.api.put(`/identifications/${body.data[0].id}/close`)
    expectErrors(await begin(kyc), 'external_uuid_taken')
  })
  test('fills in the known names and email for kyc', async () => {
    const known = { name: 'Ada', surname: 'Lovelace', email: 'ada@example.com' }
    const { body } = await begin({ type: 'kyc', ...known })
    const { profile } = await recordOf(gatehouse, body.data.identification_id)
    expect(profile).toEqual(known)
    const kyb = await begin({ type: 'kyb', name: 'Ada', surname: 'Lovelace', more: 1 })
    expectErrors(
      kyb,
      { code: 'unknown_field', field: 'more' },
      { code: 'invalid', field: 'name' },
      { code: 'invalid', field: 'surname' },
    )
  })
  test('returns 422 with every problem', async () => {
    const answer = await begin({ type: 'kyx', email: 'x', redirect_url: 'http://example.com', more: 1 })
    expect(answer.status).toBe(422)
    expectErrors(
      answer,
      { code: 'invalid', field: 'type' },
      { code: 'invalid', field: 'email' },
      { code: 'invalid', field: 'redirect_url' },
      { code: 'unknown_field', field: 'more' },
    )
    expectErrors(await begin({}), { code: 'required', field: 'type' })
  })
  test('shows an error page if the link is unknown, or has expired after one week', async () => {
    const { body } = await begin({ type: 'kyc' })
    const week = new Date(Date.now() - 1_000)
    const own = eq(verificationLinks.identificationId, body.data.identification_id)
    const [row] = await gatehouse.db.orm.select().from(verificationLinks).where(own)
    expect(row && row.expiresAt.getTime() - Date.now()).toBeGreaterThan(6.9 * 86_400_000)
    await gatehouse.db.orm.update(verificationLinks).set({ expiresAt: week }).where(own)
    const titles = {
      [body.data.url]: 'Link expired',
      [`${gatehouse.baseUrl}/verify/nothing`]: 'Link not valid',
    }
    for (const [url, title] of Object.entries(titles)) {
      const shown = await page(url)
      expect([shown.status, shown.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
      expect(shown.text).toContain(title)
    }
  })
  test('names the company that can renew the expired link of its owner', async () => {
    const application = await gatehouse.api.post('/kyb', {
      external_id: unique(),
      nature_of_business: { legal_company_name: 'Havelkante Robotics GmbH' },
      beneficiaries: { beneficiaries_list: [{ full_name: 'Jonas Reuter', email: 'jonas@example.com' }] },
    })
    const [{ link, external_id }] = application.body.data.beneficiaries.beneficiaries_list
    const expired = { tokenExpiresAt: new Date(Date.now() - 1_000) }
    await gatehouse.db.orm.update(beneficiaries).set(expired).where(eq(beneficiaries.id, external_id))
    const { status, text } = await page(link)
    expect(status).toBe(404)
    expect(text).toContain('Link expired')
    expect(text).toContain('Havelkante Robotics GmbH can create one in its form.')
    expect(text).not.toContain('Jonas')

    // The form of the company offers a link only while it is open and waits for the owner.
    const { orm } = gatehouse.db
    const own = eq(kybApplications.id, application.body.data.id)
    await orm.update(kybApplications).set({ status: 'processed' }).where(own)
    expect((await page(link)).text).not.toContain('Havelkante')
    await orm.update(kybApplications).set({ status: 'open' }).where(own)
    const valid = { tokenExpiresAt: new Date(Date.now() + 3_600_000) }
    await orm.update(beneficiaries).set(valid).where(eq(beneficiaries.id, external_id))
    const owner = await openPerson(gatehouse.baseUrl, new URL(link).pathname)
    await orm.update(identifications).set({ waitingOn: 'operator' }).where(eq(identifications.id, owner.id))
    await orm.update(beneficiaries).set(expired).where(eq(beneficiaries.id, external_id))
    expect((await page(link)).text).toContain('Link expired')
    expect((await page(link)).text).not.toContain('Havelkante')
  })
  test('stores tokens only as hashes, and escapes the vault’s name on the page', async () => {
    const other = await addVault(gatehouse)
    const operator = await gatehouse.operator()
    await operator.patch(`/vaults/${other.vaultId}`, { name: '<img src=x onerror=alert(1)>' })
    const { body } = await other.api.post('/identifications/create_identify_process', { type: 'kyc' })
    const { text } = await page(body.data.url)
    expect(text).not.toContain('<img')
    expect(text).toContain('&lt;img')
    const links = await gatehouse.db.orm.select().from(verificationLinks)
    const token = body.data.url.split('/').at(-1)
    expect(JSON.stringify(links.map(({ tokenHash }) => tokenHash.toString()))).not.toContain(token)
  })
  test('opens the page with the link of a beneficiary', async () => {
    const { body } = await gatehouse.api.post('/kyb', {
      external_id: unique(),
      beneficiaries: { beneficiaries_list: [{ email: 'ada@example.com', full_name: 'Ada' }] },
    })
    const { link } = body.data.beneficiaries.beneficiaries_list[0]
    const shown = await page(link)
    expect(shown.status).toBe(200)
    expect(shown.text).toContain('Identity verification')
    expect(shown.text).not.toContain('Ada')
  })
})

test('stores no readable personal data in the database', async () => {
  await createSoftKyc(gatehouse.api, { name: 'Zebulon' })
  const own = eq(identifications.vaultId, gatehouse.vaultId)
  const rows = await gatehouse.db.orm.select().from(identifications).where(own)
  expect(Buffer.concat(rows.map(({ profile }) => profile)).includes('Zebulon')).toBe(false)
  expect(await statusOf(gatehouse.api, rows[0]?.id ?? '')).toBeDefined()
})
