/** Tests which emails suggest that one person has two accounts. */
import { expect, test } from 'vitest'
import { findSamePeople } from '../../../src/domain/access/same-person.ts'
import { cpuMsOf } from '../../support/cpu-time.ts'

const pairsAmong = (...emails: string[]) => findSamePeople(emails.map((email) => ({ id: email, email })))

test.each([
  ['ada.lovelace@example.com', 'ada.lovelace@example.org'],
  ['ada.lovelace@example.com', 'ADA_Lovelace@example.com'],
  ['ada.lovelace@example.com', 'lovelace.ada@example.org'],
  ['ada.lovelace@example.com', 'alovelace@example.org'],
  ['ada.lovelace@example.com', 'a.lovelace@example.org'],
  ['ada.lovelace@example.com', 'adalovelace@example.org'],
  ['ada.lovelace@example.com', 'ada.lovelace+admin@example.com'],
  ['ada.lovelace@example.com', 'ada.lovelace2@example.com'],
  ['jörg.müller@example.com', 'jorg.muller@example.org'],
  ['admin@example.com', 'admin@example.org'],
])('%s and %s suggest one person', (one, other) => {
  expect(pairsAmong(one, other)).toHaveLength(1)
})

test.each([
  ['ada.lovelace@example.com', 'ada.king@example.com'],
  ['ada.lovelace@example.com', 'charles.babbage@example.com'],
  ['ada@example.com', 'ada@example.org'],
  ['a.lovelace@example.com', 'b.lovelace@example.com'],
  ['42@example.com', '43@example.com'],
])('%s and %s suggest two people', (one, other) => {
  expect(pairsAmong(one, other)).toEqual([])
})

test('lists each pair once', () => {
  const three = pairsAmong(
    'ada.lovelace@a.example',
    'lovelace.ada@b.example',
    'grace.hopper@a.example',
    'alovelace@c.example',
  )
  expect(three.map((pair) => pair.map(({ email }) => email))).toEqual([
    ['ada.lovelace@a.example', 'lovelace.ada@b.example'],
    ['ada.lovelace@a.example', 'alovelace@c.example'],
    ['lovelace.ada@b.example', 'alovelace@c.example'],
  ])
})

test('limits the pairs of thousands of accounts with one form, and keeps the newest', () => {
  const emails = Array.from({ length: 5_000 }, (_, n) => `ada.lovelace${n}@example.com`)
  let pairs: ReturnType<typeof pairsAmong> = []
  expect(cpuMsOf(() => (pairs = pairsAmong(...emails)))).toBeLessThan(1_000)
  expect(pairs).toHaveLength(1_000)
  expect(pairs.at(-1)?.map(({ email }) => email)).toEqual(emails.slice(-2))
})
