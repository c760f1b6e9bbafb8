/** Runs Temporal's development server, for the launcher and the tests. */
import { basename, dirname } from 'node:path'
import { Connection } from '@temporalio/client'
import { type Child, startChild } from './process.ts'

export { findTemporalCli } from './temporal-cli.ts'

/** Must match docker-compose.yml, where comments give the reasons. */
export const DYNAMIC_CONFIG = {
  'system.enableActivityEagerExecution': 'true',
  'history.maxInFlightUpdates': '100',
  'frontend.enableCancelWorkerPollsOnShutdown': 'true',
}

export type TemporalOptions = {
  /** The path of the `temporal` program from `findTemporalCli`. */
  cli: string
  port: number
  /** If omitted, the server has no UI. */
  uiPort?: number
  /** If omitted, the server keeps its data only in memory. */
  dbFile?: string
  namespace?: string
  /** Additional dynamic configuration of the server. */
  dynamicConfig?: Record<string, string>
  /** Receives each line that the server prints. */
  log?: (line: string) => void
  signal?: AbortSignal
  onSpawn?: (pid: number) => void
}

export type Temporal = Child & { address: string }

export async function startTemporal(options: TemporalOptions): Promise<Temporal> {
  const { cli, port, uiPort, dbFile, namespace = 'default', log, signal, onSpawn } = options
  const dynamicConfig = { ...DYNAMIC_CONFIG, ...options.dynamicConfig }
  const address = `127.0.0.1:${port}`
  const child = await startChild(
    {
      name: 'Temporal',
      command: cli,
      // A relative name, because SQLite parses a path as a URI, in which some characters are special.
      ...(dbFile !== undefined && { cwd: dirname(dbFile) }),
      args: [
        ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port), '--namespace', namespace],
        ...(uiPort === undefined ? ['--headless'] : ['--ui-port', String(uiPort)]),
        ...(dbFile === undefined ? [] : ['--db-filename', basename(dbFile)]),
        ...(dbFile === undefined ? [] : ['--sqlite-pragma', 'journal_mode=WAL']),
        ...(dbFile === undefined ? [] : ['--sqlite-pragma', 'synchronous=NORMAL']),
        ...Object.entries(dynamicConfig).flatMap(([name, value]) => [
          '--dynamic-config-value',
          `${name}=${value}`,
        ]),
        ...['--log-level', 'warn', '--color', 'never'],
      ],
      onLine: log,
      onSpawn,
    },
    (starting) => waitUntilReady(address, namespace, starting),
    signal,
  )
  return { ...child, address }
}

async function waitUntilReady(address: string, namespace: string, child: Child): Promise<void> {
  let ended = false
  void child.exited.then(() => {
    ended = true
  })
  while (!ended) {
    try {
      const connection = await Connection.connect({ address, connectTimeout: 10_000 })
      try {
        await connection.withDeadline(Date.now() + 10_000, () =>
          connection.workflowService.describeNamespace({ namespace }),
        )
        return
      } finally {
        await connection.close()
      }
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100)) // not ready yet
    }
  }
}
