/** Presents the screening hits to operators. */
import { unixSeconds } from '../../contracts/common.ts'
import { canHaveMoreHits, type Hit, type ScreeningResult } from '../../domain/screening/hit.ts'

export const presentScreening = ({ screenedAt, listVersion, hits }: ScreeningResult) => ({
  screened_at: screenedAt && unixSeconds(screenedAt),
  list_version: listVersion,
  hits: hits.map(presentHit),
  more_hits: canHaveMoreHits({ hits }),
})

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
    dismissal_proposed_by: hit.dismissalBy,
    dismissal_proposed_at: hit.dismissalAt && unixSeconds(hit.dismissalAt),
    comment,
  }
}
