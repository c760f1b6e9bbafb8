/** Rules for risks. Operators see the reasons for a high risk, and vaults can require a second approval for it. */

import type { ReviewPolicy } from '../access/review-policy.ts'
import type { Screened } from '../screening/screening.ts'

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

export const countryCodeOf = (text: string | null | undefined): string | null => {
  const code = text?.trim().toUpperCase() ?? ''
  return COUNTRY_CODE.test(code) ? code : null
}

/** Returns the country codes in the values, which can be lists. */
export const countryCodesIn = (...values: readonly (string | undefined)[]): string[] =>
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

/** Returns the reasons for a high risk. The list is empty if there are none. */
export const risksOf = (bearers: readonly RiskBearer[], policy: Known['policy']): Risk[] =>
  RISKS.filter((risk) => bearers.some((bearer) => SHOWS[RISK_RULES[risk].sign](bearer, risk, policy)))

/** Circumstances outside the content that affect the risk. */
export interface Known extends Pick<Screened, 'confirmedHits'> {
  readonly policy: Pick<ReviewPolicy, 'highRiskCountries'>
}
