/** How an identification follows facts, and what its state means. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  IDENTIFICATION_STATUSES,
  type IdentificationFact,
  identificationEnded,
  identificationStatus,
  identificationWaitingOn,
  parseFact,
  settleFact,
  VERIFICATIONS,
} from '../../src/domain/identification.ts'

const processed = (outcome: IdentificationFact['outcome']): IdentificationFact => ({
  id: 'fact-1',
  kind: 'kyb_processed',
  outcome,
})

describe('settleFact', () => {
  const TABLE = {
    initiated: { approved: 'approved', rejected: 'rejected' },
    attention: { approved: 'approved', rejected: 'rejected' },
    approved: { approved: null, rejected: null },
    rejected: { approved: null, rejected: null },
    closed: { approved: null, rejected: null },
  } as const

  const cases = VERIFICATIONS.flatMap((verification) =>
    (['approved', 'rejected'] as const).map((outcome) => [verification, outcome] as const),
  )
  test.each(cases)('%s: a KYB that was %s', (verification, outcome) => {
    expect(settleFact({ verification, version: 3 }, processed(outcome))).toBe(TABLE[verification][outcome])
  })

  test('following the same fact a second time changes nothing', () => {
    for (const [verification, outcome] of cases) {
      const after = settleFact({ verification, version: 1 }, processed(outcome)) ?? verification
      expect(settleFact({ verification: after, version: 2 }, processed(outcome))).toBeNull()
    }
  })
})

describe('parseFact', () => {
  test.each(['approved', 'rejected'] as const)('a well-formed fact (%s) is taken as it is', (outcome) => {
    expect(parseFact(processed(outcome))).toEqual(processed(outcome))
  })

  test.each([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'kyb_processed'],
    ['a number', 7],
    ['a list', [processed('approved')]],
    ['an empty object', {}],
    ['no id', { kind: 'kyb_processed', outcome: 'approved' }],
    ['an id that is a number', { ...processed('approved'), id: 7 }],
    ['an id that is too long', { ...processed('approved'), id: 'x'.repeat(101) }],
    ['another kind', { ...processed('approved'), kind: 'case_opened' }],
    ['no outcome', { id: 'a', kind: 'kyb_processed' }],
    ['an outcome that no KYB ends with', { ...processed('approved'), outcome: 'revision_requested' }],
    ['an outcome that is a list', { ...processed('approved'), outcome: ['approved'] }],
  ])('%s states no fact', (_, message) => {
    expect(parseFact(message)).toBeNull()
  })

  test('whatever is sent by hand, it never throws and never invents a fact', () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withBigInt: true }), (message) => {
        expect(parseFact(message)).toBeNull()
      }),
    )
  })
})

describe('what follows from a verification', () => {
  test.each([
    ['initiated', 'applicant', false],
    ['attention', 'operator', false],
    ['approved', 'nobody', false],
    ['rejected', 'nobody', false],
    ['closed', 'nobody', true],
  ] as const)('%s waits on %s; ended: %s', (verification, party, ended) => {
    const state = { verification, version: 1 }
    expect(identificationStatus(state)).toBe(verification)
    expect(identificationWaitingOn(state)).toBe(party)
    expect(identificationEnded(state)).toBe(ended)
  })

  test('the statuses are those of the specification', () => {
    expect([...IDENTIFICATION_STATUSES].sort()).toEqual(
      ['initiated', 'approved', 'attention', 'rejected', 'blocked', 'closed'].sort(),
    )
  })
})
