/** Tests two versions of workers at the same time: open entities move to the current one, and batches stay on theirs. */
import type { Connection } from '@temporalio/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { batchWorkflowId } from '../../src/temporal/webhook-deliveries.ts'
import { eventually, type OwnInstance, startInstance, unique } from '../support/instance.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { causeEvent, deliverTo, settledLog } from '../support/webhook.ts'

const DEPLOYMENT = 'gatehouse'
let gatehouse: OwnInstance
let receiver: Receiver
let isReceiverAway = true

beforeAll(async () => {
  gatehouse = await startInstance()
  receiver = await startReceiver((res) => res.writeHead(isReceiverAway ? 503 : 200).end())
  await deliverTo(gatehouse, receiver.url)
})
afterAll(async () => {
  await gatehouse.stop()
  await receiver.stop()
})

const startVersion = (buildId: string) =>
  gatehouse.spawnWorker('src/worker.ts', {
    TEMPORAL_DEPLOYMENT_NAME: DEPLOYMENT,
    TEMPORAL_WORKER_BUILD_ID: buildId,
  })
const makeCurrent = (buildId: string) => {
  const { workflowService } = gatehouse.temporal.connection as Connection
  const request = { namespace: gatehouse.name, deploymentName: DEPLOYMENT, buildId }
  return eventually(() => workflowService.setWorkerDeploymentCurrentVersion(request))
}
const versionOf = async (workflowId: string) => {
  const { raw } = await gatehouse.temporal.workflow.getHandle(workflowId).describe()
  return raw.workflowExecutionInfo?.versioningInfo?.deploymentVersion?.buildId
}

test('moves open entities to the current version, and finishes batches on the version that began them', async () => {
  await startVersion('one')
  await makeCurrent('one')
  const { body } = await gatehouse.api.post('/kyb', { external_id: unique() })
  const kyb = `kyb-${body.data.id}`
  await eventually(async () => expect(await versionOf(kyb)).toBe('one'))
  const { id: logId } = await causeEvent(gatehouse)
  await eventually(() => expect(receiver.received.length).toBeGreaterThan(0))

  await startVersion('two')
  await makeCurrent('two')
  const change = { nature_of_business: { city_address: 'Berlin' } }
  await eventually(async () => {
    expect((await gatehouse.api.patch(`/kyb/${body.data.id}`, change)).status).toBe(200)
    expect(await versionOf(kyb)).toBe('two')
  })
  isReceiverAway = false
  const { batchId } = await settledLog(gatehouse, logId)
  expect(await versionOf(batchWorkflowId(batchId ?? ''))).toBe('one')
})
