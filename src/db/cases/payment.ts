/** Queries for payments, and for the lock under which they are created. */
import { and, eq } from 'drizzle-orm'
import { accounts, identifications, payments } from '../../../drizzle/schema.ts'
import type { Payment, StoredPayment } from '../../domain/payment/payment.ts'
import type { Database } from '../connection/database.ts'

export async function insertPayment(tx: Database, vaultId: string, payment: Payment): Promise<StoredPayment> {
  const [row] = await tx.orm
    .insert(payments)
    .values({ ...payment, vaultId, direction: 'incoming' })
    .returning()
  if (!row) throw new Error('the payment was not written')
  return row
}

/**
 * Locks the account. Waits for a block in progress, and makes later blocks wait for this payment. Returns false if the
 * vault has no such account.
 */
export async function getAccountForUpdate(tx: Database, vaultId: string, accountId: string) {
  const [found] = await tx.orm
    .select({ id: identifications.id })
    .from(accounts)
    .innerJoin(identifications, eq(identifications.id, accounts.identificationId))
    .where(and(eq(accounts.id, accountId), eq(identifications.vaultId, vaultId)))
    .for('share', { of: identifications })
  return found !== undefined
}
