/** Payments that the sandbox simulates (specification, "Sandbox"). */
import { idParams, unixSeconds } from '../../contracts/common.ts'
import { paymentAnswer, simulatePaymentBody } from '../../contracts/payment.ts'
import { vaultOfAccount } from '../../db/cases/identification.ts'
import type { PaymentRow } from '../../db/cases/payment.ts'
import { RequestRefused } from '../../domain/errors.ts'
import type { PaymentKind } from '../../domain/webhook/payment.ts'
import { vaultHolding } from '../../use-cases/access/caller.ts'
import { createPayment } from '../../use-cases/webhooks/payment.ts'
import { type Route, route } from '../route.ts'

const SIMULATIONS: Record<string, PaymentKind> = {
  simulate_incoming_fiat: 'fiat',
  simulate_incoming_crypto: 'blockchain',
  simulate_card_payment: 'card',
}

export const sandboxPaymentRoutes: readonly Route[] = Object.entries(SIMULATIONS).map(([name, kind]) =>
  route({
    method: 'post',
    path: `/sandbox/accounts/:id/${name}`,
    role: 'api_write',
    summary: 'Simulate a payment (sandbox only)',
    lost: 'twice',
    response: { 201: paymentAnswer },
    params: idParams,
    body: simulatePaymentBody(kind),
    handler: async ({ deps: { db, notifier }, caller, params: { id: accountId }, body, effect }) => {
      const vaultId = await vaultHolding(caller, 'api_write', () => vaultOfAccount(db, accountId))
      return effect.commit(async (tx) => {
        const created = await createPayment(tx, vaultId, { ...body, accountId, kind })
        if (!created) throw new RequestRefused({ code: 'not_found' })
        const answer = { status: 201 as const, body: { data: present(created.payment) } }
        return { answer, afterwards: () => notifier.tell(created.webhookLogIds) }
      })
    },
  }),
)

const present = (payment: PaymentRow) => ({
  id: payment.id,
  account_id: payment.accountId,
  kind: payment.kind,
  direction: payment.direction,
  amount: payment.amount,
  currency: payment.currency,
  status: payment.status,
  reason_code: payment.reasonCode,
  created_at: unixSeconds(payment.createdAt),
})
