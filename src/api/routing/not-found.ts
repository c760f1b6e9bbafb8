/** Explains a 404 by naming the type of the missing resource and the type of resource that the ID belongs to. */
import type { ErrorRequestHandler } from 'express'
import { ERRORS, RequestRefused } from '../../domain/base/errors.ts'
import { resourceTypesFor } from '../../use-cases/access/resource-types.ts'
import type { WithDb } from '../../use-cases/base/deps.ts'
import type { Audience } from '../../use-cases/credentials/tokens.ts'
import type { Admitted } from './route.ts'

/** The noun for each resource, by the beginning of the route's path. */
const RESOURCE_NOUNS: readonly (readonly [path: RegExp, noun: string])[] = [
  [/^(\/sandbox)?\/kyb\//, 'application'],
  [/^\/sandbox\/accounts\//, 'account'],
  [/\/identifications\//, 'identification'],
  [/^\/webhook_logs\//, 'delivery'],
  [/^\/webhook_urls\//, 'registered URL'],
  [/^\/vaults\//, 'vault'],
  [/^\/users\//, 'user'],
  [/^\/api_keys\//, 'API key'],
  [/^\/cases\//, 'case'],
  [/^\/files\//, 'file'],
  [/^\/screening_hits\//, 'hit'],
  [/^\/admin_actions\//, 'action'],
]

/** The noun for each resource that a path names after the ID of another one. */
const PART_NOUNS: Readonly<Record<string, string>> = {
  files: 'file',
  beneficiaries: 'beneficiary',
  deliveries: 'delivery',
  comment_templates: 'comment template',
}

/** Returns the noun for the resource of a route, and for the part of it that the path also names. */
export function resourceOf(path: string): { readonly noun?: string; readonly part?: string } {
  const [, noun] = RESOURCE_NOUNS.find(([begin]) => begin.test(path)) ?? []
  const part = PART_NOUNS[/\/:id\/(\w+)\/:/.exec(path)?.[1] ?? '']
  return { ...(noun && { noun }), ...(part && { part }) }
}

/**
 * Adds a message to `not_found` if the route has none. `res.locals` contains the path, the parameters and the caller.
 */
export const explainNotFound =
  (deps: WithDb, audience: Audience): ErrorRequestHandler =>
  async (error, _req, res, next) => {
    const { caller, path, params } = res.locals as Partial<Admitted>
    const [problem, ...more] = error instanceof RequestRefused ? error.problems : []
    const { noun, part } = resourceOf(path ?? '')
    const isPlain = problem?.code === 'not_found' && problem.message === undefined && more.length === 0
    if (!isPlain || !noun || !caller) return next(error)
    const kinds = params?.id === undefined ? [] : await resourceTypesFor(deps, audience, caller, params.id)
    const [other] = kinds.filter((kind) => !noun.startsWith(kind))
    const where = audience === 'client' ? ' in a vault that you can access' : ''
    const which = `${noun} with this ID${part ? ` and ${part}` : ''}`
    const hint = other ? ` This is the ID of ${/^[aeiou]/.test(other) ? 'an' : 'a'} ${other}.` : ''
    const message = `${ERRORS.not_found.message}: there is no ${which}${where}.${hint}`
    next(new RequestRefused({ ...problem, message }))
  }
