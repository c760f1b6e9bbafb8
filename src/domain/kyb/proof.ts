/** Rules for the fields that each type of document proves. Reviewers see these fields next to the document. */
import type { Section } from './fields.ts'

interface Proof {
  /** The fields of the company, keyed by section. */
  readonly company?: Partial<Record<Section, readonly string[]>>
  /** The fields of each person, or only of the person to whom the document belongs. */
  readonly people?: readonly string[]
}

const REGISTERED = [
  'legal_company_name',
  'company_registration_id',
  'country_of_incorporation',
  'date_of_incorporation',
  'company_type',
]
const ADDRESS = ['legal_address', 'postal_code_address', 'city_address', 'state_address', 'country_address']
const SHARES = ['full_name', 'stake_in_company']

/** Maps each file list to the fields that its documents prove. */
export const PROVES: Readonly<Record<string, Proof>> = {
  incorporation_certificates: { company: { nature_of_business: [...REGISTERED, ...ADDRESS] } },
  articles_of_association: {
    company: {
      nature_of_business: ['legal_company_name', 'company_type', 'description_activity'],
      business_files: ['signature_type'],
    },
  },
  legal_structures: { people: SHARES },
  residence_proofs: { company: { nature_of_business: ['legal_company_name', ...ADDRESS] } },
  shareholders_registers: { people: SHARES },
  directors_registers: {
    company: { business_files: ['signature_type'] },
    people: ['full_name', 'roles'],
  },
  good_standing_certificate: { company: { nature_of_business: REGISTERED } },
  internal_shareholder_register: { people: SHARES },
  power_of_attorney: { company: { business_files: ['signature_type'] }, people: ['full_name', 'roles'] },
  evidence_of_ubos: { company: { beneficiaries: ['shareholders_confirmation'] }, people: SHARES },
  fund_evidences: {
    company: { usage_of_account: ['source_of_funds', 'fund_origin_confirmation', 'ubo_source_of_wealth'] },
  },
  proof_regulations: { company: { nature_of_business: ['legal_company_name', 'subject_of_supervision'] } },
  aml_policies: {
    company: { usage_of_account: ['nesting_confirmation', 'nesting_justification', 'risky_activities'] },
  },
  proof_address: { people: ['full_name'] },
  beneficiary_identification: { people: ['full_name'] },
}

/** The fields that each photo of a person proves. */
export const PERSON_PROVES: Readonly<Record<string, readonly string[]>> = {
  document_front: [
    'name',
    'surname',
    'birthdate',
    'nationality',
    'document_country',
    'document_type',
    'document_number',
  ],
  document_back: ['document_number', 'address', 'postal_code', 'city'],
  selfie: [],
}
