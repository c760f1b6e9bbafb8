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
import {
  type ApplyResult,
  type CommandMessage,
  type CommandOutcome,
  command,
  DRAINING,
  REFUSED,
} from './messages.ts'

export class Entity<State> {
  state: State
  draining = false
  private busy = false
  private readonly show: (state: State) => void

  /** `show` brings the state to the Temporal UI, now and after every transition. */
  constructor(state: State, show: (state: State) => void) {
    this.state = state
    this.show = show
    show(state)
  }

  /**
   * Runs `attempt` alone and adopts the state it leaves. While the database has another version than the
   * state that `attempt` was given, it is tried again with the state of the database.
   */
  async transition(attempt: (state: State) => Promise<ApplyResult<State>>): Promise<ApplyResult<State>> {
    // A loop, because several waiters wake at once and only one of them finds the lock free.
    while (this.busy) await condition(() => !this.busy)
    this.busy = true
    try {
      for (;;) {
        const result = await attempt(this.state)
        if (result.outcome === 'withdrawn') return result
        this.state = result.state
        this.show(result.state)
        if (result.outcome !== 'stale') return result
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

export interface CommandRules<State, Kind extends string> {
  decide(state: State, kind: Kind): Problem | null
  /** Runs the activity that applies the command, if the row still has the version of this state. */
  apply(message: CommandMessage, state: State): Promise<ApplyResult<State>>
}

/** Takes commands as updates. The rules are asked twice, since earlier handlers may still be at work. */
export function handleCommands<State, Kind extends string>(
  entity: Entity<State>,
  { decide, apply }: CommandRules<State, Kind>,
): void {
  const refuse = (state: State, kind: string) => {
    const problem = decide(state, kind as Kind)
    if (problem) throw ApplicationFailure.nonRetryable(problem.code, REFUSED)
  }
  const run = async (message: CommandMessage): Promise<CommandOutcome> => {
    const result = await entity.transition((state) => {
      refuse(state, message.kind)
      return apply(message, state)
    })
    return result.outcome === 'refused'
      ? { outcome: 'refused', problems: result.problems }
      : { outcome: result.outcome === 'applied' ? 'applied' : 'withdrawn' }
  }
  setHandler(command, run, {
    description: 'A command, named by the id of its row and its kind.',
    validator: ({ kind }) => {
      if (entity.draining) throw ApplicationFailure.nonRetryable('continuing as new', DRAINING)
      refuse(entity.state, kind)
    },
  })
}
