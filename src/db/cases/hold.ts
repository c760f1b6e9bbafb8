/** Queries for holds. The rows record who placed a hold, when and why, and who lifted it. */
import { and, asc, count, desc, eq, getTableColumns, gte, isNotNull, isNull, lt, or, sql } from 'drizzle-orm'
import { holds, INTERNAL_HOLDS, identifications } from '../../../drizzle/schema.ts'
import type { VaultScope } from '../../domain/access/grant.ts'
import type { Listed, Page, Period } from '../../domain/base/page.ts'
import type { BlockReason, HoldStatus, InternalOwner } from '../../domain/identification/holds.ts'
import {
  type HoldDetails,
  type HoldWithNotes,
  MAX_LISTED_HOLDS,
  type RecordedHold,
} from '../../domain/identification/recorded-hold.ts'
import type { Database } from '../connection/database.ts'
import { eqAny } from '../connection/eq-any.ts'
import { inScope } from '../connection/in-scope.ts'
import { sealedFor } from '../connection/sealed.ts'

export const holdContext = (id: string) => sealedFor('holds.notes', id)

type NewHold = Pick<
  HoldWithNotes,
  'id' | 'identificationId' | 'owner' | 'services' | 'reason' | 'notes' | 'openedBy'
>

/** Inserts a hold before its workflow is notified. Has no effect if the hold exists. */
export async function insertHold(db: Database, { notes, services, ...hold }: NewHold): Promise<void> {
  await db.orm
    .insert(holds)
    .values({
      ...hold,
      services: [...services],
      notes: notes === null ? null : db.encryption.seal(notes, holdContext(hold.id)),
    })
    .onConflictDoNothing()
}

const { notes: _, ...columns } = getTableColumns(holds)

/** A hold with its vault. The hold is internal if its owner can place holds. */
export type HoldOfVault = RecordedHold & Pick<HoldDetails, 'vaultId'>

export async function findHold(db: Database, id: string): Promise<HoldOfVault | null> {
  const [row] = await db.orm
    .select({ ...columns, vaultId: identifications.vaultId })
    .from(holds)
    .innerJoin(identifications, eq(identifications.id, holds.identificationId))
    .where(eq(holds.id, id))
  return row ? { ...row, reason: row.reason as BlockReason } : null
}

/** Returns all active holds and the newest lifted ones, oldest first, with their notes. */
export async function listHolds(db: Database, identificationId: string): Promise<HoldWithNotes[]> {
  const rows = await db.orm
    .select()
    .from(holds)
    .where(eq(holds.identificationId, identificationId))
    .orderBy(desc(isNull(holds.liftedAt)), desc(holds.openedAt), desc(holds.id))
    .limit(MAX_LISTED_HOLDS)
  return rows
    .sort((a, b) => a.openedAt.getTime() - b.openedAt.getTime() || (a.id < b.id ? -1 : 1))
    .map((row) => unsealHold(db, row))
}

const unsealHold = (
  { encryption }: Database,
  { notes, ...hold }: typeof holds.$inferSelect,
): HoldWithNotes => ({
  ...hold,
  reason: hold.reason as BlockReason,
  notes: notes && encryption.unseal(notes, holdContext(hold.id)).toString(),
})

export interface HoldFilter extends Period {
  readonly id?: string | undefined
  readonly scope: VaultScope
  readonly identificationId?: string | undefined
  readonly owner?: InternalOwner | undefined
  readonly status?: HoldStatus | undefined
}

const OF_STATUS = {
  open: and(isNull(holds.liftedAt), isNull(holds.closeRequestedAt)),
  closing: and(isNull(holds.liftedAt), isNotNull(holds.closeRequestedAt)),
  closed: isNotNull(holds.liftedAt),
} satisfies Record<HoldStatus, unknown>

/** Returns a page of the internal holds in the scope, newest first, with their notes. */
export async function listInternalHolds(
  db: Database,
  { page, per_page }: Page,
  filter: HoldFilter,
): Promise<Listed<HoldDetails>> {
  const { id, scope, identificationId, owner, status, from, before } = filter
  const ofIdentification = eq(identifications.id, holds.identificationId)
  const where = and(
    INTERNAL_HOLDS,
    id === undefined ? undefined : eq(holds.id, id),
    inScope(identifications.vaultId, scope),
    identificationId === undefined ? undefined : eq(holds.identificationId, identificationId),
    owner && eq(holds.owner, owner),
    status && OF_STATUS[status],
    from && gte(holds.openedAt, from),
    before && lt(holds.openedAt, before),
  )
  const [rows, [total]] = await Promise.all([
    db.orm
      .select({ hold: holds, vaultId: identifications.vaultId, version: identifications.version })
      .from(holds)
      .innerJoin(identifications, ofIdentification)
      .where(where)
      .orderBy(desc(holds.openedAt), desc(holds.id))
      .limit(per_page)
      .offset((page - 1) * per_page),
    db.orm.select({ count: count() }).from(holds).innerJoin(identifications, ofIdentification).where(where),
  ])
  const entries = rows.map(({ hold, ...about }) => ({ ...unsealHold(db, hold), ...about }))
  return { entries, totalCount: total?.count ?? 0 }
}

/** Returns the active holds of the identifications, oldest first. */
export async function findHoldsInForce(db: Database, ids: readonly string[]) {
  return db.orm
    .select({
      id: holds.id,
      identificationId: holds.identificationId,
      owner: holds.owner,
      services: holds.services,
    })
    .from(holds)
    .where(and(eqAny(holds.identificationId, ids), isNotNull(holds.appliedAt), isNull(holds.liftedAt)))
    .orderBy(asc(holds.appliedAt), asc(holds.id))
}

/** Lifts a hold that was placed too late to take effect. */
export async function dropUnappliedHold(tx: Database, identificationId: string, id: string): Promise<void> {
  await tx.orm
    .update(holds)
    .set({ liftedAt: sql`clock_timestamp()`, liftedBy: 'system' })
    .where(
      and(
        eq(holds.id, id),
        eq(holds.identificationId, identificationId),
        isNull(holds.appliedAt),
        isNull(holds.liftedAt),
      ),
    )
}

/**
 * Lifts a hold that was placed after its identification was closed, or whose lifting was requested after that. No
 * workflow can lift such a hold.
 */
export async function settleHoldOfClosedIdentification(db: Database, id: string): Promise<void> {
  await db.orm
    .update(holds)
    .set({ liftedAt: sql`clock_timestamp()`, liftedBy: sql`coalesce(close_requested_by, 'system')` })
    .where(
      and(
        eq(holds.id, id),
        isNull(holds.liftedAt),
        or(isNull(holds.appliedAt), isNotNull(holds.closeRequestedAt)),
        sql`EXISTS (SELECT FROM identifications
          WHERE identifications.id = ${holds.identificationId} AND identifications.verification = 'closed')`,
      ),
    )
}

/**
 * Requests the lifting of a hold. Records only the first request, whose actor counts as the person who lifted the hold.
 */
export async function requestLifting(db: Database, id: string, actor: string): Promise<void> {
  await db.orm
    .update(holds)
    .set({ closeRequestedBy: actor, closeRequestedAt: sql`clock_timestamp()` })
    .where(and(eq(holds.id, id), isNull(holds.closeRequestedAt), isNull(holds.liftedAt)))
}
