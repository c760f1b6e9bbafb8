/** Tests one-time codes: enrolment, sign-in and removal. */
import { eq, sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { users } from '../../../drizzle/schema.ts'
import { createApi } from '../../support/api.ts'
import { expectErrors } from '../../support/checks.ts'
import { openConsole } from '../../support/console.ts'
import { sharedInstance, unique } from '../../support/instance.ts'
import { askSecret, codeOf, confirmSecret } from '../../support/otp.ts'
import { baseOf, createPerson, PASSWORD, signedIn, signIn } from '../../support/people.ts'

const gatehouse = await sharedInstance()
const operator = await gatehouse.operator()

const ROLES = {
  client: () => ({ vaults: [{ id: gatehouse.vaultId, roles: ['api_read'] }] }),
  operator: () => ({ operator_roles: ['operator_review'] }),
}

/** Creates a user who enrolled some time ago, so that the current code is unused. */
async function enrolled(audience: 'client' | 'operator' = 'client') {
  const person = await signedIn(gatehouse, audience, ROLES[audience]())
  const { secret } = (await askSecret(person.api)).body.data
  const confirmed = await confirmSecret(person.api, secret)
  expect(confirmed.status).toBe(200)
  await gatehouse.db.orm.update(users).set({ otpUsedStep: null }).where(eq(users.id, person.id))
  const attempt = (otp_attempt?: string, password = PASSWORD) =>
    signIn(gatehouse, audience, { email: person.email, password, ...(otp_attempt && { otp_attempt }) })
  return { ...person, secret: secret as string, attempt }
}

describe('enrolment', () => {
  test('shows the secret once, and requires codes only after the first is confirmed', async () => {
    const person = await signedIn(gatehouse, 'client', ROLES.client())
    const { status, body } = await askSecret(person.api)
    expect(status).toBe(201)
    expect(body.data).toEqual({
      secret: expect.stringMatching(/^[A-Z2-7]{32}$/),
      otpauth_url: expect.stringMatching(/^otpauth:\/\/totp\//),
    })
    expect(body.data.otpauth_url).toContain(body.data.secret)
    expect(JSON.stringify((await operator.get(`/users/${person.id}`)).body)).not.toContain(body.data.secret)
    const credentials = { email: person.email, password: PASSWORD }
    expect((await signIn(gatehouse, 'client', credentials)).status).toBe(200)

    const wrong = await person.api.post('/users/otp/confirm', { code: '000' })
    expect(wrong.status).toBe(422)
    expectErrors(wrong, { code: 'invalid', field: 'code' })
    const right = await confirmSecret(person.api, body.data.secret)
    expect(right).toMatchObject({ status: 200, body: { data: { otp_required_for_login: true } } })
    expect((await signIn(gatehouse, 'client', credentials)).status).toBe(401)
  })

  test('encrypts the secret in the database', async () => {
    const { id, secret } = await enrolled()
    const [row] = await gatehouse.db.orm.execute<{ sealed: Buffer }>(
      sql`SELECT otp_secret AS sealed FROM users WHERE id = ${id}`,
    )
    expect(row?.sealed).toBeInstanceOf(Buffer)
    expect(row?.sealed.includes(secret)).toBe(false)
  })

  test('keeps the earlier secret until the new one is confirmed', async () => {
    const { api, secret, attempt } = await enrolled()
    const without = await askSecret(api)
    expect(without.status).toBe(422)
    expectErrors(without, { code: 'required', field: 'otp_attempt' })
    expectErrors(await askSecret(api, '12'), { code: 'invalid', field: 'otp_attempt' })
    const again = (await askSecret(api, codeOf(secret))).body.data.secret
    expect((await attempt(codeOf(again))).status).toBe(401)
    expect((await attempt(codeOf(secret, 1))).status).toBe(200)
    await confirmSecret(api, again)
    expect((await attempt(codeOf(secret, 1))).status).toBe(401)
    expect((await attempt(codeOf(again, 1))).status).toBe(200)
  })

  test('shows the secret only to the user, not to administrators', async () => {
    const person = await signedIn(gatehouse, 'operator', ROLES.operator())
    for (const path of [`/users/${person.id}/otp`, `/users/${person.id}/otp/confirm`])
      expect([404, 405]).toContain((await operator.post(path, { code: '123456' })).status)
    const wrong = await person.api.post('/users/otp', { current_password: 'guessed' })
    expect(wrong.status).toBe(422)
    expectErrors(wrong, { code: 'invalid', field: 'current_password' })
    // The administrator knows the one-time password.
    const { email, oneTimePassword } = await createPerson(gatehouse, ROLES.operator())
    const { access_token } = (await signIn(gatehouse, 'operator', { email, password: oneTimePassword })).body
      .data
    const early = createApi(baseOf(gatehouse, 'operator'), access_token)
    const refused = await early.post('/users/otp', { current_password: oneTimePassword })
    expect(refused.status).toBe(403)
    expectErrors(refused, 'password_change_required')
  })

  test('refuses a confirmation if no secret is pending', async () => {
    const { api } = await signedIn(gatehouse, 'client', ROLES.client())
    const answer = await api.post('/users/otp/confirm', { code: '123456' })
    expect(answer.status).toBe(422)
    expectErrors(answer, { code: 'invalid', field: 'code' })
    expect((await operator.delete(`/users/${unique()}/otp`)).status).toBe(404)
  })
})

describe.each(['client', 'operator'] as const)('signing in as a %s', (audience) => {
  test('requires password and code, and asks for the code only if the password is right', async () => {
    const { secret, attempt } = await enrolled(audience)
    const wrong = await attempt(codeOf(secret), 'wrong')
    const without = await attempt()
    expect(without.headers.get('Gatehouse-Otp')).toBe('required')
    const bad = await attempt('12')
    expect(bad.headers.get('Gatehouse-Otp')).toBe('wrong')
    expect(wrong.headers.get('Gatehouse-Otp')).toBeNull()
    for (const { status, body } of [wrong, without, bad])
      expect({ status, body }).toEqual({ status: 401, body: { error: expect.any(String) } })
    expect((await attempt(codeOf(secret))).status).toBe(200)
  })

  test('accepts a code once, and no earlier code afterwards', async () => {
    const { secret, attempt } = await enrolled(audience)
    const [now, later] = [codeOf(secret), codeOf(secret, 1)]
    expect((await attempt(later)).status).toBe(200)
    expect((await attempt(later)).status).toBe(401)
    expect((await attempt(now)).status).toBe(401)
  })

  test('accepts one of several concurrent sign-ins with the same code', async () => {
    const { secret, attempt } = await enrolled(audience)
    const code = codeOf(secret, 1)
    const answers = await Promise.all(Array.from({ length: 5 }, () => attempt(code)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401, 401])
  })
})

test('refuses all codes of an account after ten wrong codes', async () => {
  const { secret, attempt } = await enrolled()
  for (let n = 0; n < 10; n++) expect((await attempt('12')).status).toBe(401)
  const answer = await attempt(codeOf(secret, 1))
  expect(answer.status).toBe(429)
  expectErrors(answer, 'too_many_attempts')
})

test('does not count sign-ins without a code as attempts', async () => {
  const { attempt } = await enrolled()
  for (let n = 0; n < 15; n++) expect((await attempt()).status).toBe(401)
})

test('requires only the password after removal, and reports this in the settings', async () => {
  const { id, secret, attempt } = await enrolled()
  const settings = async () => {
    const { access_token } = (await attempt(codeOf(secret))).body.data
    const response = await fetch(`${gatehouse.baseUrl}/v1/users/settings`, {
      headers: { Authorization: access_token },
    })
    return ((await response.json()) as { data: { otp_required_for_login: boolean } }).data
  }
  expect((await settings()).otp_required_for_login).toBe(true)
  expect((await operator.delete(`/users/${id}/otp`)).body.data.otp_required_for_login).toBe(false)
  expect((await attempt()).status).toBe(200)
  expect((await settings()).otp_required_for_login).toBe(false)
})

test('enrols an operator in the console with a QR code, and shows the secret on no other page', async () => {
  const { email, id } = await signedIn(gatehouse, 'operator', ROLES.operator())
  const session = await openConsole(gatehouse.baseUrl, { email, password: PASSWORD })
  expect(await session.text('/console/codes')).toContain('One-time codes are off')
  expect((await session.post('/console/codes', { current_password: 'guessed' })).status).toBe(422)
  const shown = await (await session.post('/console/codes', { current_password: PASSWORD })).text()
  expect(shown).toContain('<svg')
  const secret = (/<code>([A-Z2-7 ]+)<\/code>/.exec(shown)?.[1] ?? '').replaceAll(' ', '')
  expect((await session.post('/console/codes/confirm', { code: '000000' })).status).toBe(422)
  expect((await session.post('/console/codes/confirm', { code: codeOf(secret) })).status).toBe(303)
  const page = await session.text('/console/codes')
  expect(page).toContain('One-time codes are on')
  expect(page).not.toContain(secret)
  expect((await operator.get(`/users/${id}`)).body.data.otp_required_for_login).toBe(true)
})
