/** Queries for the audit log. Each entry is written in the same transaction as the action, and is never deleted. */
import { createHash } from 'node:crypto'
import { and, desc, eq, getTableColumns, sql } from 'drizzle-orm'
import { v7 as newId } from 'uuid'
import { auditLog } from '../../../drizzle/schema.ts'
import {
  type AuditAction,
  type AuditEntry,
  type AuditFilter,
  type AuditSubject,
  type By,
  boundChanges,
  type Changes,
  MAX_CHANGES_BYTES,
} from '../../domain/access/audit.ts'
import type { Page } from '../../domain/base/page.ts'
import type { Database } from '../connection/database.ts'
import { createdWithin } from '../connection/id-time.ts'
import { inScope } from '../connection/in-scope.ts'
import { orNull, sealedFor } from '../connection/sealed.ts'

interface Done {
  readonly action: AuditAction
  readonly subject: AuditSubject
  readonly subjectId: string | null
  readonly vaultId?: string | null
  readonly changes?: Changes
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/**
 * The changes in an entry. If they were written without a size limit and are too large, shows only their number and
 * hash.
 */
const SHOWN_CHANGES = sql<Changes>`CASE WHEN octet_length(${auditLog.changes}::text) <= ${2 * MAX_CHANGES_BYTES}::int
  THEN ${auditLog.changes} ELSE jsonb_build_object('all', jsonb_build_object('to', jsonb_build_object(
    'count', (SELECT count(*) FROM jsonb_object_keys(${auditLog.changes})),
    'sha256', encode(sha256(convert_to(${auditLog.changes}::text, 'UTF8')), 'hex')))) END`

const rowOf = ({ encryption }: Database, { actor, address }: By, done: Done) => {
  const id = newId()
  return {
    ...done,
    changes: boundChanges(done.changes ?? {}, sha256),
    id,
    actor,
    ipAddress: address === null ? null : encryption.seal(address, sealedFor('audit_log.ip_address', id)),
  }
}

export async function recordAudit(tx: Database, by: By, done: Done): Promise<void> {
  await tx.orm.insert(auditLog).values(rowOf(tx, by, done))
}

/** The hour of an action, which is part of the keys of counted actions. */
const currentHour = () => new Date().toISOString().slice(0, 13)

/** Operators' publications of an event in a vault. */
export interface Publication {
  readonly by: By
  readonly vaultId: string
  readonly topic: string
  readonly event: string
}

/**
 * Returns an insert that counts publications. Each operator, vault, event and hour has one row, so that frequent events
 * cannot fill the table.
 */
export function publicationCounts(db: Database, publications: readonly Publication[]) {
  const counts = new Map<string, { publication: Publication; count: number }>()
  for (const publication of publications) {
    const { by, vaultId, topic, event } = publication
    const key = ['event_published', vaultId, by.actor, topic, event, currentHour()].join(':')
    counts.set(key, { publication, count: (counts.get(key)?.count ?? 0) + 1 })
  }
  // The order of the keys prevents deadlocks.
  const rows = [...counts].sort().map(([countKey, { publication, count }]) => {
    const { by, vaultId, topic, event } = publication
    const changes = { topic: { to: topic }, event: { to: event } }
    const done = {
      action: 'event_published',
      subject: 'vault',
      subjectId: vaultId,
      vaultId,
      changes,
    } as const
    return { ...rowOf(db, by, done), countKey, count }
  })
  return insertCounts(db, rows)
}

const insertCounts = (db: Database, rows: readonly (typeof auditLog.$inferInsert)[]) =>
  db.orm
    .insert(auditLog)
    .values([...rows])
    .onConflictDoUpdate({
      target: auditLog.countKey,
      set: { count: sql`${auditLog.count} + excluded.count` },
    })

/** Returns the key of the entry about an operator's reads of a case in the current hour. */
export const caseReadKey = ({ actor }: By, entityId: string): string =>
  `case_read:${actor}:${entityId}:${currentHour()}`

/** Returns whether an entry with this key exists. */
export const isAudited = async (db: Database, countKey: string): Promise<boolean> =>
  (await db.orm.$count(auditLog, eq(auditLog.countKey, countKey))) > 0

/** Records an action once per key. Returns false and writes nothing if the key already has an entry. */
export async function recordAuditOnce(tx: Database, by: By, done: Done, countKey: string): Promise<boolean> {
  const inserted = await tx.orm
    .insert(auditLog)
    .values({ ...rowOf(tx, by, done), countKey })
    .onConflictDoNothing({ target: auditLog.countKey })
    .returning({ id: auditLog.id })
  return inserted.length > 0
}

/** Counts the cases whose names a list showed. Each operator, vault and hour has one row. */
export async function countNamesRead(db: Database, by: By, vaultIds: readonly string[]): Promise<void> {
  // The order of the vaults prevents deadlocks.
  const rows = [...new Set(vaultIds)].sort().map((vaultId) => ({
    ...rowOf(db, by, { action: 'case_names_read', subject: 'vault', subjectId: vaultId, vaultId }),
    countKey: `case_names_read:${by.actor}:${vaultId}:${currentHour()}`,
    count: vaultIds.filter((each) => each === vaultId).length,
  }))
  if (rows.length > 0) await insertCounts(db, rows)
}

/**
 * Counts an action. Each subject and hour has one row, with the first address, so that repeated failures cannot fill
 * the table.
 */
export async function countAudit(db: Database, by: By, done: Done): Promise<void> {
  const countKey = `${done.action}:${done.subjectId}:${currentHour()}`
  await insertCounts(db, [{ ...rowOf(db, by, done), countKey }])
}

/**
 * Returns a page of entries, newest first. Entries about the deployment have no vault, so only the scope `all` contains
 * them.
 */
export async function listAudit(
  db: Database,
  { page, per_page }: Page,
  { actor, action, scope, from, before }: AuditFilter,
): Promise<{ entries: AuditEntry[]; totalCount: number }> {
  const { id } = auditLog
  const matching = and(
    actor === undefined ? undefined : eq(auditLog.actor, actor),
    action === undefined ? undefined : eq(auditLog.action, action),
    inScope(auditLog.vaultId, scope),
    createdWithin(auditLog, { from, before }),
  )
  const rows = await db.orm
    .select({ ...getTableColumns(auditLog), changes: SHOWN_CHANGES })
    .from(auditLog)
    .where(matching)
    .orderBy(desc(id))
    .limit(per_page)
    .offset((page - 1) * per_page)
  const entries = rows.map(({ ipAddress, countKey: _, ...entry }) => ({
    ...entry,
    address:
      ipAddress &&
      orNull(() => db.encryption.open(ipAddress, sealedFor('audit_log.ip_address', entry.id)).toString()),
  }))
  return { entries, totalCount: await db.orm.$count(auditLog, matching) }
}
