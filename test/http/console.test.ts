/** The operators' console without a browser: who is let in, and what a page shows. */
import { sql } from 'drizzle-orm'
import { afterAll, describe, expect, test } from 'vitest'
import { consoleSessions, users } from '../../drizzle/schema.ts'
import { sendForm } from '../support/hosted-page.ts'
import { softKyc, untilWaitingOn } from '../support/identification.ts'
import { startInstance } from '../support/instance.ts'

const gatehouse = await startInstance()
await gatehouse.startWorker()
afterAll(() => gatehouse.stop())

const { api, baseUrl, credentials, db } = gatehouse
const send = (path: string, ...form: [form?: object, headers?: Record<string, string>]) =>
  sendForm(baseUrl + path, ...form)
const mine = { email: credentials.operator_email, password: credentials.operator_password }

async function signIn(path = '/console/sign_in') {
  const answer = await send(path, mine)
  expect(answer.status).toBe(303)
  const [cookie = ''] = answer.headers.getSetCookie()
  return { answer, cookie, headers: { Cookie: cookie.split(';')[0] ?? '' } }
}
const csrfOf = async (headers: Record<string, string>) =>
  /name="_csrf" value="([^"]+)"/.exec(await (await send('/console', undefined, headers)).text())?.[1] ?? ''

describe('signing in', () => {
  test('is a cookie for the console alone, of which the database keeps a hash', async () => {
    const { answer, cookie } = await signIn()
    expect(answer.headers.get('Location')).toBe('/console')
    expect(cookie).toMatch(
      /^gatehouse_console=[\w-]{40,}; Max-Age=86400; Path=\/console; HttpOnly; SameSite=Lax$/,
    )
    const kept = await db.orm.select().from(consoleSessions)
    expect(JSON.stringify(kept)).not.toContain(/=([^;]+)/.exec(cookie)?.[1])
  })
  test('leads to the page that was asked for, and nowhere else', async () => {
    const asked = await send('/console')
    expect(asked.headers.get('Location')).toBe('/console/sign_in?next=%2Fconsole')
    expect((await signIn('/console/sign_in?next=/console/kyb/1')).answer.headers.get('Location')).toBe(
      '/console/kyb/1',
    )
    for (const next of ['//evil.example', 'https://evil.example', '/verify/x', '/console/../v1'])
      expect(
        (await signIn(`/console/sign_in?next=${encodeURIComponent(next)}`)).answer.headers.get('Location'),
        next,
      ).toBe('/console')
  })
  test.each([
    ['a wrong password', { ...mine, password: 'guessed' }, 422, 'is wrong'],
    ['a client', { email: credentials.user_email, password: credentials.user_password }, 422, 'is wrong'],
    ['nothing', {}, 422, 'is wrong'],
  ])('with %s is refused', async (_, form, status, says) => {
    const answer = await send('/console/sign_in', form)
    expect([answer.status, await answer.text()]).toEqual([status, expect.stringContaining(says)])
    expect(answer.headers.getSetCookie()).toEqual([])
  })
  test('from another site is refused', async () => {
    expect((await send('/console/sign_in', mine, { 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403)
  })
})

describe('a session', () => {
  test('ends when the operator signs out, by a form of ours alone', async () => {
    const { headers } = await signIn()
    expect((await send('/console/sign_out', { _csrf: 'x' }, headers)).status).toBe(403)
    expect((await send('/console', undefined, headers)).status).toBe(200)
    expect((await send('/console/sign_out', { _csrf: await csrfOf(headers) }, headers)).status).toBe(303)
    expect((await send('/console', undefined, headers)).status).toBe(303)
  })
  test('ends with the token version, and after its time', async () => {
    const { headers } = await signIn()
    await db.orm.update(users).set({ tokenVersion: sql`token_version + 1` })
    expect((await send('/console', undefined, headers)).status).toBe(303)
    const later = await signIn()
    await db.orm.update(consoleSessions).set({ expiresAt: sql`clock_timestamp()` })
    expect((await send('/console', undefined, later.headers)).status).toBe(303)
  })
})

test('the queue shows what waits, by whom it waits for', async () => {
  const id = await softKyc(api)
  await untilWaitingOn(gatehouse, id, 'operator')
  const { headers } = await signIn()
  const queue = await send('/console', undefined, headers)
  expect(queue.headers.get('Cache-Control')).toBe('no-store')
  expect(await queue.text()).toContain(`/console/identifications/${id}`)
  const others = await send('/console?waiting_on=client&kind=kyb&page=nonsense', undefined, headers)
  expect([others.status, await others.text()]).toEqual([200, expect.not.stringContaining(id)])
})
