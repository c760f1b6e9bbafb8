/** Tests which paths are due: each required path, and both branches of each conditional rule. */

import { describe, expect, test } from 'vitest'
import { fieldsIn } from '../../../src/domain/fields/condition.ts'
import type { Fields as FieldTable } from '../../../src/domain/fields/field.ts'
import { DUE_REASONS, newestDay } from '../../../src/domain/fields/values.ts'
import { BENEFICIARY_FIELDS } from '../../../src/domain/kyb/fields/beneficiaries.ts'
import { KYB_FIELDS, type KybContent, SECTIONS } from '../../../src/domain/kyb/fields.ts'
import { DEFAULT_FORM, fieldAt } from '../../../src/domain/kyb/form.ts'
import { currentlyDue, dueMessage, findDue, reasonsFor } from '../../../src/domain/kyb/requirements.ts'
import { ADA, completeContent, NO_CHECKS } from '../../support/kyb.ts'

type Fields = Record<string, unknown>
const due = (content: KybContent, verified = new Set<string>()) =>
  currentlyDue(content, { ...NO_CHECKS, verified })
const reasons = (content: KybContent, known = NO_CHECKS) => {
  const found = findDue(content, known)
  return found.map(({ path, reason }) => `${path}: ${reason}`)
}

/** Returns the complete content with this change. */
function with_(change: (content: KybContent) => void): KybContent {
  const content = completeContent()
  change(content)
  return content
}

/** This list is independent of the table in the code. */
const REQUIRED: Record<string, readonly string[]> = {
  nature_of_business:
    'legal_company_name company_registration_id country_of_incorporation date_of_incorporation description_activity phone email legal_address city_address postal_code_address country_address company_type tax_residency_country'.split(
      ' ',
    ),
  usage_of_account:
    'usage source_of_funds list_of_services list_of_countries_operated trx_count_monthly trx_value_monthly flow_of_funds_description fund_origin_confirmation'.split(
      ' ',
    ),
  business_files:
    'incorporation_certificates articles_of_association shareholders_registers directors_registers signature_type'.split(
      ' ',
    ),
  beneficiaries: ['shareholders_confirmation', 'evidence_of_ubos'],
}
const PATHS = Object.entries(REQUIRED).flatMap(([section, fields]) =>
  fields.map((field) => [section, field] as const),
)

test('a complete application has nothing due', () => {
  expect(due(completeContent())).toEqual([])
})

describe('each required field', () => {
  test.each(PATHS)('is the only path due if it is missing: %s.%s', (section, field) => {
    const without = with_((content) => {
      delete (content as Record<string, Fields>)[section]?.[field]
    })
    expect(due(without)).toEqual([`${section}.${field}`])
  })

  test.each(PATHS)('is due if it is empty: %s.%s', (section, field) => {
    const emptied = with_((content) => {
      const values = (content as Record<string, Fields>)[section] as Fields
      values[field] = Array.isArray(values[field]) ? [] : ''
    })
    expect(due(emptied)).toEqual([`${section}.${field}`])
  })

  test('is due in an empty application, which has no other fields due', () => {
    const empty: KybContent = {
      nature_of_business: {},
      usage_of_account: {},
      business_files: {},
      beneficiaries: { beneficiaries_list: [] },
    }
    const paths = [...PATHS.map((path) => path.join('.')), 'beneficiaries.beneficiaries_list']
    expect(due(empty).sort()).toEqual(paths.sort())
  })
})

describe('a value does not count', () => {
  const nature = (field: string, value: unknown) =>
    reasons(with_((content) => Object.assign(content.nature_of_business, { [field]: value })))
  const NAME = 'nature_of_business.legal_company_name'
  const DATE = 'nature_of_business.date_of_incorporation'

  test.each([' ', '\n\t', '\u00a0\u2003', '\u200b\u2060', '\u3164', '\u2800'])(
    'if it is blank text: %j',
    (blank) => {
      expect(nature('legal_company_name', blank)).toEqual([`${NAME}: missing`])
      expect(nature('description_activity', blank)).toEqual([
        'nature_of_business.description_activity: missing',
      ])
    },
  )
  test('if it is a short text of more than 500 characters', () => {
    expect(nature('legal_company_name', 'x'.repeat(501))).toEqual([`${NAME}: too_long`])
    expect(nature('legal_company_name', 'x'.repeat(500))).toEqual([])
    expect(nature('description_activity', 'x'.repeat(5_000))).toEqual([])
  })
  test('if it is a date in the future or before the year 1000', () => {
    expect(nature('date_of_incorporation', '2090-01-01')).toEqual([`${DATE}: in_future`])
    expect(nature('date_of_incorporation', '2026-11-06')).toEqual([`${DATE}: in_future`])
    expect(nature('date_of_incorporation', '2026-11-05')).toEqual([])
    expect(nature('date_of_incorporation', '0999-12-31')).toEqual([`${DATE}: too_early`])
    expect(nature('date_of_incorporation', '1000-01-01')).toEqual([])
  })
  test('if its date is in the future in every time zone', () => {
    expect(newestDay(new Date('2026-11-05T09:59:59Z'))).toBe('2026-11-05')
    expect(newestDay(new Date('2026-11-05T10:00:00Z'))).toBe('2026-11-06')
  })
  test('if it is a denied confirmation or an unanswered question', () => {
    const denied = with_((content) => {
      content.usage_of_account.fund_origin_confirmation = false
      content.beneficiaries.shareholders_confirmation = false
      const [ada] = content.beneficiaries.beneficiaries_list
      Object.assign(ada as object, { politically_exposed: null })
    })
    expect(reasons(denied)).toEqual([
      'usage_of_account.fund_origin_confirmation: not_confirmed',
      `beneficiaries.beneficiaries_list.${ADA}.politically_exposed: unanswered`,
      'beneficiaries.shareholders_confirmation: not_confirmed',
    ])
  })
  test('if it is a list of documents, none of which can be opened', () => {
    const [path, list] = ['business_files.articles_of_association', 'articles_of_association']
    const unreadable = { ...NO_CHECKS, unreadable: new Set([list, 'other']) }
    expect(reasons(completeContent(), unreadable)).toEqual([`${path}: unreadable`])
    const two = with_((content) => content.business_files.articles_of_association?.push('third'))
    expect(reasons(two, unreadable)).toEqual([])
  })
  test.each([
    [{ a: 'front' }, 'back_missing'],
    [{ a: 'back' }, 'front_missing'],
    [{ a: 'front', b: 'front' }, 'back_missing'],
    [{ a: 'front', b: 'back' }, null],
    [{ a: null }, null],
    [{ a: 'front', b: null }, null],
    [{ a: 'front', unreadable: 'back' }, 'back_missing'],
    [{ a: 'front', unreadable: null }, 'back_missing'],
  ] as const)('if identity cards show the sides %o: %s', (files, reason) => {
    const content = with_((each) => {
      const [ada] = each.beneficiaries.beneficiaries_list
      Object.assign(ada as object, { beneficiary_identification: Object.keys(files) })
    })
    const sides = new Map(Object.entries(files).flatMap(([id, side]) => (side ? [[id, side]] : [])))
    const known = { ...NO_CHECKS, sides, unreadable: new Set(['unreadable']) }
    const path = `beneficiaries.beneficiaries_list.${ADA}.beneficiary_identification`
    expect(reasons(content, known)).toEqual(reason ? [`${path}: ${reason}`] : [])
  })
})

describe('messages', () => {
  test('explain each reason, and the condition that makes a field required', () => {
    const message = (path: string) => dueMessage(DEFAULT_FORM, { path, reason: 'missing' })
    expect(message('nature_of_business.phone')).toBe(DUE_REASONS.missing)
    expect(message('usage_of_account.nesting_justification')).toBe(
      'The field is empty. Send a value. It is required because `nesting_confirmation` is true.',
    )
  })
  test('say if a path is no longer due', () => {
    const [phone, city] = ['nature_of_business.phone', 'nature_of_business.city_address']
    const content = with_((each) => delete each.nature_of_business.phone)
    expect(reasonsFor([phone, city], content, NO_CHECKS)).toEqual([
      { path: phone, reason: 'missing' },
      { path: city, reason: 'to_be_checked' },
    ])
  })
})

describe('conditional rules', () => {
  test('name an existing field, or a beneficiary’s verification', () => {
    const conditionsIn = (fields: FieldTable) =>
      Object.values(fields).flatMap(({ required }) =>
        typeof required === 'object' ? fieldsIn(required) : [],
      )
    for (const path of SECTIONS.flatMap((section) => conditionsIn(KYB_FIELDS[section])))
      expect(fieldAt(DEFAULT_FORM, path), path).toBeDefined()
    const known = [...Object.keys(BENEFICIARY_FIELDS), 'verification']
    for (const name of conditionsIn(BENEFICIARY_FIELDS)) expect(known).toContain(name)
  })
  const rules = [
    {
      path: 'business_files.power_of_attorney',
      meet: (c: KybContent) => (c.business_files.signature_type = 'joint'),
      provide: (c: KybContent) => (c.business_files.power_of_attorney = ['f']),
    },
    {
      path: 'usage_of_account.nesting_justification',
      meet: (c: KybContent) => (c.usage_of_account.nesting_confirmation = true),
      provide: (c: KybContent) => (c.usage_of_account.nesting_justification = 'Because'),
    },
    {
      path: 'usage_of_account.ubo_source_of_wealth_other',
      meet: (c: KybContent) => (c.usage_of_account.ubo_source_of_wealth = 'other'),
      provide: (c: KybContent) => (c.usage_of_account.ubo_source_of_wealth_other = 'Lottery'),
    },
    {
      path: 'usage_of_account.proof_regulations',
      meet: (c: KybContent) => (c.nature_of_business.subject_of_supervision = 'BaFin'),
      provide: (c: KybContent) => (c.usage_of_account.proof_regulations = ['f']),
    },
  ]
  test.each(rules)('make $path due if the condition is met', ({ path, meet }) => {
    expect(due(with_(meet))).toEqual([path])
  })
  test.each(rules)('do not make $path due if it is provided', ({ meet, provide }) => {
    const answered = with_((content) => {
      meet(content)
      provide(content)
    })
    expect(due(answered)).toEqual([])
  })

  test.each(['joint', 'joint_any_two', 'other'] as const)(
    'require a power of attorney for the signature_type %s',
    (type) => {
      const content = with_((c) => (c.business_files.signature_type = type))
      expect(due(content)).toEqual(['business_files.power_of_attorney'])
    },
  )
  test('require only a signature_type if it is missing', () => {
    const content = with_((c) => delete c.business_files.signature_type)
    expect(due(content)).toEqual(['business_files.signature_type'])
  })
  test('require nothing if the conditions are not met', () => {
    const content = with_((c) => {
      c.usage_of_account.nesting_confirmation = false
      c.usage_of_account.ubo_source_of_wealth = 'savings'
      c.nature_of_business.subject_of_supervision = ''
    })
    expect(due(content)).toEqual([])
  })
})

describe('beneficiaries', () => {
  const person = (change: (ada: KybContent['beneficiaries']['beneficiaries_list'][number]) => void) =>
    with_((content) => {
      const [ada] = content.beneficiaries.beneficiaries_list
      if (ada) change(ada)
    })
  const path = (field: string) => `beneficiaries.beneficiaries_list.${ADA}.${field}`

  test.each(['full_name', 'stake_in_company', 'politically_exposed', 'beneficiary_identification'] as const)(
    'are due under the external_id if %s is missing',
    (field) => {
      expect(due(person((ada) => delete ada[field]))).toEqual([path(field)])
    },
  )
  test('need roles, and an owner or director among them', () => {
    expect(due(person((ada) => delete ada.roles))).toEqual([
      'beneficiaries.beneficiaries_list',
      path('roles'),
    ])
  })
  test.each(['ubo', 'director'] as const)('need only one %s', (role) => {
    expect(due(person((ada) => (ada.roles = [role])))).toEqual([])
  })
  test.each(['shareholder', 'signatory', 'authorized_person'] as const)(
    'are still due with only a %s',
    (role) => {
      expect(due(person((ada) => (ada.roles = [role])))).toEqual(['beneficiaries.beneficiaries_list'])
    },
  )
  test('need a stake only with the role ubo', () => {
    const director = person((ada) => {
      ada.roles = ['director']
      delete ada.stake_in_company
    })
    expect(due(director)).toEqual([])
  })
  test('need no identification if their own hosted verification is approved', () => {
    const without = person((ada) => delete ada.beneficiary_identification)
    expect(due(without, new Set([ADA]))).toEqual([])
    expect(due(without, new Set(['somebody-else']))).toEqual([path('beneficiary_identification')])
  })
  test('are each due with their own paths', () => {
    const two = with_((content) =>
      content.beneficiaries.beneficiaries_list.push({ email: 'bob@example.com', external_id: 'bob' }),
    )
    expect(due(two)).toEqual(
      ['full_name', 'roles', 'politically_exposed', 'beneficiary_identification'].map(
        (field) => `beneficiaries.beneficiaries_list.bob.${field}`,
      ),
    )
  })
})
