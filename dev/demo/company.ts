/** Defines the invented company that the demo verifies, its documents, and a person whose case awaits an operator. */
import { readFileSync } from 'node:fs'
import type { ClientPaths } from '../../client/index.ts'

type Body<R> = R extends { requestBody?: { content: infer C } } ? C[keyof C] : never
export type Sections = Body<ClientPaths['/kyb/{id}']['patch']>
type Upload = Body<ClientPaths['/kyb/upload_file/{id}']['post']>

const owner = {
  full_name: 'Ada Lindner',
  email: 'ada.lindner@example.com',
  roles: ['director' as const, 'ubo' as const],
  stake_in_company: '100',
  politically_exposed: false,
}

/** The sections in the order of the form. */
export const SECTIONS: readonly Sections[] = [
  {
    nature_of_business: {
      legal_company_name: 'Lindenhof Instruments GmbH',
      comercial_name: 'Lindenhof',
      different_commercial_name: true,
      company_registration_id: 'HRB 123456',
      country_of_incorporation: 'DE',
      date_of_incorporation: '2017-03-14',
      description_activity: 'Makes and repairs measuring instruments for laboratories.',
      website: 'https://lindenhof.example.com',
      phone: '+493023125000',
      email: 'office@example.com',
      legal_address: 'Lindenstrasse 12',
      city_address: 'Berlin',
      postal_code_address: '10969',
      country_address: 'DE',
      company_type: 'limited_liability_company',
      tax_residency_country: 'DE',
    },
  },
  {
    usage_of_account: {
      usage: 'Receiving payments from laboratories and paying suppliers.',
      source_of_funds: ['revenue'],
      list_of_services: ['iban', 'sepa_payments'],
      list_of_countries_operated: 'DE,FR,AT',
      trx_count_monthly: '120',
      trx_value_monthly: '85000',
      flow_of_funds_description: 'Customers pay invoices by bank transfer; suppliers are paid weekly.',
      fund_origin_confirmation: true,
      nesting_confirmation: false,
      ubo_source_of_wealth: 'business_income',
    },
  },
  { business_files: { signature_type: 'single', public_registry_shares: true } },
  { beneficiaries: { shareholders_confirmation: true, beneficiaries_list: [owner] } },
]

export interface Document {
  readonly attribute: Upload['attribute']
  readonly name: string
  readonly type: string
  readonly bytes: Uint8Array
  /** The email address of the beneficiary to whom the document belongs. */
  readonly email?: string
}

const specimen = (type: 'pdf' | 'png') => readFileSync(new URL(`specimen.${type}`, import.meta.url))

const page = (attribute: Upload['attribute']): Document => ({
  attribute,
  name: `${attribute.replaceAll('_', '-')}.pdf`,
  type: 'application/pdf',
  bytes: specimen('pdf'),
})

export const DOCUMENTS: readonly Document[] = [
  page('incorporation_certificates'),
  page('articles_of_association'),
  page('shareholders_registers'),
  page('directors_registers'),
  page('evidence_of_ubos'),
  {
    attribute: 'beneficiary_identification',
    name: 'ada-lindner.png',
    type: 'image/png',
    bytes: specimen('png'),
    email: owner.email,
  },
]

/** A name on the invented screening list. */
export const LISTED_PERSON = {
  kind: 'person' as const,
  name: 'Zoltan',
  surname: 'Krummbiegel',
  birthdate: '1961-04-03',
  email: 'zoltan.krummbiegel@example.com',
  address: 'Example Street 1',
  city: 'Budapest',
  country: 'HU' as const,
  document_type: 'passport',
  document_number: 'X1234567',
}
