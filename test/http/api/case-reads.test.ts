/** Tests that reads of cases by operators are recorded and limited, over the API and in the console. */
import { and, eq } from 'drizzle-orm'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { auditLog, timeline } from '../../../drizzle/schema.ts'
import { createApi, PDF } from '../../support/api.ts'
import { openConsole } from '../../support/console.ts'
import { createSoftKyc } from '../../support/identification.ts'
import { addVault, startInstance, unique } from '../../support/instance.ts'
import { PASSWORD, signedIn } from '../../support/people.ts'
import { documentOf, profilesOf, row } from '../../support/profile.ts'

const LIMIT = 4
const lines: { readonly route?: string; readonly actor?: string }[] = []
const gatehouse = await startInstance({
  env: { RATE_LIMIT_CASE_READS: String(LIMIT) },
  log: pino({ level: 'info' }, { write: (line) => lines.push(JSON.parse(line)) }),
})
await gatehouse.startWorker()
const { api, baseUrl, db, vaultId } = gatehouse
afterAll(() => gatehouse.stop())

const newReader = async () => {
  const { id, email, token } = await signedIn(gatehouse, 'operator', { operator_roles: ['auditor'] })
  return { actor: `operator:${id}`, email, api: createApi(`${baseUrl}/operator/v1`, token) }
}
const auditOf = (actor: string, action: 'case_read' | 'case_names_read' | 'report_exported') =>
  db.orm
    .select()
    .from(auditLog)
    .where(and(eq(auditLog.actor, actor), eq(auditLog.action, action)))
const readsInTimeline = (entityId: string, actor: string) =>
  db.orm.$count(
    timeline,
    and(eq(timeline.entityId, entityId), eq(timeline.actor, actor), eq(timeline.action, 'case_read')),
  )

const kyb = await api.createKyb()
const person = await createSoftKyc(api)
const opened = await (await gatehouse.operator()).post(`/identifications/${person}/cases`, {
  reason: 'aml_review',
  services: ['trades'],
  owner: 'operator_operations',
})
const { body: file } = await api.upload(kyb, { attribute: 'aml_policies' }, PDF, 'file.pdf')

describe('a read of a case', () => {
  test.each([
    ['kyb', kyb, `/kyb/${kyb}`],
    ['kyb', kyb, `/kyb/${kyb.toUpperCase()}`],
    ['kyb', kyb, `/kyb/${kyb}/timeline`],
    ['kyb', kyb, `/kyb/${kyb}/deliveries`],
    ['kyb', kyb, `/files/${file.id}`],
    ['kyb', kyb, `/files/${file.id}?original=true`],
    ['identification', person, `/identifications/${person}`],
    ['identification', person, `/identifications/${person}/timeline`],
    ['identification', person, `/identifications/${person}/deliveries`],
    ['identification', person, `/cases/${opened.body.data.id}`],
  ])('is recorded once: %s %s %s', async (subject, id, path) => {
    const reader = await newReader()
    for (const _ of [1, 2, 3]) expect((await reader.api.get(path)).status).toBe(200)
    const entries = await auditOf(reader.actor, 'case_read')
    expect(entries).toMatchObject([{ subject, subjectId: id, vaultId, count: 1 }])
    expect(await readsInTimeline(id, reader.actor)).toBe(1)
  })

  test.each([
    ['kyb', kyb, ''],
    ['kyb', kyb, '/timeline.csv'],
    ['identifications', person, ''],
    ['identifications', person, '/timeline.csv'],
  ])('is recorded once for the console and the API together: %s %s%s', async (plural, id, file) => {
    const reader = await newReader()
    const browser = await openConsole(baseUrl, { email: reader.email, password: PASSWORD })
    expect((await browser.get(`/console/${plural}/${id}${file}`)).status).toBe(200)
    expect((await reader.api.get(`/${plural}/${id}`)).status).toBe(200)
    expect(await auditOf(reader.actor, 'case_read')).toHaveLength(1)
    expect(await readsInTimeline(id, reader.actor)).toBe(1)
  })

  test.each([
    ['kyb', kyb, 'revision_requested'],
    ['identifications', person, 'rejected'],
  ])('is recorded for a preview of a decision: %s', async (plural, id, outcome) => {
    const { id: userId, email } = await signedIn(gatehouse, 'operator', {
      operator_roles: ['operator_review'],
    })
    const browser = await openConsole(baseUrl, { email, password: PASSWORD })
    const decision = { outcome, reason_code: 'other', client_comment: 'Which one?', version: '1' }
    const preview = await browser.post(`/console/${plural}/${id}/decision/preview`, decision)
    expect((await preview.text()).length).toBeGreaterThan(0)
    expect(await auditOf(`operator:${userId}`, 'case_read')).toMatchObject([{ subjectId: id, count: 1 }])
    expect(await readsInTimeline(id, `operator:${userId}`)).toBe(1)
  })

  test('is refused beyond the limit, also when repeated, and leaves cases that were read open', async () => {
    const reader = await newReader()
    const ids = await Promise.all(Array.from({ length: LIMIT + 1 }, () => api.createKyb()))
    const statuses = async () => {
      const answers = []
      for (const id of ids) answers.push((await reader.api.get(`/kyb/${id}`)).status)
      return answers
    }
    const expected = [...ids.slice(1).map(() => 200), 429]
    expect([await statuses(), await statuses()]).toEqual([expected, expected])
    expect(await auditOf(reader.actor, 'case_read')).toHaveLength(LIMIT)
    expect(await readsInTimeline(ids.at(-1) ?? '', reader.actor)).toBe(0)
  })
})

test.each(['/kyb', '/queue'])('names in GET %s are counted in one entry per vault', async (path) => {
  const reader = await newReader()
  const shown = (await reader.api.get(path)).body.data.length
  await reader.api.get(path)
  const entries = await auditOf(reader.actor, 'case_names_read')
  expect(entries.map(({ count }) => count)).toEqual(shown === 0 ? [] : [2 * shown])
})

test('the notes of holds in a list are counted', async () => {
  const hold = { reason: 'other', notes: 'Two chargebacks', owner: 'operator_operations' }
  const operator = await gatehouse.operator()
  expect((await operator.post(`/identifications/${person}/cases`, hold)).status).toBe(201)
  const reader = await newReader()
  const { data } = (await reader.api.get(`/cases?identification_id=${person}`)).body
  expect(data.map(({ notes }: { notes: unknown }) => notes)).toEqual(['Two chargebacks', null])
  expect(await auditOf(reader.actor, 'case_names_read')).toMatchObject([{ vaultId, count: 1 }])
})

test('the names of possible duplicates are counted', async () => {
  const name = { nature_of_business: { legal_company_name: 'Twin Engines Ltd' } }
  const [first] = [await api.createKyb(unique(), name), await api.createKyb(unique(), name)]
  const reader = await newReader()
  expect((await reader.api.get(`/kyb/${first}`)).body.data.duplicates).toHaveLength(1)
  expect(await auditOf(reader.actor, 'case_names_read')).toMatchObject([{ vaultId, count: 1 }])
})

test('the name in a notice is counted, also if the operator wrote the cookie', async () => {
  const reader = await newReader()
  const browser = await openConsole(baseUrl, { email: reader.email, password: PASSWORD })
  const named = await api.createKyb(unique(), {
    nature_of_business: { legal_company_name: 'Noticed Engines Ltd' },
  })
  browser.setCookie('gatehouse_notice', encodeURIComponent(`assigned ${named}`))
  expect(await browser.text('/console/figures')).toContain('Noticed Engines Ltd')
  expect(await auditOf(reader.actor, 'case_names_read')).toMatchObject([{ vaultId, count: 1 }])
})

test('an auditor reads who read what in the audit trail', async () => {
  const reader = await newReader()
  await reader.api.get(`/kyb/${kyb}`)
  const { data } = (await reader.api.get(`/audit?action=case_read&actor=${reader.actor}`)).body
  expect(data).toMatchObject([{ subject: 'kyb', subject_id: kyb, vault_id: vaultId }])
})

describe('an export of a report', () => {
  test('is counted for the API and for the CSV file, but not for the page', async () => {
    const reader = await newReader()
    const browser = await openConsole(baseUrl, { email: reader.email, password: PASSWORD })
    expect((await browser.get('/console/figures')).status).toBe(200)
    expect(await auditOf(reader.actor, 'report_exported')).toEqual([])
    expect((await browser.get('/console/figures/reasons.csv')).status).toBe(200)
    for (const report of ['reasons', 'deliveries'])
      expect((await reader.api.get(`/figures/${report}`)).status).toBe(200)
    const entries = await auditOf(reader.actor, 'report_exported')
    const counts = entries.map(({ changes, count, vaultId }) => [changes.report?.to, count, vaultId])
    expect(counts.sort()).toEqual([
      ['deliveries', 1, null],
      ['reasons', 2, null],
    ])
  })
  test('is recorded for each vault of an operator of some vaults', async () => {
    const grants = { operator_grants: [{ role: 'auditor', vault_id: vaultId }] }
    const { id, api: own } = await signedIn(gatehouse, 'operator', grants)
    expect((await own.get('/figures/applications')).status).toBe(200)
    expect(await auditOf(`operator:${id}`, 'report_exported')).toMatchObject([{ vaultId, count: 1 }])
  })
})

describe('the report on reads', () => {
  const totalsOf = async (reader: Awaited<ReturnType<typeof newReader>>, query = '') =>
    (await reader.api.get(`/audit/reads?actor=${reader.actor}${query}`)).body.data

  test('adds up the cases, names and exports of each operator', async () => {
    const reader = await newReader()
    expect(await totalsOf(reader)).toEqual([])
    for (const path of [`/kyb/${kyb}`, `/kyb/${kyb}`, `/identifications/${person}`, '/figures/reasons'])
      await reader.api.get(path)
    const names = (await reader.api.get('/kyb')).body.data.length
    const [totals] = await totalsOf(reader)
    const expected = { actor: reader.actor, cases: 2, names, exports: 1, last_at: expect.any(Number) }
    expect(totals).toEqual(expected)
    expect(await totalsOf(reader, `&from=${totals.last_at - 60}&to=${totals.last_at + 60}`)).toEqual([
      expected,
    ])
    expect(await totalsOf(reader, `&to=${totals.last_at - 60}`)).toEqual([])
    expect(await totalsOf(reader, `&vault_id=${crypto.randomUUID()}`)).toEqual([])
  })

  test('shows operators by email, with a link to their cases', async () => {
    const reader = await newReader()
    await reader.api.get(`/kyb/${kyb}`)
    const browser = await openConsole(baseUrl, { email: reader.email, password: PASSWORD })
    const page = await browser.text('/console/settings/audit/reads?vault_id=nonsense&from=x&page=-1')
    expect(page).toContain(reader.email)
    const [, link = ''] = new RegExp(`href="([^"]+)">${reader.email}`).exec(page) ?? []
    const cases = await browser.text(link.replaceAll('&amp;', '&'))
    expect(cases).toContain(`/console/kyb/${kyb}`)
  })
})

test('log lines about requests of operators state the operator', async () => {
  const reader = await newReader()
  const browser = await openConsole(baseUrl, { email: reader.email, password: PASSWORD })
  await reader.api.get(`/kyb/${kyb}`)
  await browser.get(`/console/kyb/${kyb}`)
  const routes = lines.filter(({ actor }) => actor === reader.actor).map(({ route }) => route)
  expect(routes).toEqual(expect.arrayContaining(['/operator/v1/kyb/:id', '/console/kyb/:id']))
  expect(JSON.stringify(lines)).not.toContain(reader.email)
})

describe('a move to the same version of the profile, which returns the case', () => {
  let vault: Awaited<ReturnType<typeof addVault>>
  beforeAll(async () => {
    vault = await addVault(gatehouse)
    await (await profilesOf(vault)).publish(documentOf([row('tax_number')]))
  })
  const newReviewer = async () => {
    const { id, api } = await signedIn(gatehouse, 'operator', { operator_roles: ['operator_review'] })
    const move = (kyb: string, version: number) =>
      api.post(`/kyb/${kyb}/profile`, { profile_version: version })
    return { actor: `operator:${id}`, move }
  }

  test('is recorded as a read, unless it is refused', async () => {
    const { actor, move } = await newReviewer()
    const id = await vault.api.createKyb()
    expect((await move(id, 99)).status).toBe(422)
    expect(await auditOf(actor, 'case_read')).toEqual([])
    const { status, body } = await move(id, 1)
    expect([status, body.data.id]).toEqual([200, id])
    expect(await auditOf(actor, 'case_read')).toMatchObject([{ subjectId: id, vaultId: vault.vaultId }])
    expect(await readsInTimeline(id, actor)).toBe(1)
  })

  test('is refused beyond the limit', async () => {
    const { move } = await newReviewer()
    const statuses: number[] = []
    for (let n = 0; n <= LIMIT; n++) statuses.push((await move(await vault.api.createKyb(), 1)).status)
    expect(statuses).toEqual([...Array(LIMIT).fill(200), 429])
  })
})
