/** Notifies the workers of other processes that webhook logs or entities were committed, at most every 8 ms. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../db/connection/database.ts'
import { notifyWebhookLogs } from '../db/connection/notification.ts'
import type { Logger } from '../process/log.ts'

/** Dispatchers do not claim more often. */
const PAUSE_MS = 8

export interface Notifier {
  /** Notifies the workers of these commits, without waiting. */
  notify(ids: readonly string[]): void
  /**
   * Returns whether the caller's statement may notify the workers itself, which saves a statement. If so, the notifier
   * sends nothing else until the pause ends.
   */
  reserve(): boolean
  /** Resolves when all notifications are sent. */
  idle(): Promise<void>
}

export function createNotifier({ db, log }: { db: Database; log: Logger }): Notifier {
  const state = { running: null as Promise<void> | null, hasNews: false }

  async function run(): Promise<void> {
    while (state.hasNews) {
      state.hasNews = false
      await notifyWebhookLogs(db).catch((err) =>
        log.warn({ err }, 'workers were not notified of new deliveries'),
      )
      await sleep(PAUSE_MS)
    }
    state.running = null
  }

  return {
    notify(ids) {
      if (ids.length === 0) return
      state.hasNews = true
      state.running ??= run()
    },
    reserve() {
      if (state.running) return false
      state.running = sleep(PAUSE_MS).then(run)
      return true
    },
    async idle() {
      await state.running
    },
  }
}
