/** Rules for the topics of webhooks. Each topic has its own URLs. */

export const TOPICS = [
  'account',
  'identification',
  'fiat_payment',
  'card_payment',
  'blockchain_payment',
  'blockchain_wallet',
  'open_banking_transaction_completed',
  'daily_settlement',
  'ticket',
  'transaction_monitoring',
  'manual_review',
] as const
export type Topic = (typeof TOPICS)[number]
