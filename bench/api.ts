/**
 * Command: `npm run bench:api`. Compares the throughput of the API with that of bare servers in the same run. Only the
 * ratios are comparable between machines.
 */
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import postgres from 'postgres'
import { DOCUMENTS } from '../dev/demo/company.ts'
import { callApi, createFilledKyb } from '../dev/demo/filled-application.ts'
import { startTemporaryInstance } from '../dev/temporary-instance.ts'
import type { BareServerOptions } from './bare-server.ts'
import type { BareWorkerOptions } from './bare-worker.ts'
import { liftRateLimits } from './instance.ts'
import { lengthenLists } from './lists.ts'
import { type Ask, type Loaded, load } from './load.ts'
import { ask, cpuSeconds, memoryOf, startScript } from './process.ts'
import { repeat } from './repeat.ts'
import { printSizes } from './sizes.ts'
import { startTable } from './table.ts'

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '5' }, only: { type: 'string', default: '' } },
})
const SECONDS = Number(values.seconds)
const only = new RegExp(values.only)
const WARM_UP_SECONDS = 5
const CALLERS = 20
/** The length of the short lists. */
const SHOWN = 1_000
const MANY = 1_000_000
const WORKFLOWS = 3_000
const CREATIONS = 3_000
const PERSON = {
  kind: 'person',
  name: 'Ada',
  surname: 'Lindner',
  address: 'Lindenstrasse 12',
  city: 'Berlin',
  country: 'DE',
  birthdate: '1980-02-03',
  document_type: 'passport',
  document_number: 'C01X00T47',
}
const SPECIMEN = new URL('../dev/demo/specimen.pdf', import.meta.url)

liftRateLimits()
const { instance, stop } = await startTemporaryInstance()
const database = postgres(instance.database_url, { max: 1, onnotice: () => {} })
const { origin } = new URL(instance.base_url)
const base = new URL(instance.base_url).pathname
const { database_url: databaseUrl, temporal_address: temporalAddress } = instance
const headers = { authorization: instance.api_key, 'content-type': 'application/json' }

const call = <T = { data: { id: string; identification_id: string } }>(
  method: string,
  path: string,
  body?: object,
): Promise<T> => callApi<T>(instance, method, path, body)

const creation = () => ({ external_id: crypto.randomUUID() })

/** Each caller has a completed application, and a person to block and unblock. */
const applications: { id: string }[] = []
const people: { id: string }[] = []
while (people.length < CALLERS) {
  applications.push(await createFilledKyb(instance, crypto.randomUUID()))
  const person = await call('POST', '/identifications/import_identity', {
    ...PERSON,
    external_uuid: crypto.randomUUID(),
  })
  people.push(person.data)
}
const of = <T>(list: readonly T[], n: number): T => list[n % list.length] as T

const kyb = (n: number) => `/kyb/${of(applications, n).id}`
const identification = (n: number) => `/identifications/${of(people, n).id}`
const get = (path: (n: number) => string) => (n: number) => ({ method: 'GET' as const, path: path(n) })
const send = (method: Ask['method'], path: (n: number) => string, body: () => object) => (n: number) => ({
  method,
  path: path(n),
  body: JSON.stringify(body()),
})
let edits = 0
const edit = () => ({ nature_of_business: { legal_company_name: `Company ${edits++}` } })
const LIST = '/identifications?per_page=30'
const blocked = new Set<number>()
/** Blocks and unblocks a person in turn. The requests about one person must therefore follow each other. */
function blockOrUnblock(n: number): Ask {
  const block = !blocked.delete(n)
  if (block) blocked.add(n)
  const body = block ? { reason: 'suspected_fraud', notes: 'Seen twice.' } : {}
  return {
    method: 'POST',
    path: `${identification(n)}/${block ? 'block' : 'unblock'}`,
    body: JSON.stringify(body),
  }
}

const [server] = await startScript('bare-server.ts')
const [worker] = await startScript('bare-worker.ts')
const text = async (path: string) => JSON.stringify(await call('GET', path))
const rows = {
  identification: await text(identification(0)),
  kyb: await text(kyb(0)),
  list: await text(LIST),
  created: await text(kyb(0)),
}
const bareOptions: BareServerOptions = { databaseUrl, temporalAddress, rows }
const { port } = await ask<{ port: number }>(server, bareOptions)
await ask(worker, { databaseUrl, temporalAddress } satisfies BareWorkerOptions)
for (let n = 0; n < CALLERS; n += 1)
  await database`INSERT INTO bench_rows VALUES (${`kyb-${n}`}, ${rows.kyb}) ON CONFLICT DO NOTHING`
const bare = (id: string) => get(() => `/rows/${id}`)
const bareCommand = (n: number) => ({ method: 'PATCH' as const, path: `/rows/kyb-${n % CALLERS}` })

interface Row {
  readonly name: string
  readonly callers: readonly number[]
  readonly ours: (n: number) => Ask
  readonly floor: (n: number) => Ask
}

const ROWS: readonly Row[] = [
  {
    name: 'GET /identifications/{id}',
    callers: [20],
    ours: get(identification),
    floor: bare('identification'),
  },
  { name: 'GET /kyb/{id}', callers: [20], ours: get(kyb), floor: bare('kyb') },
  { name: 'GET /identifications', callers: [20], ours: get(() => LIST), floor: bare('list') },
  { name: 'PATCH /kyb/{id}', callers: [1, 20], ours: send('PATCH', kyb, edit), floor: bareCommand },
  { name: 'block, unblock', callers: [1, 20], ours: blockOrUnblock, floor: bareCommand },
  {
    name: 'POST /kyb',
    callers: [1, 20],
    ours: send('POST', () => '/kyb', creation),
    floor: send('POST', () => '/rows', creation),
  },
]

const pids = Object.entries(instance.pids).map(([name, pid]) => [name, pid ?? 0] as const)
const withCredentials = (next: (n: number) => Ask) => (n: number) => {
  const asked = next(n)
  return { ...asked, path: base + asked.path, headers }
}
const plain = (next: (n: number) => Ask) => (n: number) => ({
  ...next(n),
  headers: { 'content-type': 'application/json' },
})

const notAccepted = ({ failed }: Pick<Loaded, 'failed'>) =>
  [...failed].map(([status, times]) => `${times} × ${status}`).join(', ') || '0'

/** Waits until each entity has a workflow. Returns how many seconds this took. */
async function waitForWorkflows(): Promise<number> {
  const began = performance.now()
  for (;;) {
    const [left] = await database`SELECT count(*)::int AS count FROM (
        SELECT FROM kyb_applications WHERE workflow_started_at IS NULL
        UNION ALL SELECT FROM identifications WHERE workflow_started_at IS NULL) AS unstarted`
    if (left?.count === 0) return (performance.now() - began) / 1_000
    await sleep(200)
  }
}

const requests = startTable(
  'Requests',
  'Request',
  'Callers',
  'Cold per second',
  'Per second',
  'Spread',
  'Median ms',
  'Floor per second',
  'Ratio',
  ...pids.map(([name]) => name),
  'CPU ms',
  'Failed',
  'Backlog s',
)
/** Puts load on the floor and then on the API, so that changes in the machine's speed affect both. */
async function loadBoth(count: number, { ours, floor }: Row) {
  const bareLoad = await load(`http://127.0.0.1:${port}`, count, SECONDS, plain(floor))
  if (bareLoad.failed.size > 0) throw new Error(`the floor failed: ${notAccepted(bareLoad)}`)
  const before = pids.map(([, pid]) => cpuSeconds(pid))
  const loaded = await load(origin, count, SECONDS, withCredentials(ours))
  const cpu = pids.map(([, pid], i) => ((cpuSeconds(pid) - (before[i] ?? 0)) / loaded.answers) * 1_000)
  const backlog = await waitForWorkflows()
  return { ...loaded, floor: bareLoad.perSecond, ratio: loaded.perSecond / bareLoad.perSecond, cpu, backlog }
}

for (const row of ROWS.filter(({ name }) => only.test(name))) {
  for (const count of row.callers) {
    const cold = await load(origin, count, 1, withCredentials(row.ours))
    await load(`http://127.0.0.1:${port}`, count, WARM_UP_SECONDS, plain(row.floor))
    await load(origin, count, WARM_UP_SECONDS, withCredentials(row.ours))
    await waitForWorkflows()
    const { runs, spread, median } = await repeat(
      () => loadBoth(count, row),
      ({ ratio }) => ratio,
    )
    const cpu = pids.map((_, i) => median((run) => run.cpu[i] ?? 0))
    requests.row(
      row.name,
      String(count),
      cold.perSecond.toFixed(0),
      median(({ perSecond }) => perSecond).toFixed(0),
      spread,
      median(({ medianMs }) => medianMs).toFixed(1),
      median(({ floor }) => floor).toFixed(0),
      median(({ ratio }) => ratio).toFixed(2),
      ...cpu.map((ms) => ms.toFixed(2)),
      cpu.reduce((sum, ms) => sum + ms, 0).toFixed(2),
      [...new Set(runs.map(notAccepted))].join('; '),
      Math.max(...runs.map(({ backlog }) => backlog)).toFixed(1),
    )
  }
}
requests.end()

/** Returns a form with a PDF of this size. */
async function pdf(bytes: number): Promise<Pick<Ask, 'method' | 'headers' | 'body'>> {
  const form = new FormData()
  form.set('attribute', DOCUMENTS[0]?.attribute ?? '')
  const specimen = readFileSync(SPECIMEN)
  const content = Buffer.concat([specimen, Buffer.alloc(bytes - specimen.length, ' ')])
  form.set('file', new File([content], 'document.pdf', { type: 'application/pdf' }))
  const encoded = new Request(origin, { method: 'POST', body: form })
  const type = encoded.headers.get('content-type') ?? ''
  return { method: 'POST', headers: { 'content-type': type }, body: Buffer.from(await encoded.arrayBuffer()) }
}

/** Each caller uploads to its own application, which accepts up to fifty files. */
async function uploads(table: ReturnType<typeof startTable>, mebibytes: number, callers: number) {
  const form = await pdf(mebibytes * 1024 * 1024)
  const bareUpload = () => ({ ...form, path: '/files' })
  const floor = await load(`http://127.0.0.1:${port}`, callers, SECONDS, bareUpload)
  const created = await Promise.all(Array.from({ length: callers }, () => call('POST', '/kyb', creation())))
  const path = (n: number) => `${base}/kyb/upload_file/${of(created, n).data.id}`
  const pid = instance.pids.api ?? 0
  const before = memoryOf(pid)
  let most = before
  const watch = setInterval(() => {
    most = Math.max(most, memoryOf(pid))
  }, 100)
  const all = { ...form.headers, authorization: instance.api_key }
  const ours = await load(origin, callers, SECONDS, (n) => ({ ...form, headers: all, path: path(n) }), 50)
  clearInterval(watch)
  const rate = ({ perSecond }: { perSecond: number }) => perSecond * mebibytes
  table.row(
    `${mebibytes} MiB`,
    String(callers),
    rate(ours).toFixed(0),
    ours.medianMs.toFixed(0),
    rate(floor).toFixed(0),
    (rate(ours) / rate(floor)).toFixed(2),
    (before / 1024).toFixed(0),
    (most / 1024).toFixed(0),
    notAccepted(ours),
  )
}

if (only.test('uploads')) {
  const table = startTable(
    'Uploads',
    'Size',
    'Callers',
    'MiB per second',
    'Median ms',
    'Floor',
    'Ratio',
    'API MB before',
    'API MB at most',
    'Failed',
  )
  await uploads(table, 1, 1)
  await uploads(table, 10, 1)
  await uploads(table, 10, 50)
  table.end()
}

if (only.test('lists')) {
  await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      for (let n = 0; n < SHOWN / CALLERS; n += 1) await call('POST', '/kyb', creation())
    }),
  )
  await database`INSERT INTO webhook_logs (id, vault_id, topic, status, payload, urls_destiny)
    SELECT uuidv7(), ${instance.vault_id}, 'ticket', 'completed', '{}', '{}' FROM generate_series(1, ${SHOWN}::int)`
  const table = startTable('Lists', 'List', 'Page 1 ms', 'Page 100 ms')
  for (const count of [SHOWN, MANY]) {
    if (count > SHOWN) await lengthenLists(database, instance.vault_id, count - SHOWN)
    for (const path of ['/identifications?', '/kyb?', '/webhook_logs?type=ticket&status=completed&']) {
      const at = async (page: number) => {
        const next = withCredentials(get(() => `${path}per_page=10&page=${page}`))
        await load(origin, 1, WARM_UP_SECONDS, next)
        const asked = await load(origin, 1, SECONDS, next)
        if (asked.failed.size > 0) throw new Error(`${path} was answered with ${notAccepted(asked)}`)
        return asked.medianMs.toFixed(2)
      }
      table.row(`${path.split('?')[0]}, ${count} rows`, await at(1), await at(100))
    }
  }
  table.end()
  await printSizes(database, 'Row sizes of entities', [
    'identifications',
    'kyb_applications',
    'timeline',
    'commands',
  ])
}

/** Measures how long workflows take to start after creations at full load. */
if (only.test('creations')) {
  const table = startTable(
    'Creations',
    'Applications',
    'Per second',
    'Backlog s',
    ...pids.map(([name]) => name),
  )
  await waitForWorkflows()
  const before = pids.map(([, pid]) => cpuSeconds(pid))
  const next = withCredentials(send('POST', () => '/kyb', creation))
  const { perSecond, answers } = await load(origin, CALLERS, 600, next, CREATIONS / CALLERS)
  const backlog = await waitForWorkflows()
  const cpu = pids.map(([, pid], i) => ((cpuSeconds(pid) - (before[i] ?? 0)) / answers) * 1_000)
  table.row(String(answers), perSecond.toFixed(0), backlog.toFixed(1), ...cpu.map((ms) => ms.toFixed(2)))
  table.end()
}

/** Measures memory first while all workflows are open but idle, and then while they receive commands. */
if (only.test('memory')) {
  const worker = instance.pids.worker ?? 0
  const table = startTable('Memory of the worker', 'When', 'MB')
  const say = (when: string) => table.row(when, (memoryOf(worker) / 1024).toFixed(0))
  say('before')
  await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      for (let n = 0; n < WORKFLOWS / 2 / CALLERS; n += 1) await call('POST', '/kyb', creation())
    }),
  )
  await waitForWorkflows()
  say(`after ${WORKFLOWS} workflows`)
  for (const minutes of [1, 2]) {
    await load(origin, CALLERS, 60, withCredentials(send('PATCH', kyb, edit)))
    say(`after ${minutes} min of commands`)
  }
  table.end()
}

server.kill()
worker.kill()
await database.end()
await stop()
// Does not wait until the child processes have stopped.
process.exit()
