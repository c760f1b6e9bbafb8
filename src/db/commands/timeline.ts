/** Queries for the timeline of an application or identification. */
import { and, asc, desc, eq, gt, inArray, isNotNull, lte, type SQL } from 'drizzle-orm'
import { v7 as newId } from 'uuid'
import { timeline } from '../../../drizzle/schema.ts'
import { traceIdOf } from '../../domain/base/traceparent.ts'
import type { Decision, Finding } from '../../domain/decision/decision.ts'
import type { TimelineEntry } from '../../domain/decision/timeline.ts'
import type { Entity, EntityRef } from '../../domain/entity/entity.ts'
import type { Database } from '../connection/database.ts'
import { sealedFor } from '../connection/sealed.ts'

export interface NewTimelineEntry extends Pick<Decision, 'clientComment' | 'internalNote' | 'findings'> {
  readonly action: string
  readonly actor: string
  readonly from?: string
  readonly to?: string
  readonly reasonCode?: string | undefined
  /** The paths of changed fields and the IDs of changed files, never their contents. */
  readonly fields?: readonly string[] | undefined
  readonly files?: readonly string[] | undefined
  /** The ID of the cause. Each cause has at most one entry. */
  readonly causeId: string
}

/** The texts of an entry, which are encrypted because they are about people. */
interface Notes {
  readonly client_comment?: string
  readonly internal_note?: string
  readonly findings?: readonly Finding[]
}

const context = (entityId: string) => sealedFor('timeline.notes', entityId)

/** Appends an entry. Returns false and writes nothing if the cause already has an entry. */
export async function appendTimeline(tx: Database, target: EntityRef, entry: NewTimelineEntry) {
  const { count } = await timelineInsert(tx, target, entry).onConflictDoNothing({
    target: [timeline.entityId, timeline.causeId],
  })
  return count > 0
}

/** Returns an insert for a combined statement. Use it only for a new entity, which has no entries yet. */
export function timelineInsert(
  tx: Database,
  { entity, id: entityId, vaultId }: EntityRef,
  entry: NewTimelineEntry,
) {
  const { clientComment, internalNote, findings, fields = [], files = [], ...columns } = entry
  const notes: Notes = {
    ...(clientComment && { client_comment: clientComment }),
    ...(internalNote && { internal_note: internalNote }),
    ...(findings?.length && { findings }),
  }
  return tx.orm.insert(timeline).values({
    ...columns,
    entity,
    entityId,
    vaultId,
    fields: [...fields],
    files: [...files],
    notes: sealNotes(tx, entityId, notes),
    traceId: traceIdOf(tx.span.traceparent),
  })
}

const sealNotes = ({ encryption }: Database, entityId: string, notes: Notes): Buffer | null =>
  Object.keys(notes).length === 0 ? null : encryption.sealJson(notes, context(entityId))

/**
 * Returns the cause ID for an entry about a fact that contradicts the rows, for example because its signal arrives
 * after a restore. The fact's own ID remains unused, because the fact may become true and be sent again.
 */
export const untrueCauseId = (factId: string): string => `${factId}:untrue`

/** Returns whether the cause already has an entry, which means that it took effect. */
export async function isInTimeline(tx: Database, entityId: string, causeId: string): Promise<boolean> {
  const where = and(eq(timeline.entityId, entityId), eq(timeline.causeId, causeId))
  return (await tx.orm.$count(timeline, where)) > 0
}

/**
 * Returns the actor and the internal note of the newest entry with one of these actions, or null if there is no such
 * entry.
 */
export async function findNewestEntry(db: Database, entityId: string, actions: readonly string[]) {
  const [row] = await db.orm
    .select({ actor: timeline.actor, notes: timeline.notes })
    .from(timeline)
    .where(and(eq(timeline.entityId, entityId), inArray(timeline.action, [...actions])))
    .orderBy(desc(timeline.id))
    .limit(1)
  return row
    ? { actor: row.actor, internalNote: unsealNotes(db, entityId, row.notes).internal_note ?? null }
    : null
}

/**
 * Returns the cause ID of a file access. It contains the ID of the file and is unique, because every access has its own
 * entry.
 */
export const fileReadCauseId = (fileId: string): string => `file_read:${fileId}:${newId()}`

const fileRead = ({ action, causeId }: { action: string; causeId: string }): string | null =>
  action === 'file_read' ? (causeId.split(':')[1] ?? null) : null

const unsealNotes = (db: Database, entityId: string, notes: Buffer | null): Notes =>
  notes ? db.encryption.unsealJson<Notes>(notes, context(entityId)) : {}

/** Returns an entry with decrypted notes, and with the ID of the file if the entry is about a file access. */
function opened(db: Database, { notes, ...row }: typeof timeline.$inferSelect): TimelineEntry {
  const { client_comment, internal_note, findings = [] } = unsealNotes(db, row.entityId, notes)
  return {
    ...row,
    fileId: fileRead(row),
    clientComment: client_comment ?? null,
    internalNote: internal_note ?? null,
    findings,
  }
}

export async function findEntry(db: Database, entityId: string, causeId: string) {
  const [row] = await db.orm
    .select()
    .from(timeline)
    .where(and(eq(timeline.entityId, entityId), eq(timeline.causeId, causeId)))
  return row ? opened(db, row) : null
}

/** Removes the findings that are not kept from the entity's entries. */
export const keepFindings = (tx: Database, entityId: string, isKept: (finding: Finding) => boolean) =>
  rewriteNotes(tx, entityId, ({ findings = [], ...words }) => {
    const kept = findings.filter(isKept)
    return { ...words, ...(kept.length > 0 && { findings: kept }) }
  })

/** Removes comments and findings, until the given time if there is one. Internal notes belong to operators and remain. */
export const keepInternalNotes = (tx: Database, entityId: string, until?: Date): Promise<void> =>
  rewriteNotes(
    tx,
    entityId,
    ({ internal_note }) => (internal_note === undefined ? {} : { internal_note }),
    until && lte(timeline.createdAt, until),
  )

async function rewriteNotes(tx: Database, entityId: string, rewrite: (notes: Notes) => Notes, which?: SQL) {
  const rows = await tx.orm
    .select({ id: timeline.id, notes: timeline.notes })
    .from(timeline)
    .where(and(eq(timeline.entityId, entityId), isNotNull(timeline.notes), which))
  for (const { id, notes } of rows) {
    const before = unsealNotes(tx, entityId, notes)
    const after = rewrite(before)
    if (JSON.stringify(after) === JSON.stringify(before)) continue
    await tx.orm
      .update(timeline)
      .set({ notes: sealNotes(tx, entityId, after) })
      .where(eq(timeline.id, id))
  }
}

/** The maximum number of entries in memory at a time. A timeline can have any length. */
const PART = 500

/** Returns the entries, oldest first. `rest` reads the entries after the first part on demand. */
export async function readTimeline(db: Database, entity: Entity, entityId: string) {
  const read = async (after: number): Promise<TimelineEntry[]> => {
    const rows = await db.orm
      .select()
      .from(timeline)
      .where(and(eq(timeline.entityId, entityId), eq(timeline.entity, entity), gt(timeline.id, after)))
      .orderBy(asc(timeline.id))
      .limit(PART)
    return rows.map((row) => opened(db, row))
  }
  async function* readOthers(last: TimelineEntry) {
    for (let newest: TimelineEntry | undefined = last; newest; ) {
      const part = await read(newest.id)
      yield* part
      newest = part.length === PART ? part.at(-1) : undefined
    }
  }
  const entries = await read(0)
  const last = entries.length === PART ? entries.at(-1) : undefined
  return { entries, rest: last && readOthers(last) }
}

/** Returns the newest entries in chronological order. */
export async function readNewestEntries(db: Database, entity: Entity, entityId: string, limit: number) {
  const rows = await db.orm
    .select()
    .from(timeline)
    .where(and(eq(timeline.entityId, entityId), eq(timeline.entity, entity)))
    .orderBy(desc(timeline.id))
    .limit(limit)
  return rows.reverse().map((row) => opened(db, row))
}
