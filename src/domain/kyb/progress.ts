/** Rules for the progress of an application, which compares the number of given details with the required ones. */

import type { Progress } from '../base/progress.ts'
import type { Correction } from '../decision/decision.ts'
import { identifiedIn } from './beneficiary-check.ts'
import type { Section } from './fields.ts'
import { fieldAt, fileLists } from './form.ts'
import { type GroupName, groupsOf } from './groups.ts'
import type { KybRecord } from './record.ts'
import { allRequiredPaths, PEOPLE_PATH } from './requirements.ts'

/**
 * The sections in the order in which applicants complete them. `business_files` also contains the documents of the
 * other sections.
 */
export const SECTION_ORDER = [
  'nature_of_business',
  'usage_of_account',
  'beneficiaries',
  'business_files',
] as const satisfies readonly Section[]

type Subject =
  | { readonly kind: 'group'; readonly group: GroupName }
  | { readonly kind: 'person'; readonly personId: string }
  | { readonly kind: 'people' }
  | { readonly kind: 'document'; readonly path: string }

export type Item = Subject & {
  readonly section: Section
  /** The paths of the item that are due or must be corrected. */
  readonly open: readonly string[]
  /** The number of required details, including the open ones. */
  readonly total: number
  /** Whether only documents are open, such as a person's ID. */
  readonly needsOnlyFiles: boolean
  /** Whether a reviewer has requested a correction of the item. */
  readonly isToFix: boolean
}

type Facts = Pick<KybRecord, 'form' | 'content' | 'currentlyDue' | 'checks'> & {
  readonly corrections: readonly Pick<Correction, 'path'>[]
}

/** Returns the items of an application in order. */
export function itemsOf({ form, content, currentlyDue, corrections, checks }: Facts): Item[] {
  const corrected = corrections.map(({ path }) => path)
  const paths = [...new Set([...currentlyDue, ...corrected])]
  const required = allRequiredPaths(content, { form, verified: identifiedIn(content, checks) })
  const created = (
    section: Section,
    subject: Subject,
    select: (all: readonly string[]) => readonly string[],
  ): Item => {
    const open = select(paths)
    return {
      ...subject,
      section,
      open,
      total: new Set([...select(required), ...open]).size,
      needsOnlyFiles: open.every((path) => fieldAt(form, path)?.type === 'files'),
      isToFix: select(corrected).length > 0,
    }
  }
  const item = (section: Section, subject: Subject, isOf: (path: string) => boolean): Item =>
    created(section, subject, (all) => all.filter(isOf))
  // Groups the paths once, because a hundred people can have thousands.
  const lists: readonly (readonly string[])[] = [paths, required, corrected]
  const ofPeople = new Map(lists.map((all) => [all, byPerson(all)]))
  const groups = (section: Section) =>
    groupsOf(form, section).map(({ name, paths: ofGroup }) =>
      item(section, { kind: 'group', group: name }, (path) => ofGroup.includes(path)),
    )
  const people = content.beneficiaries.beneficiaries_list.map(({ external_id: personId }) =>
    created('beneficiaries', { kind: 'person', personId }, (all) => ofPeople.get(all)?.get(personId) ?? []),
  )
  const nobody = paths.includes(PEOPLE_PATH)
    ? [item('beneficiaries', { kind: 'people' }, (path) => path === PEOPLE_PATH)]
    : []
  const documents = [...fileLists(form).values()].flatMap((path) => {
    const isNeeded = required.includes(path) || corrected.includes(path)
    return isNeeded ? item('business_files', { kind: 'document', path }, (each) => each === path) : []
  })
  return [
    ...groups('nature_of_business'),
    ...groups('usage_of_account'),
    ...people,
    ...nobody,
    ...groups('beneficiaries'),
    ...documents,
    ...groups('business_files'),
  ]
}

export const isDone = ({ open }: Item): boolean => open.length === 0

/** Counts the required details. Every page shows this count. */
export function countDetails(items: readonly Item[]): Progress {
  const total = items.reduce((sum, item) => sum + item.total, 0)
  return { done: total - items.reduce((sum, { open }) => sum + open.length, 0), total }
}

/** Counts the items of the company’s documents, without the questions of their section and the people’s IDs. */
export const countDocumentItems = (items: readonly Item[]): Progress =>
  countDetails(items.filter(({ kind }) => kind === 'document'))

/**
 * Returns the item to complete next, which is the first correction or else the first open item. Returns null if no item
 * is open.
 */
export const nextItem = (items: readonly Item[]): Item | null =>
  items.find(({ isToFix }) => isToFix) ?? items.find((item) => !isDone(item)) ?? null

/** Returns the next section after the given one with open items, or null if there is none. */
export function nextSection(items: readonly Item[], section: Section): Section | null {
  const at = SECTION_ORDER.indexOf(section)
  return (
    SECTION_ORDER.slice(at + 1).find((each) =>
      items.some((item) => item.section === each && !isDone(item)),
    ) ?? null
  )
}

/** Returns the paths about people, keyed by person. */
function byPerson(paths: readonly string[]): ReadonlyMap<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const path of paths) {
    if (!path.startsWith(`${PEOPLE_PATH}.`)) continue
    const [id = ''] = path.slice(PEOPLE_PATH.length + 1).split('.', 1)
    const group = groups.get(id)
    if (group) group.push(path)
    else groups.set(id, [path])
  }
  return groups
}
