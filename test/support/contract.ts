/** Checks answers against the OpenAPI document that their instance serves. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { OpenApiDocument } from '../../src/http/openapi.ts'

type Checker = (method: string, path: string, status: number, body: unknown) => string | null

/** Compiles a schema of the document, whatever it refers to. */
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

/** Tells what is wrong with an answer; null when the document foresees it. Paths that do not exist pass. */
function contractChecker(document: OpenApiDocument): Checker {
  const compile = schemaCompiler(document)
  const paths = Object.keys(document.paths).map((path) => ({
    path,
    pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '([^/]+)')}/?$`, 'i'),
  }))
  return (method, requested, status, body) => {
    const [plain = ''] = requested.split('?')
    const matching = paths.filter(({ pattern }) => pattern.test(plain))
    // A path without parameters goes before one that a parameter would match.
    const found = matching.find(({ path }) => !path.includes('{')) ?? matching[0]
    const operation = found && document.paths[found.path]?.[method.toLowerCase()]
    if (!found || !operation) return [404, 405].includes(status) ? null : `${status} of an unknown route`
    const response = operation.responses[String(status)]
    if (!response) return `${status} is not documented: ${JSON.stringify(body)}`
    const place = [found.path, method.toLowerCase(), 'responses', String(status)]
    const validate = compile('paths', ...place, 'content', 'application/json', 'schema')
    if (validate(body)) return null
    return `${status}: ${JSON.stringify(validate.errors)} in ${JSON.stringify(body)}`
  }
}

const checkers = new Map<string, Promise<Checker | null>>()

/** The checker for a base path; null for an address that is none. */
export function checkerFor(baseUrl: string): Promise<Checker | null> {
  const fetched =
    checkers.get(baseUrl) ??
    fetch(`${baseUrl}/openapi.json`).then(async (answer) =>
      answer.ok ? contractChecker((await answer.json()) as OpenApiDocument) : null,
    )
  checkers.set(baseUrl, fetched)
  return fetched
}
