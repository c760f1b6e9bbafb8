/**
 * Rules for screening against sanctions and PEP lists, with the subjects, the matches, and the approvals that matches
 * block.
 */

import type { Problem } from '../errors.ts'
import type { Profile } from '../identification/profile.ts'
import { type BeneficiaryChecks, isAbout } from '../kyb/beneficiary-check.ts'
import type { KybContent } from '../kyb/fields.ts'
import { fullNameOf, shownSurname } from '../names/full-name.ts'

/** A company or person to screen. */
export interface Subject {
  /** The key: `company`, `person` or the ID of a beneficiary. */
  readonly key: string
  readonly kind: 'company' | 'person'
  readonly names: readonly string[]
  /** The surname, if it is known separately. */
  readonly surname?: string
  readonly birthDate?: string
  readonly incorporationDate?: string
  readonly registrationNumber?: string
  /** ISO 3166 codes of two letters, in lower case. */
  readonly countries: readonly string[]
}

/** An entry of a screening list. */
export interface ListEntry {
  readonly id: string
  readonly caption: string
  readonly kind: 'company' | 'person' | 'either'
  readonly names: readonly string[]
  /** Less reliable names, such as nicknames. They match only identical names. */
  readonly weakNames: readonly string[]
  readonly birthDates: readonly string[]
  readonly countries: readonly string[]
  readonly registrationNumbers: readonly string[]
  readonly topics: readonly string[]
  readonly datasets: readonly string[]
}

/** A feature that raised or lowered the score of a match. */
export interface ScorePart {
  readonly name: string
  readonly score: number
  /** The compared values or the method, or null if there are none. */
  readonly detail: string | null
}

export interface Match {
  readonly entry: ListEntry
  /** The score, from 0 to 1. */
  readonly score: number
  readonly parts: readonly ScorePart[]
}

export const HIT_STATUSES = ['open', 'confirmed', 'dismissed'] as const
export type HitStatus = (typeof HIT_STATUSES)[number]
export const HIT_DECISIONS = ['confirmed', 'dismissed'] as const satisfies readonly HitStatus[]
export type HitDecision = (typeof HIT_DECISIONS)[number]

/** The screening state of an application or identification. */
export interface Screened {
  /** The version of the lists against which the current data was screened, or null if it was not. */
  readonly screenedWith: string | null
  readonly openHits: number
  /** The number of true matches. */
  readonly confirmedHits: number
}

const isApproval = (kind: string): boolean => kind === 'approve'

/**
 * Returns whether the command first requires a screening against the current lists. A confirmation does, because it may
 * confirm an approval.
 */
export const needsScreening = (kind: string): boolean => isApproval(kind) || kind === 'confirm'

/**
 * Returns the screening problem that blocks a decision, or null. For a confirmation, `kind` is the kind of the
 * confirmed decision.
 */
export function screeningProblem({ screenedWith, openHits }: Screened, kind: string): Problem | null {
  if (!isApproval(kind)) return null
  if (openHits > 0) return { code: 'hits_open' }
  return screenedWith === null ? { code: 'not_screened' } : null
}

const given = (values: readonly (string | undefined)[]): string[] => [
  ...new Set(values.filter((value) => value !== undefined && value.trim() !== '') as string[]),
]
const countriesOf = (...values: readonly (string | undefined)[]) =>
  given(values).map((value) => value.toLowerCase())
const optional = <N extends string>(name: N, value: string | undefined) =>
  (value ? { [name]: value } : {}) as { readonly [K in N]?: string }

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

export const sameSubjects = (before: readonly Subject[], after: readonly Subject[]): boolean =>
  JSON.stringify(before) === JSON.stringify(after)
