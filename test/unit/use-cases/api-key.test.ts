/** Tests the format and the checksum of API keys. */
import { expect, test } from 'vitest'
import { isApiKey, newApiKey } from '../../../src/use-cases/credentials/api-key-text.ts'

test('a new key contains the product and the environment', () => {
  expect(newApiKey('sandbox')).toMatch(/^gk_test_[A-Za-z0-9]{46}$/)
  expect(newApiKey('production')).toMatch(/^gk_live_[A-Za-z0-9]{46}$/)
  expect(newApiKey('sandbox')).not.toBe(newApiKey('sandbox'))
})

test('a key ends with the CRC-32 of the preceding characters, in base 62', () => {
  // crc32('gk_test_' + forty times 'a') = 0x884576b1, as zlib computes it
  expect(isApiKey(`gk_test_${'a'.repeat(40)}2Uit2P`)).toBe(true)
})

test('rejects a key with one changed character', () => {
  for (let n = 0; n < 200; n++) {
    const key = newApiKey('sandbox')
    expect(isApiKey(key)).toBe(true)
    const at = 8 + (n % 46)
    const other = key[at] === 'x' ? 'y' : 'x'
    expect(isApiKey(key.slice(0, at) + other + key.slice(at + 1))).toBe(false)
  }
})

test('accepts a key without a checksum', () => {
  expect(isApiKey(`gk_test_${'a'.repeat(40)}`)).toBe(true)
  expect(isApiKey(`gk_live_${'Z'.repeat(40)}`)).toBe(true)
})

test.each([
  '',
  'gk_',
  `gk_prod_${'a'.repeat(40)}`,
  `gk_test_${'a'.repeat(39)}`,
  `gk_test_${'a'.repeat(41)}`,
  `gk_test_${'-'.repeat(40)}`,
  `${newApiKey('sandbox')}x`,
  ` ${newApiKey('sandbox')}`,
])('rejects %j', (text) => expect(isApiKey(text)).toBe(false))
