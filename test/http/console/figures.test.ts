/** Tests the figures of the operator API against known rows. */
import { type SQL, sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FIGURE_QUERIES } from '../../../src/db/lists/figures.ts'
import { PERIODS } from '../../../src/domain/review/figures.ts'
import { createFigures } from '../../../src/use-cases/review/figures.ts'
import type { Api } from '../../support/api.ts'
import { openConsole } from '../../support/console.ts'
import { awayFromMidnight } from '../../support/day.ts'
import { dayOf, seedFigures } from '../../support/figures.ts'
import { sendForm } from '../../support/hosted-page.ts'
import { addVault, eventually, startInstance } from '../../support/instance.ts'

await awayFromMidnight()
const gatehouse = await startInstance()
afterAll(() => gatehouse.stop())
const { db, vaultId } = gatehouse

let operator: Api
beforeAll(async () => {
  operator = await gatehouse.operator()
  await seedFigures(gatehouse, vaultId)
  // PostgreSQL prefers an index-only scan if all pages are visible. It can mark them visible only after older
  // transactions end.
  await eventually(async () => {
    await gatehouse.asOwner('VACUUM ANALYZE kyb_applications')
    const [kyb] = await db.orm.execute<{ all: boolean }>(
      sql`SELECT relallvisible = relpages AS all FROM pg_class WHERE relname = 'kyb_applications'`,
    )
    expect(kyb).toEqual({ all: true })
  })
})

const figure = async (name: string, query: Record<string, string> = {}) => {
  const { status, body } = await operator.get(`/figures/${name}?${new URLSearchParams(query)}`)
  expect([status, body.errors]).toEqual([200, undefined])
  return body.data
}
const HOUR = 3_600
const ofVault = { vault_id: vaultId, period: '7' }
const noTimes = { decisions: 0, median_seconds: null, p90_seconds: null }

describe('the figures', () => {
  test('count applications by day and current status', async () => {
    const zero = { waiting: 0, in_review: 0, approved: 0, rejected: 0, closed: 0 }
    const both = await figure('applications', ofVault)
    expect(both).toEqual({
      as_of: expect.any(Number),
      period_days: 7,
      step_days: 1,
      rows: [
        ...[6, 5, 4].map((ago) => ({ day: dayOf(ago), ...zero })),
        { day: dayOf(3), ...zero, approved: 9, rejected: 1 },
        { day: dayOf(2), ...zero, approved: 1, waiting: 1, closed: 1 },
        { day: dayOf(1), ...zero, in_review: 1 },
        { day: dayOf(0), ...zero },
      ],
    })
    const persons = await figure('applications', { ...ofVault, kind: 'identification' })
    expect(persons.rows.slice(-3)).toEqual([
      { day: dayOf(2), ...zero, approved: 1 },
      { day: dayOf(1), ...zero, in_review: 1 },
      { day: dayOf(0), ...zero },
    ])
    const year = await figure('applications', { vault_id: vaultId, period: '365' })
    expect([year.step_days, year.rows.length]).toEqual([7, 53])
    expect(year.rows.reduce((sum: number, { approved }: { approved: number }) => sum + approved, 0)).toBe(11)
  })
  test('include the median and the ninth decile of decision times, per day and overall', async () => {
    const { overall, rows } = await figure('decision_times', { ...ofVault, kind: 'kyb' })
    const ten = { decisions: 10, median_seconds: 5.5 * HOUR, p90_seconds: 9.1 * HOUR }
    expect(overall).toEqual(ten)
    expect(rows[3]).toEqual({ day: dayOf(3), ...ten })
    expect(rows[2]).toEqual({ day: dayOf(4), ...noTimes })
    const both = await figure('decision_times', ofVault)
    expect(both.overall).toEqual({ decisions: 11, median_seconds: 5 * HOUR, p90_seconds: 9 * HOUR })
    expect(both.rows[4]).toEqual({
      ...{ day: dayOf(2), decisions: 1, median_seconds: HOUR / 2, p90_seconds: HOUR / 2 },
    })
  })
  test('group the ages of waiting cases by type', async () => {
    const { longest_seconds, rows } = await figure('queue_ages', { vault_id: vaultId })
    expect(longest_seconds).toBeGreaterThan(19 * 24 * HOUR)
    expect(
      rows.filter((row: { kyb: number; identification: number }) => row.kyb + row.identification),
    ).toEqual([
      { from_seconds: HOUR, to_seconds: 4 * HOUR, kyb: 0, identification: 1 },
      { from_seconds: 7 * 24 * HOUR, to_seconds: null, kyb: 1, identification: 0 },
    ])
    expect((await operator.get(`/queue?vault_id=${vaultId}`)).body.pagination.total_count).toBe(2)
  })
  test('count reasons by decision', async () => {
    const zero = { approved: 0, rejected: 0, more_asked: 0, attention: 0 }
    const { rows } = await figure('reasons', ofVault)
    const given = rows.filter((row: object) => Object.values(row).some((value) => Number(value) > 0))
    expect(given).toEqual([
      { reason_code: 'complete', ...zero, approved: 9 },
      { reason_code: 'high_risk', ...zero, rejected: 1, more_asked: 1 },
    ])
  })
  test('count deliveries by current status', async () => {
    const { rows } = await figure('deliveries', ofVault)
    const zero = { completed: 0, partial: 0, failed: 0, unfinished: 0 }
    expect(rows[2]).toEqual({ day: dayOf(4), ...zero, completed: 3, failed: 1, unfinished: 1 })
    expect(rows[3]).toEqual({ day: dayOf(3), ...zero })
  })
})

test('counts a company only once if a link verifies it', async () => {
  const { vaultId: hosted, api } = await addVault(gatehouse)
  await api.post('/identifications/create_identify_process', { type: 'kyb', email: 'ada@example.com' })
  await api.post('/identifications/create_identify_process', { type: 'kyc' })
  const count = async (kind: object = {}) =>
    (await figure('applications', { vault_id: hosted, period: '7', ...kind })).rows.at(-1).waiting
  expect(await Promise.all([{}, { kind: 'kyb' }, { kind: 'identification' }].map(count))).toEqual([2, 1, 1])
})

test('covers all vaults without a filter, and contains no data for an empty vault', async () => {
  const other = await addVault(gatehouse)
  const empty = { vault_id: other.vaultId }
  expect((await figure('decision_times', empty)).overall).toEqual(noTimes)
  expect((await figure('queue_ages', empty)).longest_seconds).toBeNull()
  expect((await figure('decision_times')).overall.decisions).toBe(11)
})

test('refuses invalid queries', async () => {
  const asked = async (query: string) => (await operator.get(`/figures/${query}`)).status
  expect(await asked('applications?period=8')).toBe(422)
  expect(await asked('applications?vault_id=x')).toBe(400)
  expect(await asked('deliveries?kind=kyb')).toBe(422)
  expect(await asked('nothing')).toBe(404)
  expect((await gatehouse.api.get('/figures/reasons')).status).toBe(404)
})

test('reads each figure once for concurrent callers, and only one figure at a time', async () => {
  let reads = 0
  let inProgress = 0
  const orm = {
    async execute() {
      reads += 1
      inProgress += 1
      expect(inProgress).toBe(1)
      await new Promise(setImmediate)
      inProgress -= 1
      if (reads === 1) throw new Error('away')
      return []
    },
  }
  const read = createFigures({ ...db, orm: orm as never })
  await expect(read('reasons', { period: 7, scope: 'all' })).rejects.toThrow('away')
  const asked = ([7, 7, 30, 30, 30] as const).map((period) => read('reasons', { period, scope: 'all' }))
  await Promise.all([...asked, read('deliveries', { period: 7, scope: 'all' })])
  expect(reads).toBe(4)
})

test.each([
  ['applications', ['kyb_applications_figures', 'identifications_applied']],
  ['decision_times', ['timeline_decisions']],
  ['queue_ages', ['kyb_applications_waiting', 'identifications_waiting']],
  ['reasons', ['timeline_decisions']],
  ['deliveries', ['webhook_log_counts_group']],
] as const)('reads %s with indexes only', async (name, indexes) => {
  const orm = {
    execute: async (query: SQL) => {
      const plan = await db.orm.transaction(async (tx) => {
        await tx.execute(sql`SET LOCAL enable_seqscan = off`)
        return tx.execute(sql`EXPLAIN (COSTS OFF) ${query}`)
      })
      const text = plan.map((line) => line['QUERY PLAN']).join('\n')
      expect(text).not.toContain('Seq Scan')
      for (const index of indexes) expect(text).toContain(index)
      return []
    },
  }
  for (const period of PERIODS)
    await FIGURE_QUERIES[name](
      { ...db, orm: orm as never },
      { period, scope: vaultId === undefined ? 'all' : [vaultId] },
      new Date(),
    )
  expect.assertions(PERIODS.length * (1 + indexes.length))
})

test('exports the same figures as CSV files to signed-in operators only', async () => {
  const browser = await openConsole(gatehouse.baseUrl, gatehouse.credentials)
  const file = (name: string) => browser.get(`/console/figures/${name}`)
  const query = `period=7&vault=${vaultId}&kind=kyb`
  const answer = await file(`decision_times.csv?${query}`)
  expect(answer.headers.get('Content-Type')).toBe('text/csv; charset=utf-8; header=present')
  expect(answer.headers.get('Content-Disposition')).toMatch(
    /^attachment; filename="decision_times-[\d-]{10}\.csv"$/,
  )
  const lines = (await answer.text()).split('\r\n')
  expect(lines[0]).toBe('day,decisions,median_seconds,p90_seconds')
  expect(lines.slice(3, 5)).toEqual([`${dayOf(4)},0,,`, `${dayOf(3)},10,19800,32760`])
  expect((await file('nothing.csv')).status).toBe(404)
  expect((await sendForm(`${gatehouse.baseUrl}/console/figures/reasons.csv`)).status).toBe(303)
  const page = await (await file('?period=8&vault=x&kind=y')).text()
  expect(page).toContain('17 cases received, 11 decided')
  // The Content-Security-Policy would block inline styles.
  expect(page).not.toMatch(/<style|style="/)
})

test('the page names the missing webhook URL instead of a share', async () => {
  const { api, vaultId: without } = await addVault(gatehouse)
  await seedFigures(gatehouse, without)
  const browser = await openConsole(gatehouse.baseUrl, gatehouse.credentials)
  const page = () => browser.text(`/console/figures?vault=${without}`)
  expect(await page()).toContain('No URL registered')
  const { status } = await api.put('/users/update_webhook', {
    webhook_url: { account: ['https://hooks.example/gatehouse'] },
  })
  expect(status).toBe(200)
  const registered = await page()
  expect(registered).not.toContain('No URL registered')
  expect(registered).toContain('Webhooks delivered')
})
