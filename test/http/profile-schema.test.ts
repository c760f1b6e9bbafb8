/** Tests a vault's profile as JSON Schema. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { addVault, sharedInstance } from '../support/instance.ts'
import { completeSections } from '../support/kyb.ts'
import { documentOf, labelled, profilesOf, row } from '../support/profile.ts'

const gatehouse = await sharedInstance()

test('clients read the profile as JSON Schema 2020-12', async () => {
  const vault = await addVault(gatehouse)
  const read = async () => (await vault.api.get('/profile')).body.data
  const byDefault = await read()
  expect(byDefault).toMatchObject({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    'x-gatehouse': { profile_version: 0, country_groups: { EU: expect.arrayContaining(['DE']) } },
  })
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
