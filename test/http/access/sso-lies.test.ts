/** Tests single sign-on with a provider that lies, fails or is slow, and with passwords switched off. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { and, eq, sql } from 'drizzle-orm'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { auditLog, users } from '../../../drizzle/schema.ts'
import { findUserByEmail } from '../../../src/db/access/user.ts'
import { BY_COMMAND_LINE } from '../../../src/domain/access/audit.ts'
import { createProvisionedOperator } from '../../../src/use-cases/access/provisioning.ts'
import { createApi } from '../../support/api.ts'
import { sendForm } from '../../support/hosted-page.ts'
import { startInstance, unique } from '../../support/instance.ts'
import { type Lies, startLyingProvider } from '../../support/lying-provider.ts'
import { scriptArgs } from '../../support/processes.ts'
import { openBrowser, startSignIn } from '../../support/sso.ts'

const provider = await startLyingProvider()
const gatehouse = await startInstance({
  env: {
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: 'gatehouse',
    OIDC_CLIENT_SECRET: 'of-gatehouse',
    OPERATOR_PASSWORDS: 'off',
  },
})
afterAll(async () => {
  await gatehouse.stop()
  await provider.stop()
})
const { baseUrl, db, credentials, env } = gatehouse

/** Runs a command line. Returns what it prints. */
async function cli(...args: string[]): Promise<string> {
  const { DATABASE_URL, ENCRYPTION_KEYS, HASH_KEY, BLOB_URL } = env
  const settings = { ...process.env, DATABASE_URL, ENCRYPTION_KEYS, HASH_KEY, BLOB_URL }
  const run = [...scriptArgs('src/cli/main.ts'), ...args]
  return (await promisify(execFile)(process.execPath, run, { env: settings })).stdout
}
expect(await cli('map-group', '--group', 'reviewers', '--role', 'operator_review')).toBe(
  'reviewers: senior_reviewer\n',
)

const now = () => Math.floor(Date.now() / 1000)
const personOf = (subject: string) => ({
  sub: subject,
  email: `${subject}@example.com`,
  email_verified: true,
  groups: ['reviewers'],
})

/** Signs in with an ID token of these claims. Returns the response, and the subject. */
async function signIn(lies: Lies = {}, groups: unknown = ['reviewers'], subject = unique()) {
  provider.issue({})
  const browser = openBrowser()
  const { query } = await startSignIn(browser, gatehouse)
  provider.issue({ ...personOf(subject), groups, nonce: String(query.nonce) }, lies)
  const answer = await browser.send(`${baseUrl}/console/sso/callback?code=x&state=${query.state}`)
  return { answer, subject, browser }
}
const titleOf = async (answer: Response) => /<h1>([^<]+)/.exec(await answer.text())?.[1]
beforeEach(() => provider.issue({}))

test('accepts an honest response, a single group as text, and small clock differences', async () => {
  expect((await signIn()).answer.headers.get('Location')).toBe('/console')
  expect((await signIn({}, 'reviewers')).answer.headers.get('Location')).toBe('/console')
  const claims = { iat: now() + 20, exp: now() - 20 }
  expect((await signIn({ claims })).answer.headers.get('Location')).toBe('/console')
})

test.each<[string, Lies]>([
  ['of another issuer', { claims: { iss: 'https://evil.example' } }],
  ['for another client', { claims: { aud: 'other' } }],
  ['for several clients, without its own party', { claims: { aud: ['gatehouse', 'other'], azp: 'other' } }],
  ['with another nonce', { claims: { nonce: 'other' } }],
  ['without a nonce', { claims: { nonce: undefined } }],
  ['that has expired, or was issued by a clock that is too slow', { claims: { exp: now() - 120 } }],
  ['without an expiry', { claims: { exp: undefined } }],
  ['that is not valid yet, from a clock that is too fast', { claims: { nbf: now() + 3_600 } }],
  ['without a subject', { claims: { sub: undefined } }],
  ['with a forged signature', { hasForgedKey: true }],
])('refuses an ID token %s, and creates nothing', async (_, lies) => {
  const { answer, subject } = await signIn(lies)
  expect([answer.status, await titleOf(answer)]).toEqual([400, 'Sign-in failed'])
  expect(await findUserByEmail(db, `${subject}@example.com`)).toBeNull()
})

describe('an account that the directory created', () => {
  const account = (subject: string, externalId: string | null) =>
    createProvisionedOperator({ db }, BY_COMMAND_LINE, { email: `${subject}@example.com`, externalId })
  const connections = (id: string) =>
    db.orm
      .select({ actor: auditLog.actor })
      .from(auditLog)
      .where(and(eq(auditLog.subjectId, id), eq(auditLog.action, 'identity_connected')))

  test.each([['true'], ['TRUE'], [1], [undefined], [null], [{}], [[true]]])(
    'is not connected by its email if email_verified is %j',
    async (email_verified) => {
      const subject = unique()
      const { id } = await account(subject, null)
      const { answer } = await signIn({ claims: { email_verified } }, ['reviewers'], subject)
      expect(answer.headers.get('Location')).toBeNull()
      expect(await connections(id)).toEqual([])
    },
  )
  test('is connected by its email if the provider has verified it', async () => {
    const subject = unique()
    const { id } = await account(subject, null)
    const { answer } = await signIn({}, ['reviewers'], subject)
    expect(answer.headers.get('Location')).toBe('/console')
    expect(await connections(id)).toMatchObject([{ actor: `operator:${id}` }])
  })
  test.each([
    ['sub', {}],
    ['oid', { oid: 'id-in-the-directory' }],
  ])('is connected by the externalId that equals %s, whatever its email', async (claim, claims) => {
    const subject = unique()
    const externalId = claim === 'sub' ? subject : 'id-in-the-directory'
    const { id } = await account(unique(), externalId)
    const unverified = { claims: { ...claims, email: 'someone@example.com', email_verified: undefined } }
    const { answer } = await signIn(unverified, ['reviewers'], subject)
    expect(answer.headers.get('Location')).toBe('/console')
    expect(await connections(id)).toHaveLength(1)
    // Another subject with the same ID does not replace the first one.
    const { answer: second } = await signIn({ claims: { ...claims, sub: unique(), oid: externalId } }, [
      'reviewers',
    ])
    expect(await titleOf(second)).not.toBe('Queue')
    expect(await connections(id)).toHaveLength(1)
  })
})

test.each([
  [{ groups: [] }],
  [{ groups: undefined }],
  [{ groups: { reviewers: true } }],
  [{ groups: [['reviewers', 1], null] }],
])('refuses access if the claims contain no mapped group: %j', async (claims) => {
  expect(await titleOf((await signIn({ claims })).answer)).toBe('No access to Gatehouse')
})

test('maps a group in one vault from the command line', async () => {
  const { vaultId } = gatehouse
  const asked = ['map-group', '--group', 'of one vault']
  expect(await cli(...asked, '--role', 'reviewer', '--vault', vaultId)).toContain(
    `of one vault: reviewer in ${vaultId}\n`,
  )
  expect(await cli(...asked, '--role', 'auditor')).toContain(
    `of one vault: auditor, reviewer in ${vaultId}\n`,
  )
  expect(await cli(...asked, '--remove', '--vault', vaultId)).toContain('of one vault: auditor\n')
  expect(await cli(...asked, '--remove')).not.toContain('of one vault')
})

describe('a provider that does not respond', () => {
  test.each<[string, NonNullable<Lies['fails']>]>([
    ['is slow', { path: '/token', delayMs: 3_600_000 }],
    ['fails', { path: '/token', status: 503 }],
    ['sends too much', { path: '/token', body: `"${'x'.repeat(2_000_000)}"` }],
  ])('leads to a page if its token endpoint %s', async (_, fails) => {
    const { answer } = await signIn({ fails })
    expect([answer.status, await titleOf(answer)]).toEqual([503, 'Single sign-on is unavailable'])
  })
  test('leads to a page in the language of the reader', async () => {
    const { query } = await startSignIn(openBrowser(), gatehouse)
    expect(query.state).toBeDefined()
    const unavailable = await startInstance({
      env: { OIDC_ISSUER: 'http://127.0.0.1:9', OIDC_CLIENT_ID: 'gatehouse', OIDC_CLIENT_SECRET: 'x' },
    })
    const answer = await sendForm(`${unavailable.baseUrl}/console/sso`, {}, { 'Accept-Language': 'de' })
    expect([answer.status, await titleOf(answer)]).toEqual([503, 'Single Sign-on ist nicht verfügbar'])
    // Other pages and the API still work.
    expect((await fetch(`${unavailable.baseUrl}/console/sign_in`)).status).toBe(200)
    expect((await (await unavailable.operator()).get('/queue')).status).toBe(200)
    await unavailable.stop()
  })
  test('does not end sessions', async () => {
    const { browser } = await signIn()
    provider.issue({}, { fails: { path: '/keys', status: 500 } })
    expect((await browser.send(`${baseUrl}/console`)).status).toBe(200)
  })
})

describe('a logout token', () => {
  const EVENTS = { 'http://schemas.openid.net/event/backchannel-logout': {} }
  const logOut = async (claims: object, lies: Lies = {}) => {
    provider.issue({}, lies)
    const logout_token = await provider.sign({ jti: unique(), events: EVENTS, ...claims }, 'logout+jwt')
    return {
      logout_token,
      status: (await sendForm(`${baseUrl}/console/sso/backchannel_logout`, { logout_token })).status,
    }
  }
  test('closes all sessions of a subject, once', async () => {
    const { subject, browser } = await signIn()
    const { status, logout_token } = await logOut({ sub: subject })
    expect([status, (await browser.send(`${baseUrl}/console`)).status]).toEqual([200, 303])
    const again = await sendForm(`${baseUrl}/console/sso/backchannel_logout`, { logout_token })
    expect([again.status, await again.json()]).toEqual([400, { error: 'invalid_request' }])
  })
  test('closes the sessions later if the provider sends it again after a failure', async () => {
    const { subject, browser } = await signIn()
    await gatehouse.asOwner('ALTER TABLE console_sessions RENAME TO away')
    const { status, logout_token } = await logOut({ sub: subject })
    await gatehouse.asOwner('ALTER TABLE away RENAME TO console_sessions')
    expect(status).toBe(500)
    const again = await sendForm(`${baseUrl}/console/sso/backchannel_logout`, { logout_token })
    expect([again.status, (await browser.send(`${baseUrl}/console`)).status]).toEqual([200, 303])
  })
  test.each<[string, object, Lies]>([
    ['a forged signature', {}, { hasForgedKey: true }],
    ['another audience', { aud: 'other' }, {}],
    ['another issuer', { iss: 'https://evil.example' }, {}],
    ['a nonce', { nonce: 'x' }, {}],
    ['another event', { events: { other: {} } }, {}],
    ['no ID', { jti: undefined }, {}],
    ['an old date', { iat: now() - 3_600, exp: now() + 300 }, {}],
  ])('is refused with %s', async (_, claims, lies) => {
    const { subject, browser } = await signIn()
    expect((await logOut({ sub: subject, ...claims }, lies)).status).toBe(400)
    expect((await browser.send(`${baseUrl}/console`)).status).toBe(200)
  })
})

describe('with passwords off', () => {
  const operators = createApi(`${baseUrl}/operator/v1`, '')
  const seeded = { email: credentials.operator_email, password: credentials.operator_password }
  test('operators cannot sign in with a password', async () => {
    expect(await operators.post('/sign_in', seeded)).toMatchObject({
      status: 403,
      body: { errors: [{ code: 'password_sign_in_off' }] },
    })
    const answer = await sendForm(`${baseUrl}/console/sign_in`, seeded)
    expect([answer.status, await answer.text()]).toEqual([422, expect.stringContaining('Passwords are off.')])
    const { user_email: email, user_password: password } = credentials
    expect((await createApi(`${baseUrl}/v1`, '').post('/sign_in', { email, password })).status).toBe(200)
  })
  test('a temporary operator can sign in with a password for one hour', async () => {
    const [email = '', password = ''] = (await cli('break-glass')).trim().split('\n')
    const signedIn = await operators.post('/sign_in', { email, password })
    expect(signedIn).toMatchObject({ status: 200, body: { data: { operator_roles: expect.anything() } } })
    expect((await sendForm(`${baseUrl}/console/sign_in`, { email, password })).status).toBe(303)
    const api = createApi(`${baseUrl}/operator/v1`, signedIn.body.data.access_token)
    const { id = '' } = (await findUserByEmail(db, email)) ?? {}
    const { body } = await api.get('/audit?action=break_glass_used')
    expect(body.data).toMatchObject([{ actor: 'cli', subject_id: id }])
    const mine = eq(users.id, id)
    const [row] = await db.orm
      .select({ hours: sql<number>`extract(epoch FROM access_ends_at - created_at)::float8 / 3600` })
      .from(users)
      .where(mine)
    expect(row?.hours).toBeCloseTo(1, 1)
    // Clears the cached credential, as every change to the user does.
    await db.orm
      .update(users)
      .set({ accessEndsAt: sql`clock_timestamp()`, tokenVersion: sql`token_version` })
      .where(mine)
    expect((await operators.post('/sign_in', { email, password })).status).toBe(401)
    await expect.poll(async () => (await api.get('/queue')).status).toBe(401)
  })
})
