/** A complete application as sections, as content and over HTTP. */

import { expect } from 'vitest'
import { CONSENT } from '../../src/domain/identification/person-form.ts'
import type { BeneficiaryCheck } from '../../src/domain/kyb/beneficiary-check.ts'
import { emptyContent, type KybContent } from '../../src/domain/kyb/fields.ts'
import { DEFAULT_FORM } from '../../src/domain/kyb/form.ts'
import type { Circumstances } from '../../src/domain/kyb/requirements.ts'
import type { Api } from './api.ts'

export const UBO = 'ada@example.com'

/** Returns everything that `PATCH` can set. Only files are still due afterwards. */
export const completeSections = () => ({
  nature_of_business: {
    legal_company_name: 'Analytical Engines Ltd',
    company_registration_id: 'HRB 1842',
    country_of_incorporation: 'DE',
    date_of_incorporation: '2015-02-28',
    description_activity: 'Builds engines',
    phone: '+4930123456',
    email: 'office@example.com',
    legal_address: 'Invalidenstr. 1',
    city_address: 'Berlin',
    postal_code_address: '10115',
    country_address: 'DE',
    company_type: 'limited_liability_company',
    tax_residency_country: 'DE',
  },
  usage_of_account: {
    usage: 'Paying suppliers',
    source_of_funds: ['revenue'],
    list_of_services: ['iban', 'sepa_payments'],
    list_of_countries_operated: 'DE,FR',
    trx_count_monthly: '120',
    trx_value_monthly: '50000.5',
    flow_of_funds_description: 'From customers to suppliers',
    fund_origin_confirmation: true,
  },
  business_files: { signature_type: 'single' },
  beneficiaries: {
    shareholders_confirmation: true,
    beneficiaries_list: [
      {
        email: UBO,
        full_name: 'Ada Lovelace',
        roles: ['ubo', 'director'],
        stake_in_company: '60',
        politically_exposed: false,
      },
    ],
  },
})

/** The required file lists, with the fields for their uploads. */
const REQUIRED_UPLOADS: readonly { attribute: string; email?: string }[] = [
  { attribute: 'incorporation_certificates' },
  { attribute: 'articles_of_association' },
  { attribute: 'shareholders_registers' },
  { attribute: 'directors_registers' },
  { attribute: 'evidence_of_ubos' },
  { attribute: 'beneficiary_identification', email: UBO },
]

interface CompleteApplication {
  readonly id: string
  /** The IDs of its files by the attribute of their upload. */
  readonly files: Readonly<Record<string, string>>
}

/** Creates an application, fills it in and uploads all required files. */
export async function completeApplication(api: Api): Promise<CompleteApplication> {
  const id = await api.createKyb(crypto.randomUUID(), completeSections())
  return { id, files: await uploadRequired(api, id) }
}

/** Uploads one file for each required list. Each file has the name of its list. */
export async function uploadRequired(
  api: Api,
  id: string,
  file?: Blob,
): Promise<CompleteApplication['files']> {
  const uploads = REQUIRED_UPLOADS.map(async (fields) => {
    const { status, body } = await api.upload(id, { ...fields }, file, `${fields.attribute}.pdf`)
    expect(status).toBe(201)
    return [fields.attribute, body.id]
  })
  return Object.fromEntries(await Promise.all(uploads))
}

/** Circumstances without unreadable documents and without verified beneficiaries. */
export const NO_CHECKS: Circumstances = {
  form: DEFAULT_FORM,
  today: '2026-11-05',
  unreadable: new Set(),
  verified: new Set(),
  mismatched: new Set(),
}

/** The check that verified Ada. */
export const approvedCheck = (id: string): BeneficiaryCheck => ({
  id,
  verification: 'approved',
  waitingOn: 'nobody',
  profile: { name: 'Ada', surname: 'Lovelace', consent: CONSENT },
  confirmedHits: 0,
})

export const ADA = 'b0000000-0000-4000-8000-000000000001'

/**
 * Returns the stored content. `ADA` is the beneficiary's `external_id`, and the IDs of files are the names of
 * their lists.
 */
export function completeContent(): KybContent {
  const sections = completeSections()
  const [ada] = sections.beneficiaries.beneficiaries_list
  return {
    ...emptyContent(),
    nature_of_business: sections.nature_of_business,
    usage_of_account: sections.usage_of_account,
    business_files: {
      ...sections.business_files,
      incorporation_certificates: ['incorporation_certificates'],
      articles_of_association: ['articles_of_association'],
      shareholders_registers: ['shareholders_registers'],
      directors_registers: ['directors_registers'],
    },
    beneficiaries: {
      shareholders_confirmation: true,
      evidence_of_ubos: ['evidence_of_ubos'],
      beneficiaries_list: [
        { ...ada, external_id: ADA, beneficiary_identification: ['beneficiary_identification'] },
      ],
    },
  } as KybContent
}
