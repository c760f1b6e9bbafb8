/** Schema of the scheduled tasks that run outside of Gatehouse's processes. */
import { bigint, pgTable, text } from 'drizzle-orm/pg-core'
import type { ScheduledTask } from '../../src/domain/base/scheduled-task.ts'
import { moment } from './columns.ts'

/** When each task last succeeded. A task without a row has never succeeded. */
export const taskRuns = pgTable('task_runs', {
  task: text('task').$type<ScheduledTask>().primaryKey(),
  succeededAt: moment('succeeded_at').notNull(),
  /** The size of a backup, and the free space of its disk afterwards. Null for other tasks, and if they are unknown. */
  bytes: bigint('bytes', { mode: 'number' }),
  freeBytes: bigint('free_bytes', { mode: 'number' }),
})
