/** Payments to accounts: settled and written with the events that tell of them. */
import { v7 as newId } from 'uuid'
import { type Database, transaction } from '../db/database.ts'
import { serviceBlocksInForce } from '../db/hold.ts'
import { insertPayment, lockAccount } from '../db/payment.ts'
import { insertWebhookLogs } from '../db/webhook-outbox.ts'
import { type Payment, paymentEvent, settlePayment } from '../domain/payment.ts'

type NewPayment = Pick<Payment, 'accountId' | 'kind' | 'amount' | 'currency'>

/** Null when the vault has no such account. One that a block meets is recorded as failed. */
export function createPayment(db: Database, vaultId: string, given: NewPayment) {
  return transaction(db, async (tx) => {
    if (!(await lockAccount(tx, vaultId, given.accountId))) return null
    const blocks = await serviceBlocksInForce(tx, [given.accountId])
    const settled = settlePayment(
      { id: newId(), ...given },
      blocks.map(({ service }) => service),
    )
    const payment = await insertPayment(tx, vaultId, settled)
    return { payment, webhookLogIds: await insertWebhookLogs(tx, vaultId, [paymentEvent(settled)]) }
  })
}
