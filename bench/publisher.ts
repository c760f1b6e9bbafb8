/** Runs several publishers. Each sends its next event once the last one has been accepted, or at a fixed rate. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { now } from './clock.ts'

type System = 'gatehouse' | 'outpost'

export interface PublisherOptions {
  readonly url: string
  readonly token: string
  /** The default is Gatehouse. */
  readonly system?: System
  readonly vaultIds: readonly string[]
  readonly events: number
  readonly publishers: number
  /** Events per second, regardless of the response times. Null for as many as possible. */
  readonly pace: number | null
}

export interface Published {
  readonly accepted: number
  readonly first: number
  readonly latencies: number[]
}

const EVENT_BYTES = 500

const BODIES: Record<System, (tenant: string, attributes: object) => object> = {
  gatehouse: (vault_id, attributes) => ({ vault_id, topic: 'ticket', event: 'ticket_updated', attributes }),
  outpost: (tenant_id, data) => ({ tenant_id, topic: 'ticket', data }),
}

function eventFor(system: System, vaultId: string, n: number): string {
  const body = (filling: string) =>
    JSON.stringify(
      BODIES[system](vaultId, {
        ticket_uuid: crypto.randomUUID(),
        status: 'open',
        n,
        sent_at: now(),
        filling,
      }),
    )
  return body('x'.repeat(Math.max(0, EVENT_BYTES - body('').length)))
}

async function publish(options: PublisherOptions): Promise<Published> {
  const { url, token, system = 'gatehouse', vaultIds, events, publishers, pace } = options
  const dispatcher = new Agent({ connections: publishers, pipelining: 1 })
  const headers = { Authorization: token, 'Content-Type': 'application/json' }
  const latencies: number[] = []
  let sent = 0
  let accepted = 0
  const first = now()
  async function one(): Promise<void> {
    const n = sent++
    const body = eventFor(system, vaultIds[n % vaultIds.length] ?? '', n)
    const started = performance.now()
    const answer = await request(url, { method: 'POST', headers, body, dispatcher })
    await answer.body.dump()
    latencies.push(performance.now() - started)
    if (answer.statusCode === 202) accepted += 1
    else throw new Error(`an event was answered with ${answer.statusCode}`)
  }
  if (pace === null) {
    await Promise.all(
      Array.from({ length: publishers }, async () => {
        while (sent < events) await one()
      }),
    )
  } else {
    const all: Promise<void>[] = []
    while (sent < events) {
      all.push(one())
      await sleep(Math.max(0, first + (sent * 1000) / pace - now()))
    }
    await Promise.all(all)
  }
  await dispatcher.close()
  return { accepted, first, latencies }
}

process.on('message', async (options: PublisherOptions) => process.send?.(await publish(options)))
process.send?.('ready')
