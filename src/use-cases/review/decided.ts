/** Detects decisions that were made since a page was read, and decisions that await a second approval. */
import { readNewestEntries } from '../../db/commands/timeline.ts'
import { proposalOf } from '../../domain/decision/confirmation.ts'
import type { Decision } from '../../domain/decision/decision.ts'
import type { EntityRef } from '../../domain/entity/entity.ts'
import { ENTITIES } from '../../temporal/entities.ts'
import type { WithDb } from '../base/deps.ts'

/** The maximum number of entries to check. */
const NEWEST = 200

interface Made extends Decision {
  readonly kind: string
  readonly actor: string
  /** The number of the latest timeline entry on the page that the operator read. */
  readonly since: number
}

/**
 * Returns whether the actor has made or proposed the same decision since reading the page, for example by submitting
 * the form twice.
 */
export async function wasDecidedSince({ db }: WithDb, target: EntityRef, made: Made): Promise<boolean> {
  const entries = await readNewestEntries(db, target.entity, target.id, NEWEST)
  const own = entries.filter(({ id, actor }) => id > made.since && actor === made.actor)
  if (own.some((entry) => entry.action === made.kind && isSameDecision(entry, made))) return true
  if (!own.some(({ action }) => action === `${made.kind}_proposed`)) return false
  // The timeline entry of a proposal omits its text, so that the second operator decides independently.
  const record = await ENTITIES[target.entity].find(db, target.vaultId, target.id)
  const proposal = record && proposalOf(record)
  return proposal !== null && proposal.by === made.actor && isSameDecision(proposal, made)
}

type Words = Partial<Record<keyof Decision, unknown>>

const isSameDecision = (one: Words, other: Words): boolean => wordsOf(one) === wordsOf(other)

const wordsOf = ({ reasonCode, clientComment, internalNote, findings }: Words): string =>
  JSON.stringify([reasonCode, clientComment ?? null, internalNote ?? null, findings ?? []])

/** Returns whether a decision about the entity awaits a second approval. */
export async function isPending({ db }: WithDb, { entity, vaultId, id }: EntityRef): Promise<boolean> {
  return Boolean((await ENTITIES[entity].readSnapshot(db, vaultId, id))?.pending)
}
