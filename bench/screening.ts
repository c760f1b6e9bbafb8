/**
 * Command: `npm run bench:screening`. Counts which pairs of names screening finds, and measures the rescreening of names
 * after a list has changed, with the whole list
 * and with only the changed entries. Also measures the event loop delay and the console's search for parts of names.
 * With `-- --people 1000000`, it takes about an hour.
 */
import { randomInt } from 'node:crypto'
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import postgres from 'postgres'
import { startTemporaryInstance } from '../dev/temporary-instance.ts'
import { connectDatabase } from '../src/db/connection/database.ts'
import { sealedFor } from '../src/db/connection/sealed.ts'
import { indexNames } from '../src/db/lists/old-names.ts'
import { createLogger } from '../src/process/log.ts'
import { createLocalScreener } from '../src/screening/local.ts'
import { createScreening } from '../src/screening/screening.ts'
import { createEncryption } from '../src/storage/encryption.ts'
import { middle } from './middle.ts'
import { cpuSeconds, recipeOf } from './process.ts'
import { signInToConsole } from './queue.ts'
import { countByKind, readPairs, sumOf } from './recall.ts'
import { repeat } from './repeat.ts'
import { startTable } from './table.ts'

const { values } = parseArgs({
  options: {
    people: { type: 'string', default: '20000' },
    entries: { type: 'string', default: '40000' },
    compared: { type: 'string', default: '500' },
  },
})
const [PEOPLE, ENTRIES, COMPARED] = [values.people, values.entries, values.compared].map(Number) as [
  number,
  number,
  number,
]
/** The number of changed entries in a list that changes each day. */
const CHANGED = 400
const BATCH = 1_000
const SEARCHES = 30
const A_MILLION = 1_000_000
const HOUR_MS = 3_600_000

const recall = startTable('Pairs of names', 'Kind', 'Same', 'Found', 'Recall', 'Others', 'False', 'Precision')
const percent = (part: number, whole: number) => (whole === 0 ? '–' : `${Math.round((part / whole) * 100)}%`)
const counts = countByKind(readPairs())
for (const { kind, same, found, others, falseAlarms } of [...counts, sumOf(counts)])
  recall.row(
    kind,
    String(same),
    String(found),
    percent(found, same),
    String(others),
    String(falseAlarms),
    percent(found, found + falseAlarms),
  )
recall.end()

// Turns screening off in the instance, because its worker would use a different list.
process.env.SCREENING = 'off'
const { instance, stop } = await startTemporaryInstance()
const { env } = recipeOf(instance.pids.worker ?? 0)
const encryption = createEncryption({
  ENCRYPTION_KEYS: env.ENCRYPTION_KEYS ?? '',
  HASH_KEY: env.HASH_KEY ?? '',
})
const log = createLogger('error', 'bench')
const db = connectDatabase(instance.database_url, encryption, log)
const sql = postgres(instance.database_url, { max: 1 })

const SYLLABLES =
  'ba be bo da do fa ga go ka ko la le lo ma mi mo na no pa ra ri ro sa sha ta ti va vi za zo'.split(' ')
const word = () =>
  Array.from({ length: randomInt(2, 5) }, () => SYLLABLES[randomInt(SYLLABLES.length)]).join('')
/** Every tenth name contains one of a few common words, as real names do. */
const COMMON = ['mohamed', 'ahmed', 'ivanov', 'maria', 'li']
const surname = () => (randomInt(10) === 0 ? (COMMON[randomInt(COMMON.length)] ?? '') : word())

const lineOf = (n: number, more: object = {}) =>
  JSON.stringify({
    id: `e${n}`,
    schema: 'Person',
    caption: '',
    datasets: ['bench'],
    properties: { name: [`${word()} ${surname()}`, `${word()} ${surname()}`], topics: ['sanction'], ...more },
  })
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bench-list-'))
function writeList(lines: readonly string[]): void {
  const file = join(folder, 'list.jsonl')
  writeFileSync(`${file}.new`, `${lines.join('\n')}\n`)
  renameSync(`${file}.new`, file)
}

const lines = Array.from({ length: ENTRIES }, (_, n) => lineOf(n))
writeList(lines)
const screener = createLocalScreener({ folder, threshold: 0.7 })
const screening = createScreening({ db, screener, log })
const first = (await screener.version()) ?? ''

const [vault] = await sql<{ id: string }[]>`SELECT id FROM vaults LIMIT 1`
for (let n = 0; n < PEOPLE; n += BATCH) {
  const rows = Array.from({ length: Math.min(BATCH, PEOPLE - n) }, () => {
    const id = crypto.randomUUID()
    const profile = { name: word(), surname: surname(), birthdate: '1980-01-01', nationality: 'DE' }
    return {
      id,
      vault_id: vault?.id ?? '',
      external_uuid: id,
      kind: 'person',
      origin: 'soft_kyc',
      verification: 'approved',
      status: 'approved',
      waiting_on: 'nobody',
      awaits_kyb: false,
      profile: encryption.sealJson(profile, sealedFor('identifications.profile', id)),
      screened_with: first,
      workflow_started_at: new Date(),
      names_indexed: false,
      names_spelt: false,
    }
  })
  await sql`INSERT INTO identifications ${sql(rows)}`
}
while ((await indexNames(db)) > 0);
await sql`VACUUM ANALYZE identifications`
await sql`VACUUM ANALYZE name_parts`

/** Returns the CPU milliseconds of this process with its threads, and of PostgreSQL. */
const cpuMs = () => (cpuSeconds(process.pid) + cpuSeconds(instance.pids.postgres ?? 0)) * 1_000

/** Screens the due entities. Returns the milliseconds for each entity, and the longest delay of the event loop. */
async function rescreen(limitMs: number) {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const [began, cpuBefore] = [performance.now(), cpuMs()]
  const count = await screening.screenDue(limitMs)
  delay.disable()
  const each = { ms: (performance.now() - began) / count, cpuMs: (cpuMs() - cpuBefore) / count }
  return { count, each, delayMs: delay.max / 1e6 }
}

const table = startTable(
  `Screening after a change in ${ENTRIES} entries`,
  'Compared with',
  'People',
  'ms each',
  'CPU ms each',
  'CPU hours per million',
  'Event loop delay ms',
)
const row = (what: string, { count, each, delayMs }: Awaited<ReturnType<typeof rescreen>>) =>
  table.row(
    what,
    String(count),
    each.ms.toFixed(2),
    each.cpuMs.toFixed(2),
    ((each.cpuMs * A_MILLION) / HOUR_MS).toFixed(2),
    delayMs.toFixed(0),
  )

await screening.screenDue(0)
writeList([...lines.slice(CHANGED), ...Array.from({ length: CHANGED }, (_, n) => lineOf(ENTRIES + n))])
await screener.version()
row(`the ${CHANGED} entries that changed`, await rescreen(HOUR_MS))

await sql`UPDATE identifications SET screened_with = NULL WHERE id IN (
  SELECT id FROM identifications WHERE screened_with IS NOT NULL LIMIT ${COMPARED})`
row('all entries', await rescreen(HOUR_MS))
table.end()

/** Sends a search as the console's form does, and opens the page with its results. */
async function search(words: string, cookie: string): Promise<number> {
  const began = performance.now()
  const answer = await fetch(`${instance.console_url}/search`, {
    method: 'POST',
    headers: { cookie },
    body: new URLSearchParams({ q: words }),
    redirect: 'manual',
  })
  const address = new URL(answer.headers.get('Location') ?? '', instance.console_url)
  const page = await fetch(address, { headers: { cookie } })
  if (page.status !== 200) throw new Error(`a search was answered with ${page.status}`)
  await page.text()
  return performance.now() - began
}

/** Returns the CPU milliseconds of the API and PostgreSQL. */
const instanceCpuMs = () =>
  (cpuSeconds(instance.pids.api ?? 0) + cpuSeconds(instance.pids.postgres ?? 0)) * 1_000
const cookie = await signInToConsole(instance)
const searches = startTable(
  `Search among ${PEOPLE} people`,
  'Words',
  'Median ms',
  'p95 ms',
  'Spread',
  'CPU ms',
)
for (const [name, wordsOf] of [
  ['beginning of a common name', () => 'ivan'],
  ['beginning of a rare name', () => word().slice(0, 5)],
  ['two common beginnings', () => 'maria ba'],
  ['a common and a rare beginning', () => `ahmed ${word().slice(0, 5)}`],
] as const) {
  for (let n = 0; n < SEARCHES; n += 1) await search(wordsOf(), cookie)
  const before = instanceCpuMs()
  const { runs, spread, median } = await repeat(
    async () => {
      const latencies: number[] = []
      while (latencies.length < SEARCHES) latencies.push(await search(wordsOf(), cookie))
      return latencies
    },
    (latencies) => middle(latencies, 0.5),
  )
  searches.row(
    name,
    median((latencies) => middle(latencies, 0.5)).toFixed(1),
    middle(runs.flat(), 0.95).toFixed(1),
    spread,
    ((instanceCpuMs() - before) / runs.flat().length).toFixed(1),
  )
}
searches.end()

await sql.end()
await db.end()
rmSync(folder, { recursive: true })
await stop()
process.exit()
