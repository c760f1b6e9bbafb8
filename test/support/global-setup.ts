/**
 * Starts the PostgreSQL and the Temporal that all test files share. Compiles the scripts that tests start as
 * processes, because they start three times as fast as with tsx.
 */
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { execa } from 'execa'
import type { ProvidedContext } from 'vitest'
import type { TestProject } from 'vitest/node'
import { freePort } from '../../dev/launcher/ports.ts'
import { startPostgres } from '../../dev/launcher/postgres.ts'
import { findTemporalCli, startTemporal } from '../../dev/launcher/temporal.ts'
import { migrate } from '../../src/db/connection/migrate.ts'
import { bundleWorkflows } from '../../src/temporal/workers.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** A migrated database, the template for the databases of tests. */
    postgresUrl: string
    /** The same database with the service role. */
    serviceUrl: string
    temporalAddress: string
    temporalCli: string
    workflowBundle: string
    /** The folder of the compiled services, which no launcher recompiles during the tests. */
    compiled: string
  }
}

/** The servers of this run, or undefined if no project has started them. */
const run = globalThis as { servers?: ReturnType<typeof startServers> }

/** Runs for each project with tests that need servers. */
export default async function setup(project: TestProject) {
  run.servers ??= startServers()
  const { provided, stop } = await run.servers
  for (const key of Object.keys(provided) as (keyof ProvidedContext)[]) project.provide(key, provided[key])
  return stop
}

async function startServers(): Promise<{ provided: ProvidedContext; stop: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-test-'))
  const bundle = join(folder, 'workflows.js')
  const compiled = join(folder, 'dist')
  // Test processes, and those that they start, compile each module once.
  process.env.NODE_COMPILE_CACHE = join(compiled, 'cache')
  const cli = await findTemporalCli((line) => console.log(line))
  const [postgres, temporal] = await Promise.all([
    startMigrated(folder),
    freePort().then((port) => startTemporal({ cli, port })),
    bundleWorkflows().then(({ code }) => writeFileSync(bundle, code)),
    compile(compiled),
  ])
  cpSync('package.json', join(folder, 'package.json'))
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))

  const provided = {
    postgresUrl: postgres.url,
    serviceUrl: postgres.serviceUrl,
    temporalAddress: temporal.address,
    temporalCli: cli,
    workflowBundle: bundle,
    compiled,
  }
  const end = async () => {
    await temporal.stop()
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  let ended: Promise<void> | undefined
  return { provided, stop: () => (ended ??= end()) }
}

async function startMigrated(dataDir: string) {
  const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }
  const postgres = await startPostgres({ dataDir, port: await freePort(), settings })
  await migrate(postgres.url, { service: postgres.serviceUrl })
  return postgres
}

async function compile(target: string) {
  await execa('npm', ['run', '--silent', 'compile'], { stdio: 'inherit' })
  cpSync('dist', target, { recursive: true })
}
