/** Use cases for erasing the personal data of an identification and its application permanently, in one transaction. */
import { getChecksForUpdate } from '../../db/cases/beneficiary.ts'
import { erasePayloads, eraseRows, withdrawCommands } from '../../db/cases/erasure.ts'
import { findIdentification, getIdentificationsForUpdate } from '../../db/cases/identification.ts'
import { findRetained, type Retained, retentionBlocker } from '../../db/cases/retention.ts'
import { appendTimeline } from '../../db/cases/timeline.ts'
import { type Database, transaction } from '../../db/connection/database.ts'

export type Erasure = { readonly kept: string } | { readonly detachedFiles: readonly string[] }

/**
 * Erases personal data. IDs, statuses, codes, amounts, times and the fact of the erasure remain. The caller must remove
 * the blobs after the commit. Housekeeping removes any blobs that are left.
 */
export async function eraseIdentification(db: Database, id: string, years: number): Promise<Erasure> {
  return transaction(db, async (tx): Promise<Erasure> => {
    const found = await findRetained(tx, id, years)
    const reason = retentionBlocker(found)
    if (!found || reason !== null) return { kept: reason ?? '' }
    // Locks the commands before the entity, in the same order as the transactions that apply them.
    await withdrawCommands(tx, found)
    // For the same reason, locks the rows of beneficiaries before the rows of their verifications.
    const people = found.kyb ? await getChecksForUpdate(tx, found.kyb.id) : []
    // Until the commit, these locks delay inserts of cases, notes, accounts and sessions that refer to the rows. Files
    // cannot be attached during the erasure.
    await getIdentificationsForUpdate(tx, [id, ...people])
    const locked = await findIdentification(tx, found.vaultId, id)
    const retained = await findRetained(tx, id, years)
    const kept = retentionBlocker(retained)
    if (!locked || !retained || kept !== null) throw new Kept(kept ?? '')
    const { kyb, beneficiaryIds } = retained
    const accountIds = locked.accounts.map((account) => account.id)
    const ids = [id, ...beneficiaryIds, ...(kyb ? [kyb.id] : []), ...accountIds]
    const detachedFiles = await eraseRows(tx, retained, await erasePayloads(tx, retained, ids))
    await recordErasure(tx, retained)
    return { detachedFiles }
  }).catch((error: unknown) => {
    if (error instanceof Kept) return { kept: error.message }
    throw error
  })
}

/** Thrown to roll the transaction back if the data must be retained. This is certain only under the lock. */
class Kept extends Error {}

async function recordErasure(tx: Database, { id, vaultId, status, kyb }: Retained): Promise<void> {
  const entry = { vaultId, action: 'erased', actor: 'system', causeId: 'erased' }
  await appendTimeline(tx, { ...entry, entity: 'identification', entityId: id, from: status, to: status })
  if (!kyb) return
  const { id: entityId, status: ofKyb } = kyb
  await appendTimeline(tx, { ...entry, entity: 'kyb', entityId, from: ofKyb, to: ofKyb })
}
