/** Which failures mean that something Gatehouse needs is unavailable: the request can be sent again. */
import { isDatabaseUnavailable } from '../db/connection/database.ts'
import { StorageUnavailable } from '../storage/blob-store.ts'
import { NotSent } from '../webhooks/send.ts'

/** Returns true if PostgreSQL, the blob store or the network of this machine failed. */
export const isUnavailable = (error: unknown): boolean =>
  isDatabaseUnavailable(error) || error instanceof StorageUnavailable || error instanceof NotSent

/** Returns true if the answer of PostgreSQL was lost, so that a change may have been made. */
export const isOutcomeUnknown = (error: unknown): boolean => isDatabaseUnavailable(error)
