/** Queries for screening hits and the decisions on them. */
import { and, asc, eq, inArray, type SQL, sql } from 'drizzle-orm'
import { kybApplications, screeningHits } from '../../../drizzle/schema.ts'
import type { EntityKey, EntityRef } from '../../domain/entity/entity.ts'
import { type Hit, MAX_OPEN, type ownerOfDecision } from '../../domain/screening/hit.ts'
import type { HitDecision, HitStatus, Match, Subject } from '../../domain/screening/screening.ts'
import { tableOf } from '../commands/entity.ts'
import type { Database } from '../connection/database.ts'
import { sealedFor } from '../connection/sealed.ts'

/** The encrypted part of a hit: the match and the screened subject. */
export interface HitDetails extends Pick<Match, 'entry' | 'parts'> {
  readonly subject: Subject
}

export const detailsContext = (id: string) => sealedFor('screening_hits.details', id)
const commentContext = (id: string) => sealedFor('screening_hits.comment', id)

const countOf = (entityId: string, status: HitStatus) =>
  sql`(SELECT count(*) FROM screening_hits WHERE entity_id = ${entityId} AND status = ${status})`

/** Counts the hits of an entity, for the columns of its row. */
export const countsOf = (entityId: string) => ({
  openHits: countOf(entityId, 'open'),
  confirmedHits: countOf(entityId, 'confirmed'),
})

/** Selects the subjects of hits on removed beneficiaries, given the IDs of the beneficiaries' checks. */
export const removedSubjects = (checkIds: readonly string[]): SQL =>
  sql`SELECT b.id::text FROM beneficiaries b JOIN identifications i ON b.id = coalesce(i.beneficiary_id, i.id)
    WHERE i.id = ANY(${sql.param(checkIds)}::uuid[]) AND b.removed_at IS NOT NULL`

/**
 * Returns the applications that have hits on removed beneficiaries with these checks. Locks the applications until the
 * transaction ends.
 */
export async function getApplicationsWithHitsForUpdate(tx: Database, people: readonly string[]) {
  const found = tx.orm
    .select({ id: screeningHits.entityId })
    .from(screeningHits)
    .where(
      and(eq(screeningHits.entity, 'kyb'), sql`${screeningHits.subject} IN (${removedSubjects(people)})`),
    )
  const rows = await tx.orm
    .select({ id: kybApplications.id })
    .from(kybApplications)
    .where(inArray(kybApplications.id, found))
    .orderBy(kybApplications.id)
    .for('update')
  return rows.map(({ id }) => id)
}

/** Updates the counts after hits were deleted. Requires the lock on the entity's row. */
export const recountHits = (tx: Database, { entity, id }: EntityKey) =>
  tx.orm
    .update(tableOf(entity))
    .set(countsOf(id))
    .where(eq(tableOf(entity).id, id))

/**
 * Returns when and against which lists an entity was screened, and its hits. Open hits come first, and then decided
 * ones, each in descending order of score. Reads everything in one statement, because a screening replaces the hits
 * together.
 */
export async function findScreening(db: Database, { entity, id }: EntityKey) {
  const table = tableOf(entity)
  const { status, score, foundAt } = screeningHits
  const rows = await db.orm
    .select({ screenedWith: table.screenedWith, screenedAt: table.screenedAt, hit: screeningHits })
    .from(table)
    .leftJoin(screeningHits, eq(screeningHits.entityId, table.id))
    .where(eq(table.id, id))
    .orderBy(sql`${status} <> 'open'`, sql`${score} DESC`, asc(foundAt), asc(screeningHits.id))
  return {
    screenedWith: rows[0]?.screenedWith ?? null,
    screenedAt: rows[0]?.screenedAt ?? null,
    hits: rows.flatMap(({ hit }) => (hit ? [unsealHit(db, hit)] : [])),
  }
}

const sealComment = ({ encryption }: Database, id: string, comment: string | null) =>
  comment === null ? null : encryption.seal(comment, commentContext(id))

const unsealHit = (
  { encryption }: Database,
  { details, comment, ...hit }: typeof screeningHits.$inferSelect,
): Hit => ({
  ...hit,
  ...encryption.unsealJson<HitDetails>(details, detailsContext(hit.id)),
  comment: comment && encryption.unseal(comment, commentContext(hit.id)).toString(),
})

/** Returns the entity that a hit belongs to, or null if there is no such hit. */
export async function findHitTarget(db: Database, id: string): Promise<EntityRef | null> {
  const { entity, entityId, vaultId } = screeningHits
  const [row] = await db.orm
    .select({ entity, id: entityId, vaultId })
    .from(screeningHits)
    .where(eq(screeningHits.id, id))
  return row ?? null
}

export async function findHit(db: Database, id: string): Promise<Hit | null> {
  const [row] = await db.orm.select().from(screeningHits).where(eq(screeningHits.id, id))
  return row ? unsealHit(db, row) : null
}

/**
 * Stores a decision. Requires the lock on the entity's row. A subject with `MAX_OPEN` hits may have more matches. The
 * entity therefore counts as not screened once the last open hit is decided. Returns when the hit was decided, and
 * whether the entity is still screened.
 */
export async function saveHitDecision(
  tx: Database,
  { entity, id: entityId }: EntityKey,
  id: string,
  {
    status,
    decidedBy,
    isConfirmedByTwo,
    comment,
  }: { status: HitDecision; comment: string | null } & ReturnType<typeof ownerOfDecision>,
): Promise<{ readonly decidedAt: Date | null; readonly isScreened: boolean }> {
  const [decided] = await tx.orm
    .update(screeningHits)
    .set({
      status,
      decidedBy,
      isConfirmedByTwo,
      decidedAt: sql`clock_timestamp()`,
      dismissalBy: null,
      dismissalAt: null,
      comment: sealComment(tx, id, comment),
    })
    .where(eq(screeningHits.id, id))
    .returning({ decidedAt: screeningHits.decidedAt })
  const table = tableOf(entity)
  const mayBeMore = sql`${countOf(entityId, 'open')} = 0 AND EXISTS (
    SELECT FROM screening_hits WHERE entity_id = ${entityId} GROUP BY subject HAVING count(*) >= ${MAX_OPEN}::int)`
  const screenedWith = sql`CASE WHEN ${mayBeMore} THEN NULL ELSE ${table.screenedWith} END`
  const [screened] = await tx.orm
    .update(table)
    .set({ ...countsOf(entityId), screenedWith })
    .where(eq(table.id, entityId))
    .returning({ screenedWith: table.screenedWith })
  return { decidedAt: decided?.decidedAt ?? null, isScreened: (screened?.screenedWith ?? null) !== null }
}

/**
 * Stores a dismissal that awaits a second operator. Returns the time of the dismissal, or null if there is no such hit.
 */
export async function saveProposedDismissal(
  tx: Database,
  id: string,
  { actor, comment }: { actor: string; comment: string | null },
): Promise<Date | null> {
  const [proposed] = await tx.orm
    .update(screeningHits)
    .set({
      dismissalBy: actor,
      dismissalAt: sql`clock_timestamp()`,
      comment: sealComment(tx, id, comment),
    })
    .where(eq(screeningHits.id, id))
    .returning({ at: screeningHits.dismissalAt })
  return proposed?.at ?? null
}
