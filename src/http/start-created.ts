/** What follows once something new is durable: its events are sent and its workflows started. */
import type { EntityRef } from '../domain/entity.ts'
import { startWorkflowOf } from '../temporal/reconcile.ts'
import type { AppDeps } from './deps.ts'

/** Best effort: what is not started now, housekeeping starts. */
export function startCreated(
  { db, temporal, notifier, log }: Pick<AppDeps, 'db' | 'temporal' | 'notifier' | 'log'>,
  webhookLogIds: readonly string[],
  entities: readonly EntityRef[],
): void {
  notifier.tell(webhookLogIds)
  for (const entity of entities) {
    startWorkflowOf(db, temporal, entity).catch((err) =>
      log.warn({ err, ...entity }, 'a workflow was not started'),
    )
  }
}
