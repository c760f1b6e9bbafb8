/** Metrics of the deployment around a process: dependencies, clocks, scheduled tasks, disks and certificates. */
import type { Registry } from 'prom-client'
import { readBackupSize, readClockSkew, readDatabaseBytes, readTaskAges } from '../db/audit/task-run.ts'
import type { Database } from '../db/connection/database.ts'
import type { ReadinessCheck } from '../http/health.ts'
import { certificatesOf } from '../process/certificates.ts'
import type { Config } from '../process/config.ts'
import { readFreeSpace } from '../process/disk.ts'
import { cacheReading, measure, measureOne } from './gauges.ts'

/** The minimum intervals between queries, readings of the database's size, and looks at certificates. */
const QUERY_MS = 10_000
const SIZE_MS = 300_000
const CERTIFICATE_MS = 3_600_000

/** Measures what the readiness check reports, and the clock. */
export function measureDependencies(
  registry: Registry,
  db: Database,
  needs: Readonly<Record<string, ReadinessCheck>>,
): void {
  measure(
    registry,
    {
      name: 'gatehouse_unavailable',
      help: 'Whether the process is not ready for this reason.',
      label: 'reason',
    },
    () =>
      Promise.all(
        Object.entries(needs).map(
          async ([reason, isAvailable]) => [reason, (await isAvailable()) ? 0 : 1] as const,
        ),
      ),
  )
  measureOne(
    registry,
    'gatehouse_clock_skew_seconds',
    'Difference between the clock of this process and that of PostgreSQL.',
    cacheReading(QUERY_MS, () => readClockSkew(db)),
  )
}

/** Measures tasks, disks and certificates, which are the same for all processes. */
export function measureUpkeep(registry: Registry, db: Database, config: Config): void {
  const ages = cacheReading(QUERY_MS, () => readTaskAges(db))
  measure(
    registry,
    {
      name: 'gatehouse_task_age_seconds',
      help: 'Time since a scheduled task last succeeded, or since the first vault was created.',
      label: 'task',
    },
    async () => Object.entries((await ages()) ?? {}),
  )
  measureOne(
    registry,
    'gatehouse_database_bytes',
    'Size of the database, with indexes.',
    cacheReading(SIZE_MS, () => readDatabaseBytes(db)),
  )
  const backup = cacheReading(QUERY_MS, () => readBackupSize(db))
  measureOne(
    registry,
    'gatehouse_backup_bytes',
    'Size of the last backup.',
    async () => (await backup())?.bytes,
  )
  measureOne(
    registry,
    'gatehouse_backup_disk_free_bytes',
    'Free space of the disk with the backups after the last backup.',
    async () => (await backup())?.freeBytes,
  )
  measure(
    registry,
    { name: 'gatehouse_disk_free_ratio', help: 'Free part of the disk of a folder.', label: 'folder' },
    () => readFreeSpace(config),
  )
  const expiries = cacheReading(CERTIFICATE_MS, () => readExpiries(config))
  measure(
    registry,
    {
      name: 'gatehouse_certificate_remaining_seconds',
      help: 'Time until a certificate expires.',
      label: 'certificate',
    },
    async () =>
      ((await expiries()) ?? []).map(
        ([name, at]) => [name, at === null ? null : (at.getTime() - Date.now()) / 1_000] as const,
      ),
  )
}

const readExpiries = (config: Config) =>
  Promise.all(
    certificatesOf(config).map(
      async ({ name, expiresAt }) => [name, await expiresAt().catch(() => null)] as const,
    ),
  )
