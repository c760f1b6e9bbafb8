/** Rules for risks. Operators see the reasons for a high risk, and vaults can require a second approval for it. */

import type { Profile } from '../identification/profile.ts'
import type { BeneficiaryCheck } from '../kyb/beneficiary-check.ts'
import type { KybContent } from '../kyb/fields.ts'
import type { Screened } from '../screening/screening.ts'
import type { ReviewPolicy } from './confirmation.ts'

export const RISKS = ['on_a_list', 'high_risk_country', 'politically_exposed', 'nesting'] as const
export type Risk = (typeof RISKS)[number]

export const RISK_LEVELS = ['low', 'medium', 'high'] as const
export type RiskLevel = (typeof RISK_LEVELS)[number]

const HIGH_RISKS: readonly Risk[] = ['on_a_list', 'high_risk_country']

/** Returns the risk level that follows from the reasons and from the number of open screening hits. */
export function riskLevel(risks: readonly Risk[], openHits: number): RiskLevel {
  if (openHits > 0 || risks.some((risk) => HIGH_RISKS.includes(risk))) return 'high'
  return risks.length > 0 ? 'medium' : 'low'
}

/** The default high-risk countries, for which the FATF calls for action. Vaults can set others. */
export const HIGH_RISK_COUNTRIES = ['IR', 'KP', 'MM']

const named = (...values: readonly (string | undefined)[]): string[] =>
  values.flatMap((value) => value?.split(',') ?? []).map((country) => country.trim().toUpperCase())

const found = (risks: Partial<Record<Risk, boolean>>): Risk[] => RISKS.filter((risk) => risks[risk])

const areIn = (countries: readonly string[], high: readonly string[]): boolean =>
  countries.some((country) => high.includes(country))

/** Circumstances outside the content that affect the risk. */
interface Known extends Pick<Screened, 'confirmedHits'> {
  readonly policy: Pick<ReviewPolicy, 'highRiskCountries'>
}

/** The facts about a company's people that affect its risk. */
interface People {
  readonly isPoliticallyExposed: boolean
  /** The checks that have started. */
  readonly checks: readonly Pick<BeneficiaryCheck, 'profile' | 'confirmedHits'>[]
}

export const isPoliticallyExposed = ({ beneficiaries }: KybContent): boolean =>
  beneficiaries.beneficiaries_list.some((person) => person.politically_exposed)

/** Returns the reasons for a high risk. The list is empty if there are none. */
export function risksOfCompany(
  { nature_of_business: company, usage_of_account: usage }: KybContent,
  { isPoliticallyExposed, checks }: People,
  { policy, confirmedHits }: Known,
): Risk[] {
  const countries = named(
    company.country_of_incorporation,
    company.country_address,
    company.tax_residency_country,
    company.directors_residency_country,
    usage.list_of_countries_operated,
    usage.list_of_countries_intended,
    ...checks.flatMap(({ profile }) => countriesOf(profile)),
  )
  return found({
    on_a_list: confirmedHits > 0 || checks.some((check) => check.confirmedHits > 0),
    high_risk_country: areIn(countries, policy.highRiskCountries),
    politically_exposed: isPoliticallyExposed,
    nesting: usage.nesting_confirmation === true,
  })
}

const countriesOf = ({ country, nationality, address_country, document_country }: Profile) => [
  country,
  nationality,
  address_country,
  document_country,
]

export function risksOfPerson(profile: Profile, { policy, confirmedHits }: Known): Risk[] {
  const countries = named(...countriesOf(profile))
  return found({
    on_a_list: confirmedHits > 0,
    high_risk_country: areIn(countries, policy.highRiskCountries),
  })
}
