/** Tests that pages read numbers in the notation of each language, and show them so that they can be read again. */
import { describe, expect, test } from 'vitest'
import { LANGUAGE_NAMES, type Language } from '../../../src/domain/base/language.ts'
import { readAmount, readPercentage, showNumber, showQuantity } from '../../../src/pages/values/numbers.ts'

/** Returns the amount in euros, or a question mark if it can be read in two ways. */
const read = (text: string, language: Language) => {
  const amount = readAmount(text, language, 'EUR')
  return typeof amount === 'string' ? amount : '?'
}

describe('amounts', () => {
  test.each([
    ['1250000.50', '1250000.50', '1250000.50'],
    ['1250000,5', '1250000.5', '1250000.5'],
    ['1.250.000,50', '1250000.50', '1250000.50'],
    ['1,250,000.50', '1250000.50', '1250000.50'],
    ['1 250 000', '1250000', '1250000'],
    ['1\u00a0250\u202f000,50', '1250000.50', '1250000.50'],
    ['1’250’000.50', '1250000.50', '1250000.50'],
    ['1.250.000', '1250000', '1250000'],
    ['1,250,000', '1250000', '1250000'],
    ['1,250', '1250', '?'],
    ['1.250', '?', '1250'],
    ['45.000', '?', '45000'],
    ['45,000', '45000', '?'],
    ['999.999', '?', '999999'],
    ['0.125', '0.125', '0.125'],
    ['0,125', '0.125', '0.125'],
    ['1250.125', '1250.125', '?'],
    ['1250,125', '?', '1250.125'],
    ['1000.000', '1000.000', '?'],
    ['1 000,000', '?', '1000.000'],
    ['45,000.000', '45000.000', '45000.000'],
    ['45.000,000', '45000.000', '45000.000'],
    ['٤٥٬٠٠٠', '45000', '45000'],
    ['٤٥٬٠٠٠٫٥', '45000.5', '45000.5'],
    ['€45,000 a month', '45000', '?'],
    ['45.000 € im Monat', '?', '45000'],
    ['45000 p.m.', '45000', '45000'],
    ['４５．０００', '?', '45000'],
    ["45'000.–", '45000.00', '45000.00'],
    ['4.5000', '4.5000', '4.5000'],
    ['€45,000', '45000', '?'],
    ['45.000 €', '?', '45000'],
    ['45000 EUR', '45000', '45000'],
    ['EUR 45000', '45000', '45000'],
    ['45000euros', '45000', '45000'],
    ['45 000 Euro', '45000', '45000'],
    ['45.000,-', '45000.00', '45000.00'],
    ['45000,--', '45000.00', '45000.00'],
    ['45.000,– €', '45000.00', '45000.00'],
    ['４５０００', '45000', '45000'],
    ['٤٥٠٠٠', '45000', '45000'],
    ['४५०००', '45000', '45000'],
    ['  45000 ', '45000', '45000'],
    ['ca. 45000 €', '45000', '45000'],
    ['approximately 45000', '45000', '45000'],
    ['approx. 45000', '45000', '45000'],
    ['~ 45.000', '?', '45000'],
    ['12.50', '12.50', '12.50'],
    ['12,50', '12.50', '12.50'],
    ['0', '0', '0'],
  ])('%s is read as %s in English and as %s in German', (text, english, german) => {
    expect([read(text, 'en'), read(text, 'de')]).toEqual([english, german])
  })
  test.each([
    ['1\u00a0250\u00a0000,50', '1250000.50'],
    ['45 000 zł', '45 000 zł'],
    ['45 000 euro miesięcznie', '45000'],
    ['45000 €/mies.', '45000'],
    ['45.000', '?'],
    ['45,000', '?'],
    ['45.50', '45.50'],
    ['1.250.000,5', '1250000.5'],
    ['1,250,000.5', '1250000.5'],
    ['1250.125', '?'],
  ])('%s is read as %s in Polish', (text, polish) => {
    expect(read(text, 'pl')).toBe(polish)
  })
  test('an amount without the notation of the page has both readings', () => {
    expect(readAmount('45.000', 'pl')).toMatchObject({ readings: ['45.000', '45000'] })
  })
  test.each([
    'a lot',
    '-5',
    '1,25,000',
    '12 5',
    '1.250,000.5',
    '1,2,3',
    '.',
    '1 2345',
    '$45,000',
    '45000 USD',
    '45 000 CHF',
    '10²',
    '45k',
    '45,000 a year',
    '45.000,00.00',
    '€45,000€',
    '€',
    '0.000.000',
    '1e5',
  ])('%s is returned unchanged, because it is invalid', (text) => {
    expect([read(text, 'en'), read(text, 'de')]).toEqual([text, text])
  })
  test.each(['0', '1.25', '45123', '1250000.5', '0.125', '12.5000'])(
    '%s stays the same if it is shown and read again',
    (value) => {
      for (const language of LANGUAGE_NAMES)
        expect(readAmount(showNumber('number_text', value, language), language)).toBe(value)
    },
  )
})

test('both readings of an amount are in the format of the API', () => {
  expect(readAmount('€45.000', 'en', 'EUR')).toMatchObject({ text: '€45.000', readings: ['45.000', '45000'] })
  expect(readAmount('1,250', 'de')).toMatchObject({ readings: ['1.250', '1250'] })
})

test.each([
  ['33,333', '33.333'],
  ['33.333', '33.333'],
  ['80.000', '80.000'],
  ['25', '25'],
  ['25%', '25'],
  ['25 %', '25'],
  ['25٪', '25'],
  ['%25', '25'],
  ['25 v. H.', '25'],
  ['٢٥٫٥', '25.5'],
  ['1∕3', '33.333333'],
  ['5/6', '83.333333'],
  ['80,000', '80.000'],
  ['12,5 Prozent', '12.5'],
  ['12.5 per cent', '12.5'],
  ['２５％', '25'],
  ['1/3', '33.333333'],
  ['2 / 3', '66.666667'],
  ['1/4', '25'],
  ['½', '50'],
  ['16 2/3', '16.666667'],
  ['16⅔', '16.666667'],
  ['16 2/3 %', '16.666667'],
  ['33 1/3%', '33.333333'],
  ['1/0', '1/0'],
  ['2 5', '2 5'],
  ['a third', 'a third'],
  ['-5', '-5'],
])('the percentage %s is read as %s', (text, expected) => {
  expect(readPercentage(text)).toBe(expected)
})

test('numbers are shown in the notation of the language, and other values unchanged', () => {
  expect(showNumber('number_text', '1250000.5', 'en')).toBe('1,250,000.5')
  expect(showNumber('number_text', '1250000.5', 'de')).toBe('1.250.000,5')
  expect(showNumber('percentage_text', '33.3', 'de')).toBe('33,3')
  expect(showNumber('number_text', 'many', 'de')).toBe('many')
  expect(showNumber('short_text', '1250', 'en')).toBe('1250')
})

test('shares and amounts have their unit for people to read, and other values are unchanged', () => {
  expect(showQuantity('percentage_text', '33.3', 'en')).toBe('33.3%')
  expect(showQuantity('percentage_text', '33.3', 'de')).toBe('33,3\u00a0%')
  expect(showQuantity('number_text', '50000.5', 'en', 'EUR')).toBe('€50,000.50')
  expect(showQuantity('number_text', '45000', 'de', 'EUR')).toBe('45.000\u00a0€')
  expect(showQuantity('number_text', '1250', 'en')).toBe('1,250')
  expect(showQuantity('number_text', 'many', 'en', 'EUR')).toBe('many')
  expect(showQuantity('short_text', '1250', 'en')).toBe('1250')
})
