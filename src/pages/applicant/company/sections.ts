/** Determines the pages of the company form, with their fields, outstanding requirements and corrections. */

import { type Fields, newlyAsked } from '../../../domain/fields/field.ts'
import { isGiven } from '../../../domain/fields/given.ts'
import { BENEFICIARY_FIELDS } from '../../../domain/kyb/fields/beneficiaries.ts'
import {
  BENEFICIARY_FILE_LISTS,
  type Beneficiary,
  FILE_LISTS,
  KYB_FIELDS,
  type KybContent,
  type Section,
} from '../../../domain/kyb/fields.ts'
import { type Item, itemsOf, needsOnlyId, nextSection, SECTION_ORDER } from '../../../domain/kyb/progress.ts'
import type { KybApplication } from '../../../domain/kyb/record.ts'
import { answersIn, requiredFields, valueIn } from '../../../domain/kyb/requirements.ts'
import { inShort } from '../../components/values.tsx'
import type { CompanyVisit } from './visit.ts'

export const SECTION_PAGES = SECTION_ORDER
export type SectionPage = (typeof SECTION_PAGES)[number]

export const isSectionPage = (name: string): name is SectionPage =>
  SECTION_PAGES.some((page) => page === name)

const typed = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, { type }]) => type !== 'files'))

/** Returns the fields of a section, except its document lists. */
export const typedFields = (section: Section): Fields => typed(KYB_FIELDS[section])

/** The fields of an owner, except the document lists. */
export const OWNER_FIELDS = typed(BENEFICIARY_FIELDS)

export const nameOf = ({ full_name, email }: Beneficiary): string => inShort(full_name ?? email)

/** Returns the company's trading name, otherwise its legal name, or null if neither is entered. */
export function companyName({ content }: Pick<KybApplication, 'content'>): string | null {
  const { comercial_name, legal_company_name } = content.nature_of_business
  const name = [comercial_name, legal_company_name].find(isGiven)
  return name === undefined ? null : inShort(name)
}

export const ownersOf = ({ content }: KybApplication): readonly Beneficiary[] =>
  content.beneficiaries.beneficiaries_list

/** Returns true for the path of a document list. The page `business_files` shows the documents of all sections. */
const isDocument = (path: string): boolean =>
  [...FILE_LISTS].some(([field, section]) => path === `${section}.${field}`)

type Values = Readonly<Record<string, unknown>>

/** Returns the fields of a page, and the part of the content that contains their values. */
export function contentOf(page: SectionPage, content: KybContent): { fields: Fields; values: object } {
  if (page !== 'business_files') return { fields: typedFields(page), values: content[page] }
  const documents = (sections: Readonly<Record<Section, object>>) =>
    [...FILE_LISTS].map(([name, section]) => [name, (sections[section] as Values)[name]])
  return {
    fields: { ...Object.fromEntries(documents(KYB_FIELDS)), ...typedFields(page) },
    values: { ...content[page], ...Object.fromEntries(documents(content)) },
  }
}

/** Returns the page that shows the field at the path, or null if the path stands for the whole application. */
export function pageOf(path: string): SectionPage | null {
  if (isDocument(path)) return 'business_files'
  const [section = ''] = path.split('.')
  return isSectionPage(section) ? section : null
}

/** Returns the address of the field at the path. */
export function hrefOf(base: string, path: string): string {
  const [, , personId, field = ''] = path.split('.')
  if (personId !== undefined)
    return `${base}/owners/${personId}${BENEFICIARY_FILE_LISTS.has(field) ? '/upload' : ''}#${path}`
  const page = pageOf(path)
  return page === null ? base : `${base}/${page}#${path}`
}

export const dueOn = ({ currentlyDue }: KybApplication, page: SectionPage): readonly string[] =>
  currentlyDue.filter((path) => pageOf(path) === page)

/** Returns true if no required field of the page has a valid value. */
export function isEmptySection(application: KybApplication, page: SectionPage): boolean {
  const { content, currentlyDue } = application
  const required = SECTION_PAGES.flatMap((section) =>
    requiredFields(section, content).map((field) => `${section}.${field}`),
  ).filter((path) => pageOf(path) === page)
  const isUnmet = required.length > 0 && required.every((path) => currentlyDue.includes(path))
  return isUnmet && (page !== 'beneficiaries' || ownersOf(application).length === 0)
}

export const filesIn = ({ application }: CompanyVisit, values: object, field: string) =>
  (((values as Values)[field] ?? []) as readonly string[]).map((id) => {
    const { name = '', size } = application.files.get(id) ?? {}
    return { id, name, size, isUnreadable: application.unreadable.has(id) }
  })

/** Returns the address at which the applicant completes an item. */
export function itemAddress(base: string, item: Item): string {
  const [first] = item.open
  if (item.kind === 'people') return `${base}/owners/new`
  if (item.kind === 'person' && !item.isToFix && needsOnlyId(item))
    return `${base}/owners/${item.personId}/link#${personPlace(item.personId)}`
  return first === undefined ? `${base}/${item.section}` : hrefOf(base, first)
}

/** Returns the element ID of a person's card in the list of owners. */
export const personPlace = (personId: string): string => `person-${personId}`

/**
 * Returns the address of the page that follows a section: the next correction, otherwise the next section with open
 * items, otherwise the overview.
 */
export function nextAddress(
  { application, base }: Pick<CompanyVisit, 'application' | 'base'>,
  page: SectionPage,
): string {
  const items = itemsOf(application)
  const toFix = items.find(({ isToFix }) => isToFix)
  if (toFix) return itemAddress(base, toFix)
  const next = nextSection(items, page)
  return next === null ? base : `${base}/${next}`
}

/** Returns the address of the first question that the new values of a section raise, or null if they raise none. */
export function raisedAddress(
  { application, base }: Pick<CompanyVisit, 'application' | 'base'>,
  page: SectionPage,
  values: Values,
): string | null {
  const { content } = application
  const after = (path: string) => {
    const [section, field = ''] = path.split('.')
    return section === page && field in values ? values[field] : valueIn(content, path)
  }
  const [raised] = newlyAsked(typedFields(page), `${page}.`, answersIn(content), { valueAt: after })
  return raised === undefined ? null : `${base}/${page}#${page}.${raised}`
}
