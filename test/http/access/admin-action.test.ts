/** Tests the administrative actions that require a second administrator with ADMIN_FOUR_EYES. */
import { eq } from 'drizzle-orm'
import { afterAll, describe, expect, test } from 'vitest'
import { apiKeys, users } from '../../../drizzle/schema.ts'
import { mapOrPrintGroups, printNewOperator } from '../../../src/cli/accounts.ts'
import { findUserIdBySubject, insertIdentity } from '../../../src/db/access/operator-identity.ts'
import { findUserByEmail, grantVault, setAccessEnd } from '../../../src/db/access/user.ts'
import { type Api, type ApiResponse, createApi } from '../../support/api.ts'
import { expectErrors } from '../../support/checks.ts'
import { openConsole } from '../../support/console.ts'
import { addVault, eventually, startInstance, unique } from '../../support/instance.ts'
import { logoPng } from '../../support/logo.ts'
import { PASSWORD, signIn } from '../../support/people.ts'

const gatehouse = await startInstance({ env: { ADMIN_FOUR_EYES: 'true' } })
afterAll(() => gatehouse.stop())
const { vaultId } = gatehouse
const first = await gatehouse.operator()

/**
 * Creates an operator through a proposal and its confirmation. Each administrator receives one half of the
 * password.
 */
async function made(by: Api, confirmer: Api, operator_roles: string[]) {
  const email = `${unique()}@example.com`
  const proposed = await by.post('/users', { email, operator_roles })
  expect(proposed.status).toBe(202)
  const { id, one_time_password_half: one } = proposed.body.data
  const confirmed = await confirmer.post(`/admin_actions/${id}/confirm`)
  expect(confirmed.status).toBe(200)
  const two = confirmed.body.data.one_time_password_half
  return { email, one, two, password: `${one}${two}` }
}

/** Creates an administrator with the command line, because the API would require a confirmation. */
async function createAdministrator() {
  const email = `${unique()}@example.com`
  const lines: string[] = []
  const log = console.log
  console.log = (line: string) => void lines.push(line)
  await printNewOperator(gatehouse.db, email, ['operator_admin']).finally(() => {
    console.log = log
  })
  const oneTime = lines[0] ?? ''
  const token = async (password: string) =>
    (await signIn(gatehouse, 'operator', { email, password })).body.data.access_token
  const url = `${gatehouse.baseUrl}/operator/v1`
  await createApi(url, await token(oneTime)).post('/users/change_password', {
    current_password: oneTime,
    new_password: PASSWORD,
  })
  return { email, api: createApi(url, await token(PASSWORD)) }
}
const second = await createAdministrator()

const waits = (answer: ApiResponse, action: string) =>
  expect(answer).toMatchObject({ status: 202, body: { data: { action } } })
const policy = async () => (await first.get(`/vaults/${vaultId}`)).body.data.four_eyes

test('extends four-eyes approval immediately, but requires a second administrator to weaken it', async () => {
  const path = `/vaults/${vaultId}`
  expect((await first.patch(path, { four_eyes: ['approvals', 'rejections'] })).status).toBe(200)
  const weaker = await first.patch(path, { four_eyes: ['rejections'], name: 'Engines' })
  waits(weaker, 'change_vault')
  expect(weaker.body.data.changes).toEqual({ four_eyes: ['rejections'], name: 'Engines' })
  waits(await first.patch(path, { high_risk_countries: ['IR'] }), 'change_vault')
  expect(await policy()).toEqual(['approvals', 'rejections'])
  const own = await first.post(`/admin_actions/${weaker.body.data.id}/confirm`)
  expect(own.status).toBe(422)
  expectErrors(own, 'same_operator')
  expect((await second.api.post(`/admin_actions/${weaker.body.data.id}/confirm`)).status).toBe(200)
  expect(await policy()).toEqual(['rejections'])
  expect((await second.api.post(`/admin_actions/${weaker.body.data.id}/confirm`)).status).toBe(404)
})

test('checks a logo when it is proposed, and changes it when it is confirmed', async () => {
  const path = `/vaults/${(await addVault(gatehouse)).vaultId}`
  const ask = (logo: Buffer) => first.patch(path, { high_risk_countries: [], logo: logo.toString('base64') })
  expectErrors(await ask(Buffer.from('no image')), { code: 'invalid', field: 'logo' })
  const proposed = await ask(await logoPng())
  waits(proposed, 'change_vault')
  expect((await second.api.post(`/admin_actions/${proposed.body.data.id}/confirm`)).status).toBe(200)
  expect((await first.get(path)).body.data.logo_url).toContain('/logo.png')
})

describe('ADMIN_FOUR_EYES', () => {
  test('creates an operator with two administrators, and requires both halves of the password to sign in', async () => {
    const { email, one, two, password } = await made(first, second.api, ['operator_review'])
    for (const wrong of [one, two, `${two}${one}`])
      expect((await signIn(gatehouse, 'operator', { email, password: wrong })).status).toBe(401)
    expect((await signIn(gatehouse, 'operator', { email, password })).status).toBe(200)
  })
  test('requires a second administrator to reset a password, remove codes or add roles, but not to remove roles', async () => {
    const { email } = await made(first, second.api, ['operator_review'])
    const { data: users } = (await first.get('/users?per_page=100')).body
    const { id } = users.find((user: { email: string }) => user.email === email)
    waits(await first.post(`/users/${id}/reset_password`), 'reset_password')
    waits(await first.delete(`/users/${id}/otp`), 'remove_codes')
    waits(
      await first.patch(`/users/${id}`, { operator_roles: ['operator_review', 'operator_admin'] }),
      'change_roles',
    )
    expect((await first.patch(`/users/${id}`, { operator_roles: [] })).status).toBe(200)
    expect((await first.post(`/users/${id}/revoke_tokens`)).status).toBe(200)
  })
  test('issues a new password if a client becomes an operator', async () => {
    const vaults = [{ id: vaultId, roles: ['api_read'] }]
    const client = await first.post('/users', { email: `${unique()}@example.com`, vaults })
    expect(client.status).toBe(201)
    const { id, email, one_time_password: known } = client.body.data
    expect((await first.post(`/users/${id}/reset_password`)).status).toBe(200)
    const proposed = await first.patch(`/users/${id}`, { operator_roles: ['operator_review'] })
    const { body } = await second.api.post(`/admin_actions/${proposed.body.data.id}/confirm`)
    expect((await signIn(gatehouse, 'operator', { email, password: known })).status).toBe(401)
    const password = proposed.body.data.one_time_password_half + body.data.one_time_password_half
    expect((await signIn(gatehouse, 'operator', { email, password })).status).toBe(200)
  })
})

describe('a user who can act as the client', () => {
  const roles = (...own: string[]) => [{ id: vaultId, roles: own }]

  test.each(['api_write', 'client_admin'])('is created by two administrators: %s', async (role) => {
    const email = `${unique()}@example.com`
    const proposed = await first.post('/users', { email, vaults: roles(role) })
    waits(proposed, 'create_user')
    expect(await findUserByEmail(gatehouse.db, email)).toBeNull()
    const confirmed = await second.api.post(`/admin_actions/${proposed.body.data.id}/confirm`)
    expect(confirmed.status).toBe(200)
    const id = (await findUserByEmail(gatehouse.db, email))?.id
    waits(await first.post(`/users/${id}/reset_password`), 'reset_password')
    waits(await first.delete(`/users/${id}/otp`), 'remove_codes')
    expect((await first.patch(`/users/${id}`, { vaults: roles('api_read') })).status).toBe(200)
    waits(await first.patch(`/users/${id}`, { vaults: roles('api_read', role) }), 'change_roles')
  })
  test('reads with one administrator', async () => {
    const email = `${unique()}@example.com`
    const created = await first.post('/users', { email, vaults: roles('api_read', 'client_viewer') })
    expect(created.status).toBe(201)
  })
})

describe('a confirmation that makes a user an operator', () => {
  const grants = async (id: string) => (await first.get(`/users/${id}`)).body.data.operator_grants
  const confirm = (id: string) => second.api.post(`/admin_actions/${id}/confirm`)

  test('is refused if one administrator knows the password, because the user lost all roles in between', async () => {
    const { email } = await made(first, second.api, ['operator_review'])
    const id = (await findUserByEmail(gatehouse.db, email))?.id ?? ''
    const proposed = await first.patch(`/users/${id}`, { operator_roles: ['operator_admin'] })
    waits(proposed, 'change_roles')
    expect(proposed.body.data).not.toHaveProperty('one_time_password_half')
    expect((await first.patch(`/users/${id}`, { operator_roles: [] })).status).toBe(200)
    const reset = await first.post(`/users/${id}/reset_password`)
    expect(reset.body.data.one_time_password).toEqual(expect.any(String))
    expectErrors(await confirm(proposed.body.data.id), 'stale_version')
    expect(await grants(id)).toEqual([])
    expect((await second.api.post(`/admin_actions/${proposed.body.data.id}/withdraw`)).status).toBe(200)
  })
  test('removes the codes and identities that one administrator may have added before', async () => {
    const vaults = [{ id: vaultId, roles: ['api_read'] }]
    const { id } = (await first.post('/users', { email: `${unique()}@example.com`, vaults })).body.data
    const identity = { issuer: 'https://login.example', subject: unique() }
    await insertIdentity(gatehouse.db, id, identity)
    await gatehouse.db.orm
      .update(users)
      .set({ otpSecret: Buffer.of(1) })
      .where(eq(users.id, id))
    const proposed = await first.patch(`/users/${id}`, { operator_roles: ['operator_review'] })
    expect((await confirm(proposed.body.data.id)).status).toBe(200)
    expect(await grants(id)).toHaveLength(1)
    expect(await findUserIdBySubject(gatehouse.db, identity)).toBeNull()
    expect((await first.get(`/users/${id}`)).body.data.otp_required_for_login).toBe(false)
  })
})

describe('a confirmation', () => {
  const inVault = (...roles: string[]) => ({ vaults: [{ id: vaultId, roles }] })
  const newUser = async (...roles: string[]) => {
    const user = { email: `${unique()}@example.com`, ...inVault(...roles) }
    const { body } = await first.post('/users', user)
    const { id } = body.data
    if (!roles.includes('api_write')) return id
    expect((await second.api.post(`/admin_actions/${id}/confirm`)).status).toBe(200)
    return (await findUserByEmail(gatehouse.db, user.email))?.id
  }
  const newGroup = async () => {
    const name = unique()
    await mapOrPrintGroups(gatehouse.db, name, { role: ['auditor'] })
    return name
  }
  const newVault = async () =>
    (await first.post('/vaults', { name: unique(), four_eyes: ['approvals', 'rejections'] })).body.data.id
  const newKey = async () =>
    (await first.post(`/vaults/${vaultId}/api_keys`, { roles: ['api_write'] })).body.data.id
  const proposalOfKey = async (id: string) => {
    const prefix = (await first.get(`/vaults/${vaultId}/api_keys?per_page=100`)).body.data.find(
      (key: { id: string }) => key.id === id,
    ).prefix
    const { data } = (await first.get('/admin_actions?per_page=100')).body
    return {
      body: { data: data.find((each: { changes: { prefix?: string } }) => each.changes.prefix === prefix) },
    }
  }

  test.each([
    {
      about: 'a user whose roles have changed',
      create: () => newUser('api_read'),
      propose: (id: string) => first.patch(`/users/${id}`, inVault('api_write')),
      change: (id: string) => first.patch(`/users/${id}`, inVault('client_viewer')),
    },
    {
      about: 'a user whose access has ended',
      create: () => newUser('api_read'),
      propose: (id: string) => first.patch(`/users/${id}`, inVault('api_write')),
      change: (id: string) => setAccessEnd(gatehouse.db, id, 0),
    },
    {
      about: 'the password of a user whose roles have changed',
      create: () => newUser('api_write'),
      propose: (id: string) => first.post(`/users/${id}/reset_password`),
      change: (id: string) => first.patch(`/users/${id}`, inVault('api_read')),
    },
    {
      about: 'the codes of a user whose roles have changed',
      create: () => newUser('api_write'),
      propose: (id: string) => first.delete(`/users/${id}/otp`),
      change: (id: string) => first.patch(`/users/${id}`, inVault('api_read')),
    },
    {
      about: 'a group whose roles have changed',
      create: newGroup,
      propose: (name: string) =>
        first.put(`/operator_groups/${name}`, { operator_grants: [{ role: 'reviewer', vault_id: null }] }),
      change: (name: string) => first.delete(`/operator_groups/${name}`),
    },
    {
      about: 'a setting of a vault that has changed',
      create: newVault,
      propose: (id: string) => first.patch(`/vaults/${id}`, { four_eyes: ['rejections'] }),
      change: (id: string) =>
        first.patch(`/vaults/${id}`, { four_eyes: ['approvals', 'rejections', 'case_closings'] }),
    },
    {
      about: 'a key that has been revoked',
      create: newKey,
      propose: proposalOfKey,
      change: (id: string) => first.delete(`/api_keys/${id}`),
    },
    {
      about: 'a key that has expired',
      create: newKey,
      propose: proposalOfKey,
      change: (id: string) =>
        gatehouse.db.orm
          .update(apiKeys)
          .set({ expiresAt: new Date(0) })
          .where(eq(apiKeys.id, id)),
    },
  ])('is refused if the proposal is about $about', async ({ create, propose, change }) => {
    const subject = await create()
    const { id } = (await propose(subject)).body.data
    await change(subject)
    const recorded = async () => (await first.get('/audit?per_page=1')).body.data[0]
    const before = await recorded()
    const refused = await second.api.post(`/admin_actions/${id}/confirm`)
    expect(refused.status).toBe(409)
    expectErrors(refused, 'stale_version')
    expect(await recorded()).toEqual(before)
    expect((await second.api.post(`/admin_actions/${id}/withdraw`)).status).toBe(200)
  })

  test('is possible if only other settings of the vault have changed', async () => {
    const path = `/vaults/${await newVault()}`
    const { id } = (await first.patch(path, { four_eyes: [] })).body.data
    expect((await first.patch(path, { name: unique() })).status).toBe(200)
    expect((await second.api.post(`/admin_actions/${id}/confirm`)).status).toBe(200)
    expect((await first.get(path)).body.data.four_eyes).toEqual([])
  })
})

describe('groups of the provider', () => {
  const grant = (role: string, vault_id: string | null = null) => ({ operator_grants: [{ role, vault_id }] })
  const grantsOf = async (name: string) =>
    (await first.get('/operator_groups')).body.data.find((group: { name: string }) => group.name === name)
      ?.operator_grants ?? []

  test('get a new role only with two administrators, but lose one with a single administrator', async () => {
    const name = unique()
    const path = `/operator_groups/${name}`
    const proposed = await first.put(path, grant('reviewer'))
    waits(proposed, 'change_group')
    expect(await grantsOf(name)).toEqual([])
    const confirm = `/admin_actions/${proposed.body.data.id}/confirm`
    expectErrors(await first.post(confirm), 'same_operator')
    expect((await second.api.post(confirm)).status).toBe(200)
    expect(await grantsOf(name)).toEqual(grant('reviewer').operator_grants)
    waits(await first.put(path, grant('senior_reviewer')), 'change_group')
    waits(await first.put(path, grant('administrator', vaultId)), 'change_group')
    expect((await first.delete(path)).status).toBe(200)
    expect(await grantsOf(name)).toEqual([])
  })
  test('get no role from one administrator in the console', async () => {
    const mine = await openConsole(gatehouse.baseUrl, gatehouse.credentials)
    const group = unique()
    const form = { group, operator_roles: 'reviewer:' }
    const answer = await mine.post('/console/settings/groups/group', form)
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/console/settings/actions'])
    expect(await grantsOf(group)).toEqual([])
    expect(await mine.text('/console/settings/actions')).toContain(group)
  })
  test('get roles from the owner of the machine immediately, with an entry in the audit trail', async () => {
    const name = unique()
    await mapOrPrintGroups(gatehouse.db, name, { role: ['reviewer'] })
    expect(await grantsOf(name)).toEqual(grant('reviewer').operator_grants)
    const { data } = (await first.get('/audit?action=group_mapped&actor=cli')).body
    expect(data[0]).toMatchObject({ actor: 'cli', changes: { group: { to: name } } })
  })
})

test('requires a second administrator to reset a password if the provider can restore the roles', async () => {
  const { email } = await made(first, second.api, ['operator_review'])
  const user = await findUserByEmail(gatehouse.db, email)
  const id = user?.id ?? ''
  await insertIdentity(gatehouse.db, id, { issuer: 'https://login.example', subject: unique() })
  expect((await first.patch(`/users/${id}`, { operator_roles: [] })).status).toBe(200)
  waits(await first.post(`/users/${id}/reset_password`), 'reset_password')
  waits(await first.delete(`/users/${id}/otp`), 'remove_codes')
})

test('withdraws an action, and refuses a confirmation if the action is no longer possible', async () => {
  const email = `${unique()}@example.com`
  const ask = () => first.post('/users', { email, operator_roles: ['operator_review'] })
  const [one, two, three] = [await ask(), await ask(), await ask()].map(({ body }) => body.data.id)
  expect((await first.get('/admin_actions')).body.data.map(({ id }: { id: string }) => id)).toEqual(
    expect.arrayContaining([one, two, three]),
  )
  expect((await second.api.post(`/admin_actions/${one}/withdraw`)).status).toBe(200)
  expect((await second.api.post(`/admin_actions/${two}/confirm`)).status).toBe(200)
  expectErrors(await second.api.post(`/admin_actions/${three}/confirm`), {
    code: 'email_taken',
    field: 'email',
  })
})

test('proposes the action in the console, and shows each administrator one half of the password', async () => {
  const mine = await openConsole(gatehouse.baseUrl, gatehouse.credentials)
  const theirs = await openConsole(gatehouse.baseUrl, { email: second.email, password: PASSWORD })
  const person = `${unique()}@example.com`
  const halfIn = (text: string) => /id="secret"[^>]*value="(\w+)"/.exec(text)?.[1] ?? ''
  const settings = '/console/settings'
  const form = { email: person, operator_roles: 'senior_reviewer:' }
  const one = halfIn(await (await mine.post(`${settings}/users/new`, form)).text())
  const [, path = ''] =
    new RegExp(`${person}[\\s\\S]*?action="([^"]+/confirm)"`).exec(
      await theirs.text(`${settings}/actions`),
    ) ?? []
  expect((await mine.post(path)).status).toBe(422)
  const two = halfIn(await (await theirs.post(path)).text())
  expect((await signIn(gatehouse, 'operator', { email: person, password: one + two })).status).toBe(200)
})

describe('an API key', () => {
  const create = (roles: string[]) => first.post(`/vaults/${vaultId}/api_keys`, { roles, name: 'Backend' })
  const statusOf = async (key: string) => createApi(`${gatehouse.baseUrl}/v1`, key).get('/kyb')
  const proposalOf = async (prefix: string) => {
    const { data } = (await second.api.get('/admin_actions?per_page=100')).body
    return data.find(({ changes }: { changes: { prefix?: string } }) => changes.prefix === prefix)
  }

  test('that can change data is valid only after a second administrator confirms it', async () => {
    const { status, body } = await create(['api_read', 'api_write'])
    expect([status, body.data.awaits_confirmation]).toEqual([201, true])
    const refused = await statusOf(body.data.key)
    expect([refused.status, refused.body.error]).toEqual([
      401,
      expect.stringContaining('awaits confirmation'),
    ])
    const { id, action, vault_id } = await proposalOf(body.data.prefix)
    expect([action, vault_id]).toEqual(['confirm_api_key', vaultId])
    expectErrors(await first.post(`/admin_actions/${id}/confirm`), 'same_operator')
    expect((await statusOf(body.data.key)).status).toBe(401)
    expect((await second.api.post(`/admin_actions/${id}/confirm`)).status).toBe(200)
    await eventually(async () => expect((await statusOf(body.data.key)).status).toBe(200))
    const audit = (await second.api.get('/audit?action=api_key_confirmed&per_page=1')).body.data
    expect(audit).toMatchObject([{ subject_id: body.data.id, vault_id: vaultId }])
  })
  test('of a client is not confirmed by the person who created it, even if the person is an operator', async () => {
    const { email } = await createAdministrator()
    const userId = (await findUserByEmail(gatehouse.db, email))?.id ?? ''
    await grantVault(gatehouse.db, { vaultId, userId, roles: ['client_admin'] })
    const both = await openConsole(gatehouse.baseUrl, { email, password: PASSWORD })
    const form = { name: 'Ledger', roles: 'api_write', expires_at: '' }
    const made = await (await both.post(`/console/client/${vaultId}/keys`, form)).text()
    const { id } = await proposalOf(/gk_test_\w{46}/.exec(made)?.[0].slice(0, 12) ?? '')
    const actions = '/console/settings/actions'
    expect(await both.text(actions)).not.toContain(`${id}/confirm`)
    expect((await both.post(`${actions}/${id}/confirm`)).status).toBe(422)
    expect((await second.api.post(`/admin_actions/${id}/confirm`)).status).toBe(200)
  })
  test('whose confirmation is withdrawn is revoked', async () => {
    const { body } = await create(['api_write'])
    const { id } = await proposalOf(body.data.prefix)
    expect((await first.post(`/admin_actions/${id}/withdraw`)).status).toBe(200)
    const { error } = (await statusOf(body.data.key)).body
    expect(error).toContain('has been revoked')
  })
  test('that only reads needs no second administrator', async () => {
    const { body } = await create(['api_read'])
    expect(body.data.awaits_confirmation).toBe(false)
    expect((await statusOf(body.data.key)).status).toBe(200)
  })
})

test('a new vault has imports only after a second administrator confirms them', async () => {
  const { status, body } = await first.post('/vaults', { name: unique(), import_enabled: true })
  expect([status, body.data.import_enabled]).toEqual([201, false])
  const { data } = (await second.api.get('/admin_actions?per_page=100')).body
  const [proposal] = data.filter(({ vault_id }: { vault_id: string }) => vault_id === body.data.id)
  expect(proposal).toMatchObject({ action: 'change_vault', changes: { import_enabled: true } })
  expect((await second.api.post(`/admin_actions/${proposal.id}/confirm`)).status).toBe(200)
  expect((await first.get(`/vaults/${body.data.id}`)).body.data.import_enabled).toBe(true)
})
