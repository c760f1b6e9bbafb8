/** Tests the persons that claims of an OpenID provider describe. */
import { expect, test } from 'vitest'
import { identityOf } from '../../src/oidc/claims.ts'

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
