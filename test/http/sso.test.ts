/** Tests single sign-on with an OpenID provider in this process. */
import { afterAll, describe, expect, test } from 'vitest'
import { replaceGroupRoles } from '../../src/db/access/operator-group.ts'
import {
  openBrowser,
  signInAtProvider,
  singleSignOn,
  startSignIn,
  startWithProvider,
} from '../support/sso.ts'

const { gatehouse, provider, addPerson, stop } = await startWithProvider()
afterAll(stop)
const { baseUrl, db } = gatehouse

await replaceGroupRoles(db, 'reviewers', ['operator_review'])
await replaceGroupRoles(db, 'administrators', ['operator_review', 'operator_admin'])

test('opens a session for a person whose group has a role', async () => {
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
  expect([answer.status, answer.headers.get('Location')]).toEqual([303, '/console'])
  expect((await browser.send(`${baseUrl}/console`)).status).toBe(200)
})

test('leads to the requested page', async () => {
  const answer = await singleSignOn(openBrowser(), gatehouse, addPerson(['reviewers']), '/console/cases')
  expect(answer.headers.get('Location')).toBe('/console/cases')
})
describe('a person without a group', () => {
  test('is refused, and not created', async () => {
    const answer = await singleSignOn(openBrowser(), gatehouse, addPerson(['chess']))
    expect([answer.status, await answer.text()]).toEqual([
      403,
      expect.stringContaining('No access to Gatehouse'),
    ])
  })
})
