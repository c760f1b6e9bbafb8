/** Starts the API and the worker with their environment. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { readConfig, withoutBlankValues } from '../../src/process/config.ts'
import { authorityFile } from '../certificates.ts'
import type { Settings } from '../settings.ts'
import type { Hooks } from './fleet.ts'
import { type Child, runChild, startChild } from './process.ts'
import { newKeys, providerSecret, type Secrets } from './secrets.ts'

export type Addresses = {
  port: number
  /** The port on which the process serves its metrics. */
  metricsPort?: number
  databaseUrl: string
  temporalAddress: string
  /** Null if the launcher does not run Temporal. */
  temporalUiUrl?: string | null
}

/** The limit on requests per minute, which is high enough for first experiments. */
const SANDBOX_LIMIT = '100000'

/** Long enough to stop a process in a debugger. */
const MAX_SILENCE_MS = 120_000

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const BUNDLE = join(ROOT, 'dist', 'workflow-bundle.js')

/**
 * Returns the environment of the services. The user's settings override it, except for the addresses that are
 * determined at startup.
 */
export function serviceEnvironment(
  settings: Settings,
  secrets: Pick<Secrets, 'ENCRYPTION_KEYS' | 'HASH_KEY'>,
  { port, metricsPort, databaseUrl, temporalAddress, temporalUiUrl }: Addresses,
): NodeJS.ProcessEnv {
  return {
    HOST: '127.0.0.1',
    ENCRYPTION_KEYS: secrets.ENCRYPTION_KEYS,
    HASH_KEY: secrets.HASH_KEY,
    BLOB_URL: pathToFileURL(join(settings.DATA_DIR, 'files')).href,
    WEBHOOK_ALLOW_PRIVATE: String(settings.ENVIRONMENT === 'sandbox'),
    WORKFLOW_BUNDLE: BUNDLE,
    ...(settings.ENVIRONMENT === 'sandbox' && {
      // The address of `npm run provider`, used with VERIFICATION_PROVIDER=http.
      VERIFICATION_PROVIDER_URL: 'http://127.0.0.1:4100/',
      VERIFICATION_PROVIDER_SECRET: providerSecret(secrets),
      WEBHOOK_CA_FILE: authorityFile(settings.DATA_DIR),
      RATE_LIMIT_READS: SANDBOX_LIMIT,
      RATE_LIMIT_WRITES: SANDBOX_LIMIT,
      RATE_LIMIT_ANONYMOUS: SANDBOX_LIMIT,
      RATE_LIMIT_CASE_READS: SANDBOX_LIMIT,
      RATE_LIMIT_VAULT_CHECKS: SANDBOX_LIMIT,
    }),
    ...(temporalUiUrl && { TEMPORAL_UI_URL: temporalUiUrl }),
    ...withoutBlankValues(process.env),
    ENVIRONMENT: settings.ENVIRONMENT,
    PORT: String(port),
    METRICS_PORT: metricsPort === undefined ? undefined : String(metricsPort),
    DATABASE_URL: databaseUrl,
    // Only the launcher connects as the owner.
    MIGRATION_DATABASE_URL: undefined,
    TEMPORAL_ADDRESS: temporalAddress,
    TEMPORAL_NAMESPACE: settings.TEMPORAL_NAMESPACE,
  }
}

/** Checks the environment before anything starts, with placeholders for values that are not known yet. */
export function checkEnvironment(settings: Settings): void {
  const databaseUrl = settings.DATABASE_URL ?? 'postgresql://127.0.0.1/gatehouse'
  const temporalAddress = settings.TEMPORAL_ADDRESS ?? '127.0.0.1:7233'
  const addresses = { port: settings.PORT, databaseUrl, temporalAddress }
  readConfig(serviceEnvironment(settings, newKeys(), addresses))
}

/** The files that are written if the compiled code or the libraries change. */
const INPUTS = ['dist/.tsbuildinfo', 'node_modules/.package-lock.json'].map((file) => join(ROOT, file))
const changedAt = (file: string): number => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0

/**
 * Compiles the services at each start, so that no process runs old code. Compiled code also starts faster than with
 * tsx.
 */
export async function compileServices(signal: AbortSignal): Promise<void> {
  const run = (name: string, command: string, args: string[]) =>
    runChild({ name, command, args, cwd: ROOT }, signal)
  await run('compile', 'npm', ['run', '--silent', 'compile'])
  if (INPUTS.every((file) => changedAt(file) < changedAt(BUNDLE))) return
  const cli = join('dist', 'src', 'cli', 'main.js')
  await run('bundle-workflows', process.execPath, [cli, 'bundle-workflows', '--out', BUNDLE])
}

export function startService(
  name: string,
  file: 'server.js' | 'worker.js',
  env: NodeJS.ProcessEnv,
  { log, onSpawn, signal }: Hooks,
): Promise<Child> {
  // The same values as in the image.
  const withThreads = { UV_THREADPOOL_SIZE: '32', MALLOC_ARENA_MAX: '2', ...env }
  return startChild(
    // Processes complete their work by themselves. The extra time is for their exit.
    {
      name,
      command: process.execPath,
      // The same value as in the image.
      args: ['--enable-source-maps', '--max-semi-space-size=16', join('dist', 'src', file)],
      cwd: ROOT,
      env: withThreads,
      ipc: true,
      graceMs: 11_000,
      maxSilenceMs: MAX_SILENCE_MS,
      onLine: log,
      onSpawn,
    },
    (child) => child.message(),
    signal,
  )
}
