/** Tests that logs, stored tables, blobs and Temporal contain no personal data and no secrets. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { freePort } from '../../dev/launcher/ports.ts'
import { readSigningKeys } from '../../src/db/access/signing-key.ts'
import { createApi } from '../support/api.ts'
import { blobFolderOf, blobsIn } from '../support/checks.ts'
import { startCollector } from '../support/collector.ts'
import { dumpBlobs, dumpSealed, dumpTables, dumpTemporal } from '../support/dump.ts'
import { csrfIn } from '../support/form.ts'
import { beginCompany, sendForm, startForm } from '../support/hosted-page.ts'
import { eventually, startInstance, unique } from '../support/instance.ts'
import { createList } from '../support/list.ts'
import {
  createPlants,
  foundIn,
  plantCodes,
  plantHolds,
  plantHosted,
  plantKyb,
  plantListed,
  plantPerson,
  plantProposal,
} from '../support/plants.ts'
import { spawnProcess } from '../support/processes.ts'
import { startReceiver } from '../support/receiver.ts'
import { secretOf } from '../support/webhook.ts'

const plants = createPlants()

const list = createList()
const gatehouse = await startInstance({ env: { SCREENING_LIST_DIR: list.folder }, deadlineMs: 10_000 })
const answers = [plants.text('refusing receiver'), plants.text('accepting receiver')]
const receiver = await startReceiver((res, nth) =>
  res.writeHead(nth === 0 ? 500 : 200).end(answers[nth && 1]),
)
const port = await freePort()
const collector = await startCollector()
const env = { ...gatehouse.env, ...collector.env, LOG_LEVEL: 'trace', PORT: String(port) }
const server = spawnProcess('src/server.ts', env)
const worker = spawnProcess('src/worker.ts', env)
await Promise.all([server.ready(), worker.ready()])
await scenario(`http://127.0.0.1:${port}`)
afterAll(async () => {
  await Promise.all([server.stop(), worker.stop()])
  await receiver.stop()
  await collector.stop()
  await gatehouse.stop()
  list.remove()
})

async function scenario(baseUrl: string): Promise<void> {
  const { credentials, db, env } = gatehouse
  for (const name of [
    'api_key',
    'user_password',
    'operator_password',
    'user_email',
    'operator_email',
  ] as const)
    plants.keep(name, credentials[name])
  plants.keep('encryption key', env.ENCRYPTION_KEYS.slice('k1:'.length))
  plants.keep('hash key', env.HASH_KEY)
  plants.keep('database password', new URL(env.DATABASE_URL).password)
  const [key] = await readSigningKeys(db, 30)
  plants.keep('signing key', String(key?.privateJwk().d))
  plants.keep('webhook secret', await secretOf(gatehouse))

  const stranger = createApi(`${baseUrl}/v1`, '')
  const signedIn = await stranger.post('/sign_in', {
    email: credentials.user_email,
    password: credentials.user_password,
  })
  plants.keep('access token', signedIn.body.data.access_token)
  const api = createApi(`${baseUrl}/v1`, signedIn.body.data.access_token)
  const staff = createApi(`${baseUrl}/operator/v1`, '')
  const { operator_email: email, operator_password: password } = credentials
  const token: string = (await staff.post('/sign_in', { email, password })).body.data.access_token
  plants.keep('operator token', token)
  const operator = createApi(`${baseUrl}/operator/v1`, token)

  const topics = { identification: [receiver.url], account: [receiver.url] }
  expect((await api.put('/users/update_webhook', { webhook_url: topics })).status).toBe(200)
  const kyb = await plantKyb(plants, api, operator, baseUrl)
  await plantHolds(plants, api, operator, kyb.identificationId)
  await plantPerson(plants, api, operator)
  await plantProposal(plants, api, operator, gatehouse.vaultId)
  await plantListed(plants, api, operator, list)
  await plantHosted(plants, { ...gatehouse, api })
  const hosted = await api.post('/identifications/create_identify_process', { type: 'kyb' })
  plants.keep('form password', hosted.body.data.generated_password)
  await plantCodes(plants, db, credentials.user_email)
  const { user_email, user_password } = credentials
  const coded = { email: user_email, password: user_password, otp_attempt: '000000' }
  expect((await stranger.post('/sign_in', coded)).status).toBe(401)
  await refusals(baseUrl, api, kyb.id)
  await consolePages(baseUrl, kyb.id)
  await failures(api)
  await eventually(() => expect(receiver.received.length).toBeGreaterThan(10))
}

/** Sends requests that are refused for their content, and requests of unknown callers. */
async function refusals(baseUrl: string, api: ReturnType<typeof createApi>, kybId: string): Promise<void> {
  const word = (where: string) => plants.text(`refused ${where}`)
  const stranger = createApi(`${baseUrl}/v1`, word('token'))
  await stranger.get('/kyb')
  await stranger.post('/sign_in', { email: `${word('e-mail')}@example.com`, password: word('password') })
  await api.post(`/kyb/validate_password/${kybId}`, { password: word('form password') })
  await api.post('/identifications/soft_kyc', { kind: 'person', [word('field')]: word('value') })
  await api.patch(`/kyb/${kybId}`, { nature_of_business: { email: word('no e-mail') } })
  await api.post('/kyb', `{"external_id": "${word('broken JSON')}`)
  await api.post('/kyb', { external_id: `${word('control character')}\u0000` })
  await api.get(`/identifications/${word('id')}`)
  await api.get(`/identifications?filter[external_uuid]=${word('query')}`)
  await api.get(`/${word('path')}/%ff`)
  await fetch(`${baseUrl}/verify/${word('link')}`)
  await pages(baseUrl, api)
  await api.send('GET', '/kyb', undefined, { 'X-Request-Id': word('request id') })
  const operator = createApi(`${baseUrl}/operator/v1`, word('operator token'))
  await operator.get(`/identifications?email=${word('looked-up e-mail')}`)
}

/** Submits valid and invalid input on the applicant pages. */
async function pages(baseUrl: string, api: ReturnType<typeof createApi>): Promise<void> {
  const company = await beginCompany({ api }, unique())
  plants.keep('link of a form', company.link.split('/').at(-1) ?? '')
  await sendForm(baseUrl + company.link, { password: plants.text('refused page password') })
  const { base, headers, csrf } = await startForm(baseUrl, company)
  plants.keep('cookie', headers.Cookie.split('=').at(-1) ?? '')
  const send = (form: object) =>
    sendForm(`${baseUrl}${base}/nature_of_business`, { _csrf: csrf, ...form }, headers)
  const name = { 'nature_of_business.legal_company_name': plants.text('name of a page') }
  expect((await send(name)).status).toBe(303)
  const email = { 'nature_of_business.email': plants.text('refused e-mail of a page') }
  expect((await send(email)).status).toBe(422)
}

/** Searches and reads in the console. */
async function consolePages(baseUrl: string, kybId: string): Promise<void> {
  const { operator_email: email, operator_password: password } = gatehouse.credentials
  const signedIn = await sendForm(`${baseUrl}/console/sign_in`, { email, password })
  const headers = { Cookie: signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? '' }
  plants.keep('console cookie', headers.Cookie.split('=').at(-1) ?? '')
  const page = await sendForm(`${baseUrl}/console/kyb/${kybId}`, undefined, headers)
  expect(page.status).toBe(200)
  const _csrf = csrfIn(await page.text())
  const search = { _csrf, q: plants.text('looked for in the console') }
  const searched = await sendForm(`${baseUrl}/console/search`, search, headers)
  const found = `${baseUrl}${searched.headers.get('Location')}`
  expect((await sendForm(found, undefined, headers)).status).toBe(404)
  const note = { _csrf, text: plants.text('note in the console') }
  expect((await sendForm(`${baseUrl}/console/kyb/${kybId}/notes`, note, headers)).status).toBe(303)
}

/** Causes database failures, whose messages quote submitted values. */
async function failures(api: ReturnType<typeof createApi>): Promise<void> {
  const kybId = await api.createKyb()
  await gatehouse.asOwner(`ALTER TABLE timeline ADD CONSTRAINT nothing CHECK (actor = 'nobody') NOT VALID`)
  const secret = plants.text('name while the database fails')
  const soft = { kind: 'company', name: secret, registration_number: '1', country: 'DE', address: 'a' }
  const more = { city: 'b', email: 'c@example.com', incorporation_date: '2015-02-28' }
  expect((await api.post('/identifications/soft_kyc', { ...soft, ...more })).status).toBe(500)
  const edit = { nature_of_business: { legal_address: plants.text('edit while the database fails') } }
  expect((await api.patch(`/kyb/${kybId}`, edit)).status).toBe(503)
  await gatehouse.asOwner('ALTER TABLE timeline DROP CONSTRAINT nothing')
}

test('logs requests and failures at the lowest level, without any submitted value', () => {
  const logs = server.output() + worker.output()
  for (const line of logs.trim().split('\n')) expect(() => JSON.parse(line), line).not.toThrow()
  expect(logs).toContain('"route":"/v1/kyb/upload_file/:id"')
  expect(server.output()).toContain('"msg":"request failed"')
  expect(worker.output()).toContain('"msg":"activity failed"')
  expect(foundIn(plants, logs)).toEqual([])
})

test('exports traces without any submitted value', async () => {
  const names = () => collector.spans().map(({ name }) => name)
  await eventually(() => {
    for (const name of ['command patch', 'apply command', 'apply fact', 'POST', 'GET /console/kyb/:id'])
      expect(names()).toContain(name)
  })
  expect(foundIn(plants, collector.bodies.join('\n'))).toEqual([])
  expect(collector.bodies.join('\n')).not.toContain(receiver.url)
})

test('encrypts personal data and secrets in tables', async () => {
  expect(foundIn(plants, await dumpTables(gatehouse.db))).toEqual([])
  // The same search finds nearly all planted values after decryption.
  const opened = foundIn(plants, await dumpSealed(gatehouse.db))
  const expected = [
    'nature.legal_company_name',
    'block notes',
    'person.surname',
    'accepting receiver',
    'list alias',
  ]
  expect(opened).toEqual(expect.arrayContaining([...expected, 'hosted.redirect', 'webhook secret']))
})

test('encrypts stored files, and keeps submitted values out of their names', () => {
  const folder = blobFolderOf(gatehouse.config)
  const names = blobsIn(folder)
  // These are two documents of the company, and two photos of each of two people.
  expect(names).toHaveLength(6)
  const stored = names.map((name) => `${name}\n${readFileSync(join(folder, name), 'latin1')}`).join('\n')
  expect(foundIn(plants, stored)).toEqual([])
  expect(foundIn(plants, dumpBlobs(gatehouse.config, gatehouse.db))).toEqual(
    expect.arrayContaining(['file content', 'check.selfie artist']),
  )
})

test('keeps personal data out of histories, search attributes, memos and details of all workflows', async () => {
  const everything = await dumpTemporal(gatehouse.temporal)
  for (const part of ['applyKybCommands', '"commandId"', 'GatehouseVault', 'KYB application'])
    expect(everything).toContain(part)
  expect(foundIn(plants, everything)).toEqual([])
})

test('does not log the database’s password if the login fails', async () => {
  const url = new URL(gatehouse.env.DATABASE_URL)
  url.password = plants.text('wrong database password')
  const port = await freePort()
  const env = { ...gatehouse.env, LOG_LEVEL: 'trace', DATABASE_URL: url.href, PORT: String(port) }
  const cli = spawnProcess('src/cli/main.ts', env, 'reconcile')
  expect(await cli.ended).toBe(1)
  const api = spawnProcess('src/server.ts', env)
  await api.ready()
  expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(503)
  await api.stop()
  for (const { output } of [cli, api]) {
    expect(output()).toContain('28P01')
    expect(foundIn(plants, output())).toEqual([])
  }
})
