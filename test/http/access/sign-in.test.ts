/**
 * Tests protection against password guessing: limits, identical responses, and continued access for known addresses.
 */
import { verify } from '@node-rs/argon2'
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { siteKey } from '../../../src/use-cases/credentials/address.ts'
import { createCounter } from '../../../src/use-cases/limits/counter.ts'
import { ATTEMPTS } from '../../../src/use-cases/limits/table.ts'
import { expectErrors } from '../../support/checks.ts'
import { countQueries } from '../../support/database.ts'
import { startInstance } from '../../support/instance.ts'
import { baseOf, createPerson, PASSWORD, signedIn } from '../../support/people.ts'

// Wraps the real library to count its calls.
vi.mock('@node-rs/argon2', async (original) => {
  const library = await original<typeof import('@node-rs/argon2')>()
  return { ...library, verify: vi.fn(library.verify) }
})

let email: string
const gatehouse = await startInstance({ env: { TRUST_PROXY: '1' } })
afterAll(() => gatehouse.stop())
beforeEach(async () => {
  email = (await signedIn(gatehouse, 'client', { vaults: [{ id: gatehouse.vaultId, roles: ['api_read'] }] }))
    .email
})

let addresses = 0
const anotherAddress = () => `203.0.${Math.floor(++addresses / 250)}.${addresses % 250}`

async function attempt(password: string, { from = anotherAddress(), as = email } = {}) {
  const response = await fetch(`${baseOf(gatehouse, 'client')}/sign_in`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': from },
    body: JSON.stringify({ email: as, password }),
  })
  return { status: response.status, headers: response.headers, body: await response.json() }
}

describe('an unknown email and a wrong password', () => {
  async function workOf(request: () => Promise<{ status: number; body: unknown }>) {
    const { asked } = countQueries(gatehouse.db)
    vi.mocked(verify).mockClear()
    const { status, body } = await request()
    const queries = asked()
    const parameters = vi.mocked(verify).mock.calls.map(([hash]) => String(hash).split('$').slice(0, 4))
    return { status, body, queries, parameters }
  }

  test('have the same response, queries and verification parameters', async () => {
    const operator = await createPerson(gatehouse, { operator_roles: ['operator_review'] })
    const wrong = await workOf(() => attempt('wrong'))
    expect(wrong).toMatchObject({ status: 401, body: { error: expect.any(String) } })
    expect(wrong.queries).toBeGreaterThan(0)
    expect(wrong.parameters).toEqual([['', 'argon2id', 'v=19', 'm=19456,t=2,p=1']])
    for (const as of ['nobody@example.com', operator.email]) {
      expect(await workOf(() => attempt('wrong', { as }))).toEqual(wrong)
    }
    // A correct password for the wrong audience must take the same work.
    expect(await workOf(() => attempt(operator.oneTimePassword, { as: operator.email }))).toEqual(wrong)
  })

  test('have the same limit', async () => {
    for (const as of ['nobody.else@example.com', email]) {
      const from = anotherAddress()
      for (let n = 0; n < 10; n++) expect((await attempt('wrong', { from, as })).status).toBe(401)
      const answer = await attempt('wrong', { from, as })
      expect(answer.status).toBe(429)
      expectErrors(answer, 'too_many_attempts')
    }
  })
})

describe('failed attempts', () => {
  test('are limited to ten per address, after which the right password is refused for up to five minutes', async () => {
    const from = anotherAddress()
    for (let n = 0; n < 10; n++) await attempt('wrong', { from })
    const { status, headers } = await attempt(PASSWORD, { from })
    expect(status).toBe(429)
    expect(Number(headers.get('Retry-After'))).toBeGreaterThan(0)
    expect(Number(headers.get('Retry-After'))).toBeLessThanOrEqual(300)
  })
  test('are limited if they are concurrent', async () => {
    const from = anotherAddress()
    const answers = await Promise.all(Array.from({ length: 20 }, () => attempt('wrong', { from })))
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(10)
  })
  test('are limited if the email is in a different case', async () => {
    const from = anotherAddress()
    for (let n = 0; n < 10; n++) await attempt('wrong', { from })
    expect((await attempt('wrong', { from, as: email.toUpperCase() })).status).toBe(429)
  })
  test('are limited for all addresses of an IPv6 network together', async () => {
    for (let n = 0; n < 10; n++) await attempt('wrong', { from: `2001:db8:1:2::${n + 1}` })
    expect((await attempt('wrong', { from: '2001:db8:1:2:ffff::1' })).status).toBe(429)
    expect((await attempt('wrong', { from: '2001:db8:1:3::1' })).status).toBe(401)
  })
  test('are limited to 1,000 for all IPv6 networks of one site across all accounts', async () => {
    const { points } = ATTEMPTS.sign_in_site
    const counter = createCounter(gatehouse.db, 'sign_in_site', ATTEMPTS.sign_in_site)
    await counter.consume(siteKey(gatehouse.db.encryption, '2001:db8:2::1') ?? '', points - 2)
    const statuses = []
    for (const from of ['2001:db8:2:1::1', '2001:db8:2:2::1', '2001:db8:2:ffff::1', '2001:db8:3::1'])
      statuses.push(
        (await attempt('wrong', { from, as: `unknown@${from.replaceAll(':', '-')}.example` })).status,
      )
    expect(statuses).toEqual([401, 401, 429, 401])
    // The limit cannot lock out users at addresses from which they have signed in before.
    expect((await attempt(PASSWORD, { from: '2001:db8:4:1::1' })).status).toBe(200)
    await counter.consume(siteKey(gatehouse.db.encryption, '2001:db8:4::1') ?? '', points)
    expect((await attempt(PASSWORD, { from: '2001:db8:4:2::1' })).status).toBe(429)
    expect((await attempt(PASSWORD, { from: '2001:db8:4:1::1' })).status).toBe(200)
  })
  test('do not include successful sign-ins', async () => {
    const from = anotherAddress()
    for (let n = 0; n < 12; n++) expect((await attempt(PASSWORD, { from })).status).toBe(200)
  })
  test('are limited to 100 per address across all accounts', async () => {
    const from = anotherAddress()
    const answers = []
    for (let n = 0; n < 101; n++) answers.push(await attempt('wrong', { from, as: `nobody${n}@example.com` }))
    expect(answers.map(({ status }) => status)).toEqual([...Array(100).fill(401), 429])
  })
})

describe('an account under attack from many addresses', () => {
  const attack = async () => {
    const statuses = []
    for (let n = 0; n < 60; n++) statuses.push((await attempt('wrong')).status)
    return statuses
  }

  test('refuses new addresses after 50 failed attempts per minute', async () => {
    const statuses = await attack()
    expect(statuses.slice(0, 50).every((status) => status === 401)).toBe(true)
    const { status, headers } = await attempt(PASSWORD)
    expect(status).toBe(429)
    expect(Number(headers.get('Retry-After'))).toBeLessThanOrEqual(60)
  })

  test('still accepts sign-ins from addresses with an earlier successful sign-in', async () => {
    const home = anotherAddress()
    expect((await attempt(PASSWORD, { from: home })).status).toBe(200)
    await attack()
    expect((await attempt(PASSWORD)).status).toBe(429)
    expect((await attempt(PASSWORD, { from: home })).status).toBe(200)
    // The limit per address still applies there.
    for (let n = 0; n < 10; n++) expect((await attempt('wrong', { from: home })).status).toBe(401)
    expect((await attempt('wrong', { from: home })).status).toBe(429)
  })
})
