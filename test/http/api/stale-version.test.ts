/** Tests that a decision with a version takes effect only on that version. */
import { describe, expect, test } from 'vitest'
import { findHold } from '../../../src/db/cases/hold.ts'
import { readKybSnapshot } from '../../../src/db/cases/snapshot.ts'
import { NO_SPAN } from '../../../src/process/span.ts'
import type { ApiResponse } from '../../support/api.ts'
import { expectErrors, expectRefusal } from '../../support/checks.ts'
import { actionsOf, createImported, createWaiting, recordOf } from '../../support/identification.ts'
import { sharedInstance, unique } from '../../support/instance.ts'
import { completeApplication } from '../../support/kyb.ts'
import { signedIn } from '../../support/people.ts'

const gatehouse = await sharedInstance({ worker: true })
const { api, vaultId } = gatehouse
const operator = await gatehouse.operator()
const other = (await signedIn(gatehouse, 'operator', { operator_roles: ['operator_review'] })).api

const reason_code = 'other'
const versionOf = async (path: string): Promise<number> => (await operator.get(path)).body.data.version
const expectStale = (answer: ApiResponse) => {
  expect(answer.status).toBe(409)
  expectErrors(answer, 'stale_version')
}
const statusesOf = (answers: readonly ApiResponse[]) => answers.map(({ status }) => status).sort()

const waiting = () => createWaiting(gatehouse)

describe('POST /operator/v1/kyb/{id}/decision', () => {
  const decide = (id: string, outcome: string, version?: number, by = operator) =>
    by.post(`/kyb/${id}/decision`, { outcome, reason_code, version, client_comment: 'Once more.' })

  test('returns 409 without a change after an edit, and accepts the new version', async () => {
    const { id } = await completeApplication(api)
    const version = await versionOf(`/kyb/${id}`)
    await api.patch(`/kyb/${id}`, { nature_of_business: { city_address: 'Hamburg' } })
    await expectRefusal(gatehouse, id, () => decide(id, 'approved', version), 409, 'stale_version')
    expect((await decide(id, 'approved', version + 1)).status).toBe(200)
    // stale_version takes precedence over kyb_processed.
    expectStale(await decide(id, 'approved', version + 1))
    expectErrors(await decide(id, 'approved', version + 2), 'kyb_processed')
  })

  test('accepts one of two concurrent decisions on the same version, for any outcomes', async () => {
    for (const outcomes of [
      ['approved', 'rejected'],
      ['revision_requested', 'approved'],
      ['revision_requested', 'revision_requested'],
    ]) {
      const { id } = await completeApplication(api)
      const version = await versionOf(`/kyb/${id}`)
      const answers = await Promise.all(
        outcomes.map((outcome, n) => decide(id, outcome, version, [operator, other][n])),
      )
      expect(statusesOf(answers)).toEqual([200, 409])
      for (const answer of answers) if (answer.status === 409) expectStale(answer)
      expect(await versionOf(`/kyb/${id}`)).toBe(version + 1)
    }
  })

  test('detects under the lock an edit that the route did not see', async () => {
    const { id } = await completeApplication(api)
    const state = await readKybSnapshot(gatehouse.db, vaultId, id)
    if (!state) throw new Error('there is no such application')
    await api.patch(`/kyb/${id}`, { nature_of_business: { city_address: 'Hamburg' } })
    // The route has read an outdated state, so only the transition can detect the edit.
    const command = { kind: 'approve', reasonCode: 'complete', version: state.version } as const
    const target = { entity: 'kyb', id, vaultId } as const
    const run = gatehouse.gateway.run({
      id: unique(),
      target,
      command,
      actor: 'operator:x',
      state,
      span: NO_SPAN,
      since: performance.now(),
    })
    await expect(run).rejects.toThrow('stale_version')
    expect((await api.get(`/kyb/${id}`)).body.data.status.processed).toBe(false)
  })

  test('requires a positive integer as the version', async () => {
    const id = await api.createKyb()
    for (const version of [0, 1.5, '1'])
      expectErrors(await decide(id, 'rejected', version as number), { code: 'invalid', field: 'version' })
  })

  test('returns the same response if the request is repeated with its key', async () => {
    const { id } = await completeApplication(api)
    const version = await versionOf(`/kyb/${id}`)
    const body = { outcome: 'approved', reason_code, version }
    const send = () => operator.send('POST', `/kyb/${id}/decision`, body, { 'Idempotency-Key': id })
    expect(statusesOf([await send(), await send()])).toEqual([200, 200])
  })
})

describe('POST /operator/v1/identifications/{id}/decision', () => {
  const decide = (id: string, outcome: string, version?: number, by = operator) =>
    by.post(`/identifications/${id}/decision`, { outcome, reason_code, version })

  test('returns 409 without a change after an edit, and accepts the new version', async () => {
    const id = await waiting()
    const version = await versionOf(`/identifications/${id}`)
    await api.put(`/identifications/${id}`, { city: 'Paris' })
    const before = await recordOf(gatehouse, id)
    expectStale(await decide(id, 'approved', version))
    expect(await recordOf(gatehouse, id)).toEqual(before)
    expect((await decide(id, 'approved', version + 1)).status).toBe(200)
  })

  test('accepts one of two concurrent decisions on the same version', async () => {
    for (const outcomes of [
      ['approved', 'rejected'],
      ['attention', 'approved'],
    ]) {
      const id = await waiting()
      const version = await versionOf(`/identifications/${id}`)
      const answers = await Promise.all(
        outcomes.map((outcome, n) => decide(id, outcome, version, [operator, other][n])),
      )
      expect(statusesOf(answers)).toEqual([200, 409])
      expect(await versionOf(`/identifications/${id}`)).toBe(version + 1)
    }
  })
})

describe('POST /operator/v1/cases/{id}/close', () => {
  const open = async (id: string): Promise<string> =>
    (
      await operator.post(`/identifications/${id}/cases`, {
        owner: 'operator_operations',
        reason: 'aml_review',
      })
    ).body.data.id
  const close = (id: string, version?: number, by = operator) => by.post(`/cases/${id}/close`, { version })

  test('returns 409 and leaves the case open if its identification has changed', async () => {
    const id = await createImported(api)
    const caseId = await open(id)
    const version = await versionOf(`/identifications/${id}`)
    await api.put(`/identifications/${id}`, { city: 'Paris' })
    expectStale(await close(caseId, version))
    expect(await findHold(gatehouse.db, caseId)).toMatchObject({ closeRequestedAt: null, liftedAt: null })
    expect((await close(caseId, version + 1)).body.data.status).toBe('closed')
  })

  test('returns 409 for a case if another case was closed in the meantime', async () => {
    const id = await createImported(api)
    const [first = '', second = ''] = [await open(id), await open(id)]
    const version = await versionOf(`/identifications/${id}`)
    expect((await close(first, version)).status).toBe(200)
    expectStale(await close(second, version, other))
    expect((await actionsOf(gatehouse, id)).filter((action) => action === 'case_closed')).toHaveLength(1)
  })
})
