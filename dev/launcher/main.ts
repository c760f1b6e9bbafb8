/** Command: `npm start`. Runs PostgreSQL, Temporal, the API and a worker on this machine, and supervises them. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { migrate } from '../../src/db/connection/migrate.ts'
import { readConfig, temporalOf } from '../../src/process/config.ts'
import { setupTemporal } from '../../src/temporal/setup.ts'
import { receiverAuthority } from '../certificates.ts'
import { readJson } from '../files.ts'
import { type Instance, instanceFile, removeInstance, writeInstance } from '../instance.ts'
import { stopOnSignals, unlessStopped } from '../interrupt.ts'
import { acquireLock } from '../lock.ts'
import { readSettings, type Settings } from '../settings.ts'
import { createFleet, type Fleet } from './fleet.ts'
import { describeInstance } from './instance-description.ts'
import { stopLeftovers } from './leftovers.ts'
import { onFreePorts } from './ports.ts'
import { startPostgres } from './postgres.ts'
import { loadSecrets, type Secrets } from './secrets.ts'
import { seed } from './seed.ts'
import { checkEnvironment, compileServices, serviceEnvironment, startService } from './services.ts'
import { findTemporalCli, startTemporal } from './temporal.ts'

const say = (line: string) => console.log(line)

async function main(stopped: AbortSignal): Promise<void> {
  const settings = readSettings(process.env)
  checkEnvironment(settings)
  // Other accounts may enter the folder but cannot list it. If root starts PostgreSQL, PostgreSQL's account must enter
  // it.
  mkdirSync(settings.DATA_DIR, { recursive: true, mode: 0o711 })
  const lock = acquireLock(join(settings.DATA_DIR, 'launcher.lock'))
  if ('heldBy' in lock) throw alreadyRunning(settings, lock.heldBy)
  try {
    const secrets = loadSecrets(settings)
    removeInstance(settings.DATA_DIR) // A killed launcher leaves the file behind.
    await stopLeftovers(settings.DATA_DIR, say)
    const fleet = createFleet(settings.DATA_DIR, say, stopped)
    try {
      const instance = await startServices(settings, secrets, fleet, stopped)
      fleet.onChange = () => writeInstance(settings.DATA_DIR, instance)
      fleet.onChange()
      say(describeInstance(settings, instance))
      await unlessStopped(stopped, new Promise(() => {}))
    } finally {
      fleet.onChange = () => {}
      removeInstance(settings.DATA_DIR)
      await fleet.stop()
    }
  } finally {
    lock.release()
  }
}

async function startServices(
  settings: Settings,
  secrets: Secrets,
  fleet: Fleet,
  stopped: AbortSignal,
): Promise<Instance> {
  const temporalCli = settings.TEMPORAL_ADDRESS ? null : await findTemporalCli(say, stopped)
  // Compiles while PostgreSQL and Temporal start, because their start is mostly waiting.
  const compiled = compileServices(stopped)
  compiled.catch(() => {}) // `await compiled` reports the failure, unless another one comes first.
  const { databaseUrl, migrationUrl } = await findPostgres(settings, fleet)
  const { temporalAddress, temporalUiUrl } =
    temporalCli === null
      ? { temporalAddress: settings.TEMPORAL_ADDRESS as string, temporalUiUrl: null }
      : await runTemporal(temporalCli, settings, fleet)

  say('Preparing the database and Temporal ...')
  await unlessStopped(stopped, migrate(migrationUrl, { service: databaseUrl }))
  const addresses = { databaseUrl, temporalAddress, temporalUiUrl }
  const environmentAt = (port: number, metricsPort?: number) =>
    serviceEnvironment(settings, secrets, { port, ...(metricsPort && { metricsPort }), ...addresses })
  const config = readConfig(environmentAt(settings.PORT))
  await unlessStopped(stopped, setupTemporal({ ...temporalOf(config), embedded: temporalCli !== null }))
  await unlessStopped(stopped, seed(config, secrets.credentials))

  say('Starting the API and the worker ...')
  await receiverAuthority(settings.DATA_DIR)
  await compiled
  const wanted = [
    { name: 'the API', port: settings.PORT },
    { name: "the API's metrics", port: 0 },
    { name: "the worker's metrics", port: 0 },
  ]
  const [port, apiMetrics, workerMetrics] = await onFreePorts(wanted, say, async (...ports) => {
    const [ofApi = 0, ofApiMetrics, ofWorkerMetrics] = ports
    await fleet.keepAll({
      api: (hooks) => startService('The API', 'server.js', environmentAt(ofApi, ofApiMetrics), hooks),
      worker: (hooks) =>
        startService('The worker', 'worker.js', environmentAt(ofApi, ofWorkerMetrics), hooks),
    })
    return [ofApi, ofApiMetrics, ofWorkerMetrics] as const
  })

  return {
    ready: true,
    base_url: `http://localhost:${port}/v1`,
    operator_base_url: `http://localhost:${port}/operator/v1`,
    console_url: `http://localhost:${port}/console`,
    temporal_address: temporalAddress,
    temporal_ui_url: temporalUiUrl,
    metrics_urls: {
      api: `http://127.0.0.1:${apiMetrics}/metrics`,
      worker: `http://127.0.0.1:${workerMetrics}/metrics`,
    },
    database_url: migrationUrl,
    provider_secret: providerSecretOf(environmentAt(port)),
    ...secrets.credentials,
    pids: fleet.pids,
  }
}

function providerSecretOf(env: NodeJS.ProcessEnv): string | null {
  const config = readConfig(env)
  return config.VERIFICATION_PROVIDER === 'http' ? (config.VERIFICATION_PROVIDER_SECRET ?? null) : null
}

/** Returns the database URLs for the service role and for the owner, who runs migrations. */
async function findPostgres(settings: Settings, fleet: Fleet) {
  const { DATABASE_URL, MIGRATION_DATABASE_URL = DATABASE_URL } = settings
  if (DATABASE_URL && MIGRATION_DATABASE_URL)
    return { databaseUrl: DATABASE_URL, migrationUrl: MIGRATION_DATABASE_URL }
  say('Starting PostgreSQL ...')
  return onFreePorts([{ name: 'PostgreSQL', port: settings.DATABASE_PORT }], say, async (port) => {
    const { url, serviceUrl } = await fleet.keep('postgres', (hooks) =>
      startPostgres({ dataDir: settings.DATA_DIR, port, ...hooks }),
    )
    return { databaseUrl: serviceUrl, migrationUrl: url }
  })
}

async function runTemporal(cli: string, settings: Settings, fleet: Fleet) {
  say('Starting Temporal ...')
  const wanted = [
    { name: 'Temporal', port: settings.TEMPORAL_PORT },
    { name: "Temporal's UI", port: settings.TEMPORAL_UI_PORT },
  ]
  return onFreePorts(wanted, say, async (port, uiPort) => {
    const folder = join(settings.DATA_DIR, 'temporal')
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const dbFile = join(folder, 'temporal.db')
    const namespace = settings.TEMPORAL_NAMESPACE
    const { address } = await fleet.keep('temporal', (hooks) =>
      startTemporal({ cli, port, uiPort, dbFile, namespace, ...hooks }),
    )
    return { temporalAddress: address, temporalUiUrl: `http://localhost:${uiPort}` }
  })
}

function alreadyRunning({ DATA_DIR }: Settings, pid: number): Error {
  const running = readJson<Instance>(instanceFile(DATA_DIR))
  const where = running ? ` at ${running.base_url}` : ' (still starting or stopping)'
  return new Error(
    `An instance already runs on ${DATA_DIR}${where}, process ${pid}. ` +
      'Stop it first, or choose another DATA_DIR.',
  )
}

/** Returns the messages of a failure and of its causes. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const own = error.message || (error as NodeJS.ErrnoException).code || error.name
  return error.cause === undefined ? own : `${own}\n  Cause: ${explain(error.cause)}`
}

const stopped = stopOnSignals(say)
process.stdout.on('error', () => {}) // the terminal was closed
try {
  await main(stopped)
} catch (error) {
  if (!stopped.aborted) {
    console.error(`\n${explain(error)}`)
    process.exitCode = 1
  }
}
process.exit()
