/**
 * Tests that a flood of commands from one vault does not delay another vault or another caller of the same
 * vault.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { freePort } from '../../dev/launcher/ports.ts'
import { addVault, startInstance } from '../support/instance.ts'
import { createKey } from '../support/people.ts'
import { spawnProcess } from '../support/processes.ts'
import { type Answer, type Client, createClient, createKyb, nameCompany, statuses } from '../topology/load.ts'

const IS_FULL = process.env.CHAOS === 'full'
const [PER_SECOND, SECONDS] = IS_FULL ? [150, 40] : [60, 6]
const KEYS = 8
const APPLICATIONS_OF_KEY = 4
/** The limit for the 95th percentile of the other commands if no other test runs at the same time. */
const SLOW_MS = 1_000

const gatehouse = await startInstance()
const PORT = String(await freePort())
const HEALTH_PORT = String(await freePort())
const env = { ...gatehouse.env, PORT, HEALTH_PORT, LOG_LEVEL: 'error' }
/** Runs in separate processes, so that sending the flood does not delay the measured responses. */
const processes = [spawnProcess('src/server.ts', env), spawnProcess('src/worker.ts', env)]
const clients: Client[] = []
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()))
  await Promise.all(processes.map((each) => each.stop('SIGKILL')))
  await gatehouse.stop()
})

function clientOf(key: string): Client {
  const client = createClient(`http://127.0.0.1:${PORT}`, key)
  clients.push(client)
  return client
}

const p95 = (answers: readonly Answer[]): number =>
  answers.map(({ ms }) => ms).sort((a, b) => a - b)[Math.floor(answers.length * 0.95)] ?? 0

const rename = (client: Client, id: string) => nameCompany(client, id, `Company ${crypto.randomUUID()}`)

test('promptly handles one command per second from each other vault while one vault sends a flood', async () => {
  await Promise.all(processes.map((each) => each.ready()))
  const roles = ['api_read', 'api_write']
  const keys = await Promise.all(Array.from({ length: KEYS + 1 }, () => createKey(gatehouse, { roles })))
  const [calm, ...flooding] = keys.map(({ key }) => clientOf(key))
  const other = clientOf((await addVault(gatehouse)).credentials.api_key)
  const targets = await Promise.all(
    flooding.flatMap((client) =>
      Array.from({ length: APPLICATIONS_OF_KEY }, async () => ({ client, id: await createKyb(client) })),
    ),
  )
  const callers = await Promise.all(
    [other, calm as Client].map(async (client) => ({
      client,
      id: await createKyb(client),
      answers: [] as Promise<Answer>[],
    })),
  )
  for (const { client, id } of callers) expect((await rename(client, id)).status).toBe(200)

  const flood: Promise<Answer>[] = []
  const began = performance.now()
  for (let second = 0; second < SECONDS; ) {
    const elapsed = (performance.now() - began) / 1_000
    while (flood.length < Math.min(elapsed, SECONDS) * PER_SECOND) {
      const { client, id } = targets[flood.length % targets.length] as (typeof targets)[number]
      flood.push(rename(client, id))
    }
    for (; second < Math.floor(elapsed); second += 1)
      for (const { client, id, answers } of callers) answers.push(rename(client, id))
    await sleep(5)
  }

  console.log(`the flood: ${statuses(await Promise.all(flood))}`)
  for (const { answers } of callers) {
    const own = await Promise.all(answers)
    console.log(`${statuses(own)}; 95 of 100 within ${Math.round(p95(own))} ms`)
    expect(own.filter(({ status }) => status !== 200)).toEqual([])
    if (IS_FULL) expect(p95(own)).toBeLessThan(SLOW_MS)
  }
})
