/**
 * Notifications over PostgreSQL. Workers learn of waiting webhook logs and entities, and APIs learn of changed access.
 * A lost notification only causes a delay: housekeeping finds the work, and APIs cache callers only for a few seconds.
 */
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Placeholder, sql } from 'drizzle-orm'
import type { Logger } from '../../process/log.ts'
import type { Database } from './database.ts'
import { createClient } from './driver.ts'

/** Triggers on `api_keys` and `users` notify the channel `access`. */
type Channel = 'webhook_logs' | 'access'
const PAUSE_MS = 1_000
/** The time after which a connection that is not listening is closed. For example, a standby refuses to listen. */
const MAX_SILENCE_MS = 5_000

/** The content of a commit. With `all`, it can include entities or emails, whose workflows must be started. */
export type News = 'logs' | 'all'

/** The part of a statement that notifies workers after the commit, once for all rows. */
export const notifying = (news: News | Placeholder) =>
  sql`pg_notify('${sql.raw('webhook_logs' satisfies Channel)}', ${news}::text)`

export async function notifyWebhookLogs(db: Database): Promise<void> {
  await db.orm.execute(sql`SELECT ${notifying('all')}`)
}

/**
 * Calls `onNews` with the payload of each notification. Also calls it each time listening begins, because notifications
 * may have been lost in the meantime.
 */
export function listen(url: string, channel: Channel, onNews: (payload: string) => void, log: Logger) {
  const stopping = new AbortController()
  let socket: Socket | undefined
  let listening: Socket | undefined
  let silenceTimer: NodeJS.Timeout | undefined
  let tries = 0
  const client = createClient(url, {
    async beforeConnecting() {
      stopping.signal.throwIfAborted()
      if (tries++ === 0) return
      log.warn({ channel }, 'connection for notifications was lost')
      await sleep(PAUSE_MS, undefined, { signal: stopping.signal })
    },
    onSocket(made) {
      socket = made
      clearTimeout(silenceTimer)
      silenceTimer = setTimeout(() => made.destroy(), MAX_SILENCE_MS)
    },
  })
  const onListening = () => {
    clearTimeout(silenceTimer)
    listening = socket
    onNews('')
  }
  // The driver retries by itself, and does not report why a retry fails.
  client.listen(channel, onNews, onListening).catch((err) => {
    if (!stopping.signal.aborted) log.warn({ err, channel }, 'cannot listen for notifications')
  })
  return {
    /** Returns whether notifications currently arrive. */
    isListening: () => listening !== undefined && !listening.destroyed,
    async stop(): Promise<void> {
      stopping.abort()
      clearTimeout(silenceTimer)
      await client.end({ timeout: 1 })
      // A server that has disappeared does not confirm the end of the connection.
      socket?.destroy()
    },
  }
}
