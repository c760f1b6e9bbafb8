/** Tests that the files in deploy/ match docker-compose.yml. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { DYNAMIC_CONFIG } from '../../dev/launcher/temporal.ts'
import { composeFile, serviceOf, variables } from '../docker/compose-file.ts'

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')
const filled = composeFile(Object.fromEntries(variables.map(({ name }) => [name, 'x'])))

const UNITS = readdirSync(new URL('../../deploy/systemd', import.meta.url))
const settingsIn = (text: string) => [...text.matchAll(/\b([A-Z][A-Z_]+)=/g)].map(([, name = '']) => name)
const GUIDE = read('docs/production.md')

test('gives the Temporal server the settings of `npm start`', () => {
  const settings = Object.entries(DYNAMIC_CONFIG).map(([name, value]) => [
    name,
    [{ value: JSON.parse(value) }],
  ])
  expect(parse(read('deploy/temporal-settings.yaml'))).toEqual(Object.fromEntries(settings))
})

test('gives the Temporal server the environment variables of Compose', () => {
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
  const script = stubs + block.replaceAll(/<[^>\n]+>/g, 'x').replaceAll(/ < \S+\.(dump|tar\.gz)/g, '')
  const ran = execFileSync('bash', ['-c', `${script}\ntrue`], { encoding: 'utf8' })
  return ran.trim().split('\n')
}

const BLOCKS = [...GUIDE.matchAll(/```sh\n(.*?)```/gs)].map(([, block = '']) => block)
const MIGRATING = BLOCKS.filter((block) => /^(VERSION=\S+ )?owner migrate/m.test(block))

test.each(MIGRATING)('starts no process if migrate fails in the pasted block: %#', (block) => {
  const starts = (line: string) => /^systemctl (start|restart|enable)/.test(line)
  expect(pasted(block, 'nothing').filter(starts)).not.toEqual([])
  expect(pasted(block, '"owner migrate"').at(-1)).toBe('owner migrate')
})

test('drops nothing if the backup is missing, and stops an upgrade at a process that is not ready', () => {
  const [, restoring = '', upgrading = ''] = MIGRATING
  expect(pasted(restoring, 'cd*')).toEqual(['cd /var/backups/gatehouse/x'])
  expect(pasted(upgrading, '"ready 3001"').slice(-2)).toEqual([
    'systemctl restart gatehouse-api@3001',
    'ready 3001',
  ])
})

test('drops nothing in a Compose restore if the backup is missing, and stops at a failure', () => {
  const [, , section = ''] = /^(.*?)^## Back up and restore$(.*?)^## /ms.exec(read('docs/operating.md')) ?? []
  const [restoring = ''] = [...section.matchAll(/```sh\n(.*?)```/gs)].map(([, block = '']) => block).slice(1)
  expect(pasted(restoring, 'nothing').at(-1)).toBe('gatehouse check-files')
  expect(pasted(restoring, '*gatehouse.dump*')).toEqual(['ls -l gatehouse.dump files.tar.gz'])
  expect(pasted(restoring, '*pg_restore*').at(-1)).toContain('pg_restore')
})

test.each(UNITS)('%s runs a program from the guide with existing settings', (name) => {
  const unit = read(`deploy/systemd/${name}`)
  const known = new Set([
    ...[...read('src/process/config.ts').matchAll(/^ {2}([A-Z_]+): /gm)].map(([, setting]) => setting),
    ...['NODE_ENV', 'NODE_OPTIONS', 'UV_THREADPOOL_SIZE'],
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

/** The ages of earlier backups, in days. */
const AGES = [1, 6, 8, 34, 36, 400]

/**
 * Runs the script of the backup unit in a folder, with stubs for the programs. Returns their calls, and the earlier
 * backups that it keeps.
 */
function backUp(blobUrl: string, more: Record<string, string> = {}): { calls: string; kept: string[] } {
  const [, script = ''] =
    /^ExecStart=\/bin\/sh -euc '(.*?)'$/ms.exec(read('deploy/systemd/gatehouse-backup.service')) ?? []
  const root = mkdtempSync(join(tmpdir(), 'gatehouse-unit-'))
  const programs = 'opt/gatehouse/node_modules/.bin'
  for (const folder of ['var/backups/gatehouse', programs]) mkdirSync(join(root, folder), { recursive: true })
  for (const name of ['pg_dump', 'tar', 'node'])
    writeFileSync(join(root, programs, name), `#!/bin/sh\necho ${name} "$@" >> ${root}/calls\n`, {
      mode: 0o755,
    })
  const local = script
    .replaceAll('\\\n', '\n')
    .replaceAll('$$', '$')
    .replaceAll('%%', '%')
    .replaceAll(/\/(var\/backups|opt)/g, `${root}/$1`)
  const env = {
    PATH: `${root}/${programs}:${process.env.PATH}`,
    MIGRATION_DATABASE_URL: 'x',
    BLOB_URL: blobUrl,
    ...more,
  }
  const backups = join(root, 'var/backups/gatehouse')
  for (const days of AGES) {
    mkdirSync(join(backups, `${days} days`))
    const at = Date.now() / 1000 - days * 86_400
    utimesSync(join(backups, `${days} days`), at, at)
  }
  execFileSync('/bin/sh', ['-euc', local], { env })
  const names = readdirSync(backups)
  expect(names.filter((name) => name.includes('partial'))).toEqual([])
  const kept = names.filter((name) => name.endsWith('days')).sort()
  const calls = readFileSync(join(root, 'calls'), 'utf8')
  rmSync(root, { recursive: true })
  return { calls, kept }
}

const FOLDER = 'file:///var/lib/gatehouse/files'
const BUCKET = 's3://files/gatehouse?endpoint=https://s3.example.com&path_style=true'

test.each([
  [FOLDER, 'tar -cz'],
  ['file:///data/files', 'move-files --to file:'],
  [BUCKET, 'move-files --to file:'],
  [`${FOLDER},${BUCKET}`, 'move-files --to file:'],
  [`${BUCKET},${FOLDER}`, 'move-files --to file:'],
])('backs up all files of %s', (blobUrl, call) => {
  const { calls } = backUp(blobUrl)
  expect(calls).toContain(call)
  expect(calls.trim().split('\n')).toHaveLength(2)
})

test.each([
  [{}, ['1 days', '34 days', '6 days', '8 days']],
  [{ BACKUP_DAYS: '7' }, ['1 days', '6 days']],
])('deletes backups after BACKUP_DAYS: %j', (settings, kept) => {
  expect(backUp(FOLDER, settings).kept).toEqual(kept)
})

test('writes backups as another user than the API, and passes no password to a program', () => {
  const unit = read('deploy/systemd/gatehouse-backup.service')
  const userOf = (text: string) => /^User=(\S+)$/m.exec(text)?.[1]
  expect(userOf(unit)).toBe('gatehouse-backup')
  expect(userOf(read('deploy/systemd/gatehouse-api@.service'))).not.toBe('gatehouse-backup')
  expect(GUIDE).toContain('install -d -o gatehouse-backup -g gatehouse-backup -m 700 /var/backups/gatehouse')
  const [, owner = ''] = GUIDE.split('`/etc/gatehouse/owner.env`')
  expect(owner.split('```')[1]).toMatch(/MIGRATION_DATABASE_URL='postgresql:\/\/[^:]+@/)
})
