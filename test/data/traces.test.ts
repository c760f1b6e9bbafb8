/** Tests that a trace runs from a request to the deliveries of its events. */
import { sql } from 'drizzle-orm'
import { afterAll, describe, expect, test } from 'vitest'
import { freePort } from '../../dev/launcher/ports.ts'
import { createApi } from '../support/api.ts'
import { attributeOf, type CollectedSpan, startCollector } from '../support/collector.ts'
import { eventually, startInstance } from '../support/instance.ts'
import { spawnProcess } from '../support/processes.ts'
import { answer, SECRET, startProvider } from '../support/provider.ts'
import { startReceiver } from '../support/receiver.ts'

const collector = await startCollector()
const provider = await startProvider()
const port = await freePort()
const gatehouse = await startInstance({
  deadlineMs: 10_000,
  env: {
    VERIFICATION_PROVIDER: 'http',
    VERIFICATION_PROVIDER_URL: provider.url,
    VERIFICATION_PROVIDER_SECRET: SECRET,
    PUBLIC_URL: `http://127.0.0.1:${port}`,
  },
})
let failures = 0
// The header leaves the test time to kill the worker before the second attempt.
const receiver = await startReceiver((res) =>
  failures-- > 0 ? res.writeHead(503, { 'Retry-After': '28' }).end() : res.writeHead(200).end(),
)
const env = { ...gatehouse.env, ...collector.env, LOG_LEVEL: 'info', PORT: String(port) }
const server = spawnProcess('src/server.ts', env)
let worker = spawnProcess('src/worker.ts', env)
await Promise.all([server.ready(), worker.ready()])
afterAll(async () => {
  await Promise.all([server.stop(), worker.stop()])
  await receiver.stop()
  await provider.stop()
  await gatehouse.stop()
  await collector.stop()
})

const baseUrl = `http://127.0.0.1:${port}`
const api = createApi(`${baseUrl}/v1`, gatehouse.credentials.api_key)
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`
const CHECK_TRACE = '5bf92f3577b34da6a3ce929d0e0e4736'
const RETRY_TRACE = '6bf92f3577b34da6a3ce929d0e0e4736'

async function createIdentification(headers: Record<string, string> = {}): Promise<string> {
  const soft = { kind: 'company', name: 'Looms', registration_number: '1', country: 'DE', address: 'a' }
  const more = { city: 'b', email: 'c@example.com', incorporation_date: '2015-02-28' }
  const { status, body } = await api.send('POST', '/identifications/soft_kyc', { ...soft, ...more }, headers)
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

test('continues the trace from a request to its command, workflow and webhook', async () => {
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
  })
  const [request] = inTrace(traceId).filter(({ parentSpanId }) => parentSpanId === traceparent.split('-')[2])
  expect(request?.name).toBe('PUT /v1/identifications/:id/close')
  await eventually(() => expect(server.output()).toContain(`"trace_id":"${traceId}"`))
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

test('continues the trace to the provider of a check, its result and the event of the result', async () => {
  const id = await createIdentification({ traceparent: `00-${CHECK_TRACE}-00f067aa0ba902b7-01` })
  const check = await provider.untilAsked(id)
  const sent = provider.headers
    .map((each) => String(each.traceparent))
    .find((each) => each.includes(CHECK_TRACE))
  expect(await answer(check, 'approved')).toBe('200')
  const start = 'POST /v1/identifications/soft_kyc > createSoftKyc'
  await eventually(() => {
    const paths = pathsOf(inTrace(CHECK_TRACE))
    for (const child of ['workflow task', 'verification check > POST', 'answer check > signal'])
      expect(paths).toContain(`${start} > ${child}`)
    expect(paths).toContain(`${start} > answer check > apply fact > delivery attempt > POST`)
  })
  const post = inTrace(CHECK_TRACE).find(({ spanId }) => spanId === sent?.split('-')[2])
  expect(post).toMatchObject({ name: 'POST', status: { code: 0 } })
  expect(inTrace(CHECK_TRACE).filter(({ name }) => name === 'answer check')[0]?.links).toHaveLength(1)
})

test('shows the code of a refusal, but no error', async () => {
  const id = await api.createKyb()
  const { status } = await api.patch(`/kyb/${id}`, { nature_of_business: { email: 'office' } })
  expect(status).toBe(422)
  const span = await collector.waitFor(
    (each) => each.name === 'updateKybApplication' && attributeOf(each, 'error.type') === 'invalid',
    'refusal',
  )
  expect(span.status.code).toBe(0)
})

test('ignores an invalid traceparent', async () => {
  const invalid = '00-00000000000000000000000000000000-00f067aa0ba902b7-01'
  const { status } = await api.send('GET', '/kyb', undefined, { traceparent: invalid })
  expect(status).toBe(200)
  const span = await collector.waitFor(({ name }) => name === 'GET /v1/kyb', 'GET /v1/kyb')
  expect(span.parentSpanId ?? '').toBe('')
  expect(span.traceId).not.toMatch(/^0+$/)
})

test.concurrent('keeps the retries of a delivery in its trace after the worker is killed', async () => {
  const id = await createIdentification()
  await eventually(() => expect(receiver.received.some(({ body }) => body.includes(id))).toBe(true))
  failures = 1
  await api.send('PUT', `/identifications/${id}/close`, undefined, {
    traceparent: `00-${RETRY_TRACE}-00f067aa0ba902b7-01`,
  })
  const posts = () => pathsOf(inTrace(RETRY_TRACE)).filter((path) => path.endsWith('delivery attempt > POST'))
  await eventually(() => expect(posts()).toHaveLength(1))
  await worker.stop('SIGKILL')
  worker = spawnProcess('src/worker.ts', env)
  await worker.ready()
  await eventually(() => expect(posts()).toHaveLength(2))
  expect(new Set(posts()).size).toBe(1)
  const attempts = inTrace(RETRY_TRACE).filter(({ name }) => name === 'delivery attempt')
  expect(attempts.map((span) => attributeOf(span, 'gatehouse.attempt'))).toEqual(['1', '2'])
})

describe.concurrent('tracing', () => {
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
    const Authorization = gatehouse.credentials.api_key
    const get = async (headers: Record<string, string> = {}) => {
      const url = `http://127.0.0.1:${apiPort}/v1/kyb`
      expect((await fetch(url, { headers: { Authorization, ...headers } })).status).toBe(200)
    }
    for (let n = 0; n < 5; n++) await get()
    const metricOf = async (outcome: string) => {
      const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
      return Number(
        new RegExp(`gatehouse_trace_spans_total\\{outcome="${outcome}"\\} (\\d+)`).exec(text)?.[1],
      )
    }
    return { ...process, get, metricOf }
  }

  const WARNING = 'spans were not exported; check the collector'

  test('affects no request and logs one warning if the collector is unavailable', async () => {
    const { get, metricOf, output, stop } = await exportTo(`http://127.0.0.1:${await freePort()}`, {
      OTEL_EXPORTER_OTLP_TIMEOUT: '200',
    })
    const seen = new Set<number>()
    await eventually(async () => {
      await get()
      expect(seen.add(await metricOf('failed')).size).toBeGreaterThan(4)
    })
    expect(output().split(WARNING)).toHaveLength(2)
    expect(output()).toMatch(/"code":"ECONNREFUSED"/)
    await stop()
  })

  test('delays neither requests nor the exit of the process if the collector never responds', async () => {
    const silent = await startCollector(() => {})
    const { metricOf, output, stop, ended } = await exportTo(silent.env.OTEL_EXPORTER_OTLP_ENDPOINT, {
      OTEL_EXPORTER_OTLP_TIMEOUT: '600000',
      OTEL_BSP_MAX_QUEUE_SIZE: '4',
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '2',
    })
    await eventually(async () => expect(await metricOf('dropped')).toBeGreaterThan(0))
    expect(output().split(WARNING)).toHaveLength(2)
    await stop()
    expect(await ended).toBe(0)
    await silent.stop()
  })

  test('affects no request if the collector refuses spans for an hour, and counts the spans as failed', async () => {
    const busy = await startCollector((res) => res.writeHead(503, { 'Retry-After': '3600' }).end())
    const { metricOf, stop } = await exportTo(busy.env.OTEL_EXPORTER_OTLP_ENDPOINT)
    await eventually(async () => expect(await metricOf('failed')).toBeGreaterThan(0))
    await stop()
    await busy.stop()
  })

  test('sends spans again after the collector has refused them for a second', async () => {
    let refusals = 1
    const busy = await startCollector((res) =>
      res.writeHead(refusals-- > 0 ? 429 : 200, { 'Retry-After': '1' }).end('{}'),
    )
    const { metricOf, stop } = await exportTo(busy.env.OTEL_EXPORTER_OTLP_ENDPOINT)
    await eventually(async () => expect(await metricOf('exported')).toBeGreaterThan(0))
    expect(busy.bodies[1]).toBe(busy.bodies[0])
    expect(await metricOf('failed')).toBe(0)
    await stop()
    await busy.stop()
  })

  test('affects no request if the responses of the collector are not valid OTLP', async () => {
    const lying = await startCollector((res) => res.writeHead(200).end('<html>no protobuf</html>'))
    const { metricOf, output, stop } = await exportTo(lying.env.OTEL_EXPORTER_OTLP_ENDPOINT)
    await eventually(async () => expect(await metricOf('exported')).toBeGreaterThan(0))
    expect(output()).not.toContain('html')
    expect(lying.headers[0]?.['content-type']).toBe('application/x-protobuf')
    await eventually(() => expect(lying.bodies.join()).toContain('GET /v1/kyb'))
    await stop()
    await lying.stop()
  })

  test('sends the spans that the standard variables select', async () => {
    const own = await startCollector()
    const { get, stop } = await exportTo('http://127.0.0.1:1', {
      ...own.env,
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${own.env.OTEL_EXPORTER_OTLP_ENDPOINT}/v1/traces`,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20token',
      OTEL_SERVICE_NAME: 'onboarding',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0',
    })
    await get({ traceparent })
    await own.waitFor(({ name }) => name === 'GET /v1/kyb', 'request')
    expect(new Set(own.spans().map((span) => span.traceId))).toEqual(new Set([traceId]))
    expect(own.headers[0]?.authorization).toBe('Bearer token')
    const { attributes } = JSON.parse(own.bodies[0] ?? '').resourceSpans[0].resource
    const resourceOf = (key: string) => attributeOf({ attributes }, key)
    expect(resourceOf('service.name')).toBe('onboarding')
    expect(resourceOf('deployment.environment.name')).toBe('test')
    expect(resourceOf('process.pid')).toMatch(/^\d+$/)
    await stop()
    await own.stop()
  })

  test('loads no module of OpenTelemetry if it is not configured or is disabled', async () => {
    const preload = `data:text/javascript,${encodeURIComponent(LISTS_MODULES)}`
    const { OTEL_EXPORTER_OTLP_ENDPOINT } = collector.env
    const disabled = { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SDK_DISABLED: 'true' }
    for (const variables of [{}, disabled]) {
      const off = await exportTo(undefined, { ...variables, NODE_OPTIONS: `--import ${preload}` })
      await off.stop()
      expect(off.output()).toContain('modules of OpenTelemetry: 0')
    }
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
 * Prints two counts when the process ends: the OpenTelemetry modules without the API, which the metrics
 * library loads, and the uses of `AsyncLocalStorage` by OpenTelemetry.
 */
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
