/** Runs the floor for webhooks, a loop that sends signed POST requests and inserts one row for each. */
import { randomUUID } from 'node:crypto'
import postgres from 'postgres'
import { Agent, request } from 'undici'
import { signatureHeader } from '../src/webhooks/signature.ts'
import { now } from './clock.ts'

export interface FloorOptions {
  readonly databaseUrl: string
  readonly urls: readonly string[]
  readonly deliveries: number
  readonly concurrency: number
}

const BODY = JSON.stringify({ data: { event: 'ticket_updated', attributes: { filling: 'x'.repeat(400) } } })

async function run({ databaseUrl, urls, deliveries, concurrency }: FloorOptions) {
  const database = postgres(databaseUrl, { max: 20 })
  await database`CREATE TABLE IF NOT EXISTS bench_floor (id uuid PRIMARY KEY, url text, status integer)`
  const dispatcher = new Agent({ connections: concurrency, pipelining: 1 })
  let sent = 0
  const first = now()
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (sent < deliveries) {
        const url = urls[sent++ % urls.length] ?? ''
        const answer = await request(url, {
          method: 'POST',
          headers: {
            'Content-Type': 'application/json',
            'Service-Signature': signatureHeader(['whsec_bench'], BODY, Math.floor(Date.now() / 1000)),
          },
          body: BODY,
          dispatcher,
        })
        await answer.body.dump()
        await database`INSERT INTO bench_floor VALUES (${randomUUID()}, ${url}, ${answer.statusCode})`
      }
    }),
  )
  const perSecond = (deliveries / (now() - first)) * 1000
  await dispatcher.close()
  await database`DROP TABLE bench_floor`
  await database.end()
  return { perSecond }
}

process.on('message', async (options: FloorOptions) => process.send?.(await run(options)))
process.send?.('ready')
