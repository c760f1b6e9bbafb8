/**
 * Starts the spans of activities, which continue the traces in the rows of commands, facts and identifications.
 * Workflows have no spans, because an interceptor could change a replay. The span `workflow task` covers the time from
 * the row to the activity.
 */

import { findWaitingTrace } from '../src/db/cases/verification-check.ts'
import { findCommandTraces, type StoredTrace } from '../src/db/commands/command.ts'
import { findFactTrace } from '../src/db/commands/pending-fact.ts'
import { type Database, withSpan } from '../src/db/connection/database.ts'
import type { EntityRef } from '../src/domain/entity/entity.ts'
import { inSpan, NO_SPAN, type Span } from '../src/process/span.ts'
import { attributesOf, workflowIdOf } from '../src/temporal/entities.ts'

const attributesIn = (target: EntityRef) => ({
  ...attributesOf(target),
  'temporal.workflow.id': workflowIdOf(target),
})

function addWorkflowTask(root: Span, target: EntityRef, { traceparent, createdAt }: StoredTrace): void {
  const attributes = attributesIn(target)
  root
    .start('workflow task', { kind: 'consumer', parent: traceparent, startedAt: createdAt, attributes })
    .end()
}

/**
 * Runs the work for a batch of commands. Each command has a span. Statements that concern the whole batch belong to the
 * span of the first command.
 */
export async function inCommandSpans<T>(
  db: Database,
  name: string,
  target: EntityRef,
  ids: readonly string[],
  work: (db: Database, spanOf: (commandId: string) => Span) => Promise<T>,
): Promise<T> {
  if (db.span === NO_SPAN) return work(db, () => NO_SPAN)
  const spans = new Map<string, Span>()
  for (const trace of await findCommandTraces(db, ids)) {
    addWorkflowTask(db.span, target, trace)
    const attributes = { ...attributesIn(target), 'gatehouse.command.id': trace.id }
    const links = [...spans.values()].map(({ traceparent }) => traceparent)
    spans.set(trace.id, db.span.start(name, { attributes, parent: trace.traceparent, links }))
  }
  const [first = db.span] = spans.values()
  const end = (error?: unknown) => {
    for (const span of spans.values()) span.end({ error })
  }
  try {
    const result = await work(withSpan(db, first), (id) => spans.get(id) ?? first)
    end()
    return result
  } catch (error) {
    end(error)
    throw error
  }
}

/** Runs the work for a fact, which continues the trace of the change that caused it. */
export async function inFactSpan<T>(
  db: Database,
  name: string,
  target: EntityRef,
  fact: { readonly id: string; readonly kind: string },
  work: (db: Database) => Promise<T>,
): Promise<T> {
  if (db.span === NO_SPAN) return work(db)
  const trace = await findFactTrace(db, fact.id)
  if (trace) addWorkflowTask(db.span, target, trace)
  const attributes = { ...attributesIn(target), 'gatehouse.fact.kind': fact.kind }
  return inSpan(db.span, name, { attributes, parent: trace?.traceparent ?? null }, (span) =>
    work(withSpan(db, span)),
  )
}

/** Runs the work for a check in the trace of the change that made the identification wait. */
export async function inCheckSpan<T>(
  db: Database,
  target: EntityRef<'identification'>,
  work: (db: Database) => Promise<T>,
): Promise<T> {
  if (db.span === NO_SPAN) return work(db)
  const trace = await findWaitingTrace(db, target.id)
  if (trace?.isNew) addWorkflowTask(db.span, target, trace)
  const options = { attributes: attributesIn(target), parent: trace?.traceparent ?? null }
  return inSpan(db.span, 'verification check', options, (span) => work(withSpan(db, span)))
}
