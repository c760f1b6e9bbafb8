/** Tests that checks that wait for a worker can approve, although the worker must first get the screening lists. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { createSoftKyc, untilStatus } from '../support/identification.ts'
import { startInstance } from '../support/instance.ts'
import { wholeBody } from '../support/whole-body.ts'

/** Longer than a check waits for the screening, and shorter than the limit of a request to yente. */
const CATALOG_MS = 3_500

let isLoaded = false
const yente = createServer(async (req, res) => {
  const body = await wholeBody(req)
  // Only the first request is slow. On a busy machine, it may exceed its limit.
  if (req.url === '/catalog' && !isLoaded) {
    isLoaded = true
    await sleep(CATALOG_MS)
  }
  const asked = Object.keys(JSON.parse(body?.toString() || '{}').queries ?? {})
  res.writeHead(200, { 'Content-Type': 'application/json' }).end(
    JSON.stringify({
      datasets: [{ name: 'default', version: '1', index_version: '1' }],
      responses: Object.fromEntries(asked.map((key) => [key, { results: [] }])),
    }),
  )
}).listen(0, '127.0.0.1')
await once(yente, 'listening')
const gatehouse = await startInstance({
  env: { SCREENING: 'yente', YENTE_URL: `http://127.0.0.1:${(yente.address() as AddressInfo).port}/` },
})
afterAll(async () => {
  await gatehouse.stop()
  yente.close()
  yente.closeAllConnections()
})

test('waits for the lists before it accepts tasks', async () => {
  const starting = gatehouse.startWorker()
  const id = await createSoftKyc(gatehouse.api, { name: 'Approved Ada' })
  await untilStatus(gatehouse.api, id, 'approved')
  await expect(starting).resolves.toBeDefined()
})
