/** Which failures mean that something Gatehouse needs is unavailable: the request can be sent again. */
import { databaseAway } from '../db/connection/database.ts'
import { StorageAway } from '../storage/blob-store.ts'
import { NotSent } from '../webhooks/send.ts'

/** Returns true if PostgreSQL, the blob store or the network of this machine failed. */
export const isUnavailable = (error: unknown): boolean =>
  databaseAway(error) || error instanceof StorageAway || error instanceof NotSent

/** Returns true if the answer of PostgreSQL was lost, so that a change may have been made. */
export const isOutcomeUnknown = (error: unknown): boolean => databaseAway(error)
