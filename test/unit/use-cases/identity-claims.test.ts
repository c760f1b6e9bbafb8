/** Tests the persons that claims of an OpenID provider describe. */
import { expect, test } from 'vitest'
import { identityOf, withUserInfo } from '../../../src/oidc/claims.ts'

test.each([
  ['ada@example.com', 'ada@example.com'],
  ['adä@example.com', 'adä@example.com'],
  ['ad\u202ea@example.com', null],
  ['ad\u200ba@example.com', null],
  ['ad\u0000a@example.com', null],
  ['ada@exam\u2066ple.com', null],
  ['ada\ud800@example.com', null],
  ['a b@example.com', null],
])('reads the email %j as %j', (email, expected) => {
  expect(identityOf({ iss: 'x', sub: 'y', email }, 'groups').email).toBe(expected)
})

const TOKEN = 'ada@example.com'

test.each<[Record<string, unknown>, Record<string, unknown>, boolean]>([
  [{ email: TOKEN, email_verified: true }, {}, true],
  [{ email: TOKEN }, {}, false],
  [{ email: TOKEN }, { email: TOKEN, email_verified: true }, true],
  [{ email: TOKEN }, { email: 'own@example.com', email_verified: true }, false],
  [{ email: TOKEN }, { email_verified: true }, false],
  [{ email: TOKEN, email_verified: false }, { email: TOKEN, email_verified: true }, false],
  [{ email: TOKEN, email_verified: true }, { email: 'own@example.com', email_verified: false }, true],
  [{}, { email: TOKEN, email_verified: true }, true],
  [{}, { email: TOKEN, email_verified: false }, false],
  [{ email_verified: true }, { email: TOKEN, email_verified: false }, false],
  [{ email_verified: true }, { email: TOKEN }, false],
  [{ email_verified: false }, { email: TOKEN, email_verified: true }, false],
])('takes the token %j with the user info %j as verified: %s', (token, more, isVerified) => {
  expect(identityOf(withUserInfo(token, more), 'groups').isEmailVerified).toBe(isVerified)
})

test.each<[Record<string, unknown>, Record<string, unknown>]>([
  [{ email: TOKEN }, { email: TOKEN.toUpperCase(), email_verified: false }],
  [{ email: TOKEN }, { email_verified: false }],
  [{ email_verified: false }, { email: TOKEN }],
  [
    { email: TOKEN, email_verified: false },
    { email: TOKEN, email_verified: true },
  ],
])('ignores the email of the token %j with the user info %j, because it is not verified', (token, more) => {
  expect(identityOf(withUserInfo(token, more), 'groups').email).toBe(null)
})

test('prefers the claims of the token, and adds those that only the user info has', () => {
  const claims = withUserInfo({ sub: 'a', groups: ['reviewers'] }, { sub: 'b', groups: ['all'], name: 'Ada' })
  expect(claims).toMatchObject({ sub: 'a', groups: ['reviewers'], name: 'Ada' })
})
