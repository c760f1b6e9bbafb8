/** Runs the embedded PostgreSQL 18 in a folder, for the launcher and the tests. */
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readlinkSync, realpathSync, renameSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import postgres from 'postgres'
import { readIfExists, writePrivate } from '../files.ts'
import { commandLine, describeProcess, isRunning, type ProcessRef, terminate } from './identity.ts'
import { type Account, postgresAccount } from './postgres-account.ts'
import { type PostgresBinaries, postgresBinaries } from './postgres-binaries.ts'
import { type Child, runChild, startChild } from './process.ts'

export type PostgresOptions = {
  /** The folder that contains the cluster in `postgres`, and the file with its password. */
  dataDir: string
  port: number
  /** The programs of another version than 18, for tests. Before version 17, there is no builtin locale. */
  binaries?: PostgresBinaries
  /** Receives each line that PostgreSQL prints. */
  log?: (line: string) => void
  /** Additional settings of postgresql.conf, such as `{ fsync: 'off' }`. */
  settings?: Record<string, string>
  signal?: AbortSignal
  onSpawn?: (pid: number) => void
}

/** `url` connects as the owner, `serviceUrl` as the service role, which `migrate` creates. */
export type Postgres = Child & { url: string; serviceUrl: string }

const USER = 'gatehouse'
const DATABASE = 'gatehouse'
const SERVICE_USER = 'gatehouse_service'

export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  const { dataDir, port, log, settings, signal, onSpawn } = options
  mkdirSync(dataDir, { recursive: true })
  const folder = realpathSync(dataDir)
  const cluster = join(folder, 'postgres')
  const passwordFile = join(folder, 'postgres.password')
  const { binaries = await postgresBinaries() } = options
  const account = postgresAccount(cluster, folder, binaries.postgres)
  if (!existsSync(cluster)) {
    passwordIn(passwordFile)
    await createCluster(
      binaries.initdb,
      cluster,
      passwordFile,
      account,
      settings,
      signal,
      options.binaries ? [] : BUILTIN,
    )
  }
  await stopEarlier(cluster)

  const effective = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '300',
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...settings,
  }
  const flags = Object.entries(effective).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const child = await startChild(
    {
      name: 'PostgreSQL',
      ...account.wrap(binaries.postgres, ['-D', cluster, '-p', String(port), ...flags]),
      env: environment(),
      onLine: log,
      onSpawn,
      // SIGINT ends sessions and shuts down cleanly. SIGQUIT ends the server immediately, together with its backends.
      stopSignal: 'SIGINT',
      killSignal: 'SIGQUIT',
      graceMs: 30_000,
    },
    (starting) => starting.line((line) => line.includes('database system is ready to accept connections')),
    signal,
  )
  try {
    const urlOf = (user: string, password: string, database: string) =>
      `postgresql://${user}:${password}@127.0.0.1:${port}/${database}`
    const password = passwordIn(passwordFile)
    await createDatabase(urlOf(USER, password, 'postgres'))
    const servicePassword = passwordIn(join(folder, 'postgres.service-password'))
    return {
      ...child,
      url: urlOf(USER, password, DATABASE),
      serviceUrl: urlOf(SERVICE_USER, servicePassword, DATABASE),
    }
  } catch (error) {
    await child.stop()
    throw error
  }
}

/** Returns the password in the file. Creates the file with a new password if it does not exist. */
function passwordIn(file: string): string {
  if (!existsSync(file)) writePrivate(file, randomBytes(24).toString('hex'))
  return readIfExists(file)?.trim() ?? ''
}

/** Uses the same collation and encoding on each machine, regardless of its locale. */
const BUILTIN = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8']

/** Creates the cluster in a temporary folder and renames it, so that an interrupted start leaves no partial cluster. */
async function createCluster(
  initdb: string,
  cluster: string,
  passwordFile: string,
  account: Account,
  settings: Record<string, string> = {},
  signal?: AbortSignal,
  locale: readonly string[] = BUILTIN,
): Promise<void> {
  const draft = `${cluster}.new`
  rmSync(draft, { recursive: true, force: true })
  mkdirSync(draft, { mode: 0o700 })
  account.own(draft)
  account.own(passwordFile)
  const args = [
    `--pgdata=${draft}`,
    `--username=${USER}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    ...locale,
    '--locale=C',
    `--lc-ctype=${process.platform === 'linux' ? 'C.UTF-8' : process.platform === 'darwin' ? 'en_US.UTF-8' : 'C'}`,
    ...(settings.fsync === 'off' ? ['--no-sync'] : []),
  ]
  await runChild({ name: 'initdb', ...account.wrap(initdb, args), env: environment() }, signal)
  renameSync(draft, cluster)
}

/** Ends the remaining processes of a killed server, because a new server must not share the folder with them. */
async function stopEarlier(cluster: string): Promise<void> {
  const pidFile = join(cluster, 'postmaster.pid')
  const pid = Number(readIfExists(pidFile)?.split('\n')[0])
  if (pid > 0 && isRunning(describeProcess(pid))) {
    if (commandLine(pid).includes(cluster)) await terminate(describeProcess(pid), 'SIGINT', 20_000)
    // Another program has the recorded PID. PostgreSQL would take it for its own server.
    else rmSync(pidFile)
  }
  await Promise.all(processesOn(cluster).map((left) => terminate(left, 'SIGQUIT', 1_500)))
}

/**
 * Finds the processes whose working folder is that of the cluster. On systems other than Linux, they exit by
 * themselves.
 */
function processesOn(cluster: string): ProcessRef[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .filter((pid) => {
      try {
        return (
          readlinkSync(`/proc/${pid}/cwd`) === cluster &&
          basename(readlinkSync(`/proc/${pid}/exe`)) === 'postgres'
        )
      } catch {
        return false
      }
    })
    .map((pid) => describeProcess(Number(pid)))
}

async function createDatabase(url: string): Promise<void> {
  const client = postgres(url, { max: 1 })
  try {
    const found = await client`SELECT FROM pg_database WHERE datname = ${DATABASE}`
    if (found.count === 0) await client.unsafe(`CREATE DATABASE ${DATABASE}`)
  } finally {
    await client.end()
  }
}

/** Returns the environment without the user's PG… variables. */
function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('PG'))
  return { ...Object.fromEntries(kept), LC_MESSAGES: 'C' }
}
