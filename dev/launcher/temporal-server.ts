/** Builds and keeps the Temporal server of docker-compose.yml, and the tool that sets up its databases. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findGoPrograms, type Say } from '../go-build.ts'
import { CACHE_DIR } from '../settings.ts'
import { TEMPORAL_MODULES } from './temporal-cli.ts'

const modules = readFileSync(join(TEMPORAL_MODULES, 'go.mod'), 'utf8')
export const SERVER_VERSION = /go\.temporal\.io\/server v(\S+)/.exec(modules)?.[1] ?? ''

const NAME = `temporal-server-${SERVER_VERSION}`
export const hasTemporalServer = (): boolean => existsSync(join(CACHE_DIR, NAME))

/** Returns the folder of both programs, which have the same names as in the images. Builds them if necessary. */
export const findTemporalServer = (say: Say): Promise<string> =>
  findGoPrograms(
    {
      what: 'the Temporal server',
      moduleDir: TEMPORAL_MODULES,
      packages: {
        'temporal-server': 'go.temporal.io/server/cmd/server',
        'temporal-sql-tool': 'go.temporal.io/server/cmd/tools/sql',
      },
    },
    NAME,
    say,
  )
