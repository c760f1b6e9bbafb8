/**
 * Starts the PostgreSQL and the Temporal that all test files share. Compiles the scripts that tests start as
 * processes, because they start three times as fast as with tsx.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
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

export default async function setup(project: TestProject) {
  if (project.vitest.projects.every(({ name }) => name === 'unit')) return
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-test-'))
  const cli = await findTemporalCli((line) => console.log(line))
  const postgres = await startPostgres({
    dataDir: folder,
    port: await freePort(),
    settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' },
  })
  const temporal = await startTemporal({ cli, port: await freePort() })
  await migrate(postgres.url, { service: postgres.serviceUrl })
  const bundle = join(folder, 'workflows.js')
  writeFileSync(bundle, (await bundleWorkflows()).code)
  const compiled = join(folder, 'dist')
  execFileSync('npm', ['run', '--silent', 'compile'], { stdio: 'inherit' })
  cpSync('dist', compiled, { recursive: true })
  cpSync('package.json', join(folder, 'package.json'))
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))

  project.provide('postgresUrl', postgres.url)
  project.provide('serviceUrl', postgres.serviceUrl)
  project.provide('temporalAddress', temporal.address)
  project.provide('temporalCli', cli)
  project.provide('workflowBundle', bundle)
  project.provide('compiled', compiled)
  return async () => {
    await temporal.stop()
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
