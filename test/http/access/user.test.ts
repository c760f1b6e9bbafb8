/** Tests the management of users and operators, and the change of their own password. */

import { eq } from 'drizzle-orm'
import { decodeJwt } from 'jose'
import { describe, expect, test } from 'vitest'
import { apiKeys, users, vaultUsers } from '../../../drizzle/schema.ts'
import { saveUser } from '../../../src/db/access/user.ts'
import { insertVault } from '../../../src/db/access/vault.ts'
import { MAX_VAULTS } from '../../../src/domain/access/access.ts'
import { grantsOfNames } from '../../../src/domain/access/grant.ts'
import { type Api, createApi } from '../../support/api.ts'
import { expectErrors } from '../../support/checks.ts'
import { runCli } from '../../support/erasure.ts'
import { addVault, sharedInstance, unique } from '../../support/instance.ts'
import { baseOf, createPerson, PASSWORD, signedIn, signIn } from '../../support/people.ts'

const gatehouse = await sharedInstance()
const operator = await gatehouse.operator()
const second = (await addVault(gatehouse)).vaultId

const reading = () => ({ vaults: [{ id: gatehouse.vaultId, roles: ['api_read'] }] })
const is401 = async (api: Api, path: string) => expect((await api.get(path)).status).toBe(401)

describe('POST /users', () => {
  test('returns the user and a password, which is shown only once', async () => {
    const email = `${unique()}@example.com`
    const vaults = [
      { id: second, roles: ['api_read'] },
      { id: gatehouse.vaultId, roles: ['api_read', 'api_write'] },
    ]
    const { status, body } = await operator.post('/users', { email, vaults })
    expect(status).toBe(201)
    expect(body.data).toEqual({
      id: expect.any(String),
      email,
      vaults: vaults.map((vault) => ({ ...vault, name: expect.any(String) })),
      operator_roles: [],
      operator_grants: [],
      member_of: null,
      otp_required_for_login: false,
      password_change_required: true,
      created_at: expect.any(Number),
      one_time_password: expect.stringMatching(/^\w{20}$/),
    })
    const { one_time_password, ...shown } = body.data
    expect((await operator.get(`/users/${shown.id}`)).body).toEqual({ data: shown })
  })

  test('treats the email as case-insensitive when it checks for duplicates', async () => {
    const { email } = await createPerson(gatehouse, reading())
    const answer = await operator.post('/users', { email: email.toUpperCase(), ...reading() })
    expect(answer.status).toBe(422)
    expectErrors(answer, { code: 'email_taken', field: 'email' })
  })

  test('refuses a user without a vault or a role', async () => {
    const answer = await operator.post('/users', { email: `${unique()}@example.com` })
    expect(answer.status).toBe(422)
    expectErrors(answer, { code: 'required', field: 'operator_roles' })
  })

  test('returns all problems at once', async () => {
    const answer = await operator.post('/users', {
      email: 'nobody',
      vaults: [
        { id: second, roles: [] },
        { id: second, roles: ['operator_admin'] },
      ],
      operator_roles: ['api_read'],
      password: 'x',
    })
    expect(answer.status).toBe(422)
    const fields = answer.body.errors.map(({ field }: { field: string }) => field)
    expect(fields).toEqual(
      expect.arrayContaining(['email', 'vaults.0.roles', 'operator_roles.0', 'password']),
    )
  })

  test('names an unknown vault', async () => {
    const vaults = [{ id: unique(), roles: ['api_read'] }]
    const answer = await operator.post('/users', { email: `${unique()}@example.com`, vaults })
    expect(answer.status).toBe(422)
    expectErrors(answer, { code: 'invalid', field: 'vaults.0.id' })
  })
})

test('GET /users lists users in pages, oldest first', async () => {
  const first = await createPerson(gatehouse, reading())
  const { body } = await operator.get('/users?per_page=100')
  const emails = body.data.map((user: { email: string }) => user.email)
  expect(emails).toContain(gatehouse.credentials.operator_email)
  expect(emails.at(-1)).toBe(first.email)
  expect(body.pagination.total_count).toBe(emails.length)
  const page = (await operator.get('/users?per_page=2&page=2')).body
  expect(page.data).toEqual(body.data.slice(2, 4))
})

describe('a one-time password', () => {
  test('allows only a password change, and expires with it', async () => {
    const { email, oneTimePassword } = await createPerson(gatehouse, reading())
    const { status, body } = await signIn(gatehouse, 'client', { email, password: oneTimePassword })
    expect(status).toBe(200)
    expect(body.data.user).toMatchObject({ email, password_change_required: true })
    const api = createApi(baseOf(gatehouse, 'client'), body.data.access_token)
    for (const refused of [await api.get('/kyb'), await api.post('/kyb', {})]) {
      expect(refused.status).toBe(403)
      expectErrors(refused, 'password_change_required')
    }

    const change = { current_password: oneTimePassword, new_password: PASSWORD }
    const changed = await api.post('/users/change_password', change)
    expect(changed.status).toBe(200)
    expect(changed.body.data.vaults).toHaveLength(1)
    const own = createApi(baseOf(gatehouse, 'client'), changed.body.data.access_token)
    expect((await own.get('/kyb')).status).toBe(200)
    expect((await signIn(gatehouse, 'client', { email, password: oneTimePassword })).status).toBe(401)
    const again = await signIn(gatehouse, 'client', { email, password: PASSWORD })
    expect(again.body.data.user).toEqual({ id: expect.any(String), email })
  })

  test('expires after three days', async () => {
    const { id, email, oneTimePassword } = await createPerson(gatehouse, reading())
    const past = { passwordExpiresAt: new Date(Date.now() - 1) }
    await gatehouse.db.orm.update(users).set(past).where(eq(users.id, id))
    expect((await signIn(gatehouse, 'client', { email, password: oneTimePassword })).status).toBe(401)
  })

  test('is created again by a reset, which revokes the user’s tokens and password', async () => {
    const person = await signedIn(gatehouse, 'operator', { operator_roles: ['operator_review'] })
    const { body } = await operator.post(`/users/${person.id}/reset_password`)
    expect(body.data).toMatchObject({ password_change_required: true })
    const credentials = { email: person.email, password: PASSWORD }
    expect((await signIn(gatehouse, 'operator', credentials)).status).toBe(401)
    const oneTime = { email: person.email, password: body.data.one_time_password }
    expect((await signIn(gatehouse, 'operator', oneTime)).status).toBe(200)
    await is401(person.api, '/queue')
  })
})

describe('POST /users/change_password', () => {
  const change = (api: Api, current_password: string, new_password: string) =>
    api.post('/users/change_password', { current_password, new_password })

  test.each(['client', 'operator'] as const)(
    'revokes all tokens of a %s except the one that it returns',
    async (audience) => {
      const roles = audience === 'client' ? reading() : { operator_roles: ['operator_review'] }
      const person = await signedIn(gatehouse, audience, roles)
      const path = audience === 'client' ? '/kyb' : '/queue'
      expect((await person.api.get(path)).status).toBe(200)
      const { status, body } = await change(person.api, PASSWORD, 'another password')
      expect(status).toBe(200)
      await is401(person.api, path)
      const api = createApi(baseOf(gatehouse, audience), body.data.access_token)
      expect((await api.get(path)).status).toBe(200)
    },
  )

  test('requires the current password, and a different one of at least 12 characters', async () => {
    const { api } = await signedIn(gatehouse, 'client', reading())
    const wrong = await change(api, 'wrong', 'another password')
    expectErrors(wrong, { code: 'invalid', field: 'current_password' })
    expectErrors(await change(api, PASSWORD, PASSWORD), { code: 'invalid', field: 'new_password' })
    const short = await change(api, PASSWORD, 'eleven char')
    expect(short.status).toBe(422)
    expectErrors(short, { code: 'invalid', field: 'new_password' })
  })

  test('limits failed attempts, so that a stolen token does not allow guessing', async () => {
    const { api } = await signedIn(gatehouse, 'client', reading())
    for (let n = 0; n < 10; n++) expect((await change(api, 'wrong', 'another password')).status).toBe(422)
    expect((await change(api, PASSWORD, 'another password')).status).toBe(429)
  })

  test('accepts one of two concurrent changes', async () => {
    const { api } = await signedIn(gatehouse, 'client', reading())
    const answers = await Promise.all([
      change(api, PASSWORD, 'the first of two'),
      change(api, PASSWORD, 'the other of two'),
    ])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422])
  })
})

describe('PATCH /users/{id}', () => {
  test('replaces roles, and revokes tokens with the earlier roles immediately', async () => {
    const person = await signedIn(gatehouse, 'client', reading())
    expect((await person.api.get('/kyb')).status).toBe(200)
    const vaults = [{ id: second, roles: ['api_write'] }]
    const { status, body } = await operator.patch(`/users/${person.id}`, { vaults })
    expect(status).toBe(200)
    expect(body.data.vaults).toMatchObject(vaults)
    await is401(person.api, '/kyb')
    const { data } = (await signIn(gatehouse, 'client', { email: person.email, password: PASSWORD })).body
    expect(decodeJwt(data.access_token)).toMatchObject({ vaults })
  })

  test('prevents sign-in if no role is left, until a role is added', async () => {
    const person = await signedIn(gatehouse, 'operator', { operator_roles: ['operator_review'] })
    const credentials = { email: person.email, password: PASSWORD }
    await operator.patch(`/users/${person.id}`, { operator_roles: [] })
    expect((await signIn(gatehouse, 'operator', credentials)).status).toBe(401)
    await operator.patch(`/users/${person.id}`, { operator_roles: ['operator_admin'] })
    expect((await signIn(gatehouse, 'operator', credentials)).body.data.operator_roles).toEqual([
      'operator_admin',
    ])
  })
})

test('POST /users/{id}/revoke_tokens revokes all tokens in every process immediately', async () => {
  const person = await signedIn(gatehouse, 'client', reading())
  expect((await person.api.get('/kyb')).status).toBe(200)
  expect((await operator.post(`/users/${person.id}/revoke_tokens`)).status).toBe(200)
  await is401(person.api, '/kyb')
  expect((await signIn(gatehouse, 'client', { email: person.email, password: PASSWORD })).status).toBe(200)
})

test.each([
  ['GET', ''],
  ['PATCH', ''],
  ['POST', '/reset_password'],
  ['POST', '/revoke_tokens'],
])('%s /users/{id}%s returns 404 for an unknown user', async (method, path) => {
  const answer = await operator.send(method, `/users/${unique()}${path}`, method === 'PATCH' ? {} : undefined)
  expect(answer.status).toBe(404)
})

test('the command line keeps operator roles when it adds a vault, and reports the replaced password', async () => {
  const vaults = [{ id: gatehouse.vaultId, roles: ['api_write'] }]
  const { id, email } = await createPerson(gatehouse, { operator_roles: ['operator_review'], vaults })
  const create = (email: string) => runCli(gatehouse, 'create-user', '--email', email, '--vault', second)
  const { code, output } = await create(email)
  expect([code, output]).toEqual([0, expect.stringContaining('A user with this email already exists')])
  const { data } = (await operator.get(`/users/${id}`)).body
  expect(data.operator_roles).toEqual(['operator_review'])
  expect(data.vaults.map((vault: { id: string }) => vault.id)).toEqual([gatehouse.vaultId, second])
  const other = await create(`${unique()}@example.com`)
  expect([other.code, other.output]).toEqual([0, expect.not.stringContaining('already exists')])
})

test('the command line refuses more vaults than a token can contain', async () => {
  const vaults: { id: string; roles: string[] }[] = []
  for (let n = 0; n < MAX_VAULTS; n += 1) {
    const vault = { id: unique(), name: `Vault ${n}`, webhookSecret: 'a secret' }
    await insertVault(gatehouse.db, vault)
    vaults.push({ id: vault.id, roles: ['api_read'] })
  }
  const { id, email } = await createPerson(gatehouse, { vaults })
  const { code, output } = await runCli(gatehouse, 'create-user', '--email', email, '--vault', second)
  expect([code, output]).toEqual([1, expect.stringContaining(`at most ${MAX_VAULTS} vaults`)])
  expect((await operator.get(`/users/${id}`)).body.data.vaults).toHaveLength(MAX_VAULTS)
  // A user with more vaults than the limit keeps them.
  await gatehouse.db.orm.insert(vaultUsers).values({ userId: id, vaultId: second, roles: ['api_read'] })
  const again = await runCli(gatehouse, 'create-user', '--email', email, '--vault', second)
  expect([again.code, again.output]).toEqual([0, expect.stringContaining('already exists')])
})

test('the command line replaces the password of an existing user, even if the email is not valid', async () => {
  const user = { id: unique(), email: `root-${unique()}@localhost`, passwordHash: 'of another password' }
  await saveUser(gatehouse.db, { ...user, operatorGrants: grantsOfNames(['operator_admin']) })
  const { code, output } = await runCli(gatehouse, 'create-operator', '--email', user.email)
  expect([code, output]).toEqual([0, expect.stringContaining('A user with this email already exists')])
  // Without --role, the command grants only operator_review.
  expect((await operator.get(`/users/${user.id}`)).body.data.operator_roles).toEqual(['operator_review'])
})

describe('the command line', () => {
  const unknown = unique()
  const vault = ['--vault', gatehouse.vaultId]
  test.each([
    [
      'an API key for an unknown vault',
      ['create-api-key', '--vault', unknown],
      `There is no vault ${unknown}.`,
    ],
    ['an API key for a malformed vault ID', ['create-api-key', '--vault', 'abc'], 'There is no vault abc.'],
    [
      'a user of an unknown vault',
      ['create-user', '--email', 'a@example.com', '--vault', unknown],
      `There is no vault ${unknown}.`,
    ],
    [
      'a user with a malformed email',
      ['create-user', '--email', 'not an email ', ...vault],
      '--email: Send one email address without spaces, with ASCII characters before the @, such as ada@example.com.',
    ],
    [
      'an operator with a too long email',
      ['create-operator', '--email', `${'a'.repeat(250)}@example.com`],
      '--email: At most 254 characters are allowed.',
    ],
  ])('refuses %s', async (_, args, message) => {
    const before = [await gatehouse.db.orm.$count(users), await gatehouse.db.orm.$count(apiKeys)]
    expect(await runCli(gatehouse, ...args)).toEqual({ code: 1, output: `${message}\n` })
    expect([await gatehouse.db.orm.$count(users), await gatehouse.db.orm.$count(apiKeys)]).toEqual(before)
  })
})
