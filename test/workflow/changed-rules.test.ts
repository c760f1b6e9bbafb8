/** Tests that open workflows keep their earlier decisions if a release changes the rules. */
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readIdentificationSnapshot } from '../../src/db/cases/snapshot.ts'
import { state as stateOf } from '../../workflows/messages.ts'
import { bundleWithRules } from '../support/changed-rules.ts'
import { blobFolderOf } from '../support/checks.ts'
import { createImported, openedCase, recordOf, signalFact, untilStatus } from '../support/identification.ts'
import { eventually, type Instance, startInstance, unique } from '../support/instance.ts'

const gatehouse = await startInstance()
afterAll(() => gatehouse.stop())

/**
 * Changed rules: no state ends, every status has another name, no message is a fact, and every command is
 * allowed.
 */
const RULES = {
  'kyb/application.ts': {
    decideKyb: () => null,
    kybEnded: () => false,
    kybWaitingOn: () => 'renamed',
    parseKybFact: () => null,
  },
  'identification/identification.ts': {
    decideIdentification: () => null,
    identificationEnded: () => false,
    identificationStatus: () => 'renamed',
    parseFact: () => null,
  },
}

async function eventsOf({ temporal }: Instance, workflowId: string): Promise<string[]> {
  const { events } = await temporal.workflow.getHandle(workflowId).fetchHistory()
  return (events ?? []).flatMap((event) =>
    Object.keys(event).filter((key) => key.endsWith('EventAttributes')),
  )
}

test('open workflows continue after a deployment that changes the rules', async () => {
  const { api } = gatehouse
  const first = await gatehouse.spawnWorker()
  const patch = (id: string, name: string) =>
    api.patch(`/kyb/${id}`, { nature_of_business: { legal_company_name: name } })
  const block = (id: string) => api.post(`/identifications/${id}/block`, { reason: 'client_request' })
  const unblock = (id: string) => api.post(`/identifications/${id}/unblock`)

  const kybId = await api.createKyb()
  const company: string = (await api.get(`/kyb/${kybId}`)).body.data.identification_id
  expect((await patch(kybId, 'Before')).status).toBe(200)
  const id = await createImported(api)
  // Some of these commands are accepted and then refused when they are applied.
  for (let round = 0; round < 3; round += 1)
    await Promise.all([block(id), block(id), ...[1, 2, 3, 4].map(() => unblock(id))])
  if ((await recordOf(gatehouse, id)).state.holds.length > 0) expect((await unblock(id)).status).toBe(200)
  await signalFact(gatehouse, id, { id: unique(), kind: 'case_opened' })
  await signalFact(gatehouse, id, openedCase())
  await eventually(async () => expect((await recordOf(gatehouse, id)).state.holds).toHaveLength(1))
  first.kill('SIGTERM')
  await once(first, 'exit')

  const changed = join(blobFolderOf(gatehouse.config), 'changed-workflows.js')
  writeFileSync(changed, await bundleWithRules(RULES))
  await gatehouse.spawnWorker('src/worker.ts', { WORKFLOW_BUNDLE: changed })
  await eventually(async () => expect((await patch(kybId, 'After')).status).toBe(200))
  await signalFact(gatehouse, id, openedCase())
  await eventually(async () => expect((await recordOf(gatehouse, id)).state.holds).toHaveLength(2))
  expect((await block(id)).status).toBe(200)
  const identification = gatehouse.temporal.workflow.getHandle(`identification-${id}`)
  expect(await identification.query(stateOf)).toEqual(
    await readIdentificationSnapshot(gatehouse.db, gatehouse.vaultId, id),
  )

  const review = { outcome: 'rejected' }
  expect((await api.post(`/sandbox/kyb/${kybId}/simulate_review`, review)).status).toBe(200)
  await untilStatus(api, company, 'rejected')
  const handle = gatehouse.temporal.workflow.getHandle(`kyb-${kybId}`)
  await eventually(async () => expect((await handle.describe()).status.name).toBe('COMPLETED'))
  for (const workflowId of [`kyb-${kybId}`, `identification-${id}`, `identification-${company}`])
    expect(await eventsOf(gatehouse, workflowId)).not.toContain('workflowTaskFailedEventAttributes')
})
