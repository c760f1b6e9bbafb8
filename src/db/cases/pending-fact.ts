/** Queries for the outbox of facts. */
import { and, asc, eq, gt, lt, sql } from 'drizzle-orm'
import { pendingFacts } from '../../../drizzle/schema.ts'
import type { Entity, EntityRef, Facts, Ref } from '../../domain/entity.ts'
import { checkFact, type VerificationCheck } from '../../domain/identification/verification-check.ts'
import type { Database } from '../connection/database.ts'

export interface PendingFact<E extends Entity = Entity> {
  readonly target: EntityRef<E>
  readonly fact: Facts[E]
}

/** Belongs into the transaction of the change. A fact that is already pending stays as it is. */
export async function insertFact<E extends Entity>(
  tx: Database,
  sourceId: string,
  { entity, id: entityId, vaultId }: EntityRef<E>,
  fact: Facts[E],
): Promise<void> {
  const row = { id: fact.id, sourceId, entity, entityId, vaultId, fact }
  await tx.orm.insert(pendingFacts).values(row).onConflictDoNothing()
}

/** The fact that an identification's check has ended. */
export const insertCheckFact = (tx: Database, check: VerificationCheck): Promise<void> => {
  const { identificationId: id, vaultId } = check
  return insertFact(tx, id, { entity: 'identification', id, vaultId }, checkFact(check))
}

/** Belongs into the transaction that follows the fact. A message that only has its id settles nothing. */
export async function settleFact(tx: Database, fact: Facts[Entity]): Promise<void> {
  const isSame = sql`${pendingFacts.fact} = ${JSON.stringify(fact)}::jsonb`
  await tx.orm.delete(pendingFacts).where(and(eq(pendingFacts.id, fact.id), isSame))
}

/** The facts of one source, in their order. */
export async function findPendingFacts(db: Database, sourceId: string): Promise<PendingFact[]> {
  const rows = await db.orm
    .select()
    .from(pendingFacts)
    .where(eq(pendingFacts.sourceId, sourceId))
    .orderBy(asc(pendingFacts.createdAt))
  return rows.map(({ entity, entityId: id, vaultId, fact }) => ({ target: { entity, id, vaultId }, fact }))
}

/** The sources after `after` with facts that are pending for over ten seconds. */
export async function findSourcesOfOldFacts(
  db: Database,
  after: string,
  limit: number,
): Promise<Pick<Ref, 'id'>[]> {
  const isOld = lt(pendingFacts.createdAt, sql`now() - interval '10 seconds'`)
  return db.orm
    .select({ id: pendingFacts.sourceId })
    .from(pendingFacts)
    .where(and(gt(pendingFacts.sourceId, after), isOld))
    .groupBy(pendingFacts.sourceId)
    .orderBy(pendingFacts.sourceId)
    .limit(limit)
}
