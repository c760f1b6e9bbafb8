/** Queries for the entities to screen: their subjects, which of them are due, and the lists they were screened with. */
import { and, eq, type SQL, sql } from 'drizzle-orm'
import {
  identifications,
  kybApplications,
  SCREENED_COMPANIES,
  SCREENED_PERSONS,
} from '../../../drizzle/schema.ts'
import type { EntityKey, EntityRef } from '../../domain/entity/entity.ts'
import { subjectsOfIdentification } from '../../domain/identification/subjects.ts'
import { subjectsOfKyb } from '../../domain/kyb/subjects.ts'
import type { Subject } from '../../domain/screening/screening.ts'
import { findIdentification, getIdentificationForUpdate } from '../cases/identification.ts'
import { findKybApplication, getKybApplicationForUpdate } from '../cases/kyb-application.ts'
import { tableOf } from '../commands/entity.ts'
import type { Database } from '../connection/database.ts'
import { eqAny } from '../connection/eq-any.ts'

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

/** Marks an entity as not screened, so that the next screening deletes the hits that a hold protected. */
export const requireScreening = (tx: Database, { entity, id }: EntityKey) =>
  tx.orm
    .update(tableOf(entity))
    .set({ screenedWith: null })
    .where(
      and(
        eq(tableOf(entity).id, id),
        entity === 'kyb' ? sql`(status = 'open' OR ${SCREENED_COMPANIES})` : SCREENED_PERSONS,
      ),
    )

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
export async function findScreenedWith(db: Database, { entity, id }: EntityKey): Promise<string | null> {
  const table = tableOf(entity)
  const [row] = await db.orm.select({ screenedWith: table.screenedWith }).from(table).where(eq(table.id, id))
  return row?.screenedWith ?? null
}
