/** Tests SCIM 2.0, with which a directory manages operators. */
import { afterAll, describe, expect, test } from 'vitest'
import { BASES } from '../../../src/api/app.ts'
import { transaction } from '../../../src/db/connection/database.ts'
import { BY_COMMAND_LINE } from '../../../src/domain/access/audit.ts'
import { grantsOfNames } from '../../../src/domain/access/grant.ts'
import { changeGroup } from '../../../src/use-cases/access/operator-groups.ts'
import { removeProvisionedOperator } from '../../../src/use-cases/access/provisioning.ts'
import { getUser } from '../../../src/use-cases/access/users.ts'
import { createApi } from '../../support/api.ts'
import { untilBlocked } from '../../support/connections.ts'
import { openConsole } from '../../support/console.ts'
import { eventually, unique } from '../../support/instance.ts'
import { createPerson, PASSWORD, signedIn } from '../../support/people.ts'
import { mountedRoutes, routesBelow } from '../../support/routes.ts'
import { openBrowser, requestTokens, singleSignOn, startWithProvider } from '../../support/sso.ts'

const SCIM_TOKEN = 'a-token-of-the-directory'
const { gatehouse, provider, addPerson, stop } = await startWithProvider({ SCIM_TOKEN })
afterAll(stop)
const { baseUrl, db } = gatehouse
await changeGroup({ db }, BY_COMMAND_LINE, 'reviewers', grantsOfNames(['operator_review']))

async function scim(method: string, path: string, body?: unknown, token = `Bearer ${SCIM_TOKEN}`) {
  const response = await fetch(`${baseUrl}/scim/v2${path}`, {
    method,
    headers: { Authorization: token, 'Content-Type': 'application/scim+json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a body
    body: text === '' ? null : (JSON.parse(text) as any),
  }
}

const patch = (...Operations: object[]) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations,
})
const newName = () => `${unique()}@example.com`
const createUser = async (more: object = {}) => {
  const { body } = await scim('POST', '/Users', { userName: newName(), ...more })
  return { id: body.id as string, email: body.userName as string }
}
const createGroup = async (members: string[] = [], displayName = unique()) =>
  (await scim('POST', '/Groups', { displayName, members: members.map((value) => ({ value })) })).body
    .id as string
const auditOf = async (id: string) => {
  const { body } = await (await gatehouse.operator()).get('/audit?per_page=100')
  return body.data
    .filter((entry: { subject_id: string }) => entry.subject_id === id)
    .map((entry: { actor: string; action: string }) => `${entry.actor} ${entry.action}`)
}
/** Signs in as a person of the provider with this email. */
const signIn = async (email: string, groups: string[] = []) => {
  const browser = openBrowser()
  const answer = await singleSignOn(browser, gatehouse, addPerson(groups, { email }))
  return { answer, status: async () => (await browser.send(`${baseUrl}/console`)).status }
}

test('accepts only the token of the directory on every route, and the token on no other route', async () => {
  const { accessToken } = await requestTokens(gatehouse, provider, addPerson(['reviewers']))
  const operator = await signedIn(gatehouse, 'operator', { operator_roles: ['operator_admin'] })
  const client = await signedIn(gatehouse, 'client', {
    vaults: [{ id: gatehouse.vaultId, roles: ['api_read', 'api_write'] }],
  })
  const credentials = {
    none: '',
    unknown: 'Bearer x',
    longer: `Bearer ${SCIM_TOKEN}x`,
    'without a scheme': SCIM_TOKEN,
    'API key': `Bearer ${gatehouse.credentials.api_key}`,
    operator: `Bearer ${operator.token}`,
    client: `Bearer ${client.token}`,
    provider: `Bearer ${accessToken}`,
  }
  const routes = routesBelow(gatehouse.app, '/scim/v2')
  expect(routes.length).toBeGreaterThan(15)
  const before = (await scim('GET', '/Users')).body.totalResults
  for (const route of routes)
    for (const [name, token] of Object.entries(credentials)) {
      const path = route.path.replace(':id', operator.id)
      const body = route.method === 'GET' || route.method === 'DELETE' ? undefined : { userName: newName() }
      const answer = await scim(route.method, path, body, token)
      expect({ ...route, name, status: answer.status, schemas: answer.body.schemas }).toEqual({
        ...route,
        name,
        status: 401,
        schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      })
    }
  expect((await scim('GET', '/Users')).body.totalResults).toBe(before)
  for (const { audience, method, path } of mountedRoutes(gatehouse.app)) {
    if (/^\/(sign_in|openapi.json|docs)$/.test(path)) continue
    const { status } = await fetch(baseUrl + BASES[audience] + path.replaceAll(/:(\w+)/g, unique), {
      method,
      headers: { Authorization: `Bearer ${SCIM_TOKEN}` },
    })
    expect([method, path, status]).toEqual([method, path, 401])
  }
  const { status, headers } = await scim('GET', '/Users')
  expect([status, headers.get('Content-Type')]).toEqual([
    200,
    expect.stringMatching('^application/scim\\+json'),
  ])
})

test.each([
  ['/Users', 'GET, HEAD, POST'],
  ['/Groups/some-id', 'GET, HEAD, PUT, PATCH, DELETE'],
  ['/ServiceProviderConfig', 'GET, HEAD'],
  ['/ResourceTypes', 'GET, HEAD'],
  ['/Schemas/some-id', 'GET, HEAD'],
])('supports for %s only %s, and returns 405 with Allow for other methods', async (path, allowed) => {
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    if (allowed.split(', ').includes(method)) continue
    const { status, headers } = await scim(method, path)
    expect([method, status, headers.get('Allow')]).toEqual([method, 405, allowed])
  }
})

test('grants an operator the roles of its groups, at the first sign-in and after each change', async () => {
  const { id, email } = await createUser({ externalId: 'of-the-directory' })
  const before = await signIn(email)
  expect(before.answer.status).toBe(403)
  const [group] = (await scim('GET', '/Groups?filter=displayName eq "reviewers"')).body.Resources
  const groupId = group?.id ?? (await createGroup([], 'reviewers'))
  await scim('PATCH', `/Groups/${groupId}`, patch({ op: 'add', path: 'members', value: [{ value: id }] }))
  const browser = openBrowser()
  const subject = [...provider.people].find(([, person]) => person.email === email)?.[0] ?? ''
  const status = async () => (await browser.send(`${baseUrl}/console`)).status
  await singleSignOn(browser, gatehouse, subject)
  expect(await status()).toBe(200)
  expect((await scim('GET', `/Users/${id}`)).body).toMatchObject({
    externalId: 'of-the-directory',
    active: true,
    groups: [{ value: groupId, display: 'reviewers' }],
  })
  const remove = patch({ op: 'remove', path: `members[value eq "${id}"]` })
  await scim('PATCH', `/Groups/${groupId}`, remove)
  expect(await status()).toBe(303)
  expect(await auditOf(id)).toEqual(
    expect.arrayContaining([
      'scim user_created',
      'scim user_groups_changed',
      `operator:${id} operator_signed_in`,
    ]),
  )
})

test('records each change of the directory, without personal values', async () => {
  const { id } = await createUser({ externalId: 'first-id' })
  const change = (value: object) => scim('PATCH', `/Users/${id}`, patch({ op: 'replace', value }))
  await change({ userName: newName() })
  await change({ externalId: 'second-id' })
  await change({ externalId: 'second-id' })
  expect(await auditOf(id)).toEqual(['scim user_changed', 'scim user_changed', 'scim user_created'])
  const groupId = await createGroup([id], unique())
  await scim('PATCH', `/Groups/${groupId}`, patch({ op: 'replace', value: { displayName: unique() } }))
  await scim('DELETE', `/Groups/${groupId}`)
  expect(await auditOf(groupId)).toEqual([
    'scim directory_group_removed',
    'scim directory_group_changed',
    'scim directory_group_created',
  ])
  const { body } = await (await gatehouse.operator()).get('/audit?per_page=100')
  expect(JSON.stringify(body)).not.toMatch(/first-id|second-id/)
})

describe('deactivation', () => {
  test.each([
    ['replace with a path', { op: 'replace', path: 'active', value: false }],
    ['replace without a path', { op: 'replace', value: { active: false } }],
    ['a text', { op: 'Replace', path: 'active', value: 'False' }],
  ])('ends sessions and tokens immediately: %s', async (_, operation) => {
    const { id, email } = await createUser()
    await createGroup([id], unique())
    const { answer, status } = await signIn(email, ['reviewers'])
    expect([answer.status, await status()]).toEqual([303, 200])
    const subject = [...provider.people].find(([, person]) => person.email === email)?.[0] ?? ''
    const { accessToken } = await requestTokens(gatehouse, provider, subject)
    const operator = createApi(`${baseUrl}/operator/v1`, accessToken)
    expect((await operator.get('/queue')).status).toBe(200)
    expect(await scim('PATCH', `/Users/${id}`, patch(operation))).toMatchObject({
      status: 200,
      body: { active: false },
    })
    expect(await status()).toBe(303)
    // The notice that clears the cache of credentials arrives a moment later.
    await eventually(async () => expect((await operator.get('/queue')).status).toBe(401))
    await scim('PATCH', `/Users/${id}`, patch({ op: 'replace', path: 'active', value: true }))
    expect((await operator.get('/queue')).status).toBe(200)
    expect(await auditOf(id)).toEqual(
      expect.arrayContaining(['scim user_deactivated', 'scim user_reactivated']),
    )
  })
  test('removes an operator with a password, whom the directory finds by the email', async () => {
    const person = await signedIn(gatehouse, 'operator', { operator_roles: ['operator_review'] })
    const session = await openConsole(baseUrl, { email: person.email, password: PASSWORD })
    const { body } = await scim('GET', `/Users?filter=${encodeURIComponent(`userName eq "${person.email}"`)}`)
    expect(body).toMatchObject({ totalResults: 1, Resources: [{ id: person.id }] })
    expect((await scim('DELETE', `/Users/${person.id}`)).status).toBe(204)
    await eventually(async () => expect((await person.api.get('/queue')).status).toBe(401))
    expect((await session.get('/console')).status).toBe(303)
    expect((await scim('GET', `/Users/${person.id}`)).status).toBe(404)
    expect(await auditOf(person.id)).toContain('scim user_removed')
    const again = await scim('POST', '/Users', { userName: person.email })
    expect([again.status, again.body.id]).toEqual([201, person.id])
    // The earlier password does not return.
    const answer = await createApi(`${baseUrl}/operator/v1`, '').post('/sign_in', {
      email: person.email,
      password: PASSWORD,
    })
    expect(answer.status).toBe(401)
  })
  test('refuses the access token of a removed operator', async () => {
    const { id, email } = await createUser()
    await signIn(email, ['reviewers'])
    const subject = [...provider.people].find(([, person]) => person.email === email)?.[0] ?? ''
    const { accessToken } = await requestTokens(gatehouse, provider, subject)
    await scim('DELETE', `/Users/${id}`)
    expect((await createApi(`${baseUrl}/operator/v1`, accessToken).get('/queue')).status).toBe(401)
    const answer = await singleSignOn(openBrowser(), gatehouse, subject)
    expect([answer.status, await answer.text()]).toEqual([
      403,
      expect.stringContaining('Your access has ended'),
    ])
  })
})

describe('users', () => {
  test('do not include users of vaults, whose emails are taken', async () => {
    const client = await createPerson(gatehouse, { vaults: [{ id: gatehouse.vaultId, roles: ['api_read'] }] })
    expect((await scim('GET', `/Users/${client.id}`)).status).toBe(404)
    expect(await scim('POST', '/Users', { userName: client.email })).toMatchObject({
      status: 409,
      body: { scimType: 'uniqueness', status: '409' },
    })
  })
  test('can be renamed, but not to the email of another user', async () => {
    const [one, other] = [await createUser(), await createUser()]
    const userName = newName()
    expect((await scim('PUT', `/Users/${one.id}`, { userName })).body).toMatchObject({
      userName,
      active: true,
    })
    const taken = await scim(
      'PATCH',
      `/Users/${one.id}`,
      patch({ op: 'replace', path: 'userName', value: other.email }),
    )
    expect([taken.status, taken.body.scimType]).toEqual([409, 'uniqueness'])
  })
  test('are restored by only one of two simultaneous requests', async () => {
    const { id, email } = await createUser()
    await scim('DELETE', `/Users/${id}`)
    const restore = () => scim('POST', '/Users', { userName: email })
    const restored = await Promise.all([restore(), restore()])
    expect(restored.map(({ status }) => status).sort()).toEqual([201, 409])
    expect((await auditOf(id)).filter((entry: string) => entry === 'scim user_created')).toHaveLength(2)
  })
  test('are listed in pages', async () => {
    await Promise.all([createUser(), createUser()])
    const { body } = await scim('GET', '/Users?startIndex=2&count=1')
    expect(body).toMatchObject({ startIndex: 2, itemsPerPage: 1 })
    expect(body.totalResults).toBeGreaterThan(1)
    expect((await scim('GET', '/Users?count=0')).body).toMatchObject({ itemsPerPage: 0, Resources: [] })
  })
  test.each([
    ['POST', '/Users', { userName: 'not an email' }, 'invalidValue'],
    ['POST', '/Users', {}, 'invalidValue'],
    ['POST', '/Users', [], 'invalidSyntax'],
    ['GET', '/Users?filter=userName sw "a"', undefined, 'invalidFilter'],
    ['GET', '/Users?filter=userName eq "\\x"', undefined, 'invalidFilter'],
    ['GET', '/Users?filter=externalId eq "\\u0000"', undefined, 'invalidFilter'],
    ['GET', '/Groups?filter=displayName eq "%01"', undefined, 'invalidFilter'],
    ['GET', '/Users?startIndex=x', undefined, 'invalidValue'],
    ['POST', '/Users/.search', { filter: { toString: 1 } }, 'invalidFilter'],
    ['POST', '/Users/.search', { count: { toString: 1 } }, 'invalidValue'],
    ['POST', '/Users', { userName: 'a\u0000@example.com' }, 'invalidValue'],
    ['POST', '/Users', { userName: 'ad\u202emin@example.com' }, 'invalidValue'],
    ['POST', '/Users', { userName: newName(), externalId: '\u0000' }, 'invalidValue'],
    ['POST', '/Groups', { displayName: '\ud800' }, 'invalidValue'],
    ['POST', '/Groups', { displayName: '' }, 'invalidValue'],
    ['POST', '/Groups', { displayName: 'x', members: [{ value: 'y' }] }, 'invalidValue'],
    [
      'POST',
      '/Groups',
      { displayName: 'x', members: [{ value: '01a217b1-af6b-7038-bb49-a35ace3be562' }] },
      'invalidValue',
    ],
  ])('are not changed by an invalid request: %s %s %j', async (method, path, body, scimType) => {
    const answer = await scim(method, path, body)
    expect([answer.status, answer.body]).toEqual([400, expect.objectContaining({ status: '400', scimType })])
  })
  test.each([
    [{ op: 'replace', path: 'id', value: 'x' }, 'mutability'],
    [{ op: 'remove', path: 'userName' }, 'mutability'],
    [{ op: 'remove' }, 'invalidPath'],
    [{ op: 'move', path: 'active' }, 'invalidSyntax'],
    [{ op: { toString: 1 } }, 'invalidSyntax'],
    [{ op: 'replace', path: 'active', value: 'maybe' }, 'invalidValue'],
    [{ op: 'replace', value: 'x' }, 'invalidValue'],
  ])('are not changed by the invalid operation %j', async (operation, scimType) => {
    const { id } = await createUser()
    const answer = await scim('PATCH', `/Users/${id}`, patch(operation))
    expect([answer.status, answer.body.scimType]).toEqual([400, scimType])
  })
})

describe('groups', () => {
  test('accept operations that add, remove and replace members', async () => {
    // Creates the users in sequence, because members are listed by age.
    const [one, two, three] = [(await createUser()).id, (await createUser()).id, (await createUser()).id]
    const id = await createGroup([one])
    const membersAfter = async (...operations: object[]) => {
      const { body } = await scim('PATCH', `/Groups/${id}`, patch(...operations))
      return (body.members ?? []).map(({ value }: { value: string }) => value)
    }
    expect(await membersAfter({ op: 'add', path: 'members', value: [{ value: two }] })).toEqual([one, two])
    expect(
      await membersAfter({ op: 'add', value: { members: [{ value: two }, { value: three }] } }),
    ).toHaveLength(3)
    expect(await membersAfter({ op: 'remove', path: 'members', value: [{ value: one }] })).toEqual([
      two,
      three,
    ])
    expect(await membersAfter({ op: 'replace', path: 'members', value: [{ value: one }] })).toEqual([one])
    expect(await membersAfter({ op: 'remove', path: 'members' })).toEqual([])
    expect((await scim('GET', `/Groups/${id}?excludedAttributes=members`)).body.displayName).toBeDefined()
  })
  test('give their members no role until an administrator maps their name', async () => {
    const name = unique()
    const wished = { roles: [{ value: 'administrator' }], entitlements: [{ value: 'administrator' }] }
    const { id } = await createUser(wished)
    for (const each of [name, 'administrator', 'operator_admin']) await createGroup([id], each)
    const grants = async () => (await getUser({ db }, id)).effectiveGrants
    expect(await grants()).toEqual([])
    await changeGroup({ db }, BY_COMMAND_LINE, name, grantsOfNames(['reviewer']))
    expect(await grants()).toEqual([{ role: 'reviewer', vaultId: null }])
    await changeGroup({ db }, BY_COMMAND_LINE, name, [])
    expect(await grants()).toEqual([])
  })
  test('do not get a member who is removed at the same time', async () => {
    const { id, email } = await createUser()
    const groupId = await createGroup()
    const { adding } = await transaction(db, async (tx) => {
      await removeProvisionedOperator({ db: tx }, BY_COMMAND_LINE, id)
      const change = patch({ op: 'add', path: 'members', value: [{ value: id }] })
      const answer = scim('PATCH', `/Groups/${groupId}`, change)
      await untilBlocked(db)
      return { adding: answer }
    })
    expect(await adding).toMatchObject({ status: 400, body: { scimType: 'invalidValue' } })
    expect((await scim('POST', '/Users', { userName: email })).body).not.toHaveProperty('groups')
  })
  test('lose their roles if they are renamed, and cannot take the name of another group', async () => {
    const { id, email } = await createUser()
    const [before, after] = [unique(), unique()]
    await changeGroup({ db }, BY_COMMAND_LINE, before, grantsOfNames(['operator_review']))
    const groupId = await createGroup([id], before)
    const { status } = await signIn(email)
    expect(await status()).toBe(200)
    await scim('PATCH', `/Groups/${groupId}`, patch({ op: 'replace', path: 'displayName', value: after }))
    expect(await status()).toBe(303)
    const taken = await scim('POST', '/Groups', { displayName: after })
    expect([taken.status, taken.body.scimType]).toEqual([409, 'uniqueness'])
    expect((await scim('DELETE', `/Groups/${groupId}`)).status).toBe(204)
    expect((await scim('GET', `/Users/${id}`)).body).not.toHaveProperty('groups')
  })
})
