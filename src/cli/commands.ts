/** Runs the commands of the command line. */
import { rename, writeFile } from 'node:fs/promises'
import { rotateSigningKey } from '../db/access/signing-key.ts'
import { recordAudit } from '../db/audit/audit.ts'
import { recordTaskRun } from '../db/audit/task-run.ts'
import { connectDatabase, type DatabasePool, transaction } from '../db/connection/database.ts'
import { explainDatabaseFailure } from '../db/connection/failure.ts'
import { migrate } from '../db/connection/migrate.ts'
import { connectBlobStore } from '../db/files/file.ts'
import { recountWebhookLogs } from '../db/webhooks/housekeeping.ts'
import { BY_COMMAND_LINE } from '../domain/access/audit.ts'
import { isScheduledTask, SCHEDULED_TASKS } from '../domain/base/scheduled-task.ts'
import { type Config, configOrExit, readConfig, temporalOf } from '../process/config.ts'
import { createLogger, describeError } from '../process/log.ts'
import { PATIENT } from '../storage/blob-bucket.ts'
import { connectByteStores } from '../storage/blob-store.ts'
import type { ByteStore } from '../storage/byte-store.ts'
import { createEncryption } from '../storage/encryption.ts'
import { connectTemporal } from '../temporal/client.ts'
import { setupTemporal } from '../temporal/setup.ts'
import { retentionPeriods } from '../use-cases/review/erasure.ts'
import {
  mapOrPrintGroups,
  printBreakGlass,
  printNewApiKey,
  printNewOperator,
  printNewUser,
  printNewVault,
} from './accounts.ts'
import { type Command, type GivenCommand, HELP, type Values } from './command-line.ts'
import { describeFinding, examineEnvironment } from './doctor.ts'
import { changeLegalHold, erase } from './erasure.ts'
import { checkFiles } from './file-check.ts'
import { deleteMovedFiles, moveFiles, PARALLEL } from './file-move.ts'
import { rotateDataKey } from './key-rotation.ts'
import { runProfile } from './profile.ts'
import { reconcile } from './reconcile.ts'

/** The exit code if a command for files has listed files that differ. Backups distinguish it from a failure. */
const LISTED = 3

async function withDatabase(work: (db: DatabasePool, config: Config) => Promise<void>, connections = 2) {
  const config = configOrExit()
  const log = createLogger(config.LOG_LEVEL, 'cli')
  const db = connectDatabase(config.DATABASE_URL, createEncryption(config), log, {
    connections,
    queryMs: 600_000,
  })
  try {
    await work(db, config)
  } finally {
    await db.end()
  }
}

function required<N extends string>(
  name: N,
  { [name]: value }: { readonly [K in N]?: string | undefined },
): string {
  if (!value) throw new Error(`--${name} is missing.\n\n${HELP}`)
  return value
}

function bytesOf(name: string, value: string | undefined): number | null {
  if (value === undefined) return null
  if (!/^\d{1,15}$/.test(value)) throw new Error(`--${name} requires a number of bytes.`)
  return Number(value)
}

const COMMANDS: Record<Command, (given: Values, action: GivenCommand['action']) => Promise<void>> = {
  migrate: async () => {
    const { DATABASE_URL, MIGRATION_DATABASE_URL } = configOrExit()
    const applied = await migrate(MIGRATION_DATABASE_URL ?? DATABASE_URL, { service: DATABASE_URL })
    const done = applied === 0 ? 'No migration was missing.' : `Applied ${applied} migrations.`
    console.log(`${done} The role of DATABASE_URL has its rights.`)
  },
  'setup-temporal': () => setupTemporal({ ...temporalOf(configOrExit()), embedded: false }),
  'bundle-workflows': async (given) => {
    // Imports this module only here, because it loads a compiler.
    const { bundleWorkflows } = await import('../temporal/workers.ts')
    const out = required('out', given)
    // If this process is stopped, no part of a bundle remains.
    const draft = `${out}.${process.pid}`
    await writeFile(draft, (await bundleWorkflows()).code)
    await rename(draft, out)
  },
  reconcile: ({ parallel = '8', after }) =>
    withDatabase(async (db) => {
      if (!/^[1-9]\d{0,2}$/.test(parallel)) throw new Error('--parallel requires a number from 1 to 999.')
      const stop = new AbortController()
      for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort())
      const temporal = connectTemporal(temporalOf(configOrExit()))
      const said = { signal: stop.signal, say: console.log }
      if (!(await reconcile({ db, temporal, after, parallel: Number(parallel), ...said })))
        process.exitCode = 1
      await temporal.connection.close()
    }),
  'rotate-data-key': () =>
    withDatabase(async (db, config) => {
      const left = await rotateDataKey(db, connectBlobStore(db, config, PATIENT), console.log)
      if (left.length > 0) process.exitCode = 1
    }),
  erase: ({ identification, kyb, due, yes = false, 'dry-run': dryRun = false }) =>
    withDatabase(async (db, config) => {
      const targets = { identification, kyb, due }
      if (Object.values(targets).filter(Boolean).length !== 1)
        throw new Error(`Specify one of --identification, --kyb and --due.\n\n${HELP}`)
      const blobs = connectBlobStore(db, config, PATIENT)
      const options = { periods: retentionPeriods(config), yes, dryRun }
      if (!(await erase({ db, blobs, say: console.log }, targets, options))) process.exitCode = 1
      else if (due && !dryRun) await recordTaskRun(db, 'erasure')
    }),
  'legal-hold': ({ on = false, off = false, identification }) =>
    withDatabase(async (db) => {
      if (on === off) throw new Error(`Specify either --on or --off.\n\n${HELP}`)
      await changeLegalHold({ db, say: console.log }, required('identification', { identification }), on)
    }),
  'rotate-signing-key': () =>
    withDatabase(async (db) => {
      const newest = await transaction(db, async (tx) => {
        const [made] = await rotateSigningKey(tx)
        await recordAudit(tx, BY_COMMAND_LINE, {
          action: 'signing_key_rotated',
          subject: 'signing_key',
          subjectId: made?.id ?? null,
          changes: {},
        })
        return made
      })
      console.log(`The key ${newest?.id} will sign access tokens in one minute.`)
    }),
  'recount-webhook-logs': ({ repair = false }) =>
    withDatabase(async (db) => {
      const differences = await recountWebhookLogs(db, { repair })
      for (const { vault_id, topic, status, day, delta } of differences) {
        console.log(`${vault_id} ${topic} ${status} of ${day}: ${delta > 0 ? '+' : ''}${delta}`)
      }
      if (differences.length === 0) console.log('The counts are correct.')
      else if (repair) console.log('The counts were corrected.')
      else process.exitCode = 1
    }),
  doctor: async ({ json }) => {
    const findings = await examineEnvironment(process.env)
    console.log(json ? JSON.stringify(findings, null, 2) : findings.map(describeFinding).join('\n'))
    if (findings.some(({ status }) => status === 'fail')) process.exitCode = 1
  },
  'record-run': ({ task = '', bytes, 'free-bytes': freeBytes }) =>
    withDatabase(async (db) => {
      if (!isScheduledTask(task))
        throw new Error(`--task requires one of ${Object.keys(SCHEDULED_TASKS).join(', ')}.`)
      const size = { bytes: bytesOf('bytes', bytes), freeBytes: bytesOf('free-bytes', freeBytes) }
      await recordTaskRun(db, task, size)
    }),
  'check-files': ({ repair = false }) =>
    withDatabase(async (db, config) => {
      const blobs = connectBlobStore(db, config, PATIENT)
      if (!(await checkFiles({ db, blobs, say: console.log }, { repair }))) process.exitCode = LISTED
    }),
  'move-files': (values) =>
    withDatabase(async (db, config) => {
      const used = config.BLOB_URL.split(',').map((each) => each.trim())
      const { to = used[0] ?? '' } = values
      const from = values.from === undefined ? used.filter((each) => each !== to) : [values.from]
      if (from.length === 0)
        throw new Error('There is no source to move files from. Add its URL to BLOB_URL, or set --from.')
      const isDeleting = values['delete-source'] === true
      if (isDeleting && used[0] !== to)
        throw new Error('--delete-source requires that BLOB_URL lists the URL in --to first.')
      const { BLOB_URL } = readConfig({ ...process.env, BLOB_URL: [to, ...from].join() })
      const [target, ...sources] = connectByteStores({ ...config, BLOB_URL }, PATIENT) as [
        ByteStore,
        ...ByteStore[],
      ]
      const run = isDeleting ? deleteMovedFiles : moveFiles
      if (!(await run({ db, target, sources, say: console.log }))) process.exitCode = LISTED
    }, PARALLEL + 1),
  profile: (given, action) =>
    withDatabase(async (db) => {
      const vault = required('vault', given)
      if (!(await runProfile({ db, say: console.log }, action ?? 'export', vault, given)))
        process.exitCode = action === 'compare' ? LISTED : 1
    }),
  'create-vault': (given) => withDatabase((db, config) => printNewVault(db, config, required('name', given))),
  'create-api-key': (given) =>
    withDatabase((db, config) => printNewApiKey(db, config, required('vault', given), given.role)),
  'create-user': (given) =>
    withDatabase((db) => printNewUser(db, required('vault', given), required('email', given), given.role)),
  'create-operator': (given) =>
    withDatabase((db) => printNewOperator(db, required('email', given), given.role)),
  'map-group': (given) => withDatabase((db) => mapOrPrintGroups(db, given.group, given)),
  'break-glass': ({ role }) => withDatabase((db) => printBreakGlass(db, role)),
}

export const runCommand = ({ command, action, values }: GivenCommand): Promise<void> =>
  COMMANDS[command](values, action).catch((error: Error) => {
    // Driver messages quote the values of a query.
    const explained = explainDatabaseFailure(error)
    console.error(explained ?? error.message)
    if (explained) console.error(JSON.stringify(describeError(error)))
    process.exitCode = 1
  })
