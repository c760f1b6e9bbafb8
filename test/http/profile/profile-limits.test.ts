/** Tests the limits of values, the formats of numbers and the rules for documents that profiles set. */
import { beforeEach, describe, expect, test } from 'vitest'
import { companyPages } from '../../support/hosted-page.ts'
import { addVault, sharedInstance, unique } from '../../support/instance.ts'
import { completeSections, UBO } from '../../support/kyb.ts'
import { documentOf, labelled, profilesOf, type Row, row, text } from '../../support/profile.ts'

const gatehouse = await sharedInstance({ worker: true })

let vault: Awaited<ReturnType<typeof addVault>>
let profiles: Awaited<ReturnType<typeof profilesOf>>
beforeEach(async () => {
  vault = await addVault(gatehouse)
  profiles = await profilesOf(vault)
})

const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

describe('a value', () => {
  const ROWS = {
    code: { min_length: 2, max_length: 4 },
    staff: { type: 'number_text', minimum: 1, maximum: '500', decimals: 0 },
    share: { type: 'percentage_text', minimum: '0.5', decimals: 2 },
    born: { type: 'date', earliest: '1900-01-01', latest: 'P18Y' },
    until: { type: 'date', earliest: 'today', latest: '+P10Y' },
    lei: { format: 'lei' },
    vat: { format: 'vat' },
    iban: { format: 'iban' },
    register: { format: 'registration_number', country: 'nature_of_business.country_address' },
  } as const
  const rows: Row[] = Object.entries(ROWS).map(([name, more]) => row(name, more))

  test.each<[string, unknown, unknown]>([
    ['code', 'ab', 'a'],
    ['code', 'abcd', 'abcde'],
    ['staff', '1', '0'],
    ['staff', '500.0', '501'],
    ['staff', '499', '499.5'],
    ['share', '0.50', '0.49'],
    ['share', '33.33', '33.333'],
    ['born', '1900-01-01', '1899-12-31'],
    ['born', '1990-02-03', day(-17 * 365)],
    ['until', day(30), day(-30)],
    ['until', day(300), day(4_000)],
    ['lei', '529900T8BM49AURSDO55', '529900T8BM49AURSDO56'],
    ['vat', 'DE136695976', 'DE123456789'],
    ['iban', 'DE89 3704 0044 0532 0130 00', 'DE89 3704 0044 0532 0130 01'],
    ['register', '732829320', '732829321'],
  ])('of %s can be %s, but not %s', async (name, good, bad) => {
    await profiles.publish(documentOf(rows))
    const nature_of_business = { country_address: 'FR' }
    const id = await vault.api.createKyb(unique(), { nature_of_business, additional: { [name]: good } })
    const refused = await vault.api.patch(`/kyb/${id}`, { additional: { [name]: bad } })
    expect(refused).toMatchObject({
      status: 422,
      body: { errors: [{ code: 'invalid', field: `additional.${name}` }] },
    })
    expect((await vault.api.get(`/kyb/${id}`)).body.data.additional[name]).toBe(good)
    const created = await vault.api.post('/kyb', {
      external_id: unique(),
      nature_of_business,
      additional: { [name]: bad },
    })
    expect(created).toMatchObject({ status: 422 })
  })

  test('of a specified field and of a beneficiary has limits, too', async () => {
    const specified = {
      path: 'nature_of_business.vat_number',
      section: 'nature_of_business',
      type: 'short_text',
      format: 'vat',
    }
    const birth = row('birth_country', { section: 'details', type: 'country' })
    const tax = row('tax_number', {
      section: 'details',
      format: 'tax_number',
      country: 'additional.birth_country',
    })
    await profiles.publish(documentOf([specified], [birth, tax]))
    const id = await vault.api.createKyb(unique(), completeSections())
    const patch = (body: object) => vault.api.patch(`/kyb/${id}`, body)
    expect((await patch({ nature_of_business: { vat_number: 'DE1' } })).body.errors).toMatchObject([
      { code: 'invalid', field: 'nature_of_business.vat_number' },
    ])
    const person = (additional: object) => ({
      beneficiaries: { beneficiaries_list: [{ email: UBO, additional }] },
    })
    expect((await patch(person({ tax_number: 'x' }))).status).toBe(200)
    expect((await patch(person({ birth_country: 'DE' }))).status).toBe(200)
    const refused = await patch(person({ birth_country: 'DE', tax_number: 'y' }))
    expect(refused.body.errors[0].field).toMatch(/beneficiaries_list\.[^.]{36}\.additional\.tax_number$/)
  })

  test('that a country excludes does not count, and pages say why', async () => {
    await profiles.publish(
      documentOf([
        row('form', {
          type: 'one_of',
          values: ['a', 'b'],
          value_labels: { a: text('A form'), b: text('B form') },
          value_asked: { b: { field: 'nature_of_business.country_address', in: ['EU'] } },
          required: true,
        }),
        row('code', { max_length: 4 }),
        row('staff', { type: 'number_text', decimals: 0 }),
        row('lei', { format: 'lei' }),
      ]),
    )
    const pages = companyPages({ ...gatehouse, api: vault.api })
    const externalUuid = unique()
    const { base, headers, csrf } = await pages.signIn(await pages.begin(externalUuid))
    const send = async (form: object) =>
      pages.send(`${base}/nature_of_business`, { _csrf: csrf, ...form }, headers)
    const refused = await send({ 'additional.code': 'abcde' })
    expect([refused.status, await refused.text()]).toEqual([
      422,
      expect.stringContaining('code: the value is outside the limits. Enter at most 4 characters.'),
    ])
    const began = performance.now()
    const long = {
      'additional.staff': `0.${'0'.repeat(400_000)}1`,
      'additional.lei': '\u0301'.repeat(100_000),
    }
    expect((await send(long)).status).toBe(422)
    expect(performance.now() - began).toBeLessThan(5_000)
    await send({ 'nature_of_business.country_address': 'US', 'additional.form': 'b' })
    const kyb = await pages.kybOf(externalUuid)
    expect(kyb.requirements.reasons).toContainEqual(
      expect.objectContaining({ path: 'additional.form', code: 'not_offered' }),
    )
    const page = await (await pages.send(`${base}/nature_of_business`, undefined, headers)).text()
    expect(page).toContain('Your other answers rule out this choice. Choose another one.')
    expect(page).toContain('B form')
  })
})

test('documents have kinds, an age and an expiry date', async () => {
  await profiles.publish(
    documentOf([
      row('bill', {
        type: 'files',
        section: 'business_files',
        label: text('Tax bill'),
        values: ['bill', 'statement'],
        value_labels: { bill: text('Bill'), statement: text('Statement') },
        value_asked: { statement: { field: 'nature_of_business.country_address', in: ['FR'] } },
        required: true,
        max_age: 'P3M',
        expires: true,
      }),
    ]),
  )
  const pages = companyPages({ ...gatehouse, api: vault.api })
  const externalUuid = unique()
  const { base, headers } = await pages.signIn(await pages.begin(externalUuid))
  const page = await (await pages.send(`${base}/business_files`, undefined, headers)).text()
  for (const each of ['Accepted: Bill', 'Tax bill: date of issue', 'Tax bill: date of expiry'])
    expect(page).toContain(each)
  expect(page).not.toContain('Statement')

  const { id, requirements } = await pages.kybOf(externalUuid)
  for (const each of ['bill', 'bill_issued_on', 'bill_expires_on'])
    expect(requirements.currently_due).toContain(`additional.${each}`)
  const patch = (additional: object) => vault.api.patch(`/kyb/${id}`, { additional })
  expect(await patch({ bill_issued_on: day(-200), bill_expires_on: day(-3) })).toMatchObject({
    status: 422,
    body: { errors: [{ field: 'additional.bill_issued_on' }, { field: 'additional.bill_expires_on' }] },
  })
  expect(await patch({ bill_issued_on: day(-20), bill_expires_on: day(100) })).toMatchObject({ status: 200 })
  expect((await pages.kybOf(externalUuid)).requirements.currently_due).not.toContain(
    'additional.bill_expires_on',
  )
})

test.each<[string, Row, string]>([
  ['a limit of another type', row('x', { minimum: 3 }), 'company.rows.0.minimum: wrong_limit'],
  ['a format of a number', row('x', { type: 'date', format: 'lei' }), 'company.rows.0.format: wrong_limit'],
  ['an empty range', row('x', { min_length: 3, max_length: 2 }), 'company.rows.0: no_range'],
  [
    'an empty range of dates',
    row('x', { type: 'date', earliest: 'today', latest: 'P1D' }),
    'company.rows.0: no_range',
  ],
  [
    'a country that is none',
    row('x', { format: 'tax_number', country: 'nature_of_business.phone' }),
    'company.rows.0.country: wrong_test',
  ],
  [
    'a condition of an unknown choice',
    row('x', { ...labelled('one_of', ['a']), value_asked: { b: { all: [] } } }),
    'company.rows.0.value_asked.b: unknown_value',
  ],
])('%s prevents publication', async (_, bad, problem) => {
  expect(await profiles.problems(documentOf([bad]))).toEqual([problem])
})
