/** Tests that a trace runs from a request to the deliveries of its events. */
import { afterAll, expect, test } from 'vitest'
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
