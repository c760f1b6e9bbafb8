/** Starts a trace for each request, or continues the caller's trace. */
import type { Request, RequestHandler, Response } from 'express'
import { parseTraceparent } from '../domain/base/traceparent.ts'
import { NO_SPAN, type Span } from '../process/span.ts'

/** Returns the request's span, which handlers pass on in their dependencies. */
export const spanOf = (res: Response): Span => (res.locals.span as Span | undefined) ?? NO_SPAN

/**
 * Starts the span of a request. Continues the trace in the header `traceparent` only if `isOfClient` is true, because
 * browsers have no trace to continue.
 */
export function requestSpan(root: Span, isOfClient: (req: Request) => boolean): RequestHandler {
  return (req, res, next) => {
    const { method } = req
    const parent = isOfClient(req) ? parseTraceparent(req.get('traceparent')) : null
    const span = root.start(method, { kind: 'server', parent })
    res.locals.span = span
    res.on('close', () => {
      const route = routeOf(req, res)
      const status = res.statusCode
      span.end({
        name: `${method} ${route}`,
        attributes: {
          'http.request.method': method,
          'http.route': route,
          'http.response.status_code': status,
          'gatehouse.request.id': String(res.getHeader('X-Request-Id')),
        },
        ...(status >= 500 && { error: String(status) }),
      })
    })
    next()
  }
}

/** Matches a router's base URL that contains an ID. The base URL has the requested path, not the pattern. */
const MOUNTED_UNDER_ID = /^(\/verify\/(?:kyb|person))\/.*/

/** Returns the pattern of the route, which does not contain the values in the path. */
export const routeOf = (req: Request, res: Response): string =>
  (res.locals.pattern as string | undefined) ?? patternOf(req)

function patternOf({ baseUrl, route }: Request): string {
  const { path = '' } = (route as { path?: string } | undefined) ?? {}
  return `${baseUrl.toLowerCase().replace(MOUNTED_UNDER_ID, '$1/:id')}${path}`
}
