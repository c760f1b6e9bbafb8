/** Payments to accounts: settled and written with the events that tell of them. */
import { v7 as newId } from 'uuid'
import { serviceBlocksInForce } from '../../db/cases/hold.ts'
import { getAccountForUpdate, insertPayment } from '../../db/cases/payment.ts'
import { type Database, transaction } from '../../db/connection/database.ts'
import { insertWebhookLogs } from '../../db/webhooks/outbox.ts'
import { type Payment, paymentEvent, settlePayment } from '../../domain/webhook/payment.ts'

type NewPayment = Pick<Payment, 'accountId' | 'kind' | 'amount' | 'currency'>

/** Null when the vault has no such account. One that a block meets is recorded as failed. */
export function createPayment(db: Database, vaultId: string, given: NewPayment) {
  return transaction(db, async (tx) => {
    if (!(await getAccountForUpdate(tx, vaultId, given.accountId))) return null
    const blocks = await serviceBlocksInForce(tx, [given.accountId])
    const settled = settlePayment(
      { id: newId(), ...given },
      blocks.map(({ service }) => service),
    )
    const payment = await insertPayment(tx, vaultId, settled)
    return { payment, webhookLogIds: await insertWebhookLogs(tx, vaultId, [paymentEvent(settled)]) }
  })
}
