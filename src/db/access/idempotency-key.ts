/** Queries for idempotency keys. A key's row records the current run of the request and its response. */
import { and, eq, isNull, lt, sql } from 'drizzle-orm'
import { idempotencyKeys } from '../../../drizzle/schema.ts'
import { deleteOldest } from '../connection/batches.ts'
import { comesWithin } from '../connection/clock.ts'
import type { Database } from '../connection/database.ts'
import { sealedFor } from '../connection/sealed.ts'

/** Exceeds the time for which a request runs without renewing its lease. A run that loses its lease is rolled back. */
const LEASE = sql`clock_timestamp() + interval '30 seconds'`
const A_DAY_AGO = sql`clock_timestamp() - interval '24 hours'`

/** One run of a request. A later run of the same request has the same effect ID and a higher number. */
export interface Run {
  readonly scope: string
  readonly effectId: string
  readonly run: number
}

type Claim =
  | ({ readonly outcome: 'claimed' } & Run)
  | { readonly outcome: 'answered'; readonly answer: unknown }
  | { readonly outcome: 'under_way' | 'reused' }

const context = (scope: string) => sealedFor('idempotency_keys.response', scope)

/**
 * Claims the request, unless another run has stored a response or still holds a lease. The outcome is `reused` if the
 * key belongs to a different request.
 */
export async function claimRequest(
  db: Database,
  request: { scope: string; requestHash: Buffer; effectId: string },
): Promise<Claim> {
  const { scope, requestHash } = request
  await db.orm
    .delete(idempotencyKeys)
    .where(and(eq(idempotencyKeys.scope, scope), lt(idempotencyKeys.createdAt, A_DAY_AGO)))
  const [mine] = await db.orm
    .insert(idempotencyKeys)
    .values({ ...request, leaseExpiresAt: LEASE })
    .onConflictDoUpdate({
      target: idempotencyKeys.scope,
      set: { run: sql`${idempotencyKeys.run} + 1`, leaseExpiresAt: LEASE },
      setWhere: sql`${idempotencyKeys.response} IS NULL
        AND ${idempotencyKeys.requestHash} = ${requestHash}
        AND NOT ${comesWithin(idempotencyKeys.leaseExpiresAt, 60)}`,
    })
    .returning({ effectId: idempotencyKeys.effectId, run: idempotencyKeys.run })
  if (mine) return { outcome: 'claimed', scope, ...mine }
  const [found] = await db.orm.select().from(idempotencyKeys).where(eq(idempotencyKeys.scope, scope))
  if (!found) return { outcome: 'under_way' }
  if (!found.requestHash.equals(requestHash)) return { outcome: 'reused' }
  if (!found.response) return { outcome: 'under_way' }
  return { outcome: 'answered', answer: db.encryption.unsealJson(found.response, context(scope)) }
}

const unanswered = ({ scope, run }: Run) =>
  and(eq(idempotencyKeys.scope, scope), eq(idempotencyKeys.run, run), isNull(idempotencyKeys.response))

/** Records that a form was submitted. Returns false if it already was, within the last 24 hours. */
export async function claimForm(tx: Database, scope: string, effectId: string): Promise<boolean> {
  const claimed = await tx.orm
    .insert(idempotencyKeys)
    .values({ scope, effectId, requestHash: Buffer.alloc(0), leaseExpiresAt: sql`clock_timestamp()` })
    .onConflictDoNothing()
    .returning({ run: idempotencyKeys.run })
  return claimed.length > 0
}

/** Stores the response. Returns false if another run has claimed the request or stored its response. */
export async function storeResponse(tx: Database, run: Run, answer: object): Promise<boolean> {
  const kept = await tx.orm
    .update(idempotencyKeys)
    .set({ response: tx.encryption.sealJson(answer, context(run.scope)) })
    .where(unanswered(run))
    .returning({ run: idempotencyKeys.run })
  return kept.length > 0
}

/** Extends the lease. Returns false if another run has claimed the request or stored its response. */
export async function renewLease(tx: Database, run: Run): Promise<boolean> {
  const renewed = await tx.orm
    .update(idempotencyKeys)
    .set({ leaseExpiresAt: LEASE })
    .where(unanswered(run))
    .returning({ run: idempotencyKeys.run })
  return renewed.length > 0
}

/**
 * Ends the lease, so that the next request runs immediately. Keeps the effect ID, because this run may have had
 * effects.
 */
export async function releaseRequest(db: Database, run: Run): Promise<void> {
  await db.orm.update(idempotencyKeys).set({ leaseExpiresAt: sql`clock_timestamp()` }).where(unanswered(run))
}

/** Deletes the key of a run without effects, so that it counts as unused. */
export async function forgetRequest(db: Database, run: Run): Promise<void> {
  await db.orm.delete(idempotencyKeys).where(unanswered(run))
}

export const deleteOldIdempotencyKeys = (db: Database): Promise<number> =>
  deleteOldest(db, idempotencyKeys.createdAt, sql`created_at < now() - interval '24 hours'`)
