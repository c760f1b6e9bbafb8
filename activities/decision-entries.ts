/** What timelines say of commands: who decided and why, and what came of decisions that waited. */
import type { NewTimelineEntry } from '../src/db/cases/timeline.ts'
import type { ChangedPaths } from '../src/domain/decision/changed-paths.ts'
import type { Pending } from '../src/domain/decision/confirmation.ts'
import type { Decision } from '../src/domain/decision/decision.ts'

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

/** What is said of why. */
const wordsOf = (command: Command | null) => {
  const { reasonCode, clientComment, internalNote, findings } = (command ?? {}) as Partial<Decision>
  return { reasonCode, clientComment, internalNote, findings }
}

/**
 * The entries of one command. What waits for a second operator keeps its words for itself: the other one is to
 * judge alone. They are told once it is confirmed, as its first operator's, or withdrawn.
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

/** Of a decision that a command or a fact overtook while it waited: its words are told. */
export function droppedBy(before: Decided, after: Decided, overtakenBy: string): Entry[] {
  const { pending } = before.state
  if (!pending || after.state.pending) return []
  const causeId = `${overtakenBy}:proposal`
  return [{ action: `${pending.kind}_dropped`, actor: 'system', causeId, ...wordsOf(before.proposal) }]
}
