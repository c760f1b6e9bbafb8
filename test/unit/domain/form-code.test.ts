/** Tests how one-time codes are read that people type or paste. */
import { expect, test } from 'vitest'
import { readCode } from '../../../src/domain/email/notice.ts'

test.each([
  ['012345', '012345'],
  [' 012 345 ', '012345'],
  ['012-345', '012345'],
  ['O12345', '012345'],
  ['ol2345', '012345'],
  ['0I2345', '012345'],
  ['０１２３４５', '012345'],
  ['«012345».', '012345'],
  ['Code: 012345', '012345'],
  ['٠١٢٣٤٥', '012345'],
  ['', ''],
])('reads %j as %s', (typed, code) => {
  expect(readCode(typed)).toBe(code)
})
