/** The command path on real parts: races, withdrawal, a projection ahead of its workflow. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Instance, startInstance } from '../support/instance.ts'

describe('commands of a KYB application', () => {
  let gatehouse: Instance
  beforeAll(async () => {
    gatehouse = await startInstance()
    await gatehouse.startWorker()
  })
  afterAll(() => gatehouse.stop())

  test('fifty patches at once all land', async () => {
    const id = await gatehouse.api.createKyb()
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        gatehouse.api.patch(`/kyb/${id}`, {
          beneficiaries: { beneficiaries_list: [{ email: `p${n}@example.com`, full_name: `Person ${n}` }] },
        }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200))
    const { body } = await gatehouse.api.get(`/kyb/${id}`)
    const names = body.data.beneficiaries.beneficiaries_list.map((p: { full_name: string }) => p.full_name)
    expect(new Set(names).size).toBe(50)
  })
})
