/** A migrated PostgreSQL for a single test, whose processes can be stopped and continued. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../dev/launcher/ports.ts'
import { startPostgres } from '../../dev/launcher/postgres.ts'
import { migrate } from '../../src/db/connection/migrate.ts'

export type StoppablePostgres = Awaited<ReturnType<typeof startStoppablePostgres>>

export async function startStoppablePostgres() {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-postgres-'))
  const options = { dataDir: folder, port: await freePort(), settings: { fsync: 'off' } }
  let postgres = await startPostgres(options)
  await migrate(postgres.url)
  const main = () => Number(readFileSync(join(folder, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0])
  const others = () =>
    execFileSync('pgrep', ['-P', String(main())], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .map(Number)
  return {
    url: postgres.url,
    /** Pauses all processes, the main one first, so that it starts no others. */
    pause(): void {
      process.kill(main(), 'SIGSTOP')
      for (const pid of others()) process.kill(pid, 'SIGSTOP')
    },
    continue(): void {
      for (const pid of [...others(), main()]) process.kill(pid, 'SIGCONT')
    },
    async restart(): Promise<void> {
      await postgres.stop()
      postgres = await startPostgres(options)
    },
    async stop(): Promise<void> {
      await postgres.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
