/** Reports rate limits over HTTP, with headers and `rate_limited` errors. */
import { RequestRefused } from '../domain/base/errors.ts'
import type { Logger } from '../process/log.ts'
import type { CountRequest } from '../use-cases/access/request-limit.ts'
import { WINDOW_SECONDS } from '../use-cases/limits/budget.ts'
import { ipOf } from './address.ts'
import type { RateLimit } from './deps.ts'

const COUNTED: Readonly<Record<string, string>> = {
  reads: 'GET requests per minute',
  writes: 'requests per minute that change data',
  anonymous: 'requests per minute from this IP address without valid credentials',
}

const READING = new Set(['GET', 'HEAD'])

/** Creates the rate limit. If `trustsProxy` is false, logs one warning when a request arrives through a proxy. */
export function createRateLimit(count: CountRequest, log: Logger, trustsProxy: boolean): RateLimit {
  let isWarned = trustsProxy
  return async (caller, req, res) => {
    if (!isWarned && req.headers['x-forwarded-for'] !== undefined) {
      isWarned = true
      log.warn('all callers share the address of a proxy; set TRUST_PROXY')
    }
    const counted = await count({ caller, isRead: READING.has(req.method), ip: ipOf(req) })
    if (!counted) return () => {}
    const { name, limit, isAllowed, remaining, resetMs } = counted
    const seconds = Math.ceil(resetMs / 1000)
    res.setHeader('RateLimit-Policy', `"${name}";q=${limit};w=${WINDOW_SECONDS}`)
    res.setHeader('RateLimit', `"${name}";r=${remaining};t=${seconds}`)
    if (isAllowed)
      return () => {
        counted.refund()
        for (const header of ['RateLimit-Policy', 'RateLimit']) res.removeHeader(header)
      }
    res.setHeader('Retry-After', seconds)
    const message = `The limit of ${limit.toLocaleString('en')} ${COUNTED[name]} is reached. Retry after the number of seconds in Retry-After.`
    throw new RequestRefused({ code: 'rate_limited', message })
  }
}
