/** Tests two API processes whose clocks differ by two minutes. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../dev/launcher/ports.ts'
import { type Api, createApi } from '../support/api.ts'
import { startInstance, unique } from '../support/instance.ts'
import { askSecret, codeOf, confirmSecret } from '../support/otp.ts'
import { createKey, PASSWORD, signedIn } from '../support/people.ts'
import { type Spawned, spawnProcess } from '../support/processes.ts'

const READS = 40

const gatehouse = await startInstance({ env: { RATE_LIMIT_READS: String(READS) } })
const started: Spawned[] = []
const urls: string[] = []
const metrics: string[] = []
beforeAll(async () => {
  await gatehouse.startWorker()
  for (const ms of [60_000, -60_000]) {
    const PORT = String(await freePort())
    const NODE_OPTIONS = '--import ./test/support/shifted-clock.mjs'
    const METRICS_PORT = String(await freePort())
    metrics.push(`http://127.0.0.1:${METRICS_PORT}/metrics`)
    const env = { ...gatehouse.env, PORT, METRICS_PORT, NODE_OPTIONS, CLOCK_SHIFT_MS: String(ms) }
    started.push(spawnProcess('src/server.ts', env))
    urls.push(`http://127.0.0.1:${PORT}`)
  }
  await Promise.all(started.map((each) => each.ready()))
})
afterAll(async () => {
  await Promise.all(started.map((each) => each.stop('SIGKILL')))
  await gatehouse.stop()
})

/** Returns two clients of one caller, for the processes with the fast and the slow clock. */
const both = (token: string): [Api, Api] => urls.map((url) => createApi(`${url}/v1`, token)) as [Api, Api]

test('each API reports the difference between its clock and that of PostgreSQL', async () => {
  const skews = metrics.map(async (url) => {
    const text = await (await fetch(url)).text()
    return Number(/^gatehouse_clock_skew_seconds (\S+)$/m.exec(text)?.[1])
  })
  const [ahead, behind] = await Promise.all(skews)
  // On a busy machine, the difference includes a part of the query.
  expect(ahead).toBeGreaterThan(30)
  expect(behind).toBeLessThan(-30)
})

test('both APIs apply one rate limit, with a Retry-After of at most 60 seconds', async () => {
  const [ahead, behind] = both((await createKey(gatehouse, { roles: ['api_read'] })).key)
  const began = performance.now()
  const read = (api: Api) => Promise.all(Array.from({ length: 2 * READS }, () => api.get('/kyb')))
  const answers = await Promise.all([ahead, behind].map(read))
  const minutes = (performance.now() - began) / 60_000
  const accepted = answers.flat().filter(({ status }) => status === 200)
  expect(accepted.length).toBeLessThanOrEqual(Math.ceil(READS * (1 + minutes)))
  for (const each of answers) {
    const refused = each.find(({ status }) => status === 429)
    expect(refused?.headers.get('Retry-After')).toSatisfy((seconds) => Number(seconds) <= 60)
  }
})

test('both APIs count password attempts together', async () => {
  const [ahead, behind] = both(gatehouse.credentials.api_key)
  const id = await ahead.createKyb()
  const statuses: number[] = []
  for (let n = 0; n < 8; n++)
    statuses.push(
      (await (n % 2 ? ahead : behind).post(`/kyb/validate_password/${id}`, { password: 'x' })).status,
    )
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429, 429])
})

describe.each([0, 1])('a sign-in at API %i', (at) => {
  test('creates a token that both APIs accept', async () => {
    const { email } = await signedIn(gatehouse, 'client', {
      vaults: [{ id: gatehouse.vaultId, roles: ['api_read'] }],
    })
    const { body } = await createApi(`${urls[at]}/v1`, '').post('/sign_in', { email, password: PASSWORD })
    for (const api of both(body.data.access_token)) expect((await api.get('/kyb')).status).toBe(200)
  })

  test('accepts the current one-time code', async () => {
    const { api, email } = await signedIn(gatehouse, 'operator', { operator_roles: ['operator_review'] })
    const { secret } = (await askSecret(api)).body.data
    expect((await confirmSecret(api, secret)).status).toBe(200)
    const credentials = { email, password: PASSWORD, otp_attempt: codeOf(secret, 1) }
    const answer = await createApi(`${urls[at]}/operator/v1`, '').post('/sign_in', credentials)
    expect(answer.status).toBe(200)
  })
})

test('both APIs share idempotency keys and apply commands', async () => {
  const [ahead, behind] = both(gatehouse.credentials.api_key)
  const headers = { 'Idempotency-Key': unique() }
  const body = { external_id: unique() }
  const first = await behind.send('POST', '/kyb', body, headers)
  const repeated = await ahead.send('POST', '/kyb', body, headers)
  expect([first.status, repeated.status]).toEqual([201, 201])
  const { id } = first.body.data
  expect(repeated.body.data.id).toBe(id)
  for (const [n, api] of [ahead, behind, ahead, behind].entries()) {
    const change = { nature_of_business: { legal_company_name: `Name ${n}` } }
    expect((await api.patch(`/kyb/${id}`, change)).status).toBe(200)
  }
})
