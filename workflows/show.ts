/** Workflow: shows the state of an entity in the Temporal UI, as current details and search attributes. */
import { setCurrentDetails, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow'
import type { Pending } from '../src/domain/decision/confirmation.ts'
import type { Entity } from '../src/domain/entity/entity.ts'
import { CONSOLE } from './messages.ts'
import { SEARCH_ATTRIBUTES } from './search-attributes.ts'

export interface Shown {
  readonly vault: string
  readonly kind: Entity
  readonly status: string
  readonly waitingOn: string
  /** More lines of Markdown. */
  readonly lines: readonly string[]
}

const NAMES = Object.keys(SEARCH_ATTRIBUTES) as (keyof typeof SEARCH_ATTRIBUTES)[]

export function createShow(): (shown: Shown) => void {
  const url = workflowInfo().memo?.[CONSOLE]
  const link = typeof url === 'string' ? [`[Open in the console](${url})`] : []
  return ({ lines, ...attributes }) => {
    setCurrentDetails(
      [...link, `**Status:** ${attributes.status}`, `**Waiting on:** ${attributes.waitingOn}`, ...lines].join(
        '\n\n',
      ),
    )
    // A workflow starts with its attributes, so its first task does not need to write them again.
    const { typedSearchAttributes: indexed } = workflowInfo()
    const changed = NAMES.map((name) => ({ key: SEARCH_ATTRIBUTES[name], value: attributes[name] })).filter(
      ({ key, value }) => indexed.get(key) !== value,
    )
    if (changed.length > 0) upsertSearchAttributes(changed)
  }
}

export const pendingLine = ({ pending }: { readonly pending: Pending | null }): string[] =>
  pending ? [`**Awaiting second approval:** ${pending.kind} by ${pending.by}, since ${pending.since}`] : []
