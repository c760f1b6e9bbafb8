/** Erases what is personal of an identification and its application, for good, in one transaction. */
import { getChecksForUpdate } from '../../db/cases/beneficiary.ts'
import { erasePayloads, eraseRows, withdrawCommands } from '../../db/cases/erasure.ts'
import { findIdentification, getIdentificationsForUpdate } from '../../db/cases/identification.ts'
import { findRetained, type Retained, retentionBlocker } from '../../db/cases/retention.ts'
import { appendTimeline } from '../../db/cases/timeline.ts'
import { type Database, transaction } from '../../db/connection/database.ts'

export type Erasure = { readonly kept: string } | { readonly detachedFiles: readonly string[] }

/**
 * Ids, statuses, codes, amounts and times stay, and that it was erased. The files' blobs are to be removed
 * after the commit; housekeeping removes what is left of them.
 */
export async function eraseIdentification(db: Database, id: string, years: number): Promise<Erasure> {
  return transaction(db, async (tx): Promise<Erasure> => {
    const found = await findRetained(tx, id, years)
    const reason = retentionBlocker(found)
    if (!found || reason !== null) return { kept: reason ?? '' }
    // Commands before the entity, in the order in which those lock them who apply them.
    await withdrawCommands(tx, found)
    // The rows of beneficiaries before those of their verifications, likewise.
    const people = found.kyb ? await getChecksForUpdate(tx, found.kyb.id) : []
    // What refers to them is inserted meanwhile as it would be afterwards: cases, notes and accounts under this lock,
    // sessions under that of their link, and nothing attaches a file that comes now.
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

/** Undoes what was done before it was seen, under the lock, that it has to be kept. */
class Kept extends Error {}

async function recordErasure(tx: Database, { id, vaultId, status, kyb }: Retained): Promise<void> {
  const entry = { vaultId, action: 'erased', actor: 'system', causeId: 'erased' }
  await appendTimeline(tx, { ...entry, entity: 'identification', entityId: id, from: status, to: status })
  if (!kyb) return
  const { id: entityId, status: ofKyb } = kyb
  await appendTimeline(tx, { ...entry, entity: 'kyb', entityId, from: ofKyb, to: ofKyb })
}
