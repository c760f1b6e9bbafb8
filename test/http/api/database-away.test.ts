/** Tests requests during which PostgreSQL becomes unavailable: the process keeps running and responds with 503. */
import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { composeApi } from '../../../src/compose/api.ts'
import { transaction } from '../../../src/db/connection/database.ts'
import { isDatabaseUnavailable } from '../../../src/db/connection/failure.ts'
import { createHttpServer, stopServer } from '../../../src/http/server.ts'
import { readConfig } from '../../../src/process/config.ts'
import { type Api, type ApiResponse, createApi } from '../../support/api.ts'
import { expectErrors } from '../../support/checks.ts'
import { openConsole } from '../../support/console.ts'
import { eventually, type OwnInstance, startInstance, unique } from '../../support/instance.ts'
import { type PostgresProxy, startProxy } from '../../support/proxy.ts'
import { readLog } from '../../support/webhook.ts'

test('reports that the API is live but not ready if the database is unavailable', async () => {
  const plain = await startInstance()
  const proxy = await startProxy(plain.env.DATABASE_URL)
  const gatehouse = composeApi(readConfig({ ...plain.env, DATABASE_URL: proxy.url }), plain.log)
  const server = createHttpServer(gatehouse.app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const statuses = () =>
    Promise.all(
      ['/readyz', '/livez', '/health'].map(
        async (path) => (await fetch(`http://127.0.0.1:${port}${path}`)).status,
      ),
    )
  expect(await statuses()).toEqual([200, 200, 200])
  proxy.refuse()
  await eventually(async () => expect(await statuses()).toEqual([503, 200, 200]))
  proxy.heal()
  await eventually(async () => expect(await statuses()).toEqual([200, 200, 200]))
  await stopServer(server)
  await gatehouse.stop()
  await proxy.stop()
  await plain.stop()
})

describe('connections that PostgreSQL closes', () => {
  let gatehouse: OwnInstance
  beforeAll(async () => {
    gatehouse = await startInstance()
  })
  afterAll(() => gatehouse.stop())

  test('make only their own transaction fail if they close in the middle of it', async () => {
    const ended = transaction(gatehouse.db, async (tx) => {
      const rows = await tx.orm.execute<{ pid: number }>(sql`SELECT pg_backend_pid() AS pid`)
      await gatehouse.db.orm.execute(sql`SELECT pg_terminate_backend(${rows[0]?.pid})`)
      await new Promise((resolve) => setTimeout(resolve, 200))
      await tx.orm.execute(sql`SELECT 1`)
    })
    const error = await ended.then(
      () => null,
      (thrown: unknown) => thrown,
    )
    expect(isDatabaseUnavailable(error)).toBe(true)
    expect((await gatehouse.api.get('/kyb')).status).toBe(200)
  })

  test('count as an unavailable database for all current requests, and the next request succeeds', async () => {
    const slow = sql`SELECT pg_sleep(100)`
    const waiting = [1, 2, 3].map(() =>
      gatehouse.db.orm.execute(slow).catch((error: unknown) => isDatabaseUnavailable(error)),
    )
    const sleeping = sql`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`
    await eventually(async () => expect(await gatehouse.db.orm.execute(sleeping)).toHaveLength(3))
    await gatehouse.db.orm.execute(
      sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    )
    expect(await Promise.all(waiting)).toEqual([true, true, true])
    expect((await gatehouse.api.get('/kyb')).status).toBe(200)
  })
})

describe('if the response to a commit is lost,', () => {
  let plain: OwnInstance
  let proxy: PostgresProxy
  let server: Server
  let stop: () => Promise<void>
  let base: string
  let client: Api
  let operator: Api
  beforeAll(async () => {
    plain = await startInstance()
    proxy = await startProxy(plain.env.DATABASE_URL)
    const composed = composeApi(readConfig({ ...plain.env, DATABASE_URL: proxy.url }), plain.log)
    stop = composed.stop
    server = createHttpServer(composed.app).listen(0, '127.0.0.1')
    await once(server, 'listening')
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    client = createApi(`${base}/v1`, plain.credentials.api_key)
    operator = createApi(`${base}/operator/v1`, await tokenOf(plain))
    expect((await client.get('/kyb')).status).toBe(200)
    expect((await operator.get('/queue')).status).toBe(200)
  })
  afterAll(async () => {
    await stopServer(server)
    await stop()
    await proxy.stop()
    await plain.stop()
  })

  const tokenOf = async ({ baseUrl, credentials }: OwnInstance): Promise<string> => {
    const { operator_email: email, operator_password: password } = credentials
    const { body } = await createApi(`${baseUrl}/operator/v1`, '').post('/sign_in', { email, password })
    return body.data.access_token
  }

  /** Appears only in the statement that creates an identification. */
  const CREATED = 'identification_created'

  /** Loses the response to the statement `at`, which takes effect, and then sends the same request again. */
  async function lostAndAgain(ask: () => Promise<ApiResponse>, at = 'COMMIT'): Promise<ApiResponse> {
    proxy.cutAt(at, 'answered')
    const lost = await ask()
    proxy.heal()
    expect(lost.status).toBe(503)
    expect(Number(lost.headers.get('Retry-After'))).toBeGreaterThan(0)
    expect(lost.body.errors).toEqual([
      { code: 'service_unavailable', message: expect.stringContaining('may have been made') },
    ])
    return ask()
  }

  const applicationsOf = async (external_id: string) =>
    (await client.get(`/kyb?external_id=${external_id}`)).body.data
  const eventsOf = async (text: string) =>
    (await client.get(`/webhook_logs?type=all&status=all&search=${text}`)).body.data

  test('a repeated request creates an application only once, and the client finds it by its external_id', async () => {
    const external_id = unique()
    const answer = await lostAndAgain(() => client.post('/kyb', { external_id }), CREATED)
    expectErrors(answer, 'external_id_taken')
    const [{ id }] = await applicationsOf(external_id)
    expect((await client.post(`/kyb/${id}/form_link`, { new_password: true })).status).toBe(201)
  })

  test('a repeated request with an Idempotency-Key returns the original response with its password', async () => {
    const external_id = unique()
    const headers = { 'Idempotency-Key': unique() }
    const answer = await lostAndAgain(() => client.send('POST', '/kyb', { external_id }, headers))
    expect([answer.status, answer.body.generated_password]).toEqual([201, expect.any(String)])
    expect((await applicationsOf(external_id)).length).toBe(1)
  })

  test('a repeated request imports an identity only once, and returns a new link for a hosted verification', async () => {
    const external_uuid = unique()
    const imported = await lostAndAgain(
      () => client.post('/identifications/import_identity', { external_uuid }),
      CREATED,
    )
    expectErrors(imported, 'external_uuid_taken')
    const process = { type: 'kyc', external_uuid: unique() }
    const begun = await lostAndAgain(
      () => client.post('/identifications/create_identify_process', process),
      CREATED,
    )
    expect(begun.status).toBe(201)
    for (const id of [external_uuid, process.external_uuid]) {
      const { body } = await client.get(`/identifications?filter[external_uuid]=${id}`)
      expect(body.data).toHaveLength(1)
    }
  })

  test('a repeated request publishes an event with an event_id only once', async () => {
    await client.put('/users/update_webhook', { webhook_url: { ticket: ['https://receiver.example'] } })
    const event_id = unique()
    const event = { vault_id: plain.vaultId, topic: 'ticket', event: 'ticket_made', attributes: {} }
    const answer = await lostAndAgain(() => operator.post('/events', { ...event, event_id }))
    expect(answer.body.data).toEqual({ event_id, webhook_log_ids: [expect.any(String)] })
    expect(await eventsOf(event_id)).toHaveLength(1)
  })

  test('a repeated request stores the settings as sent, and creates a user only once', async () => {
    const webhook_url = { account: [`https://receiver.example/${unique()}`] }
    expect((await lostAndAgain(() => client.put('/users/update_webhook', { webhook_url }))).status).toBe(200)
    expect((await client.get('/users/settings')).body.data.webhook_url_list).toMatchObject(webhook_url)
    const email = `${unique()}@example.com`
    expectErrors(
      await lostAndAgain(() => operator.post('/users', { email, operator_roles: ['operator_review'] })),
      'email_taken',
    )
  })

  test('a console page asks the operator to reload, and the repeated form sends a delivery again only once', async () => {
    const operators = await openConsole(base, plain.credentials)
    const id = await client.createKyb()
    const { identification_id } = (await client.get(`/kyb/${id}`)).body.data
    const webhook_url = { identification: ['https://receiver.example'] }
    await client.put('/users/update_webhook', { webhook_url })
    const isKept = ({ event }: { event: string }) => event === 'identification'
    const log = (await eventsOf(identification_id)).find(isKept)
    const path = `/console/identifications/${identification_id}`
    const retry = () => operators.post(`${path}/deliveries/${log.id}/retry`, { round: '1' })
    // The first read of a case is recorded, so it also needs the database.
    expect((await operators.get(path)).status).toBe(200)
    proxy.cutAt('COMMIT', 'answered')
    const lost = await retry()
    proxy.heal()
    expect([lost.status, lost.headers.get('Content-Type')]).toEqual([503, 'text/html; charset=utf-8'])
    expect(await lost.text()).toContain('Reload the page in a few seconds to check the current state')
    const again = await retry()
    expect([again.status, await again.text()]).toEqual([
      422,
      expect.stringContaining('has already been resent'),
    ])
    expect((await readLog(plain, log.id)).round).toBe(2)
  })

  test('a form of the console that is sent again creates a case or note only once', async () => {
    const operators = await openConsole(base, plain.credentials)
    const id = await client.createKyb()
    const { identification_id } = (await client.get(`/kyb/${id}`)).body.data
    const path = `/console/identifications/${identification_id}`
    const formOf = (page: string, action: string) =>
      (page.split(`action="${path}/${action}"`)[1] ?? '').split('</form>')[0] ?? ''
    const nameIn = (form: string) => /name="id" value="([^"]+)"/.exec(form)?.[1] ?? ''
    /** Loses the response to the form, and returns the ID in the form that is shown again. */
    const loseAnswer = async (action: string, typed: Record<string, string>) => {
      const name = nameIn(formOf(await operators.text(path), action))
      proxy.cutAt('COMMIT', 'answered')
      const lost = await operators.post(`${path}/${action}`, { id: name, ...typed })
      proxy.heal()
      const form = formOf(await lost.text(), action)
      expect([lost.status, form]).toEqual([503, expect.stringContaining('As it was typed.')])
      return nameIn(form)
    }
    const read = async (what = '') =>
      (await operator.get(`/identifications/${identification_id}${what}`)).body.data
    const notes = async () =>
      (await read('/timeline'))
        .filter(({ action }: { action: string }) => action === 'note')
        .map(({ internal_note }: { internal_note: string }) => internal_note)

    const aCase = { owner: 'operator_operations', reason: 'aml_review', notes: 'As it was typed.' }
    const caseName = await loseAnswer('cases', aCase)
    expect((await operators.post(`${path}/cases`, { id: caseName, ...aCase })).status).toBe(303)
    expect((await read()).holds).toMatchObject([{ id: caseName }])

    const note = { text: 'As it was typed.' }
    const noteName = await loseAnswer('notes', note)
    expect((await operators.post(`${path}/notes`, { id: noteName, ...note })).status).toBe(303)
    expect(await notes()).toEqual([note.text])
    // Simulates a page that the browser restored.
    const other = { text: 'Something else.' }
    expect((await operators.post(`${path}/notes`, { id: noteName, ...other })).status).toBe(303)
    expect(await notes()).toEqual([note.text, other.text])
  })
})
