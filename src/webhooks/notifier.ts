/** Notifies the workers of other processes that webhook logs or entities were committed. */
import type { Database } from '../db/connection/database.ts'
import { type News, notifyWebhookLogs } from '../db/connection/notification.ts'
import type { Logger } from '../process/log.ts'

/**
 * The minimum time between two notifications, and the longest time for which a commit waits to be reported. Dispatchers
 * do not claim more often.
 */
const PAUSE_MS = 8

export interface Notifier {
  /** Notifies the workers that these logs or entities were committed. Does not wait. */
  notify(ids: readonly string[]): void
  /**
   * Calls `write`, which writes webhook logs. If its argument is not null, its statement must notify the workers of
   * this news, which saves a separate statement. This also reports earlier commits that are still waiting. If `write` fails,
   * those commits are reported immediately.
   */
  notifyWith<T extends { readonly written: readonly string[] }>(
    write: (news: News | null) => Promise<T>,
  ): Promise<T>
  idle(): Promise<void>
}

export function createNotifier({ db, log }: { db: Database; log: Logger }): Notifier {
  let quietUntil = 0
  /** Set while commits are waiting to be reported. */
  let timer: NodeJS.Timeout | undefined
  let hasNews = false
  let running: Promise<void> | null = null

  async function run(): Promise<void> {
    while (hasNews) {
      hasNews = false
      quietUntil = Number.POSITIVE_INFINITY
      await notifyWebhookLogs(db).catch((err) =>
        log.warn({ err }, 'workers were not notified of new deliveries'),
      )
      quietUntil = performance.now() + PAUSE_MS
    }
    running = null
  }

  function send(): void {
    clearTimeout(timer)
    timer = undefined
    hasNews = true
    running ??= run()
  }

  const isQuiet = () => performance.now() < quietUntil

  function notify(ids: readonly string[]): void {
    if (ids.length === 0) return
    if (isQuiet()) timer ??= setTimeout(send, PAUSE_MS)
    else send()
  }

  return {
    notify,
    async notifyWith(write) {
      if (isQuiet()) {
        const result = await write(null)
        notify(result.written)
        return result
      }
      quietUntil = performance.now() + PAUSE_MS
      // If the statement takes long, the timer reports the waiting commits before the statement ends.
      const earlier = timer
      timer = undefined
      let isNotified = false
      try {
        const result = await write(earlier ? 'all' : 'logs')
        isNotified = result.written.length > 0
        return result
      } finally {
        clearTimeout(earlier)
        if (earlier && !isNotified) send()
      }
    },
    async idle() {
      if (timer) send()
      await running
    },
  }
}
