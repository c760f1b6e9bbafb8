/** Checks that all connections of a process to PostgreSQL are available, and that there are no others. */
import { sql } from 'drizzle-orm'
import postgres from 'postgres'
import { expect } from 'vitest'
import { type Database, type DatabasePool, transaction } from '../../src/db/connection/database.ts'
import { eventually } from './instance.ts'

/** Returns the number of Gatehouse sessions in PostgreSQL. */
export async function sessionsOf(databaseUrl: string): Promise<number> {
  const client = postgres(databaseUrl, { max: 1, connection: { application_name: 'counting' } })
  const [row] = await client<{ count: number }[]>`
    SELECT count(*)::int FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'gatehouse'`
  await client.end()
  return row?.count ?? 0
}

/** Waits until a query of the database waits for a lock. */
export const untilBlocked = ({ orm }: Database): Promise<void> =>
  eventually(async () => {
    const waiting = await orm.execute(
      sql`SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
    )
    expect(waiting.length).toBeGreaterThan(0)
  })

/** Uses all connections concurrently, then in sequence, and checks that PostgreSQL has no more sessions. */
export async function expectWhole(
  db: DatabasePool,
  databaseUrl: string,
  size: number,
  sessions = size,
): Promise<void> {
  let inside = 0
  let openGate = () => {}
  const gate = new Promise<void>((resolve) => {
    openGate = resolve
  })
  const together = () =>
    transaction(db, async (tx) => {
      await tx.orm.execute(sql`SELECT ${1}::int`)
      if (++inside === size) openGate()
      await gate
      await tx.orm.execute(sql`SELECT ${2}::int`)
    })
  await Promise.all(Array.from({ length: size }, together))
  const alone = () => transaction(db, (tx) => tx.orm.execute(sql`SELECT ${3}::int`))
  await Promise.all(Array.from({ length: 5 * size }, alone))
  await eventually(async () => expect(await sessionsOf(databaseUrl)).toBeLessThanOrEqual(sessions))
}
