/** Command: `doctor`. Checks the deployment, and says for each finding what to do. It changes nothing. */
import { randomUUID } from 'node:crypto'
import type { Client } from '@temporalio/client'
import {
  type BackupSize,
  readBackupSize,
  readClockSkew,
  readDatabaseBytes,
  readTaskAges,
} from '../db/audit/task-run.ts'
import { readBacklogAges } from '../db/commands/backlog-age.ts'
import { connectDatabase, type DatabasePool, requireDatabase } from '../db/connection/database.ts'
import { explainDatabaseFailure } from '../db/connection/failure.ts'
import { requireMigrated, requireSupportedDatabase } from '../db/connection/migrate.ts'
import { SCHEDULED_TASKS, type ScheduledTask } from '../domain/base/scheduled-task.ts'
import { type Certificate, certificatesOf } from '../process/certificates.ts'
import { type Config, readConfig, temporalOf } from '../process/config.ts'
import { readFreeSpace } from '../process/disk.ts'
import { createLogger, describeError } from '../process/log.ts'
import { createMailer } from '../process/mailer.ts'
import { SettingsError } from '../process/settings-error.ts'
import { type Component, requireSupported, supportedVersions } from '../process/versions.ts'
import { connectByteStores } from '../storage/blob-store.ts'
import type { ByteStore } from '../storage/byte-store.ts'
import { createEncryption } from '../storage/encryption.ts'
import { connectTemporal, requireSupportedServer, TASK_QUEUES } from '../temporal/client.ts'
import { SCHEDULE_ID } from '../temporal/setup.ts'

type Status = 'ok' | 'warn' | 'fail'
export interface Finding {
  readonly check: string
  readonly status: Status
  readonly text: string
  /** What to do, unless the status is `ok`. */
  readonly remedy?: string
}

interface DoctorDeps {
  readonly config: Config
  readonly db: DatabasePool
  readonly temporal: Client
  readonly stores: readonly ByteStore[]
  readonly freeSpace: () => ReturnType<typeof readFreeSpace>
}

type Found = Omit<Finding, 'check'>
type Check = (deps: DoctorDeps) => Promise<readonly Found[]>

const DAY = 86_400
/** Calls to a Temporal server that is unavailable end after this time. */
const CALL_MS = 3_000
const MAX_SKEW_SECONDS = 60
const WARN_SKEW_SECONDS = 5
/** The housekeeping Schedule starts a pass every 20 seconds. */
const LATE_SECONDS = 120
const CERTIFICATE_DAYS = 14
/** The same limits as in the alerts GatehouseDiskFull and GatehouseBackupDiskFull. */
const MIN_FREE = 0.1
const MIN_BACKUPS = 2
const SYNCHRONISE = 'Start the time synchronisation on both machines.'
/** The value of `TASK_QUEUE_TYPE_ACTIVITY` in Temporal's API. All queues have activities. */
const ACTIVITIES = 2

const ok = (text: string): Found => ({ status: 'ok', text })
const warn = (text: string, remedy: string): Found => ({ status: 'warn', text, remedy })
const fail = (text: string, remedy: string): Found => ({ status: 'fail', text, remedy })

/** Explains an error without data, because drivers quote values in messages. Returns the text and the remedy. */
function explain(error: unknown): [text: string, remedy: string] {
  if (error instanceof SettingsError) return [error.message, 'Correct this, and run doctor again.']
  const explained = explainDatabaseFailure(error)
  if (explained) return [explained, 'Then run doctor again.']
  const { code, name } = describeError(error)
  return [`Temporal refuses the call (${code ?? name}).`, REMEDIES.get(code) ?? 'Check its log.']
}

/** The remedies for the gRPC codes of Temporal. */
const REMEDIES: ReadonlyMap<unknown, string> = new Map([
  [4, 'Check TEMPORAL_ADDRESS, and that the server runs.'],
  [5, 'Run setup-temporal, and check TEMPORAL_NAMESPACE.'],
  [7, 'Check TEMPORAL_API_KEY, or the certificate of the client.'],
  [14, 'Check TEMPORAL_ADDRESS, and that the server runs.'],
  [16, 'Check TEMPORAL_API_KEY, or the certificate of the client.'],
])

function version(component: Component, found: string): Found {
  if (requireSupported(component, found)) return ok(`${component} ${found} is supported.`)
  return warn(
    `${component} ${found} is newer than the tested versions.`,
    `Use version ${supportedVersions(component)}, or a newer release of Gatehouse.`,
  )
}

/** The server's clock is known only from the next start of the Schedule, which is at most 20 seconds ahead. */
function ageOfSchedule(next: Date | undefined): Found {
  const ahead = ((next?.getTime() ?? 0) - Date.now()) / 1_000
  if (ahead > -LATE_SECONDS && ahead < LATE_SECONDS)
    return ok('Temporal agrees with this clock within two minutes.')
  return fail('The clock of Temporal differs by more than two minutes.', SYNCHRONISE)
}

const check = (name: string, needs: 'database' | 'temporal' | null, run: Check) => ({ name, needs, run })

/** The checks in the order of the output. If one throws, it is reported as failed, and the others still run. */
const CHECKS = [
  check('settings', null, async ({ config }) => [
    config.ENVIRONMENT === 'production' && config.SCREENING === 'off'
      ? warn('Screening is off.', 'Set SCREENING, unless another system screens names.')
      : ok(`The settings for ${config.ENVIRONMENT} are valid.`),
  ]),
  check('connections', 'database', async ({ db }) => {
    await requireDatabase(db)
    return [ok('PostgreSQL responds and accepts changes.')]
  }),
  check('connections', 'temporal', async ({ temporal }) => {
    const { namespace } = temporal.options
    await temporal.connection.workflowService.describeNamespace({ namespace })
    return [ok(`Temporal responds, and has the namespace ${namespace}.`)]
  }),
  check('connections', null, async ({ config }) => {
    const mailer = createMailer(config)
    if (!mailer) return [ok('Emails are off.')]
    const problem = await mailer.check()
    return problem === null
      ? [ok('The mail server responds.')]
      : [
          fail(
            `The mail server refuses the connection (${problem}).`,
            'Check SMTP_URL, its certificate, and the user.',
          ),
        ]
  }),
  check('versions', null, async () => [version('Node.js', process.version)]),
  check('versions', 'database', async ({ db }) => [
    version('PostgreSQL', await requireSupportedDatabase(db)),
  ]),
  check('versions', 'temporal', async ({ temporal }) => [
    version('Temporal server', await requireSupportedServer(temporal.connection.workflowService)),
  ]),
  check('migrations', 'database', async ({ db }) => {
    await requireDatabase(db)
    return requireMigrated(db).then(
      () => [ok('All migrations of this version are applied.')],
      () => [fail('Migrations of this version are missing.', 'Run migrate of this version.')],
    )
  }),
  check('clocks', 'database', async ({ db }) => {
    const skew = await readClockSkew(db)
    const text = `The clock differs from PostgreSQL's by ${skew.toFixed(1)} s.`
    const seconds = Math.abs(skew)
    return [(seconds > MAX_SKEW_SECONDS ? fail : seconds > WARN_SKEW_SECONDS ? warn : ok)(text, SYNCHRONISE)]
  }),
  check('clocks', 'temporal', async ({ temporal }) => {
    const { info } = await temporal.schedule.getHandle(SCHEDULE_ID).describe()
    return [ageOfSchedule(info.nextActionTimes[0])]
  }),
  check('storage', null, ({ stores }) => Promise.all(stores.map(probe))),
  check('storage', null, async ({ freeSpace }) => (await freeSpace()).flatMap(freeSpaceOf)),
  check('storage', 'database', async ({ db }) => {
    const bytes = (await readDatabaseBytes(db)) ?? 0
    return [ok(`The database has ${gigabytes(bytes)}.`)]
  }),
  check('storage', 'database', async ({ db }) => spaceForBackups(await readBackupSize(db))),
  check('certificates', null, async ({ config }) => {
    const found = await Promise.all(certificatesOf(config).map(remainingTime))
    return found.length > 0 ? found : [ok('No setting names a certificate.')]
  }),
  check('schedules', 'temporal', async ({ temporal }) => {
    const { state, info } = await temporal.schedule.getHandle(SCHEDULE_ID).describe()
    const last = info.recentActions.at(-1)?.takenAt
    if (state.paused) return [fail('The housekeeping Schedule is paused.', 'Continue it in the Temporal UI.')]
    if (!last || Date.now() - last.getTime() > LATE_SECONDS * 1_000)
      return [fail('Housekeeping has not started for two minutes.', 'Check the log of Temporal.')]
    return [ok('Housekeeping starts on its Schedule.')]
  }),
  check('schedules', 'database', async ({ db }) => {
    const ages = await readTaskAges(db)
    return Object.entries(SCHEDULED_TASKS).map(([task, days]) => {
      const age = ages[task as ScheduledTask] ?? 0
      if (age <= days * DAY) return ok(`The task ${task} is not overdue.`)
      const text = `The task ${task} has not succeeded for ${Math.floor(age / DAY)} days.`
      return fail(text, 'Start it, and read its log.')
    })
  }),
  check('queues', 'temporal', ({ temporal }) =>
    Promise.all(Object.values(TASK_QUEUES).map((name) => pollersOf(temporal, name))),
  ),
  check('queues', 'database', async ({ db }) => {
    const { delivery } = await readBacklogAges(db)
    const text = `The oldest event has waited ${Math.round(delivery)} s for its first delivery.`
    return [(delivery > LATE_SECONDS ? fail : ok)(text, 'Check the workers, or start another one.')]
  }),
]

/** Writes, reads and deletes a file with random content. */
async function probe(store: ByteStore): Promise<Found> {
  const id = randomUUID()
  try {
    await store.put(id, [Buffer.from(id)])
    const chunks: Buffer[] = []
    for await (const chunk of (await store.get(id)) ?? []) chunks.push(chunk)
    if (Buffer.concat(chunks).toString() === id) return ok(`${store.name} stores, returns and deletes files.`)
    return fail(`${store.name} returns other bytes than it stored.`, 'Check the disk or the bucket.')
  } catch (error) {
    return fail(explain(error)[0], 'Check the address and the rights of BLOB_URL.')
  } finally {
    await store.remove(id).catch(() => {})
  }
}

const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`

/** Omits a backup without a recorded size, because an administrator can create backups in another way. */
function spaceForBackups({ bytes, freeBytes }: BackupSize): Found[] {
  if (bytes === null || freeBytes === null) return []
  const text = `The last backup has ${gigabytes(bytes)}, and left ${gigabytes(freeBytes)} of its disk free.`
  return [(freeBytes < MIN_BACKUPS * bytes ? fail : ok)(text, 'Increase the disk, or reduce BACKUP_DAYS.')]
}

/** Omits a folder that cannot be read, because the check of its files reports it. */
function freeSpaceOf([folder, free]: readonly [string, number | null]): Found[] {
  if (free === null) return []
  const text = `${Math.floor(free * 100)}% of the disk of ${folder} is free.`
  return [(free < MIN_FREE ? fail : ok)(text, 'Increase it, or move the files.')]
}

async function remainingTime({ name, expiresAt }: Certificate): Promise<Found> {
  const at = await expiresAt().catch(() => null)
  if (!at) return warn(`The certificate of ${name} cannot be read.`, 'Check the file or the address.')
  const days = Math.floor((at.getTime() - Date.now()) / (DAY * 1_000))
  const remedy = 'Renew it, and restart the processes that read it.'
  if (days < 0) return fail(`The certificate of ${name} has expired.`, remedy)
  const text = `The certificate of ${name} expires in ${days} days.`
  return (days < CERTIFICATE_DAYS ? warn : ok)(text, remedy)
}

async function pollersOf({ connection, options }: Client, name: string): Promise<Found> {
  const { pollers } = await connection.workflowService.describeTaskQueue({
    namespace: options.namespace,
    taskQueue: { name },
    taskQueueType: ACTIVITIES,
  })
  return pollers?.length
    ? ok(`Workers poll the queue ${name}.`)
    : fail(`No worker polls the queue ${name}.`, 'Start a worker, and check its log.')
}

/** Runs the checks one after another. Omits those that need a server to which no connection is possible. */
export async function examine(deps: DoctorDeps): Promise<Finding[]> {
  const findings: Finding[] = []
  const unavailable = new Set<string | null>()
  for (const { name, needs, run } of CHECKS) {
    if (unavailable.has(needs)) continue
    const found = await run(deps).catch((error: unknown) => {
      if (name === 'connections') unavailable.add(needs)
      return [fail(...explain(error))]
    })
    findings.push(...found.map((each) => ({ check: name, ...each })))
  }
  return findings
}

/** Reads the settings and runs the checks with them. Invalid settings are a finding, so that `--json` remains valid. */
export async function examineEnvironment(env: NodeJS.ProcessEnv): Promise<Finding[]> {
  let config: Config
  try {
    config = readConfig(env)
  } catch (error) {
    const remedy = 'Correct the settings, and run doctor again.'
    return [{ check: 'settings', ...fail((error as Error).message, remedy) }]
  }
  const log = createLogger('silent', 'doctor')
  const db = connectDatabase(config.DATABASE_URL, createEncryption(config), log, { connections: 2 })
  const temporal = connectTemporal({ ...temporalOf(config), callMs: CALL_MS })
  try {
    const freeSpace = () => readFreeSpace(config)
    return await examine({ config, db, temporal, stores: connectByteStores(config), freeSpace })
  } finally {
    await temporal.connection.close()
    await db.end()
  }
}

export const describeFinding = ({ check, status, text, remedy }: Finding): string =>
  `${status.padEnd(4)} ${check.padEnd(12)} ${text}${status === 'ok' || !remedy ? '' : ` ${remedy}`}`
