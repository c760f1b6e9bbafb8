/**
 * Tests that readers of the event feed miss no event and get none twice, while three API processes are killed again and
 * again during writes and reads. `npm run chaos` runs it for longer.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../dev/launcher/ports.ts'
import { type OwnInstance, startInstance } from '../support/instance.ts'
import { type Spawned, spawnProcess } from '../support/processes.ts'

const FLOOD_MS = process.env.CHAOS === 'full' ? 120_000 : 15_000
const READERS = 6
const WRITERS = 6

interface Api {
  readonly url: string
  process: Spawned | null
}

let gatehouse: OwnInstance
let apis: Api[]
let token: string
let isFlooding = true
/** Whether all events are committed, which takes up to two seconds after the flood. */
let isWritten = false

async function start(api: Api): Promise<void> {
  const port = new URL(api.url).port
  api.process = spawnProcess('src/server.ts', { ...gatehouse.env, PORT: port, HOST: '127.0.0.1' })
  await api.process.ready()
}

beforeAll(async () => {
  gatehouse = await startInstance()
  const { operator_email: email, operator_password: password } = gatehouse.credentials
  const body = JSON.stringify({ email, password })
  const headers = { 'Content-Type': 'application/json' }
  const signedIn = await fetch(`${gatehouse.baseUrl}/operator/v1/sign_in`, { method: 'POST', headers, body })
  token = (await signedIn.json()).data.access_token
  const ports = await Promise.all([1, 2, 3].map(() => freePort()))
  apis = ports.map((port) => ({ url: `http://127.0.0.1:${port}`, process: null }))
  await Promise.all(apis.map(start))
})
afterAll(async () => {
  await Promise.all(apis.map(({ process }) => process?.stop('SIGKILL')))
  await gatehouse.stop()
})

/** Returns the JSON of a response with the status 2xx, or null. The process may have been killed. */
async function call(n: number, path: string, init: RequestInit) {
  try {
    const response = await fetch((apis[n % apis.length]?.url ?? '') + path, init)
    if (response.ok) return await response.json()
    if (response.status !== 503) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof SyntaxError)) throw error
  }
  await sleep(50)
  return null
}

/** The number of acknowledged events. */
let written = 0
let kills = 0

/** Publishes events until the flood ends, in batches of random size. */
async function write(n: number): Promise<void> {
  for (let calls = 0; isFlooding; calls += 1) {
    const topic = calls % 3 === 0 ? 'ticket' : 'daily_settlement'
    const event = { vault_id: gatehouse.vaultId, topic, event: 'thing_made', attributes: { status: 'made' } }
    const batch = Array(1 + Math.floor(Math.random() * 40)).fill(event)
    const body = JSON.stringify(batch)
    const headers = { Authorization: token, 'Content-Type': 'application/json' }
    if (await call(n + calls, '/operator/v1/events', { method: 'POST', headers, body }))
      written += batch.length
  }
}

/** Keeps transactions with events open for up to a second, so that many others overlap them. */
async function overlap(): Promise<void> {
  const statement = sql`
    WITH slept AS (SELECT pg_sleep(random()) FROM generate_series(1, 1))
    INSERT INTO webhook_logs (id, vault_id, topic, status, payload, urls_destiny)
    SELECT uuidv7(), ${gatehouse.vaultId}, 'ticket', 'failed',
      '{"data":{"event":"slow","attributes":{"event_id":"' || uuidv7() || '"}}}', '{}'
    FROM generate_series(1, 3)`
  while (isFlooding) {
    await gatehouse.db.orm.transaction(async (tx) => {
      await tx.execute(statement)
      await tx.execute(sql`SELECT pg_sleep(random())`)
    })
  }
}

/** Reads the feed to its end, from changing processes. */
async function read(n: number): Promise<string[]> {
  const ids: string[] = []
  let after: string | null = null
  for (let calls = 0; ; calls += 1) {
    const isLast = isWritten
    const query = new URLSearchParams({ wait: '1', limit: String(1 + Math.floor(Math.random() * 500)) })
    if (after !== null) query.set('after', after)
    const headers = { Authorization: gatehouse.credentials.api_key }
    const page = await call(n + calls, `/v1/events?${query}`, { headers })
    if (!page) continue
    ids.push(...page.data.map(({ id }: { id: string }) => id))
    after = page.cursor
    if (isLast && !page.has_more && page.data.length === 0) return ids
  }
}

/** Kills a process and starts it again until the flood ends. */
async function kill(api: Api): Promise<void> {
  while (isFlooding) {
    await sleep(500 + Math.random() * 2_000)
    await api.process?.stop('SIGKILL')
    await start(api)
    kills += 1
  }
}

test('every reader gets every event once, in the same order', async () => {
  const readers = Array.from({ length: READERS }, (_, n) => read(n))
  const writers = Array.from({ length: WRITERS }, (_, n) => write(n))
  const work = Promise.all([...writers, overlap(), overlap()])
  const killing = Promise.all(apis.map(kill))
  await sleep(FLOOD_MS)
  // A busy machine needs longer until enough has happened.
  while (kills < 3 || written < 500) await sleep(100)
  isFlooding = false
  await work
  isWritten = true
  await killing
  const [first = [], ...others] = await Promise.all(readers)
  const rows = await gatehouse.db.orm.execute<{ id: string }>(sql`
      SELECT payload::jsonb #>> '{data,attributes,event_id}' AS id FROM webhook_logs WHERE vault_id = ${gatehouse.vaultId}`)
  expect(rows.length).toBeGreaterThanOrEqual(written)
  expect(first).toHaveLength(rows.length)
  expect(new Set(first)).toEqual(new Set(rows.map(({ id }) => id)))
  for (const each of others) expect(each).toEqual(first)
})
