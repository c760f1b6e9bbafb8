/** Rules for the company and the people of an application whom Gatehouse screens. */
import type { Subject } from '../screening/screening.ts'
import { countriesOf, given, optional } from '../screening/subject-values.ts'
import { type BeneficiaryChecks, isAbout } from './beneficiary-check.ts'
import type { KybContent } from './fields.ts'

/**
 * Returns the company and those beneficiaries who have a name, with the birth date and nationality that their checks
 * know.
 */
export function subjectsOfKyb({
  content: { nature_of_business: company, beneficiaries },
  checks,
}: {
  readonly content: KybContent
  readonly checks: BeneficiaryChecks
}): Subject[] {
  const people = beneficiaries.beneficiaries_list.map((person): Subject => {
    const check = checks.get(person.external_id)
    const known = check && isAbout(person, check) ? check.profile : {}
    return {
      key: person.external_id,
      kind: 'person',
      names: given([person.full_name]),
      ...optional('birthDate', known.birthdate),
      countries: countriesOf(known.nationality),
    }
  })
  const own: Subject = {
    key: 'company',
    kind: 'company',
    names: given([company.legal_company_name, company.comercial_name]),
    ...optional('registrationNumber', company.company_registration_id),
    ...optional('incorporationDate', company.date_of_incorporation),
    countries: countriesOf(company.country_of_incorporation, company.country_address),
  }
  return [own, ...people].filter(({ names }) => names.length > 0)
}
