/** Queries for administrative actions that wait for a second administrator. */
import { desc, eq } from 'drizzle-orm'
import { adminProposals } from '../../../drizzle/schema.ts'
import type { AdminAction, AdminProposal } from '../../domain/access/admin-action.ts'
import { grantsOfNames, type RoleName, type VaultScope } from '../../domain/access/grant.ts'
import type { Page } from '../../domain/base/page.ts'
import type { Database } from '../connection/database.ts'
import { inScope } from '../connection/in-scope.ts'
import { sealedFor } from '../connection/sealed.ts'

interface Proposed {
  readonly action: AdminAction
  /** The first half of the one-time password that the action sets. */
  readonly firstHalf: string | null
  /** The values that the action replaces. Empty if it replaces none, and absent in proposals of an earlier version. */
  readonly replaces?: string
}

const contextOf = (id: string) => sealedFor('admin_proposals.action', id)

/** Converts a proposal to JSON. Encodes the logo, because JSON cannot contain bytes. */
const toJson = (proposed: Proposed) => {
  const { action } = proposed
  const logo = action.kind === 'change_vault' ? action.changes.logo : undefined
  return { ...proposed, ...(logo && { logo: logo.toString('base64') }) }
}

/** The action as stored. An earlier version stored the names of roles. */
type StoredAction = AdminAction & { readonly operatorRoles?: readonly RoleName[] }

function fromJson({
  logo,
  action: { operatorRoles, ...rest },
  ...stored
}: Proposed & { readonly action: StoredAction; readonly logo?: string }): Proposed {
  const action = {
    ...rest,
    ...(operatorRoles && { operatorGrants: grantsOfNames(operatorRoles) }),
  } as AdminAction
  if (action.kind !== 'change_vault' || logo === undefined) return { ...stored, action }
  return {
    ...stored,
    action: { ...action, changes: { ...action.changes, logo: Buffer.from(logo, 'base64') } },
  }
}

export async function insertProposal(
  tx: Database,
  { id, proposedBy, ...proposed }: Proposed & Pick<AdminProposal, 'id' | 'proposedBy'>,
): Promise<Date> {
  const action = tx.encryption.sealJson(toJson(proposed), contextOf(id))
  const vaultId = 'vaultId' in proposed.action ? proposed.action.vaultId : null
  const [row] = await tx.orm
    .insert(adminProposals)
    .values({ id, proposedBy, action, vaultId })
    .returning({ createdAt: adminProposals.createdAt })
  return row?.createdAt ?? new Date()
}

interface TakenProposal extends Omit<Proposed, 'action'> {
  readonly proposal: AdminProposal
}

function read(
  { encryption }: Database,
  { action: sealed, vaultId: _, ...row }: typeof adminProposals.$inferSelect,
): TakenProposal {
  const { action, ...more } = fromJson(encryption.unsealJson(sealed, contextOf(row.id)))
  return { ...more, proposal: { ...row, action } }
}

/** Returns a page of the proposals in the scope, newest first. */
export async function listProposals(db: Database, scope: VaultScope, { page, per_page }: Page) {
  const isVisible = inScope(adminProposals.vaultId, scope)
  const rows = await db.orm
    .select()
    .from(adminProposals)
    .where(isVisible)
    .orderBy(desc(adminProposals.id))
    .limit(per_page)
    .offset((page - 1) * per_page)
  return {
    entries: rows.map((row) => read(db, row).proposal),
    totalCount: await db.orm.$count(adminProposals, isVisible),
  }
}

/**
 * Deletes the proposal and returns it, or returns null if there is none. Only one of two concurrent confirmations gets
 * the proposal.
 */
export async function takeProposal(tx: Database, id: string): Promise<TakenProposal | null> {
  const [row] = await tx.orm.delete(adminProposals).where(eq(adminProposals.id, id)).returning()
  return row ? read(tx, row) : null
}
