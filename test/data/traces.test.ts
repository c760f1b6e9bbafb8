/** Tests that a trace runs from a request to the deliveries of its events. */
import { sql } from 'drizzle-orm'
import { afterAll, describe, expect, test } from 'vitest'
import { freePort } from '../../dev/launcher/ports.ts'
import { createApi } from '../support/api.ts'
import { type CollectedSpan, startCollector } from '../support/collector.ts'
import { eventually, startInstance } from '../support/instance.ts'
import { spawnProcess } from '../support/processes.ts'
import { startReceiver } from '../support/receiver.ts'

const collector = await startCollector()
const gatehouse = await startInstance({ deadlineMs: 10_000 })
const receiver = await startReceiver()
const port = await freePort()
const env = { ...gatehouse.env, ...collector.env, LOG_LEVEL: 'info', PORT: String(port) }
const server = spawnProcess('src/server.ts', env)
const worker = spawnProcess('src/worker.ts', env)
await Promise.all([server.ready(), worker.ready()])
afterAll(async () => {
  await Promise.all([server.stop(), worker.stop()])
  await receiver.stop()
  await gatehouse.stop()
  await collector.stop()
})

const baseUrl = `http://127.0.0.1:${port}`
const api = createApi(`${baseUrl}/v1`, gatehouse.credentials.api_key)
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`

async function createIdentification(): Promise<string> {
  const soft = { kind: 'company', name: 'Looms', registration_number: '1', country: 'DE', address: 'a' }
  const more = { city: 'b', email: 'c@example.com', incorporation_date: '2015-02-28' }
  const { status, body } = await api.post('/identifications/soft_kyc', { ...soft, ...more })
  expect(status).toBe(201)
  return body.data.id
}

/** Returns the spans of the trace, each with the names of its ancestors. */
const pathsOf = (spans: readonly CollectedSpan[]): string[] => {
  const byId = new Map(spans.map((span) => [span.spanId, span]))
  const pathOf = ({ name, parentSpanId }: CollectedSpan): string => {
    const parent = byId.get(parentSpanId ?? '')
    return parent ? `${pathOf(parent)} > ${name}` : name
  }
  return spans.map(pathOf)
}

const inTrace = (id: string) => collector.spans().filter((span) => span.traceId === id)

test('continues the trace of a request to the command, its workflow and its webhook', async () => {
  const topics = { identification: [receiver.url] }
  expect((await api.put('/users/update_webhook', { webhook_url: topics })).status).toBe(200)
  const id = await createIdentification()
  const path = `/identifications/${id}/close`
  const blocked = await api.send('PUT', path, undefined, { traceparent })
  expect(blocked.body).toMatchObject({ data: {} })
  const command = 'PUT /v1/identifications/:id/close > closeIdentification > command close'
  await eventually(() => {
    const paths = pathsOf(inTrace(traceId))
    for (const child of ['INSERT commands', 'update', 'workflow task', 'apply command > INSERT webhook_logs'])
      expect(paths).toContain(`${command} > ${child}`)
    const attempt = `${command} > apply command > delivery attempt`
    for (const child of ['wait for the host', 'POST', 'record result'])
      expect(paths).toContain(`${attempt} > ${child}`)
  }, 30_000)
  const [request] = inTrace(traceId).filter(({ parentSpanId }) => parentSpanId === traceparent.split('-')[2])
  expect(request?.name).toBe('PUT /v1/identifications/:id/close')
  expect(server.output()).toContain(`"trace_id":"${traceId}"`)
})

test('sends traceparent to the receivers of a vault only if the vault enables it', async () => {
  const [first] = receiver.received
  expect(first?.headers.traceparent).toBeUndefined()
  const { operator_email: email, operator_password: password } = gatehouse.credentials
  const signedIn = await createApi(`${baseUrl}/operator/v1`, '').post('/sign_in', { email, password })
  const operator = createApi(`${baseUrl}/operator/v1`, signedIn.body.data.access_token)
  const changed = await operator.patch(`/vaults/${gatehouse.vaultId}`, { send_traceparent: true })
  expect(changed.body.data.send_traceparent).toBe(true)
  const before = receiver.received.length
  const id = await createIdentification()
  await eventually(() => expect(receiver.received.length).toBeGreaterThan(before))
  const sent = receiver.received.slice(before).find(({ body }) => body.includes(id))
  const post = await collector.waitFor(({ name, spanId }) => {
    return name === 'POST' && String(sent?.headers.traceparent).includes(spanId)
  }, 'POST')
  expect(sent?.headers.traceparent).toBe(`00-${post.traceId}-${post.spanId}-01`)
  const [row] = await gatehouse.db.orm.execute<{ traceparent: string }>(
    sql`SELECT traceparent FROM webhook_logs WHERE payload LIKE ${`%${id}%`} LIMIT 1`,
  )
  expect(row?.traceparent).toContain(post.traceId)
})

test('ignores an invalid traceparent', async () => {
  const invalid = '00-00000000000000000000000000000000-00f067aa0ba902b7-01'
  const { status } = await api.send('GET', '/kyb', undefined, { traceparent: invalid })
  expect(status).toBe(200)
  const span = await collector.waitFor(({ name }) => name === 'GET /v1/kyb', 'GET /v1/kyb')
  expect(span.parentSpanId ?? '').toBe('')
  expect(span.traceId).not.toMatch(/^0+$/)
})

describe('a collector', () => {
  /** Starts an API that exports to the endpoint, sends requests to it, and returns its output and metrics. */
  async function exportTo(endpoint: string | undefined, more: NodeJS.ProcessEnv = {}) {
    const [apiPort, metricsPort] = [await freePort(), await freePort()]
    const own = {
      ...gatehouse.env,
      LOG_LEVEL: 'info',
      PORT: String(apiPort),
      METRICS_PORT: String(metricsPort),
    }
    const target = endpoint === undefined ? {} : { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }
    const process = spawnProcess('src/server.ts', {
      ...own,
      ...target,
      OTEL_BSP_SCHEDULE_DELAY: '50',
      ...more,
    })
    await process.ready()
    const client = createApi(`http://127.0.0.1:${apiPort}/v1`, gatehouse.credentials.api_key)
    for (let n = 0; n < 5; n++) expect((await client.get('/kyb')).status).toBe(200)
    const metricOf = async (outcome: string) => {
      const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
      return Number(
        new RegExp(`gatehouse_trace_spans_total\\{outcome="${outcome}"\\} (\\d+)`).exec(text)?.[1],
      )
    }
    return { ...process, metricOf }
  }

  test('that is unavailable affects no request, and its spans are counted as failed', async () => {
    const { metricOf, output, stop } = await exportTo(`http://127.0.0.1:${await freePort()}`, {
      OTEL_EXPORTER_OTLP_TIMEOUT: '500',
    })
    await eventually(async () => expect(await metricOf('failed')).toBeGreaterThan(0), 30_000)
    expect(output()).toContain('spans were not exported; check the collector')
    await stop()
  })

  test('that never responds affects no request, and the full queue drops spans', async () => {
    const silent = await startCollector(() => {})
    const { metricOf, stop, ended } = await exportTo(silent.env.OTEL_EXPORTER_OTLP_ENDPOINT, {
      OTEL_BSP_MAX_QUEUE_SIZE: '4',
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '2',
    })
    await eventually(async () => expect(await metricOf('dropped')).toBeGreaterThan(0))
    await stop()
    expect(await ended).toBe(0)
    await silent.stop()
  })

  test('that responds with nonsense affects no request', async () => {
    const lying = await startCollector((res) => res.writeHead(200).end('<html>no protobuf</html>'))
    const { metricOf, output, stop } = await exportTo(lying.env.OTEL_EXPORTER_OTLP_ENDPOINT)
    await eventually(async () => expect(await metricOf('exported')).toBeGreaterThan(0))
    expect(output()).not.toContain('html')
    await stop()
    await lying.stop()
  })

  test('that is not set loads no module of OpenTelemetry', async () => {
    const preload = `data:text/javascript,${encodeURIComponent(LISTS_MODULES)}`
    const off = await exportTo(undefined, { NODE_OPTIONS: `--import ${preload}` })
    await off.stop()
    expect(off.output()).toContain('modules of OpenTelemetry: 0')
    const on = await exportTo(collector.env.OTEL_EXPORTER_OTLP_ENDPOINT, {
      ...collector.env,
      NODE_OPTIONS: `--import ${preload}`,
    })
    await on.stop()
    expect(on.output()).not.toContain('modules of OpenTelemetry: 0')
    expect(on.output()).toContain('contexts of OpenTelemetry: 0')
  })
})

/**
 * Reports the loaded modules, except for the API, which the metrics library loads, and the uses of `AsyncLocalStorage` by OpenTelemetry, when the process ends. */
const LISTS_MODULES = `
import { AsyncLocalStorage } from 'node:async_hooks'
import { createRequire } from 'node:module'
let contexts = 0
for (const name of ['run', 'enterWith']) {
  const original = AsyncLocalStorage.prototype[name]
  AsyncLocalStorage.prototype[name] = function (...args) {
    if (new Error().stack.includes('@opentelemetry')) contexts += 1
    return original.apply(this, args)
  }
}
process.on('exit', () => {
  const loaded = Object.keys(createRequire('/').cache).filter((path) => /@opentelemetry.(?!api)/.test(path))
  console.error('modules of OpenTelemetry: ' + loaded.length)
  console.error('contexts of OpenTelemetry: ' + contexts)
})`
