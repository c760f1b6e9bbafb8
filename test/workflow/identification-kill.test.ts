/** Tests that exactly the successful commands are applied, once each, if the worker is killed. */
import { afterAll, expect, test } from 'vitest'
import { DEADLINE_MS } from '../../src/temporal/gateway.ts'
import {
  createImported,
  expectAgreement,
  logEvents,
  openedCase,
  recordOf,
  signalFact,
} from '../support/identification.ts'
import { eventually, startInstance, unique } from '../support/instance.ts'
import { startReceiver } from '../support/receiver.ts'

const gatehouse = await startInstance({ deadlineMs: DEADLINE_MS })
const receiver = await startReceiver()
await logEvents(gatehouse, receiver.url)
const operator = await gatehouse.operator()
afterAll(async () => {
  await gatehouse.stop()
  await receiver.stop()
})

test('applies exactly the successful commands, and all facts, if the worker is killed', async () => {
  const first = await gatehouse.spawnWorker()
  const id = await createImported(gatehouse.api)
  await eventually(() => gatehouse.temporal.workflow.getHandle(`identification-${id}`).describe())
  const cases = Array.from({ length: 6 }, () => unique())
  const add = () => operator.post(`/identifications/${id}/accounts`)
  const answers = Promise.all(Array.from({ length: 16 }, add))
  const signals = Promise.all(cases.map((caseId) => signalFact(gatehouse, id, openedCase(caseId))))
  await new Promise((resolve) => setTimeout(resolve, 150))
  first.kill('SIGKILL')
  await gatehouse.spawnWorker()
  await signals
  const statuses = (await answers).map(({ status }) => status)
  expect(statuses.every((status) => status === 201 || status === 503)).toBe(true)
  // Facts are never lost, so the new worker opens all cases.
  const opened = async () => (await recordOf(gatehouse, id)).state.holds
  await eventually(async () => expect(await opened()).toHaveLength(cases.length))
  expect(
    await eventually(async () => {
      const { status } = await add()
      expect(status).toBe(201)
      return status
    }),
  ).toBe(201)
  const added = statuses.filter((status) => status === 201).length + 1
  const { accounts, state } = await recordOf(gatehouse, id)
  expect(accounts).toHaveLength(1 + added)
  expect(state.version).toBe(1 + added + cases.length)
  await expectAgreement(gatehouse, id)
})
