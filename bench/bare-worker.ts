/** Runs the floor for commands, a worker whose activity changes one row in a transaction. */
import { fileURLToPath } from 'node:url'
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker'
import postgres from 'postgres'
import { BARE_TASK_QUEUE } from './bare-workflow.ts'

export interface BareWorkerOptions {
  readonly databaseUrl: string
  readonly temporalAddress: string
}

async function run({ databaseUrl, temporalAddress }: BareWorkerOptions) {
  Runtime.install({ logger: new DefaultLogger('ERROR') })
  const database = postgres(databaseUrl, { max: 20 })
  const worker = await Worker.create({
    connection: await NativeConnection.connect({ address: temporalAddress }),
    taskQueue: BARE_TASK_QUEUE,
    workflowsPath: fileURLToPath(new URL('bare-workflow.ts', import.meta.url)),
    activities: {
      write: (id: string) =>
        database.begin(async (tx) => {
          const [row] = await tx`SELECT body FROM bench_rows WHERE id = ${id} FOR UPDATE`
          await tx`UPDATE bench_rows SET body = ${row?.body} WHERE id = ${id}`
          return 1
        }),
    },
  })
  void worker.run()
  return {}
}

process.once('disconnect', () => process.exit())
process.on('message', async (options: BareWorkerOptions) => process.send?.(await run(options)))
process.send?.('ready')
