/** Scores the evidence that a subject is the person or company in a list entry. Each score is the sum of its parts. */
import type { ListEntry, ScorePart, Subject } from '../domain/screening/screening.ts'
import { formsOf, isSame, likenessOf, likenessOfForms } from './names.ts'

/** Must change whenever the same names would get other scores, so that all entities are screened again. */
export const SCORING = 'names-4'

const WEAK = 0.8
const IDENTIFIER = 0.95

export const normalisedNumber = (number: string): string => number.toUpperCase().replace(/[^A-Z0-9]/g, '')

/**
 * Returns the parts of the score: the strongest similarity first, and then the evidence against a match. Returns no
 * parts if nothing is similar.
 */
export function scoreParts(subject: Subject, entry: ListEntry): ScorePart[] {
  const [best] = [...namesAlike(subject, entry), ...numbersAlike(subject, entry)].sort(
    (a, b) => b.score - a.score,
  )
  return best ? [best, ...AGAINST.flatMap((against) => against(subject, entry) ?? [])] : []
}

export const scoreOf = (parts: readonly ScorePart[]): number =>
  Math.round(
    Math.max(
      0,
      parts.reduce((sum, { score }) => sum + score, 0),
    ) * 100,
  ) / 100

function namesAlike(subject: Subject, entry: ListEntry): ScorePart[] {
  return subject.names.flatMap((name) => {
    const own = formsOf(name, subject.kind)
    const compared = (listed: string) =>
      formsOf(listed, subject.kind).flatMap((other) =>
        own.flatMap((one) => likenessOfForms(one, other, subject.kind) ?? []),
      )
    const detail = (listed: string) => `${name} / ${listed}`
    return [
      ...entry.names.flatMap((listed) =>
        compared(listed).map((likeness) => ({ ...likeness, detail: detail(listed) })),
      ),
      ...entry.weakNames.flatMap((listed) =>
        compared(listed)
          .filter(({ name: how }) => how === 'name_exact')
          .map(() => ({ name: 'weak_alias', score: WEAK, detail: detail(listed) })),
      ),
    ]
  })
}

const numbersOf = ({ registrationNumbers }: ListEntry) => registrationNumbers.map(normalisedNumber)

/** Compares registration numbers. Ignores numbers of fewer than five characters, which exist in every country. */
function numbersAlike({ registrationNumber }: Subject, entry: ListEntry): ScorePart[] {
  const number = normalisedNumber(registrationNumber ?? '')
  const isSameNumber = number.length >= 5 && numbersOf(entry).includes(number)
  return isSameNumber ? [{ name: 'identifier', score: IDENTIFIER, detail: registrationNumber ?? null }] : []
}

type Against = (subject: Subject, entry: ListEntry) => ScorePart | null

const against = (name: string, score: number, one: string, other: readonly string[]): ScorePart => ({
  name,
  score: -score,
  detail: `${one} / ${other.join(', ')}`,
})

const country: Against = ({ countries }, entry) =>
  countries.length > 0 &&
  entry.countries.length > 0 &&
  !countries.some((each) => entry.countries.includes(each))
    ? against('country_differs', 0.1, countries.join(', '), entry.countries)
    : null

const yearOf = (date: string): number => Number(date.slice(0, 4))
const swapDayAndMonth = (date: string): string => date.replace(/^(\d{4})-(\d\d)-(\d\d)$/, '$1-$3-$2')

/**
 * Compares the dates of birth. Lists often contain only the year, which can be an estimate, or exchange the day and the
 * month. Another day of the same year differs less than another year.
 */
const birth: Against = ({ birthDate }, { birthDates }) => {
  if (birthDate === undefined || birthDates.length === 0) return null
  const sameYear = birthDates.filter((each) => each.slice(0, 4) === birthDate.slice(0, 4))
  if (sameYear.length === 0) {
    const isNear = birthDates.some((each) => Math.abs(yearOf(each) - yearOf(birthDate)) === 1)
    return against('birth_year_differs', isNear ? 0.15 : 0.25, birthDate, birthDates)
  }
  const isSame = sameYear.some((each) => birthDate.startsWith(each) || swapDayAndMonth(birthDate) === each)
  return isSame ? null : against('birth_day_differs', 0.1, birthDate, sameYear)
}

const surname: Against = ({ surname: own, names: all }, { names, weakNames }) => {
  if (own === undefined) return null
  const listed = [...names, ...weakNames].flatMap((each) => formsOf(each, 'person'))
  const words = listed.flatMap(({ text }) => text.split(' '))
  const wanted = formsOf(own, 'person').map(({ text }) => text.split(' '))
  const hasSameSurname = wanted.some((surnames) =>
    surnames.every((word) => words.some((each) => likenessOf(word, each, 'person') !== null)),
  )
  // Finds the same full name even if one of the two names is written as one word.
  const isWithin = () =>
    all
      .flatMap((name) => formsOf(name, 'person'))
      .filter(({ text }) =>
        wanted.some((surnames) => surnames.every((word) => text.split(' ').includes(word))),
      )
      .some((one) => listed.some((other) => isSame(one, other)))
  return hasSameSurname || isWithin() ? null : against('surname_differs', 0.2, own, names.slice(0, 3))
}

const number: Against = ({ registrationNumber }, entry) =>
  registrationNumber !== undefined &&
  entry.registrationNumbers.length > 0 &&
  !numbersOf(entry).includes(normalisedNumber(registrationNumber))
    ? against('number_differs', 0.1, registrationNumber, entry.registrationNumbers)
    : null

const AGAINST: readonly Against[] = [country, birth, surname, number]
