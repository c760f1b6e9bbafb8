/** Defines the tabs of a case, and the addresses of places in them. */
import type { Request } from 'express'
import { consolePath } from '../../../domain/entity/console-path.ts'
import type { EntityKey } from '../../../domain/entity/entity.ts'
import type { FieldProblem } from '../../components/layout.tsx'

const CASE_TABS = ['summary', 'company', 'owners', 'documents', 'screening', 'history'] as const
export type CaseTab = (typeof CASE_TABS)[number]

export const isTab = (name: unknown): name is CaseTab => CASE_TABS.some((tab) => tab === name)

/** The tabs of places that are not in the summary. */
const TAB_OF: Readonly<Record<string, CaseTab>> = {
  'timeline-title': 'history',
  'deliveries-title': 'history',
  text: 'history',
  'screening-title': 'screening',
}

export const tabPath = (base: string, tab: CaseTab): string => `${base}?tab=${tab}`

/** Returns the address of a place on the page of a case, or of the page itself. */
export function casePath({ entity, id }: EntityKey, place: string): string {
  const base = consolePath(entity, id)
  return place === '' ? base : `${tabPath(base, TAB_OF[place] ?? 'summary')}#${place}`
}

/** Returns the tab in the address. If there is none, returns the tab with the first problem. */
export const readTab = ({ query }: Request, problems: readonly FieldProblem[]): CaseTab =>
  isTab(query.tab) ? query.tab : (TAB_OF[problems[0]?.field ?? ''] ?? 'summary')

/** Returns the attributes of an element that only these tabs show. A script uses them to switch between tabs. */
export const shownIn = (current: CaseTab, ...tabs: readonly CaseTab[]) => ({
  'data-tabs': tabs.join(' '),
  hidden: !tabs.includes(current),
})

/** The query with which the page begins with the open drawer of the second approval, for browsers without scripts. */
const SECOND_APPROVAL = 'second_approval'

export const confirmationPath = (base: string): string => `${base}?${SECOND_APPROVAL}`

export const opensConfirmation = ({ query }: Request): boolean => query[SECOND_APPROVAL] !== undefined
