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

/** The values that show a risk: the number of true matches, the countries, or a circumstance with the risk's name. */
export type RiskSign = 'confirmed_hits' | 'countries' | 'circumstance'

/** The sign and the level of each risk. The filter of the queue derives its condition from this table, too. */
export const RISK_RULES: Readonly<Record<Risk, { readonly sign: RiskSign; readonly level: RiskLevel }>> = {
  on_a_list: { sign: 'confirmed_hits', level: 'high' },
  high_risk_country: { sign: 'countries', level: 'high' },
  politically_exposed: { sign: 'circumstance', level: 'medium' },
  nesting: { sign: 'circumstance', level: 'medium' },
}

/** Returns the risk level that follows from the reasons and from the number of open screening hits. */
export function riskLevel(risks: readonly Risk[], openHits: number): RiskLevel {
  const levels = risks.map((risk) => RISK_RULES[risk].level)
  if (openHits > 0 || levels.includes('high')) return 'high'
  return levels.includes('medium') ? 'medium' : 'low'
}

/** The default high-risk countries, for which the FATF calls for action. Vaults can set others. */
export const HIGH_RISK_COUNTRIES = ['IR', 'KP', 'MM']

/** Two letters in upper case. Other texts are no country, even if an applicant or a provider entered them as one. */
const COUNTRY_CODE = /^[A-Z]{2}$/

/** Returns the country code in the text, or null if there is none. */
export const countryCodeOf = (text: string | null | undefined): string | null => {
  const code = text?.trim().toUpperCase() ?? ''
  return COUNTRY_CODE.test(code) ? code : null
}

const named = (...values: readonly (string | undefined)[]): string[] =>
  values.flatMap((value) => value?.split(',') ?? []).flatMap((country) => countryCodeOf(country) ?? [])

/**
 * The facts about a company or person that their risk depends on: country codes, and the names of circumstances. Rows
 * store their keyed hashes.
 */
export type RiskFacts = readonly string[]

/** A company or person that counts towards the risk of a case. */
interface RiskBearer extends Pick<Screened, 'confirmedHits'> {
  readonly facts: RiskFacts
}

const SHOWS: Readonly<
  Record<RiskSign, (bearer: RiskBearer, risk: Risk, policy: Known['policy']) => boolean>
> = {
  confirmed_hits: ({ confirmedHits }) => confirmedHits > 0,
  countries: ({ facts }, _, { highRiskCountries }) => facts.some((fact) => highRiskCountries.includes(fact)),
  circumstance: ({ facts }, risk) => facts.includes(risk),
}

const risksOf = (bearers: readonly RiskBearer[], policy: Known['policy']): Risk[] =>
  RISKS.filter((risk) => bearers.some((bearer) => SHOWS[RISK_RULES[risk].sign](bearer, risk, policy)))

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

/** Returns the facts about a company and its application, without those of its people. */
export function riskFactsOfCompany(
  { nature_of_business: company, usage_of_account: usage }: KybContent,
  isExposed: boolean,
): RiskFacts {
  const countries = named(
    company.country_of_incorporation,
    company.country_address,
    company.tax_residency_country,
    company.directors_residency_country,
    usage.list_of_countries_operated,
    usage.list_of_countries_intended,
  )
  const circumstances: Partial<Record<Risk, boolean>> = {
    politically_exposed: isExposed,
    nesting: usage.nesting_confirmation === true,
  }
  return [...new Set(countries), ...RISKS.filter((risk) => circumstances[risk])]
}

export const riskFactsOfPerson = (profile: Profile): RiskFacts => {
  const { country, nationality, address_country, document_country } = profile
  return [...new Set(named(country, nationality, address_country, document_country))]
}

/** Returns the reasons for a high risk. The list is empty if there are none. */
export function risksOfCompany(
  content: KybContent,
  { isPoliticallyExposed, checks }: People,
  { policy, confirmedHits }: Known,
): Risk[] {
  const company = { confirmedHits, facts: riskFactsOfCompany(content, isPoliticallyExposed) }
  const people = checks.map((check) => ({ ...check, facts: riskFactsOfPerson(check.profile) }))
  return risksOf([company, ...people], policy)
}

export const risksOfPerson = (profile: Profile, { policy, confirmedHits }: Known): Risk[] =>
  risksOf([{ confirmedHits, facts: riskFactsOfPerson(profile) }], policy)
