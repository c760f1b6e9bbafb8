/** Tests that the API's calls to Temporal keep their deadlines and metadata without AsyncLocalStorage. */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { isGrpcDeadlineError, isGrpcServiceError } from '@temporalio/client'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { freePort } from '../../dev/launcher/ports.ts'
import { openTemporal } from '../../src/temporal/client.ts'
import { createApi } from '../support/api.ts'
import { type OwnInstance, startInstance, unique } from '../support/instance.ts'
import { spawnProcess } from '../support/processes.ts'

describe('an API process', () => {
  let gatehouse: OwnInstance
  beforeAll(async () => {
    gatehouse = await startInstance()
    await gatehouse.startWorker()
  })
  afterAll(() => gatehouse.stop())

  test('turns on no async hooks during reads, creations, commands, events and pages', async () => {
    const PORT = String(await freePort())
    const NODE_OPTIONS = '--import ./test/support/watched-async-hooks.mjs'
    const server = spawnProcess('src/server.ts', { ...gatehouse.env, PORT, NODE_OPTIONS })
    onTestFinished(() => server.stop('SIGKILL'))
    await server.ready()
    const origin = `http://127.0.0.1:${PORT}`
    const api = createApi(`${origin}/v1`, gatehouse.credentials.api_key)
    const id = await api.createKyb()
    const company = { nature_of_business: { legal_company_name: 'Example' } }
    expect(await api.patch(`/kyb/${id}`, company)).toMatchObject({ status: 200 })
    expect(await api.get(`/kyb/${id}`)).toMatchObject({ status: 200 })
    const { body } = await createApi(`${origin}/operator/v1`, '').post('/sign_in', {
      email: gatehouse.credentials.operator_email,
      password: gatehouse.credentials.operator_password,
    })
    const operator = createApi(`${origin}/operator/v1`, body.data.access_token)
    const event = { vault_id: gatehouse.vaultId, topic: 'ticket', event: 'ticket_created', attributes: {} }
    expect(await operator.post('/events', event)).toMatchObject({ status: 202 })
    expect((await fetch(`${origin}/console/sign-in`)).status).toBe(200)
    expect(server.output()).not.toContain('async hooks')
  })
})

describe('a call to a server that never responds', () => {
  const calls: IncomingHttpHeaders[] = []
  const server = createServer().on('stream', (_stream, headers) => calls.push(headers))
  const open = (callMs?: number) => {
    const { port } = server.address() as AddressInfo
    const client = openTemporal({
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
    const late = await failureOf(client.withDeadline(Date.now() + 300, () => signal(client)))
    expect(late).toSatisfy(isGrpcServiceError)
    expect(late).toSatisfy(isGrpcDeadlineError)
    expect(calls).toMatchObject([{ 'temporal-namespace': 'own', 'client-name': 'temporal-typescript' }])
  })
})

test('leaves no retry behind if a connection is closed while its server is unavailable', async () => {
  const uncaught = vi.fn()
  process.on('uncaughtException', uncaught)
  onTestFinished(() => void process.off('uncaughtException', uncaught))
  const client = openTemporal({ address: `127.0.0.1:${await freePort()}`, namespace: 'own' })
  const signal = () => client.workflow.getHandle(unique()).signal('resync')
  await expect(client.withDeadline(Date.now() + 700, signal)).rejects.toThrow('Deadline exceeded')
  await client.connection.close()
  await sleep(700)
  expect(uncaught).not.toHaveBeenCalled()
})
