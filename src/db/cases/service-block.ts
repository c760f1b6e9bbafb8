/** Queries for blocked services. The rows record who blocked a service, when and why, and who lifted the block. */
import { and, isNull, sql } from 'drizzle-orm'
import { holds, serviceBlocks } from '../../../drizzle/schema.ts'
import {
  type IdentificationRecord,
  type ServiceBlock,
  serviceBlocksOf,
} from '../../domain/identification/record.ts'
import type { Database } from '../connection/database.ts'
import { eqAny } from '../connection/eq-any.ts'
import { sealedFor } from '../connection/sealed.ts'
import { holdContext } from './hold.ts'

/**
 * Writes the changes that a transition made to the holds. Activates new holds, lifts removed ones, and blocks or
 * unblocks the services of each account accordingly.
 */
export async function saveHolds(
  tx: Database,
  before: IdentificationRecord,
  after: IdentificationRecord,
  actor: string,
): Promise<void> {
  const applied = holdsMissingFrom(before, after)
  const lifted = holdsMissingFrom(after, before)
  const now = sql`clock_timestamp()`
  if (applied.length > 0) await tx.orm.update(holds).set({ appliedAt: now }).where(eqAny(holds.id, applied))
  if (lifted.length > 0)
    await tx.orm
      .update(holds)
      .set({ liftedAt: now, liftedBy: sql`coalesce(close_requested_by, ${actor})` })
      .where(eqAny(holds.id, lifted))
  await insertServiceBlocks(tx, before, after)
  if (lifted.length > 0)
    await tx.orm
      .update(serviceBlocks)
      .set({
        liftedAt: now,
        liftedBy: sql`(SELECT lifted_by FROM holds WHERE holds.id = ${serviceBlocks.holdId})`,
      })
      .where(and(eqAny(serviceBlocks.holdId, lifted), isNull(serviceBlocks.liftedAt)))
}

/** Returns the IDs of the holds that only the second record has. */
const holdsMissingFrom = (one: IdentificationRecord, other: IdentificationRecord): string[] =>
  other.state.holds.map(({ id }) => id).filter((id) => one.state.holds.every((hold) => hold.id !== id))

/**
 * The maximum number of rows in one statement. PostgreSQL accepts 65,535 parameters, and an identification can have
 * 1,000 accounts with several services each.
 */
const ROWS_AT_ONCE = 1_000

/** Records each service that only the second record blocks, with the reason, the notes and the actor of its hold. */
async function insertServiceBlocks(tx: Database, before: IdentificationRecord, after: IdentificationRecord) {
  const key = ({ holdId, accountId, service }: ServiceBlock) => `${holdId} ${accountId} ${service}`
  const known = new Set(serviceBlocksOf(before).map(key))
  const blocks = serviceBlocksOf(after).filter((block) => !known.has(key(block)))
  if (blocks.length === 0) return
  const ids = [...new Set(blocks.map(({ holdId }) => holdId))]
  const { seal, unseal } = tx.encryption
  const found = await tx.orm.select().from(holds).where(eqAny(holds.id, ids))
  const recorded = new Map(
    found.map(({ id, reason, notes, openedBy }) => {
      const sealed = notes && seal(unseal(notes, holdContext(id)), sealedFor('service_blocks.notes', id))
      return [id, { reason, notes: sealed, blockedBy: openedBy }]
    }),
  )
  const rows = blocks.flatMap((block) => {
    const hold = recorded.get(block.holdId)
    return hold ? [{ ...block, ...hold }] : []
  })
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE)
    await tx.orm.insert(serviceBlocks).values(rows.slice(from, from + ROWS_AT_ONCE))
}

export const findServiceBlocksInForce = (db: Database, accountIds: readonly string[]) =>
  db.orm
    .select()
    .from(serviceBlocks)
    .where(and(eqAny(serviceBlocks.accountId, accountIds), isNull(serviceBlocks.liftedAt)))
