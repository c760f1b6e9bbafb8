/** Rules for the fields about the company's identity and business. */
import type { DescribedFields } from '../../fields/field.ts'

export const NATURE_OF_BUSINESS = {
  legal_company_name: {
    type: 'short_text',
    required: true,
    autocomplete: 'organization',
    description: 'The company’s legal name, as shown in the commercial register.',
    example: 'Analytical Engines GmbH',
  },
  comercial_name: {
    type: 'short_text',
    asked: { field: 'nature_of_business.different_commercial_name', is: true },
    description: 'The company’s trading name.',
    example: 'Engines',
  },
  different_commercial_name: {
    type: 'boolean',
    description: 'Whether the trading name differs from the legal name.',
  },
  company_registration_id: {
    type: 'short_text',
    required: true,
    description: 'The company’s number in the commercial register.',
    example: 'HRB 18421',
  },
  country_of_incorporation: {
    type: 'country',
    required: true,
    description: 'Country of registration, ISO 3166-1 alpha-2 code.',
  },
  date_of_incorporation: { type: 'date', required: true, description: 'Date of registration, YYYY-MM-DD.' },
  description_activity: {
    type: 'text',
    required: true,
    isLong: true,
    description: 'Description of the company’s activity.',
    example: 'Builds calculating machines.',
  },
  products_offered: {
    type: 'text',
    isLong: true,
    description: 'The company’s products and services.',
    example: 'Calculating machines and their upkeep',
  },
  subject_of_supervision: {
    type: 'short_text',
    description:
      'Authority that supervises the company. Omit this field if there is none. If it is set, `proof_regulations` is required.',
    example: 'BaFin',
  },
  website: {
    type: 'url',
    autocomplete: 'url',
    description: 'URL of the company’s website, `http` or `https`.',
    example: 'https://engines.example.com',
  },
  phone: {
    type: 'phone',
    required: true,
    autocomplete: 'tel',
    description: 'The company’s phone number in international format, with the leading plus.',
  },
  email: {
    type: 'email',
    required: true,
    autocomplete: 'email',
    description: 'The company’s email address.',
    example: 'office@engines.example.com',
  },
  legal_address: {
    type: 'short_text',
    required: true,
    autocomplete: 'street-address',
    description: 'Street and number of the registered office.',
    example: 'Unter den Linden 1',
  },
  postal_code_address: {
    type: 'short_text',
    required: { not: { field: 'nature_of_business.country_address', in: ['no_postcode'] } },
    autocomplete: 'postal-code',
    description: 'Postcode of the registered office.',
    example: '10117',
  },
  city_address: {
    type: 'short_text',
    required: true,
    autocomplete: 'address-level2',
    description: 'City of the registered office.',
    example: 'Berlin',
  },
  state_address: {
    type: 'short_text',
    autocomplete: 'address-level1',
    description: 'State or region of the registered office.',
    example: 'Berlin',
  },
  country_address: {
    type: 'country',
    required: true,
    autocomplete: 'country',
    description: 'Country of the registered office, ISO 3166-1 alpha-2 code.',
  },
  vat_number: { type: 'short_text', description: 'The company’s VAT number.', example: 'DE123456789' },
  company_type: {
    type: 'one_of',
    values: [
      'limited_liability_company',
      'public_limited_company',
      'partnership',
      'limited_partnership',
      'sole_proprietorship',
      'foundation',
      'association',
      'cooperative',
      'trust',
      'branch',
      'other',
    ],
    required: true,
    description: 'The company’s legal form.',
  },
  tax_residency_country: {
    type: 'country',
    required: true,
    description: 'Country of tax residency, ISO 3166-1 alpha-2 code.',
  },
  directors_residency_country: {
    type: 'country',
    description: 'Country of residence of the directors, ISO 3166-1 alpha-2 code.',
  },
  website_legal_name_check: {
    type: 'boolean',
    asked: { field: 'nature_of_business.website', given: true },
    description: 'Whether the company’s website shows its legal name, according to the company.',
  },
  website_activity_check: {
    type: 'boolean',
    asked: { field: 'nature_of_business.website', given: true },
    description: 'Whether the company’s website shows its activity, according to the company.',
  },
} as const satisfies DescribedFields
