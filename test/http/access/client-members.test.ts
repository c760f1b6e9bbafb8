/** Tests the members of a vault, and that they reveal, occupy and endanger no other account. */
import { randomUUID } from 'node:crypto'
import { eq, sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { auditLog, users } from '../../../drizzle/schema.ts'
import { insertUser } from '../../../src/db/access/user.ts'
import { expectErrors } from '../../support/checks.ts'
import { openConsole } from '../../support/console.ts'
import { addVault, sharedInstance, unique } from '../../support/instance.ts'
import { PASSWORD, signedIn } from '../../support/people.ts'

const gatehouse = await sharedInstance()
const { baseUrl, vaultId, db } = gatehouse
const operator = await gatehouse.operator()
const other = await addVault(gatehouse)

const HOME = `/console/client/${vaultId}`
const OTHER_HOME = `/console/client/${other.vaultId}`

type Browser = Awaited<ReturnType<typeof openConsole>>

const seat = async (role: string, vault = vaultId) => {
  const person = await signedIn(gatehouse, 'client', { vaults: [{ id: vault, roles: [role] }] })
  return { ...person, browser: await openConsole(baseUrl, { email: person.email, password: PASSWORD }) }
}
let admin: Browser
let viewer: Browser
let attacker: Browser
beforeAll(async () => {
  admin = (await seat('client_admin')).browser
  viewer = (await seat('client_viewer')).browser
  attacker = (await seat('client_admin', other.vaultId)).browser
})

const newEmail = () => `${unique()}@client.example`

/** Adds a member, and returns the response with the one-time password. */
async function add(by: Browser, home: string, email: string, role = 'client_viewer') {
  const answer = await by.post(`${home}/members`, { email, role })
  const page = await answer.text()
  const [, password = ''] = /id="secret"[^>]*value="([^"]+)"/.exec(page) ?? []
  return { status: answer.status, page, password }
}

async function idOf(by: Browser, home: string, email: string): Promise<string> {
  // The first page may have a notice with the email.
  await by.text(`${home}/members`)
  const page = await by.text(`${home}/members`)
  const [, id = ''] = new RegExp(`${email}.*?/members/([\\da-f-]{36})"`, 's').exec(page) ?? []
  return id
}

/** Signs in at the address, replaces the one-time password, and returns the browser. */
async function begin(home: string, email: string, oneTime: string, password = PASSWORD) {
  const browser = await openConsole(baseUrl, { email, password: oneTime }, home)
  await browser.post('/console/password', { current_password: oneTime, new_password: password })
  // The forms of the new session have another token.
  return openConsole(baseUrl, { email, password }, home)
}

const canOpen = async (browser: Browser, home: string) => (await browser.get(home)).status === 200

/** Returns whether the sign-in succeeds. The page after it is `next`. */
const signsIn = async (email: string, password: string, next = '/console') => {
  const path = `/console/sign_in?next=${encodeURIComponent(next)}`
  const body = new URLSearchParams({ email, password })
  const headers = { Origin: new URL(baseUrl).origin }
  return (await fetch(baseUrl + path, { method: 'POST', body, headers, redirect: 'manual' })).status
}

test('members are added, changed and removed by an admin', async () => {
  const email = newEmail()
  expect((await add(viewer, HOME, email)).status).toBe(404)
  const { page, password } = await add(admin, HOME, email)
  expect(page).toContain(`${HOME}</code>`)
  const browser = await begin(HOME, email, password)
  expect(await browser.text(`${HOME}/members`)).toContain(email)
  const id = await idOf(admin, HOME, email)
  const asked = await admin.text(`${HOME}/members/${id}?role=client_admin`)
  expect(asked).toContain(`Make ${email} an administrator?`)
  expect(asked).toContain('name="role" value="client_admin"')
  expect((await admin.post(`${HOME}/members/${id}`, { role: 'client_admin' })).status).toBe(303)
  expect((await browser.get(HOME)).headers.get('Location')).toContain('/console/sign_in')
  expect((await viewer.get(`${HOME}/members/${id}`)).status).toBe(404)
  expect(await admin.text(HOME)).toContain(`Role of ${email} changed`)
  expect(await admin.text(`${HOME}/members/${id}`)).toContain(`Remove ${email}?`)
  expect((await admin.post(`${HOME}/members/${id}`, { role: '' })).status).toBe(303)
  const left = (await admin.text(`${HOME}/members`)).split(`${email} removed`)
  expect([left.length, left.join('').includes(email)]).toEqual([2, false])
})

test('operators see whether an account is one of a single vault, and where its user signs in', async () => {
  const [email, { id: global }] = [newEmail(), await seat('client_viewer')]
  await add(admin, HOME, email)
  const member = await idOf(admin, HOME, email)
  const helper = await openConsole(baseUrl, gatehouse.credentials)
  const pages = await Promise.all([member, global].map((id) => helper.text(`/console/settings/users/${id}`)))
  for (const page of pages) expect(page).toContain(`${HOME}</code>`)
  const isMember = (page: string) => page.includes('added by its own administrator')
  expect(pages.map(isMember)).toEqual([true, false])
  const memberOf = async (id: string) => (await operator.get(`/users/${id}`)).body.data.member_of
  expect(await Promise.all([member, global].map(memberOf))).toEqual([vaultId, null])
  const { id: developer } = await signedIn(gatehouse, 'client', {
    vaults: [{ id: vaultId, roles: ['api_read'] }],
  })
  expect(await helper.text(`/console/settings/users/${developer}`)).not.toContain(HOME)
})

test('members get no other role and no other vault, and an email is one member', async () => {
  const email = newEmail()
  for (const role of ['api_write', 'administrator'])
    expect((await add(admin, HOME, email, role)).status).toBe(422)
  expect((await add(admin, HOME, email)).status).toBe(200)
  expect((await add(admin, HOME, email.toUpperCase())).status).toBe(422)
  const { email: known } = await seat('client_viewer')
  expect((await add(admin, HOME, known)).status).toBe(422)
})

test('an admin adds a removed member again, whose earlier credentials are gone', async () => {
  const email = newEmail()
  const first = await begin(HOME, email, (await add(admin, HOME, email)).password, 'the earlier password')
  const id = await idOf(admin, HOME, email)
  await db.orm.update(users).set({ otpRequiredForLogin: true }).where(eq(users.id, id))
  await admin.post(`${HOME}/members/${id}`, { role: '' })
  expect(await signsIn(email, 'the earlier password', HOME)).toBe(422)
  const again = await add(admin, HOME, email, 'client_admin')
  expect(again.status).toBe(200)
  expect(await idOf(admin, HOME, email)).toBe(id)
  expect(await signsIn(email, 'the earlier password', HOME)).toBe(422)
  expect(await canOpen(first, HOME)).toBe(false)
  expect(await canOpen(await begin(HOME, email, again.password), HOME)).toBe(true)
  const entries = await db.orm.select().from(auditLog).where(eq(auditLog.subjectId, id))
  expect(entries.filter(({ action }) => action === 'user_created')).toHaveLength(2)
})

test('a member signs in at the address of the vault, and returns there after signing out', async () => {
  const email = newEmail()
  const { password } = await add(admin, HOME, email)
  const browser = await begin(HOME, email, password)
  expect(await signsIn(email, PASSWORD)).toBe(422)
  expect(await signsIn(email, PASSWORD, OTHER_HOME)).toBe(422)
  expect(await signsIn(email, PASSWORD, `${HOME}/webhooks`)).toBe(303)
  const expired = await fetch(`${baseUrl}${HOME}/keys`, { redirect: 'manual' })
  expect(expired.headers.get('Location')).toBe(`/console/sign_in?next=${encodeURIComponent(`${HOME}/keys`)}`)
  const left = await browser.post('/console/sign_out')
  expect(left.headers.get('Location')).toBe(`/console/sign_in?next=${encodeURIComponent(HOME)}`)
})

describe('an attacker who is an administrator of another vault', () => {
  const { operator_email: operatorEmail, operator_password: operatorPassword } = gatehouse.credentials

  test('gets the same response for an email with and without accounts', async () => {
    const member = newEmail()
    await add(admin, HOME, member)
    const removed = newEmail()
    await add(admin, HOME, removed)
    await admin.post(`${HOME}/members/${await idOf(admin, HOME, removed)}`, { role: '' })
    const { email: client } = await seat('client_admin')
    const emails = [
      newEmail(),
      member,
      removed,
      client,
      operatorEmail,
      operatorEmail.toUpperCase().slice(0, -1),
    ]
    const seen = new Set<string>()
    for (const email of emails) {
      const { status, page, password } = await add(attacker, OTHER_HOME, email)
      expect(password).not.toBe('')
      seen.add(`${status} ${page.replaceAll(email, 'EMAIL').replaceAll(password, 'PASSWORD')}`)
      // The password works for every email, so that it reveals nothing either.
      expect([email, await signsIn(email, password, OTHER_HOME)]).toEqual([email, 303])
    }
    expect(seen.size).toBe(1)
  })

  test('gets no right of the other account with the same email, and does not lock it out', async () => {
    const victim = await seat('client_admin')
    const { password } = await add(attacker, OTHER_HOME, victim.email, 'client_admin')
    const browser = await begin(OTHER_HOME, victim.email, password, 'the password of the attacker')
    expect([await canOpen(browser, OTHER_HOME), await canOpen(browser, HOME)]).toEqual([true, false])
    expect(await canOpen(victim.browser, HOME)).toBe(true)
    for (const next of ['/console', HOME])
      expect([
        await signsIn(victim.email, 'the password of the attacker', next),
        await signsIn(victim.email, PASSWORD, next),
      ]).toEqual([422, 303])
    // The attacker removes and adds the account again.
    const id = await idOf(attacker, OTHER_HOME, victim.email)
    await attacker.post(`${OTHER_HOME}/members/${id}`, { role: '' })
    expect((await add(attacker, OTHER_HOME, victim.email)).status).toBe(200)
    expect(await canOpen(victim.browser, HOME)).toBe(true)
    expect(await signsIn(operatorEmail, operatorPassword)).toBe(303)
  })

  test('occupies no email: an administrator creates another user with it, who shares no password', async () => {
    const email = newEmail()
    const { password } = await add(attacker, OTHER_HOME, email)
    const { status, body } = await operator.post('/users', { email, operator_roles: ['operator_admin'] })
    expect(status).toBe(201)
    expect(await signsIn(email, password)).toBe(422)
    expect(await signsIn(email, body.data.one_time_password)).toBe(303)
  })

  test('gets no more rights if an administrator mistakes the member for a colleague', async () => {
    const email = newEmail()
    await add(attacker, OTHER_HOME, email)
    const path = `/users/${await idOf(attacker, OTHER_HOME, email)}`
    for (const roles of [
      { operator_roles: ['operator_review'] },
      { operator_grants: [{ role: 'auditor', vault_id: other.vaultId }] },
      { vaults: [{ id: vaultId, roles: ['client_viewer'] }] },
      { vaults: [{ id: other.vaultId, roles: ['client_viewer', 'api_read'] }] },
    ])
      expectErrors(await operator.patch(path, roles), { code: 'invalid', field: 'vaults' })
    const allowed = { vaults: [{ id: other.vaultId, roles: ['client_admin'] }] }
    expect((await operator.patch(path, allowed)).status).toBe(200)
  })

  test('cannot reset the limit on attempts at another account with the same email', async () => {
    const victim = await seat('client_viewer')
    await db.orm.execute(sql`DELETE FROM counters WHERE key LIKE 'sign_in%'`)
    const { password } = await add(attacker, OTHER_HOME, victim.email)
    const statuses: number[] = []
    for (let n = 0; n < 11; n += 1) {
      statuses.push(await signsIn(victim.email, 'a wrong password'))
      expect(await signsIn(victim.email, password, OTHER_HOME)).toBe(303)
    }
    expect([statuses[9], statuses[10]]).toEqual([422, 429])
  })
})

test('a vault has at most 200 members', async () => {
  const full = await addVault(gatehouse)
  const home = `/console/client/${full.vaultId}`
  const { browser } = await seat('client_admin', full.vaultId)
  const vaults = [{ id: full.vaultId, roles: ['client_viewer'] as const }]
  for (let n = 0; n < 198; n += 1)
    await insertUser(db, {
      ...{ id: randomUUID(), email: newEmail(), memberOf: full.vaultId, passwordHash: null },
      ...{ operatorGrants: [], vaults },
    })
  expect((await add(browser, home, newEmail())).password).not.toBe('')
  const { status, page } = await add(browser, home, newEmail())
  expect(status).toBe(422)
  expect(page).toContain('The list is too long.')
})
