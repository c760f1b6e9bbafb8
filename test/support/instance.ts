/**
 * Gatehouses for tests: the one that the files of a process share, each in a vault of its own, and instances with a
 * database, a Temporal namespace, an API and, if wanted, a worker for one file only.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import { newKeys } from '../../dev/launcher/secrets.ts'
import { newSeedCredentials, seed } from '../../dev/launcher/seed.ts'
import { composeApi } from '../../src/compose/api.ts'
import { composeWorker } from '../../src/compose/worker.ts'
import { createHttpServer } from '../../src/http/server.ts'
import { type Config, readConfig } from '../../src/process/config.ts'
import { createLogger } from '../../src/process/log.ts'
import { newPassword } from '../../src/storage/random.ts'
import { openTemporal } from '../../src/temporal/client.ts'
import { setupTemporal } from '../../src/temporal/setup.ts'
import { installRuntime } from '../../src/temporal/workers.ts'
import { hashPassword } from '../../src/use-cases/access/password-hash.ts'
import type { Activities } from '../../workflows/activities.ts'
import { createApi } from './api.ts'
import { asOwner, cloneDatabase, dropDatabase, serviceUrlOf } from './database.ts'
import { scriptArgs } from './processes.ts'

/** An instance of one file's own, to which it may do anything. */
export type OwnInstance = Awaited<ReturnType<typeof startInstance>>

/** An instance that others may share. */
export type Instance = Omit<OwnInstance, 'startWorker' | 'spawnWorker' | 'stop'>

/** Settings with which an instance is in production. */
export const PRODUCTION = {
  ENVIRONMENT: 'production',
  PUBLIC_URL: 'https://onboarding.gatehouse.internal',
  WEBHOOK_ALLOW_PRIVATE: 'false',
}

interface InstanceOptions {
  /** Another Temporal than the shared one, for tests that kill it. */
  readonly temporalAddress?: string
  /** Another PostgreSQL than the shared one, likewise; it must be migrated. */
  readonly databaseUrl?: string
  readonly env?: Partial<Record<keyof Config, string>>
  /** Of commands; it is long unless it is what a test is about, since much else runs beside most. */
  readonly deadlineMs?: number
}

export async function startInstance(options: InstanceOptions = {}) {
  const name = `test_${randomBytes(6).toString('hex')}`
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-files-'))
  // What the owner is needed for, a test does with a connection of its own.
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
    BLOB_DIR: folder,
    WORKFLOW_BUNDLE: inject('workflowBundle'),
    WEBHOOK_ALLOW_PRIVATE: 'true',
    SANDBOX_CHECK_DELAY_MS: '50',
    RATE_LIMIT_READS: '100000',
    RATE_LIMIT_WRITES: '100000',
    RATE_LIMIT_ANONYMOUS: '100000',
    RATE_LIMIT_SETTINGS: '100000',
    LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
    ...options.env,
  }
  const config = readConfig(env)
  const log = createLogger(config.LOG_LEVEL, 'test')
  const composed = composeApi(config, log, { deadlineMs: options.deadlineMs ?? 30_000 })
  const { app, db, temporal, blobs, notifier, gateway } = composed
  const server = createHttpServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const stops: (() => Promise<unknown>)[] = []

  /** A worker in this process; `wrap` puts something around its activities. */
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

  /** A worker in a process of its own, to be killed. */
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
    server.close()
    server.closeAllConnections()
    await composed.stop()
    if (!options.databaseUrl) await dropDatabase(name)
    rmSync(folder, { recursive: true, force: true })
  }

  const parts = {
    /** Runs a statement that rows do not need, such as `ALTER TABLE`. */
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
    log,
    name,
    startWorker,
    spawnWorker,
    stop,
  }
  return { ...parts, ...(await addVault(parts)) }
}

/** The process's instances that its files share: one with a worker, one without. */
const shared = new Map<boolean, Promise<OwnInstance>>()

/**
 * Returns an instance that lives as long as the process, seen from a new vault with its own keys, user and operator.
 * Operators see the vaults of earlier files, too, and housekeeping visits them all. Whoever changes a table restores it.
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

/** Seeds a vault, its keys, its user and an operator, and returns them with clients that use them. */
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

/** Every seeded user of the process has these, so that each is hashed once. */
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
/** For all files of a process: it lives on while anything of one before still uses it. */
export function installRuntimeOnce(level: string): void {
  if (runtimeInstalled) return
  runtimeInstalled = true
  installRuntime(createLogger(level, 'test'))
}

async function createNamespace(address: string, name: string): Promise<void> {
  const client = openTemporal({ address, namespace: name })
  const service = client.connection.workflowService
  await service.registerNamespace({
    namespace: name,
    workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
  })
  await eventually(() => service.describeNamespace({ namespace: name }))
  await client.connection.close()
}

/** Tries until it does not throw; the last error is the test's. */
export async function eventually<T>(attempt: () => Promise<T> | T, withinMs = 40_000): Promise<T> {
  const until = Date.now() + withinMs
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (Date.now() > until) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}

/** An id that no other test uses. */
export const unique = (): string => randomUUID()
