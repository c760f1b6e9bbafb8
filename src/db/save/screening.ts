/** Queries that replace the hits of an entity with the result of a screening. */
import { and, eq, sql } from 'drizzle-orm'
import { v7 as newId } from 'uuid'
import { screeningHits } from '../../../drizzle/schema.ts'
import type { EntityRef } from '../../domain/entity/entity.ts'
import { MAX_OPEN } from '../../domain/screening/hit.ts'
import type { ListEntry, Match, Subject } from '../../domain/screening/screening.ts'
import { findIdentificationOfKyb } from '../cases/kyb-application.ts'
import { tableOf } from '../commands/entity.ts'
import type { Database } from '../connection/database.ts'
import { eqAny } from '../connection/eq-any.ts'
import { isErasureForbidden } from '../removal/retention.ts'
import { countsOf, detailsContext, type HitDetails } from '../screening/screening-hit.ts'

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
  found: Found,
): Promise<number> {
  const known = await tx.orm.select().from(screeningHits).where(eq(screeningHits.entityId, entityId))
  // The holds of an application are those of its identification.
  const owner = entity === 'kyb' ? await findIdentificationOfKyb(tx, entityId) : entityId
  const isHeld = known.length > 0 && owner !== null && (await isErasureForbidden(tx, owner))
  const hits = compareHits(tx, known, found, isHeld)
  if (hits.written.length > 0)
    await tx.orm
      .insert(screeningHits)
      .values(hits.written.map((hit) => ({ ...hit, vaultId, entity, entityId })))
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
  if (!isHeld)
    await tx.orm.delete(screeningHits).where(
      and(
        eq(screeningHits.entityId, entityId),
        sql`NOT ${eqAny(screeningHits.id, hits.kept)}`,
        sql`(${screeningHits.status} = 'open'
          OR NOT ${eqAny(
            screeningHits.subject,
            found.subjects.map(({ key }) => key),
          )}
          OR ${eqAny(screeningHits.id, hits.earlier)})`,
      ),
    )
  const table = tableOf(entity)
  await tx.orm
    .update(table)
    .set({ screenedWith: found.version, screenedAt: sql`clock_timestamp()`, ...countsOf(entityId) })
    .where(eq(table.id, entityId))
  return hits.written.length
}

type HitRow = typeof screeningHits.$inferSelect

interface Compared {
  /** The hits that are new, or open again because the person or the list entry changed. */
  readonly written: Pick<HitRow, 'id' | 'subject' | 'entryHash' | 'basisHash' | 'score' | 'details'>[]
  /** The IDs of the hits that await a decision. */
  readonly kept: string[]
  /** The IDs of hits on earlier versions of an entry. */
  readonly earlier: string[]
}

function compareHits(
  { encryption }: Database,
  known: readonly HitRow[],
  { subjects, matches }: Found,
  isHeld: boolean,
): Compared {
  const keys = subjects.map(({ key }) => key)
  const unmatched = known.filter(({ subject }) => keys.includes(subject) && !matches.has(subject))
  const compared: Compared = { written: [], kept: unmatched.map(({ id }) => id), earlier: [] }
  for (const subject of subjects) {
    let undecided = 0
    for (const { entry, score, parts } of matches.get(subject.key) ?? []) {
      const entryHash = encryption.hash(entry.id, 'screening_entry')
      const basisHash = encryption.hash(basisOf(subject, entry), 'screening_basis')
      const versions = known.filter((hit) => hit.subject === subject.key && hit.entryHash.equals(entryHash))
      const same = versions.find((hit) => hit.basisHash.equals(basisHash))
      const before = same ?? (isHeld ? undefined : versions[0])
      compared.earlier.push(...versions.filter((hit) => hit !== before).map(({ id }) => id))
      if (same && same.status !== 'open') continue
      undecided += 1
      if (undecided > MAX_OPEN) break
      const id = before?.id ?? newId()
      compared.kept.push(id)
      if (same) continue
      const details = encryption.sealJson({ subject, entry, parts } satisfies HitDetails, detailsContext(id))
      compared.written.push({ id, subject: subject.key, entryHash, basisHash, score, details })
    }
  }
  return compared
}

/** Returns the compared data in a fixed order, because lists may reorder their values. */
function basisOf(subject: Subject, entry: ListEntry): string {
  const ordered = Object.entries(entry).map(([name, value]) => [
    name,
    Array.isArray(value) ? [...value].sort() : value,
  ])
  return JSON.stringify([subject, ordered])
}
