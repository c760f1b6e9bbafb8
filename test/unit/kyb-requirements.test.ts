/** What is due: every required path one by one, every conditional rule both ways. */
import { describe, expect, test } from 'vitest'
import type { Fields as FieldTable } from '../../src/domain/kyb/field.ts'
import { BENEFICIARY_FIELDS } from '../../src/domain/kyb/fields/beneficiaries.ts'
import { KYB_FIELDS, type KybContent, SECTIONS } from '../../src/domain/kyb/fields.ts'
import { currentlyDue, dueMessage, fieldAt, findDue, reasonsFor } from '../../src/domain/kyb/requirements.ts'
import { DUE_REASONS, newestDay } from '../../src/domain/kyb/values.ts'
import { ADA, completeContent, NO_CHECKS } from '../support/kyb.ts'

type Fields = Record<string, unknown>
const due = (content: KybContent, verified = new Set<string>()) =>
  currentlyDue(content, { ...NO_CHECKS, verified })
const reasons = (content: KybContent, known = NO_CHECKS) => {
  const found = findDue(content, known)
  return found.map(({ path, reason }) => `${path}: ${reason}`)
}

/** The complete content with this change made to it. */
function with_(change: (content: KybContent) => void): KybContent {
  const content = completeContent()
  change(content)
  return content
}

/** Independent of the rules' own table. */
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
  test.each(PATHS)('%s.%s missing is due alone', (section, field) => {
    const without = with_((content) => {
      delete (content as Record<string, Fields>)[section]?.[field]
    })
    expect(due(without)).toEqual([`${section}.${field}`])
  })

  test.each(PATHS)('%s.%s given but empty is due like one that is missing', (section, field) => {
    const emptied = with_((content) => {
      const values = (content as Record<string, Fields>)[section] as Fields
      values[field] = Array.isArray(values[field]) ? [] : ''
    })
    expect(due(emptied)).toEqual([`${section}.${field}`])
  })

  test('no other field of an empty application is due', () => {
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

describe('what is given and does not count', () => {
  const nature = (field: string, value: unknown) =>
    reasons(with_((content) => Object.assign(content.nature_of_business, { [field]: value })))
  const NAME = 'nature_of_business.legal_company_name'
  const DATE = 'nature_of_business.date_of_incorporation'

  test.each([' ', '\n\t', '\u00a0\u2003', '\u200b\u2060', '\u3164', '\u2800'])(
    'a text of blanks: %j',
    (blank) => {
      expect(nature('legal_company_name', blank)).toEqual([`${NAME}: missing`])
      expect(nature('description_activity', blank)).toEqual([
        'nature_of_business.description_activity: missing',
      ])
    },
  )
  test('a short text of more than 500 characters', () => {
    expect(nature('legal_company_name', 'x'.repeat(501))).toEqual([`${NAME}: too_long`])
    expect(nature('legal_company_name', 'x'.repeat(500))).toEqual([])
    expect(nature('description_activity', 'x'.repeat(5_000))).toEqual([])
  })
  test('a date of the future, and one that no company has', () => {
    expect(nature('date_of_incorporation', '2090-01-01')).toEqual([`${DATE}: in_future`])
    expect(nature('date_of_incorporation', '2026-11-06')).toEqual([`${DATE}: in_future`])
    expect(nature('date_of_incorporation', '2026-11-05')).toEqual([])
    expect(nature('date_of_incorporation', '0999-12-31')).toEqual([`${DATE}: too_early`])
    expect(nature('date_of_incorporation', '1000-01-01')).toEqual([])
  })
  test('it is tomorrow somewhere', () => {
    expect(newestDay(new Date('2026-11-05T09:59:59Z'))).toBe('2026-11-05')
    expect(newestDay(new Date('2026-11-05T10:00:00Z'))).toBe('2026-11-06')
  })
  test('a confirmation that is denied, and a question that is not answered', () => {
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
  test('documents none of which can be opened; one that can is enough', () => {
    const [path, list] = ['business_files.articles_of_association', 'articles_of_association']
    const unreadable = { ...NO_CHECKS, unreadable: new Set([list, 'other']) }
    expect(reasons(completeContent(), unreadable)).toEqual([`${path}: unreadable`])
    const two = with_((content) => content.business_files.articles_of_association?.push('third'))
    expect(reasons(two, unreadable)).toEqual([])
  })
})

describe('why in words', () => {
  test('each reason has its own, with what makes the field needed where it is not always', () => {
    const message = (path: string) => dueMessage({ path, reason: 'missing' })
    expect(message('nature_of_business.phone')).toBe(DUE_REASONS.missing)
    expect(message('usage_of_account.nesting_justification')).toBe(
      'The field is empty. Send a value. It is required because `nesting_confirmation` is true.',
    )
  })
  test('what was due when it was last looked at, and is not any more, says so', () => {
    const [phone, city] = ['nature_of_business.phone', 'nature_of_business.city_address']
    const content = with_((each) => delete each.nature_of_business.phone)
    expect(reasonsFor([phone, city], content, NO_CHECKS)).toEqual([
      { path: phone, reason: 'missing' },
      { path: city, reason: 'to_be_checked' },
    ])
  })
})

describe('rules with a condition', () => {
  test('each names a field, one of a beneficiary also how far the verification is', () => {
    const conditionsIn = (fields: FieldTable) =>
      Object.values(fields).flatMap(({ required }) => (typeof required === 'object' ? [required.field] : []))
    for (const path of SECTIONS.flatMap((section) => conditionsIn(KYB_FIELDS[section])))
      expect(fieldAt(path), path).toBeDefined()
    const known = [...Object.keys(BENEFICIARY_FIELDS), 'verification']
    for (const name of conditionsIn(BENEFICIARY_FIELDS)) expect(known).toContain(name)
  })
  const rules = [
    {
      path: 'business_files.power_of_attorney',
      asked: (c: KybContent) => (c.business_files.signature_type = 'joint'),
      given: (c: KybContent) => (c.business_files.power_of_attorney = ['f']),
    },
    {
      path: 'usage_of_account.nesting_justification',
      asked: (c: KybContent) => (c.usage_of_account.nesting_confirmation = true),
      given: (c: KybContent) => (c.usage_of_account.nesting_justification = 'Because'),
    },
    {
      path: 'usage_of_account.ubo_source_of_wealth_other',
      asked: (c: KybContent) => (c.usage_of_account.ubo_source_of_wealth = 'other'),
      given: (c: KybContent) => (c.usage_of_account.ubo_source_of_wealth_other = 'Lottery'),
    },
    {
      path: 'usage_of_account.proof_regulations',
      asked: (c: KybContent) => (c.nature_of_business.subject_of_supervision = 'BaFin'),
      given: (c: KybContent) => (c.usage_of_account.proof_regulations = ['f']),
    },
  ]
  test.each(rules)('$path is due when it is asked for', ({ path, asked }) => {
    expect(due(with_(asked))).toEqual([path])
  })
  test.each(rules)('$path is not due once it is given', ({ asked, given }) => {
    const answered = with_((content) => {
      asked(content)
      given(content)
    })
    expect(due(answered)).toEqual([])
  })

  test.each(['joint', 'joint_any_two', 'other'] as const)('signature_type %s asks for a power', (type) => {
    const content = with_((c) => (c.business_files.signature_type = type))
    expect(due(content)).toEqual(['business_files.power_of_attorney'])
  })
  test('without a signature_type only that is due, not the power of attorney', () => {
    const content = with_((c) => delete c.business_files.signature_type)
    expect(due(content)).toEqual(['business_files.signature_type'])
  })
  test('conditions answered the other way ask for nothing', () => {
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
    '%s missing is due under the external_id, never under the e-mail',
    (field) => {
      expect(due(person((ada) => delete ada[field]))).toEqual([path(field)])
    },
  )
  test('without roles both the roles and somebody who counts are due', () => {
    expect(due(person((ada) => delete ada.roles))).toEqual([
      'beneficiaries.beneficiaries_list',
      path('roles'),
    ])
  })
  test.each(['ubo', 'director'] as const)('one %s is enough', (role) => {
    expect(due(person((ada) => (ada.roles = [role])))).toEqual([])
  })
  test.each(['shareholder', 'signatory', 'authorized_person'] as const)('a %s alone is not', (role) => {
    expect(due(person((ada) => (ada.roles = [role])))).toEqual(['beneficiaries.beneficiaries_list'])
  })
  test('only an ubo needs a stake', () => {
    const director = person((ada) => {
      ada.roles = ['director']
      delete ada.stake_in_company
    })
    expect(due(director)).toEqual([])
  })
  test('a finished hosted verification stands in for the identification, of that person only', () => {
    const without = person((ada) => delete ada.beneficiary_identification)
    expect(due(without, new Set([ADA]))).toEqual([])
    expect(due(without, new Set(['somebody-else']))).toEqual([path('beneficiary_identification')])
  })
  test('each of several people is asked for what is theirs', () => {
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
