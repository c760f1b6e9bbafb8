/** Tests the console's queue: filters, counts, saved filters, conditional requests and the next case. */
import { sql } from 'drizzle-orm'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import type { Api } from '../../support/api.ts'
import { openConsole, waitingFor } from '../../support/console.ts'
import { addVault, startInstance, unique } from '../../support/instance.ts'
import { PASSWORD, signedIn } from '../../support/people.ts'

const gatehouse = await startInstance({ env: { TEMPORAL_UI_URL: 'http://temporal.example:8233/' } })
afterAll(() => gatehouse.stop())

const { api, baseUrl, credentials, db } = gatehouse
const operator = await gatehouse.operator()
const other = await signedIn(gatehouse, 'operator', { operator_roles: ['operator_review'] })
const me = await openConsole(baseUrl, credentials)
const they = await openConsole(baseUrl, { email: other.email, password: PASSWORD })

const waiting = (hours: number, by = api) => waitingFor(gatehouse, hours, by)
beforeEach(async () => {
  await db.orm.execute(sql`UPDATE kyb_applications SET waiting_on = 'client'`)
})

const setTarget = async (vaultId: string, review_target_hours: number) =>
  expect((await operator.patch(`/vaults/${vaultId}`, { review_target_hours })).status).toBe(200)

const rowsOf = (text: string) => [...text.matchAll(/data-id="([^"]+)"/g)].map(([, id]) => id)
const countsOf = (text: string) =>
  Object.fromEntries(
    [...text.matchAll(/<a [^>]*href="\/console\?[^"]*"[^>]*>([^<]+) <span class="number">([^<]+)</g)].map(
      ([, name = '', count]) => [name, count],
    ),
  )

test('filters and counts by vault, age, type and assignee, with the oldest case first', async () => {
  const vault = await addVault(gatehouse)
  await setTarget(gatehouse.vaultId, 12)
  await setTarget(vault.vaultId, 720)
  const [young, old, theirs] = [await waiting(1), await waiting(72), await waiting(30, vault.api)]
  await other.api.put(`/kyb/${young}/assignment`, {})
  await operator.put(`/kyb/${old}/assignment`, {})
  const all = await me.text('/console?waiting_on=operator')
  expect(rowsOf(all)).toEqual([old, theirs, young])
  expect(countsOf(all)).toEqual({
    All: '3',
    'Assigned to me': '1',
    Unassigned: '1',
    'Screening hits': '0',
    'Second approval': '0',
    Overdue: '1',
  })
  expect(all).toContain(`title="${other.email}"`)
  for (const [query, ids] of [
    [`vault_id=${vault.vaultId}`, [theirs]],
    ['waiting_longer_than=86400', [old, theirs]],
    ['kind=identification', []],
    ['overdue=true', [old]],
    ['sort=newest', [young, theirs, old]],
    ['sort=oldest', [old, theirs, young]],
    ['assigned=me', [old]],
    ['assigned=nobody', [theirs]],
    [`assigned=operator:${other.id}`, [young]],
    ['status=approved', []],
    ['status=nonsense&vault_id=x&assigned=x&page=0', [old, theirs, young]],
    [`assigned=operator:${'-'.repeat(36)}`, [old, theirs, young]],
  ] as const)
    expect(rowsOf(await me.text(`/console?${query}`)), query).toEqual(ids)
  expect(await me.text('/console?kind=identification')).toContain('No cases match this filter')
  const { body } = await operator.get(`/queue?assigned=operator:${other.id}`)
  expect(body.data.map(({ id }: { id: string }) => id)).toEqual([young])
})

test('filters by country and by risk with links, which keep the other filters', async () => {
  const country = async (country_of_incorporation: string) => {
    const id = await api.createKyb(unique(), { nature_of_business: { country_of_incorporation } })
    await db.orm.execute(sql`UPDATE kyb_applications SET waiting_on = 'operator' WHERE id = ${id}`)
    return id
  }
  const ids = [await country('IR'), await country('DE'), await waiting(0)]
  const [iranian, german] = ids
  const page = await me.text('/console?waiting_on=operator&assigned=nobody')
  expect(rowsOf(page)).toEqual(ids)
  const hrefOf = (more: string) => `href="/console?waiting_on=operator&amp;assigned=nobody&amp;${more}"`
  for (const more of ['country=DE', 'country=IR', 'risk=low', 'risk=medium', 'risk=high'])
    expect(page).toContain(hrefOf(more))
  expect(page).not.toContain('country=GB')
  for (const [query, expected] of [
    ['country=DE', [german]],
    ['country=GB', []],
    ['risk=high', [iranian]],
    ['risk=medium', []],
    ['country=DE&risk=high', []],
    ['country=IR&risk=high&sort=newest', [iranian]],
    // The console ignores invalid values.
    ['country=de&risk=severe', ids],
    ['country[]=DE&risk=high&risk=low', ids],
  ] as const)
    expect(rowsOf(await me.text(`/console?${query}`)), query).toEqual(expected)
  const narrowed = await me.text('/console?assigned=nobody&country=DE&risk=low')
  expect(narrowed).toMatch(/<summary class="filter-chip" aria-current="true">Country: Germany /)
  expect(narrowed).toMatch(/<summary class="filter-chip" aria-current="true">Risk: Low /)
  // The preset remains current, the links remove one filter, and the form keeps both.
  expect(narrowed).toMatch(/aria-current="page">\s*Unassigned/)
  expect(narrowed).toContain('<details class="filter">')
  for (const more of ['country=DE', 'risk=low']) expect(narrowed).toContain(hrefOf(more))
  expect(narrowed).toContain('<input type="hidden" name="country" value="DE"')
  expect(narrowed).toContain('<input type="hidden" name="risk" value="low"')
  // The form to save the filter contains both, too.
  expect(narrowed).toContain('value="waiting_on=operator&amp;assigned=nobody&amp;country=DE&amp;risk=low"')
  await me.post('/console/filters', { name: 'Germany', query: 'country=DE' })
  expect(countsOf(await me.text('/console'))).toMatchObject({ Germany: '1' })
  await me.post('/console/filters/delete', { name: 'Germany' })
  await me.get('/console?country=DE')
  expect((await me.post('/console/next')).headers.get('Location')).toBe(`/console/kyb/${german}`)
  expect(await me.text(`/console/kyb/${german}`)).toMatch(/name="open_next" value="yes" checked/)
})

test('offers only the countries of the operator’s own vaults', async () => {
  const vault = await addVault(gatehouse)
  const create = (by: Api, country_of_incorporation: string) =>
    by.createKyb(unique(), { nature_of_business: { country_of_incorporation } })
  for (const id of [await create(api, 'FR'), await create(vault.api, 'SE')])
    await db.orm.execute(sql`UPDATE kyb_applications SET waiting_on = 'operator' WHERE id = ${id}`)
  const { email } = await signedIn(gatehouse, 'operator', {
    operator_grants: [{ role: 'auditor', vault_id: vault.vaultId }],
  })
  const auditor = await openConsole(baseUrl, { email, password: PASSWORD })
  const page = await auditor.text('/console?waiting_on=operator')
  expect(page).toContain('country=SE')
  expect(page).not.toContain('country=FR')
  expect(rowsOf(await auditor.text('/console?country=FR'))).toEqual([])
})

test('lists the cases of each vault beyond its own review target, and no other party’s', async () => {
  const vault = await addVault(gatehouse)
  const [mine, theirs, client] = [await waiting(200), await waiting(200, vault.api), await waiting(200)]
  await db.orm.execute(sql`UPDATE kyb_applications SET waiting_on = 'client' WHERE id = ${client}`)
  const overdue = async () => rowsOf(await me.text('/console?overdue=true'))
  // 200 hours have at most five days of weekends.
  await setTarget(gatehouse.vaultId, 24)
  await setTarget(vault.vaultId, 48)
  expect(await overdue()).toEqual([mine, theirs])
  await setTarget(vault.vaultId, 300)
  expect(await overdue()).toEqual([mine])
  await setTarget(gatehouse.vaultId, 300)
  expect(await overdue()).toEqual([])
  expect(rowsOf(await me.text('/console?overdue=true&waiting_on=client'))).toEqual([])
  await setTarget(gatehouse.vaultId, 24)
  const { body } = await operator.get('/queue?overdue=true')
  expect(body.data.map(({ id }: { id: string }) => id)).toEqual([mine])
})

test('lists decisions that await a second operator, except the operator’s own', async () => {
  const [decided, own] = [await waiting(3), await waiting(2)]
  await waiting(1)
  const { body } = await operator.put(`/kyb/${own}/assignment`, {})
  for (const [id, by] of [
    [decided, `operator:${other.id}`],
    [own, body.data.assigned_to],
  ])
    await db.orm.execute(sql`UPDATE kyb_applications
      SET pending = jsonb_build_object('kind', 'approve', 'by', ${by}::text) WHERE id = ${id}`)
  const page = await me.text('/console?second_review=true')
  expect(rowsOf(page)).toEqual([decided])
  expect(countsOf(page)).toMatchObject({ 'Second approval': '1' })
  expect(rowsOf(await they.text('/console?second_review=true'))).toEqual([own])
  await db.orm.execute(sql`UPDATE kyb_applications SET pending = NULL`)
})

test('keeps the filter of a sorted list, and opens the longest waiting case from it', async () => {
  const [old, young] = [await waiting(2), await waiting(1)]
  const page = await me.text('/console?assigned=nobody&sort=newest')
  expect(rowsOf(page)).toEqual([young, old])
  expect(page).toMatch(/aria-current="page">\s*Unassigned/)
  expect((await me.post('/console/next')).headers.get('Location')).toBe(`/console/kyb/${old}`)
})

test('uses the previous filter if the request has none', async () => {
  const [taken, free] = [await waiting(2), await waiting(1)]
  await operator.put(`/kyb/${taken}/assignment`, {})
  await me.get('/console?assigned=nobody')
  expect(rowsOf(await me.text('/console'))).toEqual([free])
  expect(rowsOf(await they.text('/console?waiting_on=operator'))).toEqual([taken, free])
})

test('returns 304 if the queue has not changed', async () => {
  const id = await waiting(1)
  const shown = await me.get('/console?waiting_on=operator')
  const etag = shown.headers.get('ETag') ?? ''
  const ask = () => me.get('/console?waiting_on=operator', { 'If-None-Match': etag })
  const same = await ask()
  expect([same.status, await same.text()]).toEqual([304, ''])
  for (const change of [
    () => other.api.put(`/kyb/${id}/assignment`, {}),
    () => waiting(1),
    () => me.post('/console/filters', { name: 'Etag', query: 'kind=kyb' }),
  ]) {
    const before = (await me.get('/console?waiting_on=operator')).headers.get('ETag') ?? ''
    await change()
    const after = await me.get('/console?waiting_on=operator', { 'If-None-Match': before })
    expect([after.status, after.headers.get('ETag') === before]).toEqual([200, false])
  }
  expect((await me.post('/console/filters/delete', { name: 'Etag\0' })).status).toBe(303)
  await me.post('/console/filters/delete', { name: 'Etag' })
  const foreign = await they.get('/console?assigned=me', { 'If-None-Match': etag })
  expect(foreign.status).toBe(200)
})

describe('saved filters', () => {
  test('belong to one operator, and show a count until they are deleted', async () => {
    await waiting(30)
    const kept = await me.post('/console/filters', { name: 'A <day>', query: 'waiting_longer_than=86400' })
    expect([kept.status, kept.headers.get('Location')]).toEqual([
      303,
      '/console?waiting_on=operator&waiting_longer_than=86400',
    ])
    const page = await me.text('/console?waiting_longer_than=86400')
    expect(countsOf(page)).toMatchObject({ 'A &lt;day>': '1' })
    expect(page).toContain('Delete filter “A &lt;day>”')
    expect(await they.text('/console')).not.toContain('A &lt;day>')
    await they.post('/console/filters/delete', { name: 'A <day>' })
    expect(await me.text('/console')).toContain('A &lt;day>')
    await me.post('/console/filters', { name: 'A <day>', query: 'kind=kyb' })
    expect(await me.text('/console')).toContain('/console?kind=kyb&amp;waiting_on=operator')
    await me.post('/console/filters/delete', { name: 'A <day>' })
    expect(await me.text('/console')).toContain('Filter “A &lt;day>” deleted')
    expect(await me.text('/console')).not.toContain('A &lt;day>')
  })
  test('require a name, and are limited to 12', async () => {
    for (const name of ['', 'x'.repeat(61)]) {
      const refused = await me.post('/console/filters', { name, query: 'kind=kyb' })
      expect([refused.status, await refused.text()]).toEqual([
        422,
        expect.stringContaining('Enter a filter name'),
      ])
    }
    for (let n = 1; n <= 12; n++)
      expect((await they.post('/console/filters', { name: `${n}`, query: 'kind=kyb' })).status).toBe(303)
    const refused = await they.post('/console/filters', { name: '13', query: 'kind=kyb' })
    expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining('Delete one first')])
    expect((await they.post('/console/filters', { name: '12', query: 'kind=identification' })).status).toBe(
      303,
    )
  })
})

describe('the next case', () => {
  test('differs for two operators who request it at the same time, and is the oldest that matches the filter', async () => {
    await me.get('/console?waiting_on=operator')
    await they.get('/console?waiting_on=operator')
    const ids = [await waiting(5), await waiting(4), await waiting(3), await waiting(2)]
    const both = () => Promise.all([me, they].map(({ post }) => post('/console/next')))
    const answers = [...(await both()), ...(await both())]
    const addresses = answers.map(({ headers }) => headers.get('Location'))
    const expected = ids.map((id) => `/console/kyb/${id}`)
    expect(addresses.slice(0, 2).sort()).toEqual(expected.slice(0, 2).sort())
    expect(addresses.slice(2).sort()).toEqual(expected.slice(2).sort())
    expect((await me.post('/console/next')).headers.get('Location')).toBe('/console')
    expect(await me.text('/console')).toContain('No unassigned cases match')
    expect(await me.text('/console')).not.toContain('No unassigned cases match')
  })
  test('is never a case that the operator has decided and another must confirm', async () => {
    const [decided, free] = [await waiting(2), await waiting(1)]
    await db.orm.execute(sql`UPDATE kyb_applications
      SET pending = jsonb_build_object('by', ${`operator:${other.id}`}::text) WHERE id = ${decided}`)
    await they.get('/console?waiting_on=operator')
    await me.get('/console?waiting_on=operator')
    expect((await they.post('/console/next')).headers.get('Location')).toBe(`/console/kyb/${free}`)
    expect((await me.post('/console/next')).headers.get('Location')).toBe(`/console/kyb/${decided}`)
  })
  test('matches the filter of the last page', async () => {
    const [old, young] = [await waiting(60), await waiting(1)]
    await other.api.put(`/kyb/${old}/assignment`, {})
    await me.get('/console?waiting_longer_than=86400')
    expect((await me.post('/console/next')).headers.get('Location')).toBe('/console')
    await me.get('/console?assigned=me')
    expect((await me.post('/console/next')).headers.get('Location')).toBe(`/console/kyb/${young}`)
  })
})

test('assigns several cases at the same time, except cases of other operators', async () => {
  const [free, taken] = [await waiting(1), await waiting(2)]
  await other.api.put(`/kyb/${taken}/assignment`, {})
  const chosen = [free, taken, 'x'].map((id) => ['entity', `kyb:${id}`] as const)
  expect((await me.post('/console/assignments', chosen)).status).toBe(303)
  expect(rowsOf(await me.text('/console?assigned=me'))).toEqual([free])
  expect(rowsOf(await they.text('/console?assigned=me'))).toEqual([taken])
})

test('assigns only those of the selected cases that the operator can decide', async () => {
  const vault = await addVault(gatehouse)
  const [read, decided] = [await waiting(2), await waiting(1, vault.api)]
  const { email } = await signedIn(gatehouse, 'operator', {
    operator_grants: [
      { role: 'auditor', vault_id: gatehouse.vaultId },
      { role: 'reviewer', vault_id: vault.vaultId },
    ],
  })
  const reviewer = await openConsole(baseUrl, { email, password: PASSWORD })
  const chosen = [read, unique(), decided].map((id) => ['entity', `kyb:${id}`] as const)
  expect((await reviewer.post('/console/assignments', chosen)).status).toBe(303)
  expect(rowsOf(await reviewer.text('/console?assigned=me'))).toEqual([decided])
})

test('links the case to its workflow in the Temporal UI', async () => {
  const id = await waiting(1)
  const url = `http://temporal.example:8233/namespaces/${gatehouse.name}/workflows/kyb-${id}`
  expect((await operator.get(`/kyb/${id}`)).body.data.workflow).toEqual({ id: `kyb-${id}`, url })
  expect(await me.text(`/console/kyb/${id}`)).toContain(`href="${url}"`)
})

test('shows a case that is assigned to an actor without an ID', async () => {
  const id = await waiting(1)
  await db.orm.execute(sql`UPDATE kyb_applications SET assigned_to = 'operator:someone',
    assigned_until = now() + interval '1 hour' WHERE id = ${id}`)
  const browser = await openConsole(baseUrl, credentials)
  expect(rowsOf(await browser.text('/console'))).toContain(id)
})
