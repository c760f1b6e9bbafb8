/** Tests an API and a worker as processes: their health responses and their shutdown. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, Pool } from 'undici'
import { afterAll, describe, expect, test } from 'vitest'
import { freePort } from '../../dev/launcher/ports.ts'
import { eventually, startInstance } from '../support/instance.ts'
import { type Spawned, spawnProcess } from '../support/processes.ts'
import { startProxy } from '../support/proxy.ts'
import { startReceiver } from '../support/receiver.ts'
import { deliverTo } from '../support/webhook.ts'

const CALLERS = 20
const MOST_MS = 45_000

const gatehouse = await startInstance({ deadlineMs: 10_000 })
const started: Spawned[] = []
afterAll(async () => {
  await Promise.all(started.map((each) => each.stop('SIGKILL')))
  await gatehouse.stop()
})

async function start(
  script: 'src/server.ts' | 'src/worker.ts',
  more: Record<string, string> = {},
  awaited = true,
) {
  const port = String(await freePort())
  const own = script === 'src/server.ts' ? { PORT: port } : { HEALTH_PORT: port }
  const process = spawnProcess(script, { ...gatehouse.env, ...own, ...more })
  started.push(process)
  const isReady = process.ready()
  // A worker is ready when it accepts work.
  if (awaited) await isReady
  const baseUrl = `http://127.0.0.1:${port}`
  // Opens a new connection each time, as probes do.
  const ask = async (path: string) => {
    const dispatcher = new Agent({ pipelining: 0 })
    const res = await dispatcher.request({ origin: baseUrl, path, method: 'GET' })
    const { status } = (await res.body.json()) as { status: string }
    await dispatcher.close()
    return [res.statusCode, status] as const
  }
  return { ...process, isReady, baseUrl, ask }
}

const readyz = ({ ask }: Awaited<ReturnType<typeof start>>) => ask('/readyz')
const READY = [200, 'ok']

describe('an API that is stopping', () => {
  test('reports this in /readyz, and loses no request of twenty callers that check /readyz', async () => {
    const leaving = await start('src/server.ts')
    const pools = [leaving.baseUrl, gatehouse.baseUrl].map((url) => new Pool(url, { connections: CALLERS }))
    const [toLeaving, toOther] = pools as [Pool, Pool]
    let isReady = true
    let working = true
    let stopped = false
    const seen = { before: 0, while: 0, kept: 0, failed: [] as unknown[] }
    const caller = async (n: number) => {
      while (working) {
        const pool = isReady ? toLeaving : toOther
        const wasStopped = stopped
        const body = n % 2 === 0 ? null : '{}'
        const [method, path] = body
          ? (['POST', '/v1/kyb'] as const)
          : (['GET', '/v1/kyb?per_page=5'] as const)
        const headers = {
          authorization: gatehouse.credentials.api_key,
          ...(body && { 'content-type': 'application/json' }),
        }
        try {
          const answer = await pool.request({ method, path, headers, body })
          await answer.body.dump()
          if (answer.statusCode >= 500) seen.failed.push(answer.statusCode)
          if (pool === toLeaving) seen[stopped ? 'while' : 'before']++
          if (pool === toLeaving && wasStopped && answer.headers.connection !== 'close') seen.kept++
        } catch (error) {
          seen.failed.push(error)
        }
      }
    }
    const callers = Promise.all(Array.from({ length: CALLERS }, (_, n) => caller(n)))
    const probing = (async () => {
      while (isReady) {
        await sleep(500)
        isReady = (await readyz(leaving))[0] === 200
      }
    })()
    await eventually(() => expect(seen.before).toBeGreaterThan(200))
    const since = performance.now()
    leaving.child.kill('SIGTERM')
    await eventually(async () => expect(await readyz(leaving)).toEqual([503, 'stopping']))
    stopped = true
    expect(await leaving.ask('/livez')).toEqual(READY)
    expect(await leaving.ended).toBe(0)
    expect(performance.now() - since).toBeLessThan(MOST_MS)
    working = false
    await Promise.all([callers, probing])
    await Promise.all(pools.map((pool) => pool.close()))
    expect(seen).toMatchObject({ kept: 0, failed: [] })
    expect(seen.while).toBeGreaterThan(0)
  })
})

describe('an invalid setting', () => {
  const { DATABASE_URL, HASH_KEY } = gatehouse.env
  const ends = async (script: string, env: Record<string, string>) => {
    const ended = spawnProcess(script, { ...gatehouse.env, ...env })
    started.push(ended)
    expect(await ended.ended).toBe(1)
    return ended.output()
  }
  test.each([
    ['server', 'WEBHOOK_CA_FILE', '/nope.pem', 'WEBHOOK_CA_FILE: /nope.pem cannot be read.'],
    ['server', 'ENCRYPTION_KEYS', 'k1:abc', 'ENCRYPTION_KEYS (k1): the key must be 32 bytes in base64.'],
    [
      ...(['server', 'DATABASE_URL', `${DATABASE_URL}?sslrootcert=/nope.pem`] as const),
      'sslrootcert in DATABASE_URL or MIGRATION_DATABASE_URL: /nope.pem cannot be read.',
    ],
    ['worker', 'TEMPORAL_TLS_CA_FILE', '/nope.pem', 'TEMPORAL_TLS_CA_FILE: /nope.pem cannot be read.'],
    ['worker', 'WORKFLOW_BUNDLE', '/nope.js', 'WORKFLOW_BUNDLE: /nope.js cannot be read.'],
  ])('ends the %s process with an error that names it: %s', async (process, name, value, message) => {
    expect(await ends(`src/${process}.ts`, { [name]: value })).toBe(`${message}\n`)
  })
  test.each([
    ['server', 'PORT', 'HOST'],
    ['server', 'METRICS_PORT', 'METRICS_HOST'],
    ['worker', 'HEALTH_PORT', 'HOST'],
  ])('ends the %s process if the %s is in use', async (process, name, host) => {
    const { port } = new URL(gatehouse.baseUrl)
    const output = await ends(`src/${process}.ts`, { PORT: '0', LOG_LEVEL: 'error', [name]: port })
    expect(output).toBe(`${name}, ${host}: the process cannot listen on 127.0.0.1:${port} (EADDRINUSE).\n`)
  })
  test('is named in the log if it is a namespace that Temporal does not have', async () => {
    const output = await ends('src/worker.ts', { TEMPORAL_NAMESPACE: 'no-such-one', LOG_LEVEL: 'error' })
    expect(output).toContain('"namespace":"no-such-one"')
    expect(output).toContain(`"address":"${gatehouse.env.TEMPORAL_ADDRESS}"`)
    expect(output).not.toContain(HASH_KEY)
  })
})

describe('a missing path on the command line', () => {
  test.each([
    [
      'check-files',
      [],
      { BLOB_URL: 'file:///nope/files' },
      'BLOB_URL: the folder /nope/files does not exist. Mount its volume, or create the folder.\n',
    ],
    [
      'bundle-workflows',
      ['--out', '/nope/bundle.js'],
      {},
      "no such file or directory, open '/nope/bundle.js.",
    ],
  ])('is named in the error of %s', async (command, args, env, message) => {
    const cli = spawnProcess('src/cli/main.ts', { ...gatehouse.env, ...env }, command, ...args)
    expect(await cli.ended).toBe(1)
    expect(cli.output()).toContain(message)
  })
})

test('runs on a database that is not migrated, and becomes ready after the last migration', async () => {
  const set = (change: string) =>
    gatehouse.asOwner(`UPDATE drizzle.__drizzle_migrations SET ${change} WHERE abs(created_at) =
      (SELECT max(abs(created_at)) FROM drizzle.__drizzle_migrations)`)
  const says = (process: Awaited<ReturnType<typeof start>>, status: number, text: string) =>
    eventually(async () => expect(await readyz(process)).toEqual([status, text]))
  await set('created_at = -created_at')
  const api = await start('src/server.ts')
  await says(api, 503, 'not_migrated')
  expect(await api.ask('/livez')).toEqual(READY)
  await set("created_at = -created_at, hash = 'begun'")
  const worker = await start('src/worker.ts', {}, false)
  await says(worker, 503, 'not_migrated')
  const leaving = await start('src/worker.ts', {}, false)
  await says(leaving, 503, 'not_migrated')
  leaving.child.kill('SIGTERM')
  expect(await leaving.ended).toBe(0)
  const id = await gatehouse.api.createKyb()
  const edit = () =>
    gatehouse.api.patch(`/kyb/${id}`, { nature_of_business: { legal_company_name: 'Looms' } })
  expect((await edit()).status).toBe(503)
  await set("hash = 'applied'")
  await worker.isReady
  await eventually(async () => expect((await edit()).status).toBe(200))
  for (const each of [api, worker]) await says(each, 200, 'ok')
  await Promise.all([api.stop(), worker.stop()])
})

describe('a worker', () => {
  test('reports that it is stopping, finishes its work, and then ends', async () => {
    const answer: (() => void)[] = []
    const receiver = await startReceiver((res) => answer.push(() => res.writeHead(200).end()))
    await deliverTo(gatehouse, receiver.url)
    const worker = await start('src/worker.ts')
    expect(await readyz(worker)).toEqual(READY)
    await gatehouse.api.createKyb()
    await receiver.waitFor('identification_created')
    const since = performance.now()
    worker.child.kill('SIGTERM')
    await eventually(async () => expect(await readyz(worker)).toEqual([503, 'stopping']))
    expect(await worker.ask('/livez')).toEqual(READY)
    for (const respond of answer) respond()
    expect(await worker.ended).toBe(0)
    expect(performance.now() - since).toBeLessThan(MOST_MS)
    expect(receiver.received).toHaveLength(1)
    await receiver.stop()
  })

  test('reports an unavailable dependency, and becomes ready again when it returns', async () => {
    const databases = await startProxy(gatehouse.env.DATABASE_URL)
    const temporals = await startProxy(`tcp://${gatehouse.env.TEMPORAL_ADDRESS}`)
    const TEMPORAL_ADDRESS = new URL(temporals.url).host
    const worker = await start('src/worker.ts', { DATABASE_URL: databases.url, TEMPORAL_ADDRESS })
    const says = (status: number, text: string) =>
      eventually(async () => expect(await readyz(worker)).toEqual([status, text]))
    await says(200, 'ok')
    databases.refuse()
    await says(503, 'database_away')
    databases.heal()
    await says(200, 'ok')
    temporals.refuse()
    await says(503, 'temporal_away')
    temporals.heal()
    await says(200, 'ok')
    await worker.stop()
    await Promise.all([databases.stop(), temporals.stop()])
  })

  test('ends at the next task if its threads die, so that its supervisor restarts it', async () => {
    const worker = await start('src/worker.ts', { NODE_OPTIONS: '--import ./test/support/dying-thread.mjs' })
    worker.child.kill('SIGUSR2')
    // The instance's worker also takes some of the tasks.
    while (worker.child.exitCode === null) {
      await gatehouse.api.createKyb()
      await sleep(200)
    }
    expect(await worker.ended).toBe(1)
  })
})
