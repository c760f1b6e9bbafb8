/** Queries for the audit log. Each entry is written in the same transaction as the action, and is never deleted. */
import { createHash } from 'node:crypto'
import { and, countDistinct, desc, eq, getTableColumns, inArray, sql } from 'drizzle-orm'
import { v7 as newId } from 'uuid'
import { auditLog } from '../../../drizzle/schema.ts'
import {
  type AuditEntry,
  type AuditFilter,
  type By,
  boundChanges,
  type Changes,
  MAX_CHANGES_BYTES,
  READ_ACTIONS,
  type ReadsOfActor,
} from '../../domain/access/audit.ts'
import type { Listed, Page } from '../../domain/base/page.ts'
import { cacheSql, createRowArrays } from '../connection/cached-sql.ts'
import type { Database } from '../connection/database.ts'
import { createdWithin } from '../connection/id-time.ts'
import { inScope } from '../connection/in-scope.ts'
import { orNull, sealedFor } from '../connection/sealed.ts'

type Done = Pick<AuditEntry, 'action' | 'subject' | 'subjectId'> &
  Partial<Pick<AuditEntry, 'vaultId' | 'changes'>>

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

/** Returns the key of the entry for equal actions of one actor in the current hour. */
export const hourlyKey = ({ actor }: By, { action, subjectId, changes = {} }: Done): string =>
  [
    action,
    actor,
    subjectId,
    ...Object.values(changes).map(({ to }) => to),
    new Date().toISOString().slice(0, 13),
  ].join(':')

/** An action, which can occur several times. */
export interface Counted {
  readonly by: By
  readonly done: Done
}

interface CountedRow extends Omit<ReturnType<typeof rowOf>, 'changes'> {
  readonly changes: string
  readonly countKey: string
  readonly count: number
}

const COUNTED = createRowArrays<CountedRow>('counted', {
  id: 'uuid',
  action: 'text',
  actor: 'text',
  ip_address: 'bytea',
  vault_id: 'uuid',
  subject: 'text',
  subject_id: 'uuid',
  changes: 'jsonb',
  count: 'integer',
  count_key: 'text',
})

/**
 * Counts the actions in `countedActions`. Equal actions of one actor in an hour share one row, with the first address,
 * so that frequent actions cannot fill the table.
 */
export const COUNT_ACTIONS = sql`
  INSERT INTO audit_log (id, action, actor, ip_address, vault_id, subject, subject_id, changes, count, count_key)
  SELECT * FROM ${COUNTED.from}
  ON CONFLICT (count_key) DO UPDATE SET count = audit_log.count + excluded.count`

/** Returns the values for the placeholders of `COUNT_ACTIONS`. */
export function countedActions(db: Database, all: readonly Counted[]) {
  const counts = new Map<string, Counted & { readonly count: number }>()
  for (const { by, done } of all) {
    const key = hourlyKey(by, done)
    counts.set(key, { by, done, count: (counts.get(key)?.count ?? 0) + 1 })
  }
  // The order of the keys prevents deadlocks.
  const rows = [...counts].sort().map(([countKey, { by, done, count }]) => {
    const row = rowOf(db, by, done)
    return { ...row, changes: JSON.stringify(row.changes), countKey, count }
  })
  return COUNTED.values(rows)
}

const count = cacheSql(COUNT_ACTIONS)

export async function countAudit(db: Database, by: By, ...all: readonly Done[]): Promise<void> {
  if (all.length > 0)
    await count(
      db,
      countedActions(
        db,
        all.map((done) => ({ by, done })),
      ),
    )
}

export const isAudited = async (db: Database, countKey: string): Promise<boolean> =>
  (await db.orm.$count(auditLog, eq(auditLog.countKey, countKey))) > 0

/** Records an action once per hour. Returns false and writes nothing if the hour already has an entry. */
export async function recordAuditOnce(tx: Database, by: By, done: Done): Promise<boolean> {
  const inserted = await tx.orm
    .insert(auditLog)
    .values({ ...rowOf(tx, by, done), countKey: hourlyKey(by, done) })
    .onConflictDoNothing({ target: auditLog.countKey })
    .returning({ id: auditLog.id })
  return inserted.length > 0
}

/**
 * Returns a page of entries, newest first. Entries about the deployment have no vault, so only the scope `all` contains
 * them.
 */
export async function listAudit(
  db: Database,
  { page, per_page }: Page,
  { actor, action, scope, from, before }: AuditFilter,
): Promise<Listed<AuditEntry>> {
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
      orNull(() => db.encryption.unseal(ipAddress, sealedFor('audit_log.ip_address', entry.id)).toString()),
  }))
  return { entries, totalCount: await db.orm.$count(auditLog, matching) }
}

/** Returns what each actor read in the period, most cases first. */
export async function listReads(
  db: Database,
  { page, per_page }: Page,
  { actor, scope, from, before }: Omit<AuditFilter, 'action'>,
): Promise<Listed<ReadsOfActor>> {
  const matching = and(
    inArray(auditLog.action, READ_ACTIONS),
    actor === undefined ? undefined : eq(auditLog.actor, actor),
    inScope(auditLog.vaultId, scope),
    createdWithin(auditLog, { from, before }),
  )
  const of = (action: (typeof READ_ACTIONS)[number]) => sql`FILTER (WHERE ${auditLog.action} = ${action})`
  const cases = sql<number>`count(DISTINCT ${auditLog.subjectId}) ${of('case_read')}`.mapWith(Number)
  const entries = await db.orm
    .select({
      actor: auditLog.actor,
      cases,
      names: sql`coalesce(sum(${auditLog.count}) ${of('case_names_read')}, 0)`.mapWith(Number),
      exports: sql`coalesce(sum(${auditLog.count}) ${of('report_exported')}, 0)`.mapWith(Number),
      lastAt: sql`max(${auditLog.createdAt})`.mapWith(auditLog.createdAt),
    })
    .from(auditLog)
    .where(matching)
    .groupBy(auditLog.actor)
    .orderBy(desc(cases), auditLog.actor)
    .limit(per_page)
    .offset((page - 1) * per_page)
  const [total] = await db.orm
    .select({ count: countDistinct(auditLog.actor) })
    .from(auditLog)
    .where(matching)
  return { entries, totalCount: total?.count ?? 0 }
}
