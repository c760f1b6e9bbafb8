/** Tests one-time codes: the examples in RFC 6238, and the accepted clock difference. */
import { expect, test } from 'vitest'
import { newOtpSecret, otpStepOf, otpUrl } from '../../../src/use-cases/credentials/otp.ts'

/** The secret of the RFC's examples, '12345678901234567890'. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

test.each([
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_234_567_890, '005924'],
  [20_000_000_000, '353130'],
])('matches the RFC at %i seconds with the code %s', (seconds, code) => {
  expect(otpStepOf(SECRET, code, seconds * 1_000)).toBe(Math.floor(seconds / 30))
})

test('accepts a code one step early or late, and returns its own step', () => {
  const step = 1
  for (const now of [0, 30, 60]) expect(otpStepOf(SECRET, '287082', now * 1_000)).toBe(step)
  expect(otpStepOf(SECRET, '287082', 90_000)).toBeNull()
  expect(otpStepOf(SECRET, '287082', 1_000_000)).toBeNull()
})

test('accepts spaces between the digits, and no other character', () => {
  expect(otpStepOf(SECRET, '287 082', 59_000)).toBe(1)
  for (const text of ['', '28708', '2870822', 'abcdef', '287082\n', '-87082'])
    expect(otpStepOf(SECRET, text, 59_000)).toBeNull()
})

test('creates distinct secrets and URLs with the issuer, the account and the secret', () => {
  const secret = newOtpSecret()
  expect(secret).toMatch(/^[A-Z2-7]{32}$/)
  expect(newOtpSecret()).not.toBe(secret)
  const url = new URL(otpUrl(secret, 'someone+x@example.com'))
  expect(url.protocol).toBe('otpauth:')
  expect(decodeURIComponent(url.pathname)).toContain('Gatehouse:someone+x@example.com')
  expect(url.searchParams.get('secret')).toBe(secret)
  expect(url.searchParams.get('issuer')).toBe('Gatehouse')
})

test.each(['', '28708', '2870822', 'abcdef', '28708²', '٢٨٧٠٨٢', '\u00b5\u{1f600}\u00941x'])(
  'refuses the code %j',
  (code) => {
    expect(otpStepOf(SECRET, code, 59_000)).toBeNull()
  },
)
