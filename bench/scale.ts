/**
 * Command: `npm run bench:scale`. Fills a database with copies of cases, and measures every list, search and filter, and
 * housekeeping: the time, and the number of rows that their statements read. Fails if a statement reads a large table
 * completely.
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import postgres from 'postgres'
import { DOCUMENTS, LISTED_PERSON } from '../dev/demo/company.ts'
import { callApi, createFilledKyb, createKyb, uploadDocument } from '../dev/demo/filled-application.ts'
import { createInstanceFolder } from '../dev/temporary-instance.ts'
import { insertCopies, type Original } from './copies.ts'
import { liftRateLimits, signInToApi } from './instance.ts'
import { middle } from './middle.ts'
import { logPlans, type Planned, readPlansFrom } from './plans.ts'
import { signInToConsole } from './queue.ts'
import { CONSOLE_READS, clientReads, operatorReads, type Samples } from './reads.ts'
import { startTable } from './table.ts'
import { measureUpkeep, readContexts } from './upkeep.ts'

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    'at-most': { type: 'string', default: 'Infinity' },
  },
})
const ROWS = Number(values.rows)
const TIMES = 3
/** Longer than the interval of housekeeping. */
const HOUSEKEEPING_MS = 22_000
/** How long PostgreSQL takes to write a plan. */
const LOG_MS = 50
const SHOWN_FROM = 1_000
/** How long requests may fail after their connections were closed. */
const RECONNECT_MS = 3_000

liftRateLimits()
const { folder, start, remove } = await createInstanceFolder()
const { instance, stop } = await start()
const database = postgres(instance.database_url, { max: 1, onnotice: () => {} })

type Created = { data: { id: string; identification_id: string } }
const call = (method: string, path: string, body?: object) => callApi<Created>(instance, method, path, body)

async function company(outcome?: 'approved' | 'rejected'): Promise<string> {
  const { id } = await createFilledKyb(instance, crypto.randomUUID())
  for (const document of DOCUMENTS) await uploadDocument(instance, id, document)
  if (outcome) await call('POST', `/sandbox/kyb/${id}/simulate_review`, { outcome })
  return (await call('GET', `/kyb/${id}`)).data.identification_id
}
const person = async (path: string, body: object) =>
  (await call('POST', `/identifications/${path}`, body)).data.id
const { vault_id: vaultId } = instance
const imported = { ...LISTED_PERSON, name: 'Ada', surname: 'Lindner', external_uuid: crypto.randomUUID() }
await database`UPDATE webhook_settings SET url_list = '{"account": ["http://127.0.0.1:9/"]}' WHERE vault_id = ${vaultId}`

const YEARS = 4 * 365
const originals: readonly Original[] = [
  { identificationId: await person('import_identity', imported), share: 0.58, days: YEARS },
  { identificationId: await company('approved'), share: 0.35, days: YEARS },
  { identificationId: await company('rejected'), share: 0.05, days: YEARS },
  { identificationId: await company(), share: 0.01, days: 20 },
  { identificationId: await person('soft_kyc', LISTED_PERSON), share: 0.005, days: 20 },
  {
    identificationId: (await call('GET', `/kyb/${(await createKyb(instance, crypto.randomUUID())).id}`)).data
      .identification_id,
    share: 0.005,
    days: 20,
  },
]
// The first attempts and checks end before the rows are copied.
await sleep(5_000)

const seconds = async (work: () => Promise<unknown>) => {
  const began = performance.now()
  await work()
  return ((performance.now() - began) / 1_000).toFixed(0)
}
const contexts = await readContexts(database)
await database`ALTER SYSTEM SET max_wal_size = '8GB'`
await database`SELECT pg_reload_conf()`
console.log(`\n${ROWS} cases inserted in ${await seconds(() => insertCopies(database, ROWS, originals))} s`)
const [size] = await database`SELECT pg_size_pretty(pg_database_size(current_database())) AS size`
console.log(`The database has ${size?.size}.`)
const sizes =
  await database`SELECT relname AS name, reltuples::bigint AS rows, pg_total_relation_size(oid) AS bytes
  FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND reltuples > 100 ORDER BY bytes DESC`
for (const { name, rows, bytes } of sizes)
  console.log(
    `${name}: ${rows} rows, ${(bytes / rows).toFixed(0)} bytes each, ${(bytes / 1e6).toFixed(0)} MB`,
  )

const token = await signInToApi(instance)
const cookie = await signInToConsole(instance)
await logPlans(database)
await sleep(RECONNECT_MS)
const readPlans = readPlansFrom(join(folder, 'logs', 'postgres.log'))

// The rows of copies cannot be decrypted, so single cases are the originals.
const [identification] = await database`SELECT id, external_uuid AS external FROM identifications
  WHERE id = ${originals[0]?.identificationId ?? ''}`
const [kyb] = await database`SELECT id, external_id AS external FROM kyb_applications
  WHERE identification_id = ${originals[1]?.identificationId ?? ''}`
const samples = { vaultId, identification, kyb } as unknown as Samples
const READS = [
  { base: instance.base_url, headers: { Authorization: instance.api_key }, paths: clientReads(samples) },
  {
    base: instance.operator_base_url,
    headers: { Authorization: token },
    paths: operatorReads(samples),
  },
  { base: instance.console_url, headers: { Cookie: cookie }, paths: CONSOLE_READS },
].flatMap(({ paths, ...by }) => paths.map((path) => ({ ...by, path })))

const table = startTable('Reads', 'Request', 'Status', 'Median ms', 'Rows', 'Read completely')
const large = new Set(sizes.filter(({ rows }) => rows > ROWS / 20).map(({ name }) => name))
/** The plan of each statement that read the most rows. */
const worst = new Map<string, Planned & { readonly request: string }>()
let failures = 0
const msOf = (plans: readonly Planned[]) => plans.reduce((sum, { ms }) => sum + ms, 0).toFixed(0)
function addPlans(request: string, plans: readonly Planned[]): void {
  for (const plan of plans)
    if (plan.rows > (worst.get(plan.text)?.rows ?? 0)) worst.set(plan.text, { request, ...plan })
}
function add(request: string, status: number, ms: number): void {
  const plans = readPlans()
  addPlans(request, plans)
  const complete = new Set(plans.flatMap(({ scanned }) => scanned).filter((name) => large.has(name)))
  const most = Math.max(0, ...plans.map(({ rows }) => rows))
  table.row(request.padEnd(70), String(status), ms.toFixed(1), most.toFixed(0), [...complete].join())
  if (complete.size > 0 || status >= 400) failures += 1
}

for (const { base, path, headers } of READS) {
  const times: number[] = []
  let status = 0
  readPlans()
  for (let n = 0; n < TIMES; n += 1) {
    const began = performance.now()
    const response = await fetch(base + path, { headers })
    await response.arrayBuffer()
    times.push(performance.now() - began)
    status = response.status
  }
  await sleep(LOG_MS)
  add(new URL(base).pathname + path, status, middle(times, 0.5))
}
readPlans()
await sleep(HOUSEKEEPING_MS)
const ofHousekeeping = readPlans()
addPlans('housekeeping', ofHousekeeping)

const upkeep = startTable('Upkeep', 'Work', 'Count', 'Seconds', 'ms each', 'ms of statements')
upkeep.row('housekeeping, one pass', '', '', '', msOf(ofHousekeeping))
// A key rotation has too many short statements.
await logPlans(database, 1)
await measureUpkeep(instance, database, contexts, async (name, work) => {
  readPlans()
  const began = performance.now()
  const count = await work()
  const ms = performance.now() - began
  await sleep(LOG_MS)
  const plans = readPlans()
  addPlans(name, plans)
  upkeep.row(name, String(count), (ms / 1_000).toFixed(2), (ms / Math.max(1, count)).toFixed(3), msOf(plans))
})

console.log(`\nStatements that read more than ${SHOWN_FROM} rows:`)
for (const { request, text, ms, rows } of [...worst.values()].sort((a, b) => b.rows - a.rows))
  if (rows > SHOWN_FROM)
    console.log(`\n${rows} rows, ${ms.toFixed(1)} ms, ${request}\n${text.replace(/\s+/g, ' ').slice(0, 900)}`)

await database.end()
await stop()
remove()
process.exit(failures)
