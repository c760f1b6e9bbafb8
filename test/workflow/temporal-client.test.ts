/** Tests that calls to Temporal keep their deadlines and metadata. */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { isGrpcDeadlineError, ServiceError } from '@temporalio/client'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { freePort } from '../../dev/launcher/ports.ts'
import { connectTemporal } from '../../src/temporal/client.ts'
import { unique } from '../support/instance.ts'

describe('a call to a server that never responds', () => {
  const calls: IncomingHttpHeaders[] = []
  const server = createServer().on('stream', (_stream, headers) => calls.push(headers))
  const open = (callMs?: number) => {
    const { port } = server.address() as AddressInfo
    const client = connectTemporal({
      address: `127.0.0.1:${port}`,
      namespace: 'own',
      ...(callMs !== undefined && { callMs }),
    })
    onTestFinished(() => client.connection.close())
    return client
  }
  beforeAll(() => once(server.listen(0, '127.0.0.1'), 'listening'))
  afterAll(() => server.close())
  const signal = (client: ReturnType<typeof open>) => client.workflow.getHandle(unique()).signal('resync')
  const failureOf = (work: Promise<unknown>) =>
    work.then(
      () => null,
      (error: unknown) => error,
    )

  test('ends after the time limit of calls', async () => {
    expect(await failureOf(signal(open(300)))).toSatisfy(isGrpcDeadlineError)
  })

  test('ends at the deadline of its work, and contains the namespace', async () => {
    calls.length = 0
    const client = open()
    // The first calls may end before the connection exists.
    while (calls.length === 0) {
      const late = await failureOf(client.withDeadline(Date.now() + 300, () => signal(client)))
      expect(late).toSatisfy(isGrpcDeadlineError)
    }
    expect(calls).toMatchObject([{ 'temporal-namespace': 'own', 'client-name': 'temporal-typescript' }])
  })
})

test('leaves no retry behind if a connection is closed while its server is unavailable', async () => {
  const uncaught = vi.fn()
  process.on('uncaughtException', uncaught)
  onTestFinished(() => void process.off('uncaughtException', uncaught))
  const client = connectTemporal({ address: `127.0.0.1:${await freePort()}`, namespace: 'own' })
  const signal = () => client.workflow.getHandle(unique()).signal('resync')
  await expect(client.withDeadline(Date.now() + 700, signal)).rejects.toThrow(ServiceError)
  await client.connection.close()
  await sleep(700)
  expect(uncaught).not.toHaveBeenCalled()
})
