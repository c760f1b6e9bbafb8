/** How the workflow of each kind of entity is named, found and started. */
import type { Client, WorkflowStartOptions } from '@temporalio/client'
import { TypedSearchAttributes, WorkflowExecutionAlreadyStartedError } from '@temporalio/common'
import { type IdentificationSnapshot, type KybSnapshot, resync } from '../../workflows/messages.ts'
import { SEARCH_ATTRIBUTES } from '../../workflows/search-attributes.ts'
import type { Entity } from '../db/command.ts'
import type { Database } from '../db/database.ts'
import { readIdentificationSnapshot, readKybSnapshot } from '../db/snapshot.ts'
import type { Problem } from '../domain/errors.ts'
import {
  decideIdentification,
  type IdentificationCommandKind,
  identificationEnded,
  identificationStatus,
} from '../domain/identification.ts'
import { decideKyb, type KybCommandKind, kybEnded, kybWaitingOn } from '../domain/kyb-application.ts'
import { TASK_QUEUES } from './client.ts'

interface EntityWorkflow<State> {
  readonly workflowType: string
  readonly title: string
  readSnapshot(db: Database, vaultId: string, id: string): Promise<State | null>
  /** Null when the state allows the command. */
  decide(state: State, kind: string): Problem | null
  ended(state: State): boolean
  /** The values of the search attributes that follow from the state. */
  status(state: State): string
  waitingOn(state: State): string
}

export interface Snapshots {
  kyb: KybSnapshot
  identification: IdentificationSnapshot
}

export const ENTITIES: { readonly [E in Entity]: EntityWorkflow<Snapshots[E]> } = {
  kyb: {
    workflowType: 'kybApplication',
    title: 'KYB application',
    readSnapshot: readKybSnapshot,
    decide: (state, kind) => decideKyb(state, kind as KybCommandKind),
    ended: kybEnded,
    status: (state) => state.status,
    waitingOn: kybWaitingOn,
  },
  identification: {
    workflowType: 'identification',
    title: 'Identification',
    readSnapshot: readIdentificationSnapshot,
    decide: (state, kind) => decideIdentification(state, kind as IdentificationCommandKind),
    ended: identificationEnded,
    status: identificationStatus,
    waitingOn: (state) => state.waitingOn,
  },
}

export interface EntityRef<E extends Entity = Entity> {
  readonly entity: E
  readonly id: string
  readonly vaultId: string
}

export const workflowIdOf = ({ entity, id }: EntityRef): string => `${entity}-${id}`

/**
 * Started by whoever is first: at creation, by a message, or by the reconciler. The state is the database's:
 * a message to a live entity brings back a workflow that was terminated or lost, one to an ended entity
 * does not. A start without a message never does, since nothing would correct a state that is old.
 */
export function startOptions<E extends Entity>(ref: EntityRef<E>, state: Snapshots[E], message: boolean) {
  const { title, ended, status, waitingOn } = ENTITIES[ref.entity]
  return {
    workflowId: workflowIdOf(ref),
    taskQueue: TASK_QUEUES.entities,
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
  } satisfies WorkflowStartOptions
}

/** Starts the entity's workflow unless it is already there; an ended one stays ended. */
export async function startEntity<E extends Entity>(
  temporal: Client,
  ref: EntityRef<E>,
  state: Snapshots[E],
): Promise<void> {
  try {
    await temporal.workflow.start(ENTITIES[ref.entity].workflowType, startOptions(ref, state, false))
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error
  }
}

/** Sends a signal to the entity's workflow, which it starts when there is none; an ended one ignores it. */
export async function signalEntity<E extends Entity>(
  temporal: Client,
  ref: EntityRef<E>,
  state: Snapshots[E],
  signal: string = resync.name,
  signalArgs: unknown[] = [],
): Promise<void> {
  try {
    await temporal.workflow.signalWithStart(ENTITIES[ref.entity].workflowType, {
      ...startOptions(ref, state, true),
      signal,
      signalArgs,
    })
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error
  }
}
