/** Gives each request an id and its answer the headers that keep it private, and logs that it was answered. */
import { randomUUID } from 'node:crypto'
import type { Request, RequestHandler } from 'express'
import type { Logger } from '../process/log.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Answers carry data: nobody on the way keeps them, and no browser guesses what they are. */
const ANSWER_HEADERS = new Map([
  ['Cache-Control', 'no-store'],
  ['X-Content-Type-Options', 'nosniff'],
  ['Referrer-Policy', 'no-referrer'],
])

export type OnResponse = (request: { method: string; route: string; status: number; ms: number }) => void

/**
 * The id of a caller, or of a proxy before us, is kept when it is a UUID: any other text could be anything.
 * The log names the route's pattern; paths and queries can hold what somebody typed.
 */
export function requestLog(log: Logger, onResponse: OnResponse): RequestHandler {
  return (req, res, next) => {
    const given = req.get('X-Request-Id') ?? ''
    const requestId = UUID.test(given) ? given.toLowerCase() : randomUUID()
    const started = performance.now()
    res.setHeader('X-Request-Id', requestId)
    res.setHeaders(ANSWER_HEADERS)
    res.on('finish', () => {
      const route = (res.locals.pattern as string | undefined) ?? patternOf(req)
      const ms = Math.round(performance.now() - started)
      const { method } = req
      onResponse({ method, route, status: res.statusCode, ms })
      log.info({ requestId, method, route, status: res.statusCode, ms }, 'request answered')
    })
    next()
  }
}

/** Of pages and files: those mounted below an id have what was asked for in the base, in any case. */
const MOUNTED_BELOW_ID = /^(\/verify\/(?:kyb|person))\/.*/

function patternOf({ baseUrl, route }: Request): string {
  const { path = '' } = (route as { path?: string } | undefined) ?? {}
  return `${baseUrl.toLowerCase().replace(MOUNTED_BELOW_ID, '$1/:id')}${path}`
}
