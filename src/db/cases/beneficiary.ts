/** Queries for the links and verification checks of beneficiaries. */
import { and, eq, isNotNull, isNull, or, type SQL, sql } from 'drizzle-orm'
import {
  beneficiaries,
  identifications,
  kybApplications,
  SCREENED_COMPANIES,
} from '../../../drizzle/schema.ts'
import type { EntityRef } from '../../domain/entity/entity.ts'
import type { Beneficiary } from '../../domain/kyb/fields.ts'
import type { BeneficiaryLink } from '../../domain/kyb/record.ts'
import { hasCheck } from '../access/link-language.ts'
import type { Database } from '../connection/database.ts'
import { eqAny } from '../connection/eq-any.ts'
import { personContext, tokenContext } from './kyb-application.ts'

export const beneficiaryTokenHash = ({ encryption }: Database, token: string): Buffer =>
  encryption.hash(token, 'beneficiary_link')

/** A row keeps the ID of its first check as its own, and that of a later check in `checkId`. */
const { checkId: later, id: first } = beneficiaries

/**
 * Matches the beneficiary whose current or earlier check this is. Until a check begins, only the beneficiary's row
 * contains the check's ID.
 */
const isOfCheck = (checkId: string): SQL =>
  sql`(${later} = ${checkId}::uuid OR ${first} = ${checkId}::uuid OR ${first} = (
    SELECT beneficiary_id FROM identifications WHERE id = ${checkId}::uuid))`

/**
 * Returns the application of the beneficiary whose current or earlier check this is, even if the person was removed.
 * Returns null if the check is not about a beneficiary.
 */
export async function findKybOfCheck(db: Database, checkId: string) {
  const [row] = await db.orm
    .select({
      id: kybApplications.id,
      vaultId: kybApplications.vaultId,
      profileVersion: kybApplications.profileVersion,
      removedAt: beneficiaries.removedAt,
      isCurrent: hasCheck(checkId).mapWith(Boolean),
    })
    .from(beneficiaries)
    .innerJoin(kybApplications, eq(kybApplications.id, beneficiaries.kybApplicationId))
    .where(isOfCheck(checkId))
  return row ?? null
}

/**
 * Marks the application of a beneficiary as not screened, because the person's check has other data now. Returns the
 * application if it can be screened now.
 */
export async function clearScreeningOfCheck(tx: Database, checkId: string): Promise<EntityRef<'kyb'>[]> {
  const rows = await tx.orm
    .update(kybApplications)
    .set({ screenedWith: null })
    .from(beneficiaries)
    .where(
      and(
        eq(kybApplications.id, beneficiaries.kybApplicationId),
        isNull(beneficiaries.removedAt),
        hasCheck(checkId),
        sql`(${kybApplications.status} = 'open' OR ${SCREENED_COMPANIES})`,
      ),
    )
    .returning({
      id: kybApplications.id,
      vaultId: kybApplications.vaultId,
      completed: kybApplications.completed,
    })
  return rows.flatMap(({ id, vaultId, completed }) => (completed ? [{ entity: 'kyb', id, vaultId }] : []))
}

/**
 * Returns stand-ins for the links of people who were removed from the application. They open nothing, and lead to the
 * person's check.
 */
export async function findLinksOfRemoved(
  db: Database,
  kybId: string,
  people: readonly string[],
): Promise<Map<string, BeneficiaryLink>> {
  const checkId = sql<string>`coalesce(${beneficiaries.checkId}, ${beneficiaries.id})`
  const rows = await db.orm
    .select({
      id: beneficiaries.id,
      checkId,
      expiresAt: beneficiaries.tokenExpiresAt,
      verification: identifications.verification,
    })
    .from(beneficiaries)
    .leftJoin(identifications, eq(identifications.id, checkId))
    .where(and(eq(beneficiaries.kybApplicationId, kybId), eqAny(beneficiaries.id, people)))
  const known = new Map(rows.map((row) => [row.id, row]))
  return new Map(
    people.map((id) => {
      const { checkId = id, expiresAt = new Date(0), verification = null } = known.get(id) ?? {}
      const isBegun = verification !== null
      return [id, { token: '', expiresAt, checkId, verification: verification ?? 'closed', isBegun }]
    }),
  )
}

const getPersonForUpdate = (tx: Database, condition: SQL) =>
  tx.orm
    .select({ id: beneficiaries.id })
    .from(beneficiaries)
    .where(condition)
    .orderBy(beneficiaries.id)
    .for('update')

/** Locks the row of the beneficiary whose current or earlier check this is, if there is one. */
export async function getRowOfCheckForUpdate(tx: Database, checkId: string): Promise<void> {
  await getPersonForUpdate(tx, isOfCheck(checkId))
}

/**
 * Returns the person whose current check this is, as the application describes them, and whether the application is
 * open. Locks the row until the transaction ends. Returns null if the person was removed or has another check.
 */
export async function getCheckedBeneficiaryForUpdate(tx: Database, vaultId: string, checkId: string) {
  const [row] = await tx.orm
    .select({ id: beneficiaries.id, person: beneficiaries.person, status: kybApplications.status })
    .from(beneficiaries)
    .innerJoin(kybApplications, eq(kybApplications.id, beneficiaries.kybApplicationId))
    .where(and(hasCheck(checkId), eq(kybApplications.vaultId, vaultId), isNull(beneficiaries.removedAt)))
    .for('update', { of: beneficiaries })
  if (!row) return null
  const person = tx.encryption.unsealJson<Beneficiary>(row.person, personContext(row.id))
  return { person, isOpen: row.status === 'open' }
}

/** Locks the row of a beneficiary. Returns false if the application has no such beneficiary. */
export async function getBeneficiaryForUpdate(tx: Database, kybId: string, id: string): Promise<boolean> {
  const own = and(eq(beneficiaries.kybApplicationId, kybId), isNull(beneficiaries.removedAt))
  const rows = await getPersonForUpdate(tx, sql`${eq(beneficiaries.id, id)} AND ${own}`)
  return rows.length > 0
}

/**
 * Returns the IDs of all checks of the application's beneficiaries. Locks the rows of the beneficiaries, so that no
 * other check begins.
 */
export async function getChecksForUpdate(tx: Database, kybId: string): Promise<string[]> {
  const people = await getPersonForUpdate(tx, eq(beneficiaries.kybApplicationId, kybId))
  const { id, beneficiaryId } = identifications
  const ids = people.map((person) => person.id)
  const rows = await tx.orm
    .select({ id })
    .from(identifications)
    .where(or(eqAny(beneficiaryId, ids), eqAny(id, ids)))
  return rows.map((row) => row.id)
}

/**
 * Replaces the link and, if `checkId` is given, also the check. The earlier link becomes invalid. Returns the time when
 * the new link expires.
 */
export async function replaceBeneficiaryToken(tx: Database, id: string, token: string, checkId?: string) {
  const [row] = await tx.orm
    .update(beneficiaries)
    .set({
      ...(checkId !== undefined && { checkId }),
      token: tx.encryption.seal(token, tokenContext(id)),
      tokenHash: beneficiaryTokenHash(tx, token),
      tokenExpiresAt: sql`clock_timestamp() + interval '7 days'`,
    })
    .where(eq(beneficiaries.id, id))
    .returning({ expiresAt: beneficiaries.tokenExpiresAt })
  if (!row) throw new Error('the locked beneficiary was not found')
  return row.expiresAt
}

/** Deletes the row of a removed beneficiary whose check contained no data, unless an earlier check remains. */
export async function deleteRemovedBeneficiary(tx: Database, checkId: string): Promise<void> {
  await tx.orm.delete(beneficiaries).where(
    and(
      hasCheck(checkId),
      isNotNull(beneficiaries.removedAt),
      sql`NOT EXISTS (SELECT FROM identifications
        WHERE (beneficiary_id = ${first} OR identifications.id = ${first})
          AND identifications.id <> ${checkId}::uuid)`,
    ),
  )
}
