/** Tests that labels shorten long texts to whole words. */
import { expect, test } from 'vitest'
import { inShort } from '../../../src/pages/components/values.tsx'

test.each([
  ['Ada Lovelace', 12, 'Ada Lovelace'],
  ['Ada Lovelace', 11, 'Ada…'],
  ['Ada Lovelace King', 14, 'Ada Lovelace…'],
  ['Lovelace', 5, 'Love…'],
  ['line\none two', 9, 'line…'],
  ['𝒜𝒜𝒜𝒜', 6, '𝒜𝒜…'],
])('shortens %j to %i characters', (text, length, short) => {
  expect(inShort(text, length)).toBe(short)
})
