/** Queries for the outbox of facts, which contains those that a workflow has yet to apply. */
import { and, asc, eq, gt, sql } from 'drizzle-orm'
import { pendingFacts } from '../../../drizzle/schema.ts'
import { storedFact } from '../../domain/base/fact.ts'
import type { Entity, EntityRef, Facts, Ref } from '../../domain/entity/entity.ts'
import { checkFact, type VerificationCheck } from '../../domain/identification/verification-check.ts'
import { isOlderThan } from '../connection/clock.ts'
import type { Database } from '../connection/database.ts'
import type { StoredTrace } from './command.ts'

export interface PendingFact<E extends Entity = Entity> {
  readonly target: EntityRef<E>
  readonly fact: Facts[E]
  readonly traceparent: string | null
}

/** Inserts a fact in the transaction of the change that caused it. Does not change a fact that is already pending. */
export async function insertFact<E extends Entity>(
  tx: Database,
  sourceId: string,
  { entity, id: entityId, vaultId }: EntityRef<E>,
  fact: Facts[E],
): Promise<void> {
  const { traceparent } = tx.span
  const row = { id: fact.id, sourceId, entity, entityId, vaultId, fact: storedFact(fact), traceparent }
  await tx.orm.insert(pendingFacts).values(row).onConflictDoNothing()
}

export const insertCheckFact = (tx: Database, check: VerificationCheck): Promise<void> => {
  const { identificationId: id, vaultId } = check
  return insertFact(tx, id, { entity: 'identification', id, vaultId }, checkFact(check))
}

/**
 * Deletes a fact in the transaction that applies it. Ignores a message that has the fact's ID but different content.
 */
export async function settleFact(tx: Database, fact: Facts[Entity]): Promise<void> {
  const [stored, named] = [storedFact(fact), fact].map((each) => sql`${JSON.stringify(each)}::jsonb`)
  const isSame = sql`${pendingFacts.fact} IN (${stored}, ${named})`
  await tx.orm.delete(pendingFacts).where(and(eq(pendingFacts.id, fact.id), isSame))
}

/** Returns the trace of a fact, or null if the fact is not pending. */
export async function findFactTrace(db: Database, id: string): Promise<StoredTrace | null> {
  const { traceparent, createdAt } = pendingFacts
  const [row] = await db.orm
    .select({ traceparent, createdAt })
    .from(pendingFacts)
    .where(eq(pendingFacts.id, id))
  return row ?? null
}

/** Returns the pending facts of one source, in the order of their creation. */
export async function findPendingFacts(db: Database, sourceId: string): Promise<PendingFact[]> {
  const rows = await db.orm
    .select()
    .from(pendingFacts)
    .where(eq(pendingFacts.sourceId, sourceId))
    .orderBy(asc(pendingFacts.createdAt))
  return rows.map(({ entity, entityId: id, vaultId, fact, traceparent }) => ({
    target: { entity, id, vaultId },
    fact,
    traceparent,
  }))
}

/** Returns sources with IDs above `after` whose facts have been pending for over ten seconds. */
export async function findSourcesOfOldFacts(
  db: Database,
  after: string,
  limit: number,
): Promise<Pick<Ref, 'id'>[]> {
  const isOld = isOlderThan(pendingFacts.createdAt, 10)
  return db.orm
    .select({ id: pendingFacts.sourceId })
    .from(pendingFacts)
    .where(and(gt(pendingFacts.sourceId, after), isOld))
    .groupBy(pendingFacts.sourceId)
    .orderBy(pendingFacts.sourceId)
    .limit(limit)
}
