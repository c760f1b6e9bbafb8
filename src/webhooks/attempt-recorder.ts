/**
 * Records attempts, many in one statement. While the database is unavailable, the results wait in memory, because an
 * event whose result is lost would be sent again.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../db/connection/database.ts'
import { isDatabaseUnavailable } from '../db/connection/failure.ts'
import { type Recording, type Release, recordAttempts, releaseLogs } from '../db/webhooks/attempt.ts'
import type { LogStatus } from '../domain/webhook/events.ts'
import { createGroupCommit } from './group-commit.ts'

const MAX_PER_STATEMENT = 500
const RETRY_PAUSE_MS = 500

export interface AttemptRecorder {
  /** Records a result. Throws if it cannot be recorded. */
  record(recording: Recording): Promise<void>
  /** Releases a log whose attempt was not completed. */
  release(release: Release): Promise<void>
}

interface RecorderOptions {
  readonly db: Database
  /** Once this returns true, recording is not retried. */
  readonly isStopping: () => boolean
  /** Called with the status of each log whose attempt is complete and recorded. */
  readonly onAttempted?: ((status: LogStatus) => void) | undefined
}

export function createAttemptRecorder({ db, isStopping, onAttempted }: RecorderOptions): AttemptRecorder {
  const write = createGroupCommit(recordAll, { max: MAX_PER_STATEMENT })
  const release = createGroupCommit(releaseAll, { max: MAX_PER_STATEMENT })

  /**
   * Records results. Returns the failure of each, or null. One result that cannot be written must not prevent the
   * others from being written.
   */
  async function recordAll(recordings: readonly Recording[]): Promise<(Error | null)[]> {
    try {
      await recordWhenAvailable(recordings)
      return recordings.map(() => null)
    } catch (error) {
      if (recordings.length === 1) return [error as Error]
      const failures: (Error | null)[] = []
      for (const recording of recordings) failures.push(...(await recordAll([recording])))
      return failures
    }
  }

  async function recordWhenAvailable(recordings: readonly Recording[]): Promise<void> {
    for (;;) {
      try {
        return await recordAttempts(db, recordings)
      } catch (error) {
        if (!isDatabaseUnavailable(error) || isStopping()) throw error
        await sleep(RETRY_PAUSE_MS)
      }
    }
  }

  async function releaseAll(releases: readonly Release[]): Promise<readonly Release[]> {
    await releaseLogs(db, releases)
    return releases
  }

  return {
    async release(each) {
      await release(each)
    },
    async record(recording) {
      const failure = await write(recording)
      if (failure) throw failure
      if (recording.isLast) onAttempted?.(recording.status)
    },
  }
}
