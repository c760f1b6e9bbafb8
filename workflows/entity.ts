/**
 * What the workflows of all entities have in common: one lock under which transitions happen one after the
 * other, the version check, and continue-as-new without losing a message.
 */
import {
  ApplicationFailure,
  allHandlersFinished,
  condition,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow'
import type { Problem } from '../src/domain/errors.ts'
import type { CommandsResult } from './activities.ts'
import {
  type CommandMessage,
  type CommandOutcome,
  command,
  DRAINING,
  REFUSED,
  state as stateQuery,
} from './messages.ts'

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
    await condition(() => ended(this.state) || workflowInfo().continueAsNewSuggested)
    this.draining = !ended(this.state)
    await condition(allHandlersFinished)
    return ended(this.state) ? 'ended' : 'continue'
  }
}

interface CommandRules<State, Kind extends string> {
  readonly kinds: readonly Kind[]
  decide(state: State, kind: Kind): Problem | null
  /** Runs the activity that applies the commands, if the row still has the version of this state. */
  apply(messages: readonly CommandMessage[], state: State): Promise<CommandsResult<State>>
}

/** A command whose handler waits for what comes of it; `disallowed` is the rules' no. */
interface Waiting {
  readonly message: CommandMessage
  outcome: CommandOutcome | 'disallowed' | null
}

/**
 * Takes commands as updates. Those that wait for the lock are applied together by the first that gets it.
 * The rules are asked twice, since earlier handlers may still be at work when the validator runs.
 */
export function handleCommands<State, Kind extends string>(
  entity: Entity<State>,
  { kinds, decide, apply }: CommandRules<State, Kind>,
): void {
  let queue: Waiting[] = []
  /** A message can be sent by hand: then its kind may be none. */
  const allows = (state: State, message: CommandMessage): boolean => {
    const kind = kinds.find((each) => each === message.kind)
    return kind !== undefined && decide(state, kind) === null
  }

  const applyQueue = async (state: State) => {
    for (const each of queue) if (!allows(state, each.message)) each.outcome = 'disallowed'
    const batch = queue.filter((each) => each.outcome === null)
    const result: CommandsResult<State> =
      batch.length === 0
        ? { outcome: 'applied', state, outcomes: [] }
        : await apply(
            batch.map((each) => each.message),
            state,
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
      if (!allows(entity.state, message)) throw ApplicationFailure.nonRetryable('not allowed now', REFUSED)
    },
  })
}
