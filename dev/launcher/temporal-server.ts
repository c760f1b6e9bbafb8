/** Builds and keeps the Temporal server of docker-compose.yml, and the tool that sets up its databases. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { acquireLock } from '../lock.ts'
import { CACHE_DIR } from '../settings.ts'
import { buildWithGo, type Say } from './temporal-build.ts'

/** Keyed by their names in the images. */
const PACKAGES = {
  'temporal-server': 'go.temporal.io/server/cmd/server',
  'temporal-sql-tool': 'go.temporal.io/server/cmd/tools/sql',
}

const modules = readFileSync(new URL('../temporal-cli/go.mod', import.meta.url), 'utf8')
export const SERVER_VERSION = /go\.temporal\.io\/server v(\S+)/.exec(modules)?.[1] ?? ''

/** Returns the folder of both programs if they have been built. */
const KEPT = join(CACHE_DIR, `temporal-server-${SERVER_VERSION}`)
export const hasTemporalServer = (): boolean => existsSync(KEPT)

/** Returns the folder of both programs. Builds them if necessary. */
export async function findTemporalServer(say: Say): Promise<string> {
  mkdirSync(CACHE_DIR, { recursive: true })
  for (;;) {
    if (hasTemporalServer()) return KEPT
    const lock = acquireLock(join(CACHE_DIR, 'temporal-server.lock'))
    if ('release' in lock) {
      try {
        if (!hasTemporalServer()) await build(say)
      } finally {
        lock.release()
      }
    } else await sleep(500)
  }
}

async function build(say: Say): Promise<void> {
  const folder = mkdtempSync(join(CACHE_DIR, 'new-'))
  try {
    const built = await buildWithGo('the Temporal server', Object.values(PACKAGES), folder, say)
    for (const [name, path] of Object.entries(PACKAGES))
      renameSync(join(built, path.slice(path.lastIndexOf('/') + 1)), join(built, name))
    renameSync(built, KEPT)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
