/**
 * Workflow: the shared part of all entity workflows.
 *
 * A workflow keeps a copy of its entity's state. The row in the database is authoritative, and only transitions change
 * it. A transition is an activity that receives the version of the copy. It writes only if the row has this version. In
 * either case, it returns the state of the row, which becomes the new copy. Transitions run one at a time. Three kinds
 * of message cause them:
 *
 * - a command (update) may be refused, and its sender receives the outcome. One transition applies all waiting commands;
 * - a fact (signal) is never refused;
 * - a resync (signal) reads the row again.
 *
 * Rules may change while workflows are open, but a replay must repeat the workflow's steps exactly. Therefore only
 * validators and queries apply rules, because a replay does not run them. Everything else depends only on the results
 * of activities.
 */
import {
  ActivityFailure,
  ApplicationFailure,
  allHandlersFinished,
  condition,
  isCancellation,
  setHandler,
  uuid4,
  workflowInfo,
} from '@temporalio/workflow'
import type { Problem } from '../src/domain/base/errors.ts'
import { isUuid } from '../src/domain/base/uuid.ts'
import type { Ref } from '../src/domain/entity/entity.ts'
import type { CommandsInput, CommandsResult, FactInput, Transition } from './activities.ts'
import {
  type CommandMessage,
  type CommandOutcome,
  command,
  DRAINING,
  type EntityStart,
  fact,
  kindOf,
  REFUSED,
  resync,
  state as stateQuery,
} from './messages.ts'
import { createShow, type Shown } from './show.ts'

/**
 * The length of a history with about twenty commands. A worker that takes over a workflow replays its history. In a new
 * process, this takes ten milliseconds of CPU time for each command.
 */
const LONG_HISTORY = 120

interface Activity<Input, Result> {
  executeWithOptions(options: { summary: string }, args: [Input]): Promise<Result>
}

interface Held {
  readonly version: number
  /** Whether the entity has ended, according to the rules that applied when this state was written. */
  readonly ended: boolean
}

/** The part that differs between applications and identifications. */
interface Definition<State, Kind extends string> {
  readonly kinds: readonly Kind[]
  /** Returns null if the state allows the command. */
  decide(state: State, kind: Kind): Problem | null
  readonly applyCommands: Activity<CommandsInput, CommandsResult<State>>
  /** The same activity, run within the workflow task. */
  readonly applyCommandsLocally: Activity<CommandsInput, CommandsResult<State>>
  readonly applyFact: Activity<FactInput, Transition<State>>
  readonly factDescription: string
  load(ref: Ref): Promise<Transition<State>>
  describe(state: State): Omit<Shown, 'vault'>
  /** Called with each new state. */
  readonly onState?: (state: State) => void
}

/** A command whose handler waits for its outcome. */
interface Waiting {
  readonly message: CommandMessage
  outcome: CommandOutcome | null
}

/** Everything that changes while the workflow runs. */
interface Memory<State> {
  /** The result of the last transition. */
  state: State
  /** Commands for the next transition, in the order of their arrival. */
  waiting: readonly Waiting[]
  isTransitionRunning: boolean
  /**
   * True while the workflow prepares to continue as new. It then finishes its handlers and accepts no more commands.
   */
  isDraining: boolean
}

export interface OpenEntity<State> {
  readonly state: State
  /** Waits until the entity has ended or the history is long, and then until every handler has finished. */
  endOrContinue(): Promise<'ended' | 'continue'>
}

/** Keeps the state of the entity and handles its messages. */
export function openEntity<State extends Held, Kind extends string>(
  { id, vaultId, state: startState }: EntityStart<State>,
  definition: Definition<State, Kind>,
): OpenEntity<State> {
  const ref = { id, vaultId }
  const show = createShow()
  const memory: Memory<State> = {
    state: startState,
    waiting: [],
    isTransitionRunning: false,
    isDraining: false,
  }

  function hold(state: State): void {
    memory.state = state
    definition.onState?.(state)
    show({ ...definition.describe(state), vault: vaultId })
  }

  /**
   * Runs the transition once no other transition is running, and repeats it while the copy of the state is outdated.
   */
  async function transition(run: (state: State) => Promise<Transition<State>>): Promise<void> {
    // Loops, because several handlers wake at the same time and only one of them may begin.
    while (memory.isTransitionRunning) await condition(() => !memory.isTransitionRunning)
    memory.isTransitionRunning = true
    try {
      for (;;) {
        const { outcome, state } = await run(memory.state)
        if (state !== null) hold(state)
        if (outcome === 'applied') return
      }
    } finally {
      memory.isTransitionRunning = false
    }
  }

  function refuse(message: CommandMessage): void {
    const no = (text: string, type: string) => {
      throw ApplicationFailure.nonRetryable(text, type)
    }
    if (memory.isDraining) no('continuing as new', DRAINING)
    if (!isUuid(message.commandId)) no('commandId is not a UUID', REFUSED)
    // People can send messages of any kind by hand.
    const kind = definition.kinds.find((each) => each === message.kind)
    if (kind === undefined || definition.decide(memory.state, kind) !== null) no('not allowed now', REFUSED)
  }

  async function handleCommand(message: CommandMessage): Promise<CommandOutcome> {
    const own: Waiting = { message, outcome: null }
    memory.waiting = [...memory.waiting, own]
    while (own.outcome === null) {
      await condition(() => own.outcome !== null || !memory.isTransitionRunning)
      if (own.outcome === null && !memory.isTransitionRunning) await transition(applyWaiting)
    }
    return own.outcome
  }

  async function applyWaiting({ version }: State): Promise<Transition<State>> {
    const batch = memory.waiting
    const summary = batch.map(({ message }) => message.kind).join(', ')
    const commandIds = batch.map(({ message }) => message.commandId)
    const result = await applyCommands(summary, { ...ref, commandIds, version })
    if (result.outcome === 'applied') {
      for (const [index, each] of batch.entries()) each.outcome = result.outcomes[index] ?? null
      memory.waiting = memory.waiting.filter(({ outcome }) => outcome === null)
    }
    return result
  }

  async function applyCommands(summary: string, input: CommandsInput): Promise<CommandsResult<State>> {
    try {
      return await definition.applyCommandsLocally.executeWithOptions({ summary }, [input])
    } catch (error) {
      if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error
    }
    // The database does not apply commands twice, so a local activity that failed after its commit is harmless.
    return definition.applyCommands.executeWithOptions({ summary }, [input])
  }

  function handleFact(message: unknown): Promise<void> {
    const malformedId = uuid4()
    return transition(({ version }) =>
      definition.applyFact.executeWithOptions({ summary: kindOf(message) }, [
        { ...ref, fact: message, malformedId, version },
      ]),
    )
  }

  setHandler(command, handleCommand, {
    validator: refuse,
    description:
      'Changes the entity or is refused. The table "commands" holds the change. Only the API sends this update.',
  })
  setHandler(fact, handleFact, { description: definition.factDescription })
  setHandler(resync, () => transition(() => definition.load(ref)), {
    description: 'Reads the state of the entity from the database again. You can send it at any time.',
  })
  setHandler(stateQuery, () => memory.state, {
    description: 'State of the workflow after the last transition.',
  })
  hold(startState)

  return {
    get state() {
      return memory.state
    },
    async endOrContinue() {
      await condition(() => memory.state.ended || isHistoryLong())
      memory.isDraining = !memory.state.ended
      await condition(allHandlersFinished)
      return memory.state.ended ? 'ended' : 'continue'
    },
  }
}

function isHistoryLong(): boolean {
  const { historyLength, continueAsNewSuggested } = workflowInfo()
  return continueAsNewSuggested || historyLength > LONG_HISTORY
}
