/** Tests signing in, the forms of the Authorization header, invalid tokens and audiences. */
import { decodeJwt, SignJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import { readSigningKeys } from '../../../src/db/access/signing-key.ts'
import { createTokens } from '../../../src/use-cases/credentials/tokens.ts'
import { createApi } from '../../support/api.ts'
import { expectErrors } from '../../support/checks.ts'
import { sharedInstance } from '../../support/instance.ts'

const gatehouse = await sharedInstance()

const client = (token = '') => createApi(`${gatehouse.baseUrl}/v1`, token)
const operators = (token = '') => createApi(`${gatehouse.baseUrl}/operator/v1`, token)
const signIn = async () => {
  const { user_email: email, user_password: password } = gatehouse.credentials
  return client().post('/sign_in', { email, password })
}
const signInAsOperator = async () => {
  const { operator_email: email, operator_password: password } = gatehouse.credentials
  return operators().post('/sign_in', { email, password })
}

describe('POST /v1/sign_in', () => {
  test('returns a token for one hour with the vaults in the response and in the payload', async () => {
    const { status, body } = await signIn()
    expect(status).toBe(200)
    const vault = { id: gatehouse.vaultId, name: expect.any(String), roles: ['api_read', 'api_write'] }
    expect(body.data).toEqual({
      access_token: expect.any(String),
      expires_at: expect.any(Number),
      user: { id: expect.any(String), email: gatehouse.credentials.user_email },
      vaults: [vault],
    })
    const payload = decodeJwt(body.data.access_token)
    expect(payload).toMatchObject({ vaults: [vault], exp: body.data.expires_at })
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(3_600)
  })

  test('returns the same fields with the roles for operators', async () => {
    const { body } = await signInAsOperator()
    expect(body.data).toEqual({
      access_token: expect.any(String),
      expires_at: expect.any(Number),
      user: { id: expect.any(String), email: gatehouse.credentials.operator_email },
      vaults: [],
      operator_roles: expect.arrayContaining(['operator_review']),
      operator_grants: expect.arrayContaining([{ role: 'senior_reviewer', vault_id: null }]),
    })
  })

  test('accepts the email in any case', async () => {
    const { user_email, user_password: password } = gatehouse.credentials
    expect((await client().post('/sign_in', { email: user_email.toUpperCase(), password })).status).toBe(200)
  })

  test('returns the same 401 for a wrong password, an unknown email and an operator', async () => {
    const { user_email, operator_email, operator_password } = gatehouse.credentials
    const answers = await Promise.all([
      client().post('/sign_in', { email: user_email, password: 'wrong' }),
      client().post('/sign_in', { email: 'nobody@example.com', password: 'wrong' }),
      client().post('/sign_in', { email: operator_email, password: operator_password }),
    ])
    for (const { status, body } of answers) {
      expect(status).toBe(401)
      expect(body).toEqual({ error: expect.any(String) })
      expect(body).toEqual(answers[0].body)
    }
  })

  test('returns 422 for missing fields, and 400 for invalid JSON', async () => {
    const answer = await client().post('/sign_in', {})
    expect(answer.status).toBe(422)
    expectErrors(answer, { code: 'required', field: 'email' }, { code: 'required', field: 'password' })
    expect((await client().post('/sign_in', '{')).status).toBe(400)
  })
})

describe('POST /operator/v1/sign_in', () => {
  test('returns the operator’s roles', async () => {
    const { status, body } = await signInAsOperator()
    expect(status).toBe(200)
    expect(body.data).toMatchObject({ operator_roles: ['operator_review', 'operator_admin'] })
  })
  test('returns 401 for a client', async () => {
    const { user_email: email, user_password: password } = gatehouse.credentials
    const { status, body } = await operators().post('/sign_in', { email, password })
    expect({ status, body }).toEqual({ status: 401, body: { error: expect.any(String) } })
  })
})

describe('the Authorization header', () => {
  test.each(['', 'Bearer ', 'bearer ', 'BEARER   ', 'Bearer\t'])(
    'accepts %j before a key or a token on every endpoint',
    async (form) => {
      const { access_token } = (await signIn()).body.data
      for (const token of [access_token, gatehouse.credentials.api_key]) {
        for (const path of ['/kyb', '/identifications', '/users/settings', '/webhook_logs']) {
          expect((await client(form + token).get(path)).status).toBe(200)
        }
      }
    },
  )

  async function forgeries(): Promise<Record<string, string>> {
    const token: string = (await signIn()).body.data.access_token
    const [key] = await readSigningKeys(gatehouse.db, 30)
    if (!key) throw new Error('there is no signing key')
    const claims = {
      userId: decodeJwt(token).sub ?? '',
      version: 0,
      mustChangePassword: false,
      vaults: [{ id: gatehouse.vaultId, name: '', roles: ['api_read'] }],
    }
    const [header = '', payload = '', signature = ''] = token.split('.')
    const none = Buffer.from('{"alg":"none"}').toString('base64url')
    const hmac = await new SignJWT(decodeJwt(token))
      .setProtectedHeader({ alg: 'HS256', kid: key.id })
      .sign(Buffer.from(String(key.publicJwk.x)))
    return {
      missing: '',
      'only the scheme': 'Bearer',
      'not a token': 'abc',
      'an unknown key': `gk_test_${'x'.repeat(40)}`,
      'a key with a letter more': `${gatehouse.credentials.api_key}x`,
      'another scheme': `Basic ${gatehouse.credentials.api_key}`,
      'without its signature': `${header}.${payload}.`,
      'signed with nothing': `${none}.${payload}.`,
      'signed with the public key': hmac,
      'changed payload': `${header}.${Buffer.from('{"vaults":[]}').toString('base64url')}.${signature}`,
      'of production': (await createTokens(async () => [key], 'production').sign('client', claims)).token,
      'of an operator': (await signInAsOperator()).body.data.access_token,
      'far too long': 'x'.repeat(5_000),
    }
  }

  test('returns 401 with {error} for every invalid token on every endpoint', async () => {
    for (const [name, token] of Object.entries(await forgeries())) {
      for (const path of ['/kyb', `/kyb/validate/${gatehouse.vaultId}`, '/users/settings']) {
        const { status, body, headers } = await client(token).get(path)
        expect({ name, status, body }).toEqual({ name, status: 401, body: { error: expect.any(String) } })
        expect(headers.get('WWW-Authenticate')).toBe('Bearer')
      }
    }
  })

  test('returns 401 before it parses the request', async () => {
    const { status, body } = await client().post('/kyb', '{')
    expect({ status, body }).toEqual({ status: 401, body: { error: expect.any(String) } })
  })
})
