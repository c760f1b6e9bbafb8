/** Tests the required entries and photos of a person, the missing ones, and corrections. */
import { describe, expect, test } from 'vitest'
import { transitionOnFact } from '../../../src/domain/identification/fact.ts'
import {
  CONSENT,
  consentGiven,
  filesOf,
  fillIn,
  findPersonDue,
  isBirthdate,
  PERSON_PATHS,
  requiredOfApplicant,
} from '../../../src/domain/identification/person-form.ts'
import type { IdentificationRecord } from '../../../src/domain/identification/record.ts'
import {
  type IdentificationCommand,
  transitionIdentification,
} from '../../../src/domain/identification/transition.ts'

const NOW = new Date('2026-11-21T12:00:00Z')
const COMPLETE = {
  consent: CONSENT,
  ...Object.fromEntries(PERSON_PATHS.map((path) => [path, path])),
  document_type: 'identity_card',
}

const person = (more: Partial<IdentificationRecord> = {}): IdentificationRecord => ({
  id: 'i1',
  kind: 'person',
  origin: 'hosted',
  externalUuid: 'e1',
  state: {
    verification: 'initiated',
    waitingOn: 'applicant',
    awaitsKyb: false,
    holds: [],
    version: 1,
    pending: null,
  },
  profile: COMPLETE,
  accounts: [],
  internalSettlements: false,
  review: null,
  proposal: null,
  companyRisks: [],
  policy: { fourEyes: [], highRiskCountries: [] },
  erasedAt: null,
  screenedWith: 'lists',
  openHits: 0,
  confirmedHits: 0,
  ...more,
})
const run = (record: IdentificationRecord, command: IdentificationCommand) =>
  transitionIdentification(record, command, { now: NOW, actor: 'system', newId: () => 'new' })
const done = (record: IdentificationRecord, command: IdentificationCommand): IdentificationRecord => {
  const result = run(record, command)
  if ('problems' in result) throw new Error(JSON.stringify(result.problems))
  return result.record
}

const EARLIER = '2026-11-20T12:00:00.000Z'

describe('missing entries', () => {
  test('are all required entries without data, and none with complete data', () => {
    expect(findPersonDue({}, [])).toEqual(requiredOfApplicant({}))
    expect(findPersonDue(COMPLETE, [])).toEqual([])
  })
  test.each(requiredOfApplicant(COMPLETE))('include %s', (name) => {
    expect(findPersonDue({ ...COMPLETE, [name]: '' }, [])).toContain(name)
    // These characters are invisible.
    expect(findPersonDue({ ...COMPLETE, [name]: ' \u200b' }, [])).toContain(name)
  })
  test('include the consent if it was given to a different text', () => {
    expect(findPersonDue({ ...COMPLETE, consent: '2020-01' }, [])).toEqual(['consent'])
  })
  test('do not include the consent to an earlier text with the same meaning, which a new one replaces', () => {
    const earlier = { ...COMPLETE, consent: '2026-11-29', consented_at: '2026-11-20T12:00:00.000Z' }
    expect(findPersonDue(earlier, [])).toEqual([])
    expect(consentGiven(earlier, 'de', NOW)).toMatchObject({
      consent: CONSENT,
      consented_at: NOW.toISOString(),
    })
  })
  test.each([
    ['no consent', {}, [NOW.toISOString(), 'de']],
    [
      'an earlier text',
      { consent: '2026-11-29', consented_at: EARLIER, consent_language: 'pl' },
      [NOW.toISOString(), 'de'],
    ],
    ['this text', { consent: CONSENT, consented_at: EARLIER, consent_language: 'pl' }, [EARLIER, 'pl']],
    ['this text in an unknown language', { consent: CONSENT, consented_at: EARLIER }, [EARLIER, null]],
  ])('record the time and language of the consent after %s', (_, profile, [at, language]) => {
    expect(consentGiven(profile, 'de', NOW)).toMatchObject({ consented_at: at, consent_language: language })
  })
  test('do not include the back of a passport', () => {
    const passport = fillIn(COMPLETE, { document_type: 'passport' })
    const sent = done(person({ profile: passport }), { kind: 'submit' })
    expect(filesOf(sent.profile)).toEqual(['document_front', 'selfie'])
    expect(findPersonDue(passport, [])).toEqual([])
    expect(
      run(person({ profile: passport }), { kind: 'attach', attribute: 'document_back', fileId: 'f' }),
    ).toEqual({
      problems: [{ code: 'invalid', field: 'attribute' }],
    })
  })
  test('do not include the back if the applicant chooses a passport and then an identity card again', () => {
    const passport = fillIn(COMPLETE, { document_type: 'passport' })
    expect(fillIn(passport, { document_type: 'identity_card' })).toEqual(COMPLETE)
    expect(done(person(), { kind: 'submit' }).profile).toEqual(COMPLETE)
  })
  test('are all reported if the form is submitted too early', () => {
    const result = run(person({ profile: { ...COMPLETE, city: '', selfie: '' } }), { kind: 'submit' })
    expect(result).toEqual({
      problems: [
        { code: 'requirements_due', field: 'city' },
        { code: 'requirements_due', field: 'selfie' },
      ],
    })
  })
})

describe('a person without a consent', () => {
  const silent = person({ profile: { document_type: 'identity_card' } })
  test('can enter only the consent, and decline it', () => {
    const refused = { problems: [{ code: 'requirements_due', field: 'consent' }] }
    expect(run(silent, { kind: 'attach', attribute: 'selfie', fileId: 'f' })).toEqual(refused)
    expect(run(silent, { kind: 'fill_in', changes: { city: 'London' } })).toEqual(refused)
    expect(done(silent, { kind: 'fill_in', changes: { consent: CONSENT } }).profile.consent).toBe(CONSENT)
    const declined = { kind: 'fill_in', changes: { consent: null, city: null } } as const
    expect(done(person(), declined).profile).not.toHaveProperty('city')
  })
})

describe('corrections', () => {
  const asked = transitionOnFact(
    person({ state: { ...person().state, waitingOn: 'provider' } }),
    {
      id: 'c',
      kind: 'check_finished',
      outcome: 'initiated',
      reasonCode: 'documents_unreadable',
      fields: ['document_front', 'city'],
    },
    NOW,
  )
  test('make the applicant act next, without an event or a new status', () => {
    expect(asked.record.state).toMatchObject({
      verification: 'initiated',
      waitingOn: 'applicant',
      version: 2,
    })
    expect(asked.events).toEqual([])
    expect(asked.record.review).toEqual({
      outcome: 'initiated',
      reasonCode: 'documents_unreadable',
      clientComment: null,
      findings: [],
      decidedAt: NOW.getTime() / 1000,
      corrections: ['document_front', 'city'].map((path) => ({
        path,
        code: 'documents_unreadable',
        message: null,
      })),
      replies: [],
      places: [{ path: 'document_front' }, { path: 'city' }],
      by: 'provider',
    })
  })
  test('prevent the submission until each photo and text is changed', () => {
    const due = (record: IdentificationRecord) => {
      const result = run(record, { kind: 'submit' })
      return 'problems' in result ? result.problems.map(({ field }) => field) : []
    }
    expect(due(asked.record)).toEqual(['document_front', 'city'])
    const photographed = done(asked.record, {
      kind: 'attach',
      attribute: 'document_front',
      fileId: 'new-front',
    })
    expect(photographed.review?.corrections?.map(({ path }) => path)).toEqual(['city'])
    expect(due(photographed)).toEqual(['city'])
    const answered = done(photographed, { kind: 'fill_in', changes: { city: 'Woking' } })
    expect(done(answered, { kind: 'submit' }).state.waitingOn).toBe('provider')
  })
  describe('that the applicant disputes', () => {
    const reply = (record: IdentificationRecord, path: string) =>
      done(record, { kind: 'reply', path, reply: 'It is so.' })
    const replied = reply(reply(asked.record, 'city'), 'document_front')
    const sent = done(replied, { kind: 'submit' })

    test('are resolved by a reply, which the reviewer sees with the finding', () => {
      expect(replied.review).toMatchObject({
        corrections: [],
        replies: [
          { path: 'city', code: 'documents_unreadable', reply: 'It is so.' },
          { path: 'document_front', reply: 'It is so.' },
        ],
      })
      expect(run(asked.record, { kind: 'reply', path: 'surname', reply: 'x' })).toMatchObject({
        problems: [{ code: 'invalid', field: 'path' }],
      })
    })
    test('require an operator before a check can approve or request changes', () => {
      for (const outcome of ['approved', 'initiated'] as const) {
        const { record } = transitionOnFact(sent, { id: 'd', kind: 'check_finished', outcome }, NOW)
        expect(record.state).toMatchObject({ verification: 'initiated', waitingOn: 'operator' })
        expect(record.review?.replies).toHaveLength(2)
      }
      const rejected = transitionOnFact(sent, { id: 'd', kind: 'check_finished', outcome: 'rejected' }, NOW)
      expect(rejected.record.state.verification).toBe('rejected')
    })
    test('lose their reply if the value changes or the consent is withdrawn', () => {
      const changed = done(replied, { kind: 'fill_in', changes: { city: 'Woking' } })
      expect(changed.review?.replies?.map(({ path }) => path)).toEqual(['document_front'])
      const declined = done(replied, { kind: 'fill_in', changes: { consent: null } })
      expect(declined.review?.replies).toEqual([])
      expect(run(declined, { kind: 'reply', path: 'city', reply: 'x' })).toMatchObject({
        problems: [{ code: 'requirements_due', field: 'consent' }],
      })
    })
  })
  test('can also be resolved by the client', () => {
    const edited = done(asked.record, { kind: 'edit_profile', changes: { city: 'Woking' } })
    expect(edited.review?.corrections?.map(({ path }) => path)).toEqual(['document_front'])
  })
  test('never concern a side that the document does not have', () => {
    const passport = fillIn(COMPLETE, { document_type: 'passport' })
    const back = [{ path: 'document_back', code: 'other', message: null }]
    expect(findPersonDue(passport, back)).toEqual([])
    const looked = person({ profile: passport, state: { ...person().state, verification: 'attention' } })
    const ask = { kind: 'request_information', reasonCode: 'other' } as const
    expect(run(looked, { ...ask, fields: ['document_back'] })).toMatchObject({
      problems: [{ code: 'invalid', field: 'fields.0' }],
    })
    expect(run(looked, { ...ask, fields: ['document_front'] })).toHaveProperty('record')
  })
  test('make a soft KYC wait on the client', () => {
    const soft = person({ origin: 'soft_kyc', state: { ...person().state, waitingOn: 'provider' } })
    const fact = { id: 'c', kind: 'check_finished', outcome: 'initiated' } as const
    expect(transitionOnFact(soft, fact, NOW).record.state.waitingOn).toBe('client')
  })
})

test('closes the identification of a removed beneficiary in any state', () => {
  const fact = { id: 'r', kind: 'beneficiary_removed' } as const
  for (const verification of ['initiated', 'approved', 'rejected'] as const) {
    const removed = person({ origin: 'beneficiary', state: { ...person().state, verification } })
    const { record, events } = transitionOnFact(removed, fact, NOW)
    expect(record.state.verification).toBe('closed')
    expect(events.map(({ name }) => name)).toEqual(['identification_closed'])
    expect(transitionOnFact(record, fact, NOW).record).toBe(record)
  }
})

test.each([
  ['2026-06-01', true],
  ['2026-06-02', false],
  ['1896-06-01', true],
  ['1896-05-31', false],
])('a person can have been born on %s: %s', (date, expected) => {
  expect(isBirthdate(date, '2026-06-01')).toBe(expected)
})
