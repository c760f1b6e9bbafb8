/** A long history: the workflow continues as new and no command is lost or repeated. */
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { freePort } from '../../dev/ports.ts'
import { startTemporal, type Temporal } from '../../dev/temporal.ts'
import { kybApplications } from '../../drizzle/schema.ts'
import { eventually, type Instance, startInstance } from '../support/instance.ts'

describe('continue-as-new', () => {
  let temporal: Temporal
  let gatehouse: Instance
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

  test('patches sent all the while land once each, and the decision still locks', async () => {
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
    expect((await handle.describe()).runId).not.toBe(runId)

    await gatehouse.api.post(`/sandbox/kyb/${id}/simulate_review`, { outcome: 'approved' })
    expect((await gatehouse.api.patch(`/kyb/${id}`, {})).status).toBe(403)
    await eventually(async () => expect((await handle.describe()).status.name).toBe('COMPLETED'))
  })
})
