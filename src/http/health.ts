/** What supervisors and load balancers ask: whether the process lives, and whether it can serve. */
import { Router } from 'express'
import { LRUCache } from 'lru-cache'
import type { AppDeps } from './deps.ts'

/** However often it is asked, the database is asked once in so long. */
const KNOWN_MS = 1_000

export function healthRoutes({ db, log }: Pick<AppDeps, 'db' | 'log'>): Router {
  const router = Router()
  const known = new LRUCache<'database', boolean>({
    max: 1,
    ttl: KNOWN_MS,
    fetchMethod: () =>
      db.orm.execute('SELECT 1').then(
        () => true,
        (err) => {
          log.warn({ err }, 'the database does not answer')
          return false
        },
      ),
  })
  router.get(['/health', '/livez'], (_req, res) => void res.json({ status: 'ok' }))
  router.get('/readyz', async (_req, res) => {
    const isReady = await known.fetch('database')
    res.status(isReady ? 200 : 503).json({ status: isReady ? 'ok' : 'database_away' })
  })
  return router
}
