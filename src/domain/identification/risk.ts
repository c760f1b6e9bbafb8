/** Rules for the risks of a person. */
import { countryCodesIn, type Known, type Risk, type RiskFacts, risksOf } from '../decision/risk.ts'
import type { Profile } from './profile.ts'

export const riskFactsOfPerson = (profile: Profile): RiskFacts => {
  const { country, nationality, address_country, document_country } = profile
  return [...new Set(countryCodesIn(country, nationality, address_country, document_country))]
}

export const risksOfPerson = (profile: Profile, { policy, confirmedHits }: Known): Risk[] =>
  risksOf([{ confirmedHits, facts: riskFactsOfPerson(profile) }], policy)
