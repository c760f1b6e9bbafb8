/** One-time codes: enrolling, signing in with them, switching them off. */
import { eq, sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { users } from '../../drizzle/schema.ts'
import { expectErrors } from '../support/checks.ts'
import { sharedInstance, unique } from '../support/instance.ts'
import { codeOf } from '../support/otp.ts'
import { PASSWORD, signedIn, signIn } from '../support/people.ts'

const gatehouse = await sharedInstance()
const operator = await gatehouse.operator()

const ROLES = {
  client: () => ({ vaults: [{ id: gatehouse.vaultId, roles: ['api_read'] }] }),
  operator: () => ({ operator_roles: ['operator_review'] }),
}

/** Somebody who was enrolled a while ago. */
async function enrolled(audience: 'client' | 'operator' = 'client') {
  const person = await signedIn(gatehouse, audience, ROLES[audience]())
  const { secret } = (await operator.post(`/users/${person.id}/otp`)).body.data
  const confirmed = await operator.post(`/users/${person.id}/otp/confirm`, { code: codeOf(secret) })
  expect(confirmed.status).toBe(200)
  await gatehouse.db.orm.update(users).set({ otpUsedStep: null }).where(eq(users.id, person.id))
  const tell = (otp_attempt?: string, password = PASSWORD) =>
    signIn(gatehouse, audience, { email: person.email, password, ...(otp_attempt && { otp_attempt }) })
  return { ...person, secret: secret as string, tell }
}

describe('enrolling', () => {
  test('shows the secret once, and asks for no code until one was confirmed', async () => {
    const person = await signedIn(gatehouse, 'client', ROLES.client())
    const { status, body } = await operator.post(`/users/${person.id}/otp`)
    expect(status).toBe(201)
    expect(body.data).toEqual({
      user_id: person.id,
      secret: expect.stringMatching(/^[A-Z2-7]{32}$/),
      otpauth_url: expect.stringMatching(/^otpauth:\/\/totp\//),
    })
    expect(body.data.otpauth_url).toContain(body.data.secret)
    expect(JSON.stringify((await operator.get(`/users/${person.id}`)).body)).not.toContain(body.data.secret)
    const credentials = { email: person.email, password: PASSWORD }
    expect((await signIn(gatehouse, 'client', credentials)).status).toBe(200)

    const wrong = await operator.post(`/users/${person.id}/otp/confirm`, { code: '000' })
    expect(wrong.status).toBe(422)
    expectErrors(wrong, { code: 'invalid', field: 'code' })
    const code = codeOf(body.data.secret)
    const right = await operator.post(`/users/${person.id}/otp/confirm`, { code })
    expect(right).toMatchObject({ status: 200, body: { data: { otp_required_for_login: true } } })
    expect((await signIn(gatehouse, 'client', credentials)).status).toBe(401)
  })

  test('the secret is sealed in the database', async () => {
    const { id, secret } = await enrolled()
    const [row] = await gatehouse.db.orm.execute<{ sealed: Buffer }>(
      sql`SELECT otp_secret AS sealed FROM users WHERE id = ${id}`,
    )
    expect(row?.sealed).toBeInstanceOf(Buffer)
    expect(row?.sealed.includes(secret)).toBe(false)
  })

  test('again leaves the old secret in force until the new one is confirmed', async () => {
    const { id, secret, tell } = await enrolled()
    const again = (await operator.post(`/users/${id}/otp`)).body.data.secret
    expect((await tell(codeOf(again))).status).toBe(401)
    expect((await tell(codeOf(secret))).status).toBe(200)
    await operator.post(`/users/${id}/otp/confirm`, { code: codeOf(again) })
    expect((await tell(codeOf(secret, 1))).status).toBe(401)
    expect((await tell(codeOf(again, 1))).status).toBe(200)
  })

  test('nothing that waits cannot be confirmed, and nobody can be enrolled who is not there', async () => {
    const { id } = await signedIn(gatehouse, 'client', ROLES.client())
    const answer = await operator.post(`/users/${id}/otp/confirm`, { code: '123456' })
    expect(answer.status).toBe(422)
    expectErrors(answer, { code: 'invalid', field: 'code' })
    expect((await operator.post(`/users/${unique()}/otp`)).status).toBe(404)
    expect((await operator.post(`/users/${unique()}/otp/confirm`, { code: '123456' })).status).toBe(404)
    expect((await operator.delete(`/users/${unique()}/otp`)).status).toBe(404)
  })
})

describe.each(['client', 'operator'] as const)('signing in as a %s', (audience) => {
  test('takes the password and a code; only the right password learns that a code is needed', async () => {
    const { secret, tell } = await enrolled(audience)
    const wrong = await tell(codeOf(secret), 'wrong')
    const without = await tell()
    expect(without.headers.get('Gatehouse-Otp')).toBe('required')
    const bad = await tell('12')
    expect(bad.headers.get('Gatehouse-Otp')).toBe('wrong')
    expect(wrong.headers.get('Gatehouse-Otp')).toBeNull()
    for (const { status, body } of [wrong, without, bad])
      expect({ status, body }).toEqual({ status: 401, body: { error: expect.any(String) } })
    expect((await tell(codeOf(secret))).status).toBe(200)
  })

  test('a code is good once, and so is none before it', async () => {
    const { secret, tell } = await enrolled(audience)
    const [now, later] = [codeOf(secret), codeOf(secret, 1)]
    expect((await tell(later)).status).toBe(200)
    expect((await tell(later)).status).toBe(401)
    expect((await tell(now)).status).toBe(401)
  })

  test('of sign-ins with one code at the same time one succeeds', async () => {
    const { secret, tell } = await enrolled(audience)
    const code = codeOf(secret, 1)
    const answers = await Promise.all(Array.from({ length: 5 }, () => tell(code)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401, 401])
  })
})

test('codes are not guessed: after ten wrong ones an account takes no more', async () => {
  const { secret, tell } = await enrolled()
  for (let n = 0; n < 10; n++) expect((await tell('12')).status).toBe(401)
  const answer = await tell(codeOf(secret, 1))
  expect(answer.status).toBe(429)
  expectErrors(answer, 'too_many_attempts')
})

test('who first asks without a code does not use up tries', async () => {
  const { tell } = await enrolled()
  for (let n = 0; n < 15; n++) expect((await tell()).status).toBe(401)
})

test('switched off, the password alone is enough, and settings say so', async () => {
  const { id, secret, tell } = await enrolled()
  const settings = async () => {
    const { access_token } = (await tell(codeOf(secret))).body.data
    const response = await fetch(`${gatehouse.baseUrl}/v1/users/settings`, {
      headers: { Authorization: access_token },
    })
    return ((await response.json()) as { data: { otp_required_for_login: boolean } }).data
  }
  expect((await settings()).otp_required_for_login).toBe(true)
  expect((await operator.delete(`/users/${id}/otp`)).body.data.otp_required_for_login).toBe(false)
  expect((await tell()).status).toBe(200)
  expect((await settings()).otp_required_for_login).toBe(false)
})
