/** Tests the results that a provider may return, and their effects. */
import { describe, expect, test } from 'vitest'
import { problemsOf } from '../../../src/contracts/problems.ts'
import { checkAnswerBody } from '../../../src/contracts/verification-check.ts'
import { CHECK_OUTCOMES } from '../../../src/domain/identification/identification.ts'
import {
  checkFact,
  isAbout,
  isSameResult,
  resultOf,
} from '../../../src/domain/identification/verification-check.ts'

const check_id = '0f3f5f53-9f6b-4c1e-8a55-2a1d3d0e7b11'

describe('a result', () => {
  const problems = (body: object): string[] => {
    const { error } = checkAnswerBody.safeParse({ check_id, ...body }, { reportInput: true })
    return error ? problemsOf(error).map(({ code, field }) => `${code} ${field}`) : []
  }
  test.each(CHECK_OUTCOMES)('may be %s with a reason', (outcome) => {
    expect(problems({ outcome, reason_code: 'other' })).toEqual([])
  })
  test.each([
    [{ outcome: 'initiated', reason_code: 'documents_unreadable', fields: ['selfie', 'city'] }, []],
    [{}, ['required outcome']],
    [{ outcome: 'perhaps' }, ['invalid outcome']],
    [{ outcome: 'approved', reason_code: 'because' }, ['invalid reason_code']],
    [{ outcome: 'approved', score: 0.7 }, ['unknown_field score']],
    [{ outcome: 'approved', check_id: 'check-1' }, ['invalid check_id']],
    [{ outcome: 'approved', fields: ['selfie'] }, ['invalid fields']],
    [{ outcome: 'initiated', fields: ['selfie'] }, ['invalid reason_code']],
    [{ outcome: 'initiated', reason_code: 'other', fields: ['shoe_size'] }, ['invalid fields.0']],
  ])('such as %j has the problems %j', (body, expected) => {
    expect(problems(body)).toEqual(expected)
  })
})

test('uses the result of a check, or a manual review if the check failed', () => {
  const result = { outcome: 'approved' } as const
  expect(resultOf({ result: null, failure: null })).toBeNull()
  expect(resultOf({ result, failure: null })).toBe(result)
  for (const failure of ['refused', 'no_answer', 'limit_reached'] as const) {
    expect(resultOf({ result: null, failure })).toEqual({ outcome: 'manual' })
    expect(resultOf({ result, failure })).toEqual({ outcome: 'manual' })
  }
})

test('compares results regardless of the order of fields', () => {
  const asks = { outcome: 'initiated', reasonCode: 'other', fields: ['selfie', 'city'] } as const
  expect(isSameResult(asks, { ...asks, fields: ['city', 'selfie'] })).toBe(true)
  expect(isSameResult(asks, { ...asks, fields: ['city'] })).toBe(false)
  expect(isSameResult(asks, { ...asks, reasonCode: 'documents_missing' })).toBe(false)
  expect(isSameResult({ outcome: 'approved' }, { outcome: 'approved', fields: [] })).toBe(true)
  expect(isSameResult({ outcome: 'approved' }, { outcome: 'rejected' })).toBe(false)
})

test('identifies a check by its identification and waiting period', () => {
  const waitingSince = new Date(1_795_233_626_123)
  const check = { identificationId: 'i', waitingSince }
  expect(isAbout(check, { id: 'i', waitingSince: new Date(waitingSince) })).toBe(true)
  expect(isAbout(check, { id: 'j', waitingSince })).toBe(false)
  expect(isAbout(check, { id: 'i', waitingSince: new Date(1_795_233_626_124) })).toBe(false)
})

test('puts the ID of a check into its fact, but not its result', () => {
  const settledAt = new Date(1_795_233_626_123)
  const fact = { id: `check-${check_id}-1795233626123`, kind: 'check_finished', checkId: check_id }
  expect(checkFact({ id: check_id, settledAt })).toEqual(fact)
})
