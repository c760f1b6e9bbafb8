/** Tells the workers, over PostgreSQL, that webhook logs wait. Lost news costs time only: see housekeeping. */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import pg from 'pg'
import type { Logger } from '../log.ts'
import type { Database } from './database.ts'

const CHANNEL = 'webhook_logs'
const PAUSE_MS = 1_000

export async function notifyWebhookLogs(db: Database): Promise<void> {
  await db.orm.execute(sql`SELECT pg_notify(${CHANNEL}, '')`)
}

/** Calls `onNews` for every piece of news and after every time without a connection. */
export function listenForWebhookLogs(url: string, onNews: () => void, log: Logger) {
  let client: pg.Client | undefined
  let stopping = false

  async function listen(): Promise<void> {
    while (!stopping) {
      client = new pg.Client({
        connectionString: url,
        keepAlive: true,
        keepAliveInitialDelayMillis: 10_000,
        connectionTimeoutMillis: 2_000,
      })
      const lost = new Promise((resolve) => client?.once('end', resolve))
      client.on('error', (err) => log.warn({ err }, 'the connection that listens for webhook logs was lost'))
      client.on('notification', onNews)
      try {
        await client.connect()
        await client.query(`LISTEN ${CHANNEL}`)
        onNews()
        await lost
      } catch (err) {
        log.warn({ err }, 'cannot listen for webhook logs')
      }
      await client.end().catch(() => {})
      if (!stopping) await sleep(PAUSE_MS)
    }
  }
  const listening = listen()
  return {
    async stop(): Promise<void> {
      stopping = true
      // A server that is gone without a word does not answer a farewell.
      const end = client?.end().catch(() => {})
      await Promise.race([Promise.all([end, listening]), sleep(PAUSE_MS, undefined, { ref: false })])
    },
  }
}
