/** Tests that the files in deploy/ match docker-compose.yml. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { DYNAMIC_CONFIG } from '../../../dev/launcher/temporal.ts'
import { composeFile, ROOT, serviceOf, variables } from '../../docker/compose-file.ts'
import { blocksIn } from '../../support/guide.ts'

const read = (name: string) => readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8')
const filled = composeFile(Object.fromEntries(variables.map(({ name }) => [name, 'x'])))

const UNITS = readdirSync(new URL('../../../deploy/systemd', import.meta.url))
const settingsIn = (text: string) => [...text.matchAll(/\b([A-Z][A-Z_]+)=/g)].map(([, name = '']) => name)
const GUIDE = read('docs/production.md') + read('docs/backups.md')

test('gives the Temporal server the settings of `npm start`', () => {
  const settings = Object.entries(DYNAMIC_CONFIG).map(([name, value]) => [
    name,
    [{ value: JSON.parse(value) }],
  ])
  expect(parse(read('deploy/temporal-settings.yaml'))).toEqual(Object.fromEntries(settings))
})

test('passes the environment variables of Compose to the Temporal server', () => {
  const [, environment = ''] = GUIDE.split('`/etc/gatehouse/temporal.env`')
  const given = settingsIn(
    (environment.split('```')[1] ?? '') + read('deploy/systemd/gatehouse-temporal.service'),
  )
  expect(given).toEqual(expect.arrayContaining(Object.keys(serviceOf(filled, 'temporal').environment)))
})

test.each(['temporal', 'gatehouse', 'owner'])(
  'writes %s.env in a form that systemd and a shell read alike',
  (name) => {
    const [, rest = ''] = GUIDE.split(`\`/etc/gatehouse/${name}.env\`, with mode 600`)
    const [, lines = ''] = rest.split(/```(?:sh)?\n/)
    expect(lines.trim().split('\n')).toSatisfy((all: string[]) =>
      all.every((line) => /^[A-Z_]+='[^']*'$/.test(line)),
    )
  },
)

/**
 * Returns the commands that a shell runs if this block is pasted and `failing` fails. All commands are stubs.
 */
function pasted(block: string, failing: string): string[] {
  const stubs = `PATH=/nowhere; command_not_found_handle() { echo "$*"; case "$*" in ${failing}) return 1; esac; }
    cd() { command_not_found_handle cd "$@"; }; function . { :; }\n`
  const script = stubs + block.replaceAll(/<[^>\n]+>/g, 'x').replaceAll(/ < \S+\.dump"/g, '')
  const ran = execFileSync('bash', ['-c', `${script}\ntrue`], { encoding: 'utf8' })
  return ran.trim().split('\n')
}

const MIGRATING = [...blocksIn('production.md', 'Start Gatehouse'), ...blocksIn('production.md', 'Upgrade')]
  .map(({ code }) => code)
  .filter((code) => /^(VERSION=\S+ )?owner migrate/m.test(code))
const [RESTORING = ''] = blocksIn('backups.md', 'Restore a backup').map(({ code }) => code)

test.each([...MIGRATING, RESTORING])(
  'starts no process if migrate fails in the pasted block: %#',
  (block) => {
    const starts = (line: string) => /^systemctl (start|restart|enable)/.test(line)
    expect(pasted(block, 'nothing').filter(starts)).not.toEqual([])
    expect(pasted(block, '"owner migrate"').at(-1)).toBe('owner migrate')
  },
)

test('stops an upgrade at a process that is not ready', () => {
  const [, upgrading = ''] = MIGRATING
  expect(pasted(upgrading, '"ready 3001"').slice(-2)).toEqual([
    'systemctl restart gatehouse-api@3001',
    'ready 3001',
  ])
})

test.each([
  ['systemd', RESTORING, 'gatehouse reconcile'],
  [
    'Compose',
    blocksIn('backups.md', 'Docker Compose').find(({ code }) => code.includes('pg_restore'))?.code ?? '',
    'gatehouse check-files',
  ],
])('drops nothing in a restore with %s if the backup is missing or damaged', (_name, block, last) => {
  expect(pasted(block, 'nothing').at(-1)).toBe(last)
  expect(pasted(block, 'ls*')).toHaveLength(1)
  const before = pasted(block, '*pg_restore*')
  expect(before.at(-1)).toContain('pg_restore')
  expect(before.filter((line) => /dropdb.* gatehouse$/.test(line))).toEqual([])
})

test.each(UNITS)('%s runs a program from the guide with existing settings', (name) => {
  const unit = read(`deploy/systemd/${name}`)
  const known = new Set([
    ...[...read('src/process/config.ts').matchAll(/^ {2}([A-Z_]+): /gm)].map(([, setting]) => setting),
    ...['NODE_ENV', 'NODE_OPTIONS', 'UV_THREADPOOL_SIZE', 'MALLOC_ARENA_MAX'],
    ...Object.keys(serviceOf(filled, 'temporal').environment),
  ])
  const lines = unit.split('\n').filter((line) => line.startsWith('Environment='))
  expect(
    settingsIn(lines.join('\n').replaceAll('Environment=', '')).filter((each) => !known.has(each)),
  ).toEqual([])
  for (const [, file] of unit.matchAll(/^EnvironmentFile=(\S+)/gm)) expect(GUIDE).toContain(`\`${file}\``)
  const [plain = ''] = name.split(/@|\.service/)
  expect(GUIDE).toContain(plain)
})

const DAY = 86_400_000
const nameOf = (days: number) =>
  new Date(Date.now() - days * DAY).toISOString().slice(0, 19).replaceAll(/:/g, '')
const nameOfDay = new Map([1, 2, 3.5, 4, 5, 6, 8, 34, 36, 400].map((days) => [nameOf(days), days]))

/**
 * Runs the backup script in a folder, with stubs for the programs. Returns their calls, and the ages in days of the
 * earlier backups that it keeps.
 */
function backUp(how: string, { programs = {}, env = {}, ages = nameOfDay }: BackupOptions = {}) {
  const root = mkdtempSync(join(tmpdir(), 'gatehouse-unit-'))
  const backups = join(root, 'backups')
  mkdirSync(join(root, 'node_modules/.bin'), { recursive: true })
  for (const name of ['pg_dump', 'docker', 'node', 'chown']) {
    const script = `#!/bin/sh\necho ${name} "$@" >> ${root}/calls\n${programs[name] ?? ''}`
    writeFileSync(join(root, 'node_modules/.bin', name), script, { mode: 0o755 })
  }
  for (const name of [...ages.keys(), `${nameOf(2)}.partial`])
    mkdirSync(join(backups, name), { recursive: true })
  const ran = spawnSync(join(ROOT, 'deploy/backup.sh'), [how, backups], {
    cwd: root,
    env: { PATH: `${root}/node_modules/.bin:${process.env.PATH}`, MIGRATION_DATABASE_URL: 'x', ...env },
    encoding: 'utf8',
  })
  const names = readdirSync(backups)
  const calls = readFileSync(join(root, 'calls'), 'utf8').replaceAll(backups, '').trim().split('\n')
  rmSync(root, { recursive: true })
  return {
    status: ran.status,
    said: ran.stderr,
    calls,
    partial: names.filter((name) => name.endsWith('.partial')).length,
    complete: names.filter((name) => !name.endsWith('.partial') && !ages.has(name)).length,
    kept: names.flatMap((name) => ages.get(name) ?? []).sort((a, b) => a - b),
  }
}
interface BackupOptions {
  readonly programs?: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
  readonly ages?: ReadonlyMap<string, number>
}

test.each([
  ['systemd', /^pg_dump -Fc/, /^node dist\S+ move-files --to file:/],
  ['compose', /^docker compose exec -T postgres pg_dump/, /^docker compose run .*\/files:\/backup api node/],
])('backs up the database before the files with %s', (how, dump, files) => {
  const { calls, complete, partial, status } = backUp(how)
  expect([status, complete, partial]).toEqual([0, 1, 0])
  const [first, second] = calls.filter((call) => !call.startsWith('chown'))
  expect(first).toMatch(dump)
  expect(second).toMatch(files)
})

test.each(['systemd', 'compose'])('records the size of a backup and the free space with %s', (how) => {
  const dump = 'head -c 100000 /dev/zero'
  const { calls } = backUp(how, { programs: { pg_dump: dump, docker: dump } })
  const [, bytes, free] =
    /record-run --task backup --bytes (\d+) --free-bytes (\d+)$/.exec(calls.at(-1) ?? '') ?? []
  expect(Number(bytes)).toBeGreaterThan(100_000)
  expect(Number(free)).toBeGreaterThan(100_000)
})

test.each([
  [{}, [1, 2, 3.5, 4, 5, 6, 8, 34]],
  [{ BACKUP_DAYS: '7' }, [1, 2, 3.5, 4, 5, 6]],
  [{ BACKUP_DAYS: '3' }, [1, 2]],
])('deletes backups after BACKUP_DAYS: %j', (env, kept) => {
  for (const how of ['systemd', 'compose']) expect(backUp(how, { env }).kept).toEqual(kept)
})

test.each(['pg_dump', 'node'])('deletes old backups and earlier remains even if %s fails', (program) => {
  const { status, complete, partial, kept } = backUp('systemd', { programs: { [program]: 'exit 1' } })
  expect({ status, complete, partial, kept }).toEqual({
    status: 1,
    complete: 0,
    partial: 1,
    kept: [1, 2, 3.5, 4, 5, 6, 8, 34],
  })
})

const OLD = Array.from({ length: 10 }, (_, n) => 400 + n)

// A clock that is a year ahead makes all backups look old.
test.each([
  [{}, 'exit 1', OLD.slice(0, 7)],
  [{}, '', OLD.slice(0, 6)],
  [{ BACKUP_DAYS: '6' }, 'exit 1', OLD.slice(0, 1)],
  [{ BACKUP_DAYS: '6' }, '', []],
])('keeps the newest backups, even if they look old: %j, %j', (env, pg_dump, kept) => {
  const ages = new Map(OLD.map((days) => [nameOf(days), days]))
  expect(backUp('systemd', { ages, env, programs: { pg_dump } }).kept).toEqual(kept)
})

test('does not take a backup with a time in the future for the newest one', () => {
  const ages = new Map([-400, 40, 50].map((days) => [nameOf(days), days]))
  const [future] = ages.keys()
  const { kept, said } = backUp('systemd', { ages, programs: { pg_dump: 'exit 1' } })
  expect(kept).toEqual([-400, 40, 50])
  expect(said).toBe(`${future} is in the future. Delete this backup.\n`)
  expect(checkRestore([-400, 1])).toMatchObject({ status: 0, restored: '1' })
  expect(checkRestore([-400, 3])).toMatchObject({ status: 1, restored: '' })
})

test('completes a backup that lacks files, but not one that failed', () => {
  expect(backUp('systemd', { programs: { node: 'exit 3' } })).toMatchObject({ status: 0, complete: 1 })
  expect(backUp('systemd', { programs: { node: 'exit 1' } })).toMatchObject({ status: 1, complete: 0 })
})

test.each([
  ['gatehouse@127.0.0.1:5432/gatehouse', 'gatehouse@127.0.0.1:5432/gatehouse_restore_check'],
  ['db/gatehouse?sslmode=require', 'db/gatehouse_restore_check?sslmode=require'],
  ['db/gatehouse?sslrootcert=/etc/ssl/db.pem', 'db/gatehouse_restore_check?sslrootcert=/etc/ssl/db.pem'],
  ['/gatehouse?host=/run/postgresql', '/gatehouse_restore_check?host=/run/postgresql'],
])('checks backups in a database of their own: %s', (url, scratch) => {
  const { status, calls } = checkRestore([0], `postgresql://${url}`)
  expect([status, [...new Set(calls.match(/postgresql:\S+/g))]]).toEqual([0, [`postgresql://${scratch}`]])
})

/** Runs the restore check with backups of these ages in days. Returns the calls, and the age of the restored backup. */
function checkRestore(ages: readonly number[], MIGRATION_DATABASE_URL = 'postgresql://db/gatehouse') {
  const root = mkdtempSync(join(tmpdir(), 'gatehouse-unit-'))
  mkdirSync(join(root, 'node_modules/.bin'), { recursive: true })
  for (const age of ages) {
    const name = nameOf(age)
    mkdirSync(join(root, 'backups', name), { recursive: true })
    writeFileSync(join(root, 'backups', name, 'gatehouse.dump'), String(age))
  }
  for (const name of ['calls', 'restored']) writeFileSync(join(root, name), '')
  const script = `#!/bin/sh\necho "$@" >> ${root}/calls\n`
  for (const name of ['psql', 'pg_restore', 'node']) {
    const more = name === 'pg_restore' ? `cat > ${root}/restored\n` : ''
    writeFileSync(join(root, 'node_modules/.bin', name), script + more, { mode: 0o755 })
  }
  const env = { PATH: `${root}/node_modules/.bin:${process.env.PATH}`, MIGRATION_DATABASE_URL }
  const { status } = spawnSync(join(ROOT, 'deploy/restore-check.sh'), [join(root, 'backups')], {
    cwd: root,
    env,
  })
  const [calls, restored] = ['calls', 'restored'].map((name) => readFileSync(join(root, name), 'utf8'))
  rmSync(root, { recursive: true })
  return { status, calls: calls ?? '', restored: restored ?? '' }
}

test('writes backups as another user than the API, and passes no password to a program', () => {
  const unit = read('deploy/systemd/gatehouse-backup.service')
  const userOf = (text: string) => /^User=(\S+)$/m.exec(text)?.[1]
  expect(userOf(unit)).toBe('gatehouse-backup')
  expect(userOf(read('deploy/systemd/gatehouse-api@.service'))).not.toBe('gatehouse-backup')
  expect(GUIDE).toContain('install -d -o gatehouse-backup -g gatehouse-backup -m 700 /var/backups/gatehouse')
  const [, owner = ''] = GUIDE.split('`/etc/gatehouse/owner.env`')
  expect(owner.split('```')[1]).toMatch(/MIGRATION_DATABASE_URL='postgresql:\/\/[^:]+@/)
})
