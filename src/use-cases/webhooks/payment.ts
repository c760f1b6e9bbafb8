/** Use cases for simulated payments in the sandbox, which are stored with their events. */
import { v7 as newId } from 'uuid'
import { findVaultOfAccount } from '../../db/cases/identification.ts'
import { getAccountForUpdate, insertPayment } from '../../db/cases/payment.ts'
import { findServiceBlocksInForce } from '../../db/cases/service-block.ts'
import { insertWebhookLogs } from '../../db/webhooks/outbox.ts'
import { RequestRefused } from '../../domain/base/errors.ts'
import {
  type Payment,
  paymentEvent,
  type StoredPayment,
  settlePayment,
} from '../../domain/payment/payment.ts'
import { type Caller, requireVaultHolding } from '../access/caller.ts'
import type { Deps } from '../base/deps.ts'
import { type Commit, commitTogether } from '../base/effect.ts'

type NewPayment = Pick<Payment, 'accountId' | 'kind' | 'amount' | 'currency'>

/**
 * Creates a payment, which is stored as failed if a block prevents it. Throws `not_found` if no vault of the caller has
 * the account.
 */
export async function createPayment(
  { db, notifier }: Pick<Deps, 'db' | 'notifier'>,
  caller: Caller,
  given: NewPayment,
  effect: Commit<StoredPayment>,
): Promise<StoredPayment> {
  const { accountId } = given
  const vaultId = await requireVaultHolding(caller, 'api_write', () => findVaultOfAccount(db, accountId))
  let logIds: readonly string[] = []
  const created = await commitTogether(effect, async (tx) => {
    if (!(await getAccountForUpdate(tx, vaultId, accountId))) throw new RequestRefused({ code: 'not_found' })
    const blocks = await findServiceBlocksInForce(tx, [accountId])
    const settled = settlePayment(
      { id: newId(), ...given },
      blocks.map(({ service }) => service),
    )
    const payment = await insertPayment(tx, vaultId, settled)
    logIds = await insertWebhookLogs(tx, vaultId, [paymentEvent(settled)])
    return payment
  })
  notifier.notify(logIds)
  return created
}
