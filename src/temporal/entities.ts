/** What each kind of entity is made of: its queries, its rules, and how its workflow is named and started. */

import type { Client, WorkflowStartOptions } from '@temporalio/client'
import {
  type SignalDefinition,
  TypedSearchAttributes,
  WorkflowExecutionAlreadyStartedError,
} from '@temporalio/common'
import type * as workflows from '../../workflows/index.ts'
import type { EntityStart } from '../../workflows/messages.ts'
import { SEARCH_ATTRIBUTES } from '../../workflows/search-attributes.ts'
import { findDecidedIdentification } from '../db/cases/identification.ts'
import { findKybApplication } from '../db/cases/kyb-application.ts'
import {
  identificationSnapshot,
  kybSnapshot,
  readIdentificationSnapshot,
  readKybSnapshot,
} from '../db/cases/snapshot.ts'
import type { Database } from '../db/connection/database.ts'
import type { TransitionContext } from '../domain/decision/transition.ts'
import type { Commands, Entity, EntityRef, Snapshots } from '../domain/entity.ts'
import type { Problem } from '../domain/errors.ts'
import {
  decideIdentification,
  identificationStatus,
  isIdentificationEnded,
} from '../domain/identification/identification.ts'
import type { DecidedIdentification } from '../domain/identification/record.ts'
import { transitionIdentification } from '../domain/identification/transition.ts'
import { decideKyb, isKybEnded, kybWaitingOn } from '../domain/kyb/application.ts'
import type { KybApplication } from '../domain/kyb/record.ts'
import { transitionKyb } from '../domain/kyb/transition.ts'
import { TASK_QUEUES } from './client.ts'

/** All that is known of each kind of entity. */
export interface Records {
  kyb: KybApplication
  identification: DecidedIdentification
}

export type EntityWorkflow<State> = (start: EntityStart<State>) => Promise<void>

/** The names of the workflows that carry such a state. */
type WorkflowName<State> = {
  [N in keyof typeof workflows]: (typeof workflows)[N] extends EntityWorkflow<State> ? N : never
}[keyof typeof workflows]

interface EntityEntry<E extends Entity> {
  readonly workflowType: WorkflowName<Snapshots[E]>
  readonly title: string
  find(db: Database, vaultId: string, id: string): Promise<Records[E] | null>
  readSnapshot(db: Database, vaultId: string, id: string): Promise<Snapshots[E] | null>
  snapshotOf(record: Records[E]): Snapshots[E]
  /** Null when the state allows the command. */
  decide(state: Snapshots[E], kind: Commands[E]['kind']): Problem | null
  transition(
    record: Records[E],
    command: Commands[E],
    context: TransitionContext,
  ): { readonly record: Records[E] } | { readonly problems: readonly Problem[] }
  ended(state: Snapshots[E]): boolean
  /** The values of the search attributes that follow from the state. */
  status(state: Snapshots[E]): string
  waitingOn(state: Snapshots[E]): string
}

export const ENTITIES: { readonly [E in Entity]: EntityEntry<E> } = {
  kyb: {
    workflowType: 'kybApplication',
    title: 'KYB application',
    find: findKybApplication,
    readSnapshot: readKybSnapshot,
    snapshotOf: kybSnapshot,
    decide: decideKyb,
    transition: transitionKyb,
    ended: isKybEnded,
    status: (state) => state.status,
    waitingOn: kybWaitingOn,
  },
  identification: {
    workflowType: 'identification',
    title: 'Identification',
    find: findDecidedIdentification,
    readSnapshot: readIdentificationSnapshot,
    snapshotOf: identificationSnapshot,
    decide: decideIdentification,
    transition: transitionIdentification,
    ended: isIdentificationEnded,
    status: identificationStatus,
    waitingOn: (state) => state.waitingOn,
  },
}

export const workflowIdOf = ({ entity, id }: EntityRef): string => `${entity}-${id}`

/**
 * Started by whoever is first: a worker, after the creation, or a message. The state is the database's:
 * a message to a live entity brings back a workflow that was terminated or lost, one to an ended entity
 * does not. A start without a message never does, since nothing would correct a state that is old.
 */
export function startOptions<E extends Entity>(ref: EntityRef<E>, state: Snapshots[E], message: boolean) {
  const { title, ended, status, waitingOn } = ENTITIES[ref.entity]
  return {
    workflowId: workflowIdOf(ref),
    taskQueue: TASK_QUEUES.entities,
    // A worker that died amid a command is noticed then.
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

/** Starts the entity's workflow unless it is already there; an ended one stays ended. */
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

/** Sends a signal to the entity's workflow, which it starts when there is none; an ended one ignores it. */
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
