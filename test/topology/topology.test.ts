/**
 * Tests the production topology on this machine: a Temporal server, two APIs behind a proxy and two workers,
 * as in docker-compose.yml. `npm run topology` runs longer and stricter tests.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { findGo } from '../../dev/go-build.ts'
import { findTemporalServer, hasTemporalServer } from '../../dev/launcher/temporal-server.ts'
import { createApi } from '../support/api.ts'
import { describeUnless } from '../support/available.ts'
import { blobsIn } from '../support/checks.ts'
import { eventually } from '../support/instance.ts'
import { startReceiver } from '../support/receiver.ts'
import {
  type Answer,
  type Client,
  createClient,
  createKyb,
  failed,
  isWell,
  nameCompany,
  nameOf,
  slowest,
  startLoad,
  statuses,
} from './load.ts'
import { startTopology, type Topology } from './topology.ts'

const FULL = process.env.TOPOLOGY === 'full'
const EVENTS = FULL ? 1_000 : 200
const STORM = FULL ? 400 : 80
/** More commands than a workflow accepts at once. A machine that other tests use may return 503 for some of them. */
const CALLERS = FULL ? 40 : 24
const AWAY_MS = FULL ? 20_000 : 6_000
/** The documented limits for an idle machine. The short form shares two cores with other processes. */
const ROLLING_MS = FULL ? 1_000 : 15_000
const ANSWER_MS = FULL ? 5_000 : 15_000

interface Receiver {
  /** Returns the number of deliveries of each event. */
  counts(): Map<string, number>
}

const missing = hasTemporalServer() || (await findGo()) ? null : 'Go is not installed'

describeUnless(missing, 'the production topology', () => {
  let topology: Topology
  let client: Client
  let operator: Client
  const receivers: Awaited<ReturnType<typeof startReceiver>>[] = []
  const figures: [string, string][] = []
  const say = (what: string, text: string) => {
    figures.push([what, text])
    console.log(`${what}: ${text}`)
  }

  beforeAll(async () => {
    const temporalServer = await findTemporalServer(console.log)
    topology = await startTopology({ temporalCli: inject('temporalCli'), temporalServer })
    client = createClient(topology.url, topology.credentials.api_key)
    const { operator_email: email, operator_password: password } = topology.credentials
    const anonymous = createClient(topology.url, '')
    const { body } = await anonymous.send('POST', '/operator/v1/sign_in', { email, password })
    await anonymous.close()
    operator = createClient(topology.url, body.data.access_token)
    // The first command starts all lazily started components.
    await nameCompany(client, await createKyb(client), 'First')
  })
  afterAll(async () => {
    const width = Math.max(...figures.map(([what]) => what.length))
    console.log(figures.map(([what, text]) => `${what.padEnd(width)}  ${text}`).join('\n'))
    await client?.close()
    await operator?.close()
    await Promise.all(receivers.map((receiver) => receiver.stop()))
    await topology?.stopAll()
  })

  /** Sends ticket events to new receivers with these delays. */
  async function receive(...delaysMs: number[]) {
    const started = await Promise.all(
      delaysMs.map((ms) => startReceiver((res) => void setTimeout(() => res.writeHead(200).end(), ms))),
    )
    receivers.push(...started)
    const webhook_url = { ticket: started.map(({ url }) => url) }
    expect((await client.send('PUT', '/v1/users/update_webhook', { webhook_url })).status).toBe(200)
    return started.map(({ received }) => ({
      counts() {
        const counts = new Map<string, number>()
        for (const { attributes } of received)
          counts.set(attributes.event_id, (counts.get(attributes.event_id) ?? 0) + 1)
        return counts
      },
    }))
  }

  const TICKET = { topic: 'ticket', event: 'ticket_created', attributes: {} }
  /** Publishes events one call at a time while `going` returns true. Returns the IDs of accepted events. */
  async function publish(going: (accepted: number) => boolean, pauseMs = 0) {
    const ids: string[] = []
    const answers: Answer[] = []
    const event = { ...TICKET, vault_id: topology.credentials.vault_id }
    while (going(ids.length)) {
      const answer = await operator.send('POST', '/operator/v1/events', [event])
      answers.push(answer)
      if (answer.status === 202)
        ids.push(...answer.body.data.map((each: { event_id: string }) => each.event_id))
      await sleep(pauseMs)
    }
    return { ids, answers }
  }

  async function arrived(receiver: Receiver, ids: string[]) {
    await eventually(() => expect(ids.filter((id) => !receiver.counts().has(id))).toEqual([]))
    return [...receiver.counts().values()].filter((count) => count > 1).length
  }

  /**
   * Sends requests of all types and events before, during and after `work`. Returns the responses and
   * duplicates.
   */
  async function underLoad(work: () => Promise<void>) {
    const [receiver] = (await receive(0)) as [Receiver]
    const load = await startLoad(client, 4, 100)
    let going = true
    const publishing = publish(() => going, 50)
    await sleep(1_000)
    await work()
    going = false
    const { answers, possible } = await load.stop()
    const published = await publishing
    const doubled = await arrived(receiver, published.ids)
    return { all: [...answers, ...published.answers], ids: published.ids, doubled, possible }
  }

  async function connections(): Promise<Map<string, number>> {
    const database = postgres(topology.databaseUrl, { max: 1 })
    const rows = await database<{ name: string; count: number }[]>`
      SELECT CASE datname WHEN 'gatehouse' THEN application_name ELSE 'temporal' END AS name, count(*)::int
      FROM pg_stat_activity WHERE datname LIKE 'temporal%' OR application_name ~ '^(api|worker)-' GROUP BY 1`
    await database.end()
    return new Map(rows.map(({ name, count }) => [name, count]))
  }

  test('delivers every event once', async () => {
    const [quick, slow] = (await receive(0, 2_000)) as [Receiver, Receiver]
    let left = EVENTS
    const published = await Promise.all(Array.from({ length: 8 }, () => publish(() => left-- > 0)))
    const ids = published.flatMap((each) => each.ids)
    const doubled = await arrived(quick, ids)
    const doubledSlow = await arrived(slow, ids)
    say(
      'events',
      `${ids.length}; came twice: ${doubled}, at a receiver that takes two seconds: ${doubledSlow}`,
    )
    expect(ids).toHaveLength(EVENTS)
    expect([doubled, doubledSlow]).toEqual([0, 0])
  })

  test.each([
    ['one application', 1],
    ['many applications', 50],
  ])('refuses no command of a flood through both APIs to %s', async (what, count) => {
    const exhausted = () => topology.counted('service_error', 'ResourceExhausted')
    const ids = await Promise.all(Array.from({ length: count }, () => createKyb(client)))
    const before = await exhausted()
    let n = 0
    const answers: Answer[] = []
    const caller = async () => {
      for (let mine = n++; mine < STORM; mine = n++)
        answers.push(await nameCompany(client, ids[mine % count] as string, `Company ${mine}`))
    }
    const from = performance.now()
    await Promise.all(Array.from({ length: CALLERS }, caller))
    const perSecond = STORM / ((performance.now() - from) / 1000)
    const refused = (await exhausted()) - before
    say(
      `storm to ${what}`,
      `${statuses(answers)}; ${perSecond.toFixed(0)}/s, slowest ${slowest(answers).toFixed(0)} ms; ResourceExhausted: ${refused}`,
    )
    expect(failed(answers).filter((each) => FULL || !each.includes(': 503 '))).toEqual([])
    expect(refused).toBe(0)
  })

  test('opens no more connections to PostgreSQL than documented', async () => {
    const counts = await connections()
    say('connections', [...counts].map(([name, count]) => `${name} ${count}`).join(', '))
    for (const [name, count] of counts)
      expect(count).toBeLessThanOrEqual(MOST[name.split('-')[0] as keyof typeof MOST])
  })

  test.each(['api', 'worker'])('has no failures if both %s processes are restarted in turn', async (kind) => {
    const took: number[] = []
    const { all, ids, doubled } = await underLoad(async () => {
      for (const name of topology.names(kind)) {
        took.push(await topology.stop(name))
        await topology.start(name)
        await eventually(() => expect(topology.balancer.ready()).toBe(2))
        await sleep(1_000)
      }
    })
    const late = all.filter(({ ms }) => ms > 1_000)
    say(
      `rolling restart of ${kind}`,
      `${statuses(all)}; over 1 s: ${late.length}, slowest ${slowest(all).toFixed(0)} ms; ` +
        `came twice: ${doubled} of ${ids.length}; stopped in ${took.join(' and ')} ms`,
    )
    // A starting worker uses the whole machine that other tests share, so some commands return 503.
    const comesAgain = kind === 'worker' && !FULL
    expect(failed(all).filter((each) => !(comesAgain && each.includes(': 503 ')))).toEqual([])
    expect(doubled).toBe(0)
    expect(slowest(all)).toBeLessThan(ROLLING_MS)
  })

  test.each(FULL ? (['SIGKILL', 'SIGSTOP'] as const) : (['SIGKILL'] as const))(
    'responds within 5 s while Temporal is unavailable (%s), and keeps all acknowledged changes',
    async (sent) => {
      const load = await startLoad(client, 8, 100)
      const { body } = await client.send('POST', '/v1/kyb', { external_id: crypto.randomUUID() })
      await sleep(1_000)
      if (sent === 'SIGKILL') await topology.kill('temporal')
      else topology.signal('temporal', sent)
      // The API signals the case to the workflow. The test checks the response afterwards.
      const cases = `/operator/v1/identifications/${body.data.identification_id}/cases`
      const opening = operator.send('POST', cases, { owner: 'operator_operations', reason: 'aml_review' })
      await sleep(AWAY_MS)
      if (sent === 'SIGKILL') await topology.start('temporal')
      else topology.signal('temporal', 'SIGCONT')
      const back = Date.now()
      await eventually(() =>
        expect(
          load.answers.some(
            ({ what, at, status }) => what.startsWith('PATCH') && at > back && status === 200,
          ),
        ).toBe(true),
      )
      const backAfter = Date.now() - back
      await sleep(2_000)
      const { answers: loaded, possible } = await load.stop()
      const answers = [...loaded, await opening]
      say(
        `Temporal away (${sent})`,
        `${statuses(answers)}; slowest ${slowest(answers).toFixed(0)} ms; commands again ${backAfter} ms after it was back`,
      )
      await allThere(possible)
      expect((await opening).status).toBe(201)
      expect(answers.filter(({ status }) => ![200, 201, 503].includes(status))).toEqual([])
      expect(slowest(answers)).toBeLessThan(ANSWER_MS)
    },
  )

  async function allThere(possible: Map<string, string[]>): Promise<void> {
    for (const [id, names] of possible)
      expect(names).toContain(nameOf(await client.send('GET', `/v1/kyb/${id}`)))
  }

  test('stores files in one bucket, and reads them through both APIs', async () => {
    const api = createApi(`${topology.url}/v1`, topology.credentials.api_key)
    const kyb = await createKyb(client)
    const uploads = await Promise.all(
      Array.from({ length: 4 }, () => api.upload(kyb, { attribute: 'legal_structures' })),
    )
    expect(uploads.map(({ status }) => status)).toEqual([201, 201, 201, 201])
    const ids = uploads.map(({ body }) => body.id as string)
    const stored = blobsIn(topology.bucketFolder).map((name) => name.slice(name.lastIndexOf('/') + 1))
    expect(stored).toEqual(expect.arrayContaining(ids))
    for (const id of [...ids, ...ids]) expect((await api.get(`/kyb/${kyb}/files/${id}`)).status).toBe(200)
  })

  test.each(FULL ? ['api-1', 'worker-1', 'temporal', 'postgres', 'bucket'] : [])(
    'recovers if %s is killed and restarted, without losing an acknowledged change',
    async (name) => {
      let killed = 0
      const { all, ids, doubled, possible } = await underLoad(async () => {
        await topology.kill(name)
        killed = Date.now()
        await topology.start(name)
        await sleep(8_000)
      })
      const bad = all.filter(({ status }) => !isWell(status))
      const until = Math.max(killed, ...bad.map(({ at, ms }) => at + ms)) - killed
      say(
        `${name} killed`,
        `${statuses(all)}; slowest ${slowest(all).toFixed(0)} ms; the last failure ${until.toFixed(0)} ms after; came twice: ${doubled} of ${ids.length}`,
      )
      await allThere(possible)
      // A request in progress in the API fails. Without the database, the proxy finds no ready API.
      const expected = name === 'api-1' || name === 'postgres' ? [502, 503] : [503]
      expect(bad.filter(({ status }) => !expected.includes(status))).toEqual([])
      expect(slowest(all)).toBeLessThan(ANSWER_MS + 1_000)
    },
  )
})

/** The limits of docs/operating.md. */
const MOST = { api: 21, worker: 29, temporal: 120 }
