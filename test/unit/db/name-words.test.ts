/** Tests the words and parts of names that a search compares. */
import { describe, expect, test } from 'vitest'
import { matchesName, namePartsOf, searchPartsOf, searchWordsOf } from '../../../src/db/lists/name-words.ts'

const partsOf = (...names: string[]) => [...namePartsOf(names)]

describe('the parts of names', () => {
  test('are the prefixes of each word, from three to twelve letters', () => {
    expect(partsOf('Nordlicht Bau')).toEqual([
      'nor',
      'nord',
      'nordl',
      'nordli',
      'nordlic',
      'nordlich',
      'nordlicht',
      'bau',
    ])
    expect(partsOf('Donaudampfschifffahrt').at(-1)).toBe('donaudampfsc')
  })
  test('include complete words of one and two letters', () => {
    expect(partsOf('A & Bo AG')).toEqual(['a', 'bo', 'ag'])
    expect(partsOf('Banca S.p.A.')).toEqual(['ban', 'banc', 'banca', 'spa'])
  })
  test('are the same for several names with the same words', () => {
    expect(partsOf('Eva Bau', 'Bau Eva')).toEqual(['eva', 'bau'])
    expect(partsOf()).toEqual([])
    expect(partsOf('', ' ', '\u200b', '…')).toEqual([])
  })
  test('are limited for long names', () => {
    const words = Array.from({ length: 400 }, (_, n) => `w${n}ü`.padEnd(5, 'x')).join(' ')
    expect(namePartsOf([words.slice(0, 2_000)]).size).toBeLessThanOrEqual(400)
    expect(partsOf('x'.repeat(2_000))).toHaveLength(10)
    expect(namePartsOf(['王'.repeat(2_000)]).size).toBe(2)
    expect(namePartsOf([`e${'\u0301'.repeat(2_000)}`])).toEqual(new Set(['e']))
  })
})

test.each([
  ['nord ban', 'Nordlicht Bank'],
  ['ban nord', 'Nordlicht Bank'],
  ['NORDLICHT', 'Nordlicht Bank'],
  ['nord\u200blicht', 'Nord\u00adlicht Bank'],
  ['müller', 'Müller'],
  ['müller', 'Mueller'],
  ['müller', 'Muller'],
  ['mueller', 'Müller'],
  ['muller', 'Mu\u0308ller'],
  ['strasse', 'Straße'],
  ['jose garc', 'José García'],
  ['łódź', 'Lodz'],
  ['nguyen', 'Nguyễn Văn'],
  ['газ', 'Газпром'],
  ['gazprom', 'Газпром'],
  ['محمد', 'محمد علي'],
  ['小明', '王小明'],
  ['ming', '王小明'],
  ['obrien', 'O’Brien'],
  ['smith', 'Meier-Smith'],
  ['ag', 'Nordlicht AG'],
  ['li', 'Li Wei'],
  ['3m', '3M Company'],
  ['internationale han', 'Internationale Handelsbank'],
])('%j matches %j', (text, name) => {
  const words = searchWordsOf(text)
  expect(words).not.toEqual([])
  expect(matchesName(words, name)).toBe(true)
  // The search must find the name by its stored parts.
  const stored = namePartsOf([name])
  for (const parts of searchPartsOf(words)) expect(parts.some((part) => stored.has(part))).toBe(true)
})

test.each([
  ['licht', 'Nordlicht Bank'],
  ['nord bau', 'Nordlicht Bank'],
  ['no', 'Nordlicht Bank'],
  ['a', 'Ada'],
  ['internationaler', 'Internationale Bank'],
  ['muller', 'Mueller'],
])('%j does not match %j', (text, name) => {
  expect(matchesName(searchWordsOf(text), name)).toBe(false)
})

test('a search looks up at most six words, and compares all of them', () => {
  const words = searchWordsOf('one two three four five six seven')
  expect(searchPartsOf(words)).toHaveLength(6)
  expect(matchesName(words, 'One Two Three Four Five Six')).toBe(false)
  expect(matchesName(words, 'Seven Six Five Four Three Two One')).toBe(true)
})
