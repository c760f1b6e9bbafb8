/** Tests the list of all cases in the console: applications and people, whatever their status, newest first. */
import { expect, test } from 'vitest'
import { RISK_LEVELS } from '../../../src/domain/decision/risk.ts'
import { listCases } from '../../../src/use-cases/review/queue.ts'
import { openConsole } from '../../support/console.ts'
import { createImported, createSoftKyc, untilStatus, untilWaitingOn } from '../../support/identification.ts'
import { addVault, eventually, sharedInstance, unique } from '../../support/instance.ts'
import { completeApplication, completeSections } from '../../support/kyb.ts'

const gatehouse = await sharedInstance({ worker: true })
const { db, baseUrl, credentials } = gatehouse
const operator = await gatehouse.operator()
const console = await openConsole(baseUrl, credentials)
const { api, vaultId } = await addVault(gatehouse)

const idsIn = (text: string) => [...text.matchAll(/data-id="([^"]+)"/g)].map(([, id]) => id)
const list = async (query = '') => idsIn(await console.text(`/console/cases?vault_id=${vaultId}${query}`))

const open = await api.createKyb()
const person = await createSoftKyc(api, { name: 'Grace', surname: 'Hopper' })
await untilWaitingOn({ ...gatehouse, vaultId }, person, 'operator')
const approved = (await completeApplication(api)).id
const rejected = await api.createKyb()
const abandoned = await api.createKyb()
const external_uuid = unique()
await api.post('/identifications/create_identify_process', { type: 'kyb', external_uuid })
await createImported(api)
for (const [id, body] of [
  [approved, { outcome: 'approved', reason_code: 'complete' }],
  [rejected, { outcome: 'rejected', reason_code: 'high_risk' }],
] as const)
  expect((await operator.post(`/kyb/${id}/decision`, body)).status).toBe(200)
const identificationOf = async (id: string) => (await api.get(`/kyb/${id}`)).body.data.identification_id
const closed = await api.put(`/identifications/${await identificationOf(abandoned)}/close`)
expect(closed.status).toBe(200)
const found = async (query: string) => (await operator.get(`/kyb?${query}`)).body.data
await eventually(async () =>
  expect(await found(`vault_id=${vaultId}`)).toContainEqual(
    expect.objectContaining({ id: abandoned, status: 'abandoned' }),
  ),
)
const refused = await createSoftKyc(api)
await untilWaitingOn({ ...gatehouse, vaultId }, refused, 'operator')
await operator.post(`/identifications/${refused}/decision`, { outcome: 'rejected', reason_code: 'other' })
await untilStatus(api, refused, 'rejected')
const [ofPage] = await found(`external_id=${external_uuid}`)

const newestFirst = [refused, ofPage.id, abandoned, rejected, approved, person, open]

test('lists each company once and each person, newest first, without imports', async () => {
  expect(await list()).toEqual(newestFirst)
  const page = await console.text(`/console/cases?vault_id=${vaultId}`)
  expect(page).toContain('Grace Hopper')
  expect(page).toContain('Analytical Engines Ltd')
  expect(page).toContain('<a href="/console/cases" aria-current="true"')
})

test.each([
  ['&kind=kyb', [ofPage.id, abandoned, rejected, approved, open]],
  ['&kind=identification', [refused, person]],
  ['&status=open', [ofPage.id, person, open]],
  ['&status=approved', [approved]],
  ['&status=rejected', [refused, rejected]],
  ['&status=closed', [abandoned]],
  ['&status=closed&kind=identification', []],
  ['&status=processed&kind=x&page=0', newestFirst],
])('filters by %s', async (query, ids) => {
  expect(await list(query)).toEqual(ids)
})

test('sorts the cases by their creation, and keeps the other filters', async () => {
  expect(await list('&sort=oldest')).toEqual(newestFirst.toReversed())
  expect(await list('&sort=newest')).toEqual(newestFirst)
  const page = await console.text(`/console/cases?vault_id=${vaultId}&kind=kyb`)
  expect(page).toContain(`/console/cases?kind=kyb&amp;vault_id=${vaultId}&amp;sort=oldest">Oldest first`)
})

test('exports the list as CSV with its filters, and counts the export', async () => {
  const counted = async () =>
    (await operator.get('/audit?per_page=100')).body.data.filter(
      ({ action, vault_id }: Record<string, string>) => action === 'report_exported' && vault_id === vaultId,
    ).length
  expect(await counted()).toBe(0)
  const csv = await console.text(`/console/cases.csv?vault_id=${vaultId}&status=rejected`)
  const [head, ...rows] = csv.trim().split('\r\n')
  expect(head).toBe('id,name,type,vault,state,risk,country,created_at,decided_at,decided_by')
  expect(rows.map((row) => row.split(',')[0])).toEqual([refused, rejected])
  for (const row of rows) expect(row).toContain(`,Rejected,`)
  for (const row of rows) expect(row).toContain(credentials.operator_email)
  const all = await console.text(`/console/cases.csv?vault_id=${vaultId}&sort=oldest`)
  expect(
    all
      .trim()
      .split('\r\n')
      .slice(1)
      .map((row) => row.split(',')[0]),
  ).toEqual(newestFirst.toReversed())
  expect(await counted()).toBe(1)
})

test('lists the cases of all vaults, and none for an unknown vault', async () => {
  const elsewhere = await gatehouse.api.createKyb()
  expect(idsIn(await console.text('/console/cases'))).toContain(elsewhere)
  const none = await console.text(`/console/cases?vault_id=${unique()}`)
  expect(none).toContain('No cases match this filter')
})

test('shows the outcome of each case, who decided it, and the number of cases of each state', async () => {
  const page = await console.text(`/console/cases?vault_id=${vaultId}`)
  const rowOf = (id: string) => new RegExp(`data-id="${id}".*?</tr>`, 's').exec(page)?.[0] ?? ''
  const name = credentials.operator_email
  const outcomes = {
    [open]: 'Not submitted',
    [person]: 'In review',
    [approved]: 'Approved',
    [rejected]: 'Rejected',
    [abandoned]: 'Closed',
    [refused]: 'Rejected',
  }
  for (const [id, outcome] of Object.entries(outcomes))
    expect(rowOf(id), outcome).toContain(`${outcome}</span>`)
  for (const id of [approved, rejected, refused]) expect(rowOf(id)).toContain(`<span>${name}</span>`)
  expect(rowOf(open)).not.toContain(name)
  const counts = Object.fromEntries(
    [...page.matchAll(/class="filter-chip"[^>]*>([^<]+) <span class="number">([^<]+)</g)].map(
      ([, ...pair]) => pair,
    ),
  )
  const expected = {
    All: '7',
    'In review': '1',
    'With the client or applicant': '2',
    Approved: '1',
    Rejected: '2',
    Closed: '1',
  }
  expect(counts).toEqual(expected)
  expect(page).toContain('7 cases, 1 in review')
})

test('returns each case once over several pages, and reports if there are more', async () => {
  const read = (page: number) =>
    listCases({ db }, { actor: 'nobody', address: null }, { scope: [vaultId] }, { page, per_page: 3 })
  const pages = await Promise.all([1, 2, 3].map(read))
  expect(pages.flatMap(({ entries }) => entries.map(({ id }) => id))).toEqual(newestFirst)
  expect(pages.map(({ hasMore }) => hasMore)).toEqual([true, true, false])
})

test('filters by country and by risk, without counts that would read all cases', async () => {
  const { country_of_incorporation: country } = completeSections().nature_of_business
  expect(await list(`&country=${country}`)).toEqual([approved])
  expect(await list('&country=IS')).toEqual([])
  expect(await list('&country=nonsense&risk=unknown')).toEqual(newestFirst)
  const levels = await Promise.all(RISK_LEVELS.map((risk) => list(`&risk=${risk}`)))
  expect(levels.flat().sort()).toEqual([...newestFirst].sort())
  expect(new Set(levels.flat()).size).toBe(newestFirst.length)
  const page = await console.text(`/console/cases?vault_id=${vaultId}&country=${country}&status=approved`)
  expect(page).toContain('1 cases, 0 in review')
  const ofRisk = await console.text(`/console/cases?vault_id=${vaultId}&risk=low`)
  expect(ofRisk).not.toMatch(/class="filter-chip"[^>]*>[^<]+<span class="number">\d/)
  expect(ofRisk).toContain(`country=${country}&amp;risk=low`)
})
