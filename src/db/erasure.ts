/** Erases what is personal of an identification and its application, for good, in one transaction. */
import { and, asc, eq, inArray, isNotNull, isNull, or, sql } from 'drizzle-orm'
import {
  accounts,
  beneficiaries,
  commands,
  files,
  holds,
  identifications,
  kybApplications,
  rateLimits,
  serviceBlocks,
  timeline,
  verificationLinks,
} from '../../drizzle/schema.ts'
import { emptyContent } from '../domain/kyb-fields.ts'
import { type Database, transaction } from './database.ts'
import { eraseWebhookTraces } from './erasure-webhook.ts'
import { fileContext } from './file.ts'
import { type IdentificationReview, lockIdentification } from './identification.ts'
import { contentContext } from './kyb-application.ts'
import { findRetained, type Retained, whyKept } from './retention.ts'
import { sealedFor } from './sealed.ts'
import { appendTimeline } from './timeline.ts'

export type Erasure = { readonly kept: string } | { readonly detachedFiles: readonly string[] }

/**
 * Ids, statuses, codes, amounts and times stay, and that it was erased. The files' blobs are to be removed
 * after the commit; housekeeping removes what is left of them.
 */
export async function eraseIdentification(db: Database, id: string, years: number): Promise<Erasure> {
  return transaction(db, async (tx): Promise<Erasure> => {
    const found = await findRetained(tx, id, years)
    const reason = whyKept(found, new Date())
    if (!found || reason !== null) return { kept: reason ?? '' }
    // Commands before the entity, in the order in which those lock them who apply them.
    await withdrawCommands(tx, entitiesOf(found))
    const locked = await lockIdentification(tx, found.vaultId, id)
    const retained = await findRetained(tx, id, years)
    const kept = whyKept(retained, new Date())
    if (!locked || !retained || kept !== null) throw new Kept(kept ?? '')
    await eraseCommands(tx, entitiesOf(retained))
    const detachedFiles = retained.kyb ? await eraseKyb(tx, retained.kyb.id) : []
    await eraseProfile(tx, id, locked.review)
    await eraseNotes(tx, retained)
    const ids = [...entitiesOf(retained), ...locked.accounts.map((account) => account.id)]
    await eraseWebhookTraces(tx, retained.vaultId, ids, retained.createdAt)
    await recordErasure(tx, retained)
    return { detachedFiles }
  }).catch((error: unknown) => {
    if (error instanceof Kept) return { kept: error.message }
    throw error
  })
}

/** Undoes what was done before it was seen, under the lock, that it has to be kept. */
class Kept extends Error {}

const entitiesOf = ({ id, kyb }: Retained): string[] => [id, ...(kyb ? [kyb.id] : [])]

/** What is being applied is waited for, and what was not is withdrawn. */
async function withdrawCommands(tx: Database, entityIds: readonly string[]): Promise<void> {
  const own = inArray(commands.entityId, [...entityIds])
  await tx.orm.delete(commands).where(and(own, isNull(commands.appliedAt)))
  await lockApplied(tx, entityIds)
}

const lockApplied = (tx: Database, entityIds: readonly string[]) =>
  tx.orm
    .select({ id: commands.id })
    .from(commands)
    .where(and(inArray(commands.entityId, [...entityIds]), isNotNull(commands.appliedAt)))
    .orderBy(asc(commands.createdAt))
    .for('update')

/** What was asked stays as a record without its words. */
async function eraseCommands(tx: Database, entityIds: readonly string[]): Promise<void> {
  for (const { id } of await lockApplied(tx, entityIds)) {
    const payload = tx.encryption.sealJson({}, sealedFor('commands.payload', id))
    await tx.orm.update(commands).set({ payload }).where(eq(commands.id, id))
  }
}

async function eraseProfile(tx: Database, id: string, review: IdentificationReview | null): Promise<void> {
  const { encryption, orm } = tx
  await orm
    .update(identifications)
    .set({
      profile: encryption.sealJson({}, sealedFor('identifications.profile', id)),
      review:
        review &&
        encryption.sealJson({ ...review, clientComment: null }, sealedFor('identifications.review', id)),
      emailHash: null,
      nameHash: null,
      erasedAt: sql`clock_timestamp()`,
    })
    .where(eq(identifications.id, id))
}

/** Gives the ids of the files, whose blobs are to be removed. */
async function eraseKyb(tx: Database, id: string): Promise<string[]> {
  const { encryption, orm } = tx
  const { beneficiaries_list: _, ...owners } = emptyContent().beneficiaries
  await orm
    .update(kybApplications)
    .set({
      content: encryption.sealJson({ ...emptyContent(), beneficiaries: owners }, contentContext(id)),
      review: null,
      emailHash: null,
      nameHash: null,
      // Of no password at all.
      passwordHash: encryption.hash(crypto.randomUUID(), 'erased'),
    })
    .where(eq(kybApplications.id, id))
  await orm.delete(beneficiaries).where(eq(beneficiaries.kybApplicationId, id))
  const uploaded = await orm.select({ id: files.id }).from(files).where(eq(files.kybApplicationId, id))
  for (const file of uploaded) {
    const name = encryption.seal('', fileContext(file.id))
    await orm.update(files).set({ state: 'detached', name, sha256: null }).where(eq(files.id, file.id))
  }
  return uploaded.map((file) => file.id)
}

/** What people wrote about it, its links and its counters of wrong tries. */
async function eraseNotes(tx: Database, retained: Retained): Promise<void> {
  const { orm } = tx
  const { id } = retained
  await orm.update(holds).set({ notes: null }).where(eq(holds.identificationId, id))
  const own = orm.select({ id: accounts.id }).from(accounts).where(eq(accounts.identificationId, id))
  await orm.update(serviceBlocks).set({ notes: null }).where(inArray(serviceBlocks.accountId, own))
  await orm
    .update(timeline)
    .set({ notes: null })
    .where(inArray(timeline.entityId, entitiesOf(retained)))
  await orm.delete(verificationLinks).where(eq(verificationLinks.identificationId, id))
  const counters = entitiesOf(retained).map((entity) => sql`${rateLimits.key} LIKE ${`%${entity}%`}`)
  await orm.delete(rateLimits).where(or(...counters))
}

async function recordErasure(tx: Database, { id, vaultId, status, kyb }: Retained): Promise<void> {
  const entry = { vaultId, action: 'erased', actor: 'system', causeId: 'erased' }
  await appendTimeline(tx, { ...entry, entity: 'identification', entityId: id, from: status, to: status })
  if (kyb)
    await appendTimeline(tx, {
      ...entry,
      entity: 'kyb',
      entityId: kyb.id,
      from: kyb.status,
      to: kyb.status,
    })
}
