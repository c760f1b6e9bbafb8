/** Erases what webhook logs hold of an identification: free attributes, and what receivers answered. */
import { and, eq, gte, or, sql } from 'drizzle-orm'
import { webhookAttempts, webhookLogs } from '../../drizzle/schema.ts'
import { erasedPayload } from '../domain/erasure.ts'
import { isAnyOf } from './any-of.ts'
import type { Database } from './database.ts'

/** Every log of the vault whose payload names one of the ids; none is older than what it tells of. */
export async function eraseWebhookTraces(
  tx: Database,
  vaultId: string,
  ids: readonly string[],
  since: Date,
): Promise<void> {
  const names = or(...ids.map((id) => sql`${webhookLogs.payload} LIKE ${`%${id}%`}`))
  const logs = await tx.orm
    .select({ id: webhookLogs.id, payload: webhookLogs.payload })
    .from(webhookLogs)
    .where(and(eq(webhookLogs.vaultId, vaultId), gte(webhookLogs.createdAt, since), names))
    .for('update')
  for (const { id, payload } of logs) {
    await tx.orm
      .update(webhookLogs)
      .set({ payload: erasedPayload(payload), failReason: null })
      .where(eq(webhookLogs.id, id))
  }
  if (logs.length === 0) return
  const logIds = logs.map(({ id }) => id)
  await tx.orm
    .update(webhookAttempts)
    .set({ excerpt: null })
    .where(isAnyOf(webhookAttempts.webhookLogId, logIds))
}
