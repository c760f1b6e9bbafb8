/** What operators say of a hit: whether it is the same company or person. */
import { getAssignmentForUpdate, renewAssignment } from '../../db/cases/assignment.ts'
import { decideHit, findHit, findScreened, listHits } from '../../db/cases/screening.ts'
import { appendTimeline } from '../../db/cases/timeline.ts'
import { type Database, transaction } from '../../db/connection/database.ts'
import { RequestRefused } from '../../domain/errors.ts'
import type { Hit } from '../../domain/screening/hit.ts'
import type { HitDecision } from '../../domain/screening/screening.ts'
import type { Screening } from '../../screening/screening.ts'
import type { Asking } from './command.ts'

interface Said {
  readonly outcome: HitDecision
  readonly comment?: string | undefined
  /** Of what was read, in Unix seconds. */
  readonly foundAt?: number | undefined
  /** The same of the decision that was read; null where there was none. */
  readonly decidedAt?: number | null | undefined
}

const inSeconds = (date: Date | null): number | null => date && Math.floor(date.getTime() / 1_000)

interface HitDeps {
  readonly db: Database
  readonly screening: Screening
}

/**
 * Throws RequestRefused when there is no such hit any more, or when it says something else than what was read. After
 * the last of many, those that were not shown before are there.
 */
export async function decideAboutHit(
  { db, screening }: HitDeps,
  asking: Asking,
  id: string,
  said: Said,
): Promise<Hit> {
  const { hit, target, isScreened } = await decide(db, asking, id, said)
  if (!isScreened) await screening.screen(target)
  return hit
}

const decide = (
  db: Database,
  { actor, effect }: Asking,
  id: string,
  { outcome, comment, foundAt, decidedAt }: Said,
) =>
  transaction(db, async (tx) => {
    const asked = await findHit(tx, id)
    // No screening and no command comes between.
    if (asked) await getAssignmentForUpdate(tx, asked.target)
    const found = asked && (await findHit(tx, id))
    if (!found) throw new RequestRefused({ code: 'not_found' })
    const { target } = found
    // Who says the same once more may not have heard that it was taken.
    const isRepeated = found.decidedBy === actor && found.status === outcome
    const isOther =
      (foundAt !== undefined && foundAt !== inSeconds(found.foundAt)) ||
      (decidedAt !== undefined && decidedAt !== inSeconds(found.decidedAt) && !isRepeated)
    if (isOther) throw new RequestRefused({ code: 'stale_version' })
    await decideHit(tx, target, id, { status: outcome, actor, comment })
    await appendTimeline(tx, {
      vaultId: target.vaultId,
      entity: target.entity,
      entityId: target.id,
      action: `screening_hit_${outcome}`,
      actor,
      internalNote: comment,
      causeId: effect.id,
    })
    await renewAssignment(tx, target, actor)
    const decided = (await listHits(tx, target.id)).find((hit) => hit.id === id)
    if (!decided) throw new Error('a hit that was just decided is not there')
    const screened = await findScreened(tx, target)
    return { hit: decided, target, isScreened: screened?.screenedWith !== null }
  })
