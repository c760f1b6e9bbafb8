/** Creates the timeline entries for commands and proposed decisions. */
import type { NewTimelineEntry } from '../src/db/commands/timeline.ts'
import type { Pending } from '../src/domain/decision/confirmation.ts'
import type { Decision } from '../src/domain/decision/decision.ts'
import type { ChangedPaths } from '../src/domain/review/changed-paths.ts'

interface Decided {
  readonly state: { readonly pending: Pending | null }
  readonly proposal: { readonly kind: string } | null
}

type Command = { readonly kind: string } & Partial<Decision>

export type Entry = Pick<
  NewTimelineEntry,
  | 'action'
  | 'actor'
  | 'causeId'
  | 'reasonCode'
  | 'clientComment'
  | 'internalNote'
  | 'findings'
  | keyof ChangedPaths
>

const wordsOf = (command: Command | null) => {
  const { reasonCode, clientComment, internalNote, findings } = (command ?? {}) as Partial<Decision>
  return { reasonCode, clientComment, internalNote, findings }
}

/**
 * Returns the entries for one command. The entry for a proposal omits its texts, so that the second operator decides
 * independently. The texts appear once the proposal is confirmed or withdrawn.
 */
export function entriesOf(
  before: Decided,
  after: Decided,
  { id, command, actor }: { readonly id: string; readonly command: Command; readonly actor: string },
  changedPaths: ChangedPaths,
): Entry[] {
  const { kind } = command
  const { pending } = before.state
  if (!pending && after.state.pending) return [{ action: `${kind}_proposed`, actor, causeId: id }]
  const own = { action: kind, actor, causeId: id, ...wordsOf(command), ...changedPaths }
  if (!pending || after.state.pending) return [own]
  const proposed = { causeId: `${id}:proposal`, ...wordsOf(before.proposal) }
  switch (kind) {
    case 'confirm':
      return [own, { action: pending.kind, actor: pending.by, ...proposed }]
    case 'withdraw':
      return [{ action: `${pending.kind}_withdrawn`, actor: pending.by, ...proposed }, own]
    default:
      return [own, ...droppedBy(before, after, id)]
  }
}

/** Returns the entry for a proposal that another command or a fact made obsolete, with the texts of the proposal. */
export function droppedBy(before: Decided, after: Decided, overtakenBy: string): Entry[] {
  const { pending } = before.state
  if (!pending || after.state.pending) return []
  const causeId = `${overtakenBy}:proposal`
  return [{ action: `${pending.kind}_dropped`, actor: 'system', causeId, ...wordsOf(before.proposal) }]
}
