/** Presents the screening hits to operators. */
import { presenterOf } from '../../contracts/record.ts'
import { screening } from '../../contracts/screening.ts'
import { canHaveMoreHits, type Hit, type ScreeningResult } from '../../domain/screening/hit.ts'

const { element: hitShown } = screening.shape.hits
const present = presenterOf(screening)
const presentFound = presenterOf(hitShown)
const presentListEntry = presenterOf(hitShown.shape.entry)

export const presentScreening = ({ hits, ...result }: ScreeningResult) =>
  present({ ...result, hits: hits.map(presentHit), moreHits: canHaveMoreHits({ hits }) })

export const presentHit = ({ subject, ...hit }: Hit) =>
  presentFound({
    ...hit,
    subject: subject.key,
    lookedFor: {
      names: subject.names,
      birth_date: subject.birthDate ?? null,
      countries: subject.countries,
      registration_number: subject.registrationNumber ?? null,
    },
    entry: presentListEntry(hit.entry),
    dismissalProposedBy: hit.dismissalBy,
    dismissalProposedAt: hit.dismissalAt,
  })
