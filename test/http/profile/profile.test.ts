/** Tests the profiles of vaults: drafts, checks, rehearsals, publication, and the applications under them. */
import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { openConsole } from '../../support/console.ts'
import { companyPages } from '../../support/hosted-page.ts'
import { addVault, sharedInstance, unique } from '../../support/instance.ts'
import { completeApplication, completeSections, UBO } from '../../support/kyb.ts'
import { documentOf as document, labelled, profilesOf, row, text } from '../../support/profile.ts'

const gatehouse = await sharedInstance({ worker: true })

let vault: Awaited<ReturnType<typeof addVault>>
let operator: Awaited<ReturnType<typeof vault.operator>>
let path: string
let profiles: Awaited<ReturnType<typeof profilesOf>>
beforeEach(async () => {
  vault = await addVault(gatehouse)
  profiles = await profilesOf(vault)
  ;({ operator, path } = profiles)
})
const draft = (value: object) => profiles.draft(value)
const problems = (value: object) => profiles.problems(value)
const publish = (value: object, body?: object) => profiles.publish(value, body)

test('a vault has the default profile until another is published', async () => {
  const { status, body } = await operator.get(path)
  expect(status).toBe(200)
  expect(body.data).toMatchObject({ version: 0, status: 'published', applies_from: null })
  expect(body.data.document.company.rows).toContainEqual({
    path: 'usage_of_account.nesting_justification',
    section: 'usage_of_account',
    type: 'text',
    required: { field: 'usage_of_account.nesting_confirmation', is: true },
    asked: { field: 'usage_of_account.nesting_confirmation', is: true },
  })
  expect(await problems(body.data.document)).toEqual([])
  expect((await operator.get(`${path}/draft`)).body.data).toMatchObject({ version: 1, status: 'draft' })
})

test('an unknown vault has no profile', async () => {
  const administrator = await gatehouse.operator()
  const unknown = `/vaults/${randomUUID()}/profile`
  const { status } = await administrator.put(`${unknown}/draft`, { document: document() })
  expect([status, (await administrator.get(unknown)).status]).toEqual([404, 404])
})

describe('a draft', () => {
  test('is required by its routes', async () => {
    for (const response of [
      await operator.get(`${path}/draft`),
      await operator.post(`${path}/draft/check`),
      await operator.post(`${path}/draft/rehearse`),
      await operator.post(`${path}/draft/publish`, {}),
    ])
      expect(response).toMatchObject({ status: 404 })
  })

  test.each<[string, object]>([
    ['a name that is not one', document([row('Tax Number')])],
    ['the name of a property of every object', document([row('constructor')])],
    ['an unknown type', document([row('x', { type: 'regex' })])],
    ['an unknown section', document([row('x', { section: 'nowhere' })])],
    ['an unknown test', document([row('x', { asked: { field: 'additional.y', matches: '.*' } })])],
    ['two tests in one condition', document([row('x', { asked: { field: 'a.b', is: 'c', isNot: 'd' } })])],
    ['an expression', document([row('x', { required: 'a == b' })])],
    ['a condition that is too deep', document([row('x', { asked: deep(8) })])],
    ['a period that is not one', document([row('x', { asked: { field: 'a.b', older_than: '18' } })])],
    ['an unknown member', document([row('x', { pattern: '^(a+)+$' })])],
    ['a label that is too long', document([row('x', { label: { en: 'x'.repeat(301) } })])],
    ['too many rows', document(Array.from({ length: 201 }, (_, nth) => row(`f${nth}`)))],
    ['no part about people', { company: { rows: [] }, beneficiary: { rows: [] } }],
  ])('is refused with %s', async (_, value) => {
    expect(await draft(value)).toMatchObject({ status: 422 })
    expect(await operator.get(`${path}/draft`)).toMatchObject({ status: 404 })
  })

  test.each<[string, object, string[]]>([
    ['two rows for one field', document([row('x'), row('x')]), ['company.rows.1.path: duplicate_path']],
    [
      'an unknown specified field',
      document([{ ...row('x'), path: 'nature_of_business.shoe_size' }]),
      ['company.rows.0.path: unknown_path'],
    ],
    ['a specified name', document([row('phone')]), ['company.rows.0.path: taken_name']],
    [
      'another type for a specified field',
      document([{ ...row('x'), path: 'nature_of_business.phone' }]),
      ['company.rows.0.type: fixed_type'],
    ],
    [
      'a choice without values',
      document([row('x', { type: 'one_of' })]),
      ['company.rows.0.values: no_values'],
    ],
    [
      'a condition on an unknown field',
      document([row('x', { asked: { field: 'additional.y', given: true } })]),
      ['company.rows.0.asked.field: unknown_field'],
    ],
    [
      'a number test of a text',
      document([row('x'), row('y', { required: { field: 'additional.x', at_least: 3 } })]),
      ['company.rows.1.required.at_least: wrong_test'],
    ],
    [
      'a value that is no choice',
      document([
        row('x', labelled('one_of', ['a'])),
        row('y', { asked: { field: 'additional.x', is: 'b' } }),
      ]),
      ['company.rows.1.asked.is: never_met'],
    ],
    ['nothing to meet', document([row('x', { asked: { any: [] } })]), ['company.rows.0.asked: never_met']],
    [
      'a question about itself',
      document([row('x', { asked: { field: 'additional.x', given: true } })]),
      ['company.rows.0.asked: cycle'],
    ],
    [
      'questions about each other',
      document([
        row('x', { asked: { not: { field: 'additional.y', given: true } } }),
        row('y', { asked: { all: [{ field: 'additional.x', given: true }] } }),
      ]),
      ['company.rows.0.asked: cycle', 'company.rows.1.asked: cycle'],
    ],
    [
      'parts that no answer meets together',
      document([
        row('x'),
        row('y', {
          required: {
            all: [
              { field: 'additional.x', is: 'a' },
              { field: 'additional.x', given: false },
            ],
          },
        }),
      ]),
      ['company.rows.1.required: never_met'],
    ],
    [
      'a country that does not exist',
      document([
        row('x', { type: 'country' }),
        row('y', { asked: { field: 'additional.x', in: ['Germany'] } }),
      ]),
      ['company.rows.1.asked.in: never_met'],
    ],
    [
      'choices that depend on each other',
      document(
        ['x', 'y'].map((name, n) =>
          row(name, {
            ...labelled('one_of', ['a']),
            value_asked: { a: { field: `additional.${'yx'[n]}`, is: 'a' } },
          }),
        ),
      ),
      ['company.rows.0.asked: cycle', 'company.rows.1.asked: cycle'],
    ],
    [
      'a label in one language',
      document([row('x', { label: { en: 'x' } })]),
      ['company.rows.0.label.de: missing_language'],
    ],
    [
      'a condition of a person on a company',
      document(
        [],
        [
          row('x', {
            section: 'details',
            asked: { field: 'nature_of_business.country_address', in: ['high_risk'] },
          }),
        ],
      ),
      [],
    ],
    [
      'a condition of a person on a role',
      document([], [row('x', { section: 'details', required: { field: 'roles', has: 'ubo' } })]),
      [],
    ],
  ])('with %s is checked', async (_, value, expected) => {
    expect(await problems(value)).toEqual(expected)
    const published = await operator.post(`${path}/draft/publish`, {})
    expect(published.status).toBe(expected.length > 0 ? 422 : 200)
  })
})

/** Returns a condition with this many levels. */
function deep(levels: number): object {
  return levels === 0 ? { field: 'additional.x', given: true } : { not: deep(levels - 1) }
}

describe('a published profile', () => {
  test('is published once, while the draft also changes', async () => {
    const value = document([row('a')])
    const found: number[] = []
    for (let round = 0; round < 12; round += 1) {
      await draft(value)
      const answers = await Promise.all([
        operator.post(`${path}/draft/publish`, {}),
        operator.put(`${path}/draft`, { document: value }),
        operator.post(`${path}/draft/publish`, {}),
        operator.put(`${path}/draft`, { document: value }),
      ])
      found.push(...answers.map(({ status }) => status))
    }
    expect(found).toContain(200)
    expect(found.filter((status) => status >= 500)).toEqual([])
  })

  const TAX = row('tax_number', { required: true })
  const BIRTHPLACE = row('birthplace', { section: 'details', required: { field: 'roles', has: 'ubo' } })

  test('has a number, does not change, and applies to new applications only', async () => {
    const before = await vault.api.createKyb(unique(), completeSections())
    expect((await publish(document([TAX]))).body.data).toMatchObject({ version: 1, status: 'published' })
    expect((await publish(document())).body.data).toMatchObject({ version: 2 })
    expect((await publish(document([TAX], [BIRTHPLACE]))).body.data).toMatchObject({ version: 3 })
    const after = await vault.api.createKyb(unique(), completeSections())
    const dueOf = async (id: string) =>
      (await vault.api.get(`/kyb/${id}`)).body.data.requirements.currently_due
    expect(await dueOf(before)).not.toContain('additional.tax_number')
    expect(await dueOf(after)).toContain('additional.tax_number')
    expect((await vault.api.get(`/kyb/${before}`)).body.data).not.toHaveProperty('additional')
    expect((await operator.get(path)).body.data).toMatchObject({
      version: 3,
      document: document([TAX], [BIRTHPLACE]),
    })
  })

  test('is not published for a date after the year 9999', async () => {
    await draft(document([TAX]))
    for (const applies_from of [-1, 1.5, '2027', null, 1e12, 1e15])
      expect(await operator.post(`${path}/draft/publish`, { applies_from })).toMatchObject({ status: 422 })
    expect(await operator.get(`${path}/draft`)).toMatchObject({ status: 200 })
  })

  test('does not require an answer if no choice is offered', async () => {
    const inEurope = { field: 'nature_of_business.country_address', in: ['EU'] }
    await publish(
      document([row('x', { ...labelled('one_of', ['a']), value_asked: { a: inEurope }, required: true })]),
    )
    const id = await vault.api.createKyb(unique())
    const due = async (country_address: string) => {
      await vault.api.patch(`/kyb/${id}`, { nature_of_business: { country_address } })
      return (await vault.api.get(`/kyb/${id}`)).body.data.requirements.currently_due
    }
    expect(await due('DE')).toContain('additional.x')
    expect(await due('GB')).not.toContain('additional.x')
  })

  test('applies from its date', async () => {
    const later = Math.floor(Date.now() / 1_000) + 3_600
    const { body } = await publish(document([TAX]), { applies_from: later })
    expect(body.data).toMatchObject({ version: 1, applies_from: later })
    expect((await operator.get(path)).body.data).toMatchObject({ version: 0 })
  })

  test('adds fields of the company and of beneficiaries, which are written, read and validated', async () => {
    const AGE = row('employees', { type: 'number_text' })
    const KIND = row('kind', {
      ...labelled('one_of', ['a', 'b']),
      required: { field: 'additional.employees', at_least: 10 },
    })
    await publish(document([TAX, AGE, KIND], [BIRTHPLACE]))
    const id = await vault.api.createKyb(unique(), { ...completeSections(), additional: { tax_number: '1' } })
    const read = async () => (await vault.api.get(`/kyb/${id}`)).body.data
    const due = async () => (await read()).requirements.currently_due
    expect((await read()).additional).toEqual({ tax_number: '1', employees: null, kind: null })
    const [{ external_id }] = (await read()).beneficiaries.beneficiaries_list
    const birthplace = `beneficiaries.beneficiaries_list.${external_id}.additional.birthplace`
    expect(await due()).toContain(birthplace)

    const patch = (body: object) => vault.api.patch(`/kyb/${id}`, body)
    expect((await patch({ additional: { employees: '12' } })).status).toBe(200)
    expect(await due()).toContain('additional.kind')
    const people = [{ email: UBO, additional: { birthplace: 'London' } }]
    expect(
      (await patch({ additional: { kind: 'b' }, beneficiaries: { beneficiaries_list: people } })).status,
    ).toBe(200)
    expect((await read()).additional).toEqual({ tax_number: '1', employees: '12', kind: 'b' })
    expect((await read()).beneficiaries.beneficiaries_list[0].additional).toEqual({ birthplace: 'London' })
    expect(await due()).not.toContain('additional.kind')
    expect(await due()).not.toContain(birthplace)

    for (const [body, field] of [
      [{ additional: { employees: 'many' } }, 'additional.employees'],
      [{ additional: { kind: 'c' } }, 'additional.kind'],
      [{ additional: { tax_number: 7 } }, 'additional.tax_number'],
      [{ additional: { unknown: 'x' } }, 'additional.unknown'],
      [
        { beneficiaries: { beneficiaries_list: [{ email: UBO, additional: { birthplace: false } }] } },
        birthplace,
      ],
    ] as const) {
      const refused = await patch(body)
      expect(refused).toMatchObject({ status: 422 })
      expect(JSON.stringify(refused.body), field).toContain(field)
    }
    const sent = await read()
    expect((await patch(sent)).status).toBe(200)
    expect(await read()).toEqual(sent)
    expect((await patch({ additional: { tax_number: null } })).status).toBe(200)
    expect(await due()).toContain('additional.tax_number')
    expect((await patch({ additional: null })).status).toBe(200)
    expect((await read()).additional).toEqual({ tax_number: null, employees: null, kind: null })
  })

  test('adds documents, which are uploaded, listed and deleted', async () => {
    await publish(document([row('licence', { type: 'files', section: 'business_files', required: true })]))
    const id = await vault.api.createKyb(unique(), completeSections())
    const { status, body } = await vault.api.upload(id, { attribute: 'additional.licence' })
    expect(status).toBe(201)
    const { data } = (await vault.api.get(`/kyb/${id}`)).body
    expect(data.additional.licence).toMatchObject([{ id: body.id }])
    expect(data.requirements.currently_due).not.toContain('additional.licence')
  })

  test('changes when specified fields are required', async () => {
    await publish(
      document([
        {
          path: 'nature_of_business.vat_number',
          section: 'nature_of_business',
          type: 'short_text',
          required: { field: 'nature_of_business.country_of_incorporation', in: ['EU'] },
        },
      ]),
    )
    const id = await vault.api.createKyb(unique(), { nature_of_business: { country_of_incorporation: 'DE' } })
    const due = async () => (await vault.api.get(`/kyb/${id}`)).body.data.requirements
    expect((await due()).currently_due).toContain('nature_of_business.vat_number')
    await vault.api.patch(`/kyb/${id}`, { nature_of_business: { country_of_incorporation: 'GB' } })
    expect((await due()).currently_due).not.toContain('nature_of_business.vat_number')
  })

  test('is rehearsed over open and approved applications', async () => {
    const { id } = await completeApplication(vault.api)
    await vault.api.createKyb(unique())
    await draft(document([TAX], [BIRTHPLACE]))
    const { body } = await operator.post(`${path}/draft/rehearse`)
    expect(id).toBeDefined()
    expect(body.data).toEqual({
      applications: 2,
      affected: 2,
      by_path: [
        { path: 'additional.tax_number', count: 2 },
        { path: 'beneficiaries.beneficiaries_list.additional.birthplace', count: 1 },
      ],
    })
  })
})

test('pages ask for added fields, save them, and show them to reviewers', async () => {
  const question = { label: { en: 'Do you pay tax?', de: 'Zahlen Sie Steuern?' }, type: 'boolean' }
  await publish(
    document(
      [
        row('pays_tax', { ...question, required: true }),
        row('tax_number', {
          label: text('Tax number'),
          help: text('As on your bill.'),
          asked: { field: 'additional.pays_tax', is: true },
          required: true,
        }),
        row('tax_bill', {
          type: 'files',
          section: 'business_files',
          label: text('Tax bill'),
          required: true,
        }),
      ],
      [row('birthplace', { section: 'details', label: text('Place of birth') })],
    ),
  )
  const pages = companyPages({ ...gatehouse, api: vault.api })
  const externalUuid = unique()
  const { base, headers, csrf } = await pages.signIn(await pages.begin(externalUuid))
  const read = async (at: string) => (await pages.send(`${base}/${at}`, undefined, headers)).text()
  const send = async (at: string, form: object) => {
    const { status, headers: given } = await pages.send(`${base}/${at}`, { _csrf: csrf, ...form }, headers)
    return [status, given.get('Location')]
  }
  const company = await read('nature_of_business')
  expect(company).toContain('Do you pay tax?')
  expect(company).toMatch(/data-asked="[^"]*additional.pays_tax[^"]*" hidden/)
  expect(await send('nature_of_business', { 'additional.pays_tax': 'true' })).toEqual([
    303,
    `${base}/nature_of_business#additional.tax_number`,
  ])
  expect(await read('nature_of_business')).toContain('As on your bill.')
  await send('nature_of_business', { 'additional.tax_number': '12/345' })
  expect(await read('business_files')).toContain('Tax bill')
  const added = 'beneficiaries.beneficiaries_list.new.'
  const ada = {
    [`${added}email`]: 'ada@example.com',
    [`${added}full_name`]: 'Ada',
    [`${added}additional.birthplace`]: 'London',
  }
  expect(await read('owners/new')).toContain('Place of birth')
  expect((await send('owners/new', ada))[0]).toBe(303)

  const kyb = await pages.kybOf(externalUuid)
  expect(kyb.additional).toEqual({ pays_tax: true, tax_number: '12/345', tax_bill: [] })
  expect(kyb.beneficiaries.beneficiaries_list[0].additional).toEqual({ birthplace: 'London' })
  const check = await read('check')
  for (const each of ['Tax number', '12/345', 'London']) expect(check).toContain(each)
  const console = await openConsole(gatehouse.baseUrl, vault.credentials)
  const reviewed = await console.text(`/console/kyb/${kyb.id}`)
  for (const each of ['Do you pay tax?', '12/345', 'Place of birth', 'London'])
    expect(reviewed).toContain(each)
})
