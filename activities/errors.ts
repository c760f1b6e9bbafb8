/**
 * Reduces the failures of activities to codes, because workflow histories store failures and driver messages quote
 * values.
 */
import { CompleteAsyncError } from '@temporalio/activity'
import { ApplicationFailure } from '@temporalio/common'
import { isDatabaseUnavailable } from '../src/db/connection/failure.ts'
import type { Logger } from '../src/process/log.ts'

type ActivityMap = Record<string, (...args: never[]) => Promise<unknown>>

export function withErrorCodes<A extends ActivityMap>(log: Logger, activities: A): A {
  const wrapped = Object.entries(activities).map(([name, activity]) => [
    name,
    async (...args: never[]) => {
      try {
        return await activity(...args)
      } catch (err) {
        if (err instanceof ApplicationFailure || err instanceof CompleteAsyncError) throw err
        const code = isDatabaseUnavailable(err) ? 'database_unavailable' : 'internal_error'
        log.warn({ err, activity: name, code }, 'activity failed')
        throw ApplicationFailure.retryable(code, code)
      }
    },
  ])
  return Object.fromEntries(wrapped)
}
