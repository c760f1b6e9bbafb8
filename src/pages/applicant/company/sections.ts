/** Determines the pages of the company form, with their fields, outstanding requirements and corrections. */
import { unusableWarning } from '../../../domain/base/file.ts'
import { factsWith } from '../../../domain/fields/condition.ts'
import { type Fields, newlyAsked } from '../../../domain/fields/field.ts'
import { isGiven } from '../../../domain/fields/given.ts'
import { isRevision } from '../../../domain/kyb/application.ts'
import { progressOfCheck } from '../../../domain/kyb/beneficiary-check.ts'
import { WHOLE_APPLICATION } from '../../../domain/kyb/content.ts'
import type { Beneficiary, Section } from '../../../domain/kyb/fields.ts'
import { companyValues, factsOf, fieldAt, fieldsIn, fileLists } from '../../../domain/kyb/form.ts'
import { groupsOf } from '../../../domain/kyb/groups.ts'
import { type Item, isDone, itemsOf, nextSection, SECTION_ORDER } from '../../../domain/kyb/progress.ts'
import type { KybApplication } from '../../../domain/kyb/record.ts'
import { requiredPaths } from '../../../domain/kyb/requirements.ts'
import { inShort } from '../../components/values.tsx'
import type { Missing } from '../base/due.ts'
import type { CompanyVisit } from './visit.ts'

export const SECTION_PAGES = SECTION_ORDER
export type SectionPage = (typeof SECTION_PAGES)[number]

export const isSectionPage = (name: string): name is SectionPage =>
  SECTION_PAGES.some((page) => page === name)

const typed = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, { type }]) => type !== 'files'))

type Asked = Pick<KybApplication, 'form'>

/** Returns the fields of a section by path, except its document lists. */
export const typedFields = ({ form }: Asked, section: Section): Fields => typed(fieldsIn(form, section))

/** Returns the fields of an owner, except the document lists. */
export const ownerFields = ({ form }: Asked): Fields => typed(form.person)

export const nameOf = ({ full_name, email }: Beneficiary): string => inShort(full_name ?? email)

/** Returns the company's trading name, otherwise its legal name, or null if neither is entered. */
export function companyName({ content }: Pick<KybApplication, 'content'>): string | null {
  const { comercial_name, legal_company_name } = content.nature_of_business
  const name = [comercial_name, legal_company_name].find(isGiven)
  return name === undefined ? null : inShort(name)
}

export const ownersOf = ({ content }: KybApplication): readonly Beneficiary[] =>
  content.beneficiaries.beneficiaries_list

type Values = Readonly<Record<string, unknown>>

/** Returns the fields of a page by path, in the order of the page, with their values. */
export function contentOf(
  page: SectionPage,
  application: Pick<KybApplication, 'form' | 'content'>,
): { fields: Fields; values: Values } {
  const { form, content } = application
  const documents = page === 'business_files' ? [...fileLists(form).values()] : []
  const questions = groupsOf(form, page).flatMap(({ paths }) => paths)
  const fields: Fields = Object.fromEntries(
    [...documents, ...questions].flatMap((path) => {
      const field = fieldAt(form, path)
      return field ? [[path, field]] : []
    }),
  )
  return { fields, values: companyValues(content, fields) }
}

/** Returns the page of the field. Null stands for the application. `business_files` shows all documents. */
export function pageOf({ form }: Asked, path: string): SectionPage | null {
  const field = fieldAt(form, path)
  const [place = '', , person] = path.split('.')
  if (field?.type === 'files' && person === undefined) return 'business_files'
  const section = field?.section ?? place
  return isSectionPage(section) ? section : null
}

export function hrefOf(base: string, application: Asked, path: string): string {
  const [, , personId] = path.split('.')
  const isFile = fieldAt(application.form, path)?.type === 'files'
  if (personId !== undefined) return `${base}/owners/${personId}${isFile ? '/upload' : ''}#${path}`
  const page = pageOf(application, path)
  return page === null ? base : `${base}/${page}#${path}`
}

export const dueOn = (application: KybApplication, page: SectionPage): readonly string[] =>
  application.currentlyDue.filter((path) => pageOf(application, path) === page)

/** Returns true if no required field of the page has a valid value. */
export function isEmptySection(application: KybApplication, page: SectionPage): boolean {
  const { form, content, currentlyDue } = application
  const due = new Set(currentlyDue)
  const required = requiredPaths(form, content).filter((path) => pageOf(application, path) === page)
  const isUnmet = required.length > 0 && required.every((path) => due.has(path))
  return isUnmet && (page !== 'beneficiaries' || ownersOf(application).length === 0)
}

export const filesIn = ({ application }: CompanyVisit, ids: unknown) =>
  ((ids ?? []) as readonly string[]).map((id) => {
    const { name = '', size, side, warnings = [] } = application.files.get(id) ?? {}
    return { id, name, size, side, problem: unusableWarning(warnings) }
  })

/** Returns true if the person has opened their link and has not submitted yet. */
export function isAwaited({ links, checks }: KybApplication, personId: string): boolean {
  const check = checks.get(personId)
  return (
    links.get(personId)?.verification === 'initiated' &&
    check !== undefined &&
    progressOfCheck(check) === 'open'
  )
}

/** Returns the result of the person's link if it needs a document instead, because a new link has the same result. */
export function failedLink({ links }: KybApplication, personId: string): 'rejected' | 'closed' | null {
  const verification = links.get(personId)?.verification
  return verification === 'rejected' || verification === 'closed' ? verification : null
}

export function itemAddress(base: string, application: KybApplication, item: Item): string {
  const [first] = item.open
  if (item.kind === 'people') return `${base}/owners/new`
  if (item.kind === 'person' && !item.isToFix && item.needsOnlyFiles)
    return wayAddress(base, item.personId, wayOf(application, item.personId))
  // An empty section starts at its top.
  const isStart =
    item.kind === 'group' && isSectionPage(item.section) && isEmptySection(application, item.section)
  return first === undefined || isStart ? `${base}/${item.section}` : hrefOf(base, application, first)
}

/** Returns the items with missing details that no correction names. Only these details are open in them. */
export function itemsLeft(application: KybApplication): Item[] {
  const corrected = application.corrections.map(({ path }) => path)
  return itemsOf(application)
    .map((item) => ({ ...item, open: item.open.filter((path) => !corrected.includes(path)) }))
    .filter((item) => !isDone(item))
}

/** Counts the missing identity documents, other documents and answers. */
export function countMissing({ form }: Asked, paths: readonly string[]): Required<Omit<Missing, 'photos'>> {
  const files = paths.filter((path) => fieldAt(form, path)?.type === 'files')
  const ids = files.filter((path) => path.endsWith('.beneficiary_identification')).length
  return { answers: paths.length - files.length, documents: files.length - ids, ids }
}

export const personPlace = (personId: string): string => `person-${personId}`

/** The ways in which a person can prove their identity: with an identity card, a passport or their own link. */
export const WAYS = ['upload', 'passport', 'link'] as const
export type Way = (typeof WAYS)[number]

/** Returns the first person who needs only an identity document, or null if there is none. */
export function needyPerson(items: readonly Item[]): string | null {
  const needy = items.find((item) => item.kind === 'person' && !isDone(item) && item.needsOnlyFiles)
  return needy?.kind === 'person' ? needy.personId : null
}

/** Returns the way that the person's card offers first. */
export const wayOf = (application: KybApplication, personId: string): Way =>
  isAwaited(application, personId) ? 'link' : 'upload'

export const wayAddress = (base: string, personId: string, way: Way): string =>
  `${base}/owners/${personId}/${way}#${personPlace(personId)}`

/** Returns the page that follows a section: the next one with missing details, otherwise the check. */
export const followingPage = (application: KybApplication, page: SectionPage): SectionPage | 'check' =>
  nextSection(itemsOf(application), page) ?? 'check'

/** Returns the next address. A revision leads to its list, or to the check once all is complete. */
export function nextAddress(
  { application, base }: Pick<CompanyVisit, 'application' | 'base'>,
  page: string,
): string {
  const isFixed =
    application.corrections.every(({ path }) => path === WHOLE_APPLICATION) &&
    itemsLeft(application).length === 0
  if (isRevision(application)) return isFixed ? `${base}/check` : base
  if (isSectionPage(page)) {
    const following = followingPage(application, page)
    const isFirst = following === 'beneficiaries' && ownersOf(application).length === 0
    return `${base}/${isFirst ? 'owners/new' : following}`
  }
  if (page !== 'owners') return base
  const needy = needyPerson(itemsOf(application))
  return needy === null ? `${base}/beneficiaries` : wayAddress(base, needy, wayOf(application, needy))
}

/** Returns the address of the first question that the new values of a section raise, or null if they raise none. */
export function raisedAddress(
  { application, base }: Pick<CompanyVisit, 'application' | 'base'>,
  page: SectionPage,
  values: Values,
): string | null {
  const { form, content } = application
  const before = factsOf(form, content)
  const [raised] = newlyAsked(typedFields(application, page), '', before, factsWith(before, values))
  return raised === undefined ? null : `${base}/${page}#${raised}`
}
