/** Rules for the risks of a company, which include those of its people. */
import { countryCodesIn, type Known, RISKS, type Risk, type RiskFacts, risksOf } from '../decision/risk.ts'
import { riskFactsOfPerson } from '../identification/risk.ts'
import type { BeneficiaryCheck } from './beneficiary-check.ts'
import type { KybContent } from './fields.ts'

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
  const countries = countryCodesIn(
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

export function risksOfCompany(
  content: KybContent,
  { isPoliticallyExposed, checks }: People,
  { policy, confirmedHits }: Known,
): Risk[] {
  const company = { confirmedHits, facts: riskFactsOfCompany(content, isPoliticallyExposed) }
  const people = checks.map((check) => ({ ...check, facts: riskFactsOfPerson(check.profile) }))
  return risksOf([company, ...people], policy)
}
