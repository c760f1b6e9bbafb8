/** Tests the export of spans to a collector that never responds, and spans while tracing is off. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import type { Logger } from '../../../src/process/log.ts'
import { createTracing } from '../../../src/process/otel.ts'
import { inSpan, NO_SPAN } from '../../../src/process/span.ts'

const SPANS = 10_000
/** The library's defaults: the queue, and a batch in progress. */
const KEPT = 2_048 + 512

test('drops and counts the spans that a hanging collector does not accept, with one warning', async () => {
  const server = createServer(() => {}).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', `http://127.0.0.1:${port}`)
  const warn = vi.fn()
  const { root, counts, stop } = createTracing('http/protobuf', 'test', { warn } as unknown as Logger)
  for (let n = 0; n < SPANS; n += 1) {
    root.start('request').end()
    if (n % 1_000 === 0) await setImmediate()
  }
  expect(counts).toEqual({ exported: 0, failed: 0, dropped: SPANS - KEPT })
  expect(warn).toHaveBeenCalledOnce()
  const stopped = stop()
  server.closeAllConnections()
  server.close()
  await stopped
  vi.unstubAllEnvs()
})

test('creates no object for a span while tracing is off', async () => {
  expect(NO_SPAN.start('request')).toBe(NO_SPAN)
  expect(await inSpan(NO_SPAN, 'request', {}, async (span) => span)).toBe(NO_SPAN)
})
