/**
 * What the workflows of all entities have in common: one lock under which transitions happen one after the
 * other, the version check, and continue-as-new without losing a message.
 */
import {
  ActivityFailure,
  ApplicationFailure,
  allHandlersFinished,
  condition,
  isCancellation,
  patched,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow'
import type { Ref } from '../src/domain/entity.ts'
import type { Problem } from '../src/domain/errors.ts'
import { isUuid } from '../src/domain/uuid.ts'
import type { CommandsInput, CommandsResult } from './activities.ts'
import {
  type CommandMessage,
  type CommandOutcome,
  command,
  DRAINING,
  REFUSED,
  state as stateQuery,
} from './messages.ts'

/**
 * Rules may change while workflows are open, and a workflow that is replayed must do again what it did. So it asks
 * no rule about what it has accepted: activities do, and what they say is recorded. Only validators and queries
 * ask, since a replay does not run them. Histories of before this patch asked, and applied commands by regular
 * activities.
 */
export const leavesRules = (): boolean => patched('rules-are-asked-by-activities')

/**
 * About twenty commands. A worker that takes an entity over reads its history first, and one that has just started takes
 * ten milliseconds of a processor for each of its commands, while the next one waits.
 */
const LONG_HISTORY = 120

/** Histories of before this patch grew until the server called them long. */
const isHistoryLong = (): boolean => {
  const { historyLength, continueAsNewSuggested } = workflowInfo()
  return continueAsNewSuggested || (historyLength > LONG_HISTORY && patched('histories-are-kept-short'))
}

export class Entity<State> {
  state: State
  draining = false
  busy = false
  private readonly show: (state: State) => void

  /** `show` brings the state to the Temporal UI, now and after every transition. */
  constructor(state: State, show: (state: State) => void) {
    this.state = state
    this.show = show
    show(state)
    setHandler(stateQuery, () => this.state, {
      description: 'What the workflow believes of its entity, as after its last transition.',
    })
  }

  /**
   * Runs `attempt` alone and adopts the state it leaves. While the database has another version than the
   * state that `attempt` was given, it is tried again with the state of the database.
   */
  async transition(
    attempt: (state: State) => Promise<{ outcome: 'applied' | 'stale'; state: State | null }>,
  ): Promise<void> {
    // A loop, because several waiters wake at once and only one of them finds the lock free.
    while (this.busy) await condition(() => !this.busy)
    this.busy = true
    try {
      for (;;) {
        const { outcome, state } = await attempt(this.state)
        if (state !== null) {
          this.state = state
          this.show(state)
        }
        if (outcome === 'applied') return
      }
    } finally {
      this.busy = false
    }
  }

  /** Waits until the entity has ended or its history is long; by then every handler has finished. */
  async endOrContinue(ended: (state: State) => boolean): Promise<'ended' | 'continue'> {
    await condition(() => ended(this.state) || isHistoryLong())
    this.draining = !ended(this.state)
    await condition(allHandlersFinished)
    return ended(this.state) ? 'ended' : 'continue'
  }
}

interface CommandsActivity<State> {
  executeWithOptions(options: { summary: string }, args: [CommandsInput]): Promise<CommandsResult<State>>
}

interface CommandRules<State, Kind extends string> {
  readonly kinds: readonly Kind[]
  decide(state: State, kind: Kind): Problem | null
  /** The activity that applies the commands, if the row still has the version of this state. */
  readonly activity: CommandsActivity<State>
  /** The same within the workflow task. */
  readonly localActivity: CommandsActivity<State>
}

/** A command whose handler waits for what comes of it; `disallowed` is the rules' no, in histories of before `leavesRules`. */
interface Waiting {
  readonly message: CommandMessage
  outcome: CommandOutcome | 'disallowed' | null
}

/** Takes commands as updates. Those that wait for the lock are applied together by the first that gets it. */
export function handleCommands<State extends { version: number }, Kind extends string>(
  entity: Entity<State>,
  ref: Ref,
  { kinds, decide, activity, localActivity }: CommandRules<State, Kind>,
): void {
  let queue: Waiting[] = []
  /** A message can be sent by hand: then its kind may be none. */
  const allows = (state: State, message: CommandMessage): boolean => {
    const kind = kinds.find((each) => each === message.kind)
    return kind !== undefined && decide(state, kind) === null
  }

  const apply = async (messages: readonly CommandMessage[], version: number) => {
    const options = { summary: messages.map(({ kind }) => kind).join(', ') }
    const input = { ...ref, commandIds: messages.map(({ commandId }) => commandId), version }
    if (leavesRules()) {
      try {
        return await localActivity.executeWithOptions(options, [input])
      } catch (error) {
        // Whatever it did, the regular one finds done.
        if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error
      }
    }
    return activity.executeWithOptions(options, [input])
  }

  const applyQueue = async (state: State) => {
    if (!leavesRules())
      for (const each of queue) if (!allows(state, each.message)) each.outcome = 'disallowed'
    const batch = queue.filter((each) => each.outcome === null)
    const result: CommandsResult<State> =
      batch.length === 0
        ? { outcome: 'applied', state, outcomes: [] }
        : await apply(
            batch.map((each) => each.message),
            state.version,
          )
    if (result.outcome === 'applied') {
      for (const [index, each] of batch.entries()) each.outcome = result.outcomes[index] ?? null
    }
    queue = queue.filter((each) => each.outcome === null)
    return result
  }

  const run = async (message: CommandMessage): Promise<CommandOutcome> => {
    const waiting: Waiting = { message, outcome: null }
    queue.push(waiting)
    while (waiting.outcome === null) {
      await condition(() => waiting.outcome !== null || !entity.busy)
      if (waiting.outcome === null && !entity.busy) await entity.transition(applyQueue)
    }
    if (waiting.outcome === 'disallowed') throw ApplicationFailure.nonRetryable('not allowed now', REFUSED)
    return waiting.outcome
  }

  setHandler(command, run, {
    description: 'A command, named by the id of its row and its kind.',
    validator: (message) => {
      if (entity.draining) throw ApplicationFailure.nonRetryable('continuing as new', DRAINING)
      if (!isUuid(message.commandId)) throw ApplicationFailure.nonRetryable('commandId is no UUID', REFUSED)
      if (!allows(entity.state, message)) throw ApplicationFailure.nonRetryable('not allowed now', REFUSED)
    },
  })
}
