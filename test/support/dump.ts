/** Dumps all stored data as searchable text: tables, decrypted values, blobs and histories. */
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Client } from '@temporalio/client'
import { sql } from 'drizzle-orm'
import type { Database } from '../../src/db/connection/database.ts'
import { partsOf, SEALED_COLUMNS, sealedFor } from '../../src/db/connection/sealed.ts'
import type { Config } from '../../src/process/config.ts'
import { blobFolderOf, blobsIn } from './checks.ts'

async function tableNames({ orm }: Database): Promise<string[]> {
  const rows = await orm.execute<{ name: string }>(
    sql`SELECT table_name AS name FROM information_schema.tables
      WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`,
  )
  return rows.map(({ name }) => name)
}

/** Returns every column of every row of every table as text, with bytes as Latin-1. */
export async function dumpTables(db: Database): Promise<string> {
  const texts: string[] = []
  for (const name of await tableNames(db)) {
    const rows = await db.orm.execute(sql`SELECT * FROM ${sql.identifier(name)}`)
    texts.push(...rows.flatMap((row) => Object.values(row).map(readable)))
  }
  return texts.join('\n')
}

const readable = (value: unknown): string =>
  Buffer.isBuffer(value)
    ? value.toString('latin1')
    : typeof value === 'string'
      ? value
      : JSON.stringify(value)

/** Returns every encrypted value, decrypted with the keys of `db`. */
export async function dumpSealed(db: Database): Promise<string> {
  const texts: string[] = []
  for (const name of SEALED_COLUMNS) {
    const { table, column, owner } = partsOf(name)
    const rows = await db.orm.execute<{ owner: string; sealed: Buffer }>(
      sql`SELECT ${owner}::text AS owner, ${column} AS sealed FROM ${table} WHERE ${column} IS NOT NULL`,
    )
    for (const row of rows)
      texts.push(`${name} ${db.encryption.unseal(row.sealed, sealedFor(name, row.owner))}`)
  }
  return texts.join('\n')
}

/** Returns every stored file as it was uploaded. */
export const dumpBlobs = (config: Pick<Config, 'BLOB_URL'>, { encryption }: Database): string =>
  blobsIn(blobFolderOf(config))
    .map((name) =>
      encryption.unseal(readFileSync(join(blobFolderOf(config), name)), `files:${basename(name)}`),
    )
    .map((content) => content.toString('latin1'))
    .join('\n')

/** Returns every workflow of the namespace with its IDs, search attributes, memo, details and history. */
export async function dumpTemporal({ workflow, connection, options }: Client): Promise<string> {
  const texts: string[] = []
  const { namespace } = options
  for await (const { workflowId, runId } of workflow.list()) {
    const execution = { workflowId, runId }
    const described = await connection.workflowService.describeWorkflowExecution({ namespace, execution })
    const { events } = await workflow.getHandle(workflowId, runId).fetchHistory()
    texts.push(...textsIn(described), ...textsIn(events))
  }
  return texts.join('\n')
}

/** Returns all strings in a value, and all bytes as text. */
function textsIn(value: unknown): string[] {
  if (value instanceof Uint8Array) return [Buffer.from(value).toString('latin1')]
  if (Array.isArray(value)) return value.flatMap(textsIn)
  if (typeof value === 'object' && value !== null) return Object.entries(value).flat().flatMap(textsIn)
  return typeof value === 'string' ? [value] : []
}
