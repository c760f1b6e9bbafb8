/** Composes the HTTP application from its routes and middleware. */
import { parse } from 'node:querystring'
import type { Express, Request, RequestHandler } from 'express'
import { RequestRefused } from '../domain/base/errors.ts'
import { beforeHead } from '../http/before-head.ts'
import { cutOff } from '../http/cut-off.ts'
import type { RouteDeps } from '../http/deps.ts'
import { refuseAmbiguousHeaders, refuseAmbiguousPath } from '../http/entry-path.ts'
import { errorHandler } from '../http/errors.ts'
import { type OnResponse, requestLog } from '../http/request-log.ts'
import { requestSpan } from '../http/request-span.ts'
import { createExpress } from '../http/router.ts'
import { NO_SPAN } from '../process/span.ts'
import type { Audience } from '../use-cases/credentials/tokens.ts'
import { buildOpenApiDocument } from './openapi/openapi.ts'
import { referenceRoutes } from './openapi/reference.ts'
import { createRoutes } from './routes/index.ts'
import { providerRoutes } from './routes/provider.ts'
import { mountRoutes } from './routing/mount.ts'
import type { Route } from './routing/route.ts'
import { scimRoutes } from './scim/routes.ts'

const MAX_PARAMETERS = 100

export const BASES: Record<Audience, string> = { client: '/v1', operator: '/operator/v1' }
const AUDIENCES = Object.keys(BASES) as Audience[]

/** Creates the Express app. `health` runs after the request log and before all routes and pages. */
export function createApp(
  deps: RouteDeps,
  pages: (deps: RouteDeps) => RequestHandler,
  health: RequestHandler,
  onResponse: OnResponse,
): Express {
  const { config, log } = deps
  const app = createExpress()
  app.disable('etag')
  // Prevents 304 responses. Without ETags, Express would still treat `If-None-Match: *` as a match.
  Object.defineProperty(app.request, 'fresh', { value: false })
  app.set('query parser', readQuery)
  app.set('trust proxy', config.TRUST_PROXY)
  app.use(requestLog(log, onResponse))
  app.use(cutOff)
  app.use(['/console', '/scim/v2'], forgettingCallers(deps.forgetCallers))
  app.use(refuseAmbiguousHeaders, refuseAmbiguousPath(NO_PATH))
  app.use(health)
  if (deps.db.span !== NO_SPAN) app.use(requestSpan(deps.db.span, isOfClient))

  const { VERIFICATION_PROVIDER, VERIFICATION_PROVIDER_SECRET: secret } = config
  if (VERIFICATION_PROVIDER === 'http' && secret) app.use('/provider', providerRoutes(deps, secret))

  if (config.SCIM_TOKEN !== undefined) app.use('/scim/v2', scimRoutes(deps, config.SCIM_TOKEN))

  const routes = createRoutes(config)
  for (const audience of AUDIENCES) {
    const own = routes[audience]
    const reference = referenceRoutes(titleOf(audience), () =>
      createOpenApiDocument(audience, config.PUBLIC_URL, own),
    )
    app.use(BASES[audience], reference, mountRoutes(deps, audience, own))
  }
  app.use(pages(deps))

  app.use(() => {
    throw new RequestRefused({ code: 'not_found', message: NO_PATH })
  })
  app.use(errorHandler(log))
  return app
}

const CLIENT_BASES = [...Object.values(BASES), '/provider', '/scim/v2']
const isOfClient = ({ path }: Request) => CLIENT_BASES.some((base) => path.startsWith(`${base}/`))

const NO_PATH = `This path does not exist. API paths start with ${BASES.client} or ${BASES.operator}, without double slashes.`

/** The accepted credentials of each audience, as the reference describes them. */
const CREDENTIALS: Record<Audience, string> = {
  client: 'An API key, or the access token from `POST /sign_in`.',
  operator: 'The access token from `POST /sign_in`, or an access token of your OpenID provider.',
}

const descriptionFor = (audience: Audience) =>
  `Send your credentials in the \`Authorization\` header, with or without \`Bearer\`. ${CREDENTIALS[audience]} ` +
  'Responses contain the result in `data`. Times are in Unix seconds. Errors are in `errors`, each with a `code`. ' +
  'A POST that creates or changes something accepts an `Idempotency-Key`.'

const titleOf = (audience: Audience) => `Gatehouse: API for ${audience}s`

export const createOpenApiDocument = (audience: Audience, publicUrl: string, routes: readonly Route[]) =>
  buildOpenApiDocument(
    {
      title: titleOf(audience),
      description: descriptionFor(audience),
      url: publicUrl + BASES[audience],
      credentials: CREDENTIALS[audience],
      receives: audience === 'client',
    },
    routes,
  )

/** Parses a query without dropping parameters. Express's default parser silently drops those beyond its limit. */
function readQuery(query: string | null): Record<string, string | string[] | undefined> {
  const text = query ?? ''
  if (text.split('&').length > MAX_PARAMETERS) {
    const message = `The query has more than ${MAX_PARAMETERS} parameters. Send fewer parameters.`
    throw new RequestRefused({ code: 'malformed_request', message })
  }
  return parse(text)
}

/**
 * Forgets all cached callers before the response to a request that can have changed their access. PostgreSQL notifies
 * each process of such changes, but only shortly after the commit.
 */
const forgettingCallers =
  (forgetCallers: () => void): RequestHandler =>
  ({ method }, res, next) => {
    if (method !== 'GET' && method !== 'HEAD') beforeHead(res, forgetCallers)
    next()
  }
