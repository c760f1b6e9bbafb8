/** Field table: what the company wants the account for. */
import type { DescribedFields } from '../field.ts'

export const USAGE_OF_ACCOUNT = {
  usage: {
    type: 'text',
    required: true,
    isLong: true,
    description: 'What the account will be used for.',
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
    description: 'Where the money comes from.',
  },
  nesting_confirmation: {
    type: 'boolean',
    description:
      'Nesting: whether the company will hold or move money for customers of its own. It counts as a risk.',
  },
  nesting_justification: {
    type: 'text',
    required: { field: 'usage_of_account.nesting_confirmation', is: true },
    isLong: true,
    description: 'Why it acts for others, and for whom.',
    example: 'We collect rents for owners of flats.',
  },
  flow_of_funds_description: {
    type: 'text',
    required: true,
    isLong: true,
    description: 'From whom money comes and to whom it goes.',
    example: 'From buyers in the EU to suppliers in Germany.',
  },
  fund_origin_confirmation: {
    type: 'confirmation',
    required: true,
    description: 'The company’s word that the money comes from lawful sources.',
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
    description: 'How the owners came to their wealth.',
  },
  ubo_source_of_wealth_other: {
    type: 'text',
    required: { field: 'usage_of_account.ubo_source_of_wealth', is: 'other' },
    description: 'How else.',
    example: 'Royalties of a book',
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
    description: 'Where it is active: codes separated by commas.',
  },
  list_of_countries_intended: {
    type: 'country_list',
    description: 'With which countries it will exchange payments: codes separated by commas.',
  },
  fund_evidences: { type: 'files', description: 'Documents that show where the money comes from.' },
  proof_regulations: {
    type: 'files',
    required: { field: 'nature_of_business.subject_of_supervision', isGiven: true },
    description: 'Its licence.',
  },
  aml_policies: { type: 'files', description: 'Its own rules against money laundering.' },
  risky_activities: {
    type: 'text',
    isLong: true,
    description: 'What it does that is of higher risk; leave it out where there is nothing.',
    example: 'Pays out winnings of games',
  },
  trx_count_monthly: {
    type: 'number_text',
    required: true,
    description: 'How many payments it expects in a month: a number as text.',
    example: '120',
  },
  trx_value_monthly: {
    type: 'number_text',
    required: true,
    description: 'What they are worth together, in euros: a number as text.',
    example: '45000',
  },
  introduced_to_service: {
    type: 'short_text',
    description: 'How the company heard of the service.',
    example: 'A customer told us',
  },
} as const satisfies DescribedFields
