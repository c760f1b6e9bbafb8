/** Queries for the last success of scheduled tasks, the clock, and the sizes of the database and its last backup. */
import { eq, sql } from 'drizzle-orm'
import { taskRuns, vaults } from '../../../drizzle/schema.ts'
import { SCHEDULED_TASKS, type ScheduledTask } from '../../domain/base/scheduled-task.ts'
import type { Database } from '../connection/database.ts'

export interface BackupSize {
  readonly bytes: number | null
  readonly freeBytes: number | null
}

export async function recordTaskRun(
  { orm }: Database,
  task: ScheduledTask,
  size: BackupSize = { bytes: null, freeBytes: null },
): Promise<void> {
  const run = { succeededAt: sql`clock_timestamp()`, ...size }
  await orm
    .insert(taskRuns)
    .values({ task, ...run })
    .onConflictDoUpdate({ target: taskRuns.task, set: run })
}

/** Returns the size of the last backup. Returns nulls if there is none, or if its size was not recorded. */
export async function readBackupSize({ orm }: Database): Promise<BackupSize> {
  const [row] = await orm
    .select({ bytes: taskRuns.bytes, freeBytes: taskRuns.freeBytes })
    .from(taskRuns)
    .where(eq(taskRuns.task, 'backup'))
  return row ?? { bytes: null, freeBytes: null }
}

/**
 * Returns the seconds since each task last succeeded. Counts from the creation of the first vault if a task has never
 * succeeded, because there was no data before. Returns null without a vault, and for a restore check that has never
 * succeeded, because some installations have none.
 */
export async function readTaskAges({ orm }: Database): Promise<Record<ScheduledTask, number | null>> {
  const rows = await orm.execute<{ task: ScheduledTask; age: number | null }>(sql`
    SELECT task, extract(epoch FROM clock_timestamp() -
      coalesce(succeeded_at, CASE WHEN task <> 'restore_check' THEN first END))::float8 AS age
    FROM unnest(${sql.param(Object.keys(SCHEDULED_TASKS))}::text[]) AS task
    LEFT JOIN ${taskRuns} USING (task)
    CROSS JOIN (SELECT min(created_at) AS first FROM ${vaults}) AS vault`)
  const ages = new Map(rows.map(({ task, age }) => [task, age]))
  const of = (task: ScheduledTask) => ages.get(task) ?? null
  return { backup: of('backup'), restore_check: of('restore_check'), erasure: of('erasure') }
}

/** Returns the difference in seconds between the clock of this process and that of PostgreSQL. */
export async function readClockSkew({ orm }: Database): Promise<number> {
  const before = Date.now()
  const [row] = await orm.execute<{ now: number }>(
    sql`SELECT extract(epoch FROM clock_timestamp())::float8 AS now`,
  )
  return (before + Date.now()) / 2_000 - (row?.now ?? Number.NaN)
}

export async function readDatabaseBytes({ orm }: Database): Promise<number | null> {
  const [row] = await orm.execute<{ bytes: string }>(
    sql`SELECT pg_database_size(current_database()) AS bytes`,
  )
  return row ? Number(row.bytes) : null
}
