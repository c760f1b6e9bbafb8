/** Recognises failures of dependencies after which a request can be repeated. */
import { isDatabaseUnavailable } from '../../db/connection/failure.ts'
import { StorageUnavailable } from '../../storage/byte-store.ts'
import { NotSent } from '../../webhooks/send.ts'

/** Returns whether PostgreSQL, the blob store or the network of this machine failed. */
export const isUnavailable = (error: unknown): boolean =>
  isDatabaseUnavailable(error) || error instanceof StorageUnavailable || error instanceof NotSent

/** Returns whether PostgreSQL's response was lost, so that the change may have been made. */
export const isOutcomeUnknown = (error: unknown): boolean => isDatabaseUnavailable(error)
