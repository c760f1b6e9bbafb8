/** Presents queue entries and search results to operators. */
import { queueListResponse, searchListResponse } from '../../contracts/queue.ts'
import { presenterOf } from '../../contracts/record.ts'
import type { DetailedEntry, TitledEntry } from '../../domain/review/queue.ts'

const presentFound = presenterOf(searchListResponse.shape.data.element)
const presentListed = presenterOf(queueListResponse.shape.data.element)

const withPending = <E extends TitledEntry>(entry: E) => ({ ...entry, isPending: entry.pending !== null })

export const presentSearchEntry = (entry: TitledEntry) => presentFound(withPending(entry))

export const presentQueueEntry = (entry: DetailedEntry) => presentListed(withPending(entry))
