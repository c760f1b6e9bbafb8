/** What supervisors and load balancers ask: whether the process lives, and whether it can serve. */
import express, { type Express, Router } from 'express'
import { LRUCache } from 'lru-cache'
import type { Logger } from '../process/log.ts'

/** However often it is asked, others are asked once in so long. */
const KNOWN_MS = 1_000

/** Whether something that serving needs is there. */
type ReadinessCheck = () => boolean | Promise<boolean>

/** `needs` are named by what is answered without them; the first one that is missing is told. */
export function healthRoutes(needs: Readonly<Record<string, ReadinessCheck>>): Router {
  const router = Router()
  router.get(['/health', '/livez'], (_req, res) => void res.json({ status: 'ok' }))
  router.get('/readyz', async (_req, res) => {
    for (const [missing, isThere] of Object.entries(needs))
      if (!(await isThere())) return void res.status(503).json({ status: missing })
    res.json({ status: 'ok' })
  })
  return router
}

/** For a process that answers nothing else. */
export const healthApp = (needs: Readonly<Record<string, ReadinessCheck>>): Express =>
  express().disable('x-powered-by').use(healthRoutes(needs))

/** Whether somebody else answers, as was seen within the last second; `otherwise` is logged while nobody does. */
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

/** For what stays once it is there: it is not asked for again. */
export function rememberReady(need: ReadinessCheck): ReadinessCheck {
  let isThere = false
  return async () => {
    isThere ||= await need()
    return isThere
  }
}
