/** Assigns an ID to each request, sets the privacy headers of the response and logs the request. */
import { randomUUID } from 'node:crypto'
import type { RequestHandler } from 'express'
import type { Logger } from '../process/log.ts'
import { routeOf, spanOf } from './request-span.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** The headers of every response. Caches must not store responses, because they can contain personal data. */
const ANSWER_HEADERS = new Map([
  ['Cache-Control', 'no-store'],
  ['X-Content-Type-Options', 'nosniff'],
  ['Referrer-Policy', 'no-referrer'],
])

export type OnResponse = (request: { method: string; route: string; status: number; ms: number }) => void

/**
 * Logs requests. Uses the ID from the caller or a proxy only if it is a UUID, because other text could contain personal
 * data. Logs the pattern of the route, because paths and queries can also contain personal data.
 */
export function requestLog(log: Logger, onResponse: OnResponse): RequestHandler {
  return (req, res, next) => {
    const given = req.get('X-Request-Id') ?? ''
    const requestId = UUID.test(given) ? given.toLowerCase() : randomUUID()
    const started = performance.now()
    res.setHeader('X-Request-Id', requestId)
    res.setHeaders(ANSWER_HEADERS)
    res.on('finish', () => {
      const route = routeOf(req, res)
      const ms = Math.round(performance.now() - started)
      const { method } = req
      onResponse({ method, route, status: res.statusCode, ms })
      log.info(
        {
          requestId,
          ...spanOf(res).logFields,
          actor: res.locals.actor as string | undefined,
          method,
          route,
          status: res.statusCode,
          ms,
        },
        'request completed',
      )
    })
    next()
  }
}
