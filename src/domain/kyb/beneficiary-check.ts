/** Rules for beneficiaries' checks, including whether a check counts for the person in the application. */
import { oncePerText } from '../base/once-per.ts'
import type { IdentificationParty, Verification } from '../identification/identification.ts'
import { hasConsented } from '../identification/person-form.ts'
import type { Profile } from '../identification/profile.ts'
import { isSameName } from '../names/name.ts'
import type { Beneficiary, KybContent } from './fields.ts'
import type { Form } from './form.ts'
import { requiredOfPerson } from './requirements.ts'

/** A check that has begun, which happens when its link is first opened. */
export interface BeneficiaryCheck {
  /** The ID of the check's identification. */
  readonly id: string
  readonly verification: Verification
  readonly waitingOn: IdentificationParty
  readonly profile: Profile
  readonly confirmedHits: number
}

/** The current check of each beneficiary, keyed by beneficiary. A beneficiary has at most one. */
export type BeneficiaryChecks = ReadonlyMap<string, BeneficiaryCheck>

/**
 * Returns whether the check is about a person with this name. Accepts either order, because some cultures write the
 * surname first.
 */
export const isAbout = ({ full_name: fullName }: Beneficiary, check: BeneficiaryCheck): boolean =>
  fullName !== undefined && isNamed(check, fullName)

/** Compares the names. Stored, because pages and transitions ask for each person, and long names take milliseconds. */
const isNamed = oncePerText(({ profile: { name = '', surname = '' } }: BeneficiaryCheck, fullName) =>
  [`${name} ${surname}`, `${surname} ${name}`].some((full) => isSameName(full, fullName)),
)

const peopleOf = ({ beneficiaries }: KybContent) => beneficiaries.beneficiaries_list

/** The name that an application gives to a beneficiary, and whether the person entered the same name. */
export interface GivenName {
  readonly fullName: string
  readonly isSame: boolean
}

/** Returns the name of the beneficiary with this check, or null if the application or the person has given no name. */
export function givenNameOf(
  content: KybContent,
  checks: BeneficiaryChecks,
  checkId: string,
): GivenName | null {
  for (const person of peopleOf(content)) {
    const check = checks.get(person.external_id)
    if (check?.id === checkId && check.profile.name !== undefined && person.full_name !== undefined)
      return { fullName: person.full_name, isSame: isAbout(person, check) }
  }
  return null
}

/** How far a check has come. While it is `submitted`, Gatehouse reviews it. */
export type CheckProgress = 'open' | 'submitted' | 'approved'

export function progressOfCheck({
  verification,
  waitingOn,
}: Pick<BeneficiaryCheck, 'verification' | 'waitingOn'>): CheckProgress {
  if (verification === 'approved') return 'approved'
  const isReviewed = waitingOn === 'provider' || waitingOn === 'operator'
  return isReviewed && (verification === 'initiated' || verification === 'attention') ? 'submitted' : 'open'
}

/** Returns the beneficiaries with a check in one of these stages whose name is (or is not) that of the application. */
const peopleIn = (
  content: KybContent,
  checks: BeneficiaryChecks,
  stages: readonly CheckProgress[],
  isNamed = true,
): ReadonlySet<string> =>
  new Set(
    peopleOf(content).flatMap((person) => {
      const check = checks.get(person.external_id)
      const counts = check && stages.includes(progressOfCheck(check)) && isAbout(person, check) === isNamed
      return counts ? person.external_id : []
    }),
  )

/** Returns the beneficiaries whose check verified the person in the application. */
export const verifiedIn = (content: KybContent, checks: BeneficiaryChecks): ReadonlySet<string> =>
  peopleIn(content, checks, ['approved'])

/** Returns the beneficiaries whose check replaces their identity documents: it is approved, or under review. */
export const identifiedIn = (content: KybContent, checks: BeneficiaryChecks): ReadonlySet<string> =>
  peopleIn(content, checks, ['submitted', 'approved'])

/** Returns the fields and file lists that the application requires for a person. */
export const requiredOfBeneficiary = (
  {
    form,
    content,
    checks,
  }: { readonly form: Form; readonly content: KybContent; readonly checks: BeneficiaryChecks },
  person: Partial<Beneficiary> & Pick<Beneficiary, 'external_id'>,
): string[] => requiredOfPerson(person, content, { form, verified: identifiedIn(content, checks) })

/** Returns the beneficiaries whose check is about a person with another name. */
export const mismatchedIn = (content: KybContent, checks: BeneficiaryChecks): ReadonlySet<string> =>
  peopleIn(content, checks, ['submitted', 'approved'], false)

/**
 * Returns the beneficiaries whose check ends because the edit names another person. A check to which the person has not
 * consented contains no personal data, so it continues.
 */
export function endedChecks(before: KybContent, after: KybContent, checks: BeneficiaryChecks): string[] {
  const names = new Map(peopleOf(before).map(({ external_id: id, full_name: name = '' }) => [id, name]))
  return peopleOf(after).flatMap((person) => {
    const { external_id: id, full_name: name } = person
    const check = checks.get(id)
    const earlier = names.get(id) ?? ''
    if (!check || name === undefined || name === earlier || isSameName(earlier, name)) return []
    const isEmpty = check.verification === 'initiated' && !hasConsented(check.profile)
    return isEmpty || isAbout(person, check) ? [] : id
  })
}

const VERIFIED_FIELDS = [
  'name',
  'surname',
  'birthdate',
  'nationality',
  'document_type',
  'document_country',
  'document_number',
] as const

export const identityOf = (profile: Profile): Profile =>
  Object.fromEntries(
    VERIFIED_FIELDS.flatMap((name) => {
      const value = profile[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
