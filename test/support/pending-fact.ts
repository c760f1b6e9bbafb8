/** Facts whose signal was lost one minute ago. */
import { eq } from 'drizzle-orm'
import { pendingFacts } from '../../drizzle/schema.ts'
import { insertFact } from '../../src/db/commands/pending-fact.ts'
import type { Entity, EntityRef, Facts } from '../../src/domain/entity/entity.ts'
import type { Instance } from './instance.ts'

const MINUTE_MS = 60_000

/** Ages the pending facts of a source. */
export const agePendingFacts = ({ db }: Instance, sourceId: string) =>
  db.orm
    .update(pendingFacts)
    .set({ createdAt: new Date(Date.now() - MINUTE_MS) })
    .where(eq(pendingFacts.sourceId, sourceId))

export async function insertLostFact<E extends Entity>(
  gatehouse: Instance,
  sourceId: string,
  target: EntityRef<E>,
  fact: Facts[E],
): Promise<void> {
  await insertFact(gatehouse.db, sourceId, target, fact)
  await agePendingFacts(gatehouse, sourceId)
}
