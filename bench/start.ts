/** Command: `npm run bench:start`. Compares the duration of the second `npm start` with the sum of its parts. */
import { join } from 'node:path'
import { startPostgres } from '../dev/launcher/postgres.ts'
import { findTemporalCli, startTemporal } from '../dev/launcher/temporal.ts'
import { createInstanceFolder } from '../dev/temporary-instance.ts'
import { recipeOf, startService } from './process.ts'
import { startTable } from './table.ts'

const { folder, start, remove } = await createInstanceFolder()

async function seconds<T>(work: Promise<T>): Promise<[number, T]> {
  const began = performance.now()
  const result = await work
  return [(performance.now() - began) / 1_000, result]
}

const first = await start()
const { instance } = first
const { api, worker } = { api: recipeOf(instance.pids.api ?? 0), worker: recipeOf(instance.pids.worker ?? 0) }
await first.stop()

const portOf = (address: string) => Number(new URL(`tcp://${address}`).port)
const dbFile = join(folder, 'temporal', 'temporal.db')
const cli = await findTemporalCli(() => {})
const [ofPostgres, postgres] = await seconds(
  startPostgres({ dataDir: folder, port: Number(new URL(instance.database_url).port) }),
)
const [ofTemporal, temporal] = await seconds(
  startTemporal({ cli, port: portOf(instance.temporal_address), dbFile }),
)
const [ofApi, ownApi] = await seconds(startService(api))
const [ofWorker, ownWorker] = await seconds(startService(worker))
await Promise.all([ownApi.stop(), ownWorker.stop()])
await temporal.stop()
await postgres.stop()

const [whole, second] = await seconds(start())
await second.stop()
remove()

const parts = ofPostgres + ofTemporal + ofApi + ofWorker
const table = startTable('Second start', 'Process', 'Seconds')
table.row('PostgreSQL', ofPostgres.toFixed(1))
table.row('Temporal', ofTemporal.toFixed(1))
table.row('API', ofApi.toFixed(1))
table.row('worker', ofWorker.toFixed(1))
table.row('`npm start`, with compilation', whole.toFixed(1))
table.row('ratio to the sum', (whole / parts).toFixed(2))
table.end()
process.exit()
