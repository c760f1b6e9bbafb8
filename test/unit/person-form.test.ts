/** What a person must enter and show, what is missing of it, and what is to be mended. */
import { describe, expect, test } from 'vitest'
import { transitionOnFact } from '../../src/domain/identification/fact.ts'
import {
  CONSENT,
  filesOf,
  fillIn,
  findPersonDue,
  PERSON_PATHS,
  requiredOfApplicant,
} from '../../src/domain/identification/person-form.ts'
import type { IdentificationRecord } from '../../src/domain/identification/record.ts'
import {
  type IdentificationCommand,
  transitionIdentification,
} from '../../src/domain/identification/transition.ts'

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

describe('what is missing', () => {
  test('is everything that is required, at first; nothing in the end', () => {
    expect(findPersonDue({}, [])).toEqual(requiredOfApplicant({}))
    expect(findPersonDue(COMPLETE, [])).toEqual([])
  })
  test.each(requiredOfApplicant(COMPLETE))('%s', (name) => {
    expect(findPersonDue({ ...COMPLETE, [name]: '' }, [])).toContain(name)
    // Of which nobody sees anything.
    expect(findPersonDue({ ...COMPLETE, [name]: ' \u200b' }, [])).toContain(name)
  })
  test('a consent to another text is none', () => {
    expect(findPersonDue({ ...COMPLETE, consent: '2020-01' }, [])).toEqual(['consent'])
  })
  test('a passport has no back', () => {
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
  test('a back stays while the kind is being chosen', () => {
    const passport = fillIn(COMPLETE, { document_type: 'passport' })
    expect(fillIn(passport, { document_type: 'identity_card' })).toEqual(COMPLETE)
    expect(done(person(), { kind: 'submit' }).profile).toEqual(COMPLETE)
  })
  test('names every problem of what is sent too early', () => {
    const result = run(person({ profile: { ...COMPLETE, city: '', selfie: '' } }), { kind: 'submit' })
    expect(result).toEqual({
      problems: [
        { code: 'requirements_due', field: 'city' },
        { code: 'requirements_due', field: 'selfie' },
      ],
    })
  })
})

describe('without a consent', () => {
  const silent = person({ profile: { document_type: 'identity_card' } })
  test('nothing is taken but the consent itself, and that there is none', () => {
    const refused = { problems: [{ code: 'requirements_due', field: 'consent' }] }
    expect(run(silent, { kind: 'attach', attribute: 'selfie', fileId: 'f' })).toEqual(refused)
    expect(run(silent, { kind: 'fill_in', changes: { city: 'London' } })).toEqual(refused)
    expect(done(silent, { kind: 'fill_in', changes: { consent: CONSENT } }).profile.consent).toBe(CONSENT)
    const declined = { kind: 'fill_in', changes: { consent: null, city: null } } as const
    expect(done(person(), declined).profile).not.toHaveProperty('city')
  })
})

describe('what is to be mended', () => {
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
  test('is the applicant’s again, without an event: the status is what it was', () => {
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
      by: 'provider',
    })
  })
  test('keeps it from being submitted until each is changed, a photo or a text', () => {
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
  describe('and is correct', () => {
    const reply = (record: IdentificationRecord, path: string) =>
      done(record, { kind: 'reply', path, reply: 'It is so.' })
    const replied = reply(reply(asked.record, 'city'), 'document_front')
    const sent = done(replied, { kind: 'submit' })

    test('is answered by a reply, beside the finding for the reviewer', () => {
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
    test('is read by an operator before a check approves or asks again', () => {
      for (const outcome of ['approved', 'initiated'] as const) {
        const { record } = transitionOnFact(sent, { id: 'd', kind: 'check_finished', outcome }, NOW)
        expect(record.state).toMatchObject({ verification: 'initiated', waitingOn: 'operator' })
        expect(record.review?.replies).toHaveLength(2)
      }
      const rejected = transitionOnFact(sent, { id: 'd', kind: 'check_finished', outcome: 'rejected' }, NOW)
      expect(rejected.record.state.verification).toBe('rejected')
    })
    test('changes afterwards: the reply goes with the value, and with the consent', () => {
      const changed = done(replied, { kind: 'fill_in', changes: { city: 'Woking' } })
      expect(changed.review?.replies?.map(({ path }) => path)).toEqual(['document_front'])
      const declined = done(replied, { kind: 'fill_in', changes: { consent: null } })
      expect(declined.review?.replies).toEqual([])
      expect(run(declined, { kind: 'reply', path: 'city', reply: 'x' })).toMatchObject({
        problems: [{ code: 'requirements_due', field: 'consent' }],
      })
    })
  })
  test('is settled by the client, too', () => {
    const edited = done(asked.record, { kind: 'edit_profile', changes: { city: 'Woking' } })
    expect(edited.review?.corrections?.map(({ path }) => path)).toEqual(['document_front'])
  })
  test('a side that the document does not have is neither asked for nor waited for', () => {
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
  test('of a soft KYC is the client’s', () => {
    const soft = person({ origin: 'soft_kyc', state: { ...person().state, waitingOn: 'provider' } })
    const fact = { id: 'c', kind: 'check_finished', outcome: 'initiated' } as const
    expect(transitionOnFact(soft, fact, NOW).record.state.waitingOn).toBe('client')
  })
})

test('somebody who was removed is closed, whatever the verification had come to', () => {
  const fact = { id: 'r', kind: 'beneficiary_removed' } as const
  for (const verification of ['initiated', 'approved', 'rejected'] as const) {
    const removed = person({ origin: 'beneficiary', state: { ...person().state, verification } })
    const { record, events } = transitionOnFact(removed, fact, NOW)
    expect(record.state.verification).toBe('closed')
    expect(events.map(({ name }) => name)).toEqual(['identification_closed'])
    expect(transitionOnFact(record, fact, NOW).record).toBe(record)
  }
})
