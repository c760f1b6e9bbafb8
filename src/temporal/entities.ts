/** Maps each kind of entity to its queries, rules and workflow, and starts and signals the workflows. */

import type { Client, WorkflowStartOptions } from '@temporalio/client'
import {
  type SignalDefinition,
  TypedSearchAttributes,
  WorkflowExecutionAlreadyStartedError,
} from '@temporalio/common'
import type * as workflows from '../../workflows/index.ts'
import type { EntityStart } from '../../workflows/messages.ts'
import { SEARCH_ATTRIBUTES } from '../../workflows/search-attributes.ts'
import { findDecidedIdentification, getIdentificationForUpdate } from '../db/cases/identification.ts'
import { findKybApplication, getKybApplicationForUpdate } from '../db/cases/kyb-application.ts'
import {
  identificationSnapshot,
  kybSnapshot,
  readIdentificationSnapshot,
  readKybSnapshot,
} from '../db/cases/snapshot.ts'
import type { Database } from '../db/connection/database.ts'
import type { Entity, EntityRef, Snapshots } from '../domain/entity/entity.ts'
import { type Records, RULES, type Rules } from '../domain/entity/rules.ts'
import { TASK_QUEUES } from './client.ts'

export type EntityWorkflow<State> = (start: EntityStart<State>) => Promise<void>

/** The names of the workflows whose state has this type. */
type WorkflowName<State> = {
  [N in keyof typeof workflows]: (typeof workflows)[N] extends EntityWorkflow<State> ? N : never
}[keyof typeof workflows]

interface EntityEntry<E extends Entity> extends Rules<E> {
  readonly workflowType: WorkflowName<Snapshots[E]>
  readonly title: string
  find(db: Database, vaultId: string, id: string): Promise<Records[E] | null>
  /** Returns the same as `find`, and locks the row until the transaction ends. */
  lock(tx: Database, vaultId: string, id: string): Promise<Records[E] | null>
  readSnapshot(db: Database, vaultId: string, id: string): Promise<Snapshots[E] | null>
  snapshotOf(record: Records[E]): Snapshots[E]
}

export const ENTITIES: { readonly [E in Entity]: EntityEntry<E> } = {
  kyb: {
    ...RULES.kyb,
    workflowType: 'kybApplication',
    title: 'KYB application',
    find: findKybApplication,
    lock: getKybApplicationForUpdate,
    readSnapshot: readKybSnapshot,
    snapshotOf: kybSnapshot,
  },
  identification: {
    ...RULES.identification,
    workflowType: 'identification',
    title: 'Identification',
    find: findDecidedIdentification,
    lock: getIdentificationForUpdate,
    readSnapshot: readIdentificationSnapshot,
    snapshotOf: identificationSnapshot,
  },
}

export const attributesOf = ({ entity, id, vaultId }: EntityRef) => ({
  'gatehouse.entity': entity,
  'gatehouse.entity.id': id,
  'gatehouse.vault.id': vaultId,
})

export const workflowIdOf = ({ entity, id }: Pick<EntityRef, 'entity' | 'id'>): string => `${entity}-${id}`

/**
 * Returns the options for starting a workflow from the state in the database. A worker or the first message starts the
 * workflow. A message also restores a workflow that was terminated or lost, unless the entity has ended. A start
 * without a message never restores a workflow, because nothing would correct an outdated state.
 */
export function startOptions<E extends Entity>(ref: EntityRef<E>, state: Snapshots[E], message: boolean) {
  const { title, ended, status, waitingOn } = ENTITIES[ref.entity]
  return {
    workflowId: workflowIdOf(ref),
    taskQueue: TASK_QUEUES.entities,
    // The time after which Temporal notices that a worker has died during a command.
    workflowTaskTimeout: '6 seconds',
    args: [{ id: ref.id, vaultId: ref.vaultId, state }],
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: message && !ended(state) ? 'ALLOW_DUPLICATE' : 'REJECT_DUPLICATE',
    staticSummary: `${title} ${ref.id}`,
    typedSearchAttributes: new TypedSearchAttributes([
      { key: SEARCH_ATTRIBUTES.vault, value: ref.vaultId },
      { key: SEARCH_ATTRIBUTES.kind, value: ref.entity },
      { key: SEARCH_ATTRIBUTES.status, value: status(state) },
      { key: SEARCH_ATTRIBUTES.waitingOn, value: waitingOn(state) },
    ]),
  } satisfies WorkflowStartOptions<EntityWorkflow<Snapshots[E]>>
}

/** Starts the workflow of an entity, unless the workflow exists. Does not start an ended workflow again. */
export async function startEntity<E extends Entity>(
  temporal: Client,
  ref: EntityRef<E>,
  state: Snapshots[E],
): Promise<void> {
  const { workflowType } = ENTITIES[ref.entity]
  try {
    await temporal.workflow.start<EntityWorkflow<Snapshots[E]>>(workflowType, {
      ...startOptions(ref, state, false),
      requestEagerStart: true,
    })
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error
  }
}

/**
 * Sends a signal to the workflow of an entity. If there is no workflow, starts it first. An ended workflow ignores the
 * signal.
 */
export async function signalEntity<E extends Entity, Args extends unknown[]>(
  temporal: Client,
  ref: EntityRef<E>,
  state: Snapshots[E],
  signal: SignalDefinition<Args>,
  ...signalArgs: Args
): Promise<void> {
  const { workflowType } = ENTITIES[ref.entity]
  try {
    await temporal.workflow.signalWithStart<EntityWorkflow<Snapshots[E]>, unknown[]>(workflowType, {
      ...startOptions(ref, state, true),
      signal: signal.name,
      signalArgs,
    })
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error
  }
}
