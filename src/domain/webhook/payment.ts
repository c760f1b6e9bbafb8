/** Payments: which service of an account each kind needs, and the event that tells of one. */

import type { Service } from '../identification/holds.ts'
import type { GatehouseEvent } from './events.ts'

const PAYMENT_KINDS = ['fiat', 'blockchain', 'card'] as const
export type PaymentKind = (typeof PAYMENT_KINDS)[number]

/** What is paid in `fiat` and by `card` are the currencies of ISO 4217. */
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
  /** A decimal number, from here to the receiver as the text that it was sent as. */
  readonly amount: string
  readonly currency: string
  readonly status: PaymentStatus
  readonly reasonCode: PaymentFailure | null
}

/** A payment with what was recorded when it was stored. */
export interface StoredPayment extends Payment {
  readonly direction: string
  readonly createdAt: Date
}

/**
 * Settles a payment to an account with these blocked services. Approval is not required, so that clients can try each event
 * with their first account.
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

/** A payment is settled when it is made, so its version is its only one. */
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
    // The names of kinds, events and attributes go together; TypeScript does not follow them that far.
  } as unknown as GatehouseEvent
}
