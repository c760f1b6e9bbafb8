/** Tests a vault's profile as JSON Schema. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { addVault, sharedInstance } from '../../support/instance.ts'
import { completeSections } from '../../support/kyb.ts'
import { documentOf, labelled, profilesOf, row } from '../../support/profile.ts'

const gatehouse = await sharedInstance()

interface Shown {
  readonly title?: string
  readonly properties?: Readonly<Record<string, Shown>>
  readonly 'x-gatehouse'?: object
}

/** Returns the fields of an object of the schema, also those of its sections. */
const fieldsIn = ({ properties = {} }: Shown): [string, Shown][] =>
  Object.entries(properties).flatMap(([name, each]): [string, Shown][] =>
    each['x-gatehouse'] ? [[name, each]] : fieldsIn(each),
  )

test('clients read the profile as JSON Schema 2020-12', async () => {
  const vault = await addVault(gatehouse)
  const read = async () => (await vault.api.get('/profile')).body.data
  const byDefault = await read()
  expect(byDefault).toMatchObject({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    'x-gatehouse': { profile_version: 0, country_groups: { EU: expect.arrayContaining(['DE']) } },
  })
  const texts = (of: { title?: string; 'x-gatehouse': { label: object; value_labels?: object } }) => [
    of.title,
    of['x-gatehouse'].label,
    of['x-gatehouse'].value_labels,
  ]
  const { nature_of_business, business_files } = byDefault.$defs.company.properties
  expect(texts(nature_of_business.properties.legal_company_name)).toEqual([
    'Legal name of the company',
    { en: 'Legal name of the company', de: expect.any(String), pl: expect.any(String) },
    undefined,
  ])
  expect(texts(business_files.properties.signature_type)[2]).toMatchObject({
    single: { en: expect.any(String), de: expect.any(String), pl: expect.any(String) },
  })
  const all = ['company', 'beneficiary', 'person'].flatMap((part) => fieldsIn(byDefault.$defs[part]))
  expect(all.filter(([, field]) => !field.title).map(([name]) => name)).toEqual([])
  expect(all.length).toBeGreaterThan(50)
  const profiles = await profilesOf(vault)
  await profiles.publish(
    documentOf(
      [
        row('tax_number', {
          max_length: 4,
          asked: { field: 'nature_of_business.country_address', in: ['EU'] },
        }),
        row('kind', labelled('one_of', ['a', 'b'])),
      ],
      [row('birthplace', { section: 'details' })],
      [row('languages', { section: 'details', ...labelled('some_of', ['en', 'de']) })],
    ),
  )
  const schema = await read()
  const { company, beneficiary, person } = schema.$defs
  expect(company.properties.additional.properties.tax_number).toMatchObject({
    type: 'string',
    maxLength: 4,
    title: 'tax_number',
    'x-gatehouse': { section: 'nature_of_business', asked: { in: ['EU'] } },
  })
  expect(beneficiary.properties.additional.properties).toHaveProperty('birthplace')
  expect(person.properties.birthdate).toMatchObject({ type: 'string', format: 'date' })

  const isValid = new Ajv2020({ strict: false, validateFormats: false }).compile(schema)
  const sections = completeSections()
  expect(isValid({ company: { ...sections, additional: { tax_number: '12/3', kind: 'a' } } })).toBe(true)
  expect(isValid({ company: { additional: { kind: 'c' } } })).toBe(false)
  expect(isValid({ company: { additional: { tax_number: '12345' } } })).toBe(false)
  expect(isValid({ company: { additional: { unknown: 'x' } } })).toBe(false)
  expect(isValid({ person: { additional: { languages: ['fr'] } } })).toBe(false)
})
