/** Tests identifications under races, manual facts, lost signals and an unavailable provider. */
import { eq, sql } from 'drizzle-orm'
import { afterAll, describe, expect, test } from 'vitest'
import { kybApplications, pendingFacts } from '../../drizzle/schema.ts'
import { findHold, insertHold, requestLifting } from '../../src/db/cases/hold.ts'
import { readKybSnapshot } from '../../src/db/cases/snapshot.ts'
import { insertCommand } from '../../src/db/commands/command.ts'
import { insertFact } from '../../src/db/commands/pending-fact.ts'
import { transaction } from '../../src/db/connection/database.ts'
import type { Entity } from '../../src/domain/entity/entity.ts'
import {
  holdLifted,
  holdPlaced,
  reviewFactId,
  reviewFinished,
} from '../../src/domain/identification/identification.ts'
import { beneficiaryVerified, companyClosed } from '../../src/domain/kyb/application.ts'
import { beneficiaryPath } from '../../src/domain/kyb/requirements.ts'
import { beginVerification } from '../../src/use-cases/kyb/beneficiary-verification.ts'
import type { Activities } from '../../workflows/activities.ts'
import type { ApiResponse } from '../support/api.ts'
import { historyText } from '../support/history.ts'
import {
  actionsOf,
  blocksOf,
  createImported,
  createSoftKyc,
  createWaiting,
  eventNamesOf,
  expectAgreement,
  logEvents,
  recordOf,
  signalFact,
  statusOf,
  untilStatus,
  untilWaitingOn,
} from '../support/identification.ts'
import { eventually, startInstance, unique } from '../support/instance.ts'
import { agePendingFacts, insertLostFact } from '../support/pending-fact.ts'
import { beginPerson, fillInPerson, openPerson, submitPerson } from '../support/person-page.ts'
import { photoFile, photograph } from '../support/photo.ts'
import { startReceiver } from '../support/receiver.ts'
import { reconcile } from '../support/webhook.ts'

const gatehouse = await startInstance()
const receiver = await startReceiver()
await logEvents(gatehouse, receiver.url)
let activities: Activities | null = null
/** The workflow learns the result of a check only after this promise resolves. */
let checkRelease = Promise.resolve()
await gatehouse.startWorker((all) => {
  activities = all
  return {
    ...all,
    async runVerificationCheck(ref) {
      const pending = await all.runVerificationCheck(ref)
      await checkRelease
      return pending
    },
  }
})
const operator = await gatehouse.operator()
afterAll(async () => {
  await gatehouse.stop()
  await receiver.stop()
})

const close = (id: string) => gatehouse.api.put(`/identifications/${id}/close`)
const block = (id: string) => gatehouse.api.post(`/identifications/${id}/block`, { reason: 'deceased' })
const unblock = (id: string) => gatehouse.api.post(`/identifications/${id}/unblock`)
const decide = (id: string, outcome: string) =>
  operator.post(`/identifications/${id}/decision`, { outcome, reason_code: 'other' })
const placeHold = (id: string) =>
  operator.post(`/identifications/${id}/cases`, { owner: 'transaction_monitoring', reason: 'aml_review' })
const liftHold = (id: string) => operator.post(`/cases/${id}/close`)
const brief = ({ status, body }: ApiResponse): string =>
  status < 300 ? String(status) : `${status} ${body.errors[0].code}`
const waiting = async () => {
  const id = await createWaiting(gatehouse)
  return id
}

describe('races', () => {
  const ROUNDS = [1, 2, 3, 4, 5, 6]
  test.each(ROUNDS)('between a block and a closing end in a legal order (%i)', async (round) => {
    const id = await createImported(gatehouse.api)
    const calls = round % 2 ? [block(id), close(id)] : [close(id), block(id)].reverse()
    const [blocked, closed] = (await Promise.all(calls)).map(brief)
    expect(blocked).toBe('200')
    expect(['200', '422 cannot_close']).toContain(closed)
    const owners = (await recordOf(gatehouse, id)).state.holds.map(({ owner }) => owner)
    expect(owners).toEqual([closed === '200' ? 'closure' : 'client'])
    expect(await statusOf(gatehouse.api, id)).toBe('blocked')
    await expectAgreement(gatehouse, id)
  })
  test.each(ROUNDS)('between an unblock and a new case end in a legal order (%i)', async () => {
    const id = await createImported(gatehouse.api)
    await block(id)
    const [free, opened] = (await Promise.all([unblock(id), placeHold(id)])).map(brief)
    expect(opened).toBe('201')
    expect(['200', '422 blocked_by_internal_case']).toContain(free)
    // The response waits for the workflow only until its deadline. The hold takes effect in any case.
    const owners = await eventually(async () => {
      const held = (await recordOf(gatehouse, id)).state.holds.map(({ owner }) => owner).sort()
      expect(held).toContain('transaction_monitoring')
      return held
    })
    expect(owners).toEqual(free === '200' ? ['transaction_monitoring'] : ['client', 'transaction_monitoring'])
    expect(await statusOf(gatehouse.api, id)).toBe('blocked')
    await expectAgreement(gatehouse, id)
  })
  test.each(['approved', 'rejected', 'attention', 'approved'])(
    'between a decision (%s) and a closing end in a legal order',
    async (outcome) => {
      const id = await waiting()
      const [decided, closed] = (await Promise.all([decide(id, outcome), close(id)])).map(brief)
      const status = await statusOf(gatehouse.api, id)
      if (decided !== '200') {
        expect([decided, closed, status]).toEqual(['422 invalid_transition', '200', 'closed'])
      } else if (outcome === 'approved') {
        expect([closed, status]).toEqual(['200', 'blocked'])
      } else {
        expect([closed, status]).toEqual(['422 cannot_close', outcome])
      }
      await expectAgreement(gatehouse, id)
    },
  )
  test('between twenty blocks and unblocks end in a consistent state', async () => {
    const id = await createImported(gatehouse.api)
    const calls = Array.from({ length: 20 }, (_, n) => (n % 2 ? unblock(id) : block(id)))
    const answers = (await Promise.all(calls)).map(brief)
    expect(answers.every((answer) => ['200', '422 cannot_unblock'].includes(answer))).toBe(true)
    await expectAgreement(gatehouse, id)
  })
  test('between the closing of a company and the approval of its application end in a legal order', async () => {
    for (let round = 0; round < 3; round += 1) {
      const kybId = await gatehouse.api.createKyb()
      const id = (await gatehouse.api.get(`/kyb/${kybId}`)).body.data.identification_id
      const review = gatehouse.api.post(`/sandbox/kyb/${kybId}/simulate_review`, { outcome: 'approved' })
      const [closed, reviewed] = (await Promise.all([close(id), review])).map(brief)
      const { body } = await gatehouse.api.get(`/kyb/${kybId}`)
      expect(body.data.status.processed).toBe(reviewed === '200')
      expect(['200', '422 kyb_abandoned']).toContain(reviewed)
      // The closing blocks an identification that was approved first. Otherwise it remains closed.
      expect(closed).toBe('200')
      expect(['closed', 'blocked']).toContain(await statusOf(gatehouse.api, id))
      await expectAgreement(gatehouse, id)
    }
  })
})

describe('facts sent manually', () => {
  const opened = (caseId: string, more: object = {}) => ({
    id: `by-hand-${unique()}`,
    kind: 'case_opened',
    caseId,
    owner: 'operator_operations',
    reason: 'aml_review',
    ...more,
  })
  const closed = (caseId: string) => ({ id: `by-hand-${unique()}`, kind: 'case_closed', caseId })

  test('open and close a case as the API does', async () => {
    const id = await createImported(gatehouse.api)
    await eventually(() => signalFact(gatehouse, id, opened('00000000-0000-4000-8000-00000000000a')))
    await untilStatus(gatehouse.api, id, 'blocked')
    const [row] = await blocksOf(gatehouse, id)
    expect(row).toMatchObject({ reason: 'aml_review', blockedBy: 'temporal' })
    expect(await placeHold(id)).toMatchObject({ status: 201 })
    await signalFact(gatehouse, id, closed('00000000-0000-4000-8000-00000000000a'))
    await eventually(async () =>
      expect((await recordOf(gatehouse, id)).state.holds).toMatchObject([
        { owner: 'transaction_monitoring' },
      ]),
    )
    expect(await statusOf(gatehouse.api, id)).toBe('blocked')
    await expectAgreement(gatehouse, id)
  })
  test('ignore repeated services and services that the vault does not have', async () => {
    const id = await createImported(gatehouse.api)
    const services = ['trades', 'trades', 'internal_settlements']
    await eventually(() => signalFact(gatehouse, id, opened(unique(), { services })))
    await eventually(async () => expect(await blocksOf(gatehouse, id)).toHaveLength(1))
    await signalFact(gatehouse, id, opened(unique(), { services: ['internal_settlements'] }))
    await eventually(async () =>
      expect(await actionsOf(gatehouse, id)).toContain('case_opened_without_effect'),
    )
    await expectAgreement(gatehouse, id)
  })
  test('are recorded without effect if they are malformed, repeated, late or about another case', async () => {
    const id = await createImported(gatehouse.api)
    const other = await createImported(gatehouse.api)
    const { body } = await placeHold(other)
    const fact = opened(unique())
    await eventually(() => signalFact(gatehouse, id, fact))
    await untilStatus(gatehouse.api, id, 'blocked')
    const before = await recordOf(gatehouse, id)
    const useless = [
      fact,
      { ...fact, kind: 'case_closed' },
      null,
      'nonsense',
      { id: 'x', kind: 'case_opened' },
      { ...fact, id: 'a\u0000b' },
      opened(unique(), { reason: 'free words' }),
      opened(body.data.id),
      closed(body.data.id),
      closed(unique()),
      { id: unique(), kind: 'check_finished', checkId: unique(), outcome: 'rejected' },
      { id: unique(), kind: 'kyb_processed', outcome: 'rejected' },
    ]
    for (const each of useless) await signalFact(gatehouse, id, each)
    // Facts are applied in the order of their arrival, so this is the last one.
    await signalFact(gatehouse, id, closed(fact.caseId))
    await untilStatus(gatehouse.api, id, 'approved')
    const after = await recordOf(gatehouse, id)
    expect(after.state).toEqual({ ...before.state, holds: [], version: before.state.version + 1 })
    expect(await statusOf(gatehouse.api, other)).toBe('blocked')
    const actions = await actionsOf(gatehouse, id)
    expect(actions.filter((action) => action === 'malformed_fact')).toHaveLength(5)
    expect(actions.filter((action) => action.endsWith('_without_effect'))).toHaveLength(5)
    expect((await eventNamesOf(gatehouse, id)).slice(2)).toEqual([
      'identification_blocked 2',
      'account_locked 2',
      'identification_unblocked 3',
      'account_unlocked 3',
    ])
    await expectAgreement(gatehouse, id)
  })
})

test('checks facts against the database, so that a manual signal cannot approve a company or abandon an application', async () => {
  const kybId = await gatehouse.api.createKyb()
  const { identification_id: id } = (await gatehouse.api.get(`/kyb/${kybId}`)).body.data
  await eventually(() =>
    signalFact(gatehouse, id, { id: unique(), kind: 'kyb_processed', outcome: 'approved' }),
  )
  await signalFact(gatehouse, id, { id: unique(), kind: 'beneficiary_removed' })
  const application = gatehouse.temporal.workflow.getHandle(`kyb-${kybId}`)
  await eventually(() => application.signal('fact', { id: unique(), kind: 'identification_closed' }))
  await eventually(async () => {
    expect(await actionsOf(gatehouse, id)).toEqual(
      expect.arrayContaining(['kyb_processed_without_effect', 'beneficiary_removed_without_effect']),
    )
    const { body } = await operator.get(`/kyb/${kybId}/timeline`)
    expect(JSON.stringify(body)).toContain('identification_closed_without_effect')
  })
  expect(await statusOf(gatehouse.api, id)).toBe('initiated')
  expect((await gatehouse.api.get(`/kyb/${kybId}`)).body.data.status.processed).toBe(false)
  expect((await gatehouse.api.patch(`/kyb/${kybId}`, {})).status).toBe(200)
})

describe('cases', () => {
  test('unblock the identification when the last of several is closed', async () => {
    const id = await createImported(gatehouse.api)
    const cases = await Promise.all([1, 2, 3].map(() => placeHold(id)))
    for (const [n, { body }] of cases.entries()) {
      expect(await statusOf(gatehouse.api, id)).toBe('blocked')
      if (n > 0) await operator.post(`/identifications/${id}/accounts`)
      expect((await liftHold(body.data.id)).body.data.status).toBe('closed')
    }
    expect(await statusOf(gatehouse.api, id)).toBe('approved')
    await expectAgreement(gatehouse, id)
  })
  test('are sent to the workflow by housekeeping if the signal was lost', async () => {
    const id = await createImported(gatehouse.api)
    const caseId = unique()
    const row = { owner: 'operator_operations', services: ['trades'], reason: 'aml_review' } as const
    await insertHold(gatehouse.db, {
      ...row,
      id: caseId,
      identificationId: id,
      notes: null,
      openedBy: 'operator:x',
    })
    const target = { entity: 'identification', id, vaultId: gatehouse.vaultId } as const
    // Housekeeping leaves a recent fact to its process. This one remains recent on a busy machine.
    await transaction(gatehouse.db, async (tx) => {
      await insertFact(tx, id, target, holdPlaced({ ...row, id: caseId }))
      const recent = { createdAt: sql`clock_timestamp() + interval '9 seconds'` }
      await tx.orm.update(pendingFacts).set(recent).where(eq(pendingFacts.sourceId, id))
    })
    await reconcile(gatehouse)
    expect((await findHold(gatehouse.db, caseId))?.appliedAt).toBeNull()
    await agePendingFacts(gatehouse, id)
    await reconcile(gatehouse)
    await eventually(async () => expect(await blocksOf(gatehouse, id)).toHaveLength(1))
    await requestLifting(gatehouse.db, caseId, 'operator:y')
    await insertLostFact(gatehouse, id, target, holdLifted(caseId))
    await reconcile(gatehouse)
    await eventually(async () =>
      expect(await findHold(gatehouse.db, caseId)).toMatchObject({ liftedAt: expect.any(Date) }),
    )
    await expectAgreement(gatehouse, id)
  })
  test('are restored if the workflow was terminated', async () => {
    const id = await createImported(gatehouse.api)
    await block(id)
    const { body } = await placeHold(id)
    await gatehouse.temporal.workflow.getHandle(`identification-${id}`).terminate('by mistake')
    expect(brief(await unblock(id))).toBe('422 blocked_by_internal_case')
    expect((await liftHold(body.data.id)).body.data.status).toBe('closed')
    expect(brief(await unblock(id))).toBe('200')
    await expectAgreement(gatehouse, id)
  })
})

describe('a verification check', () => {
  test('waits on an unavailable provider, and an operator can decide in the meantime', async () => {
    const id = await createSoftKyc(gatehouse.api, { name: 'Unavailable Ursula' })
    const handle = gatehouse.temporal.workflow.getHandle(`identification-${id}`)
    await eventually(async () => {
      const { pendingActivities } = (await handle.describe()).raw
      expect(pendingActivities?.[0]?.attempt).toBeGreaterThan(1)
    })
    expect((await recordOf(gatehouse, id)).state).toMatchObject({
      verification: 'initiated',
      waitingOn: 'provider',
    })
    const query = `WorkflowId = 'identification-${id}' AND GatehouseWaitingOn = 'provider'`
    await eventually(async () => expect((await gatehouse.temporal.workflow.count(query)).count).toBe(1))
    expect(brief(await decide(id, 'approved'))).toBe('200')
    expect(brief(await block(id))).toBe('200')
    await expectAgreement(gatehouse, id)
  })
  test('is repeated after a new submission, even if the workflow learns the earlier result late', async () => {
    let release = () => {}
    checkRelease = new Promise((resolve) => {
      release = resolve
    })
    const person = await openPerson(gatehouse.baseUrl, await beginPerson(gatehouse))
    await fillInPerson(person, { name: 'Retry' })
    await submitPerson(person)
    await untilWaitingOn(gatehouse, person.id, 'applicant')
    await person.upload('document_front', photoFile(await photograph()))
    await submitPerson(person)
    expect((await recordOf(gatehouse, person.id)).state.waitingOn).toBe('provider')
    release()
    await eventually(async () =>
      expect((await recordOf(gatehouse, person.id)).state.waitingOn).not.toBe('provider'),
    )
  })
  test('is found by the query for everything in a vault that waits on an operator', async () => {
    const id = await waiting()
    const query = `GatehouseVault = '${gatehouse.vaultId}' AND GatehouseWaitingOn = 'operator' AND ExecutionStatus = 'Running'`
    await eventually(async () => {
      const found: string[] = []
      for await (const { workflowId } of gatehouse.temporal.workflow.list({ query })) found.push(workflowId)
      expect(found).toContain(`identification-${id}`)
    })
    await decide(id, 'rejected')
    await eventually(async () => {
      for await (const { workflowId } of gatehouse.temporal.workflow.list({ query }))
        expect(workflowId).not.toBe(`identification-${id}`)
    })
  })
})

describe('lost signals between a company and its application', () => {
  const company = async () => {
    const kybId = await gatehouse.api.createKyb()
    return { kybId, id: (await gatehouse.api.get(`/kyb/${kybId}`)).body.data.identification_id as string }
  }
  const inDatabase = (kybId: string, values: Partial<typeof kybApplications.$inferInsert>) =>
    gatehouse.db.orm.update(kybApplications).set(values).where(eq(kybApplications.id, kybId))
  const targetOf = <E extends Entity>(entity: E, id: string) => ({ entity, id, vaultId: gatehouse.vaultId })
  /** Simulates a decision whose signal was lost. */
  async function approvedAMinuteAgo(kybId: string, id: string) {
    await inDatabase(kybId, {
      status: 'processed',
      version: 2,
      reviewOutcome: 'approved',
      reviewReasonCode: 'complete',
      reviewedAt: new Date(Date.now() - 60_000),
    })
    const fact = reviewFinished(kybId, 'approved')
    await insertLostFact(gatehouse, kybId, targetOf('identification', id), fact)
  }

  test('are sent again for a decision', async () => {
    const { kybId, id } = await company()
    await approvedAMinuteAgo(kybId, id)
    await reconcile(gatehouse)
    await untilStatus(gatehouse.api, id, 'approved')
    await reconcile(gatehouse)
    await expectAgreement(gatehouse, id)
  })
  test('are sent again for a closing', async () => {
    const { kybId, id } = await company()
    expect(brief(await close(id))).toBe('200')
    await inDatabase(kybId, { status: 'open' })
    await gatehouse.asOwner(`DELETE FROM timeline WHERE entity_id = '${kybId}' AND action <> 'created'`)
    await insertLostFact(gatehouse, id, targetOf('kyb', kybId), companyClosed(id))
    await reconcile(gatehouse)
    await eventually(async () => expect((await gatehouse.api.patch(`/kyb/${kybId}`, {})).status).toBe(403))
  })
  test('are sent again if a fact arrived before its row, as after a restore', async () => {
    const { kybId, id } = await company()
    const decided = { id: reviewFactId(kybId), kind: 'kyb_processed', outcome: 'approved' }
    await eventually(() => signalFact(gatehouse, id, decided))
    await eventually(async () =>
      expect(await actionsOf(gatehouse, id)).toContain('kyb_processed_without_effect'),
    )
    await approvedAMinuteAgo(kybId, id)
    await reconcile(gatehouse)
    await untilStatus(gatehouse.api, id, 'approved')

    const other = await company()
    const application = gatehouse.temporal.workflow.getHandle(`kyb-${other.kybId}`)
    const closed = { id: `identification-closed-${other.id}`, kind: 'identification_closed' }
    await eventually(() => application.signal('fact', closed))
    await eventually(async () => {
      const { body } = await operator.get(`/kyb/${other.kybId}/timeline`)
      expect(JSON.stringify(body)).toContain('identification_closed_without_effect')
    })
    expect(brief(await close(other.id))).toBe('200')
    await eventually(async () =>
      expect(await readKybSnapshot(gatehouse.db, gatehouse.vaultId, other.kybId)).toMatchObject({
        status: 'abandoned',
      }),
    )
  })
  test('are sent again for the verification of a beneficiary', async () => {
    const beneficiary = { email: 'ada@example.com', full_name: 'Ada Lovelace', roles: ['ubo'] }
    const kybId = await gatehouse.api.createKyb(unique(), {
      beneficiaries: { beneficiaries_list: [beneficiary] },
    })
    const read = async () => (await gatehouse.api.get(`/kyb/${kybId}`)).body.data
    const before = await read()
    const personId = before.beneficiaries.beneficiaries_list[0].external_id
    const path = beneficiaryPath(personId, 'beneficiary_identification')
    expect(before.requirements.currently_due).toContain(path)
    const due = before.requirements.currently_due
    await beginVerification(gatehouse.db, { id: personId, vaultId: gatehouse.vaultId })
    expect(brief(await decide(personId, 'approved'))).toBe('200')
    const isDue = async () => (await read()).requirements.currently_due.includes(path)
    await eventually(async () => expect(await isDue()).toBe(false))
    // Simulates a workflow that was lost with the signal.
    await inDatabase(kybId, { currentlyDue: due })
    await gatehouse.asOwner(
      `DELETE FROM timeline WHERE entity_id = '${kybId}' AND action = 'beneficiary_verified'`,
    )
    await insertLostFact(gatehouse, personId, targetOf('kyb', kybId), beneficiaryVerified(personId))
    await reconcile(gatehouse)
    await eventually(async () => expect(await isDue()).toBe(false))
  })
  test('are not needed for a decision that a closing finds, which is applied once with the commands of its batch', async () => {
    const { kybId, id } = await company()
    await inDatabase(kybId, {
      status: 'processed',
      version: 2,
      reviewOutcome: 'rejected',
      reviewReasonCode: 'high_risk',
      reviewedAt: new Date(),
    })
    const { vaultId } = gatehouse
    const target = { entity: 'identification', id, vaultId } as const
    const commandIds = [unique(), unique(), unique()]
    for (const [n, commandId] of commandIds.entries()) {
      const command =
        n === 1
          ? ({ kind: 'edit_profile', changes: { city: 'Paris' } } as const)
          : ({ kind: 'close' } as const)
      await insertCommand(gatehouse.db, { id: commandId, target, command, actor: 'test' }, 60_000)
    }
    const { version } = (await recordOf(gatehouse, id)).state
    const result = await activities?.applyIdentificationCommands({ id, vaultId, commandIds, version })
    const refused = { outcome: 'refused', problems: [{ code: 'cannot_close' }] }
    expect(result).toMatchObject({
      outcomes: [refused, { outcome: 'applied' }, refused],
      state: { verification: 'rejected', awaitsKyb: false, version: version + 2 },
    })
    const { review, profile, state } = await recordOf(gatehouse, id)
    expect({ review, profile, state }).toMatchObject({
      review: { outcome: 'rejected', reasonCode: 'high_risk' },
      profile: { city: 'Paris' },
      state: { verification: 'rejected', awaitsKyb: false, version: version + 2 },
    })
    const rejections = (await eventNamesOf(gatehouse, id)).filter((name) => name.includes('rejected'))
    expect(rejections).toEqual([`identification_rejected ${version + 1}`])
    await expectAgreement(gatehouse, id)
  })
})

test('restarts a manually cancelled workflow with the next command', async () => {
  const id = await createImported(gatehouse.api)
  const handle = gatehouse.temporal.workflow.getHandle(`identification-${id}`)
  await eventually(() => handle.describe())
  await handle.cancel()
  await eventually(async () => expect((await handle.describe()).status.name).not.toBe('RUNNING'))
  const { status, body } = await gatehouse.api.post(`/identifications/${id}/block`, { reason: 'aml_review' })
  expect([status, body.data.status]).toEqual([200, 'blocked'])
})

test('an approval and a concurrent closing end in one consistent order', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { body } = await gatehouse.api.post('/kyb', { external_id: unique() })
    const { id: kybId, identification_id: id } = body.data
    const review = () => gatehouse.api.post(`/sandbox/kyb/${kybId}/simulate_review`, { outcome: 'approved' })
    const close = () => gatehouse.api.put(`/identifications/${id}/close`)
    const [decided, closed] =
      round === 0 ? [await review(), await close()] : await Promise.all([review(), close()])
    expect(closed.status).toBe(200)
    const approved = decided.status === 200
    if (!approved) expect([decided.status, decided.body.errors[0].code]).toEqual([422, 'kyb_abandoned'])
    await eventually(async () => {
      const { body: kyb } = await gatehouse.api.get(`/kyb/${kybId}`)
      const { body: identification } = await gatehouse.api.get(`/identifications/${id}`)
      expect([kyb.data.status.processed, identification.data.status]).toEqual(
        approved ? [true, 'blocked'] : [false, 'closed'],
      )
    })
  }
})

test('keeps personal data out of the history', async () => {
  const id = await createSoftKyc(gatehouse.api, { name: 'Secretive', surname: 'Person' })
  await gatehouse.api.put(`/identifications/${id}`, { address: 'Hidden Lane 7' })
  await operator.post(`/identifications/${id}/decision`, {
    outcome: 'approved',
    reason_code: 'other',
    internal_note: 'Whispered note',
  })
  await gatehouse.api.post(`/identifications/${id}/block`, { reason: 'other', notes: 'Murmured note' })
  await operator.post(`/identifications/${id}/cases`, {
    owner: 'operator_operations',
    reason: 'other',
    notes: 'Muttered note',
  })
  const text = await historyText(gatehouse, `identification-${id}`)
  for (const secret of ['Secretive', 'Hidden Lane', 'note', 'ada@example.com'])
    expect(text).not.toContain(secret)
  // These public values show that the payloads were read.
  for (const known of [id, 'case_opened', 'edit_profile']) expect(text).toContain(known)
})
