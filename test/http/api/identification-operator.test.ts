/** Tests the operators' decisions, cases, accounts, vaults and queue, including each refusal. */
import { sql } from 'drizzle-orm'
import { afterAll, describe, expect, test } from 'vitest'
import { findHold } from '../../../src/db/cases/hold.ts'
import { ALL_SERVICES, SERVICES } from '../../../src/domain/identification/holds.ts'
import { expectErrors } from '../../support/checks.ts'
import {
  blocksOf,
  blocksOfHold,
  createImported,
  createSoftKyc,
  createWaiting,
  eventNamesOf,
  isChange,
  logEvents,
  recordOf,
  statusOf,
  untilStatus,
  untilWaitingOn,
} from '../../support/identification.ts'
import { addVault, eventually, sharedInstance, unique } from '../../support/instance.ts'
import { completeApplication } from '../../support/kyb.ts'
import { startReceiver } from '../../support/receiver.ts'

const gatehouse = await sharedInstance({ worker: true })
const receiver = await startReceiver()
await logEvents(gatehouse, receiver.url)
const operator = await gatehouse.operator()
afterAll(() => receiver.stop())

const decide = (id: string, outcome: string, more: object = {}) =>
  operator.post(`/identifications/${id}/decision`, { outcome, reason_code: 'other', ...more })
const placeHold = (id: string, more: object = {}) =>
  operator.post(`/identifications/${id}/cases`, {
    owner: 'operator_operations',
    reason: 'aml_review',
    ...more,
  })
const liftHold = (id: string) => operator.post(`/cases/${id}/close`)
const block = (id: string) => gatehouse.api.post(`/identifications/${id}/block`, { reason: 'deceased' })
const unblock = (id: string) => gatehouse.api.post(`/identifications/${id}/unblock`)

const waiting = () => createWaiting(gatehouse)

describe('POST /operator/v1/identifications/{id}/decision', () => {
  test('allows each transition: attention, more information, attention again, rejection, appeal and approval', async () => {
    const id = await waiting()
    const path = ['attention', 'initiated', 'attention', 'rejected', 'attention', 'approved']
    for (const outcome of path) {
      const { status, body } = await decide(id, outcome, { client_comment: `Now ${outcome}` })
      expect([status, body.data.status]).toEqual([200, outcome])
      expect(body.data.review).toMatchObject({ outcome, client_comment: `Now ${outcome}` })
    }
    expect(await eventNamesOf(gatehouse, id)).toEqual([
      'identification_created 1',
      'account_created 1',
      ...path.map((outcome, n) => `identification_${outcome} ${n + 3}`),
    ])
  })
  test('shows internal notes only in the operators’ timeline', async () => {
    const id = await waiting()
    await decide(id, 'rejected', {
      client_comment: 'Sorry',
      internal_note: 'Looks forged',
      reason_code: 'high_risk',
    })
    const { body } = await operator.get(`/identifications/${id}/timeline`)
    expect(body.data.filter(isChange).at(-1)).toMatchObject({
      action: 'reject',
      actor: expect.stringMatching(/^operator:/),
      from: 'initiated',
      to: 'rejected',
      reason_code: 'high_risk',
      client_comment: 'Sorry',
      internal_note: 'Looks forged',
    })
    expect(JSON.stringify(await gatehouse.api.get(`/identifications/${id}`))).not.toContain('forged')
    const { body: list } = await gatehouse.api.get('/identifications?per_page=100')
    expect(JSON.stringify(list)).not.toContain('forged')
  })
  test.each([
    ['approved', 'rejected'],
    ['approved', 'attention'],
    ['approved', 'initiated'],
    ['rejected', 'approved'],
    ['rejected', 'initiated'],
    ['attention', 'attention'],
  ])('returns 422 invalid_transition from %s to %s', async (from, to) => {
    const id = await waiting()
    await decide(id, from)
    const answer = await decide(id, to)
    expect(answer.status).toBe(422)
    expectErrors(answer, 'invalid_transition')
  })
  test('returns 422 invalid_transition for a company with an open application, except for attention', async () => {
    const kybId = await gatehouse.api.createKyb()
    const id = (await gatehouse.api.get(`/kyb/${kybId}`)).body.data.identification_id
    for (const outcome of ['approved', 'rejected', 'initiated'])
      expectErrors(await decide(id, outcome), 'invalid_transition')
    expect((await decide(id, 'attention')).status).toBe(200)
    await gatehouse.api.post(`/sandbox/kyb/${kybId}/simulate_review`, { outcome: 'rejected' })
    await untilStatus(gatehouse.api, id, 'rejected')
    expect((await decide(id, 'attention')).status).toBe(200)
    expect((await decide(id, 'approved')).body.data.status).toBe('approved')
  })
  test('returns 422 with every problem, 404, and 401 for a client', async () => {
    const id = await waiting()
    const answer = await operator.post(`/identifications/${id}/decision`, { outcome: 'maybe', note: 'x' })
    expect(answer.status).toBe(422)
    expectErrors(
      answer,
      { code: 'invalid', field: 'outcome' },
      { code: 'required', field: 'reason_code' },
      { code: 'unknown_field', field: 'note' },
    )
    expect((await decide(unique(), 'approved')).status).toBe(404)
    expect((await decide('x', 'approved')).status).toBe(400)
    const { status } = await fetch(`${gatehouse.baseUrl}/operator/v1/identifications/${id}/decision`, {
      method: 'POST',
      headers: { Authorization: gatehouse.credentials.api_key },
    })
    expect(status).toBe(401)
  })
})

describe('cases', () => {
  test('return 201 and block all services, which the client cannot unblock', async () => {
    const id = await createImported(gatehouse.api)
    const { status, body } = await placeHold(id, { notes: 'See ticket 7' })
    expect(status).toBe(201)
    expect(body.data).toMatchObject({
      id: expect.any(String),
      identification_id: id,
      owner: 'operator_operations',
      services: [...SERVICES],
      reason: 'aml_review',
      status: 'open',
    })
    expect(await statusOf(gatehouse.api, id)).toBe('blocked')
    const blocks = await blocksOf(gatehouse, id)
    expect(blocks).toHaveLength(SERVICES.length)
    expect(blocks[0]?.blockedBy).toMatch(/^operator:/)
    const refused = await unblock(id)
    expect(refused.status).toBe(422)
    expect(refused.body.errors).toEqual([
      {
        code: 'blocked_by_internal_case',
        message: 'Identification has blocks managed by an internal case. Contact support.',
      },
    ])
    const closed = await liftHold(body.data.id)
    expect([closed.status, closed.body.data.status]).toEqual([200, 'closed'])
    expect(await statusOf(gatehouse.api, id)).toBe('approved')
    expect(await blocksOf(gatehouse, id)).toEqual([])
    expect((await blocksOfHold(gatehouse, body.data.id))[0]?.liftedBy).toMatch(/^operator:/)
    expect((await liftHold(body.data.id)).status).toBe(200)
    expect(await eventNamesOf(gatehouse, id)).toEqual([
      'identification_created 1',
      'account_created 1',
      'identification_blocked 2',
      'account_locked 2',
      'identification_unblocked 3',
      'account_unlocked 3',
    ])
  })
  test('determine the error of an unblock while a closing also blocks the identification', async () => {
    const id = await createImported(gatehouse.api)
    expect((await gatehouse.api.put(`/identifications/${id}/close`)).status).toBe(200)
    const { body } = await placeHold(id)
    expectErrors(await unblock(id), 'blocked_by_internal_case')
    await liftHold(body.data.id)
    expectErrors(await unblock(id), 'cannot_unblock')
  })
  test('leave the client’s block in place if they are closed', async () => {
    const id = await createImported(gatehouse.api)
    await block(id)
    const { body } = await placeHold(id, { owner: 'transaction_monitoring' })
    expectErrors(await unblock(id), 'blocked_by_internal_case')
    const { blocks } = (await gatehouse.api.get(`/identifications/${id}`)).body.data
    expect(blocks.map(({ by }: { by: string }) => by)).toEqual(['client', 'internal_case'])
    await liftHold(body.data.id)
    expect(await statusOf(gatehouse.api, id)).toBe('blocked')
    expect((await unblock(id)).body.data.status).toBe('approved')
  })
  test('allow a block by the client, which adds one hold and no event', async () => {
    const id = await createImported(gatehouse.api)
    const { body } = await placeHold(id)
    expect((await block(id)).body.data.status).toBe('blocked')
    await block(id)
    await liftHold(body.data.id)
    expect(await statusOf(gatehouse.api, id)).toBe('blocked')
    await unblock(id)
    expect((await eventNamesOf(gatehouse, id)).slice(2)).toEqual([
      'identification_blocked 2',
      'account_locked 2',
      'identification_unblocked 5',
      'account_unlocked 5',
    ])
  })
  test('block only some services without a change of status', async () => {
    const id = await createImported(gatehouse.api)
    const { body } = await placeHold(id, { services: ['card_payments', 'trades', 'trades'] })
    expect(body.data.services).toEqual(['trades', 'card_payments'])
    const { account_id, blocks } = (await gatehouse.api.get(`/identifications/${id}`)).body.data
    expect(blocks).toEqual([{ account_id, by: 'internal_case', services: ['trades', 'card_payments'] }])
    expect(await statusOf(gatehouse.api, id)).toBe('approved')
    expect((await blocksOf(gatehouse, id)).map(({ service }) => service).sort()).toEqual([
      'card_payments',
      'trades',
    ])
    // Both cases together block all services.
    const rest = await placeHold(id, { services: ['fiat_payments', 'blockchain_payments'] })
    expect(await statusOf(gatehouse.api, id)).toBe('blocked')
    await liftHold(body.data.id)
    expect(await statusOf(gatehouse.api, id)).toBe('approved')
    expect(await blocksOf(gatehouse, id)).toHaveLength(2)
    await liftHold(rest.body.data.id)
  })
  test('block nothing before approval, and take effect on approval', async () => {
    const id = await waiting()
    const { body } = await placeHold(id)
    expect(body.data.status).toBe('open')
    expect(await statusOf(gatehouse.api, id)).toBe('initiated')
    expect(await blocksOf(gatehouse, id)).toEqual([])
    expect((await decide(id, 'approved')).body.data.status).toBe('blocked')
    expect(await blocksOf(gatehouse, id)).toHaveLength(SERVICES.length)
    expect((await eventNamesOf(gatehouse, id)).slice(2)).toEqual([
      'identification_blocked 4',
      'account_locked 4',
    ])
    await liftHold(body.data.id)
    expect(await statusOf(gatehouse.api, id)).toBe('approved')
  })
  test('require notes if the reason is other', async () => {
    const id = await createImported(gatehouse.api)
    for (const notes of [undefined, ' '])
      expectErrors(await placeHold(id, { reason: 'other', notes }), { code: 'required', field: 'notes' })
    const { status, body } = await placeHold(id, { reason: 'other', notes: 'See ticket 8' })
    expect(status).toBe(201)
    await liftHold(body.data.id)
  })
  test('include internal settlements only if the vault has enabled them', async () => {
    const id = await createImported(gatehouse.api)
    const answer = await placeHold(id, { services: ['internal_settlements'] })
    expect(answer.status).toBe(422)
    expectErrors(answer, { code: 'invalid', field: 'services' })
    const other = await addVault(gatehouse)
    await operator.patch(`/vaults/${other.vaultId}`, { internal_settlements_enabled: true })
    const theirs = await createImported(other.api)
    const { body } = await placeHold(theirs)
    expect(body.data.services).toEqual([...ALL_SERVICES])
    await liftHold(body.data.id)
    await other.api.post(`/identifications/${theirs}/block`, { reason: 'deceased' })
    const { accounts } = await recordOf({ ...gatehouse, vaultId: other.vaultId }, theirs)
    expect(accounts).toHaveLength(1)
    expect(await blocksOf({ ...gatehouse, vaultId: other.vaultId }, theirs)).toHaveLength(5)
  })
  test('cannot be opened for a closed identification (422 invalid_transition), but can still be closed', async () => {
    const id = await waiting()
    const { body } = await placeHold(id)
    await gatehouse.api.put(`/identifications/${id}/close`)
    const answer = await placeHold(id)
    expect(answer.status).toBe(422)
    expectErrors(answer, 'invalid_transition')
    const closed = await liftHold(body.data.id)
    expect([closed.status, closed.body.data.status]).toEqual([200, 'closed'])
  })
  test('return 422 with every problem, and 404 for an unknown ID or a hold that is not a case', async () => {
    const id = await createImported(gatehouse.api)
    const answer = await placeHold(id, { owner: 'client', reason: 'mood', services: ['coffee'], more: 1 })
    expect(answer.status).toBe(422)
    expectErrors(
      answer,
      { code: 'invalid', field: 'owner' },
      { code: 'invalid', field: 'reason' },
      { code: 'invalid', field: 'services.0' },
      { code: 'unknown_field', field: 'more' },
    )
    expectErrors(await placeHold(id, { services: [] }), { code: 'invalid', field: 'services' })
    expect((await placeHold(unique())).status).toBe(404)
    expect((await liftHold(unique())).status).toBe(404)
    await block(id)
    const [hold] = (await recordOf(gatehouse, id)).state.holds
    expect((await liftHold(hold?.id ?? '')).status).toBe(404)
    expect((await findHold(gatehouse.db, hold?.id ?? ''))?.closeRequestedAt).toBeNull()
  })
})

describe('POST /operator/v1/identifications/{id}/accounts', () => {
  test('returns 201 with the account, and keeps account_id as the first one', async () => {
    const id = await createImported(gatehouse.api)
    const before = (await gatehouse.api.get(`/identifications/${id}`)).body.data
    const { status, body } = await operator.post(`/identifications/${id}/accounts`)
    expect(status).toBe(201)
    expect(body).toEqual({
      data: { id: expect.any(String), referral: expect.stringMatching(/^[A-Z2-9]{8}$/) },
    })
    const after = { ...before, version: 2, updated_at: expect.any(Number) }
    expect((await gatehouse.api.get(`/identifications/${id}`)).body.data).toEqual(after)
    const listed = await gatehouse.api.get(`/identifications/${id}/accounts?per_page=1&page=2`)
    expect(listed.body).toMatchObject({ data: [body.data], pagination: { total_count: 2, total_pages: 2 } })
    expect((await eventNamesOf(gatehouse, id)).at(-1)).toBe('account_created 2')
    await block(id)
    expect(await blocksOf(gatehouse, id)).toHaveLength(2 * SERVICES.length)
    expect((await eventNamesOf(gatehouse, id)).filter((name) => name === 'account_locked 3')).toHaveLength(2)
  })
  test('blocks the new account if the identification is blocked', async () => {
    const id = await createImported(gatehouse.api)
    await block(id)
    const { body } = await operator.post(`/identifications/${id}/accounts`)
    const blocks = await blocksOf(gatehouse, id)
    expect(blocks.filter(({ accountId }) => accountId === body.data.id)).toHaveLength(SERVICES.length)
    expect((await eventNamesOf(gatehouse, id)).slice(-2)).toEqual(['account_created 3', 'account_locked 3'])
  })
  test('returns 403 identification_closed or 404', async () => {
    const id = await waiting()
    await gatehouse.api.put(`/identifications/${id}/close`)
    const answer = await operator.post(`/identifications/${id}/accounts`)
    expect(answer.status).toBe(403)
    expectErrors(answer, 'identification_closed')
    expect((await operator.post(`/identifications/${unique()}/accounts`)).status).toBe(404)
  })
})

describe('vaults', () => {
  test('are created with their own settings, and can be changed', async () => {
    const { status, body } = await operator.post('/vaults', { name: 'Second', trading_fee: 0.015 })
    expect(status).toBe(201)
    expect(body.data).toEqual({
      id: expect.any(String),
      name: 'Second',
      import_enabled: false,
      internal_settlements_enabled: false,
      four_eyes: [],
      high_risk_countries: ['IR', 'KP', 'MM'],
      review_target_hours: 24,
      send_traceparent: false,
      emails: false,
      email_outcomes: false,
      trading_fee: 0.015,
      logo_url: null,
      accent_color: null,
      accent_color_dark: null,
      support_email: null,
      privacy_url: null,
      languages: ['en', 'de'],
      default_language: 'en',
      created_at: expect.any(Number),
    })
    const changed = await operator.patch(`/vaults/${body.data.id}`, {
      import_enabled: true,
      review_target_hours: 720,
    })
    expect(changed.body.data).toMatchObject({
      name: 'Second',
      import_enabled: true,
      review_target_hours: 720,
      trading_fee: 0.015,
    })
    expect((await operator.patch(`/vaults/${body.data.id}`, {})).body).toEqual(changed.body)
  })
  test('return 422 with every problem, or 404', async () => {
    const answer = await operator.post('/vaults', { import_enabled: 'yes', trading_fee: 2, color: 'red' })
    expect(answer.status).toBe(422)
    expectErrors(
      answer,
      { code: 'required', field: 'name' },
      { code: 'invalid', field: 'import_enabled' },
      { code: 'invalid', field: 'trading_fee' },
      { code: 'unknown_field', field: 'color' },
    )
    for (const review_target_hours of [0, 721, 1.5, '24', null])
      expectErrors(await operator.patch(`/vaults/${gatehouse.vaultId}`, { review_target_hours }), {
        code: 'invalid',
        field: 'review_target_hours',
      })
    expect((await operator.patch(`/vaults/${unique()}`, { name: 'X' })).status).toBe(404)
  })
})

describe('GET /operator/v1/queue', () => {
  interface Entry {
    kind: string
    id: string
    title: string | null
    vault_id: string
    status: string
    waiting_on: string
    waiting_since: number
  }
  const queue = async (query = '', vaultId = gatehouse.vaultId): Promise<Entry[]> =>
    (await operator.get(`/queue?per_page=100&vault_id=${vaultId}${query}`)).body.data

  test('lists applications and identifications that wait on an operator, longest waiting first', async () => {
    const first = await waiting()
    const { id: kybId } = await completeApplication(gatehouse.api)
    const last = await waiting()
    const entries = await queue()
    const mine = entries.filter(({ id }) => [first, kybId, last].includes(id))
    expect(mine.map(({ kind, id }) => [kind, id])).toEqual([
      ['identification', first],
      ['kyb', kybId],
      ['identification', last],
    ])
    expect(mine[0]).toEqual({
      kind: 'identification',
      id: first,
      title: 'Ada Lovelace',
      vault_id: gatehouse.vaultId,
      status: 'initiated',
      version: 2,
      waiting_on: 'operator',
      waiting_since: expect.any(Number),
      open_hits: 0,
      is_pending: false,
      assigned_to: null,
      assigned_until: null,
      reason: 'possible_duplicate',
      due_at: expect.any(Number),
      country: 'GB',
      risk_level: 'low',
      documents: null,
      corrections: null,
    })
    const times = entries.map((entry) => entry.waiting_since)
    expect(times).toEqual([...times].sort((a, b) => a - b))
    expect((await queue('&kind=kyb')).map(({ id }) => id)).toContain(kybId)
    expect((await queue('&kind=identification')).every(({ kind }) => kind === 'identification')).toBe(true)
    await decide(first, 'approved')
    expect((await queue()).map(({ id }) => id)).not.toContain(first)
  })
  test('filters by vault, status and waiting time, and shows each name', async () => {
    const other = await addVault(gatehouse)
    const { id: kybId } = await completeApplication(other.api)
    const id = await createSoftKyc(other.api, { name: 'Grace', surname: 'Hopper' })
    await untilWaitingOn({ ...gatehouse, vaultId: other.vaultId }, id, 'operator')
    const found = async (query: string) => (await queue(query, other.vaultId)).map((entry) => entry.id)
    expect((await queue('', other.vaultId)).map(({ title }) => title)).toEqual([
      'Analytical Engines Ltd',
      'Grace Hopper',
    ])
    expect(await found('&status=open')).toEqual([kybId])
    expect(await found('&status=initiated')).toEqual([id])
    expect(await found('&status=rejected')).toEqual([])
    expect(await found('&waiting_longer_than=0')).toEqual([kybId, id])
    expect(await found('&waiting_longer_than=3000')).toEqual([])
    await gatehouse.db.orm.execute(
      sql`UPDATE kyb_applications SET waiting_since = now() - interval '3001 seconds' WHERE id = ${kybId}`,
    )
    expect(await found('&waiting_longer_than=3000')).toEqual([kybId])
    expect(await found('&kind=identification&waiting_longer_than=3000')).toEqual([])
    const { body } = await operator.get(`/queue?per_page=1&page=2&vault_id=${other.vaultId}`)
    expect(body.pagination).toMatchObject({ total_count: 2, total_pages: 2 })
    expect(body.data).toMatchObject([{ id }])
    expect(await found('&waiting_on=applicant')).toEqual([])
    for (const [query, status] of [
      ['vault_id=x', 400],
      ['waiting_longer_than=x', 400],
      ['waiting_longer_than=-1', 422],
      ['status=x', 422],
    ])
      expect((await operator.get(`/queue?${query}`)).status).toBe(status)
  })
  test('lists those that wait on clients, and no others', async () => {
    const kybId = await gatehouse.api.createKyb()
    expect((await queue('&waiting_on=client')).map(({ id }) => id)).toContain(kybId)
    expect(await queue('&waiting_on=provider')).toEqual([])
  })
  test('returns pages, and refuses invalid queries', async () => {
    await waiting()
    await waiting()
    const { body } = await operator.get('/queue?per_page=1&page=2')
    expect(body.data).toHaveLength(1)
    expect(body.pagination).toMatchObject({ current_page: 2, per_page: 1 })
    const answer = await operator.get('/queue?kind=x&waiting_on=nobody&more=1&page=0')
    expect(answer.status).toBe(422)
    expectErrors(answer, 'invalid', 'invalid', 'unknown_field', 'invalid')
    expect((await operator.get('/queue?page=x')).status).toBe(400)
  })
})

test('blocks all services of 1,000 accounts with one case', async () => {
  const id = await createImported(gatehouse.api)
  await untilStatus(gatehouse.api, id, 'approved')
  await gatehouse.db.orm.execute(sql`
    INSERT INTO accounts (id, identification_id, referral)
    SELECT gen_random_uuid(), ${id}, gen_random_uuid() FROM generate_series(1, 999)`)
  const { status, body } = await placeHold(id, { reason: 'sanctions_match', notes: 'On a list' })
  expect(status).toBe(201)
  // The response does not wait longer than four seconds for the workflow.
  await eventually(async () => {
    const [blocked] = await gatehouse.db.orm.execute<{ count: number }>(sql`
      SELECT count(*)::int FROM service_blocks WHERE hold_id = ${body.data.id}`)
    expect(blocked?.count).toBe(1_000 * body.data.services.length)
  })
})
