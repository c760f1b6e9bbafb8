/** Sends the facts of an entity to their workflows after a commit. */
import { sendFacts } from '../../temporal/facts.ts'
import { DEADLINE_MS } from '../../temporal/gateway.ts'
import type { Deps } from '../deps.ts'

/** Signals the facts of an entity. Never throws: if the signal is late or fails, housekeeping sends it. */
export async function signalFacts(
  { db, temporal, log }: Pick<Deps, 'db' | 'temporal' | 'log'>,
  entityId: string,
): Promise<void> {
  await temporal
    .withDeadline(Date.now() + DEADLINE_MS, () => sendFacts(db, temporal, entityId))
    .catch((err) => log.warn({ err, entityId }, 'facts were not signalled; housekeeping will signal them'))
}
