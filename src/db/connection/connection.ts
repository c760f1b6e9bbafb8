/**
 * Opens one connection to PostgreSQL. The connection is established at the first query, and is never reused after a
 * failure.
 */
import type { Socket } from 'node:net'
import { makePgArray } from 'drizzle-orm/pg-core'
import postgres from 'postgres'
import { CONNECT_MS, connectionError, createClient } from './driver.ts'

/** The SQLSTATE of a write to a read-only server, such as a former primary. */
export const READ_ONLY = '25006'

export interface Connection {
  /** Runs a query. Prepares each text once. `asArrays` returns each row as an array in the order of the columns. */
  query(text: string, parameters: readonly unknown[], asArrays?: boolean): Promise<unknown[]>
  /** Returns whether the connection can no longer be used. */
  isLost(): boolean
  /** Closes the connection at once. Queries in progress fail. */
  drop(): void
  /** Closes the connection. The server has one second to respond. */
  end(): Promise<void>
}

/** Calls `onLost` if the connection is lost and was not closed on purpose. */
export function createConnection(databaseUrl: string, queryMs: number, onLost: () => void): Connection {
  let socket: Socket | undefined
  let lost = false
  let wanted = true
  const client = createClient(databaseUrl, {
    connectMs: Math.max(CONNECT_MS, queryMs / 2),
    parameters: { statement_timeout: queryMs, idle_in_transaction_session_timeout: queryMs + 1_000 },
    // Prevents the driver from reconnecting, because it would run the rest of a transaction outside that transaction.
    beforeConnecting() {
      if (socket || lost) throw connectionError('CONNECTION_CLOSED', 'the connection was lost')
    },
    onSocket(made) {
      socket = made
    },
    onClose() {
      lost = true
      if (wanted) onLost()
    },
  })

  function drop(): void {
    lost = true
    wanted = false
    socket?.destroy()
  }

  return {
    async query(text, parameters, asArrays = false) {
      if (lost) throw connectionError('CONNECTION_CLOSED', 'the connection was lost')
      const asked = client.unsafe(text, parameters.map(asParameter), { prepare: true })
      try {
        return await (asArrays ? asked.values() : asked)
      } catch (error) {
        // Without an error from the server, the state of the connection is unknown. After a read-only error, a new
        // connection may reach the primary.
        if (!(error instanceof postgres.PostgresError) || error.code === READ_ONLY) drop()
        throw error
      }
    },
    isLost: () => lost,
    drop,
    async end() {
      wanted = false
      await client.end({ timeout: 1 })
      drop()
    },
  }
}

/**
 * Serialises lists, because the driver knows array types only from the catalogue, and treats a list of bytes as bytes.
 */
function asParameter(value: unknown): postgres.ParameterOrJSON<never> {
  if (Array.isArray(value)) return makePgArray(value.map(asElement))
  return (value instanceof Date ? value.toISOString() : value) as postgres.ParameterOrJSON<never>
}

const asElement = (value: unknown) => (Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : value)
