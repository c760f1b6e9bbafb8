/** Routes for simulated fiat payments (specification, "Sandbox"). */
import { paymentResponse, simulatePaymentBody } from '../../contracts/payment.ts'
import { presenterOf } from '../../contracts/record.ts'
import type { PaymentKind, StoredPayment } from '../../domain/payment/payment.ts'
import { createPayment } from '../../use-cases/webhooks/payment.ts'
import { type Route, route } from '../routing/route.ts'

const SIMULATIONS: readonly (readonly [name: string, path: string, kind: PaymentKind])[] = [
  ['simulateIncomingFiat', 'simulate_incoming_fiat', 'fiat'],
  ['simulateIncomingCrypto', 'simulate_incoming_crypto', 'blockchain'],
  ['simulateCardPayment', 'simulate_card_payment', 'card'],
]

const present = presenterOf(paymentResponse.shape.data)

export const sandboxPaymentRoutes: readonly Route[] = SIMULATIONS.map(([name, path, kind]) =>
  route({
    name,
    at: `POST /sandbox/accounts/:id/${path}`,
    role: 'api_write',
    summary: 'Simulate a payment (sandbox only)',
    retryGuidance: 'twice',
    response: { 201: paymentResponse },
    body: simulatePaymentBody(kind),
    handler: ({ deps, caller, params: { id: accountId }, body, effect }) =>
      effect.answering(
        (payment: StoredPayment) => ({ status: 201 as const, body: { data: present(payment) } }),
        (commit) => createPayment(deps, caller, { ...body, accountId, kind }, commit),
      ),
  }),
)
