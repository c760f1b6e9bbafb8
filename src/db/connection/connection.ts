/** One connection to PostgreSQL: it is made when something is first asked, once, and thrown away when it is lost. */
import type { Socket } from 'node:net'
import { makePgArray } from 'drizzle-orm/pg-core'
import postgres from 'postgres'
import { connectionError, createClient } from './driver.ts'

/** The code of a server that takes no changes, as one does that is not the first any more. */
export const READ_ONLY = '25006'

export interface Connection {
  /** Each text is planned once. `asArrays` gives rows as arrays in the order of the columns. */
  query(text: string, parameters: readonly unknown[], asArrays?: boolean): Promise<unknown[]>
  /** Whether it can no longer be used. */
  isLost(): boolean
  /** Ends it at once: what is asked on it fails. */
  drop(): void
  /** Takes leave of the server, which has a second to answer. */
  end(): Promise<void>
}

/** `onLost` is called when it is lost and nobody ended it. */
export function openConnection(databaseUrl: string, queryMs: number, onLost: () => void): Connection {
  let socket: Socket | undefined
  let lost = false
  let wanted = true
  const client = createClient(databaseUrl, {
    parameters: { statement_timeout: queryMs, idle_in_transaction_session_timeout: 5_000 },
    // The driver connects again by itself, and what was left of a transaction would go on outside of it.
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
        // Only after the server's own answer it is known what the connection is about; another may lead to another server.
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

/** The driver has no types for lists without asking the catalogue, and takes the bytes in one for its type. */
function asParameter(value: unknown): postgres.ParameterOrJSON<never> {
  if (Array.isArray(value)) return makePgArray(value.map(asElement))
  return (value instanceof Date ? value.toISOString() : value) as postgres.ParameterOrJSON<never>
}

const asElement = (value: unknown) => (Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : value)
