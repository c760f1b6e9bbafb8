/** Tests decisions that require a second operator. */

import { describe, expect, test } from 'vitest'
import { FOUR_EYES, type FourEyes } from '../../../src/domain/access/review-policy.ts'
import { statusOf } from '../../../src/domain/base/errors.ts'
import { needsSecondOperator } from '../../../src/domain/decision/confirmation.ts'
import { fittingReasons, REASON_CODES, type ReasonCode } from '../../../src/domain/decision/decision.ts'
import { transitionOnFact } from '../../../src/domain/identification/fact.ts'
import type { IdentificationState } from '../../../src/domain/identification/identification.ts'
import type { IdentificationRecord } from '../../../src/domain/identification/record.ts'
import {
  type IdentificationCommand,
  transitionIdentification,
} from '../../../src/domain/identification/transition.ts'
import { beneficiaryVerified } from '../../../src/domain/kyb/application.ts'
import { transitionOnKybFact } from '../../../src/domain/kyb/fact.ts'
import { DEFAULT_FORM } from '../../../src/domain/kyb/form.ts'
import { type KybCommand, type KybRecord, risksOfKyb } from '../../../src/domain/kyb/record.ts'
import { currentlyDue } from '../../../src/domain/kyb/requirements.ts'
import { transitionKyb } from '../../../src/domain/kyb/transition.ts'
import { needsSecondDismissal, ownerOfDecision } from '../../../src/domain/screening/hit.ts'
import { ADA, completeContent, NO_CHECKS } from '../../support/kyb.ts'

const NOW = new Date('2026-11-22T10:00:00Z')
const [FIRST, SECOND] = ['operator:1', 'operator:2']
const by = (actor: string) => ({ now: NOW, actor, newId: () => 'new' })

const CASES: readonly [FourEyes, kind: string, risks: readonly string[], waits: boolean][] = [
  ['rejections', 'reject', [], true],
  ['rejections', 'approve', ['nesting'], false],
  ['approvals', 'approve', [], true],
  ['high_risk_approvals', 'approve', [], false],
  ['high_risk_approvals', 'approve', ['nesting'], true],
  ['high_risk_approvals', 'reject', ['nesting'], false],
  ['case_closings', 'close_case', [], true],
  ['case_closings', 'approve', [], false],
]

test('offers only reasons that fit the outcome', () => {
  expect(fittingReasons('approved')).toEqual(['complete', 'other'])
  for (const outcome of ['rejected', 'attention'])
    expect(fittingReasons(outcome)).toEqual(REASON_CODES.filter((code) => code !== 'complete'))
  for (const outcome of ['revision_requested', 'initiated'])
    expect(fittingReasons(outcome)).toEqual([
      'documents_missing',
      'documents_unreadable',
      'information_mismatch',
      'other',
    ])
})

describe('a second operator', () => {
  test.each(CASES)(
    'is required by the policy %s for the command %s with the risks %s: %s',
    (each, kind, risks, waits) => {
      const policy = { fourEyes: [each], highRiskCountries: [] }
      expect(needsSecondOperator(kind, policy, risks, FIRST)).toBe(waits)
      expect(needsSecondOperator(kind, policy, risks, 'api_key:1')).toBe(false)
    },
  )
  test('is never required for a request or an escalation', () => {
    const policy = { fourEyes: FOUR_EYES, highRiskCountries: [] }
    for (const kind of ['request_revision', 'request_information', 'call_attention'])
      expect(needsSecondOperator(kind, policy, ['nesting'], FIRST)).toBe(false)
  })
})

describe('the dismissal of a hit', () => {
  const hit = { status: 'open', decidedBy: null, isConfirmedByTwo: false, dismissalBy: null } as const
  const confirmed = { ...hit, status: 'confirmed', decidedBy: FIRST } as const
  test('requires a second operator if approvals do', () => {
    for (const each of FOUR_EYES)
      expect(needsSecondDismissal(hit, { fourEyes: [each] }, FIRST), each).toBe(each.endsWith('approvals'))
    const proposed = { ...hit, dismissalBy: FIRST }
    const policy = { fourEyes: ['approvals'] } as const
    expect(needsSecondDismissal(proposed, policy, FIRST)).toBe(true)
    expect(needsSecondDismissal(proposed, policy, SECOND)).toBe(false)
  })
  test('waits for a second operator if someone else has confirmed the hit', () => {
    expect(needsSecondDismissal(confirmed, { fourEyes: [] }, FIRST)).toBe(false)
    expect(needsSecondDismissal(confirmed, { fourEyes: [] }, SECOND)).toBe(true)
  })
  test('still requires a second operator if the hit is confirmed again', () => {
    const reconfirmed = { ...confirmed, ...ownerOfDecision(confirmed, 'confirmed', SECOND) }
    expect(reconfirmed.decidedBy).toBe(FIRST)
    for (const operator of [FIRST, SECOND])
      expect(needsSecondDismissal(reconfirmed, { fourEyes: [] }, operator)).toBe(true)
    const single = { decidedBy: SECOND, isConfirmedByTwo: false }
    expect(ownerOfDecision(reconfirmed, 'dismissed', SECOND)).toEqual(single)
    expect(ownerOfDecision(hit, 'confirmed', SECOND)).toEqual(single)
    expect(ownerOfDecision(confirmed, 'confirmed', FIRST).isConfirmedByTwo).toBe(false)
  })
})

const application = (): KybRecord => {
  const content = completeContent()
  return {
    id: 'kyb-1',
    identificationId: 'identification-1',
    form: DEFAULT_FORM,
    externalId: 'external-1',
    state: {
      status: 'open',
      completed: true,
      correcting: false,
      unsubmitted: false,
      version: 4,
      pending: null,
    },
    content,
    currentlyDue: currentlyDue(content, NO_CHECKS),
    review: null,
    corrections: [],
    replies: [],
    submittedAt: null,
    files: new Map(),
    unreadable: new Set(),
    checks: new Map(),
    proposal: null,
    screenedWith: 'lists',
    openHits: 0,
    confirmedHits: 0,
    policy: { fourEyes: ['rejections', 'high_risk_approvals'], highRiskCountries: ['DE'] },
  }
}
const kyb = (record: KybRecord, command: KybCommand, actor: string) => {
  const result = transitionKyb(record, command, by(actor))
  if ('problems' in result) throw new Error(result.problems.map(({ code }) => code).join())
  return result
}
const REJECT = { kind: 'reject', reasonCode: 'high_risk', clientComment: 'No.', internalNote: 'Why' } as const
const CONFIRM = { kind: 'confirm', reasonCode: 'other' } as const

describe('an application', () => {
  const proposed = kyb(application(), REJECT, FIRST)
  test('stays open while its rejection is pending, and sends no event', () => {
    expect(proposed.events).toEqual([])
    expect(proposed.record).toMatchObject({ review: null, proposal: REJECT })
    const pending = { kind: 'reject', by: FIRST, since: NOW.toISOString() }
    expect(proposed.record.state).toEqual({
      status: 'open',
      completed: true,
      correcting: false,
      unsubmitted: false,
      version: 5,
      pending,
    })
    expect(JSON.stringify(proposed.record.state)).not.toContain('No.')
  })
  test('is rejected with the first operator’s decision if a second operator confirms it', () => {
    expect(() => kyb(proposed.record, CONFIRM, FIRST)).toThrow('same_operator')
    const { record, events } = kyb(proposed.record, CONFIRM, SECOND)
    expect(record.state).toMatchObject({ status: 'processed', pending: null, version: 6 })
    expect(record.review).toMatchObject({
      outcome: 'rejected',
      reasonCode: 'high_risk',
      clientComment: 'No.',
    })
    expect(record.proposal).toBeNull()
    expect(events.map(({ name }) => name)).toEqual(['kyb_processed'])
  })
  test('refuses a reason that contradicts the outcome, both in the decision and in its confirmation', () => {
    const decide = (kind: 'approve' | 'reject' | 'request_revision', reasonCode: ReasonCode) => () =>
      kyb({ ...application(), openHits: 1 }, { kind, reasonCode }, FIRST)
    expect(decide('approve', 'prohibited_business')).toThrow('hits_open,reason_contradicts')
    expect(decide('reject', 'complete')).toThrow('reason_contradicts')
    expect(decide('request_revision', 'complete')).toThrow('reason_contradicts')
    const confirm = { kind: 'confirm', reasonCode: 'complete' } as const
    expect(() => kyb(proposed.record, confirm, SECOND)).toThrow('reason_contradicts')
  })
  test('is unchanged if either operator withdraws the decision', () => {
    for (const actor of [FIRST, SECOND]) {
      const { record, events } = kyb(proposed.record, { kind: 'withdraw' }, actor)
      expect(record).toMatchObject({ proposal: null, state: { status: 'open', pending: null, version: 6 } })
      expect(events).toEqual([])
    }
  })
  test('loses its pending decision if the content changes', () => {
    const patch = { kind: 'patch', patch: { nature_of_business: { city_address: 'Bonn' } } } as const
    const edited = kyb(proposed.record, patch, 'api_key:1').record
    expect(edited).toMatchObject({ proposal: null, state: { pending: null, version: 6 } })
    const closed = transitionOnKybFact(proposed.record, { id: 'f', kind: 'company_closed' }, NOW).record
    expect(closed).toMatchObject({ proposal: null, state: { status: 'abandoned', pending: null } })
    const same = transitionOnKybFact(proposed.record, beneficiaryVerified(ADA), NOW).record
    expect(same).toBe(proposed.record)
  })
  test('requires a second operator for its approval only if its risk is high', () => {
    const risky = application()
    expect(risksOfKyb(risky)).toContain('high_risk_country')
    const approve = { kind: 'approve', reasonCode: 'complete' } as const
    expect(kyb(risky, approve, FIRST).record.state.pending).toMatchObject({ kind: 'approve' })
    const usual = { ...risky, policy: { ...risky.policy, highRiskCountries: [] } }
    expect(risksOfKyb(usual)).toEqual([])
    expect(risksOfKyb({ ...usual, confirmedHits: 1 })).toEqual(['on_a_list'])
    expect(kyb(usual, approve, FIRST).record.state.status).toBe('processed')
  })
  test('refuses an invalid decision before it becomes pending', () => {
    const wrong = { ...REJECT, findings: [{ path: 'nothing', code: 'other' }] } as const
    expect(() => kyb(application(), wrong, FIRST)).toThrow('invalid')
  })
})

test('refuses the confirmation of an approval if screening has found a hit or is missing', () => {
  const approve = { kind: 'approve', reasonCode: 'complete' } as const
  const { record: proposed } = kyb(application(), approve, FIRST)
  for (const [screened, code] of [
    [{ openHits: 1 }, 'hits_open'],
    [{ screenedWith: null }, 'not_screened'],
  ] as const) {
    expect(() => kyb({ ...proposed, ...screened }, CONFIRM, SECOND)).toThrow(code)
    expect(() => kyb({ ...application(), ...screened }, approve, FIRST)).toThrow(code)
  }
})

const CASE = '01890a5d-ac96-774b-bcce-b302099a8057'
const person = (state: Partial<IdentificationState>): IdentificationRecord => ({
  id: 'i1',
  kind: 'person',
  origin: 'soft_kyc',
  externalUuid: 'e1',
  state: {
    verification: 'initiated',
    waitingOn: 'provider',
    awaitsKyb: false,
    holds: [{ id: CASE, owner: 'operator_operations', services: ['trades'] }],
    version: 1,
    pending: null,
    ...state,
  },
  profile: { name: 'Ada' },
  accounts: [],
  internalSettlements: false,
  review: null,
  proposal: null,
  screenedWith: 'lists',
  openHits: 0,
  confirmedHits: 0,
  companyRisks: [],
  policy: { fourEyes: ['rejections', 'case_closings'], highRiskCountries: [] },
  erasedAt: null,
})
const identify = (record: IdentificationRecord, command: IdentificationCommand, actor: string) => {
  const result = transitionIdentification(record, command, by(actor))
  if ('problems' in result) throw new Error(result.problems.map(({ code }) => code).join())
  return result
}

describe('an identification', () => {
  const proposed = identify(person({}), REJECT, FIRST)
  test('waits on operators while a rejection is pending, and on the earlier party if the rejection is withdrawn', () => {
    expect(proposed.record.state).toMatchObject({ verification: 'initiated', waitingOn: 'operator' })
    expect(proposed.events).toEqual([])
    const { state } = identify(proposed.record, { kind: 'withdraw' }, SECOND).record
    expect(state).toMatchObject({ waitingOn: 'provider', pending: null, version: 3 })
  })
  test('is rejected if a second operator confirms', () => {
    expect(() => identify(proposed.record, CONFIRM, FIRST)).toThrow('same_operator')
    expect(() => identify(person({}), CONFIRM, SECOND)).toThrow('no_decision_pending')
    expect(() => identify(proposed.record, REJECT, SECOND)).toThrow('decision_pending')
    const { record, events } = identify(proposed.record, CONFIRM, SECOND)
    expect(record.state).toMatchObject({ verification: 'rejected', waitingOn: 'nobody', pending: null })
    expect(events.map(({ name }) => name)).toEqual(['identification_rejected'])
  })
  test('loses its pending decision after an edit, but not if nothing changes', () => {
    const edit = (city: string) => ({ kind: 'edit_profile', changes: { city } }) as const
    const edited = identify(proposed.record, edit('Bern'), 'api_key:1').record
    expect(edited).toMatchObject({ proposal: null, state: { pending: null, waitingOn: 'operator' } })
    const same = identify(proposed.record, { kind: 'edit_profile', changes: { name: 'Ada' } }, 'api_key:1')
    expect(same.record).toBe(proposed.record)
    const late = { id: 'f', kind: 'case_closed', caseId: 'another' } as const
    expect(transitionOnFact(proposed.record, late, NOW).record).toBe(proposed.record)
  })
  test('refuses a reason that contradicts the outcome, but accepts any reason to close a case', () => {
    const approve = { kind: 'approve', reasonCode: 'prohibited_business' } as const
    expect(() => identify(person({}), approve, FIRST)).toThrow('reason_contradicts')
    const complete = { kind: 'confirm', reasonCode: 'complete' } as const
    expect(() => identify(proposed.record, complete, SECOND)).toThrow('reason_contradicts')
    const close = { kind: 'close_case', caseId: CASE } as const
    const waiting = identify(person({ verification: 'approved', waitingOn: 'nobody' }), close, FIRST).record
    expect(identify(waiting, complete, SECOND).record.state.holds).toEqual([])
  })
  test('returns 422 for a decision and 403 for an edit if it is erased or closed', () => {
    const statusFor = (record: IdentificationRecord, command: IdentificationCommand) => {
      const result = transitionIdentification(record, command, by(FIRST))
      return 'problems' in result ? statusOf(result.problems) : 200
    }
    const decisions: readonly IdentificationCommand[] = [
      { kind: 'approve', reasonCode: 'complete' },
      { kind: 'close_case', caseId: CASE },
      CONFIRM,
      { kind: 'withdraw' },
    ]
    const edit = { kind: 'edit_profile', changes: { city: 'Bern' } } as const
    const erased = { ...person({}), erasedAt: NOW }
    for (const record of [erased, person({ verification: 'closed', waitingOn: 'nobody' })]) {
      expect(decisions.map((command) => statusFor(record, command))).toEqual([422, 422, 422, 422])
      expect(statusFor(record, edit)).toBe(403)
    }
  })
  test('keeps its case until a second operator confirms the closing', () => {
    const close = { kind: 'close_case', caseId: CASE } as const
    const waiting = identify(person({ verification: 'approved', waitingOn: 'nobody' }), close, FIRST).record
    expect(waiting.state).toMatchObject({
      waitingOn: 'operator',
      pending: { kind: 'close_case', caseId: CASE },
    })
    expect(waiting.state.holds).toHaveLength(1)
    const { state } = identify(waiting, CONFIRM, SECOND).record
    expect(state).toMatchObject({ holds: [], waitingOn: 'nobody', pending: null })
  })
  test('can change while the closing of its case is pending, and keeps its current party afterwards', () => {
    const close = { kind: 'close_case', caseId: CASE } as const
    const waiting = identify(person({ waitingOn: 'provider' }), close, FIRST).record
    expect(waiting.state).toMatchObject({ waitingOn: 'provider', pending: { kind: 'close_case' } })
    const edited = identify(waiting, { kind: 'edit_profile', changes: { city: 'Bern' } }, 'api_key:1').record
    expect(edited.state).toMatchObject({ waitingOn: 'operator', pending: { kind: 'close_case' } })
    expect(identify(edited, CONFIRM, SECOND).record.state).toMatchObject({ waitingOn: 'operator', holds: [] })
    const withdrawn = identify(waiting, { kind: 'withdraw' }, FIRST).record
    expect(withdrawn.state).toMatchObject({ waitingOn: 'provider', pending: null })
    const rejected = identify(waiting, { kind: 'close' }, 'api_key:1').record
    expect(rejected.state).toMatchObject({ verification: 'closed', waitingOn: 'nobody', pending: null })
  })
})
