/** Tests the transitions of identifications against a table written from the specification. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { storedFact } from '../../../src/domain/base/fact.ts'
import { type Hold, type HoldOwner, SERVICES } from '../../../src/domain/identification/holds.ts'
import {
  decideIdentification,
  IDENTIFICATION_COMMANDS,
  IDENTIFICATION_PARTIES,
  IDENTIFICATION_STATUSES,
  type IdentificationCommandKind,
  type IdentificationState,
  identificationStatus,
  isIdentificationEnded,
  parseFact,
  reviewFinished,
  VERIFICATIONS,
} from '../../../src/domain/identification/identification.ts'
import { parseKybFact } from '../../../src/domain/kyb/application.ts'

const hold = (owner: HoldOwner, services: Hold['services'] = SERVICES): Hold => ({
  id: `hold-of-${owner}`,
  owner,
  services,
})

/** The holds for each row of the tables below. */
const HELD = {
  free: [],
  client: [hold('client')],
  case: [hold('operator_operations')],
  both: [hold('client'), hold('transaction_monitoring')],
  partial: [hold('transaction_monitoring', ['trades'])],
  closure: [hold('closure')],
} as const satisfies Record<string, readonly Hold[]>
type Held = keyof typeof HELD

/** These commands are allowed while the identification waits on the applicant. */
const WHILE_FILLED_IN: readonly IdentificationCommandKind[] = [
  'fill_in',
  'attach',
  'detach',
  'reply',
  'submit',
  'change_profile',
]

const stateOf = (verification: IdentificationState['verification'], held: Held, awaitsKyb = false) =>
  ({ verification, waitingOn: 'nobody', awaitsKyb, holds: HELD[held], version: 1, pending: null }) as const

/** The columns of the tables below, in which `+` allows the command. */
const COLUMNS: readonly IdentificationCommandKind[] = [
  'close',
  'block',
  'unblock',
  'edit_profile',
  'add_account',
  'approve',
  'reject',
  'call_attention',
  'request_information',
  'close_case',
  'confirm',
  'withdraw',
]
const C = 'cannot_close'
const B = 'cannot_block'
const U = 'cannot_unblock'
const I = 'invalid_transition'
const X = 'identification_closed'
const K = 'blocked_by_internal_case'
const N = 'no_decision_pending'
const UNVERIFIED = {
  initiated: ['+', B, U, '+', '+', '+', '+', '+', '+', '+', N, N],
  attention: [C, B, U, '+', '+', '+', '+', I, '+', '+', N, N],
  rejected: [C, B, U, '+', '+', I, I, '+', I, '+', N, N],
  closed: [C, B, U, X, X, I, I, I, I, X, N, N],
} as const
const APPROVED: Record<Held, readonly string[]> = {
  free: ['+', '+', U, '+', '+', I, I, I, I, '+', N, N],
  partial: ['+', '+', U, '+', '+', I, I, I, I, '+', N, N],
  client: [C, '+', '+', '+', '+', I, I, I, I, '+', N, N],
  case: [C, '+', K, '+', '+', I, I, I, I, '+', N, N],
  both: [C, '+', K, '+', '+', I, I, I, I, '+', N, N],
  closure: [C, '+', U, '+', '+', I, I, I, I, '+', N, N],
}

const answer = (state: IdentificationState, kind: IdentificationCommandKind) =>
  decideIdentification(state, kind)?.code ?? '+'

describe('an identification', () => {
  test('has every command in the tables', () => {
    expect([...COLUMNS, ...WHILE_FILLED_IN].sort()).toEqual([...IDENTIFICATION_COMMANDS].sort())
  })
  for (const held of Object.keys(HELD) as Held[]) {
    test.each(VERIFICATIONS)(
      `that is %s with the holds ${held} allows the commands of the table`,
      (verification) => {
        const row = verification === 'approved' ? APPROVED[held] : UNVERIFIED[verification]
        expect(COLUMNS.map((kind) => answer(stateOf(verification, held), kind))).toEqual(row)
      },
    )
  }
  test.each(VERIFICATIONS)(
    'that is %s allows an applicant to act, and a move to another version, only if it waits on the applicant',
    (verification) => {
      for (const waitingOn of IDENTIFICATION_PARTIES) {
        const isTheirs = verification === 'initiated' && waitingOn === 'applicant'
        const state = { ...stateOf(verification, 'free'), waitingOn }
        for (const kind of WHILE_FILLED_IN) expect(answer(state, kind), waitingOn).toBe(isTheirs ? '+' : I)
      }
    },
  )
  test('refuses a request for information if it already waits on the client or applicant', () => {
    for (const waitingOn of IDENTIFICATION_PARTIES) {
      const isTheirs = waitingOn === 'client' || waitingOn === 'applicant'
      const state = { ...stateOf('initiated', 'free'), waitingOn }
      expect(answer(state, 'request_information'), waitingOn).toBe(isTheirs ? I : '+')
    }
  })
  test.each(VERIFICATIONS)(
    'that is %s with an open KYB allows an escalation, but no decision',
    (verification) => {
      const state = stateOf(verification, 'free', true)
      for (const kind of ['approve', 'reject', 'request_information'] as const)
        expect(answer(state, kind)).toBe(I)
      expect(answer(state, 'call_attention')).toBe(answer(stateOf(verification, 'free'), 'call_attention'))
      expect(answer(state, 'close')).toBe(answer(stateOf(verification, 'free'), 'close'))
    },
  )
})

describe('the status', () => {
  test('has the values of the specification', () => {
    expect([...IDENTIFICATION_STATUSES].sort()).toEqual(
      ['initiated', 'approved', 'attention', 'rejected', 'blocked', 'closed'].sort(),
    )
  })
  test.each([
    ['free', 'approved'],
    ['partial', 'approved'],
    ['client', 'blocked'],
    ['case', 'blocked'],
    ['both', 'blocked'],
    ['closure', 'blocked'],
  ] as const)('of an approved identification with the holds %s is %s', (held, status) => {
    expect(identificationStatus(stateOf('approved', held))).toBe(status)
  })
  test('is blocked if two cases together hold every service', () => {
    const holds = [
      hold('operator_operations', ['trades', 'card_payments']),
      hold('transaction_monitoring', ['fiat_payments', 'blockchain_payments']),
    ]
    expect(identificationStatus({ ...stateOf('approved', 'free'), holds })).toBe('blocked')
  })
  test.each(VERIFICATIONS.filter((each) => each !== 'approved'))('stays %s with any hold', (status) => {
    for (const held of Object.keys(HELD) as Held[])
      expect(identificationStatus(stateOf(status, held))).toBe(status)
  })
  test('is final only if the identification was closed before its verification finished', () => {
    for (const verification of VERIFICATIONS)
      expect(isIdentificationEnded(stateOf(verification, 'closure'))).toBe(verification === 'closed')
  })
})

const processed = (outcome: string) => ({ id: 'fact-1', kind: 'review_finished', outcome })
const CASE = '0f3f5f53-9f6b-4c1e-8a55-2a1d3d0e7b11'
const opened = {
  id: 'fact-2',
  kind: 'case_opened',
  caseId: CASE,
  owner: 'operator_operations',
  reason: 'aml_review',
}

describe('parseFact', () => {
  test.each([
    processed('approved'),
    processed('rejected'),
    { id: 'a', kind: 'check_finished', checkId: CASE },
    opened,
    { ...opened, services: ['trades', 'internal_settlements'] },
    { id: 'a', kind: 'case_closed', caseId: CASE },
  ])('accepts a well-formed fact as it is named and as it is stored: %j', (fact) => {
    expect(parseFact(fact)).toEqual(fact)
    expect(parseFact(storedFact(fact))).toEqual(fact)
  })
  test('reads the kinds of earlier versions', () => {
    const stored = { id: 'kyb-processed-1', kind: 'kyb_processed', outcome: 'approved' }
    expect(parseFact(stored)).toEqual({ ...stored, kind: 'review_finished' })
    expect(parseKybFact({ id: 'a', kind: 'identification_closed' })).toEqual({
      id: 'a',
      kind: 'company_closed',
    })
    expect(storedFact(reviewFinished('1', 'approved'))).toEqual(stored)
  })

  test.each([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'review_finished'],
    ['a number', 7],
    ['a list', [processed('approved')]],
    ['an empty object', {}],
    ['no id', { kind: 'review_finished', outcome: 'approved' }],
    ['an id that is a number', { ...processed('approved'), id: 7 }],
    ['an id that is too long', { ...processed('approved'), id: 'x'.repeat(201) }],
    ['an id that a database cannot hold', { ...processed('approved'), id: 'a\u0000b' }],
    ['another kind', { ...processed('approved'), kind: 'toString' }],
    ['no outcome', { id: 'a', kind: 'review_finished' }],
    ['an outcome that no KYB ends with', processed('revision_requested')],
    ['an outcome that is a list', { ...processed('approved'), outcome: ['approved'] }],
    ['a case without id', { ...opened, caseId: undefined }],
    ['a case whose id is no UUID', { ...opened, caseId: 'case-1' }],
    ['a case of a client', { ...opened, owner: 'client' }],
    ['a case on no service', { ...opened, services: [] }],
    ['a case on an unknown service', { ...opened, services: ['trades', 'coffee'] }],
    ['a check whose id is none', { id: 'a', kind: 'check_finished', checkId: 'check-1' }],
    ['a check that is not named', { id: 'a', kind: 'check_finished', outcome: 'manual' }],
    ['a case for an unknown reason', { ...opened, reason: 'he looked odd' }],
  ])('returns null for %s', (_, message) => {
    expect(parseFact(message)).toBeNull()
  })

  test('returns null for any other value, without throwing', () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withBigInt: true }), (message) => {
        expect(parseFact(message)).toBeNull()
      }),
    )
  })
})
