/**
 * Tests editing, closing, blocking, unblocking and simulating an identification, with each status and error
 * code.
 */
import { afterAll, describe, expect, test } from 'vitest'
import { commands } from '../../../drizzle/schema.ts'
import { readTimeline } from '../../../src/db/commands/timeline.ts'
import { BLOCK_REASONS, SERVICES } from '../../../src/domain/identification/holds.ts'
import { expectErrors } from '../../support/checks.ts'
import {
  blocksOf,
  blocksOfHold,
  createImported,
  createSoftKyc,
  createWaiting,
  eventNamesOf,
  eventsOf,
  logEvents,
  person,
  recordOf,
  untilStatus,
} from '../../support/identification.ts'
import { addVault, PRODUCTION, sharedInstance, startInstance, unique } from '../../support/instance.ts'
import { startReceiver } from '../../support/receiver.ts'

const gatehouse = await sharedInstance({ worker: true })
const receiver = await startReceiver()
await logEvents(gatehouse, receiver.url)
afterAll(() => receiver.stop())

const put = (id: string, body?: unknown, action = '') =>
  gatehouse.api.put(`/identifications/${id}${action}`, body)
const block = (id: string, body: unknown = { reason: 'client_request' }) =>
  gatehouse.api.post(`/identifications/${id}/block`, body)
const unblock = (id: string) => gatehouse.api.post(`/identifications/${id}/unblock`)
const simulate = (id: string, outcome: string, more: object = {}) =>
  gatehouse.api.post(`/sandbox/identifications/${id}/simulate`, { outcome, ...more })

/** Creates an identification in any status except blocked. */
async function withStatus(status: string): Promise<string> {
  if (status === 'approved') return createImported(gatehouse.api)
  const id = await createWaiting(gatehouse)
  if (status === 'closed') expect((await put(id, undefined, '/close')).status).toBe(200)
  else if (status !== 'initiated') expect((await simulate(id, status)).status).toBe(200)
  return id
}

describe('the response to a change', () => {
  const { api, vaultId } = gatehouse
  const inVault = (id: string) => `/vaults/${vaultId}/identifications/${id}`
  const reason = { reason: 'client_request' }

  test.each<[string, () => Promise<{ status: number; body: { data: { id: string } } }>]>([
    ['a soft KYC', () => api.post('/identifications/soft_kyc', person())],
    [
      'an import',
      () => api.post('/identifications/import_identity', { external_uuid: unique(), name: 'Ada' }),
    ],
    ['an edit', async () => put(await createImported(api), { phone: '+4930123456' })],
    ['a closing', async () => put(await createSoftKyc(api), undefined, '/close')],
    ['the closing of an approved one', async () => put(await createImported(api), undefined, '/close')],
    ['a block', async () => block(await createImported(api))],
    [
      'an unblock',
      async () => {
        const id = await createImported(api)
        await block(id)
        return unblock(id)
      },
    ],
    ['a block in a vault', async () => api.post(`${inVault(await createImported(api))}/block`, reason)],
    [
      'an unblock in a vault',
      async () => {
        const id = await createImported(api)
        await block(id)
        return api.post(`${inVault(id)}/unblock`)
      },
    ],
    ['a simulated result', async () => simulate(await withStatus('initiated'), 'approved')],
  ])('has the fields of a read: %s', async (_name, change) => {
    const { status, body } = await change()
    expect(status).toBeLessThan(300)
    const read = (await api.get(`/identifications/${body.data.id}`)).body.data
    expect(Object.keys(body.data).sort()).toEqual(Object.keys(read).sort())
    expect(body.data).toMatchObject({ status: read.status, verified: read.verified })
  })
})

describe('PUT /identifications/{id}', () => {
  test('changes the sent fields, and returns the identification', async () => {
    const id = await createSoftKyc(gatehouse.api)
    const changes = {
      phone: '+4930123456',
      address: 'Unter den Linden 1',
      city: 'Berlin',
      postal_code: '10117',
      address_country: 'DE',
      name: 'Augusta',
    }
    const { status, body } = await put(id, changes)
    expect(status).toBe(200)
    expect(body.data).toMatchObject({ id, name: 'Augusta', surname: 'Lovelace' })
    expect((await recordOf(gatehouse, id)).profile).toMatchObject({ ...changes, surname: 'Lovelace' })
  })
  test('accepts an empty change, and changes nothing', async () => {
    const id = await createImported(gatehouse.api)
    expect((await put(id, {})).status).toBe(200)
    expect((await recordOf(gatehouse, id)).state.version).toBe(1)
  })
  test('returns 422 already_verified for a name if the status is no longer initiated', async () => {
    const id = await withStatus('approved')
    const answer = await put(id, { name: 'Eve', surname: 'M', city: 'Bern' })
    expect(answer.status).toBe(422)
    expectErrors(
      answer,
      { code: 'already_verified', field: 'name' },
      { code: 'already_verified', field: 'surname' },
    )
    expect((await put(id, { city: 'Bern' })).status).toBe(200)
  })
  test('returns 422 with every invalid field, 403 identification_closed or 404', async () => {
    const id = await withStatus('closed')
    const answer = await put(id, { phone: '030', address_country: 'XX', birthdate: '1985-12-10', city: 1 })
    expect(answer.status).toBe(422)
    expectErrors(
      answer,
      { code: 'invalid', field: 'phone' },
      { code: 'invalid', field: 'address_country' },
      { code: 'unknown_field', field: 'birthdate' },
      { code: 'invalid', field: 'city' },
    )
    const closed = await put(id, { city: 'Bern' })
    expect(closed.status).toBe(403)
    expectErrors(closed, 'identification_closed')
    expect((await put(unique(), { city: 'Bern' })).status).toBe(404)
  })
})

describe('PUT /identifications/{id}/close', () => {
  test('returns 422 if the request has a body', async () => {
    const id = await createImported(gatehouse.api)
    expectErrors(await put(id, { reason: 'other' }, '/close'), { code: 'unknown_field', field: 'reason' })
    expect((await recordOf(gatehouse, id)).state.holds).toEqual([])
  })
  test('closes an initiated identification with a last event', async () => {
    const id = await withStatus('initiated')
    const { status, body } = await put(id, undefined, '/close')
    expect([status, body.data.status]).toEqual([200, 'closed'])
    expect(await eventNamesOf(gatehouse, id)).toEqual([
      'identification_created 1',
      'account_created 1',
      'identification_closed 3',
    ])
  })
  test('blocks an approved identification permanently', async () => {
    const id = await withStatus('approved')
    const { body } = await put(id, undefined, '/close')
    expect(body.data.status).toBe('blocked')
    expect(await blocksOf(gatehouse, id)).toHaveLength(SERVICES.length)
    expectErrors(await unblock(id), 'cannot_unblock')
    expectErrors(await put(id, undefined, '/close'), 'cannot_close')
    expect((await block(id)).body.data.status).toBe('blocked')
    expect(await eventNamesOf(gatehouse, id)).toEqual([
      'identification_created 1',
      'account_created 1',
      'identification_blocked 2',
      'account_locked 2',
    ])
  })
  test.each(['attention', 'rejected', 'closed'])(
    'returns 422 cannot_close if the status is %s',
    async (status) => {
      const answer = await put(await withStatus(status), undefined, '/close')
      expect(answer.status).toBe(422)
      expectErrors(answer, 'cannot_close')
    },
  )
  test('abandons the application of a company before the response', async () => {
    const kybId = await gatehouse.api.createKyb()
    const id = (await gatehouse.api.get(`/kyb/${kybId}`)).body.data.identification_id
    expect((await put(id, undefined, '/close')).body.data.status).toBe('closed')
    expect((await gatehouse.api.get(`/kyb/${kybId}`)).body.data.status.abandoned).toBe(true)
    const edit = await gatehouse.api.patch(`/kyb/${kybId}`, {})
    expect(edit.status).toBe(403)
    expectErrors(edit, 'kyb_abandoned')
    const upload = await gatehouse.api.upload(kybId, { attribute: 'incorporation_certificates' })
    expect(upload.status).toBe(403)
    expectErrors(upload, 'kyb_abandoned')
    const decision = await gatehouse.api.post(`/sandbox/kyb/${kybId}/simulate_review`, {
      outcome: 'approved',
    })
    expect(decision.status).toBe(422)
    expectErrors(decision, 'kyb_abandoned')
    const { body } = await gatehouse.api.get(`/kyb/${kybId}`)
    expect(body.data.status.processed).toBe(false)
  })
})

describe('block and unblock', () => {
  test('block every service of the account with reason, notes and actor, and then restore the services', async () => {
    const id = await withStatus('approved')
    const { status, body } = await block(id, { reason: 'suspected_fraud', notes: 'Called twice' })
    expect([status, body.data.status]).toEqual([200, 'blocked'])
    const blocks = await blocksOf(gatehouse, id)
    expect(blocks.map(({ service }) => service).sort()).toEqual([...SERVICES].sort())
    for (const each of blocks) {
      expect(each).toMatchObject({ reason: 'suspected_fraud', liftedAt: null })
      expect(each.blockedBy).toMatch(/^api_key:/)
      expect(each.blockedAt.getTime()).toBeGreaterThan(Date.now() - 600_000)
      const notes = gatehouse.db.encryption.unseal(
        each.notes as Buffer,
        `service_blocks.notes:${each.holdId}`,
      )
      expect(notes.toString()).toBe('Called twice')
    }
    // A repeated block leaves the state and the version unchanged.
    const version = (await recordOf(gatehouse, id)).state.version
    expect((await block(id, { reason: 'other', notes: 'again' })).body.data.status).toBe('blocked')
    expect((await recordOf(gatehouse, id)).state.version).toBe(version)

    const free = await unblock(id)
    expect([free.status, free.body.data.status]).toEqual([200, 'approved'])
    expect(await blocksOf(gatehouse, id)).toEqual([])
    const rows = await blocksOfHold(gatehouse, blocks[0]?.holdId ?? '')
    expect(rows).toHaveLength(SERVICES.length)
    for (const row of rows) expect(row.liftedBy).toMatch(/^api_key:/)
    expect(await eventNamesOf(gatehouse, id)).toEqual([
      'identification_created 1',
      'account_created 1',
      'identification_blocked 2',
      'account_locked 2',
      'identification_unblocked 3',
      'account_unlocked 3',
    ])
    const [, , blocked, locked] = await eventsOf(gatehouse, id)
    expect(blocked?.attributes).toMatchObject({ status: 'blocked', identification_uuid: id })
    expect(locked?.attributes).toMatchObject({ status: 'locked', account_uuid: body.data.account_id })
  })
  test('return the result of each command, even if several are concurrent', async () => {
    const id = await createImported(gatehouse.api)
    await block(id)
    const storm = Array.from({ length: 24 }, async (_, index) => {
      const isBlock = index % 2 === 0
      const { status, body } = await (isBlock ? block(id) : unblock(id))
      return { status, isBlock, shown: body.data?.status }
    })
    const done = (await Promise.all(storm)).filter(({ status }) => status === 200)
    expect(done.filter(({ isBlock }) => !isBlock)).not.toEqual([])
    for (const { isBlock, shown } of done) expect(shown).toBe(isBlock ? 'blocked' : 'approved')
  })
  test('record the status change, the reason and the notes in the timeline', async () => {
    const id = await withStatus('approved')
    await block(id, { reason: 'deceased', notes: 'Letter of 3 May' })
    const { entries } = await readTimeline(gatehouse.db, 'identification', id)
    expect(entries.at(-1)).toMatchObject({
      action: 'block',
      from: 'approved',
      to: 'blocked',
      reasonCode: 'deceased',
      internalNote: 'Letter of 3 May',
    })
  })
  test.each(BLOCK_REASONS)('accept the reason %s', async (reason) => {
    const answer = await block(await withStatus('approved'), { reason, notes: 'Because' })
    expect(answer.status).toBe(200)
  })
  test.each([
    [{}, [{ code: 'required', field: 'reason' }]],
    [{ reason: 'mood' }, [{ code: 'invalid', field: 'reason' }]],
    [{ reason: 'other' }, [{ code: 'required', field: 'notes' }]],
    [{ reason: 'other', notes: '  ' }, [{ code: 'required', field: 'notes' }]],
    [
      { reason: 'other', more: 1 },
      [
        { code: 'required', field: 'notes' },
        { code: 'unknown_field', field: 'more' },
      ],
    ],
    [{ reason: 'deceased', notes: 7 }, [{ code: 'invalid', field: 'notes' }]],
  ])('return 422 for %j', async (body, problems) => {
    const answer = await block(await withStatus('approved'), body)
    expect(answer.status).toBe(422)
    expectErrors(answer, ...problems)
  })
  test.each(['initiated', 'attention', 'rejected', 'closed'])(
    'return 422 cannot_block and cannot_unblock if the status is %s',
    async (status) => {
      const id = await withStatus(status)
      const answers = [await block(id), await unblock(id)]
      expect(answers.map((answer) => answer.status)).toEqual([422, 422])
      expect(answers.map(({ body }) => body.errors[0].code)).toEqual(['cannot_block', 'cannot_unblock'])
    },
  )
  test('return 422 cannot_unblock if the status is approved', async () => {
    const answer = await unblock(await withStatus('approved'))
    expect(answer.status).toBe(422)
    expectErrors(answer, 'cannot_unblock')
  })
  test('accept the vault in the path, and return 404 for a vault that the token cannot use', async () => {
    const id = await withStatus('approved')
    const other = await addVault(gatehouse)
    const path = (vaultId: string, action: string) => `/vaults/${vaultId}/identifications/${id}/${action}`
    const mine = await gatehouse.api.post(path(gatehouse.vaultId, 'block'), { reason: 'aml_review' })
    expect([mine.status, mine.body.data.status]).toEqual([200, 'blocked'])
    const invalid = await gatehouse.api.post(path(gatehouse.vaultId, 'block'), { reason: 'mood' })
    expectErrors(invalid, { code: 'invalid', field: 'reason' })
    for (const vaultId of [other.vaultId, unique()])
      for (const action of ['block', 'unblock']) {
        const answer = await gatehouse.api.post(path(vaultId, action), { reason: 'aml_review' })
        expect(answer.status).toBe(404)
      }
    const wrong = await other.api.post(path(other.vaultId, 'unblock'))
    expect(wrong.status).toBe(404)
    const free = await gatehouse.api.post(path(gatehouse.vaultId, 'unblock'))
    expect([free.status, free.body.data.status]).toEqual([200, 'approved'])
  })
})

describe('POST /sandbox/identifications/{id}/simulate', () => {
  test.each([
    ['approved', 'other'],
    ['attention', 'documents_missing'],
    ['rejected', 'documents_missing'],
  ])('sets the status %s, with the reason for the client', async (outcome, reason_code) => {
    const id = await withStatus('initiated')
    const more = { reason_code, client_comment: 'Send it again', internal_note: 'Odd' }
    const { status, body } = await simulate(id, outcome, more)
    expect(status).toBe(200)
    expect(body.data).toMatchObject({
      status: outcome,
      review: {
        outcome,
        reason_code,
        client_comment: 'Send it again',
        decided_at: expect.any(Number),
      },
    })
    expect(JSON.stringify(body)).not.toContain('Odd')
    expect((await eventNamesOf(gatehouse, id)).at(-1)).toBe(`identification_${outcome} 3`)
  })
  test('defaults the reason to `other`', async () => {
    const { body } = await simulate(await withStatus('initiated'), 'rejected')
    expect(body.data.review).toMatchObject({ reason_code: 'other', client_comment: null })
  })
  test.each([
    ['approved', 'approved'],
    ['approved', 'rejected'],
    ['approved', 'attention'],
    ['attention', 'attention'],
    ['rejected', 'approved'],
    ['rejected', 'attention'],
    ['closed', 'approved'],
  ])('returns 422 invalid_transition from %s to %s', async (status, outcome) => {
    const answer = await simulate(await withStatus(status), outcome)
    expect(answer.status).toBe(422)
    expectErrors(answer, 'invalid_transition')
  })
  test('returns 422 for an unknown outcome, and 404 in production', async () => {
    const id = await withStatus('initiated')
    expectErrors(await simulate(id, 'initiated'), { code: 'invalid', field: 'outcome' })
    expectErrors(await simulate(id, 'approved', { reason_code: 'mood' }), {
      code: 'invalid',
      field: 'reason_code',
    })
    const production = await startInstance({
      env: PRODUCTION,
    })
    try {
      const answer = await production.api.post(`/sandbox/identifications/${id}/simulate`, {
        outcome: 'approved',
      })
      expect(answer.status).toBe(404)
    } finally {
      await production.stop()
    }
  })
  test('leaves the decision on a company to the review of its application', async () => {
    const kybId = await gatehouse.api.createKyb()
    const id = (await gatehouse.api.get(`/kyb/${kybId}`)).body.data.identification_id
    expectErrors(await simulate(id, 'approved'), 'invalid_transition')
    expect((await simulate(id, 'attention')).status).toBe(200)
    await gatehouse.api.post(`/sandbox/kyb/${kybId}/simulate_review`, { outcome: 'approved' })
    await untilStatus(gatehouse.api, id, 'approved')
  })
})

test('stores no command if the request is refused', async () => {
  const id = await withStatus('approved')
  await unblock(id)
  await block(id, { reason: 'mood' })
  const rows = await gatehouse.db.orm.select().from(commands)
  expect(rows.filter(({ entityId }) => entityId === id)).toEqual([])
})
