/** Tests the comparison of the name in an application with the name that the beneficiary entered. */
import { expect, test } from 'vitest'
import { givenNameOf } from '../../../src/domain/kyb/beneficiary-check.ts'
import { ADA, approvedCheck, completeContent } from '../../support/kyb.ts'

const CHECK = 'c0000000-0000-4000-8000-000000000001'

test.each([
  [
    { name: 'Ada', surname: 'Lovelace' },
    { fullName: 'Ada Lovelace', isSame: true },
  ],
  [
    { name: 'ADA', surname: 'lovelace' },
    { fullName: 'Ada Lovelace', isSame: true },
  ],
  [
    { name: 'Lovelace', surname: 'Ada' },
    { fullName: 'Ada Lovelace', isSame: true },
  ],
  [
    { name: 'Ada', surname: 'King' },
    { fullName: 'Ada Lovelace', isSame: false },
  ],
  [{}, null],
])('the application’s name and the entered name %j are compared as %j', (profile, expected) => {
  const checks = new Map([[ADA, { ...approvedCheck(CHECK), profile }]])
  expect(givenNameOf(completeContent(), checks, CHECK)).toEqual(expected)
  expect(givenNameOf(completeContent(), checks, ADA)).toBe(null)
})
