/** Queries for the deliveries about one application or identification. They search the payloads for the entity's ID. */
import { and, asc, desc, eq, type SQL, sql } from 'drizzle-orm'
import { final, unfinished, webhookAttempts, webhookLogs } from '../../../drizzle/schema.ts'
import type { Listed, Page } from '../../domain/base/page.ts'
import type { Ref } from '../../domain/entity/entity.ts'
import type { Delivery } from '../../domain/webhook/log.ts'
import type { Database } from '../connection/database.ts'
import { eqAny } from '../connection/eq-any.ts'
import { hasText, mostSelectiveTerm, unsealAttempt, waitingOf } from './log.ts'

/** Returns a page of the logs whose payload contains the target's ID, newest first, with their attempts. */
export async function listDeliveries(
  db: Database,
  target: Ref,
  { page, per_page }: Page,
): Promise<Listed<Delivery>> {
  const naming = logsNaming(target)
  const offset = (page - 1) * per_page
  const found = await db.orm.execute<{ id: string }>(
    sql`SELECT id FROM (${naming}) AS named ORDER BY id DESC LIMIT ${per_page} OFFSET ${offset}`,
  )
  const [total] = await db.orm.execute<{ count: number }>(
    sql`SELECT count(*)::int AS count FROM (${naming}) AS named`,
  )
  const ids = found.map(({ id }) => id)
  const logs = await db.orm
    .select()
    .from(webhookLogs)
    .where(and(eq(webhookLogs.vaultId, target.vaultId), eqAny(webhookLogs.id, ids)))
    .orderBy(desc(webhookLogs.id))
  const { webhookLogId, round, number, url } = webhookAttempts
  const attempts = await db.orm
    .select()
    .from(webhookAttempts)
    .where(eqAny(webhookLogId, ids))
    .orderBy(asc(round), asc(number), asc(url))
  const attemptsOf = (id: string) => attempts.filter((attempt) => attempt.webhookLogId === id)
  return {
    entries: logs.map((log) => ({
      ...log,
      attempts: attemptsOf(log.id).map((attempt) => unsealAttempt(db, attempt)),
    })),
    totalCount: total?.count ?? 0,
  }
}

/** Returns whether the log's payload contains the target's ID. */
export async function isDeliveryAbout(db: Database, target: Ref, id: string): Promise<boolean> {
  const found = await db.orm.execute(sql`SELECT 1 FROM (${logsNaming(target)}) AS named WHERE id = ${id}`)
  return found.length > 0
}

/**
 * Selects the logs whose payload contains the ID. The search index covers most payloads, but neither those of
 * unfinished logs nor those of logs that ended since the last housekeeping. Each kind has its own index.
 */
const logsNaming = ({ id, vaultId }: Ref): SQL => sql`
  SELECT id FROM (
    SELECT id, payload FROM webhook_logs
    WHERE indexed AND vault_id = ${vaultId} AND ${hasText(mostSelectiveTerm(id))} OFFSET 0
  ) AS likely WHERE ${hasText(id)}
  UNION ALL
  SELECT id FROM webhook_logs WHERE NOT indexed AND ${final} AND vault_id = ${vaultId} AND ${hasText(id)}
  UNION ALL
  SELECT id FROM webhook_logs WHERE NOT indexed AND ${unfinished} AND vault_id = ${vaultId} AND ${hasText(id)}
  UNION ALL
  SELECT id FROM webhook_logs WHERE NOT indexed AND ${waitingOf(vaultId)} AND vault_id = ${vaultId} AND ${hasText(id)}`
