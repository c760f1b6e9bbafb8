/** What was found on lists, as operators read it. */
import { unixSeconds } from '../../contracts/common.ts'
import { findScreened, type Hit, listHits, SCREENED_BY_NOBODY } from '../../db/cases/screening.ts'
import type { EntityRef } from '../../domain/entity.ts'
import type { RouteDeps } from '../../http/deps.ts'

export async function presentScreening(
  { db, config }: Pick<RouteDeps, 'db' | 'config'>,
  ref: Pick<EntityRef, 'entity' | 'id'>,
) {
  const screened = await findScreened(db, ref)
  const version = screened && screened.screenedWith !== SCREENED_BY_NOBODY ? screened.screenedWith : null
  const hits = await listHits(db, ref.id)
  return {
    screened_at: screened?.screenedAt ? unixSeconds(screened.screenedAt) : null,
    list_version: config.SCREENING === 'off' ? 'off' : version,
    hits: hits.map(presentHit),
  }
}

export type ShownScreening = Awaited<ReturnType<typeof presentScreening>>

export function presentHit({ id, status, subject, score, parts, entry, comment, ...hit }: Hit) {
  return {
    id,
    status,
    subject: subject.key,
    looked_for: {
      names: subject.names,
      birth_date: subject.birthDate ?? null,
      countries: subject.countries,
      registration_number: subject.registrationNumber ?? null,
    },
    score,
    parts,
    entry: {
      id: entry.id,
      caption: entry.caption,
      kind: entry.kind,
      names: entry.names,
      weak_names: entry.weakNames,
      birth_dates: entry.birthDates,
      countries: entry.countries,
      registration_numbers: entry.registrationNumbers,
      topics: entry.topics,
      datasets: entry.datasets,
    },
    found_at: unixSeconds(hit.foundAt),
    decided_by: hit.decidedBy,
    decided_at: hit.decidedAt && unixSeconds(hit.decidedAt),
    comment,
  }
}
