/**
 * Sends commands to their workflows, and returns the outcome within a deadline.
 * `run` first waits for a slot, because the number of updates in progress is limited. Vaults and their callers share
 * the slots. It then inserts the command as a row, and sends the workflow an update that refers to the row. It repeats
 * the update while Temporal is unavailable or the workflow's state is outdated. At the deadline, it deletes the row to
 * withdraw a command that has not been applied. The deletion waits for a transaction that is applying the command, so a
 * deleted command is never applied.
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
} from '../db/commands/command.ts'
import { type Database, withSpan } from '../db/connection/database.ts'
import { type Problem, RequestRefused } from '../domain/base/errors.ts'
import { findVersionProblem } from '../domain/decision/decision.ts'
import type { Commands, Entity, EntityRef, Snapshots } from '../domain/entity/entity.ts'
import { type Logger, throttled } from '../process/log.ts'
import { inSpan, type Span } from '../process/span.ts'
import { createAdmission } from './admission.ts'
import { ENTITIES, type EntityWorkflow, signalEntity, startOptions, workflowIdOf } from './entities.ts'

/** How long a request waits for a workflow. */
export const DEADLINE_MS = 4_000
/**
 * The maximum number of updates in progress per workflow. The limit of the server is higher, because several processes
 * share it (docker-compose.yml).
 */
const MAX_OF_WORKFLOW = 8
/**
 * The maximum number of updates in progress for all workflows. More updates would wait in Temporal, which also
 * processes updates that are too late.
 */
const MAX_IN_TEMPORAL = 24
/** The maximum number of updates in progress per vault. A busy vault leaves a third of the slots to the others. */
const MAX_OF_VAULT = 16
/**
 * The maximum number of dry runs in progress. The remaining connections to PostgreSQL serve reads and commands that are
 * in Temporal.
 */
const MAX_DRY_RUNS = 8
const PAUSE_MS = 100
/** The time limit for a withdrawal. It keeps the response time below 5 s in total. */
const WITHDRAWAL_MS = 800
/**
 * Errors after which the same update is sent again: Temporal is unavailable, overloaded or refuses the update, or the
 * workflow has just ended.
 */
const RETRYABLE = [
  WorkflowUpdateRPCTimeoutOrCancelledError,
  WorkflowNotFoundError,
  NamespaceNotFoundError,
  ServiceError,
]
/**
 * The gRPC codes of temporary failures: cancelled, unknown, deadline exceeded, resources exhausted, no worker, aborted,
 * internal and unavailable.
 */
const TEMPORARY_CODES = [1, 2, 4, 8, 9, 10, 13, 14]

/** A command to send. Its ID remains the same if the request is repeated. */
interface CommandRequest<E extends Entity> extends NewCommand<E>, Begun {
  /** The latest known state of the entity, which allows the command. */
  readonly state: Snapshots[E]
  /** The span of the command, which the command's row stores. */
  readonly span: Span
}

interface Begun {
  /** When the request began, as a time of `performance.now()`. */
  readonly since: number
}

export interface Gateway {
  /**
   * Calls `work` once the caller has a slot. `work` reads the entity and tries a command on it. Throws RequestRefused
   * with `service_unavailable` if the deadline passes before that.
   */
  dryRun<T>(request: Pick<NewCommand<Entity>, 'target' | 'actor'> & Begun, work: () => Promise<T>): Promise<T>
  /**
   * Waits until the command is applied and durable. Throws RequestRefused with the problems, or with
   * `service_unavailable` if the command was not applied in time. In that case, it is never applied. Histories contain
   * only the kind of the command.
   */
  run<E extends Entity>(request: CommandRequest<E>): Promise<void>
  /**
   * Returns the command that an earlier run of the request sent. Returns null if that command was not applied. In that
   * case, it is never applied.
   */
  earlier<E extends Entity>(target: EntityRef<E>, id: string): Promise<AppliedCommand<E> | null>
  /**
   * Returns the problem that prevents edits of the application, or null if it can be edited. Throws RequestRefused if
   * the workflow does not respond.
   */
  editLock(target: EntityRef<'kyb'>, state: Snapshots['kyb']): Promise<Problem | null>
}

interface GatewayOptions {
  readonly db: Database
  readonly temporal: Client
  readonly log: Logger
  readonly deadlineMs: number
}

export function createGateway({ db, temporal, log, deadlineMs }: GatewayOptions): Gateway {
  const admitDryRun = createAdmission({ maxConcurrent: MAX_DRY_RUNS, maxPerWorkflow: MAX_DRY_RUNS })
  const admit = createAdmission({
    maxConcurrent: MAX_IN_TEMPORAL,
    maxPerVault: MAX_OF_VAULT,
    maxPerWorkflow: MAX_OF_WORKFLOW,
  })
  const acknowledge = createAcknowledging(db)
  const logReason = throttled((reason) =>
    log.error({ reason }, 'Temporal refuses commands; check the namespace and run setup-temporal'),
  )
  function logRefusal(error: unknown): void {
    const reason = refusalIn(error)
    if (reason !== null) logReason(reason)
  }

  const candidateOf = ({
    target,
    actor,
    since,
  }: Pick<CommandRequest<Entity>, 'target' | 'actor' | 'since'>) => ({
    vaultId: target.vaultId,
    caller: actor,
    workflowId: workflowIdOf(target),
    until: Date.now() + deadlineMs - (performance.now() - since),
  })

  async function run<E extends Entity>(request: CommandRequest<E>): Promise<void> {
    const { id, span } = request
    const candidate = candidateOf(request)
    const deadline = candidate.until
    let isSent = false
    let isLate = false
    const waiting = span.start('wait for a slot')
    const sent = admit(candidate, async () => {
      if (isLate) return WITHDRAWN
      isSent = true
      waiting.end()
      await insertCommand(withSpan(db, span), request, deadline - Date.now())
      return send(request, deadline)
    })
    // Stops waiting at the deadline, because Temporal's client ignores the deadline while it pauses between attempts.
    const late = sleep(deadline - Date.now(), WITHDRAWN, { ref: false })
    const { result, error } = await Promise.race([sent, late])
      .then((outcome) => ({ result: outcome ?? WITHDRAWN, error: null }))
      .catch((thrown: unknown) => ({ result: WITHDRAWN, error: thrown }))
    if (result.outcome === 'applied') return acknowledge(id)
    isLate = true
    if (!isSent) waiting.end()
    if (isSent && (await withdraw(id)) === 'applied') return
    if (error) throw error
    if (result.outcome === 'refused') throw new RequestRefused(...result.problems)
    throw new RequestRefused(NOT_APPLIED)
  }

  /** Sends the update until it has an outcome or the deadline has passed. */
  async function send<E extends Entity>(request: CommandRequest<E>, deadline: number) {
    const { target, command, id: commandId } = request
    const { kind } = command
    const update = { kind: 'producer', attributes: { 'temporal.workflow.id': workflowIdOf(target) } } as const
    const sendingId = newId()
    let resyncs = 0
    const { workflowType } = ENTITIES[target.entity]
    let state: Snapshots[E] | null = request.state
    for (; Date.now() < deadline; state = await readState(target)) {
      if (!state) return refusedBy(NOT_FOUND)
      const started = state
      try {
        return await inSpan(request.span, 'update', update, () =>
          temporal.withDeadline(deadline, () =>
            temporal.workflow.executeUpdateWithStart(commandUpdate, {
              args: [{ commandId, kind }],
              // A workflow run accepts each update ID only once, so a refused update needs a new ID when it is sent
              // again.
              updateId: `${sendingId}-${resyncs}`,
              startWorkflowOperation: new WithStartWorkflowOperation<EntityWorkflow<Snapshots[E]>>(
                workflowType,
                startOptions(target, started, true),
              ),
            }),
          ),
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

  /** Returns the outcome of a failed update, or null if the update must be sent again. */
  async function outcomeOf<E extends Entity>(error: unknown, target: EntityRef<E>, command: Commands[E]) {
    const refused =
      error instanceof WorkflowUpdateFailedError &&
      error.cause instanceof ApplicationFailure &&
      error.cause.type === REFUSED
    // The row in the database is authoritative. If the row allows the command, the workflow's state is outdated.
    if (refused || error instanceof WorkflowExecutionAlreadyStartedError) {
      const state = await readState(target)
      const problem = state
        ? (findVersionProblem(command, state) ?? ENTITIES[target.entity].decide(state, command.kind))
        : NOT_FOUND
      if (!state || problem) return refusedBy(problem ?? NOT_FOUND)
      if (!refused) return null
      await signalEntity(temporal, target, state, resync)
      return 'resynced'
    }
    if (error instanceof WorkflowUpdateFailedError) return null
    logRefusal(error)
    if (RETRYABLE.some((type) => error instanceof type) || isGrpcServiceError(error)) return null
    throw error
  }

  /**
   * Withdraws a command. Retries while the database does not respond, because only its rows show whether the command
   * was applied.
   */
  async function withdraw(commandId: string): Promise<'withdrawn' | 'applied'> {
    for (const until = performance.now() + WITHDRAWAL_MS; ; ) {
      try {
        return await withdrawCommand(db, commandId)
      } catch (error) {
        if (performance.now() > until) throw error
        await sleep(PAUSE_MS)
      }
    }
  }

  const readState = <E extends Entity>({ entity, vaultId, id }: EntityRef<E>): Promise<Snapshots[E] | null> =>
    ENTITIES[entity].readSnapshot(db, vaultId, id)

  return {
    run,

    async dryRun(request, work) {
      const candidate = candidateOf(request)
      const done = admitDryRun(candidate, async () => ({ result: await work() }))
      const late = sleep(candidate.until - Date.now(), null, { ref: false })
      const outcome = await Promise.race([done, late])
      if (!outcome) throw new RequestRefused(NOT_APPLIED)
      return outcome.result
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
        // The workflow has not started, so the row is up to date.
        if (error instanceof WorkflowNotFoundError) return ENTITIES.kyb.decide(state, 'attach')
        logRefusal(error)
        throw new RequestRefused(NOT_APPLIED)
      }
    },
  }
}

/** Returns the code and the text of a permanent refusal, or null. Callers get the same response as during an outage. */
function refusalIn(error: unknown): string | null {
  for (let e = error; e instanceof Error; e = e.cause) {
    if (e instanceof NamespaceNotFoundError) return `the namespace ${e.namespace} does not exist`
    if (isGrpcServiceError(e)) return TEMPORARY_CODES.includes(e.code) ? null : `${e.code}: ${e.details}`
  }
  return null
}

const NOT_APPLIED: Problem = {
  code: 'service_unavailable',
  message:
    'The service is temporarily unavailable. Nothing was changed. Retry after the number of seconds in Retry-After.',
}
const WITHDRAWN: CommandOutcome = { outcome: 'withdrawn' }
const NOT_FOUND: Problem = { code: 'not_found' }

const refusedBy = (problem: Problem): CommandOutcome => ({ outcome: 'refused', problems: [problem] })

/**
 * Acknowledges commands in batches of one second, because no caller waits for this. Housekeeping repeats failed
 * batches.
 */
function createAcknowledging(db: Database) {
  let ids: string[] = []
  return (id: string): void => {
    if (ids.push(id) > 1) return
    setTimeout(() => {
      acknowledgeCommands(db, ids).catch(() => {})
      ids = []
    }, 1_000).unref()
  }
}
