/**
 * The way of a command to its workflow and back: a row and an update, then one final answer within the
 * deadline.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Client,
  isGrpcServiceError,
  ServiceError,
  WithStartWorkflowOperation,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client'
import {
  ApplicationFailure,
  NamespaceNotFoundError,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
} from '@temporalio/common'
import { v7 as newId } from 'uuid'
import {
  type CommandOutcome,
  command as commandUpdate,
  editLock,
  REFUSED,
  resync,
} from '../../workflows/messages.ts'
import {
  type AppliedCommand,
  acknowledgeCommands,
  findAppliedCommand,
  insertCommand,
  type NewCommand,
  withdrawCommand,
} from '../db/cases/command.ts'
import type { Database } from '../db/connection/database.ts'
import { staleness } from '../domain/decision/decision.ts'
import type { Commands, Entity, EntityRef, Snapshots } from '../domain/entity.ts'
import { type Problem, RequestRefused } from '../domain/errors.ts'
import { createKeyedLimit } from '../process/keyed-limit.ts'
import { type Logger, throttled } from '../process/log.ts'
import { createAdmission } from './admission.ts'
import { ENTITIES, type EntityWorkflow, signalEntity, startOptions, workflowIdOf } from './entities.ts'

/** From when something was asked for: the answer waits no longer for a workflow. */
export const DEADLINE_MS = 4_000
/** For each workflow; with several processes the server's own limit is higher (docker-compose.yml). */
const MAX_IN_FLIGHT = 8
/** Of all workflows: more would wait in Temporal, where also what nobody waits for any more takes its time. */
const MAX_IN_TEMPORAL = 24
const PAUSE_MS = 100
/** The answer comes within 5 s. */
const WITHDRAWAL_MS = 800
/** Temporal is away, busy or refuses, or the workflow went away in between: the same update is sent again. */
const AGAIN = [
  WorkflowUpdateRPCTimeoutOrCancelledError,
  WorkflowNotFoundError,
  NamespaceNotFoundError,
  ServiceError,
]
/** gRPC's numbers of what ends by itself: cancelled, unknown, too late, too many, no worker, aborted, internal, unavailable. */
const PASSING = [1, 2, 4, 8, 9, 10, 13, 14]

/** The command's id is the same when the request that asks for it is run again. */
interface CommandRequest<E extends Entity> extends NewCommand<E> {
  /** The entity's, as it was read just now; the command was found to be allowed by it. */
  readonly state: Snapshots[E]
  /** When it was asked for, by `performance.now()`. */
  readonly since: number
}

export interface Gateway {
  /**
   * Returns when the command is applied and durable. Throws RequestRefused with the reasons against it, or
   * with `service_unavailable` when it was not applied in time: then it never will be. What is asked is sealed
   * in the command's row: nothing of it but its kind reaches a history.
   */
  run<E extends Entity>(request: CommandRequest<E>): Promise<void>
  /** The command of an earlier run of the same request. Null when it was not applied: then it never will be. */
  earlier<E extends Entity>(target: EntityRef<E>, id: string): Promise<AppliedCommand<E> | null>
  /** Null while the application may be edited. Throws RequestRefused when its workflow does not answer. */
  editLock(target: EntityRef<'kyb'>, state: Snapshots['kyb']): Promise<Problem | null>
}

interface GatewayOptions {
  readonly db: Database
  readonly temporal: Client
  readonly log: Logger
  readonly deadlineMs: number
}

export function createGateway({ db, temporal, log, deadlineMs }: GatewayOptions): Gateway {
  const sayReason = throttled((reason) =>
    log.error({ reason }, 'Temporal refuses commands: is this its namespace, as setup-temporal sets it up?'),
  )
  function sayRefusal(error: unknown): void {
    const reason = refusalIn(error)
    if (reason !== null) sayReason(reason)
  }
  const inFlight = createKeyedLimit(MAX_IN_FLIGHT)
  const admitted = createAdmission(MAX_IN_TEMPORAL)
  const heard = createHearing(db)

  async function send<E extends Entity>(
    request: CommandRequest<E>,
    deadline: number,
  ): Promise<CommandOutcome> {
    const { target, command, id: commandId } = request
    const { kind } = command
    const sendingId = newId()
    const { workflowType } = ENTITIES[target.entity]
    let state: Snapshots[E] | null = request.state
    for (let resyncs = 0; Date.now() < deadline; state = await readState(target)) {
      if (!state) return refusedBy(NOT_FOUND)
      const started = state
      try {
        return await temporal.withDeadline(deadline, () =>
          temporal.workflow.executeUpdateWithStart(commandUpdate, {
            args: [{ commandId, kind }],
            // A run answers an update id once, so what was refused or withdrawn is sent again under another.
            updateId: `${sendingId}-${resyncs}`,
            startWorkflowOperation: new WithStartWorkflowOperation<EntityWorkflow<Snapshots[E]>>(
              workflowType,
              startOptions(target, started, true),
            ),
          }),
        )
      } catch (error) {
        const outcome = await outcomeOf(error, target, command)
        if (outcome === 'resynced') resyncs += 1
        else if (outcome) return outcome
        await sleep(PAUSE_MS)
      }
    }
    return WITHDRAWN
  }

  /** What a failed update means, or null when it should be sent again. */
  async function outcomeOf<E extends Entity>(
    error: unknown,
    target: EntityRef<E>,
    command: Commands[E],
  ): Promise<CommandOutcome | 'resynced' | null> {
    const refused =
      error instanceof WorkflowUpdateFailedError &&
      error.cause instanceof ApplicationFailure &&
      error.cause.type === REFUSED
    // The database holds the last word. When it allows what the workflow refused, the workflow is behind.
    if (refused || error instanceof WorkflowExecutionAlreadyStartedError) {
      const state = await readState(target)
      const problem = state
        ? (staleness(command, state) ?? ENTITIES[target.entity].decide(state, command.kind))
        : NOT_FOUND
      if (!state || problem) return refusedBy(problem ?? NOT_FOUND)
      if (!refused) return null
      await signalEntity(temporal, target, state, resync)
      return 'resynced'
    }
    if (error instanceof WorkflowUpdateFailedError) return null
    sayRefusal(error)
    if (AGAIN.some((type) => error instanceof type) || isGrpcServiceError(error)) return null
    throw error
  }

  /** What the database says is final, so it is asked again when it does not answer at once. */
  async function withdraw(commandId: string): Promise<'withdrawn' | 'applied'> {
    for (const until = Date.now() + WITHDRAWAL_MS; ; ) {
      try {
        return await withdrawCommand(db, commandId)
      } catch (error) {
        if (Date.now() > until) throw error
        await sleep(PAUSE_MS)
      }
    }
  }

  const readState = <E extends Entity>({ entity, vaultId, id }: EntityRef<E>): Promise<Snapshots[E] | null> =>
    ENTITIES[entity].readSnapshot(db, vaultId, id)

  return {
    async run(request) {
      const { id, target } = request
      const deadline = Date.now() + deadlineMs - (performance.now() - request.since)
      await insertCommand(db, request, deadline - Date.now())
      const sent = inFlight(workflowIdOf(target), () => admitted(deadline, () => send(request, deadline)))
      // The client of Temporal pauses between its tries, whatever the deadline.
      const late = sleep(deadline - Date.now(), WITHDRAWN, { ref: false })
      const { result, error } = await Promise.race([sent, late])
        .then((outcome) => ({ result: outcome ?? WITHDRAWN, error: null }))
        .catch((thrown: unknown) => ({ result: WITHDRAWN, error: thrown }))
      if (result.outcome === 'applied') return heard(id)
      if ((await withdraw(id)) === 'applied') return
      if (error) throw error
      if (result.outcome === 'refused') throw new RequestRefused(...result.problems)
      if (result.outcome === 'withdrawn') throw new RequestRefused(NOT_APPLIED)
    },

    async earlier(target, id) {
      return (await withdraw(id)) === 'withdrawn' ? null : findAppliedCommand(db, target, id)
    },

    async editLock(target, state) {
      try {
        return await temporal.withDeadline(Date.now() + deadlineMs, () =>
          temporal.workflow.getHandle(workflowIdOf(target)).query(editLock),
        )
      } catch (error) {
        // Not started yet: then nothing has happened that the row does not say.
        if (error instanceof WorkflowNotFoundError) {
          return ENTITIES.kyb.decide(state, 'attach')
        }
        sayRefusal(error)
        throw new RequestRefused(NOT_APPLIED)
      }
    },
  }
}

/** gRPC's number and Temporal's words: what it refuses as it would refuse it again, which callers are told of as if it were away. */
function refusalIn(error: unknown): string | null {
  for (let e = error; e instanceof Error; e = e.cause) {
    if (e instanceof NamespaceNotFoundError) return `there is no namespace ${e.namespace}`
    if (isGrpcServiceError(e)) return PASSING.includes(e.code) ? null : `${e.code}: ${e.details}`
  }
  return null
}

const NOT_APPLIED: Problem = {
  code: 'service_unavailable',
  message: 'The service is temporarily unavailable. Nothing was changed: send the request again shortly.',
}
const WITHDRAWN: CommandOutcome = { outcome: 'withdrawn' }
const NOT_FOUND: Problem = { code: 'not_found' }

const refusedBy = (problem: Problem): CommandOutcome => ({ outcome: 'refused', problems: [problem] })

/** Marks commands of which the workflow knows, those of a second together: nobody waits for it. */
function createHearing(db: Database) {
  let ids: string[] = []
  return (id: string): void => {
    if (ids.push(id) > 1) return
    setTimeout(() => {
      // What stays is looked after by housekeeping.
      acknowledgeCommands(db, ids).catch(() => {})
      ids = []
    }, 1_000).unref()
  }
}
