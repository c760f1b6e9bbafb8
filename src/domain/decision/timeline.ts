/** Rules for timelines, which record the actors, actions and times of changes to a case. */
import type { Finding } from './decision.ts'

export interface TimelineEntry {
  /** The ID, which increases with time. */
  readonly id: number
  readonly action: string
  readonly actor: string
  readonly from: string | null
  readonly to: string | null
  readonly reasonCode: string | null
  /** The paths of the changed fields, and the IDs of the changed files. Their values are not recorded. */
  readonly fields: readonly string[]
  readonly files: readonly string[]
  /** The ID of the file that was read, if the entry records a file access. */
  readonly fileId: string | null
  readonly clientComment: string | null
  readonly internalNote: string | null
  readonly findings: readonly Finding[]
  /** The ID of the trace in which the change was made, or null. */
  readonly traceId: string | null
  readonly createdAt: Date
}

/** The actions that change nothing. */
const VIEWS: readonly string[] = ['file_read', 'case_read']
/** The actions that change data. Each save of a page is one action. */
const SAVES: readonly string[] = ['patch', 'fill_in', 'edit_profile', 'attach', 'detach']

/**
 * Entries that histories show as one: the views or the saves of one actor, or another entry. A decision that a second
 * operator has confirmed is one entry with its confirmation and its proposal.
 */
export interface HistoryItem {
  readonly kind: 'views' | 'saves' | 'entry'
  /** The entries, newest first. There is at least one. */
  readonly entries: readonly [TimelineEntry, ...TimelineEntry[]]
}

export const isView = ({ action }: Pick<TimelineEntry, 'action'>): boolean => VIEWS.includes(action)

export const kindOf = (entry: TimelineEntry): HistoryItem['kind'] =>
  isView(entry) ? 'views' : SAVES.includes(entry.action) ? 'saves' : 'entry'

export const dayOf = ({ createdAt }: Pick<TimelineEntry, 'createdAt'>): string =>
  createdAt.toISOString().slice(0, 10)

/**
 * Groups entries, which start with the newest one. An item contains the views or the saves that one actor made on one
 * day, between two other entries.
 */
export function groupHistory(entries: readonly TimelineEntry[]): HistoryItem[] {
  const items: { kind: HistoryItem['kind']; entries: [TimelineEntry, ...TimelineEntry[]] }[] = []
  let open = new Map<string, (typeof items)[number]>()
  const approvals = secondApprovalsIn(entries)
  const steps = new Set([...approvals.values()].flat())
  for (const entry of entries) {
    if (steps.has(entry)) continue
    const kind = kindOf(entry)
    const key = [kind, entry.actor, dayOf(entry)].join(' ')
    const item = open.get(key)
    if (item) item.entries.push(entry)
    else {
      const next = { kind, entries: [entry, ...(approvals.get(entry) ?? [])] as [TimelineEntry] }
      items.push(next)
      // Other entries divide the groups, so that they stay between what happened before and after them.
      if (kind === 'entry') open = new Map()
      else open.set(key, next)
    }
  }
  return items
}

/** The confirmation of a decision, and its proposal if the entries contain it. */
type SecondApproval = readonly [confirmation: TimelineEntry, proposal?: TimelineEntry]

/** Returns the second approvals, keyed by their decision. The newest entry is first. */
export function secondApprovalsIn(
  entries: readonly TimelineEntry[],
): ReadonlyMap<TimelineEntry, SecondApproval> {
  const known = new Map<TimelineEntry, SecondApproval>()
  // Other operators can view the case between the steps.
  const changes = entries.filter((entry) => !isView(entry))
  for (const [n, decision] of changes.entries()) {
    const confirmation = changes[n + 1]
    if (confirmation?.action !== 'confirm' || kindOf(decision) !== 'entry') continue
    const proposal = changes.slice(n + 2).find(({ action }) => action === `${decision.action}_proposed`)
    known.set(decision, proposal ? [confirmation, proposal] : [confirmation])
  }
  return known
}

/**
 * Returns the ID of the entry that changed the field since the latest decision, keyed by path. A field that several
 * entries changed is left out, because only its values at the decision and now are stored. The oldest entry is first.
 */
export function onlySavesOf(
  entries: readonly TimelineEntry[],
  isDecision: (action: string) => boolean,
): ReadonlyMap<string, number> {
  const decided = entries.findLastIndex(({ action }) => isDecision(action))
  const saves = decided < 0 ? [] : entries.slice(decided + 1).filter((entry) => kindOf(entry) === 'saves')
  const counts = new Map<string, number>()
  for (const path of saves.flatMap(({ fields }) => fields)) counts.set(path, (counts.get(path) ?? 0) + 1)
  const onlyOnce = (path: string) => counts.get(path) === 1
  return new Map(
    saves.flatMap(({ id, fields }) => fields.filter(onlyOnce).map((path) => [path, id] as const)),
  )
}
