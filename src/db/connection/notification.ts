/**
 * News over PostgreSQL: that webhook logs or entities wait, for workers; that somebody's access has changed, for APIs. Lost news
 * costs time only: housekeeping finds the logs, and callers are known for a few seconds.
 */
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import type { Logger } from '../../process/log.ts'
import type { Database } from './database.ts'
import { createClient } from './driver.ts'

/** Triggers on `api_keys` and `users` notify `access`. */
type Channel = 'webhook_logs' | 'access'
const PAUSE_MS = 1_000
/** A connection on which it does not listen by then is given up: a standby, for one, refuses it. */
const MAX_SILENCE_MS = 5_000

/** Part of a statement: workers hear of it once that is committed, once for all rows. */
export const NOTIFY_WEBHOOK_LOGS = sql.raw(`pg_notify('${'webhook_logs' satisfies Channel}', '')`)

export async function notifyWebhookLogs(db: Database): Promise<void> {
  await db.orm.execute(sql`SELECT ${NOTIFY_WEBHOOK_LOGS}`)
}

/** Calls `onNews` for every piece of news and after every time without a connection. */
export function listen(url: string, channel: Channel, onNews: () => void, log: Logger) {
  const stopping = new AbortController()
  let socket: Socket | undefined
  let listening: Socket | undefined
  let givingUp: NodeJS.Timeout | undefined
  let tries = 0
  const client = createClient(url, {
    async beforeConnecting() {
      stopping.signal.throwIfAborted()
      if (tries++ === 0) return
      log.warn({ channel }, 'the connection that listens for news was lost')
      await sleep(PAUSE_MS, undefined, { signal: stopping.signal })
    },
    onSocket(made) {
      socket = made
      clearTimeout(givingUp)
      givingUp = setTimeout(() => made.destroy(), MAX_SILENCE_MS)
    },
  })
  const onListening = () => {
    clearTimeout(givingUp)
    listening = socket
    onNews()
  }
  // The driver makes the further tries by itself, and keeps to itself why they fail.
  client.listen(channel, onNews, onListening).catch((err) => {
    if (!stopping.signal.aborted) log.warn({ err, channel }, 'cannot listen for news')
  })
  return {
    /** Whether news would be heard now. */
    isListening: () => listening !== undefined && !listening.destroyed,
    async stop(): Promise<void> {
      stopping.abort()
      clearTimeout(givingUp)
      await client.end({ timeout: 1 })
      // A server that is gone without a word does not answer a farewell.
      socket?.destroy()
    },
  }
}
