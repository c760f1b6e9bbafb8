/** Tests the effects of commands and facts on an identification: states, events and blocked services. */
import { describe, expect, test } from 'vitest'
import { MAX_HOLDS } from '../../../src/domain/identification/change.ts'
import { creationEvents } from '../../../src/domain/identification/events.ts'
import { transitionOnFact as transitionAt } from '../../../src/domain/identification/fact.ts'
import { SERVICES } from '../../../src/domain/identification/holds.ts'
import {
  type IdentificationState,
  type KnownFact,
  VERIFICATIONS,
} from '../../../src/domain/identification/identification.ts'
import {
  type ApplicantForm,
  DEFAULT_APPLICANT_FORM,
  entered,
} from '../../../src/domain/identification/person-form.ts'
import { type IdentificationRecord, serviceBlocksOf } from '../../../src/domain/identification/record.ts'
import {
  type IdentificationCommand,
  transitionIdentification,
} from '../../../src/domain/identification/transition.ts'
import type { VerificationCheck } from '../../../src/domain/identification/verification-check.ts'
import { verifiedOf } from '../../../src/domain/identification/verified.ts'

const NOW = new Date('2026-11-21T12:00:00Z')
const followFact = <R extends IdentificationRecord>(before: R, fact: KnownFact) =>
  transitionAt(before, fact, NOW)

const record = (state: Partial<IdentificationState> = {}, accounts = ['a1', 'a2']): IdentificationRecord => ({
  id: 'i1',
  kind: 'person',
  origin: 'soft_kyc',
  externalUuid: 'e1',
  state: {
    verification: 'approved',
    waitingOn: 'nobody',
    awaitsKyb: false,
    holds: [],
    version: 1,
    pending: null,
    ...state,
  },
  profile: { name: 'Ada' },
  accounts: accounts.map((id) => ({ id, referral: id })),
  internalSettlements: false,
  review: null,
  proposal: null,
  companyRisks: [],
  policy: { fourEyes: [], highRiskCountries: [] },
  erasedAt: null,
  screenedWith: 'lists',
  openHits: 0,
  confirmedHits: 0,
})

let ids = 0
const run = (before: IdentificationRecord, command: IdentificationCommand) => {
  const result = transitionIdentification(before, command, {
    now: new Date(),
    actor: 'user:1',
    newId: () => `new-${++ids}`,
  })
  if ('problems' in result) throw new Error(result.problems.map(({ code }) => code).join())
  return result
}
const block = (holdId: string) => ({ kind: 'block', holdId, reason: 'client_request' }) as const
const names = (events: readonly { name: string; attributes: { version: number } }[]) =>
  events.map(({ name, attributes }) => `${name} ${attributes.version}`)
const opened = (caseId: string, more: object = {}): KnownFact => ({
  id: `opened-${caseId}`,
  kind: 'case_opened',
  caseId,
  owner: 'transaction_monitoring',
  reason: 'aml_review',
  ...more,
})
const closed = (caseId: string): KnownFact => ({
  id: `closed-${caseId}`,
  kind: 'case_closed',
  caseId,
})

test('sends the creation events of the identification and then of its account, with version 1', () => {
  expect(names(creationEvents(record({}, ['a1'])))).toEqual(['identification_created 1', 'account_created 1'])
})

describe('block and unblock', () => {
  test('lock and unlock each account once, and raise the version by one', () => {
    const blocked = run(record(), block('h1'))
    expect(names(blocked.events)).toEqual([
      'identification_blocked 2',
      'account_locked 2',
      'account_locked 2',
    ])
    expect(serviceBlocksOf(blocked.record)).toHaveLength(2 * SERVICES.length)
    const free = run(blocked.record, { kind: 'unblock' })
    expect(names(free.events)).toEqual([
      'identification_unblocked 3',
      'account_unlocked 3',
      'account_unlocked 3',
    ])
    expect(serviceBlocksOf(free.record)).toEqual([])
  })
  test('change nothing if the identification is already blocked', () => {
    const { record: blocked } = run(record(), block('h1'))
    expect(run(blocked, block('h2'))).toEqual({ record: blocked, events: [] })
  })
  test('add the client’s own hold to a case without an event', () => {
    const { record: held } = followFact(record(), opened('c1'))
    const both = run(held, block('h1'))
    expect(both.events).toEqual([])
    expect(both.record.state).toMatchObject({
      version: 3,
      holds: [{ owner: 'transaction_monitoring' }, { owner: 'client' }],
    })
    // The client's hold stays when the case is closed.
    const after = followFact(both.record, closed('c1'))
    expect(after.events).toEqual([])
    expect(names(run(after.record, { kind: 'unblock' }).events)[0]).toBe('identification_unblocked 5')
  })
  test('block internal settlements if the vault has them', () => {
    const vault = { ...record({}, ['a1']), internalSettlements: true }
    expect(serviceBlocksOf(run(vault, block('h')).record).map(({ service }) => service)).toContain(
      'internal_settlements',
    )
  })
})

describe('close', () => {
  test('closes an initiated identification', () => {
    const result = run(record({ verification: 'initiated', waitingOn: 'provider' }), { kind: 'close' })
    expect(result.record.state).toMatchObject({ verification: 'closed', waitingOn: 'nobody' })
    expect(names(result.events)).toEqual(['identification_closed 2'])
  })
  test('blocks an approved identification permanently', () => {
    const result = run(record(), { kind: 'close' })
    expect(names(result.events)).toEqual(['identification_blocked 2', 'account_locked 2', 'account_locked 2'])
    expect(result.record.state.holds).toMatchObject([{ owner: 'closure' }])
  })
  test('holds only the four services, even if the vault has internal settlements', () => {
    const settling = { ...record(), internalSettlements: true }
    expect(run(settling, { kind: 'close' }).record.state.holds[0]?.services).toEqual(SERVICES)
    const blocked = run(settling, block('h1'))
    expect(blocked.record.state.holds[0]?.services).toContain('internal_settlements')
  })
})

describe('cases', () => {
  test('with a list of services block only these, and keep the status', () => {
    const result = followFact(record({}, ['a1']), opened('c1', { services: ['trades'] }))
    expect(result.events).toMatchObject([
      { name: 'services_blocked', attributes: { account_uuid: 'a1', services: 'trades', status: 'blocked' } },
    ])
    const free = followFact(result.record, closed('c1'))
    expect(free.events).toMatchObject([
      {
        name: 'services_unblocked',
        attributes: { account_uuid: 'a1', services: 'trades', status: 'active' },
      },
    ])
    expect(result.record.state.version).toBe(2)
    expect(serviceBlocksOf(result.record)).toEqual([{ holdId: 'c1', accountId: 'a1', service: 'trades' }])
  })
  test('send events for remaining service blocks if accounts are unlocked or added', () => {
    const { record: part } = followFact(record({}, ['a1']), opened('c1', { services: ['trades'] }))
    const locked = followFact(part, opened('c2'))
    expect(names(locked.events)).toEqual(['identification_blocked 3', 'account_locked 3'])
    const left = followFact(locked.record, closed('c2'))
    expect(names(left.events)).toEqual([
      'identification_unblocked 4',
      'account_unlocked 4',
      'services_blocked 4',
    ])
    const added = run(left.record, { kind: 'add_account', account: { id: 'a2', referral: 'r' } })
    expect(names(added.events)).toEqual(['account_created 5', 'services_blocked 5'])
  })
  test.each(VERIFICATIONS.filter((each) => each !== 'approved' && each !== 'closed'))(
    'block nothing while the identification is %s',
    (verification) => {
      const { record: after, events } = followFact(record({ verification }), opened('c1'))
      expect(events).toEqual([])
      expect(after.state.holds).toHaveLength(1)
      expect(serviceBlocksOf(after)).toEqual([])
    },
  )
  test('take effect at the approval if opened before it', () => {
    const { record: held } = followFact(record({ verification: 'initiated' }, ['a1']), opened('c1'))
    const approved = run(held, { kind: 'approve', reasonCode: 'complete' })
    expect(names(approved.events)).toEqual(['identification_blocked 3', 'account_locked 3'])
    expect(serviceBlocksOf(approved.record)).toHaveLength(SERVICES.length)
  })
  test('have no effect if opened twice, closed while unknown, or opened too late', () => {
    const { record: held } = followFact(record(), opened('c1'))
    expect(followFact(held, opened('c1')).record).toBe(held)
    expect(followFact(held, closed('c2')).record).toBe(held)
    const ended = record({ verification: 'closed' })
    expect(followFact(ended, opened('c1')).record).toBe(ended)
  })
  test('cannot be used to close a client’s hold', () => {
    const { record: blocked } = run(record(), block('h1'))
    expect(followFact(blocked, closed('h1')).record).toBe(blocked)
  })
  test('are limited in number', () => {
    let now = record()
    for (let n = 0; n < MAX_HOLDS + 5; n += 1) now = followFact(now, opened(`c${n}`)).record
    expect(now.state.holds).toHaveLength(MAX_HOLDS)
  })
})

describe('accounts', () => {
  test('cause only account_created if added to an unblocked identification', () => {
    const account = { id: 'a3', referral: 'r' }
    expect(names(run(record(), { kind: 'add_account', account }).events)).toEqual(['account_created 2'])
  })
  test('are blocked if added to a blocked identification', () => {
    const { record: blocked } = run(record(), block('h1'))
    const added = run(blocked, { kind: 'add_account', account: { id: 'a3', referral: 'r' } })
    expect(names(added.events)).toEqual(['account_created 3', 'account_locked 3'])
    expect(serviceBlocksOf(added.record).filter(({ accountId }) => accountId === 'a3')).toHaveLength(4)
  })
})

describe('edit_profile', () => {
  test('changes nothing if the values are the same', () => {
    const before = record()
    expect(run(before, { kind: 'edit_profile', changes: {} }).record).toBe(before)
  })
  test('moves an identification without an application from the client or the provider to an operator', () => {
    const command = { kind: 'edit_profile', changes: { city: 'Bern' } } as const
    const waiting = (waitingOn: IdentificationState['waitingOn'], awaitsKyb = false) =>
      run(record({ verification: 'initiated', waitingOn, awaitsKyb }), command).record.state.waitingOn
    expect(waiting('client')).toBe('operator')
    expect(waiting('client', true)).toBe('client')
    expect(waiting('applicant')).toBe('applicant')
    // The provider checked data that is no longer current.
    expect(waiting('provider')).toBe('operator')
  })
  test.each(VERIFICATIONS.filter((each) => each !== 'closed'))(
    'accepts a new name only before the verification: %s',
    (verification) => {
      const command = {
        kind: 'edit_profile',
        changes: { name: 'Eve', surname: 'Moneypenny', city: 'Bern' },
      } as const
      const result = transitionIdentification(record({ verification }), command, {
        now: new Date(),
        actor: 'user:1',
        newId: () => 'x',
      })
      if (verification === 'initiated') expect(result).toMatchObject({ record: { profile: { name: 'Eve' } } })
      else
        expect(result).toEqual({
          problems: [
            { code: 'already_verified', field: 'name' },
            { code: 'already_verified', field: 'surname' },
          ],
        })
    },
  )
})

describe('results of reviews and checks', () => {
  const processed = (outcome: 'approved' | 'rejected'): KnownFact => ({
    id: 'p',
    kind: 'review_finished',
    outcome,
  })
  test.each(VERIFICATIONS)(
    'apply to an identification only while its verification is open: %s',
    (verification) => {
      for (const outcome of ['approved', 'rejected'] as const) {
        const before = record({ verification, awaitsKyb: true })
        const { record: after } = followFact(before, processed(outcome))
        const open = verification === 'initiated' || verification === 'attention'
        expect(after.state.verification).toBe(open ? outcome : verification)
        const reasonCode = outcome === 'approved' ? 'complete' : 'other'
        if (open) expect(after.review).toMatchObject({ outcome, reasonCode, corrections: [] })
        expect(followFact(after, processed(outcome)).record).toBe(after)
      }
    },
  )
  test.each([
    ['approved', 'approved', 'nobody'],
    ['rejected', 'rejected', 'nobody'],
    ['attention', 'attention', 'operator'],
    ['manual', 'initiated', 'operator'],
  ] as const)('change an identification after the check result %s', (outcome, verification, waitingOn) => {
    const fact: KnownFact = { id: 'c', kind: 'check_finished', outcome }
    const { record: after } = followFact(record({ verification: 'initiated', waitingOn: 'provider' }), fact)
    expect(after.state).toMatchObject({ verification, waitingOn, version: 2 })
    // A repeated result has no effect.
    expect(followFact(after, fact).record).toBe(after)
  })
})

test('refuses more than 1,000 accounts, because a case writes rows for each', () => {
  const ids = Array.from({ length: 999 }, (_, n) => `a${n}`)
  const add = { kind: 'add_account', account: { id: 'new', referral: 'new' } } as const
  const { record: full } = run(record({}, ids), add)
  expect(full.accounts).toHaveLength(1_000)
  expect(() => run(full, add)).toThrow('invalid_transition')
})

describe('the verified profile', () => {
  const initiated = { verification: 'initiated', waitingOn: 'operator' } as const
  const shown = (after: IdentificationRecord, checks: readonly VerificationCheck[] = []) =>
    verifiedOf({ ...after, createdAt: NOW }, checks)
  const approve = { kind: 'approve', reasonCode: 'complete' } as const
  const check = { id: 'c1', provider: 'http', result: { outcome: 'approved' } } as VerificationCheck

  test('is shown as it was at the approval, until it is erased', () => {
    const before = { ...record(initiated), profile: { name: 'Ada', city: 'London', selfie: 'f1' } }
    expect(shown(before)).toBeNull()
    const approved = run(before, approve).record
    const confirmed = {
      profile: before.profile,
      by: 'operator',
      check: null,
      at: expect.any(Date),
      photos: [{ attribute: 'selfie', id: 'f1' }],
    }
    expect(shown(approved, [check])).toEqual(confirmed)
    const moved = run(approved, { kind: 'edit_profile', changes: { city: 'Paris' } }).record
    expect(moved.profile.city).toBe('Paris')
    expect(shown(run(moved, block('h')).record)).toEqual(confirmed)
    expect(shown({ ...approved, erasedAt: NOW })).toBeNull()
    expect(shown(run(before, { kind: 'reject', reasonCode: 'other' }).record)).toBeNull()
  })
  test('names the check, the application or the importing client that approved it', () => {
    const waiting = record({ ...initiated, waitingOn: 'provider' })
    const finished = { id: 'f', kind: 'check_finished', outcome: 'approved' } as const
    expect(shown(transitionAt(waiting, finished, NOW).record, [check])).toMatchObject({
      by: 'provider',
      check,
    })
    const company = record({ ...initiated, waitingOn: 'client', awaitsKyb: true })
    const processed = { id: 'k', kind: 'review_finished', outcome: 'approved' } as const
    expect(shown(transitionAt(company, processed, NOW).record)).toMatchObject({
      by: 'application',
      check: null,
    })
    expect(shown(record())).toMatchObject({ by: 'client', at: NOW })
  })
})

describe('a later version of the profile', () => {
  const text = { type: 'text' } as const
  const before: ApplicantForm = {
    ...DEFAULT_APPLICANT_FORM,
    version: 1,
    details: { ...DEFAULT_APPLICANT_FORM.details, 'additional.bill': text },
    photos: { ...DEFAULT_APPLICANT_FORM.photos, 'additional.lease': { type: 'files' } },
  }
  const later: ApplicantForm = {
    ...DEFAULT_APPLICANT_FORM,
    version: 2,
    photos: { ...DEFAULT_APPLICANT_FORM.photos, 'additional.bill': { type: 'files' } },
  }
  const correction = (path: string) => ({ path, code: 'other', message: null })
  const waiting = (state: Partial<IdentificationState> = {}): IdentificationRecord => ({
    ...record({ verification: 'initiated', waitingOn: 'applicant', ...state }),
    origin: 'hosted',
    form: before,
    later: [{ form: later, appliesFrom: NOW, isDated: true }],
    profile: {
      name: 'Ada',
      selfie: 'file-1',
      'additional.bill': 'words',
      'additional.lease': 'file-2',
      'additional.old': 'kept',
    },
    review: {
      outcome: 'initiated',
      reasonCode: 'other',
      clientComment: null,
      decidedAt: 1,
      findings: [],
      corrections: [correction('city'), correction('additional.lease')],
      replies: [],
    },
  })
  const fact = { id: 'f', kind: 'profile_applies' } as const

  test('removes documents, corrections and answers that the form no longer has, without an event', () => {
    const moved = run(waiting(), { kind: 'change_profile' })
    expect(moved.events).toEqual([])
    expect(moved.record).toMatchObject({
      form: later,
      profile: { name: 'Ada', selfie: 'file-1', 'additional.old': 'kept' },
      review: { corrections: [correction('city')] },
      state: { version: 2, waitingOn: 'applicant' },
    })
    expect(Object.keys(moved.record.profile)).toHaveLength(3)
    expect(entered(moved.record.profile, later)).toEqual({ name: 'Ada' })
    expect(run(moved.record, { kind: 'change_profile', profileVersion: 2 }).record).toBe(moved.record)
  })
  test('applies on its date, only while the verification waits on the applicant', () => {
    expect(followFact(waiting(), fact).record.form).toBe(later)
    expect(transitionAt(waiting(), fact, new Date(NOW.getTime() - 1)).record.form).toBe(before)
    for (const waitingOn of ['provider', 'operator', 'client', 'nobody'] as const)
      expect(followFact(waiting({ waitingOn }), fact).record.form).toBe(before)
    const [undated] = waiting().later ?? []
    const early = { ...waiting(), later: undated ? [{ ...undated, isDated: false }] : [] }
    expect(followFact(early, fact)).toEqual({ record: early, events: [] })
  })
})
