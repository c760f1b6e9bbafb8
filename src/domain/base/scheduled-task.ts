/** Rules for the tasks that an administrator must schedule. */

/** Names each task with the days after which it is overdue. */
export const SCHEDULED_TASKS = { backup: 2, restore_check: 9, erasure: 9 } as const
export type ScheduledTask = keyof typeof SCHEDULED_TASKS

export const isScheduledTask = (name: string): name is ScheduledTask => Object.hasOwn(SCHEDULED_TASKS, name)
