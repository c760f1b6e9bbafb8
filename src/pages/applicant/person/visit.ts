/** Loads a person's verification for a session, and determines its pages and their status. */
import { timeOf } from '../../../domain/base/unix-time.ts'
import { decideIdentification } from '../../../domain/identification/identification.ts'
import {
  type ApplicantForm,
  filesIn,
  findPersonDue,
  formOf,
  hasConsented as hasAgreed,
  isAddedFile,
  isPersonFile,
  PERSON_FILES,
  type PersonFile,
  requiredOfApplicant,
  type SpecifiedPhoto,
} from '../../../domain/identification/person-form.ts'
import { countryOf } from '../../../domain/identification/profile.ts'
import { requiredOfBeneficiary } from '../../../domain/kyb/beneficiary-check.ts'
import { fieldsAtLink } from '../../../domain/kyb/form.ts'
import { beneficiaryPath, PEOPLE_PATH } from '../../../domain/kyb/requirements.ts'
import type { RouteDeps } from '../../../http/deps.ts'
import {
  type AskedAtLink,
  dueAtLink,
  getPersonForm,
  type PersonForm,
} from '../../../use-cases/applicant/person-form.ts'
import { addressTexts } from '../../components/address.ts'
import { labelOf } from '../../components/fields.tsx'
import { withApplicantTexts, withFormTexts } from '../../texts/index.ts'
import { correctionText } from '../base/correction.ts'
import { replyHref } from '../base/reply.tsx'
import { type Changes, countChanges, type RequestedChange } from '../base/revision-list.tsx'
import type { ApplicantVisit } from '../base/visit.ts'

export interface PersonVisit extends ApplicantVisit, PersonForm {
  readonly form: ApplicantForm
}

/** Returns the visit with its form, or null if the verification has no form for an applicant. */
export async function loadPersonVisit(deps: RouteDeps, visit: ApplicantVisit): Promise<PersonVisit | null> {
  const form = await getPersonForm(deps, visit)
  return form && personVisitOf(visit, form)
}

export function personVisitOf(visit: ApplicantVisit, person: PersonForm): PersonVisit {
  const form = formOf(person.identification)
  const { profile } = person.identification
  const words = addressTexts(visit.frame.t, countryOf(profile) ?? undefined)
  const frame = withApplicantTexts(visit.frame, form, profile, words)
  const { atLink } = person
  return {
    ...visit,
    ...person,
    frame: atLink ? withFormTexts(frame, { person: fieldsAtLink(atLink.application.form) }) : frame,
    form,
  }
}

/** The pages in their order. A photo has its own page. */
const PAGES = ['consent', 'details', 'link', 'document', 'document_front', 'document_back', 'selfie'] as const
export type PersonPage = (typeof PAGES)[number] | PersonFile

export function pageOf({ form }: Pick<PersonVisit, 'form'>, field: string): PersonPage {
  if (field.startsWith(PEOPLE_PATH)) return 'link'
  if (field === 'consent' || isPersonFile(field, form)) return field
  return Object.hasOwn(form.document, field) ? 'document' : 'details'
}

function requiredOn(visit: PersonVisit, page: PersonPage): string[] {
  const { atLink, identification, form } = visit
  if (page === 'link') return atLink ? requiredAtLink(atLink) : []
  return requiredOfApplicant(identification.profile, form).filter((field) => pageOf(visit, field) === page)
}

/** Returns the paths in the application of the questions at the link that need an answer, also the answered ones. */
const requiredAtLink = ({ application, person }: AskedAtLink): string[] => {
  const fields = fieldsAtLink(application.form)
  return requiredOfBeneficiary(application, person)
    .filter((name) => Object.hasOwn(fields, name))
    .map((name) => beneficiaryPath(person.external_id, name))
}

export const hrefOf = (visit: Pick<PersonVisit, 'base' | 'form'>, field: string): string =>
  `${visit.base}/${pageOf(visit, field)}#${field}`

/** Returns the name of a page. */
export const titleOf = ({ frame: { t } }: Pick<PersonVisit, 'frame'>, page: PersonPage): string =>
  page === 'consent' || page === 'details' || page === 'link' || page === 'document'
    ? t(`person.${page}`)
    : labelOf(t, page)

/** Returns whether the photo is of the page of a passport instead of the front of a card. */
export const isPassportPage = (
  { identification }: Pick<PersonVisit, 'identification'>,
  page: PersonPage,
): boolean => page === 'document_front' && identification.profile.document_type === 'passport'

/** Returns the pages with at least one field that this person must provide, and the questions at the link. */
export const pagesOf = (visit: PersonVisit): PersonPage[] =>
  [...PAGES, ...filesIn(visit.form).filter(isAddedFile)].filter(
    (page) => requiredOn(visit, page).length > 0 || (page === 'link' && visit.atLink !== null),
  )

export function photosOf(visit: PersonVisit): SpecifiedPhoto[] {
  const pages = pagesOf(visit)
  return PERSON_FILES.filter((each) => pages.includes(each))
}

export const correctionsOf = ({ identification: { review } }: PersonVisit) => review?.corrections ?? []

/** Returns when the latest decision, such as a request for changes, was made. */
export const requestedAt = ({ identification: { review } }: PersonVisit): Date | undefined =>
  timeOf(review?.decidedAt)

export const dueOf = (visit: PersonVisit): string[] => [
  ...findPersonDue(visit.identification.profile, correctionsOf(visit), visit.form),
  ...dueAtLink(visit),
]

export const dueOn = (visit: PersonVisit, page: PersonPage): string[] =>
  dueOf(visit).filter((field) => pageOf(visit, field) === page)

export const missingOn = (visit: PersonVisit, page: PersonPage): string[] =>
  [...findPersonDue(visit.identification.profile, [], visit.form), ...dueAtLink(visit)].filter(
    (field) => pageOf(visit, field) === page,
  )

/** Returns true if no required field of the page has a value, except the name, which the client may have entered. */
export function isEmptyPage(visit: PersonVisit, page: PersonPage): boolean {
  const missing = [...missingOn(visit, page), 'name', 'surname']
  return requiredOn(visit, page).every((field) => missing.includes(field))
}

export const correctedOn = (visit: PersonVisit, page: PersonPage): string[] =>
  correctionsOf(visit)
    .map(({ path }) => path)
    .filter((path) => pageOf(visit, path) === page)

/** Counts the requested changes. Returns null if the reviewer has not requested any. */
export function fixesOf(visit: PersonVisit): Changes<RequestedChange> | null {
  const { review } = visit.identification
  if (review?.outcome !== 'initiated') return null
  const left = new Set(pagesOf(visit).flatMap((page) => correctedOn(visit, page)))
  // A change that is not left is complete.
  const asked = new Set([...(review.places ?? []).map(({ path }) => path), ...left])
  const replied = new Set((review.replies ?? []).map(({ path }) => path))
  const list = [...asked].map((path) => {
    const state = left.has(path) ? 'open' : replied.has(path) ? 'replied' : 'fixed'
    return { path, state } as const
  })
  return list.length > 0 ? countChanges(list) : null
}

/** Returns the next incomplete page after this one, or `check` if there is none. */
export function nextPage(visit: PersonVisit, after: PersonPage): PersonPage | 'check' {
  const pages = pagesOf(visit)
  const later = pages.slice(pages.indexOf(after) + 1)
  return later.find((page) => dueOn(visit, page).length > 0) ?? 'check'
}

/** Returns true while the verification waits on the applicant. */
export const isOpen = ({ identification }: PersonVisit): boolean =>
  decideIdentification(identification.state, 'submit') === null

export const hasConsented = ({ identification }: PersonVisit): boolean => hasAgreed(identification.profile)

/** Returns the photo, or null if there is none. Only the session that uploaded a photo can see the image. */
export function photoOf(visit: PersonVisit, attribute: PersonFile) {
  const file = visit.files.get(visit.identification.profile[attribute] ?? '')
  if (!file) return null
  const isMine = file.sessionHash?.equals(visit.sessionHash) ?? false
  return { ...file, isShown: isMine && file.contentType !== 'application/pdf' }
}

/** Returns the address of the reply form for a finding at the path, or null if the path has no finding. */
export const replyAt =
  (visit: PersonVisit) =>
  (path: string): string | null =>
    replyHref(visit.base, correctionsOf(visit), path)

/** Returns the text of the correction that a reviewer has requested at the path, or null if there is none. */
export const commentOn =
  (visit: PersonVisit) =>
  (path: string): string | null =>
    correctionText(visit.frame, correctionsOf(visit), path)
