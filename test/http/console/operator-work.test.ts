/** Tests the operators' notes and assignments. */
import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { expectErrors } from '../../support/checks.ts'
import { createImported, createWaiting, isChange } from '../../support/identification.ts'
import { addVault, sharedInstance, unique } from '../../support/instance.ts'
import { completeApplication } from '../../support/kyb.ts'
import { signedIn } from '../../support/people.ts'

const gatehouse = await sharedInstance({ worker: true })
const { api } = gatehouse
const review = { operator_roles: ['operator_review'] }
const me = await signedIn(gatehouse, 'operator', review)
const other = await signedIn(gatehouse, 'operator', review)

const mine = `operator:${me.id}`
const theirs = `operator:${other.id}`
const actionsOf = async (path: string): Promise<object[]> =>
  (await me.api.get(`${path}/timeline`)).body.data.filter(isChange).slice(1)

/** Each function creates a case of its type and returns the path of the case. */
const PATHS = {
  kyb: async () => `/kyb/${(await completeApplication(api)).id}`,
  identification: async () => {
    const id = await createWaiting(gatehouse)
    return `/identifications/${id}`
  },
}
const KINDS = Object.entries(PATHS)

describe.each(KINDS)('notes on the %s', (_kind, create) => {
  test('return 201 with the entry, which only operators can read in the timeline', async () => {
    const path = await create()
    const text = 'Called them.\nThey call back.'
    const { status, body } = await me.api.post(`${path}/notes`, { text })
    expect(status).toBe(201)
    expect(body.data).toMatchObject({
      action: 'note',
      actor: mine,
      internal_note: text,
      from: null,
      to: null,
    })
    expect((await actionsOf(path)).at(-1)).toEqual(body.data)
    expect(JSON.stringify((await api.get(path)).body)).not.toContain('Called')
  })

  test('are stored once if they are sent again with their key', async () => {
    const path = await create()
    const headers = { 'Idempotency-Key': unique() }
    const send = (text: string) => me.api.send('POST', `${path}/notes`, { text }, headers)
    const [first, second] = [await send('Once'), await send('Once')]
    expect(second.body).toEqual(first.body)
    expect(second.headers.get('Idempotent-Replayed')).toBe('true')
    expectErrors(await send('Twice'), 'idempotency_key_reused')
    expect(JSON.stringify(await actionsOf(path)).match(/"note"/g)).toHaveLength(1)
  })

  test('return 422 for a missing or too long text, and 404 for an unknown ID', async () => {
    const path = await create()
    expectErrors(await me.api.post(`${path}/notes`, {}), { code: 'required', field: 'text' })
    expectErrors(await me.api.post(`${path}/notes`, { text: '' }), { code: 'required', field: 'text' })
    expectErrors(await me.api.post(`${path}/notes`, { text: 'x'.repeat(5_001) }), 'too_long')
    const [, name] = path.split('/')
    expect((await me.api.post(`/${name}/${unique()}/notes`, { text: 'x' })).status).toBe(404)
  })
})

describe.each(KINDS)('the assignment of the %s', (kind, create) => {
  const put = (path: string, by = me, body: object = {}) => by.api.put(`${path}/assignment`, body)
  const release = (path: string, by = me) => by.api.delete(`${path}/assignment`)
  const shown = async (path: string) => {
    const { assigned_to, assigned_until } = (await me.api.get(path)).body.data
    return { assigned_to, assigned_until }
  }
  const nobody = { assigned_to: null, assigned_until: null }
  const table = sql.identifier(kind === 'kyb' ? 'kyb_applications' : 'identifications')
  const idle = (path: string, minutes: number) =>
    gatehouse.db.orm.execute(sql`UPDATE ${table} SET assigned_until = assigned_until - make_interval(mins => ${minutes}::int)
      WHERE id = ${path.split('/').at(-1)}`)
  const left = async (path: string) => (await shown(path)).assigned_until - Date.now() / 1000

  test('belongs to the caller until it is released or taken over', async () => {
    const path = await create()
    expect(await shown(path)).toEqual(nobody)
    const before = (await actionsOf(path)).length
    const taken = await put(path)
    expect(taken.status).toBe(200)
    expect(taken.body.data).toEqual({ assigned_to: mine, assigned_until: expect.any(Number) })
    expect(await shown(path)).toEqual(taken.body.data)
    for (const refused of [await put(path, other), await release(path, other)]) {
      expect(refused.status).toBe(409)
      expect(refused.body.errors).toEqual([
        {
          code: 'already_assigned',
          message: `The case is assigned to ${mine}. To reassign it, set take_over to true.`,
        },
      ])
    }
    expect((await put(path)).status).toBe(200)
    expect((await put(path, other, { take_over: true })).body.data.assigned_to).toBe(theirs)
    expect((await put(path)).status).toBe(409)
    expect((await release(path, other)).body.data).toEqual(nobody)
    expect((await release(path, other)).body.data).toEqual(nobody)
    expect((await actionsOf(path)).slice(before)).toMatchObject([
      { action: 'assigned', actor: mine, from: null, to: mine },
      { action: 'assigned', actor: theirs, from: mine, to: theirs },
      { action: 'released', actor: theirs, from: theirs, to: null },
    ])
  })

  test('belongs to one of ten concurrent callers', async () => {
    const path = await create()
    const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => put(path, n % 2 ? me : other)))
    const holder = (await shown(path)).assigned_to
    for (const [n, { status }] of answers.entries())
      expect(status).toBe((n % 2 ? mine : theirs) === holder ? 200 : 409)
  })

  test('expires after 15 minutes without a note or decision', async () => {
    const path = await create()
    await put(path)
    expect(await left(path)).toBeGreaterThan(14 * 60)
    await idle(path, 10)
    expect(await left(path)).toBeLessThan(6 * 60)
    // Actions of other operators do not extend it.
    await other.api.post(`${path}/notes`, { text: 'x' })
    expect(await left(path)).toBeLessThan(6 * 60)
    await me.api.post(`${path}/notes`, { text: 'x' })
    expect(await left(path)).toBeGreaterThan(14 * 60)
    await idle(path, 10)
    const outcome = kind === 'kyb' ? 'revision_requested' : 'attention'
    await me.api.post(`${path}/decision`, { outcome, reason_code: 'other', client_comment: 'Once more.' })
    expect(await left(path)).toBeGreaterThan(14 * 60)
    await idle(path, 16)
    expect(await shown(path)).toEqual(nobody)
    // A note does not renew an expired assignment.
    await me.api.post(`${path}/notes`, { text: 'x' })
    expect(await shown(path)).toEqual(nobody)
    expect((await put(path, other)).status).toBe(200)
  })

  test('appears in the queue, which filters by own and unassigned cases', async () => {
    const [held, free, expired] = [await create(), await create(), await create()]
    await put(held)
    await put(expired)
    await idle(expired, 16)
    const idOf = (path: string) => path.split('/').at(-1) ?? ''
    const queue = async (query: string): Promise<{ id: string; assigned_to: string | null }[]> =>
      (await me.api.get(`/queue?per_page=100&kind=${kind}${query}`)).body.data
    const ids = async (query: string) => (await queue(query)).map(({ id }) => id)
    expect((await queue('')).find(({ id }) => id === idOf(held))).toMatchObject({ assigned_to: mine })
    expect((await queue('')).find(({ id }) => id === idOf(expired))).toMatchObject(nobody)
    expect(await ids('&assigned=me')).toContain(idOf(held))
    expect(await ids('&assigned=me')).not.toContain(idOf(expired))
    const unheld = await ids('&assigned=nobody')
    expect(unheld).toEqual(expect.arrayContaining([idOf(free), idOf(expired)]))
    expect(unheld).not.toContain(idOf(held))
    expect((await me.api.get('/queue?assigned=x')).status).toBe(422)
  })

  test('returns 404 for an unknown ID, and 422 for an invalid body', async () => {
    const path = await create()
    const [, name] = path.split('/')
    expect((await put(`/${name}/${unique()}`)).status).toBe(404)
    expect((await release(`/${name}/${unique()}`)).status).toBe(404)
    expectErrors(await put(path, me, { take_over: 'yes' }), { code: 'invalid', field: 'take_over' })
    expectErrors(await put(path, me, { to: mine }), { code: 'unknown_field', field: 'to' })
  })
})

test('extends an assignment if its operator opens or closes a case', async () => {
  const path = `/identifications/${await createImported((await addVault(gatehouse)).api)}`
  const { db } = gatehouse
  const soon = () =>
    db.orm.execute(sql`UPDATE identifications SET assigned_until = now() + interval '1 minute'
    WHERE id = ${path.split('/').at(-1)}`)
  const left = async () => (await me.api.get(path)).body.data.assigned_until - Date.now() / 1000
  await me.api.put(`${path}/assignment`, {})
  await soon()
  const open = { owner: 'operator_operations', reason: 'aml_review' }
  const { body } = await me.api.post(`${path}/cases`, open)
  expect(await left()).toBeGreaterThan(14 * 60)
  await soon()
  await me.api.post(`/cases/${body.data.id}/close`)
  expect(await left()).toBeGreaterThan(14 * 60)
})
