/** Tests that pages read numbers in the notation of both languages, and show them so that they can be read again. */
import { describe, expect, test } from 'vitest'
import { readAmount, readPercentage, showNumber, showQuantity } from '../../src/pages/values/numbers.ts'

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
    ['1.250', '1.250', '1250'],
    ['1,250', '1250', '1.250'],
    ['12.50', '12.50', '12.50'],
    ['12,50', '12.50', '12.50'],
    ['0', '0', '0'],
  ])('%s is read as %s in English and as %s in German', (text, english, german) => {
    expect([readAmount(text, 'en'), readAmount(text, 'de')]).toEqual([english, german])
  })
  test.each(['a lot', '-5', '1,25,000', '12 5', '1.250,000.5', '1,2,3', '5 €', '.', '1 2345'])(
    '%s is returned unchanged, because it is invalid',
    (text) => {
      expect([readAmount(text, 'en'), readAmount(text, 'de')]).toEqual([text, text])
    },
  )
  test.each(['0', '1.25', '1.250', '45123', '1250000.5', '45.123'])(
    '%s stays the same if it is shown and read again',
    (value) => {
      for (const language of ['en', 'de'] as const)
        expect(readAmount(showNumber('number_text', value, language), language)).toBe(value)
    },
  )
})

test('percentages can have a decimal comma or a decimal point', () => {
  expect(['33,333', '33.333', '25', '2 5'].map(readPercentage)).toEqual(['33.333', '33.333', '25', '2 5'])
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
