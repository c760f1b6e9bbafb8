/** Attempts to deliver a webhook log: what was already tried, and what came of the newest attempt. */
import { and, desc, eq, inArray, sql } from 'drizzle-orm'
import { webhookAttempts, webhookLogs } from '../../drizzle/schema.ts'
import type { LogStatus } from '../domain/events.ts'
import { type Database, transaction } from './database.ts'
import { sealedFor } from './sealed.ts'
import { readWebhookSecret } from './webhook-setting.ts'

/** What one attempt at one URL came to. */
export interface AttemptResult {
  readonly url: string
  readonly accepted: boolean
  readonly statusCode: number | null
  /** Why it was not accepted; null when it was. */
  readonly error: string | null
  readonly durationMs: number
  readonly excerpt: string | null
}

export interface Delivery {
  readonly id: string
  readonly round: number
  readonly payload: string
  readonly urls: readonly string[]
  readonly secret: string
  /** The newest recorded attempt of this round. */
  readonly lastAttempt: { readonly number: number; readonly ageSeconds: number } | null
}

const UNFINISHED = ['pending', 'processing'] as const

/** Marks the log as processing and gives what an attempt needs; null when its state is final. */
export async function beginAttempt(db: Database, id: string): Promise<Delivery | null> {
  const [log] = await db.orm
    .update(webhookLogs)
    .set({ status: 'processing' })
    .where(and(eq(webhookLogs.id, id), inArray(webhookLogs.status, UNFINISHED)))
    .returning()
  if (!log) return null
  const [last] = await db.orm
    .select({
      number: webhookAttempts.number,
      // By the clock that wrote it: those of two machines differ.
      ageSeconds: sql<number>`extract(epoch from clock_timestamp() - ${webhookAttempts.createdAt})::float8`,
    })
    .from(webhookAttempts)
    .where(and(eq(webhookAttempts.webhookLogId, id), eq(webhookAttempts.round, log.round)))
    .orderBy(desc(webhookAttempts.number))
    .limit(1)
  return {
    id,
    round: log.round,
    payload: log.payload,
    urls: log.urlsDestiny,
    secret: await readWebhookSecret(db, log.vaultId),
    lastAttempt: last ?? null,
  }
}

/** Records an attempt at all URLs together with the state of the log that follows from it. */
export async function recordAttempt(
  db: Database,
  delivery: Delivery,
  number: number,
  results: readonly AttemptResult[],
  status: LogStatus,
): Promise<void> {
  const failure = results.findLast((result) => !result.accepted)
  await transaction(db, async (tx) => {
    await tx.orm
      .insert(webhookAttempts)
      .values(
        results.map(({ accepted: _, excerpt, ...result }) => ({
          ...result,
          // Receivers answer what they like, also with the data they were asked about.
          excerpt:
            excerpt === null
              ? null
              : tx.encryption.seal(excerpt, sealedFor('webhook_attempts.excerpt', delivery.id)),
          webhookLogId: delivery.id,
          round: delivery.round,
          number,
        })),
      )
      .onConflictDoNothing()
    await tx.orm
      .update(webhookLogs)
      .set({ status, retries: number - 1, failReason: failure?.error ?? null })
      .where(
        and(
          eq(webhookLogs.id, delivery.id),
          eq(webhookLogs.round, delivery.round),
          inArray(webhookLogs.status, UNFINISHED),
        ),
      )
  })
}
