/** Tests which emails suggest that one person has two accounts. */
import { expect, test } from 'vitest'
import { findSamePeople } from '../../src/domain/access/same-person.ts'

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
