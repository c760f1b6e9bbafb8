/** Tests that a workflow with a long history continues as new without losing or repeating a command. */
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { freePort } from '../../dev/launcher/ports.ts'
import { startTemporal, type Temporal } from '../../dev/launcher/temporal.ts'
import { kybApplications } from '../../drizzle/schema.ts'
import { holds, requirements, state as stateOf } from '../../workflows/messages.ts'
import { blocksOf, createImported, recordOf, untilStatus } from '../support/identification.ts'
import { eventually, type OwnInstance, startInstance } from '../support/instance.ts'

describe('continue-as-new', () => {
  let temporal: Temporal
  let gatehouse: OwnInstance
  beforeAll(async () => {
    temporal = await startTemporal({
      cli: inject('temporalCli'),
      port: await freePort(),
      dynamicConfig: { 'limit.historyCount.suggestContinueAsNew': '60' },
    })
    gatehouse = await startInstance({ temporalAddress: temporal.address })
    await gatehouse.startWorker()
  })
  afterAll(async () => {
    await gatehouse.stop()
    await temporal.stop()
  })

  test('applies each concurrent patch once, and lets a decision close the application afterwards', async () => {
    const id = await gatehouse.api.createKyb()
    const handle = gatehouse.temporal.workflow.getHandle(`kyb-${id}`)
    await eventually(() => handle.describe())
    const { runId } = await handle.describe()
    for (let round = 0; round < 5; round += 1) {
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, n) =>
          gatehouse.api.patch(`/kyb/${id}`, {
            beneficiaries: { beneficiaries_list: [{ email: `p${round}-${n}@example.com` }] },
          }),
        ),
      )
      expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200))
    }
    const [row] = await gatehouse.db.orm.select().from(kybApplications).where(eq(kybApplications.id, id))
    expect(row?.version).toBe(51)
    const continued = await handle.describe()
    expect(continued.runId).not.toBe(runId)
    // Operators see these details in the Temporal UI.
    const { currentDetails } = await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata')
    expect(currentDetails).toContain(
      `[Open in the console](${gatehouse.config.PUBLIC_URL}/console/kyb/${id})`,
    )
    expect(await handle.query(stateOf)).toMatchObject({ status: 'open', version: 51 })
    const { missing, missingCount } = await handle.query(requirements)
    expect(missing).toContain('nature_of_business.legal_company_name')
    expect(missingCount).toBe(row?.currentlyDue.length)

    await gatehouse.api.post(`/sandbox/kyb/${id}/simulate_review`, { outcome: 'approved' })
    expect((await gatehouse.api.patch(`/kyb/${id}`, {})).status).toBe(403)
    await eventually(async () => expect((await handle.describe()).status.name).toBe('COMPLETED'))
  })

  test('keeps the holds and accounts of an identification, and applies each concurrent fact once', async () => {
    const id = await createImported(gatehouse.api)
    const operator = await gatehouse.operator()
    const handle = gatehouse.temporal.workflow.getHandle(`identification-${id}`)
    const services = ['trades', 'card_payments']
    const body = { owner: 'transaction_monitoring', reason: 'aml_review' }
    const { body: opened } = await operator.post(`/identifications/${id}/cases`, { ...body, services })
    const { runId } = await handle.describe()
    for (let round = 0; round < 6; round += 1) {
      const caseId = crypto.randomUUID()
      const fact = { id: `round-${round}`, kind: 'case_opened', caseId, ...body }
      const answers = await Promise.all([
        operator.post(`/identifications/${id}/accounts`),
        handle.signal('fact', fact),
        handle.signal('fact', fact),
        operator.post(`/identifications/${id}/accounts`),
      ])
      expect([answers[0].status, answers[3].status]).toEqual([201, 201])
      await handle.signal('fact', { id: `over-${round}`, kind: 'case_closed', caseId })
      await untilStatus(gatehouse.api, id, 'approved')
    }
    expect((await handle.describe()).runId).not.toBe(runId)
    const { state, accounts } = await recordOf(gatehouse, id)
    expect(state.holds).toEqual([{ id: opened.data.id, owner: 'transaction_monitoring', services }])
    expect([accounts.length, state.version]).toEqual([13, 1 + 1 + 12 + 12])
    expect(await handle.query(holds)).toEqual(state.holds)
    expect(await blocksOf(gatehouse, id)).toHaveLength(2 * 13)
    await gatehouse.api.post(`/identifications/${id}/block`, { reason: 'deceased' })
    const refused = await gatehouse.api.post(`/identifications/${id}/unblock`)
    expect(refused.body.errors[0].code).toBe('blocked_by_internal_case')
  })
})
