/** Rules for the fields about the company's use of the account. */
import type { DescribedFields } from '../../fields/field.ts'

export const USAGE_OF_ACCOUNT = {
  usage: {
    type: 'text',
    required: true,
    isLong: true,
    description: 'Intended use of the account.',
    example: 'Payouts to suppliers',
  },
  source_of_funds: {
    type: 'some_of',
    values: [
      'revenue',
      'investment',
      'loan',
      'capital_contribution',
      'grant',
      'sale_of_assets',
      'client_funds',
      'other',
    ],
    required: true,
    description: 'Sources of the funds.',
  },
  nesting_confirmation: {
    type: 'boolean',
    description:
      'Whether the company holds or moves money for its own customers (nesting), which counts as a risk.',
  },
  nesting_justification: {
    type: 'text',
    required: { field: 'usage_of_account.nesting_confirmation', is: true },
    asked: { field: 'usage_of_account.nesting_confirmation', is: true },
    isLong: true,
    description: 'Reason for nesting, and the customers that the company acts for.',
    example: 'We collect rent for flat owners.',
  },
  flow_of_funds_description: {
    type: 'text',
    required: true,
    isLong: true,
    description: 'Senders and recipients of the funds.',
    example: 'From buyers in the EU to suppliers in Germany.',
  },
  fund_origin_confirmation: {
    type: 'confirmation',
    required: true,
    description: 'The company’s confirmation that the funds come from lawful sources.',
  },
  ubo_source_of_wealth: {
    type: 'one_of',
    values: [
      'business_income',
      'employment',
      'inheritance',
      'investments',
      'sale_of_assets',
      'savings',
      'gift',
      'other',
    ],
    description: 'Source of wealth of the ultimate beneficial owners.',
  },
  ubo_source_of_wealth_other: {
    type: 'text',
    required: { field: 'usage_of_account.ubo_source_of_wealth', is: 'other' },
    asked: { field: 'usage_of_account.ubo_source_of_wealth', is: 'other' },
    description: 'Description of the other source of wealth.',
    example: 'Royalties from a book',
  },
  list_of_services: {
    type: 'some_of',
    values: [
      'iban',
      'sepa_payments',
      'swift_payments',
      'card_payments',
      'card_issuing',
      'crypto_trading',
      'crypto_payments',
      'open_banking',
      'settlements',
      'other',
    ],
    required: true,
    description: 'The services that the company wants to use.',
  },
  list_of_countries_operated: {
    type: 'country_list',
    required: true,
    description: 'Countries in which the company operates, as ISO 3166-1 alpha-2 codes separated by commas.',
  },
  list_of_countries_intended: {
    type: 'country_list',
    description:
      'Countries to or from which the company intends to make payments, as ISO 3166-1 alpha-2 codes separated by commas.',
  },
  fund_evidences: { type: 'files', description: 'Proof of the source of funds.' },
  proof_regulations: {
    type: 'files',
    required: { field: 'nature_of_business.subject_of_supervision', given: true },
    description: 'The company’s licence.',
  },
  aml_policies: { type: 'files', description: 'The company’s anti-money-laundering policies.' },
  risky_activities: {
    type: 'text',
    isLong: true,
    description: 'Activities with a higher risk. Omit this field if there are none.',
    example: 'Pays out gambling winnings',
  },
  trx_count_monthly: {
    type: 'number_text',
    required: true,
    description: 'Expected number of payments per month, as a number in a string.',
    example: '120',
  },
  trx_value_monthly: {
    type: 'number_text',
    required: true,
    currency: 'EUR',
    description: 'Expected value of payments per month, in euros, as a number in a string.',
    example: '45000',
  },
  introduced_to_service: {
    type: 'short_text',
    description: 'How the company heard about the service.',
    example: 'A customer told us',
  },
} as const satisfies DescribedFields
