/** Rules for comparing a screened subject with a list entry, based on the parts of the score. */
import type { Match, Subject } from './screening.ts'

export type Likeness = 'same' | 'close' | 'differs' | 'unknown'

/** Returns how similar the compared values are. The result is `unknown` if either side has no value. */
export function compareHit({ subject, entry, parts }: Match & { readonly subject: Subject }) {
  const has = (...names: readonly string[]) => parts.some(({ name }) => names.includes(name))
  const { birthDate, countries, registrationNumber } = subject
  const likeness = (isKnown: boolean, isDifferent: boolean, isSame: boolean): Likeness => {
    if (!isKnown) return 'unknown'
    return isDifferent ? 'differs' : isSame ? 'same' : 'close'
  }
  return {
    names: likeness(true, has('surname_differs'), has('name_exact')),
    born: likeness(
      birthDate !== undefined && entry.birthDates.length > 0,
      has('birth_year_differs', 'birth_day_differs'),
      entry.birthDates.some((date) => date === birthDate),
    ),
    countries: likeness(countries.length > 0 && entry.countries.length > 0, has('country_differs'), true),
    number: likeness(
      registrationNumber !== undefined && entry.registrationNumbers.length > 0,
      has('number_differs'),
      has('identifier'),
    ),
  }
}
