/**
 * Instances of Gatehouse for tests: one that the files of a process share, with a vault for each, and
 * separate ones with their own database, Temporal namespace, API and optional worker.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { inject } from 'vitest'
import { newKeys } from '../../dev/launcher/secrets.ts'
import { newSeedCredentials, seed } from '../../dev/launcher/seed.ts'
import { composeApi } from '../../src/compose/api.ts'
import { composeWorker } from '../../src/compose/worker.ts'
import { createHttpServer } from '../../src/http/server.ts'
import { type Config, readConfig, temporalOf } from '../../src/process/config.ts'
import { createLogger, type Logger } from '../../src/process/log.ts'
import { newPassword } from '../../src/storage/random.ts'
import { connectTemporal } from '../../src/temporal/client.ts'
import { SCHEDULE_ID, setupTemporal } from '../../src/temporal/setup.ts'
import { installRuntime } from '../../src/temporal/workers.ts'
import { hashPassword } from '../../src/use-cases/credentials/password-hash.ts'
import type { FeedWatch } from '../../src/webhooks/feed-watch.ts'
import type { Activities } from '../../workflows/activities.ts'
import { createApi } from './api.ts'
import { describeInstance } from './contract.ts'
import { asOwner, cloneDatabase, dropDatabase, serviceUrlOf } from './database.ts'
import { scriptArgs } from './processes.ts'

/** An instance of a single file, which may change anything in it. */
export type OwnInstance = Awaited<ReturnType<typeof startInstance>>

/** An instance that several files may share. */
export type Instance = Omit<OwnInstance, 'startWorker' | 'spawnWorker' | 'stop'>

/** Settings for an instance in production. */
export const PRODUCTION = {
  ENVIRONMENT: 'production',
  PUBLIC_URL: 'https://onboarding.gatehouse.internal',
  WEBHOOK_ALLOW_PRIVATE: 'false',
}

interface InstanceOptions {
  /** The address of a Temporal server other than the shared one, for tests that kill it. */
  readonly temporalAddress?: string
  /** The URL of a migrated PostgreSQL other than the shared one, for tests that stop it. */
  readonly databaseUrl?: string
  readonly env?: Partial<Record<keyof Config, string>>
  /** The deadline of commands and queries. The default is long, because other tests run concurrently. */
  readonly deadlineMs?: number
  /** The port of the API, if its address must be known before it starts. */
  readonly port?: number
  /** The logger of the API and the workers in this process. */
  readonly log?: Logger
}

export async function startInstance(options: InstanceOptions = {}) {
  const name = `test_${randomBytes(6).toString('hex')}`
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-files-'))
  // Tests use a separate connection for statements that require the owner.
  const ownerUrl = options.databaseUrl ?? (await cloneDatabase(name))
  const databaseUrl = options.databaseUrl ?? serviceUrlOf(name)
  const temporalAddress = options.temporalAddress ?? inject('temporalAddress')
  await createNamespace(temporalAddress, name)
  await setupTemporal({ address: temporalAddress, namespace: name, embedded: false })

  const env = {
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: temporalAddress,
    TEMPORAL_NAMESPACE: name,
    ...newKeys(),
    BLOB_URL: pathToFileURL(folder).href,
    WORKFLOW_BUNDLE: inject('workflowBundle'),
    WEBHOOK_ALLOW_PRIVATE: 'true',
    SANDBOX_CHECK_DELAY_MS: '50',
    RATE_LIMIT_READS: '100000',
    RATE_LIMIT_WRITES: '100000',
    RATE_LIMIT_ANONYMOUS: '100000',
    RATE_LIMIT_SETTINGS: '100000',
    RATE_LIMIT_CASE_READS: '100000',
    LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
    ...options.env,
  }
  const config = readConfig(env)
  const log = options.log ?? createLogger(config.LOG_LEVEL, 'test')
  let feedWatch = {} as FeedWatch
  const composed = composeApi(config, log, {
    deadlineMs: options.deadlineMs ?? 120_000,
    wrap(deps) {
      feedWatch = deps.feedWatch
      return deps
    },
  })
  const { app, db, blobs, notifier, gateway } = composed
  // Calls of tests wait longer than those of the API, whose deadline a test may shorten.
  const temporal = connectTemporal({ ...temporalOf(config), callMs: 120_000 })
  const server = createHttpServer(app).listen(options.port ?? 0, '127.0.0.1')
  await once(server, 'listening')
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  describeInstance(baseUrl, config)

  const stops: (() => Promise<unknown>)[] = []

  /** Starts a worker in this process. `wrap` can replace its activities. */
  async function startWorker(wrap?: (activities: Activities) => Activities) {
    installRuntimeOnce(config.LOG_LEVEL)
    const worker = composeWorker(config, log, wrap)
    await worker.polling
    const stop = () => {
      worker.stop()
      return worker.ended
    }
    stops.push(stop)
    return { stop }
  }

  /** Starts a worker in a separate process that a test can kill. */
  async function spawnWorker(
    script = 'src/worker.ts',
    more: Record<string, string> = {},
  ): Promise<ChildProcess> {
    const child = spawn(process.execPath, scriptArgs(script), {
      env: { ...process.env, ...env, ...more },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    stops.push(async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await once(child, 'exit')
    })
    await once(child, 'message')
    return child
  }

  async function stop(): Promise<void> {
    await Promise.all(stops.map((each) => each()))
    if (!options.temporalAddress) await endHousekeeping(temporalAddress, name)
    server.close()
    server.closeAllConnections()
    await Promise.all([composed.stop(), temporal.connection.close()])
    if (!options.databaseUrl) await dropDatabase(name)
    rmSync(folder, { recursive: true, force: true })
  }

  const parts = {
    /** Runs a statement that requires the owner, such as `ALTER TABLE`. */
    asOwner: (statement: string) => asOwner(ownerUrl, statement),
    baseUrl,
    app,
    config,
    env,
    db,
    temporal,
    blobs,
    notifier,
    gateway,
    feedWatch,
    log,
    name,
    startWorker,
    spawnWorker,
    stop,
  }
  return { ...parts, ...(await addVault(parts)) }
}

/** The process's shared instances, with and without a worker. */
const shared = new Map<boolean, Promise<OwnInstance>>()

/**
 * Returns an instance that lives as long as the process, with a new vault, keys, user and operator. Operators
 * and housekeeping also see the vaults of earlier files. A test that changes a table must restore it.
 */
export async function sharedInstance({ worker = false } = {}): Promise<Instance> {
  const started = shared.get(worker) ?? startShared(worker)
  shared.set(worker, started)
  const { startWorker, spawnWorker, stop, ...parts } = await started
  return { ...parts, ...(await addVault(parts)) }
}

async function startShared(worker: boolean): Promise<OwnInstance> {
  const instance = await startInstance()
  if (worker) await instance.startWorker()
  return instance
}

interface Running {
  readonly baseUrl: string
  readonly config: Config
}

/** Seeds a vault, its keys, its user and an operator. Returns their credentials, and clients that use them. */
export async function addVault({ baseUrl, config }: Running) {
  const credentials = { ...newSeedCredentials(config.ENVIRONMENT), ...PASSWORDS }
  await seed(config, credentials, hashOnce)
  return {
    api: createApi(`${baseUrl}/v1`, credentials.api_key),
    reader: createApi(`${baseUrl}/v1`, credentials.read_only_api_key),
    operator: () => signInAsOperator(baseUrl, credentials),
    credentials,
    vaultId: credentials.vault_id,
  }
}

/** Every seeded user of the process has these passwords, so that each password is hashed only once. */
const PASSWORDS = { user_password: newPassword(), operator_password: newPassword() }
const hashes = new Map<string, Promise<string>>()
function hashOnce(password: string): Promise<string> {
  const hash = hashes.get(password) ?? hashPassword(password)
  hashes.set(password, hash)
  return hash
}

async function signInAsOperator(
  baseUrl: string,
  credentials: { operator_email: string; operator_password: string },
) {
  const url = `${baseUrl}/operator/v1`
  const { operator_email: email, operator_password: password } = credentials
  const { body } = await createApi(url, '').post('/sign_in', { email, password })
  return createApi(url, body.data.access_token)
}

let runtimeInstalled = false
/** Installs the Temporal runtime once per process, because objects from earlier test files may still use it. */
export function installRuntimeOnce(level: string): void {
  if (runtimeInstalled) return
  runtimeInstalled = true
  installRuntime(createLogger(level, 'test'))
}

export async function createNamespace(address: string, name: string): Promise<void> {
  const client = connectTemporal({ address, namespace: name })
  const service = client.connection.workflowService
  await service.registerNamespace({
    namespace: name,
    workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
  })
  await eventually(() => service.describeNamespace({ namespace: name }))
  await client.connection.close()
}

/** Deletes the Schedule, with which the shared Temporal would start housekeeping until all tests have ended. */
async function endHousekeeping(address: string, namespace: string): Promise<void> {
  const client = connectTemporal({ address, namespace })
  await client.schedule.getHandle(SCHEDULE_ID).delete()
  await client.connection.close()
}

/** Repeats the attempt until it does not throw. Throws the last error after `withinMs`. */
export async function eventually<T>(attempt: () => Promise<T> | T, withinMs = 150_000): Promise<T> {
  const until = Date.now() + withinMs
  for (let pauseMs = 25; ; pauseMs = Math.min(2 * pauseMs, 100)) {
    try {
      return await attempt()
    } catch (error) {
      if (Date.now() > until) throw error
      await sleep(pauseMs)
    }
  }
}

/** Returns an ID that no other test uses. */
export const unique = (): string => randomUUID()
