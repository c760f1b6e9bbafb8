/** How many requests a minute a client may send: by key or user, and by address where there is neither. */

import { operatorIdOf } from '../domain/access/access.ts'
import { RequestRefused } from '../domain/errors.ts'
import { createBudget, WINDOW_SECONDS } from '../use-cases/access/budget.ts'
import { addressKey } from './address.ts'
import type { RateLimit, RouteDeps } from './deps.ts'

/** Reading changes nothing, whichever way it is answered. */
const READING = new Set(['GET', 'HEAD'])

export function createRateLimit({ db, config, log }: Pick<RouteDeps, 'db' | 'config' | 'log'>): RateLimit {
  const reads = createBudget(db, log, 'reads', config.RATE_LIMIT_READS)
  const writes = createBudget(db, log, 'writes', config.RATE_LIMIT_WRITES)
  const anonymous = createBudget(db, log, 'anonymous', config.RATE_LIMIT_ANONYMOUS)

  let warned = config.TRUST_PROXY !== 0
  return async (caller, req, res) => {
    if (!warned && req.headers['x-forwarded-for'] !== undefined) {
      warned = true
      log.warn('requests come through a proxy, whose address all callers share: set TRUST_PROXY')
    }
    // Operators are few and known, and their systems publish events in bulk.
    if (caller && operatorIdOf(caller.actor) !== null) return () => {}
    const isKnown = caller !== null && caller.actor !== 'nobody'
    const budget = isKnown ? (READING.has(req.method) ? reads : writes) : anonymous
    const key = isKnown ? caller.actor : addressKey(db.encryption, req)
    const { allowed, remaining, resetMs, giveBack } = await budget.spend(key)
    const seconds = Math.ceil(resetMs / 1000)
    res.setHeader('RateLimit-Policy', `"${budget.name}";q=${budget.limit};w=${WINDOW_SECONDS}`)
    res.setHeader('RateLimit', `"${budget.name}";r=${remaining};t=${seconds}`)
    if (allowed)
      return () => {
        giveBack()
        for (const header of ['RateLimit-Policy', 'RateLimit']) res.removeHeader(header)
      }
    res.setHeader('Retry-After', seconds)
    throw new RequestRefused({ code: 'rate_limited' })
  }
}
