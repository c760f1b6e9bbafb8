/** Queries for rescreening after a list has changed. Entities that no changed entry can match keep their hits. */
import { eq, sql } from 'drizzle-orm'
import {
  identifications,
  kybApplications,
  SCREENED_COMPANIES,
  SCREENED_PERSONS,
  screeningLists,
} from '../../../drizzle/schema.ts'
import type { Profile } from '../../domain/identification/profile.ts'
import { subjectsOfIdentification } from '../../domain/identification/subjects.ts'
import type { Subject } from '../../domain/screening/screening.ts'
import { profileContext } from '../cases/identification.ts'
import { tableOf } from '../commands/entity.ts'
import { createRowArrays } from '../connection/cached-sql.ts'
import type { Database } from '../connection/database.ts'
import { eqAny } from '../connection/eq-any.ts'
import { type DueEntity, readSubjects } from './screening.ts'

export interface ScreeningList {
  readonly version: string
  readonly fingerprints: Uint8Array
}

export async function saveScreeningList(db: Database, { version, fingerprints }: ScreeningList) {
  await db.orm
    .insert(screeningLists)
    .values({ version, fingerprints: Buffer.from(fingerprints) })
    .onConflictDoNothing()
}

export async function findScreeningList(db: Database, version: string): Promise<ScreeningList | null> {
  const [row] = await db.orm.select().from(screeningLists).where(eq(screeningLists.version, version))
  return row ?? null
}

/** Deletes all lists except the current one and those against which an entity was last screened. */
export async function deleteOldScreeningLists(db: Database, current: string): Promise<void> {
  await db.orm.execute(sql`
    DELETE FROM screening_lists AS list WHERE version <> ${current}
      AND NOT EXISTS (SELECT FROM ${identifications} WHERE screened_with = list.version AND ${SCREENED_PERSONS})
      AND NOT EXISTS (SELECT FROM ${kybApplications} WHERE screened_with = list.version AND ${SCREENED_COMPANIES})`)
}

/** Returns the current subjects of each entity. An entity may have changed since it was found to be due. */
export async function readSubjectsOfAll(
  db: Database,
  entities: readonly DueEntity[],
): Promise<ReadonlyMap<string, readonly Subject[]>> {
  const subjects = new Map<string, readonly Subject[]>()
  for (const ref of entities.filter(({ entity }) => entity === 'kyb'))
    subjects.set(ref.id, (await readSubjects(db, ref, { lock: false })) ?? [])
  const people = entities.flatMap(({ entity, id }) => (entity === 'identification' ? [id] : []))
  if (people.length === 0) return subjects
  const { id, kind, profile } = identifications
  const rows = await db.orm
    .select({ id, kind, profile, kybId: kybApplications.id })
    .from(identifications)
    .leftJoin(kybApplications, eq(kybApplications.identificationId, id))
    .where(eqAny(id, people))
  for (const row of rows) {
    const opened = db.encryption.unsealJson<Profile>(row.profile, profileContext(row.id))
    // A company is screened with its application, regardless of the identification's profile.
    subjects.set(row.id, row.kybId ? [] : subjectsOfIdentification(row.kind, opened))
  }
  return subjects
}

const DUE = createRowArrays<DueEntity>('due', { id: 'uuid', version: 'int', screened_with: 'text' })

/**
 * Marks entities as screened against `version`. Omits entities that have hits or have changed in the meantime. Returns
 * the IDs of the marked entities.
 */
export async function carryOver(
  db: Database,
  entities: readonly DueEntity[],
  version: string,
): Promise<ReadonlySet<string>> {
  const marked = new Set<string>()
  for (const entity of ['kyb', 'identification'] as const) {
    const own = entities.filter((each) => each.entity === entity)
    if (own.length === 0) continue
    const table = tableOf(entity)
    const rows = await db.orm.execute<{ id: string }>(sql`
      UPDATE ${table} AS entity SET screened_with = ${version}, screened_at = clock_timestamp()
      FROM ${DUE.of(own)}
      WHERE entity.id = due.id AND entity.version = due.version AND entity.screened_with = due.screened_with
        AND NOT EXISTS (SELECT FROM screening_hits WHERE entity_id = entity.id)
      RETURNING entity.id`)
    for (const { id } of rows) marked.add(id)
  }
  return marked
}
