/** What became of a decision: whether it was made since a page was read, and whether one waits for a second operator. */
import { readNewestEntries } from '../../db/cases/timeline.ts'
import type { Decision } from '../../domain/decision/decision.ts'
import type { EntityRef } from '../../domain/entity.ts'
import { ENTITIES } from '../../temporal/entities.ts'
import type { Deps } from '../deps.ts'

/** As many entries as are looked through. */
const NEWEST = 200

interface Made extends Decision {
  readonly kind: string
  readonly actor: string
  /** The newest entry of the timeline that was read before. */
  readonly since: number
}

/** Whether the actor has made this very decision since then, as someone does who sends it twice. */
export async function wasDecidedSince(
  { db }: Pick<Deps, 'db'>,
  { entity, id }: EntityRef,
  made: Made,
): Promise<boolean> {
  const words = ({ reasonCode, clientComment, internalNote, findings }: Partial<Decision>) =>
    JSON.stringify([reasonCode, clientComment ?? null, internalNote ?? null, findings ?? []])
  const entries = await readNewestEntries(db, entity, id, NEWEST)
  return entries.some(
    (entry) =>
      entry.id > made.since &&
      entry.actor === made.actor &&
      entry.action === made.kind &&
      words(entry as Partial<Decision>) === words(made),
  )
}

/** Whether a decision waits for a second operator now. */
export async function isPending(
  { db }: Pick<Deps, 'db'>,
  { entity, vaultId, id }: EntityRef,
): Promise<boolean> {
  return Boolean((await ENTITIES[entity].readSnapshot(db, vaultId, id))?.pending)
}
