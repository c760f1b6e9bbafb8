/** Rules for payments, the service that each kind of payment requires, and the resulting event. */

import type { Service } from '../identification/holds.ts'
import type { GatehouseEvent } from '../webhook/events.ts'

const PAYMENT_KINDS = ['fiat', 'blockchain', 'card'] as const
export type PaymentKind = (typeof PAYMENT_KINDS)[number]

/** The currencies of `blockchain` payments. The other kinds use the currencies of ISO 4217. */
export const CRYPTO_CURRENCIES = [
  'BTC',
  'ETH',
  'USDT',
  'USDC',
  'EURC',
  'DAI',
  'ADA',
  'ALGO',
  'ATOM',
  'AVAX',
  'BCH',
  'BNB',
  'DOGE',
  'DOT',
  'LINK',
  'LTC',
  'POL',
  'SOL',
  'TON',
  'TRX',
  'UNI',
  'XLM',
  'XRP',
] as const

export type PaymentStatus = 'completed' | 'failed'
export type PaymentFailure = 'account_blocked'

export interface Payment {
  readonly id: string
  readonly accountId: string
  readonly kind: PaymentKind
  /** The amount, a decimal number as text that Gatehouse passes on unchanged. */
  readonly amount: string
  readonly currency: string
  readonly status: PaymentStatus
  readonly reasonCode: PaymentFailure | null
}

/** A payment with the data that Gatehouse adds when it creates the payment. */
export interface StoredPayment extends Payment {
  readonly direction: string
  readonly createdAt: Date
}

/**
 * Settles a payment to an account whose `blocked` services are blocked. The account's identification need not be
 * approved, so that clients can test each event with their first account.
 */
export function settlePayment(
  payment: Omit<Payment, 'status' | 'reasonCode'>,
  blocked: readonly Service[],
): Payment {
  return blocked.includes(`${payment.kind}_payments`)
    ? { ...payment, status: 'failed', reasonCode: 'account_blocked' }
    : { ...payment, status: 'completed', reasonCode: null }
}

export const FAILURE_MESSAGES: Record<PaymentFailure, string> = {
  account_blocked: 'The account is blocked for this type of payment.',
}

/** Returns the event for a payment. The payment is final when it is created, so its version is always 1. */
export function paymentEvent({ id, accountId, kind, ...payment }: Payment): GatehouseEvent {
  const { amount, currency, status, reasonCode } = payment
  return {
    name: reasonCode === null ? `${kind}_payment_received` : `${kind}_payment_failed`,
    attributes: {
      [`${kind}_payment_uuid`]: id,
      amount,
      currency,
      status,
      account_uuid: accountId,
      version: 1,
      ...(reasonCode !== null && { reason_code: reasonCode, message: FAILURE_MESSAGES[reasonCode] }),
    },
    // TypeScript cannot infer that the names of the event and its attributes match the kind of payment.
  } as unknown as GatehouseEvent
}
