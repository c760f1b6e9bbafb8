/** Payments to accounts: written with the events that tell of them. */
import { and, eq } from 'drizzle-orm'
import { v7 as newId } from 'uuid'
import { accounts, identifications, payments } from '../../drizzle/schema.ts'
import { type Payment, paymentEvent, settlePayment } from '../domain/payment.ts'
import { type Database, transaction } from './database.ts'
import { serviceBlocksInForce } from './hold.ts'
import { insertWebhookLogs } from './webhook-outbox.ts'

export type NewPayment = Pick<Payment, 'accountId' | 'kind' | 'amount' | 'currency'>

/** Null when the vault has no such account. One that a block meets is recorded as failed. */
export function createPayment(db: Database, vaultId: string, given: NewPayment) {
  return transaction(db, async (tx) => {
    if (!(await lockAccount(tx, vaultId, given.accountId))) return null
    const blocks = await serviceBlocksInForce(tx, [given.accountId])
    const settled = settlePayment(
      { id: newId(), ...given },
      blocks.map(({ service }) => service),
    )
    const [payment] = await tx.orm
      .insert(payments)
      .values({ ...settled, vaultId, direction: 'incoming' })
      .returning()
    if (!payment) throw new Error('the payment was not written')
    return { payment, webhookLogIds: await insertWebhookLogs(tx, vaultId, [paymentEvent(settled)]) }
  })
}

export type PaymentRow = typeof payments.$inferSelect

/** A block that is being written is waited for, and the next one waits for this payment. */
async function lockAccount(tx: Database, vaultId: string, accountId: string): Promise<boolean> {
  const [found] = await tx.orm
    .select({ id: identifications.id })
    .from(accounts)
    .innerJoin(identifications, eq(identifications.id, accounts.identificationId))
    .where(and(eq(accounts.id, accountId), eq(identifications.vaultId, vaultId)))
    .for('share', { of: identifications })
  return found !== undefined
}
