/** Makes changes to users, roles and keys take effect before the response. */
import type { RequestHandler } from 'express'
import { beforeHead } from './before-head.ts'

/**
 * Forgets all cached callers before the response to a request that can have changed their access. PostgreSQL notifies
 * each process of such changes, but only shortly after the commit.
 */
export const forgettingCallers =
  (forgetCallers: () => void): RequestHandler =>
  ({ method }, res, next) => {
    if (method !== 'GET' && method !== 'HEAD') beforeHead(res, forgetCallers)
    next()
  }
