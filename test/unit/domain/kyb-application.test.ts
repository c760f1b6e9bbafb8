/** Tests the commands that each state of an application allows, against a separate table. */
import { describe, expect, test } from 'vitest'
import {
  decideKyb,
  isKybEnded,
  KYB_COMMANDS,
  KYB_STATUSES,
  type KybCommandKind,
  type KybState,
  type KybStatus,
  kybWaitingOn,
} from '../../../src/domain/kyb/application.ts'

const OK = 'allowed'
/**
 * Rows are commands. Columns are the states: open and incomplete, open and complete, processed, abandoned.
 */
const TABLE = {
  patch: [OK, OK, '403 kyb_processed', '403 kyb_abandoned'],
  attach: [OK, OK, '403 kyb_processed', '403 kyb_abandoned'],
  detach: [OK, OK, '403 kyb_processed', '403 kyb_abandoned'],
  reply: [OK, OK, '403 kyb_processed', '403 kyb_abandoned'],
  submit: ['requirements_due', OK, '403 kyb_processed', '403 kyb_abandoned'],
  change_profile: [OK, OK, '422 kyb_processed', '422 kyb_abandoned'],
  approve: ['requirements_due', OK, '422 kyb_processed', '422 kyb_abandoned'],
  approve_incomplete: [OK, OK, '422 kyb_processed', '422 kyb_abandoned'],
  reject: [OK, OK, '422 kyb_processed', '422 kyb_abandoned'],
  request_revision: [OK, OK, '422 kyb_processed', '422 kyb_abandoned'],
  confirm: ['no_decision_pending', 'no_decision_pending', '422 kyb_processed', '422 kyb_abandoned'],
  withdraw: ['no_decision_pending', 'no_decision_pending', '422 kyb_processed', '422 kyb_abandoned'],
} as const satisfies Record<KybCommandKind, readonly [string, string, string, string]>

const expected = (kind: KybCommandKind, { status, completed }: KybState) =>
  TABLE[kind][status === 'open' ? (completed ? 1 : 0) : status === 'processed' ? 2 : 3]

const outcome = (state: KybState, kind: KybCommandKind) => {
  const problem = decideKyb(state, kind)
  return problem ? [problem.status, problem.code].filter(Boolean).join(' ') : OK
}

const STATES: readonly KybState[] = KYB_STATUSES.flatMap((status) =>
  [false, true].flatMap((completed) =>
    [false, true].map((correcting) => ({
      status,
      completed,
      correcting,
      unsubmitted: false,
      version: 7,
      pending: null,
    })),
  ),
)

describe('decideKyb', () => {
  test('is tested with every command and status', () => {
    expect(Object.keys(TABLE).sort()).toEqual([...KYB_COMMANDS].sort())
    expect([...KYB_STATUSES].sort()).toEqual(['abandoned', 'open', 'processed'])
  })

  const cases = STATES.flatMap((state) => KYB_COMMANDS.map((kind) => ({ ...state, kind })))
  test.each(cases)(
    'decides $kind as in the table: status $status, completed $completed, correcting $correcting',
    (given) => {
      const { kind, ...state } = given
      expect(outcome(state, kind)).toBe(expected(kind, state))
    },
  )

  test('refuses another decision while one is pending', () => {
    const pending = { kind: 'reject', by: 'operator:1', since: '2026-11-22T10:00:00Z' } as const
    const state = {
      status: 'open',
      completed: true,
      correcting: false,
      unsubmitted: false,
      version: 2,
      pending,
    } as const
    for (const kind of ['approve', 'approve_incomplete', 'reject', 'request_revision'] as const)
      expect(outcome(state, kind)).toBe('decision_pending')
    for (const kind of ['patch', 'attach', 'detach', 'confirm', 'withdraw'] as const)
      expect(outcome(state, kind)).toBe(OK)
    expect(kybWaitingOn({ ...state, completed: false })).toBe('operator')
  })

  test('allows every command despite open corrections, so that an operator can change the decision', () => {
    for (const kind of KYB_COMMANDS) {
      const state = {
        status: 'open',
        completed: true,
        unsubmitted: false,
        version: 1,
        pending: null,
      } as const
      expect(decideKyb({ ...state, correcting: true }, kind)).toEqual(
        decideKyb({ ...state, correcting: false }, kind),
      )
    }
  })
})

describe('an application', () => {
  const state = (status: KybStatus, completed: boolean, correcting: boolean): KybState => ({
    status,
    completed,
    correcting,
    unsubmitted: false,
    version: 1,
    pending: null,
  })

  test.each([
    ['open', false, false, 'client'],
    ['open', false, true, 'client'],
    ['open', true, true, 'client'],
    ['open', true, false, 'operator'],
    ['processed', true, false, 'nobody'],
    ['processed', false, false, 'nobody'],
    ['processed', true, true, 'nobody'],
    ['abandoned', false, false, 'nobody'],
    ['abandoned', true, false, 'nobody'],
    ['abandoned', true, true, 'nobody'],
  ] as const)(
    'with status %s, completed %s and correcting %s waits on %s',
    (status, completed, correcting, party) => {
      expect(kybWaitingOn(state(status, completed, correcting))).toBe(party)
    },
  )

  test('waits on the client while the form is not submitted', () => {
    expect(kybWaitingOn({ ...state('open', true, false), unsubmitted: true })).toBe('client')
    expect(kybWaitingOn({ ...state('processed', true, false), unsubmitted: true })).toBe('nobody')
  })
  test('has ended only if it is processed or abandoned', () => {
    expect(STATES.map((each) => [each.status, isKybEnded(each)])).toEqual(
      STATES.map((each) => [each.status, each.status !== 'open']),
    )
  })
})
