/** Queries for screening hits and the decisions on them. */
import { and, asc, eq, inArray, type SQL, sql } from 'drizzle-orm'
import { v7 as newId } from 'uuid'
import {
  identifications,
  kybApplications,
  SCREENED_COMPANIES,
  SCREENED_PERSONS,
  screeningHits,
} from '../../../drizzle/schema.ts'
import type { EntityRef } from '../../domain/entity/entity.ts'
import { subjectsOfIdentification } from '../../domain/identification/subjects.ts'
import { subjectsOfKyb } from '../../domain/kyb/subjects.ts'
import { type Hit, MAX_OPEN, type ownerOfDecision } from '../../domain/screening/hit.ts'
import type { HitDecision, HitStatus, ListEntry, Match, Subject } from '../../domain/screening/screening.ts'
import type { Database } from '../connection/database.ts'
import { eqAny } from '../connection/eq-any.ts'
import { sealedFor } from '../connection/sealed.ts'
import { tableOf } from './entity.ts'
import { findIdentification, getIdentificationForUpdate } from './identification.ts'
import { findKybApplication, getKybApplicationForUpdate } from './kyb-application.ts'
import { isErasureForbidden } from './retention.ts'

/** The encrypted part of a hit: the match and the screened subject. */
interface Details extends Pick<Match, 'entry' | 'parts'> {
  readonly subject: Subject
}

const detailsContext = (id: string) => sealedFor('screening_hits.details', id)
const commentContext = (id: string) => sealedFor('screening_hits.comment', id)

/**
 * Returns the subjects to screen, or null if there is no such entity. With `lock`, locks the entity until the
 * transaction ends.
 */
export async function readSubjects(
  db: Database,
  { entity, id, vaultId }: EntityRef,
  { lock }: { lock: boolean },
): Promise<Subject[] | null> {
  if (entity === 'kyb') {
    const application = await (lock ? getKybApplicationForUpdate : findKybApplication)(db, vaultId, id)
    return application && subjectsOfKyb(application)
  }
  const identification = await (lock ? getIdentificationForUpdate : findIdentification)(db, vaultId, id)
  if (!identification) return null
  // A company is screened with its application, regardless of the identification's profile.
  if (identification.kybId) return []
  return subjectsOfIdentification(identification.kind, identification.profile)
}

export interface DueEntity extends EntityRef {
  readonly version: number
  /** The version of the lists at the latest screening, or null if the entity was never screened. */
  readonly screenedWith: string | null
}

/**
 * Returns entities that were never screened, or were last screened against another version of the lists. Returns up to
 * `limit` companies and as many people. Omits those in `attempted`.
 */
export async function findDueForScreening(
  db: Database,
  version: string,
  limit: number,
  attempted: readonly string[] = [],
): Promise<DueEntity[]> {
  const due: DueEntity[] = []
  for (const [entity, table, who] of [
    ['kyb', kybApplications, SCREENED_COMPANIES],
    ['identification', identifications, SCREENED_PERSONS],
  ] as const) {
    const { screenedWith, id, vaultId, version: entityVersion } = table
    let left = limit
    // Each condition selects one range of the index.
    const ranges: SQL[] = [
      sql`${screenedWith} IS NULL`,
      sql`${screenedWith} < ${version}`,
      sql`${screenedWith} > ${version}`,
    ]
    for (const range of ranges) {
      if (left === 0) break
      const rows = await db.orm
        .select({ id, vaultId, version: entityVersion, screenedWith })
        .from(table)
        .where(and(range, who, sql`NOT ${eqAny(id, attempted)}`))
        .orderBy(screenedWith, id)
        .limit(left)
      left -= rows.length
      due.push(...rows.map((row) => ({ entity, ...row })))
    }
  }
  return due
}

/** Returns the compared data in a fixed order, because lists may reorder their values. */
function basisOf(subject: Subject, entry: ListEntry): string {
  const ordered = Object.entries(entry).map(([name, value]) => [
    name,
    Array.isArray(value) ? [...value].sort() : value,
  ])
  return JSON.stringify([subject, ordered])
}

/** Deletes the hits of subjects that no longer exist, open hits that no longer match, and earlier versions of hits. */
async function deleteGone(
  tx: Database,
  entityId: string,
  kept: readonly string[],
  subjects: readonly string[],
  earlier: readonly string[],
) {
  await tx.orm.delete(screeningHits).where(
    and(
      eq(screeningHits.entityId, entityId),
      sql`NOT ${eqAny(screeningHits.id, kept)}`,
      sql`(${screeningHits.status} = 'open' OR NOT ${eqAny(screeningHits.subject, subjects)}
          OR ${eqAny(screeningHits.id, earlier)})`,
    ),
  )
}

interface Found {
  readonly subjects: readonly Subject[]
  /** The matches, keyed by subject. A subject without a key in this map keeps its hits. */
  readonly matches: ReadonlyMap<string, readonly Match[]>
  readonly version: string
}

/**
 * Writes the matches, with at most `MAX_OPEN` open hits per subject. Requires the lock on the entity's row. Under a hold,
 * earlier hits remain, and a changed one becomes another hit. Returns the number of hits that are new or open again.
 */
export async function saveScreening(
  tx: Database,
  { entity, id: entityId, vaultId }: EntityRef,
  { subjects, matches, version }: Found,
): Promise<number> {
  const known = await tx.orm.select().from(screeningHits).where(eq(screeningHits.entityId, entityId))
  const isHeld =
    known.length > 0 && (await isErasureForbidden(tx, await ownerOf(tx, { entity, id: entityId })))
  const keys = subjects.map(({ key }) => key)
  const earlier: string[] = []
  const kept = known
    .filter(({ subject }) => keys.includes(subject) && !matches.has(subject))
    .map(({ id }) => id)
  const found = subjects.flatMap((subject) => {
    const rows = []
    let undecided = 0
    for (const { entry, score, parts } of matches.get(subject.key) ?? []) {
      const entryHash = tx.encryption.hash(entry.id, 'screening_entry')
      const basisHash = tx.encryption.hash(basisOf(subject, entry), 'screening_basis')
      const versions = known.filter((hit) => hit.subject === subject.key && hit.entryHash.equals(entryHash))
      const same = versions.find((hit) => hit.basisHash.equals(basisHash))
      const before = same ?? (isHeld ? undefined : versions[0])
      const isSame = same !== undefined
      earlier.push(...versions.filter((hit) => hit !== before).map(({ id }) => id))
      if (isSame && before?.status !== 'open') continue
      undecided += 1
      if (undecided > MAX_OPEN) break
      const id = before?.id ?? newId()
      kept.push(id)
      if (isSame) continue
      const details: Details = { subject, entry, parts }
      const sealed = tx.encryption.sealJson(details, detailsContext(id))
      const row = { id, vaultId, entity, entityId, subject: subject.key, entryHash, basisHash, score }
      rows.push({ ...row, details: sealed })
    }
    return rows
  })
  if (found.length > 0)
    await tx.orm
      .insert(screeningHits)
      .values(found)
      .onConflictDoUpdate({
        target: screeningHits.id,
        set: {
          basisHash: sql`excluded.basis_hash`,
          score: sql`excluded.score`,
          details: sql`excluded.details`,
          status: 'open',
          decidedBy: null,
          decidedAt: null,
          isConfirmedByTwo: false,
          comment: null,
          dismissalBy: null,
          dismissalAt: null,
          foundAt: sql`clock_timestamp()`,
        },
      })
  if (!isHeld) await deleteGone(tx, entityId, kept, keys, earlier)
  const table = tableOf(entity)
  await tx.orm
    .update(table)
    .set({ screenedWith: version, screenedAt: sql`clock_timestamp()`, ...countsOf(entityId) })
    .where(eq(table.id, entityId))
  return found.length
}

/** Returns the identification whose holds protect the hits of an entity. */
async function ownerOf(tx: Database, { entity, id }: Pick<EntityRef, 'entity' | 'id'>): Promise<string> {
  if (entity === 'identification') return id
  const { identificationId } = kybApplications
  const [row] = await tx.orm
    .select({ identificationId })
    .from(kybApplications)
    .where(eq(kybApplications.id, id))
  return row?.identificationId ?? id
}

/** Marks an entity as not screened, so that the next screening deletes the hits that a hold protected. */
export const requireScreening = (tx: Database, { entity, id }: Pick<EntityRef, 'entity' | 'id'>) =>
  tx.orm
    .update(tableOf(entity))
    .set({ screenedWith: null })
    .where(
      and(
        eq(tableOf(entity).id, id),
        entity === 'kyb' ? sql`(status = 'open' OR ${SCREENED_COMPANIES})` : SCREENED_PERSONS,
      ),
    )

const countOf = (entityId: string, status: HitStatus) =>
  sql`(SELECT count(*) FROM screening_hits WHERE entity_id = ${entityId} AND status = ${status})`
const countsOf = (entityId: string) => ({
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
export async function getApplicationsWithHitsForUpdate(
  tx: Database,
  people: readonly string[],
): Promise<string[]> {
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
export const recountHits = (tx: Database, { entity, id }: Pick<EntityRef, 'entity' | 'id'>) =>
  tx.orm
    .update(tableOf(entity))
    .set(countsOf(id))
    .where(eq(tableOf(entity).id, id))

/**
 * Returns when and against which lists an entity was screened, and its hits. Open hits come first, and then decided
 * ones, each in descending order of score. Reads everything in one statement, because a screening replaces the hits
 * together.
 */
export async function findScreening(db: Database, { entity, id }: Pick<EntityRef, 'entity' | 'id'>) {
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

const unsealHit = (
  { encryption }: Database,
  { details, comment, ...hit }: typeof screeningHits.$inferSelect,
): Hit => ({
  ...hit,
  ...encryption.unsealJson<Details>(details, detailsContext(hit.id)),
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
  { entity, id: entityId }: Pick<EntityRef, 'entity' | 'id'>,
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
      comment: comment === null ? null : tx.encryption.seal(comment, commentContext(id)),
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
      comment: comment === null ? null : tx.encryption.seal(comment, commentContext(id)),
    })
    .where(eq(screeningHits.id, id))
    .returning({ at: screeningHits.dismissalAt })
  return proposed?.at ?? null
}

/** Stored instead of a list version while screening is off. */
export const SCREENING_OFF = 'off'

/** Marks an entity as not screened if it was marked as screened while screening was off. */
export async function clearScreeningOff(db: Database, { entity, id }: EntityRef): Promise<void> {
  const table = tableOf(entity)
  await db.orm
    .update(table)
    .set({ screenedWith: null })
    .where(and(eq(table.id, id), eq(table.screenedWith, SCREENING_OFF)))
}

/** Returns the version of the lists against which an entity was screened, or null if it was never screened. */
export async function findScreenedWith(
  db: Database,
  { entity, id }: Pick<EntityRef, 'entity' | 'id'>,
): Promise<string | null> {
  const table = tableOf(entity)
  const [row] = await db.orm.select({ screenedWith: table.screenedWith }).from(table).where(eq(table.id, id))
  return row?.screenedWith ?? null
}
