/** Tests `doctor` on a healthy instance, and on instances with one problem each. */
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeFinding, examine, type Finding } from '../../src/cli/doctor.ts'
import { connectByteStores } from '../../src/storage/blob-store.ts'
import { eventually, type OwnInstance, startInstance } from '../support/instance.ts'
import { spawnProcess } from '../support/processes.ts'

let gatehouse: OwnInstance
beforeAll(async () => {
  gatehouse = await startInstance()
  await gatehouse.startWorker()
})
afterAll(() => gatehouse.stop())

async function doctor(env: Record<string, string> = {}, ...args: string[]) {
  const cli = spawnProcess('src/cli/main.ts', { ...gatehouse.env, ...env }, 'doctor', ...args)
  return { code: await cli.ended, output: cli.output() }
}
const examined = (free = 0.5) =>
  examine({
    ...gatehouse,
    stores: connectByteStores(gatehouse.config),
    freeSpace: async () => [['/var/lib/gatehouse/files', free]],
  } as Parameters<typeof examine>[0])
const failing = (findings: Finding[]) =>
  findings.filter(({ status }) => status !== 'ok').map(({ check }) => check)

test('reports every part of a healthy instance as ok, and leaves no file behind', async () => {
  await gatehouse.api.createKyb()
  // The first pass of housekeeping starts within 20 seconds.
  await eventually(async () => expect(failing(await examined())).toEqual([]))
  const output = await eventually(async () => {
    const { code, output: text } = await doctor()
    expect([code, text]).toEqual([0, expect.not.stringMatching(/^(warn|fail)/m)])
    return text
  })
  for (const check of ['settings', 'versions', 'connections', 'migrations', 'clocks', 'storage'])
    expect(output).toMatch(new RegExp(`^ok   ${check} `, 'm'))
  for (const check of ['certificates', 'schedules', 'queues'])
    expect(output).toMatch(new RegExp(`^ok   ${check} `, 'm'))
  expect(output).toMatch(/^ok {3}storage {6}\d+% of the disk of \/.* is free\.$/m)
  expect(output).toMatch(/^ok {3}storage {6}The database has \d+\.\d GB\.$/m)
  const [store] = connectByteStores(gatehouse.config)
  for await (const id of store?.ids() ?? []) expect.unreachable(`${id} remains`)
})

test('says in JSON what to do about unavailable servers, without secrets', async () => {
  const url = new URL(gatehouse.env.DATABASE_URL)
  url.password = 'the-wrong-password'
  const env = { DATABASE_URL: url.href, TEMPORAL_ADDRESS: '127.0.0.1:1', BLOB_URL: 'file:///proc/none' }
  const { code, output } = await doctor(env, '--json')
  expect(code).toBe(1)
  expect(output).not.toContain('the-wrong-password')
  const findings = JSON.parse(output) as Finding[]
  expect(findings).toContainEqual(
    expect.objectContaining({
      check: 'connections',
      status: 'fail',
      text: expect.stringMatching(/invalid_password/),
    }),
  )
  for (const { status, remedy } of findings) if (status !== 'ok') expect(remedy).toMatch(/^[A-Z].*\.$/)
  // Checks that need an unavailable server are omitted.
  expect(failing(findings)).toEqual(['connections', 'connections', 'storage'])
})

test('reports invalid settings as a finding', async () => {
  const { code, output } = await doctor({ PORT: 'x' }, '--json')
  expect([code, JSON.parse(output)]).toEqual([
    1,
    [
      {
        check: 'settings',
        status: 'fail',
        text: expect.stringContaining('PORT'),
        remedy: expect.any(String),
      },
    ],
  ])
})

test('reports missing migrations and overdue backups', async () => {
  const turn = sql`UPDATE drizzle.__drizzle_migrations SET created_at = -created_at
    WHERE abs(created_at) = (SELECT max(abs(created_at)) FROM drizzle.__drizzle_migrations)`
  const age = (days: number) => sql`UPDATE vaults SET created_at = created_at - ${days} * interval '1 day'`
  await gatehouse.asOwner('GRANT UPDATE ON drizzle.__drizzle_migrations TO gatehouse_service')
  await gatehouse.db.orm.execute(turn)
  await gatehouse.db.orm.execute(age(5))
  const findings = await examined()
  await gatehouse.db.orm.execute(turn)
  await gatehouse.db.orm.execute(age(-5))
  expect(failing(findings)).toEqual(['migrations', 'schedules'])
  const lines = findings.map(describeFinding).join('\n')
  expect(lines).toMatch(/^fail migrations .* Run migrate of this version\.$/m)
  expect(lines).toMatch(
    /^fail schedules {4}The task backup has not succeeded for 5 days\. Start it, and read its log\.$/m,
  )
})

test.each([
  [0.1, 'ok', '10%'],
  [0.099, 'fail', '9%'],
  [0, 'fail', '0%'],
])('reports a disk of which the part %s is free as %s', async (free, status, percent) => {
  const text = `${percent} of the disk of /var/lib/gatehouse/files is free.`
  expect(await examined(free)).toContainEqual(expect.objectContaining({ check: 'storage', status, text }))
})

test('compares the size of the last backup with the free space of its disk', async () => {
  const record = (...args: string[]) =>
    spawnProcess('src/cli/main.ts', gatehouse.env, 'record-run', '--task', 'backup', ...args).ended
  const spaceForBackups = async () =>
    (await examined()).filter(({ text }) => text.startsWith('The last backup has'))
  const said = (status: string, free: string) => ({
    check: 'storage',
    status,
    text: `The last backup has 6.0 GB, and left ${free} GB of its disk free.`,
    remedy: 'Increase the disk, or reduce BACKUP_DAYS.',
  })
  expect(await record('--bytes', '6000000000', '--free-bytes', '12000000000')).toBe(0)
  expect(await spaceForBackups()).toMatchObject([{ status: 'ok' }])
  expect(await record('--bytes', '6000000000', '--free-bytes', '11900000000')).toBe(0)
  expect(await spaceForBackups()).toEqual([said('fail', '11.9')])
  expect(await record('--bytes', '1e9', '--free-bytes', 'all')).toBe(1)
  expect(await spaceForBackups()).toEqual([said('fail', '11.9')])
  // A backup of another kind records no size, and the earlier one no longer applies.
  expect(await record()).toBe(0)
  expect(await spaceForBackups()).toEqual([])
})

test('reports a paused Schedule', async () => {
  const schedule = gatehouse.temporal.schedule.getHandle('gatehouse-housekeeping')
  await schedule.pause()
  const findings = await examined()
  await schedule.unpause()
  expect(findings).toContainEqual(
    expect.objectContaining({ status: 'fail', text: 'The housekeeping Schedule is paused.' }),
  )
})
