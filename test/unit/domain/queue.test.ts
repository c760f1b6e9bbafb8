/** Tests the rules of the queue: each case's reason, its risk level, and the progress of documents and corrections. */

import { describe, expect, test } from 'vitest'
import { RISKS, riskLevel } from '../../../src/domain/decision/risk.ts'
import { CONSENT, countPhotos } from '../../../src/domain/identification/person-form.ts'
import { countryOf } from '../../../src/domain/identification/profile.ts'
import { DEFAULT_FORM } from '../../../src/domain/kyb/form.ts'
import { beneficiaryPath, countDocuments } from '../../../src/domain/kyb/requirements.ts'
import { correctionProgress, queueReason } from '../../../src/domain/review/queue.ts'
import { ADA, completeContent } from '../../support/kyb.ts'

const pending = { kind: 'approve', by: 'operator:1' } as const

test.each([
  [pending, 2, 'operator', true, true, 'second_review'],
  [pending, 0, 'nobody', false, false, 'second_review'],
  [null, 2, 'operator', true, true, 'screening_hit'],
  [null, 1, 'nobody', false, false, 'screening_hit'],
  [null, 0, 'operator', true, true, 'resubmitted'],
  [null, 0, 'provider', true, false, 'resubmitted'],
  [null, 0, 'operator', false, true, 'possible_duplicate'],
  [null, 0, 'provider', false, true, 'possible_duplicate'],
  [null, 0, 'operator', false, false, 'new'],
  [null, 0, 'client', true, true, null],
  [null, 0, 'applicant', false, true, null],
] as const)(
  'with the pending decision %o, %i open hits, waiting on %s, changes requested %s and duplicates %s, the reason is %s',
  (proposed, openHits, waitingOn, isChangeRequested, hasDuplicates, reason) => {
    const entry = { pending: proposed, openHits, waitingOn }
    expect(queueReason(entry, isChangeRequested, hasDuplicates)).toBe(reason)
  },
)

test.each([
  [[], 0, 'low'],
  [[], 1, 'high'],
  [['nesting'], 0, 'medium'],
  [['politically_exposed', 'nesting'], 0, 'medium'],
  [['politically_exposed'], 3, 'high'],
  [['high_risk_country', 'nesting'], 0, 'high'],
  [['on_a_list'], 0, 'high'],
  [RISKS, 0, 'high'],
] as const)('the level of the risks %o with %i open hits is %s', (risks, openHits, level) => {
  expect(riskLevel(risks, openHits)).toBe(level)
})

describe('corrections', () => {
  const correction = (path: string) => ({ path, code: 'other', message: null, reply: '' })
  const phone = correction('nature_of_business.phone')
  const email = correction('nature_of_business.email')
  const address = correction('nature_of_business.legal_address')
  const whole = correction('application')
  test.each([
    [[phone, email, address], [], [], { done: 3, total: 3 }],
    [[phone, email, address], [phone], [email], { done: 1, total: 3 }],
    [[phone], [], [whole], { done: 1, total: 1 }],
    [[whole], [whole], [], null],
    [undefined, [phone], [], null],
    [[phone], [phone, email], [], { done: 0, total: 1 }],
  ])(
    'are done unless they are open or disputed: %o requested, %o open, %o disputed, progress %o',
    (places, corrections, replies, progress) => {
      expect(correctionProgress({ places, corrections, replies })).toEqual(progress)
    },
  )
})

describe('the documents of a company', () => {
  const nobody = { form: DEFAULT_FORM, verified: new Set<string>() }
  test('are the required file lists of the company and of its people', () => {
    const content = completeContent()
    expect(countDocuments(content, { ...nobody, due: [] })).toEqual({ done: 6, total: 6 })
    const due = ['business_files.directors_registers', beneficiaryPath(ADA, 'beneficiary_identification')]
    expect(countDocuments(content, { ...nobody, due: [...due, 'nature_of_business.phone'] })).toEqual({
      done: 4,
      total: 6,
    })
  })
  test('need no identity document of a verified person', () => {
    expect(
      countDocuments(completeContent(), { form: DEFAULT_FORM, verified: new Set([ADA]), due: [] }).total,
    ).toBe(5)
  })
  test('include those that an answer makes required', () => {
    const content = completeContent()
    content.business_files.signature_type = 'joint'
    const { done, total } = countDocuments(content, { ...nobody, due: ['business_files.power_of_attorney'] })
    expect([done, total]).toEqual([6, 7])
  })
})

describe('the photos of a person', () => {
  const profile = { consent: CONSENT, document_type: 'passport', document_front: 'front' }
  test('depend on the type of the document', () => {
    expect(countPhotos(profile, [])).toEqual({ done: 1, total: 2 })
    expect(countPhotos({ ...profile, document_type: 'identity_card' }, [])).toEqual({ done: 1, total: 3 })
    expect(countPhotos({ ...profile, selfie: 'selfie' }, [])).toEqual({ done: 2, total: 2 })
  })
  test('do not count while a correction is open', () => {
    const correction = { path: 'document_front', code: 'unreadable', message: null }
    expect(countPhotos(profile, [correction])).toEqual({ done: 0, total: 2 })
  })
})

test('the country is that of the residence or registration, or else of the nationality', () => {
  expect(countryOf({ address_country: 'DE', country: 'AT', nationality: 'GB' })).toBe('DE')
  expect(countryOf({ country: 'AT', nationality: 'GB' })).toBe('AT')
  expect(countryOf({ nationality: 'GB', document_country: 'FR' })).toBe('GB')
  expect(countryOf({ name: 'Ada' })).toBeNull()
})
