/** Routes for liveness and readiness checks by supervisors and load balancers. */
import type { Express, Router } from 'express'
import { LRUCache } from 'lru-cache'
import type { Logger } from '../process/log.ts'
import { createExpress, createRouter } from './router.ts'

/** How long a result is reused, so that frequent requests do not load the database or Temporal. */
const KNOWN_MS = 1_000

/** A function that returns true if a dependency is available. */
export type ReadinessCheck = () => boolean | Promise<boolean>

/**
 * Creates the routes. The keys of `needs` are the statuses to report. The response shows the status of the first
 * dependency that is unavailable.
 */
export function healthRoutes(needs: Readonly<Record<string, ReadinessCheck>>): Router {
  const router = createRouter({ strict: true })
  router.get(['/health', '/livez'], (_req, res) => void res.json({ status: 'ok' }))
  router.get('/readyz', async (_req, res) => {
    for (const [missing, isAvailable] of Object.entries(needs))
      if (!(await isAvailable())) return void res.status(503).json({ status: missing })
    res.json({ status: 'ok' })
  })
  return router
}

/** Creates an app for a process that serves no other routes. */
export const healthApp = (needs: Readonly<Record<string, ReadinessCheck>>): Express =>
  createExpress().use(healthRoutes(needs))

/** Creates a check that calls `ask` at most once per second. If the call fails, logs `otherwise`. */
export function createReadinessCheck(
  otherwise: string,
  ask: () => Promise<unknown>,
  log: Logger,
): ReadinessCheck {
  const known = new LRUCache<'answer', boolean>({
    max: 1,
    ttl: KNOWN_MS,
    fetchMethod: () =>
      ask().then(
        () => true,
        (err) => {
          log.warn({ err }, otherwise)
          return false
        },
      ),
  })
  return async () => (await known.fetch('answer')) ?? false
}

/** Creates a check that stops calling `need` after the first success. */
export function rememberReady(need: ReadinessCheck): ReadinessCheck {
  let isAvailable = false
  return async () => {
    isAvailable ||= await need()
    return isAvailable
  }
}
