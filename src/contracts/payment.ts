/** Schemas for fiat payments (specification, "Sandbox"). */
import { code as isoCurrency } from 'currency-codes'
import { z } from 'zod'
import { CRYPTO_CURRENCIES, type PaymentKind } from '../domain/payment/payment.ts'
import { described } from './common.ts'
import { dataOf, named, unixTime, uuid } from './response.ts'

const MAX_CRYPTO_DECIMALS = 18

export const AN_AMOUNT = 'Send a decimal number as a string, such as "10.50".'
export const A_SHORT_AMOUNT =
  'Send a decimal number without a sign as a string, such as "10.50", with at most 18 digits before and after the point.'

/** A positive decimal number in canonical form, with at most 18 digits before and after the point. */
const amount = described(
  z
    .string(AN_AMOUNT)
    .regex(/^(0|[1-9]\d{0,17})(\.\d{1,18})?$/, { error: A_SHORT_AMOUNT, abort: true })
    .regex(/[1-9]/, 'The amount is zero. Send a larger amount.'),
  'Amount, as a decimal string greater than zero. It has at most as many decimals as the currency.',
  '10.50',
)

/** Returns false for the ISO 4217 codes that stand for a metal, a test or no currency. */
const isSpent = (countries: readonly string[]) => !countries.some((country) => /^Zz\d/.test(country))

function fiatDecimals(currency: string): number | null {
  // The Caribbean guilder of 2025 is newer than the library's list.
  if (currency === 'XCG') return 2
  const entry = isoCurrency(currency)
  return entry?.code === currency && isSpent(entry.countries) ? entry.digits : null
}

const cryptoDecimals = (currency: string): number | null =>
  (CRYPTO_CURRENCIES as readonly string[]).includes(currency) ? MAX_CRYPTO_DECIMALS : null

/** The functions that return the number of decimals of a currency, or null if the currency is unknown. */
const DECIMALS: Record<PaymentKind, (currency: string) => number | null> = {
  fiat: fiatDecimals,
  card: fiatDecimals,
  blockchain: cryptoDecimals,
}

const HINTS: Record<PaymentKind, string> = {
  fiat: 'Send an ISO 4217 currency code, such as EUR.',
  card: 'Send an ISO 4217 currency code, such as EUR.',
  blockchain: `Choose from: ${CRYPTO_CURRENCIES.join(', ')}.`,
}

export const simulatePaymentBody = (kind: PaymentKind) =>
  z
    .strictObject({
      amount,
      currency: z
        .string()
        .refine((currency) => DECIMALS[kind](currency) !== null, HINTS[kind])
        .meta({ description: HINTS[kind], examples: [kind === 'blockchain' ? 'BTC' : 'EUR'] }),
    })
    .superRefine(({ amount, currency }, context) => {
      const decimals = DECIMALS[kind](currency)
      if (decimals === null) return
      const given = amount.split('.')[1]?.length ?? 0
      const message = `The currency has ${decimals === 0 ? 'no' : decimals} decimals. Send no more decimals.`
      if (given > decimals) context.addIssue({ code: 'custom', path: ['amount'], message })
    })

export const paymentResponse = dataOf(
  named(
    'Payment',
    z.strictObject({
      id: uuid.describe(
        'ID of the payment. Events about the payment contain it as `fiat_payment_uuid`, `card_payment_uuid` or `blockchain_payment_uuid`.',
      ),
      account_id: uuid.describe('ID of the account that receives the payment.'),
      kind: described(z.string(), 'Type of the payment: `fiat`, `card` or `blockchain`.', 'fiat'),
      direction: described(z.string(), 'Direction of the payment: `incoming`.', 'incoming'),
      amount: described(z.string(), 'Amount, as a decimal string.', '10.50'),
      currency: described(z.string(), 'Currency code.', 'EUR'),
      status: described(
        z.string(),
        'Status of the payment: `completed`, or `failed` if the account is blocked.',
        'completed',
      ),
      reason_code: described(
        z.string().nullable(),
        'Reason for the failure. Null if the payment did not fail.',
        'account_blocked',
      ),
      created_at: unixTime.describe('Time of the payment, in Unix seconds.'),
    }),
  ),
)
