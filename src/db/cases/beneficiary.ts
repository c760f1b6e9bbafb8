/** Beneficiaries as persons with a link of their own; what applications say of them is with these. */
import { and, eq, isNotNull, isNull, type SQL, sql } from 'drizzle-orm'
import { beneficiaries, kybApplications } from '../../../drizzle/schema.ts'
import type { Beneficiary } from '../../domain/kyb/fields.ts'
import type { Database } from '../connection/database.ts'
import { personContext, tokenContext } from './kyb-application.ts'

export const beneficiaryTokenHash = ({ encryption }: Database, token: string): Buffer =>
  encryption.hash(token, 'beneficiary_link')

/**
 * What the application says of the person, whose row is locked until the transaction ends, and whether it is still
 * open; null when the person is gone.
 */
export async function getBeneficiaryForUpdate(
  tx: Database,
  vaultId: string,
  id: string,
  kybId?: string,
): Promise<{ readonly person: Beneficiary; readonly isOpen: boolean } | null> {
  const [row] = await tx.orm
    .select({ person: beneficiaries.person, status: kybApplications.status })
    .from(beneficiaries)
    .innerJoin(kybApplications, eq(kybApplications.id, beneficiaries.kybApplicationId))
    .where(
      and(
        eq(beneficiaries.id, id),
        eq(kybApplications.vaultId, vaultId),
        kybId === undefined ? undefined : eq(kybApplications.id, kybId),
        isNull(beneficiaries.removedAt),
      ),
    )
    .for('update', { of: beneficiaries })
  if (!row) return null
  const person = tx.encryption.openJson<Beneficiary>(row.person, personContext(id))
  return { person, isOpen: row.status === 'open' }
}

const lockWhere = (tx: Database, condition: SQL) =>
  tx.orm
    .select({ id: beneficiaries.id })
    .from(beneficiaries)
    .where(condition)
    .orderBy(beneficiaries.id)
    .for('update')

/** Whoever's it is, and whether or not there is one. */
export async function getBeneficiaryRowForUpdate(tx: Database, id: string): Promise<void> {
  await lockWhere(tx, eq(beneficiaries.id, id))
}

/** Gives their ids. No verification begins and no link is opened meanwhile. */
export async function getBeneficiariesForUpdate(tx: Database, kybId: string): Promise<string[]> {
  const rows = await lockWhere(tx, eq(beneficiaries.kybApplicationId, kybId))
  return rows.map(({ id }) => id)
}

/** The earlier link is good no more. Gives until when the new one is. */
export async function replaceBeneficiaryToken(tx: Database, id: string, token: string): Promise<Date> {
  const [row] = await tx.orm
    .update(beneficiaries)
    .set({
      token: tx.encryption.seal(token, tokenContext(id)),
      tokenHash: beneficiaryTokenHash(tx, token),
      tokenExpiresAt: sql`clock_timestamp() + interval '7 days'`,
    })
    .where(eq(beneficiaries.id, id))
    .returning({ expiresAt: beneficiaries.tokenExpiresAt })
  if (!row) throw new Error('a beneficiary that was locked is not there')
  return row.expiresAt
}

/** The application of a beneficiary, also of one who was removed from it. */
export async function kybOfBeneficiary(db: Database, id: string) {
  const [row] = await db.orm
    .select({ id: kybApplications.id, vaultId: kybApplications.vaultId, removedAt: beneficiaries.removedAt })
    .from(beneficiaries)
    .innerJoin(kybApplications, eq(kybApplications.id, beneficiaries.kybApplicationId))
    .where(eq(beneficiaries.id, id))
  return row ?? null
}

/** Nothing is left of somebody who was removed. */
export async function deleteRemovedBeneficiary(tx: Database, id: string): Promise<void> {
  await tx.orm.delete(beneficiaries).where(and(eq(beneficiaries.id, id), isNotNull(beneficiaries.removedAt)))
}
