/** Tells the workers of other processes that webhook logs or entities were committed, at most once at a time. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../db/connection/database.ts'
import { notifyWebhookLogs } from '../db/connection/notification.ts'
import type { Logger } from '../process/log.ts'

/** Dispatchers do not claim more often. */
const PAUSE_MS = 8

export interface Notifier {
  /** That these were committed; returns at once. */
  tell(ids: readonly string[]): void
  /** Whether a statement may tell of what it writes by itself, which saves one: then nobody else does for a moment. */
  mayTell(): boolean
  /** Resolves when nothing is left to be told. */
  idle(): Promise<void>
}

export function createNotifier({ db, log }: { db: Database; log: Logger }): Notifier {
  let running: Promise<void> | null = null
  let news = false

  async function run(): Promise<void> {
    while (news) {
      news = false
      await notifyWebhookLogs(db).catch((err) =>
        log.warn({ err }, 'the workers were not told of what waits for them'),
      )
      await sleep(PAUSE_MS)
    }
    running = null
  }
  return {
    tell(ids) {
      if (ids.length === 0) return
      news = true
      running ??= run()
    },
    mayTell() {
      if (running) return false
      running = sleep(PAUSE_MS).then(run)
      return true
    },
    async idle() {
      await running
    },
  }
}
