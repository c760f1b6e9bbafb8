/** Queries for the details of queue entries. They decrypt only the rows of one page. */

import { and, asc, isNull, sql } from 'drizzle-orm'
import { beneficiaries, identifications, vaults } from '../../../drizzle/schema.ts'
import type { VaultScope } from '../../domain/access/grant.ts'
import type { ReviewPolicy } from '../../domain/access/review-policy.ts'
import { riskLevel } from '../../domain/decision/risk.ts'
import {
  canBeDuplicate,
  caseOutcome,
  type DetailedEntry,
  isRequest,
  type QueueEntry,
  queueReason,
} from '../../domain/review/queue.ts'
import { reviewDueAt } from '../../domain/review/review-target.ts'
import type { DuplicateReason } from '../../domain/screening/duplicate.ts'
import type { Database } from '../connection/database.ts'
import { eqAny } from '../connection/eq-any.ts'
import { CURRENT_CHECK, DAMAGED, idsOf, unsealCases } from './case-content.ts'
import { findDuplicateReasons } from './duplicate.ts'

/** The reasons why entries have duplicates, keyed by ID. */
export type QueueDuplicates = ReadonlyMap<string, readonly DuplicateReason[]>

/** Finds the duplicates of entries for which they can be the reason, in the vaults of the scope. */
export const readQueueDuplicates = (
  db: Database,
  entries: readonly QueueEntry[],
  scope: VaultScope,
): Promise<QueueDuplicates> => findDuplicateReasons(db, entries.filter(canBeDuplicate), scope)

/**
 * Adds the details of entries in a constant number of queries. A damaged value is null, so that the list still shows
 * the other values.
 */
export async function addDetails(
  db: Database,
  entries: readonly QueueEntry[],
  settings: QueueSettings,
  duplicates: QueueDuplicates,
): Promise<DetailedEntry[]> {
  if (entries.length === 0) return []
  const contents = await unsealCases(db, entries, (row) => settingsOf(settings, row).policy)
  return entries.map((entry) => {
    const { reviewTargetHours } = settingsOf(settings, entry)
    const { risks, openHits, decision, corrections, ...details } = contents.get(entry.id) ?? DAMAGED
    const duplicateReasons = duplicates.get(entry.id) ?? []
    const reason = queueReason(entry, isRequest(decision), duplicateReasons.length > 0)
    return {
      ...entry,
      ...details,
      outcome: caseOutcome({ ...entry, decision }),
      riskLevel: risks && riskLevel(risks, Math.max(entry.openHits, openHits)),
      reason,
      corrections: reason === 'resubmitted' ? corrections : null,
      duplicateReasons: reason === 'possible_duplicate' ? duplicateReasons : [],
      reviewTargetHours,
      dueAt: entry.waitingOn === 'operator' ? reviewDueAt(entry.waitingSince, reviewTargetHours) : null,
    }
  })
}

export type QueueSettings = ReadonlyMap<string, Setting>
interface Setting {
  readonly policy: ReviewPolicy
  readonly reviewTargetHours: number
}

function settingsOf(settings: QueueSettings, { vaultId }: { readonly vaultId: string }): Setting {
  const found = settings.get(vaultId)
  if (!found) throw new Error('a case’s vault is not in the database')
  return found
}

export async function readSettings(db: Database, entries: readonly QueueEntry[]): Promise<QueueSettings> {
  if (entries.length === 0) return new Map()
  const { id, fourEyes, highRiskCountries, reviewTargetHours } = vaults
  const ids = [...new Set(entries.map(({ vaultId }) => vaultId))]
  const rows = await db.orm
    .select({ id, policy: { fourEyes, highRiskCountries }, reviewTargetHours })
    .from(vaults)
    .where(eqAny(id, ids))
    .orderBy(asc(id))
  return new Map(rows.map((row) => [row.id, row]))
}

/**
 * Returns a text that changes with the settings of the entries' vaults and with the checks of beneficiaries. The
 * details depend on both, but the versions of the entries do not.
 */
export async function readDetailsVersion(
  db: Database,
  entries: readonly QueueEntry[],
  settings: QueueSettings,
): Promise<string> {
  const { kybApplicationId, removedAt } = beneficiaries
  const checks = await db.orm
    .select({
      id: kybApplicationId,
      changedAt: sql<string>`max(${identifications.updatedAt})::text`,
      confirmedHits: sql<string>`sum(${identifications.confirmedHits})`,
    })
    .from(beneficiaries)
    .innerJoin(identifications, CURRENT_CHECK)
    .where(and(eqAny(kybApplicationId, idsOf(entries, 'kyb')), isNull(removedAt)))
    .groupBy(kybApplicationId)
    .orderBy(asc(kybApplicationId))
  return JSON.stringify([...settings.values(), checks])
}
