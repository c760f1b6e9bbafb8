/** Routes for payments that the sandbox simulates (specification, "Sandbox"). */
import { idParams, unixSeconds } from '../../contracts/common.ts'
import { paymentAnswer, simulatePaymentBody } from '../../contracts/payment.ts'
import type { PaymentKind, StoredPayment } from '../../domain/webhook/payment.ts'
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
    handler: ({ deps, caller, params: { id: accountId }, body, effect }) =>
      effect.answering(
        (payment: StoredPayment) => ({ status: 201 as const, body: { data: present(payment) } }),
        (commit) => createPayment(deps, caller, { ...body, accountId, kind }, commit),
      ),
  }),
)

const present = (payment: StoredPayment) => ({
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
