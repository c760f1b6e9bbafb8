/** Tests the corrections of a requested revision: valid paths, and the changes that resolve them. */

import { describe, expect, test } from 'vitest'
import { isFieldPath } from '../../../src/domain/kyb/content.ts'
import { openCorrections } from '../../../src/domain/kyb/corrections.ts'
import { BENEFICIARY_FIELDS } from '../../../src/domain/kyb/fields/beneficiaries.ts'
import { type Beneficiary, KYB_FIELDS, type KybContent, SECTIONS } from '../../../src/domain/kyb/fields.ts'
import { DEFAULT_FORM } from '../../../src/domain/kyb/form.ts'
import { ADA, completeContent } from '../../support/kyb.ts'

const LIST = 'beneficiaries.beneficiaries_list'

describe('isFieldPath', () => {
  const paths = [
    ...SECTIONS.flatMap((section) => Object.keys(KYB_FIELDS[section]).map((field) => `${section}.${field}`)),
    ...Object.keys(BENEFICIARY_FIELDS).map((field) => `${LIST}.${ADA}.${field}`),
    `${LIST}.${ADA}`,
    LIST,
  ]
  test('accepts every field of every section and beneficiary', () => {
    expect(paths.filter((path) => !isFieldPath(DEFAULT_FORM, completeContent(), path))).toEqual([])
  })

  test.each([
    '',
    'application',
    'nature_of_business',
    'nature_of_business.',
    'nature_of_business.nothing',
    'nature_of_business.phone.more',
    'nothing.phone',
    'business_files.phone',
    'constructor.name',
    '__proto__.toString',
    'nature_of_business.__proto__',
    'nature_of_business.constructor',
    `${LIST}.somebody-else`,
    `${LIST}.somebody-else.full_name`,
    `${LIST}.${ADA}.nothing`,
    `${LIST}.${ADA}.external_id`,
    `${LIST}.${ADA}.constructor`,
    `${LIST}.${ADA}.full_name.more`,
    `${LIST}.ada@example.com.full_name`,
    `${LIST}.0.full_name`,
  ])('refuses %j', (path) => {
    expect(isFieldPath(DEFAULT_FORM, completeContent(), path)).toBe(false)
  })
})

describe('openCorrections', () => {
  const edit = (before: KybContent, after: KybContent) => ({ form: DEFAULT_FORM, before, after })
  const correction = (path: string) => ({ path, code: 'other', message: null })
  const remaining = (path: string, change: (content: KybContent) => unknown) => {
    const after = completeContent()
    change(after)
    return openCorrections([correction(path)], edit(completeContent(), after))
  }

  type Case = readonly [path: string, change: (content: KybContent) => unknown]
  const ada = (change: Partial<Beneficiary>) => (content: KybContent) => {
    content.beneficiaries.beneficiaries_list = content.beneficiaries.beneficiaries_list.map((person) => ({
      ...person,
      ...change,
    }))
  }
  const nature = (change: KybContent['nature_of_business']) => (content: KybContent) =>
    Object.assign(content.nature_of_business, change)

  const settled: readonly Case[] = [
    ['nature_of_business.phone', nature({ phone: '+49301' })],
    ['nature_of_business.phone', (content) => delete content.nature_of_business.phone],
    ['nature_of_business.website', nature({ website: 'https://a.example' })],
    [
      'business_files.articles_of_association',
      (content) => Object.assign(content.business_files, { articles_of_association: ['other'] }),
    ],
    [`${LIST}.${ADA}.full_name`, ada({ full_name: 'Ada King' })],
    [`${LIST}.${ADA}`, ada({ full_name: 'Ada King' })],
    [`${LIST}.${ADA}.full_name`, (content) => content.beneficiaries.beneficiaries_list.pop()],
    [`${LIST}.${ADA}.proof_address`, (content) => content.beneficiaries.beneficiaries_list.pop()],
    [LIST, (content) => content.beneficiaries.beneficiaries_list.push({ email: 'b', external_id: 'b' })],
    ['application', nature({ city_address: 'Hamburg' })],
  ]
  test.each(settled)('resolves the correction of %s if its value changes', (path, change) => {
    expect(remaining(path, change)).toEqual([])
  })

  // The API returns an empty list for a list that was never set.
  const withEmptyList = ({ usage_of_account }: KybContent) => {
    usage_of_account.aml_policies = []
  }
  const open: readonly Case[] = [
    ['nature_of_business.phone', nature({ email: 'new@example.com' })],
    ['nature_of_business.website', (content) => delete content.nature_of_business.website],
    [`${LIST}.${ADA}.full_name`, ada({ roles: ['ubo'] })],
    ['application', () => undefined],
    ['application', withEmptyList],
    ['usage_of_account.aml_policies', withEmptyList],
  ]
  test.each(open)('keeps the correction of %s if its value does not change', (path, change) => {
    expect(remaining(path, change)).toEqual([correction(path)])
  })

  test('removes corrections for a beneficiary who is no longer in the application', () => {
    const after = completeContent()
    after.beneficiaries.beneficiaries_list = []
    expect(openCorrections([correction(`${LIST}.${ADA}.proof_address`)], edit(after, after))).toEqual([])
  })

  test('resolves only the corrections of changed fields', () => {
    const after = completeContent()
    after.nature_of_business.phone = '+49301'
    const open = ['nature_of_business.email', 'nature_of_business.phone'].map(correction)
    expect(openCorrections(open, edit(completeContent(), after))).toEqual([
      correction('nature_of_business.email'),
    ])
  })

  test('compares a field once for many corrections', () => {
    let reads = 0
    const content = completeContent()
    const email = { toJSON: () => ++reads && 'ada@example.com' }
    Object.assign(content.nature_of_business, { email })
    const open = Array(400).fill(correction('nature_of_business.email'))
    expect(openCorrections(open, edit(content, content))).toEqual(open)
    expect(reads).toBe(2)
  })
})
