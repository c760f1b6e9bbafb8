/** Completes the hashes by which a search finds names, in rows that an earlier version of Gatehouse wrote. */
import { eq, sql } from 'drizzle-orm'
import { identifications, kybApplications } from '../../../drizzle/schema.ts'
import type { Entity } from '../../domain/entity/entity.ts'
import { findIdentification } from '../cases/identification.ts'
import { findKybApplication } from '../cases/kyb-application.ts'
import { completeOldRows } from '../cases/old-rows.ts'
import type { Database } from '../connection/database.ts'
import { nullIfDamaged } from '../connection/sealed.ts'
import { hashCompany, hashProfile } from './lookup.ts'
import { insertNameParts, setVaultsOfNameParts } from './name-parts.ts'

/** Writes the name parts and the hashes of names in the current spelling. Returns the number of rows. */
export async function indexNames(db: Database): Promise<number> {
  const count = await completeOldRows(db, sql`NOT names_spelt`, async (tx, kind, rows) => {
    await insertNameParts(tx, rows)
    for (const { id, vaultId } of rows) await SPELL[kind](tx, vaultId, id)
  })
  return count + (await setVaultsOfNameParts(db))
}

const DONE = { namesIndexed: true, namesSpelt: true }

const SPELL: Record<Entity, (tx: Database, vaultId: string, id: string) => Promise<unknown>> = {
  async kyb(tx, vaultId, id) {
    const found = await findKybApplication(tx, vaultId, id).catch(nullIfDamaged)
    const hashes = found && hashCompany(tx, found.content)
    return tx.orm
      .update(kybApplications)
      .set({ ...hashes, ...DONE })
      .where(eq(kybApplications.id, id))
  },
  async identification(tx, vaultId, id) {
    const found = await findIdentification(tx, vaultId, id).catch(nullIfDamaged)
    const hashes = found && hashProfile(tx, found.profile)
    return tx.orm
      .update(identifications)
      .set({ ...hashes, ...DONE })
      .where(eq(identifications.id, id))
  },
}
