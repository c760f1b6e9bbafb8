/** Tests that a trace runs from a request to the deliveries of its events. */
import { afterAll, expect, test } from 'vitest'
import { freePort } from '../../dev/launcher/ports.ts'
import { createApi } from '../support/api.ts'
import { attributeOf, type CollectedSpan, startCollector } from '../support/collector.ts'
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

const api = createApi(`http://127.0.0.1:${port}/v1`, gatehouse.credentials.api_key)
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`

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
  const soft = { kind: 'company', name: 'Looms', registration_number: '1', country: 'DE', address: 'a' }
  const more = { city: 'b', email: 'c@example.com', incorporation_date: '2015-02-28' }
  const created = await api.post('/identifications/soft_kyc', { ...soft, ...more })
  expect(created.status).toBe(201)
  const id = created.body.data.id
  const path = `/identifications/${id}/block`
  const blocked = await api.send('POST', path, { services: ['account'], reason: 'client_request' }, { traceparent })
  expect(blocked.body).toMatchObject({ data: {} })
  await eventually(() => {
    const paths = pathsOf(inTrace(traceId))
    console.log(paths.join('\n'))
    expect(paths).toContain('x')
  }, 8_000)
  expect(attributeOf).toBeDefined()
})
