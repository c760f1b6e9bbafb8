/** Checks responses against the OpenAPI document of their instance. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { BASES, createOpenApiDocument } from '../../src/api/app.ts'
import type { OpenApiDocument } from '../../src/api/openapi/document.ts'
import { createRoutes } from '../../src/api/routes/index.ts'
import type { ErrorCode } from '../../src/domain/base/errors.ts'
import type { Config } from '../../src/process/config.ts'

interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
}

type Checker = (method: string, path: string, answer: Answered) => string | null

/** Headers of the connection, and security headers of every response. */
const OF_EVERY_ANSWER = new Set([
  ...['connection', 'keep-alive', 'date', 'transfer-encoding', 'content-length', 'content-type'],
  ...['content-encoding', 'vary'],
  ...['cache-control', 'content-security-policy', 'referrer-policy', 'x-content-type-options'],
])

/** Compiles a schema of the document with all its references. */
export function schemaCompiler(document: OpenApiDocument) {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addFormat('e164', /^\+[1-9]\d{6,14}$/)
  ajv.addFormat('binary', true)
  ajv.addSchema(document, 'document')
  const compiled = new Map<string, ValidateFunction>()
  return (...place: string[]): ValidateFunction => {
    const pointer = place.map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1')).join('/')
    const $ref = `document#/${encodeURI(pointer)}`
    const validate = compiled.get($ref) ?? ajv.compile({ $ref })
    compiled.set($ref, validate)
    return validate
  }
}

/** Returns a function that describes a problem with a response, or returns null. Unknown paths pass. */
function contractChecker(document: OpenApiDocument): Checker {
  const compile = schemaCompiler(closed(document))
  const paths = Object.keys(document.paths).map((path) => ({
    path,
    pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '([^/]+)')}/?$`, 'i'),
  }))
  return (method, requested, { status, headers, body }) => {
    const [plain = ''] = requested.split('?')
    const matching = paths.filter(({ pattern }) => pattern.test(plain))
    // A path without parameters takes precedence over one with a matching parameter.
    const found = matching.find(({ path }) => !path.includes('{')) ?? matching[0]
    const operation = found && document.paths[found.path]?.[method.toLowerCase()]
    if (!found || !operation) return [404, 405].includes(status) ? null : `${status} of an unknown route`
    const response = operation.responses[String(status)]
    if (!response) return `${status} is not documented: ${JSON.stringify(body)}`
    const declared = Object.keys(response.headers).map((name) => name.toLowerCase())
    const others = [...headers.keys()].filter(
      (name) => !OF_EVERY_ANSWER.has(name) && !declared.includes(name),
    )
    if (others.length > 0) return `${status} with undocumented ${others.join(', ')}`
    const [type = ''] = (headers.get('Content-Type') ?? '').split(';')
    if (!response.content[type]) return `${status} is documented, but not as ${type}`
    if (type !== 'application/json') return null
    const place = [found.path, method.toLowerCase(), 'responses', String(status)]
    const { 'x-codes': codes } = response
    const unforeseen = codes && problemsIn(body).filter(({ code }) => !codes.includes(code as ErrorCode))
    if (unforeseen && unforeseen.length > 0)
      return `${status} is documented, but not with ${JSON.stringify(body)}`
    const validate = compile('paths', ...place, 'content', type, 'schema')
    if (validate(body)) return null
    return `${status}: ${JSON.stringify(validate.errors)} in ${JSON.stringify(body)}`
  }
}

const problemsIn = (body: unknown) => (body as { errors?: { code: string }[] } | null)?.errors ?? []

/** Forbids undocumented fields, which clients must accept but Gatehouse must not send. */
const closed = (document: OpenApiDocument): OpenApiDocument =>
  JSON.parse(JSON.stringify(document), (_key, value) =>
    value?.type === 'object' && value.properties && value.additionalProperties === undefined
      ? { ...value, additionalProperties: false }
      : value,
  )

const checkers = new Map<string, Promise<Checker | null>>()
const ofThisProcess = new Map<string, Config['ENVIRONMENT']>()

/** Builds the documents of this instance once per process, because each takes a quarter of a second. */
export const describeInstance = (baseUrl: string, { ENVIRONMENT }: Pick<Config, 'ENVIRONMENT'>) =>
  ofThisProcess.set(baseUrl, ENVIRONMENT)

/** Returns the checker for a base path, or null if the URL has no document. */
export function checkerFor(url: string): Promise<Checker | null> {
  const { origin, pathname } = new URL(url)
  const audience = AUDIENCES.find((each) => BASES[each] === pathname)
  const environment = ofThisProcess.get(origin)
  const key = audience && environment ? `${environment} ${audience}` : url
  const checker =
    checkers.get(key) ?? (audience && environment ? build(environment, audience) : fetchChecker(url))
  checkers.set(key, checker)
  return checker
}

const AUDIENCES = ['client', 'operator'] as const

async function build(ENVIRONMENT: Config['ENVIRONMENT'], audience: (typeof AUDIENCES)[number]) {
  const routes = createRoutes({ ENVIRONMENT, WEBHOOK_ALLOW_PRIVATE: true })
  return contractChecker(await createOpenApiDocument(audience, 'http://localhost', routes[audience]))
}

async function fetchChecker(baseUrl: string): Promise<Checker | null> {
  const answer = await fetch(`${baseUrl}/openapi.json`)
  return answer.ok ? contractChecker((await answer.json()) as OpenApiDocument) : null
}
