/** The dispatcher of a process without workers: tells those that have them, at most once at a time. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../db/database.ts'
import { notifyWebhookLogs } from '../db/notification.ts'
import type { Logger } from '../log.ts'
import type { Dispatcher } from './dispatcher.ts'

/** Dispatchers do not claim more often. */
const PAUSE_MS = 8

export function createNotifier({ db, log }: { db: Database; log: Logger }): Dispatcher {
  let running: Promise<void> | null = null
  let news = false

  async function tell(): Promise<void> {
    while (news) {
      news = false
      await notifyWebhookLogs(db).catch((err) =>
        log.warn({ err }, 'the workers were not told of webhook logs'),
      )
      await sleep(PAUSE_MS)
    }
    running = null
  }
  return {
    add(ids) {
      if (ids.length === 0) return
      news = true
      running ??= tell()
    },
    async idle() {
      await running
    },
  }
}
