/**
 * Runs the steps of housekeeping in one activity, because separate activities would add sixty events to each workflow
 * history. A slow or failing step does not affect the others.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import pLimit from 'p-limit'
import type { Logger } from '../src/process/log.ts'
import type { HousekeepingResult } from '../workflows/activities.ts'

export type Step = () => Promise<number>

/** The maximum number of concurrent steps, which leaves connections to PostgreSQL for commands. */
const MAX_CONCURRENT_STEPS = 4
const STEP_MS = 15_000
/** The limits of a step that handles many items. */
const FOR_EACH_LIMITS = { maxConcurrent: 3, maxMs: 10_000 }

/** Runs all steps, except those that an earlier pass is still running. Never throws. */
export function createHousekeepingSteps(steps: Readonly<Record<string, Step>>, log: Logger) {
  const inProgress = new Set<string>()
  const limit = pLimit(MAX_CONCURRENT_STEPS)

  async function run([name, step]: [string, Step]): Promise<number | string> {
    if (inProgress.has(name)) return 'still running'
    inProgress.add(name)
    const done = step().finally(() => inProgress.delete(name))
    try {
      return await withTimeout(STEP_MS, done)
    } catch (err) {
      log.warn({ err, step: name }, 'housekeeping step failed')
      return err instanceof Incomplete ? err.message : 'failed'
    }
  }
  return async (): Promise<HousekeepingResult> => {
    const entries = Object.entries(steps)
    const results = await Promise.all(entries.map((entry) => limit(run, entry)))
    return Object.fromEntries(entries.map(([name], n) => [name, results[n] ?? 0]))
  }
}

/** Thrown if a step completed only part of its work. `cause` is the first error. */
class Incomplete extends Error {}

async function withTimeout<T>(ms: number, done: Promise<T>): Promise<T> {
  const over = new AbortController()
  const late = sleep(ms, undefined, over).then(() => {
    throw new Incomplete(`not finished within ${ms / 1000} seconds`)
  })
  return Promise.race([done, late]).finally(() => over.abort())
}

/**
 * Runs `work` for each item with limited concurrency and time. Throws Incomplete if an item failed or was not started.
 */
export async function runForEach<T>(all: readonly T[], work: (each: T) => Promise<unknown>): Promise<number> {
  const end = performance.now() + FOR_EACH_LIMITS.maxMs
  const limit = pLimit(FOR_EACH_LIMITS.maxConcurrent)
  const results = await Promise.allSettled(
    all.map((each) =>
      limit(async () => {
        if (performance.now() > end) throw new Incomplete('time limit reached')
        await work(each)
      }),
    ),
  )
  const failures = results.filter((result) => result.status === 'rejected')
  if (failures[0]) {
    throw new Incomplete(`${failures.length} of ${all.length} failed`, { cause: failures[0].reason })
  }
  return all.length
}
