/** Tests single sign-on with an OpenID provider in this process. */

import { eq, sql } from 'drizzle-orm'
import { afterAll, describe, expect, test } from 'vitest'
import { consoleSessions, operatorIdentities } from '../../../drizzle/schema.ts'
import { findUserByEmail, setAccessEnd } from '../../../src/db/access/user.ts'
import { BY_COMMAND_LINE } from '../../../src/domain/access/audit.ts'
import { grantsOfNames } from '../../../src/domain/access/grant.ts'
import { changeGroup } from '../../../src/use-cases/access/operator-groups.ts'
import { createApi } from '../../support/api.ts'
import { openConsole } from '../../support/console.ts'
import { csrfIn } from '../../support/form.ts'
import { eventually } from '../../support/instance.ts'
import { createPerson, PASSWORD, signedIn } from '../../support/people.ts'
import {
  type Browser,
  openBrowser,
  requestTokens,
  signInAtProvider,
  signOutAtProvider,
  singleSignOn,
  startSignIn,
  startWithProvider,
} from '../../support/sso.ts'

const { gatehouse, provider, addPerson, stop } = await startWithProvider()
afterAll(stop)
const { baseUrl, db } = gatehouse

await changeGroup({ db }, BY_COMMAND_LINE, 'reviewers', grantsOfNames(['operator_review']))
await changeGroup(
  { db },
  BY_COMMAND_LINE,
  'administrators',
  grantsOfNames(['operator_review', 'operator_admin']),
)

const emailOf = (subject: string): string => provider.people.get(subject)?.email ?? ''
const userOf = async (subject: string) => {
  const user = await findUserByEmail(db, emailOf(subject))
  if (!user) throw new Error('there is no such user')
  return user
}
const auditOf = async (subject: string, action: string) => {
  const { id } = await userOf(subject)
  const { body } = await (await gatehouse.operator()).get(`/audit?action=${action}&per_page=100`)
  return body.data.filter((entry: { subject_id: string }) => entry.subject_id === id)
}
const signIn = async (subject: string, next?: string) => {
  const browser = openBrowser()
  return { browser, answer: await singleSignOn(browser, gatehouse, subject, next) }
}
/** Returns the status of a page, which is a redirect without a session. */
const statusOf = async ({ send }: Browser, path = '/console') => (await send(baseUrl + path)).status
const outcomeOf = async (answer: Response) => [
  answer.status,
  /<h1>([^<]+)/.exec(await answer.text())?.[1] ?? answer.headers.get('Location'),
]

describe('signing in', () => {
  test('creates an operator for a person whose group has a role', async () => {
    const browser = openBrowser()
    const subject = addPerson(['reviewers', 'chess'])
    const { url, query } = await startSignIn(browser, gatehouse)
    expect(url).toMatch(new RegExp(`^${provider.issuer}/auth\\?`))
    expect(query).toMatchObject({
      response_type: 'code',
      scope: 'openid email groups',
      code_challenge_method: 'S256',
      redirect_uri: `${baseUrl}/console/sso/callback`,
    })
    const answer = await browser.send(await signInAtProvider(browser, url, subject))
    expect(await outcomeOf(answer)).toEqual([303, '/console'])
    expect([await statusOf(browser), await statusOf(browser, '/console/settings/vaults')]).toEqual([200, 404])
    const user = await userOf(subject)
    expect(user).toMatchObject({
      passwordHash: null,
      operatorGrants: [],
      effectiveGrants: grantsOfNames(['operator_review']),
    })
    expect(await auditOf(subject, 'user_created')).toMatchObject([
      {
        actor: `operator:${user.id}`,
        changes: { method: { to: 'single_sign_on' }, groups: { to: ['reviewers'] } },
      },
    ])
    expect(await auditOf(subject, 'operator_signed_in')).toMatchObject([
      { changes: { method: { to: 'single_sign_on' } } },
    ])
  })
  test('leads to the requested page, and to no other site', async () => {
    const subject = addPerson(['reviewers'])
    const leadsTo = async (next: string) => (await signIn(subject, next)).answer.headers.get('Location')
    expect(await leadsTo('/console/cases')).toBe('/console/cases')
    for (const next of [
      '//evil.example',
      'https://evil.example',
      '/verify/x',
      '/console/../v1',
      '/console/single_sign_on x',
    ])
      expect(await leadsTo(next), next).toBe('/console')
  })
  test('refuses a person without a mapped group, and creates nothing', async () => {
    const subject = addPerson(['chess'])
    expect(await outcomeOf((await signIn(subject)).answer)).toEqual([403, 'No access to Gatehouse'])
    expect(await findUserByEmail(db, emailOf(subject))).toBeNull()
  })
  test('refuses an email that is not verified', async () => {
    const subject = addPerson(['reviewers'], { isEmailVerified: false })
    expect(await outcomeOf((await signIn(subject)).answer)).toEqual([403, 'No verified email'])
    expect(await findUserByEmail(db, emailOf(subject))).toBeNull()
  })
  test('creates one operator if a person signs in twice at the same time', async () => {
    const subject = addPerson(['reviewers'])
    const answers = await Promise.all([signIn(subject), signIn(subject)])
    expect(answers.map(({ answer }) => answer.headers.get('Location'))).toEqual(['/console', '/console'])
    expect(await auditOf(subject, 'user_created')).toHaveLength(1)
  })
  test('recognises a person with another email by the subject', async () => {
    const subject = addPerson(['reviewers'])
    await signIn(subject)
    const { id } = await userOf(subject)
    provider.people.set(subject, { email: 'renamed@example.com', groups: ['reviewers'] })
    expect((await signIn(subject)).answer.headers.get('Location')).toBe('/console')
    expect(await findUserByEmail(db, 'renamed@example.com')).toBeNull()
    const found = await db.orm.select().from(operatorIdentities).where(eq(operatorIdentities.userId, id))
    expect(found).toHaveLength(1)
    expect(JSON.stringify(found)).not.toContain(subject)
  })
  test('refuses a request from another site', async () => {
    const headers = { 'Sec-Fetch-Site': 'cross-site' }
    expect((await fetch(`${baseUrl}/console/sso`, { method: 'POST', headers })).status).toBe(403)
  })
  test('shows the button, and the form for passwords', async () => {
    const page = await (await fetch(`${baseUrl}/console/sign_in?next=/console/cases`)).text()
    expect(page).toContain('action="/console/sso?next=%2Fconsole%2Fcases"')
    expect(page).toContain('type="password"')
  })
})

describe('the response of the provider', () => {
  const started = async (subject: string) => {
    const browser = openBrowser()
    const { url } = await startSignIn(browser, gatehouse)
    return { browser, back: await signInAtProvider(browser, url, subject) }
  }
  test('is accepted once', async () => {
    const { browser, back } = await started(addPerson(['reviewers']))
    const [cookie] = [...(browser.jars.get(new URL(baseUrl).host) ?? [])]
    expect(await outcomeOf(await browser.send(back))).toEqual([303, '/console'])
    // A second use is refused even if the browser keeps its cookie.
    const Cookie = cookie?.join('=') ?? ''
    const replayed = await fetch(back, { headers: { Cookie }, redirect: 'manual' })
    expect(await outcomeOf(replayed)).toEqual([400, 'Sign-in expired'])
    expect(await outcomeOf(await browser.send(back))).toEqual([400, 'Sign-in expired'])
  })
  test('is refused in another browser', async () => {
    const { back } = await started(addPerson(['reviewers']))
    expect(await outcomeOf(await openBrowser().send(back))).toEqual([400, 'Sign-in expired'])
  })
  test('is refused with a forged state', async () => {
    const { browser, back } = await started(addPerson(['reviewers']))
    const forged = back.replace(/state=[^&]+/, 'state=forged')
    expect(await outcomeOf(await browser.send(forged))).toEqual([400, 'Sign-in failed'])
  })
  test('is refused with the code of another sign-in', async () => {
    const [own, other] = [
      await started(addPerson(['reviewers'])),
      await started(addPerson(['administrators'])),
    ]
    const mixed = own.back.replace(/code=[^&]+/, /code=[^&]+/.exec(other.back)?.[0] ?? '')
    expect(await outcomeOf(await own.browser.send(mixed))).toEqual([400, 'Sign-in failed'])
    expect(await statusOf(own.browser)).toBe(303)
  })
  test('is refused after ten minutes', async () => {
    const { browser, back } = await started(addPerson(['reviewers']))
    await db.orm.execute(sql`UPDATE counters SET expires_at_ms = 0 WHERE key LIKE 'sso:%'`)
    expect(await outcomeOf(await browser.send(back))).toEqual([400, 'Sign-in expired'])
  })
  test('may report an error', async () => {
    const { browser, back } = await started(addPerson(['reviewers']))
    const denied = back.replace(/code=[^&]+/, 'error=access_denied')
    expect(await outcomeOf(await browser.send(denied))).toEqual([400, 'Sign-in failed'])
  })
  test.each([false, true])('is accepted after a key change (earlier keys published: %s)', async (keep) => {
    const subject = addPerson(['reviewers'])
    await signIn(subject)
    await provider.rotateKeys({ keep })
    expect(await outcomeOf((await signIn(subject)).answer)).toEqual([303, '/console'])
  })
})

describe('groups', () => {
  test('that a person has left lose their effect at the next sign-in, in all sessions', async () => {
    const subject = addPerson(['administrators'])
    const { browser } = await signIn(subject)
    expect(await statusOf(browser, '/console/settings/vaults')).toBe(200)
    provider.people.set(subject, { email: emailOf(subject), groups: ['reviewers'] })
    const later = await signIn(subject)
    expect(await statusOf(browser, '/console/settings/vaults')).toBe(303)
    expect(await statusOf(later.browser, '/console/settings/vaults')).toBe(404)
    expect(await auditOf(subject, 'user_groups_changed')).toMatchObject([
      { changes: { groups: { from: ['administrators'], to: ['reviewers'] } } },
    ])
    provider.people.set(subject, { email: emailOf(subject), groups: [] })
    expect(await outcomeOf((await signIn(subject)).answer)).toEqual([403, 'No access to Gatehouse'])
    expect(await statusOf(later.browser)).toBe(303)
  })
  test('lose their roles at the next request after their mapping is removed', async () => {
    await changeGroup({ db }, BY_COMMAND_LINE, 'temporary', grantsOfNames(['operator_review']))
    const { browser } = await signIn(addPerson(['temporary']))
    expect(await statusOf(browser)).toBe(200)
    await changeGroup({ db }, BY_COMMAND_LINE, 'temporary', [])
    expect(await statusOf(browser)).toBe(303)
    const { body } = await (await gatehouse.operator()).get('/audit?action=group_mapped&per_page=2')
    expect(body.data).toMatchObject([
      {
        actor: 'cli',
        subject: 'operator_group',
        changes: { group: { to: 'temporary' }, operator_grants: { to: [] } },
      },
      {
        changes: {
          group: { to: 'temporary' },
          operator_grants: { from: [], to: [{ role: 'senior_reviewer', vault_id: null }] },
        },
      },
    ])
  })
})

describe('an account with a password', () => {
  const withEmailOf = async () => {
    const person = await signedIn(gatehouse, 'operator', { operator_roles: ['operator_admin'] })
    return { person, subject: addPerson(['reviewers'], { email: person.email }) }
  }
  test('is not taken over by its email', async () => {
    const { person, subject } = await withEmailOf()
    expect(await outcomeOf((await signIn(subject)).answer)).toEqual([403, 'This account has a password'])
    expect(await userOf(subject)).toMatchObject({
      id: person.id,
      effectiveGrants: grantsOfNames(['operator_admin']),
    })
    const client = await createPerson(gatehouse, { vaults: [{ id: gatehouse.vaultId, roles: ['api_read'] }] })
    const same = addPerson(['reviewers'], { email: client.email })
    expect(await outcomeOf((await signIn(same)).answer)).toEqual([403, 'This account has a password'])
  })
  test('can be connected by its owner', async () => {
    const { person, subject } = await withEmailOf()
    const browser = openBrowser()
    await browser.send(`${baseUrl}/console/sign_in`, { email: person.email, password: PASSWORD })
    const connect = `${baseUrl}/console/single_sign_on`
    const page = await (await browser.send(connect)).text()
    const csrf = csrfIn(page)
    expect((await browser.send(connect, {})).status).toBe(403)
    const begun = await browser.send(connect, { _csrf: csrf })
    const url = begun.headers.get('Refresh')?.replace(/^0; url=/, '') ?? ''
    const back = await signInAtProvider(browser, url, subject)
    // The response connects only the account that started, not another browser's session.
    expect(await outcomeOf(await openBrowser().send(back))).toEqual([400, 'Sign-in expired'])
    expect(await outcomeOf(await browser.send(back))).toEqual([303, '/console/single_sign_on'])
    expect(await (await browser.send(connect)).text()).toContain('Your account is connected')
    expect((await signIn(subject)).answer.headers.get('Location')).toBe('/console')
    expect(await userOf(subject)).toMatchObject({
      id: person.id,
      effectiveGrants: grantsOfNames(['operator_review', 'operator_admin']),
    })
    expect(await auditOf(subject, 'identity_connected')).toHaveLength(1)
  })
})

describe('a vault’s own user', () => {
  const { vaultId } = gatehouse
  const HOME = `/console/client/${vaultId}`

  /** Creates a member of the vault who has connected an identity without mapped groups. */
  async function connectedMember(role = 'client_admin') {
    const member = await signedIn(gatehouse, 'client', { vaults: [{ id: vaultId, roles: [role] }] })
    const subject = addPerson([], { email: member.email })
    const browser = openBrowser()
    await browser.send(`${baseUrl}/console/sign_in`, { email: member.email, password: PASSWORD })
    const connect = `${baseUrl}/console/single_sign_on`
    const _csrf = csrfIn(await (await browser.send(connect)).text())
    const begun = await browser.send(connect, { _csrf })
    const url = begun.headers.get('Refresh')?.replace(/^0; url=/, '') ?? ''
    expect((await browser.send(await signInAtProvider(browser, url, subject))).status).toBe(303)
    return { ...member, subject }
  }

  test('is not taken over by the email, and connects the identity after signing in', async () => {
    const member = await signedIn(gatehouse, 'client', {
      vaults: [{ id: vaultId, roles: ['client_viewer'] }],
    })
    const same = addPerson([], { email: member.email })
    expect(await outcomeOf((await signIn(same)).answer)).toEqual([403, 'This account has a password'])
    const { subject, id } = await connectedMember()
    const [entry] = await auditOf(subject, 'identity_connected')
    expect(entry.actor).toBe(`user:${id}`)
  })

  test('signs in with it to the own pages, and to no page of operators', async () => {
    const { subject } = await connectedMember()
    const { browser, answer } = await signIn(subject, `${HOME}/webhooks`)
    expect(answer.headers.get('Location')).toBe(`${HOME}/webhooks`)
    expect([await statusOf(browser, HOME), await statusOf(browser, '/console/cases')]).toEqual([200, 404])
    expect((await browser.send(`${baseUrl}/console`)).headers.get('Location')).toBe('/console/client')
    const { accessToken } = await requestTokens(gatehouse, provider, subject)
    for (const base of ['/operator/v1/vaults', '/v1/kyb']) {
      const headers = { Authorization: `Bearer ${accessToken}` }
      expect((await fetch(baseUrl + base, { headers })).status).toBe(401)
    }
  })

  test('is signed out at the provider, and loses access with the seat', async () => {
    const { subject, id } = await connectedMember('client_viewer')
    const { browser } = await signIn(subject)
    await signOutAtProvider(browser, provider)
    await eventually(async () => expect(await statusOf(browser, HOME)).toBe(303))
    const again = await signIn(subject)
    const operator = await gatehouse.operator()
    await operator.patch(`/users/${id}`, { vaults: [{ id: vaultId, roles: ['api_read'] }] })
    expect(await statusOf(again.browser, HOME)).toBe(303)
    expect(await outcomeOf((await signIn(subject)).answer)).toEqual([403, 'No access to Gatehouse'])
  })
})

test.each([
  ['en', 'Method: ', 'Single sign-on', 'Password'],
  ['de', 'Verfahren: ', 'Single Sign-on', 'Passwort'],
])('the audit trail states the method of a sign-in in words: %s', async (language, method, ...values) => {
  await signIn(addPerson(['reviewers']))
  const session = await openConsole(baseUrl, gatehouse.credentials)
  const path = '/console/settings/audit?action=operator_signed_in'
  const page = await (await session.get(path, { 'Accept-Language': language })).text()
  for (const value of values) expect(page).toContain(`${method} <ins>${value}</ins>`)
})

describe('a session', () => {
  test('ends after 12 hours', async () => {
    const subject = addPerson(['reviewers'])
    const { browser } = await signIn(subject)
    const { id } = await userOf(subject)
    const mine = eq(consoleSessions.userId, id)
    const [session] = await db.orm
      .select({ hours: sql<number>`extract(epoch FROM expires_at - created_at)::float8 / 3600` })
      .from(consoleSessions)
      .where(mine)
    expect(session?.hours).toBeCloseTo(12, 2)
    await db.orm.update(consoleSessions).set({ expiresAt: sql`clock_timestamp()` }).where(mine)
    expect(await statusOf(browser)).toBe(303)
  })
  test('has a new token after each sign-in', async () => {
    const browser = openBrowser()
    const subject = addPerson(['reviewers'])
    const token = () => browser.jars.get(new URL(baseUrl).host)?.get('gatehouse_console')
    await singleSignOn(browser, gatehouse, subject)
    const first = token()
    await singleSignOn(browser, gatehouse, subject)
    expect(token()).not.toBe(first)
  })
  test('ends if the person signs out at the provider', async () => {
    const subject = addPerson(['reviewers'])
    const [{ browser }, elsewhere] = [await signIn(subject), await signIn(subject)]
    expect((await signOutAtProvider(browser, provider)).status).toBeLessThan(400)
    expect(await statusOf(browser)).toBe(303)
    expect(await statusOf(elsewhere.browser)).toBe(200)
  })
  test('ends at the provider if the operator signs out', async () => {
    const { browser } = await signIn(addPerson(['reviewers']))
    const page = await (await browser.send(`${baseUrl}/console/search`)).text()
    const csrf = csrfIn(page)
    const answer = await browser.send(`${baseUrl}/console/sign_out`, { _csrf: csrf })
    const url = answer.headers.get('Refresh')?.replace(/^0; url=/, '') ?? ''
    expect(url).toMatch(new RegExp(`^${provider.issuer}/session/end\\?`))
    expect(Object.fromEntries(new URL(url).searchParams)).toEqual({
      client_id: 'gatehouse',
      post_logout_redirect_uri: `${baseUrl}/console/sign_in`,
    })
    expect(await statusOf(browser)).toBe(303)
  })
  test('ends immediately with the access of the operator', async () => {
    const subject = addPerson(['reviewers'])
    const { browser } = await signIn(subject)
    await setAccessEnd(db, (await userOf(subject)).id, 0)
    expect(await statusOf(browser)).toBe(303)
    expect(await outcomeOf((await signIn(subject)).answer)).toEqual([403, 'Your access has ended'])
  })
  test('that started with a password ends on the sign-in page of Gatehouse', async () => {
    const session = await openConsole(baseUrl, gatehouse.credentials)
    expect((await session.post('/console/sign_out')).headers.get('Location')).toBe('/console/sign_in')
  })
})

describe('access tokens of the provider', () => {
  const operators = (token: string) => createApi(`${baseUrl}/operator/v1`, `Bearer ${token}`)
  test('create an operator, and are accepted by the operator API only', async () => {
    const subject = addPerson(['reviewers'])
    const { accessToken } = await requestTokens(gatehouse, provider, subject)
    expect((await operators(accessToken).get('/queue')).status).toBe(200)
    expect((await operators(accessToken).get('/audit')).status).toBe(403)
    expect((await createApi(`${baseUrl}/v1`, accessToken).get('/kyb')).status).toBe(401)
    expect(await auditOf(subject, 'user_created')).toHaveLength(1)
  })
  test('are refused if they are ID tokens', async () => {
    const { idToken } = await requestTokens(gatehouse, provider, addPerson(['reviewers']))
    expect(await operators(idToken).get('/queue')).toMatchObject({
      status: 401,
      body: { error: expect.stringContaining('OIDC_AUDIENCE') },
    })
  })
  test('do not restore a group that a later sign-in removed', async () => {
    const subject = addPerson(['administrators'])
    const { accessToken } = await requestTokens(gatehouse, provider, subject)
    expect((await operators(accessToken).get('/audit')).status).toBe(200)
    provider.people.set(subject, { email: emailOf(subject), groups: ['reviewers'] })
    await signIn(subject)
    // The notice that clears the cache of credentials arrives a moment later.
    await eventually(async () => expect((await operators(accessToken).get('/audit')).status).toBe(403))
    await setAccessEnd(db, (await userOf(subject)).id, 0)
    await eventually(async () => expect((await operators(accessToken).get('/queue')).status).toBe(401))
  })
  test('end with the sessions if the group is unmapped, and get only its current roles at the next sign-in', async () => {
    const group = `group ${addPerson([])}`
    await changeGroup({ db }, BY_COMMAND_LINE, group, grantsOfNames(['reviewer']))
    const subject = addPerson([group])
    const { browser } = await signIn(subject)
    const { accessToken } = await requestTokens(gatehouse, provider, subject)
    expect([await statusOf(browser), (await operators(accessToken).get('/queue')).status]).toEqual([200, 200])
    await changeGroup({ db }, BY_COMMAND_LINE, group, [])
    expect(await statusOf(browser)).toBe(303)
    await eventually(async () => expect((await operators(accessToken).get('/queue')).status).toBe(401))
    expect(await outcomeOf((await signIn(subject)).answer)).toEqual([403, 'No access to Gatehouse'])
    await changeGroup({ db }, BY_COMMAND_LINE, group, grantsOfNames(['auditor']))
    await signIn(subject)
    await eventually(async () => expect((await operators(accessToken).get('/audit')).status).toBe(200))
    expect((await operators(accessToken).post(`/kyb/${crypto.randomUUID()}/notes`, {})).status).toBe(403)
  })
  test('are refused if the person has no mapped group', async () => {
    const { accessToken } = await requestTokens(gatehouse, provider, addPerson(['chess']))
    expect((await operators(accessToken).get('/queue')).status).toBe(401)
  })
})
