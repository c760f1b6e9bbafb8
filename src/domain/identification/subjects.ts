/** Rules for the person or company of an identification whom Gatehouse screens. */
import { fullNameOf, shownSurname } from '../names/full-name.ts'
import type { Subject } from '../screening/screening.ts'
import { countriesOf, given, optional } from '../screening/subject-values.ts'
import type { Profile } from './profile.ts'

/**
 * Returns the person or company of an identification without an application. The list is empty if the identification
 * has no name.
 */
export function subjectsOfIdentification(kind: 'company' | 'person', profile: Profile): Subject[] {
  const { name, surname, birthdate, nationality, country, address_country } = profile
  const subject: Subject = {
    key: kind,
    kind,
    names: given([fullNameOf({ name, surname })]),
    ...optional('surname', kind === 'person' ? shownSurname(surname) : undefined),
    ...optional('birthDate', birthdate),
    ...optional('registrationNumber', profile.registration_number),
    ...optional('incorporationDate', profile.incorporation_date),
    countries: countriesOf(nationality, country, address_country),
  }
  return subject.names.length > 0 ? [subject] : []
}
