/** Scores the evidence that a subject is the person or company in a list entry. Each score is the sum of its parts. */
import type { ListEntry, ScorePart, Subject } from '../domain/screening/screening.ts'
import { formsOf, formsOfSubject, isSame, likenessOf, wordsOfSurname } from './names.ts'
import { likenessOfWords } from './word.ts'

/** Must change whenever the same names would get other scores, so that all entities are screened again. */
export const SCORING = 'names-5'

const WEAK = 0.8
/** How much agreeing data can raise a score. */
export const MAX_SUPPORT = 0.1
const IDENTIFIER = 0.95

export const normalisedNumber = (number: string): string => number.toUpperCase().replace(/[^A-Z0-9]/g, '')

/**
 * Returns the parts of the score: the strongest similarity first, and then the evidence for and against a match. Returns no
 * parts if nothing is similar.
 */
export function scoreParts(subject: Subject, entry: ListEntry): ScorePart[] {
  const [best] = [...namesAlike(subject, entry), ...numbersAlike(subject, entry)].sort(
    (a, b) => b.score - a.score,
  )
  if (!best) return []
  const isBornThen =
    best.score < 1 && subject.birthDate?.length === 10 && entry.birthDates.includes(subject.birthDate)
  const support = isBornThen
    ? [{ name: 'birth_date_same', score: MAX_SUPPORT, detail: subject.birthDate ?? null }]
    : []
  return [best, ...support, ...AGAINST.flatMap((against) => against(subject, entry) ?? [])]
}

export const scoreOf = (parts: readonly ScorePart[]): number =>
  Math.round(clamp(parts.reduce((sum, { score }) => sum + score, 0)) * 100) / 100

const clamp = (score: number): number => Math.min(1, Math.max(0, score))

function namesAlike(subject: Subject, entry: ListEntry): ScorePart[] {
  const own = formsOfSubject(subject)
  const alike = (listed: string) =>
    formsOf(listed, subject.kind).flatMap((other) =>
      own.flatMap(({ name, form }) => {
        const likeness = likenessOf(form, other, subject.kind)
        return likeness ? { ...likeness, detail: `${name} / ${listed}` } : []
      }),
    )
  const weak = entry.weakNames.flatMap(alike).filter(({ name }) => name === 'name_exact')
  return [
    ...entry.names.flatMap(alike),
    ...weak.map((each) => ({ ...each, name: 'weak_alias', score: WEAK })),
  ]
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
    ? against('country_differs', 0.05, countries.join(', '), entry.countries)
    : null

const yearOf = (date: string): number => Number(date.slice(0, 4))
const swapDayAndMonth = (date: string): string => date.replace(/^(\d{4})-(\d\d)-(\d\d)$/, '$1-$3-$2')

/**
 * Compares the dates of birth. Lists often contain only the year, which can be an estimate, or exchange the day and the
 * month. A date with one other digit can be mistyped. Another day of the same year differs less than another year.
 */
const birth: Against = ({ birthDate }, { birthDates }) => {
  if (birthDate === undefined || birthDates.length === 0) return null
  const sameYear = birthDates.filter((each) => each.slice(0, 4) === birthDate.slice(0, 4))
  if (sameYear.length === 0) {
    const isNear = birthDates.some((each) => Math.abs(yearOf(each) - yearOf(birthDate)) === 1)
    return against('birth_year_differs', isNear ? 0.15 : 0.3, birthDate, birthDates)
  }
  const isSame = sameYear.some((each) => birthDate.startsWith(each) || swapDayAndMonth(birthDate) === each)
  const isMistyped = sameYear.some(
    (each) => [...each].filter((digit, n) => digit !== birthDate[n]).length === 1,
  )
  return isSame ? null : against('birth_day_differs', isMistyped ? 0.05 : 0.1, birthDate, sameYear)
}

const surname: Against = (subject, { names, weakNames }) => {
  const { surname: own } = subject
  if (own === undefined) return null
  const listed = [...names, ...weakNames].flatMap((each) => formsOf(each, 'person'))
  const words = listed.flatMap((form) => form.words)
  const wanted = formsOf(own, 'person').map(wordsOfSurname)
  const hasSameSurname = wanted.some((surnames) =>
    surnames.every((word) => words.some((each) => likenessOfWords(word, each) > 0)),
  )
  // Finds the same full name even if one of the two names is written as one word.
  const isWithin = () =>
    formsOfSubject(subject)
      .filter(({ form }) => wanted.some((surnames) => surnames.every((word) => form.words.includes(word))))
      .some(({ form }) => listed.some((other) => isSame(form, other)))
  return hasSameSurname || isWithin() ? null : against('surname_differs', 0.2, own, names.slice(0, 3))
}

/** Returns the pattern of a number. Numbers with different patterns come from different registers. */
const patternOf = (number: string): string => number.replace(/[A-Z]+/g, 'A').replace(/[0-9]/g, '0')

const number: Against = ({ registrationNumber }, entry) => {
  const own = normalisedNumber(registrationNumber ?? '')
  const listed = numbersOf(entry).filter((each) => patternOf(each) === patternOf(own))
  if (own === '' || listed.length === 0 || listed.includes(own)) return null
  return against('number_differs', 0.1, registrationNumber ?? '', entry.registrationNumbers)
}

const AGAINST: readonly Against[] = [country, birth, surname, number]
