/**
 * Defines a route as data, with its method, path, role, schemas and handler. `route()` checks the types of the handler
 * against the schemas and returns a `Route`, which mount.ts runs and openapi.ts describes. `handle` parses the complete
 * request and throws all its problems at once. It then runs the handler once for each Idempotency-Key.
 */
import type { Request, Response } from 'express'
import type { z } from 'zod'
import { checkValue } from '../../contracts/check.ts'
import { idParams } from '../../contracts/common.ts'
import type { Presented } from '../../contracts/record.ts'
import { CLIENT_ROLES } from '../../domain/access/access.ts'
import type { By } from '../../domain/access/audit.ts'
import { type Problem, type Refusals, RequestRefused } from '../../domain/base/errors.ts'
import { byOf } from '../../http/address.ts'
import type { RouteDeps } from '../../http/deps.ts'
import type { FileBody } from '../../http/file-response.ts'
import type { Caller, Needed } from '../../use-cases/access/caller.ts'
import type { RequestEffect } from '../../use-cases/base/idempotency.ts'
import type { RunOnce } from './idempotency.ts'
import type { RouteResponse } from './response.ts'
import type { RetryGuidance } from './retry-guidance.ts'

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** The method and the path, in which `:id` stands for the ID of a resource. */
type At = `${Uppercase<Method>} /${string}`

type Responses = Readonly<{ [Status in 200 | 201 | 202 | 401]?: z.ZodType<object> }>

type BodyOf<S> = S extends z.ZodFile ? FileBody : S extends z.ZodType<object> ? Presented<S> : never

/** A response whose body has the schema of its status. */
export type ResponseOf<R extends Responses> = [Responses] extends [R]
  ? RouteResponse
  : {
      [Status in keyof R]: Status extends 200
        ? { readonly status?: 200; readonly body: BodyOf<R[Status]>; readonly rest?: RouteResponse['rest'] }
        : { readonly status: Status & number; readonly body: BodyOf<R[Status]> }
    }[keyof R]

interface About {
  /** The operation ID in OpenAPI, from which generated clients name their functions. */
  readonly name: string
  readonly role: Needed
  readonly summary: string
  /** The error codes that are not common to all routes. */
  readonly errors?: Refusals
  /** The possible effects of a request that returns 503. A read has none. */
  readonly retryGuidance?: RetryGuidance
  /** True for a read that can wait for data. Its handler takes a slot for each read, and none while it waits. */
  readonly waits?: boolean
  /** True for a POST that has no further effect if it is repeated. It accepts no Idempotency-Key. */
  readonly repeatable?: boolean
  /** True if the route changes no users, roles and keys, although its role permits it. Its requests are frequent. */
  readonly keepsAccess?: true
}

interface Schemas<P, Q, B, R> {
  /** The schema of the path's parameters, if `:id` is not the only one. */
  readonly params?: P
  readonly query?: Q
  readonly body?: B
  readonly response: R
}

export interface Route extends About {
  readonly method: Method
  readonly path: string
  /** True if the handler parses the body, a multipart form. All other bodies are JSON. */
  readonly isForm: boolean
  readonly schemas: Schemas<z.ZodType, z.ZodType, z.ZodType, Responses>
  readonly precondition: ((deps: RouteDeps, caller: Caller, req: Request) => Promise<void>) | null
  readonly handle: (
    deps: RouteDeps,
    caller: Caller,
    req: Request,
    res: Response,
    once: RunOnce,
  ) => Promise<RouteResponse>
}

/** The data of an admitted request in `res.locals`. */
export interface Admitted {
  readonly caller: Caller
  /** The route's pattern, without the base path. */
  readonly path: string
  readonly params: { readonly id?: string }
}

/** Returns true if the route accepts an `Idempotency-Key`. */
export const acceptsIdempotencyKey = ({ method, role, repeatable }: Route): boolean =>
  method === 'post' && role !== 'public' && !repeatable

/** Returns true if a request takes one of its caller's slots for reads until it ends. */
export const takesReadingSlot = ({
  method,
  role,
  repeatable,
  waits,
}: Pick<Route, 'method' | 'role' | 'repeatable' | 'waits'>): boolean =>
  method === 'get' ? !waits : repeatable === true && (role === 'read_cases' || role === 'read_settings')

/** The guidance of commands and creations, which have slots of their own. */
const HAS_OWN_SLOTS: readonly (RetryGuidance | undefined)[] = [
  'command',
  'external_id',
  'external_uuid',
  'process',
]
const isOfClient = (role: Needed): boolean => CLIENT_ROLES.some((each) => [role].flat().includes(each))

/** Returns true if a request takes one of its client's slots for changes, because it may wait for a lock. */
export const takesChangingSlot = ({ method, role, isForm, retryGuidance }: Route): boolean =>
  method !== 'get' && !isForm && isOfClient(role) && !HAS_OWN_SLOTS.includes(retryGuidance)

/** The roles whose requests can change users, roles and keys. */
const CHANGING_ACCESS: readonly Needed[] = ['signed_in', 'administer', 'administer_deployment']

export const changesAccess = ({ method, role, keepsAccess }: Route): boolean =>
  method !== 'get' && !keepsAccess && CHANGING_ACCESS.includes(role)

interface Input<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> {
  readonly deps: RouteDeps
  readonly caller: Caller
  /** The caller with the address, for the audit trail. */
  readonly by: By
  readonly params: z.output<P>
  readonly query: z.output<Q>
  readonly body: z.output<B>
  readonly req: Request
  readonly res: Response
}

type Handler<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, R extends Responses> =
  | {
      readonly handler: (input: Input<P, Q, B> & { readonly effect: RequestEffect }) => Promise<ResponseOf<R>>
      readonly form?: never
    }
  | {
      /** Parses a form whose fields `body` describes. Calls `once` with the result before any effect. */
      readonly form: (
        input: Omit<Input<P, Q, B>, 'body'> & { readonly once: RunOnce },
      ) => Promise<ResponseOf<R>>
      readonly handler?: never
    }

interface Precondition<P extends z.ZodType> {
  /** Runs before body validation. Throws RequestRefused if the entity's state forbids the request. */
  readonly precondition?: (
    input: Pick<Input<P, z.ZodType, z.ZodType>, 'deps' | 'caller' | 'params'>,
  ) => Promise<void>
  /** Returns the problems of a body with the field names that responses use. */
  readonly naming?: (
    input: Pick<Input<P, z.ZodType, z.ZodType>, 'deps' | 'caller' | 'params' | 'req'>,
    problems: readonly Problem[],
  ) => Promise<readonly Problem[]>
}

/** The default schema of a path's parameters. */
type ParamsOf<A> = z.ZodType<A extends `${string}/:id${string}` ? { id: string } : undefined>

export function route<
  A extends At,
  P extends z.ZodType = ParamsOf<A>,
  Q extends z.ZodType = z.ZodUndefined,
  B extends z.ZodType = z.ZodUndefined,
  R extends Responses = Responses,
>(options: About & { readonly at: A } & Schemas<P, Q, B, R> & Precondition<P> & Handler<P, Q, B, R>): Route {
  const [method, path] = options.at.split(' ') as [string, string]
  const ofPath = path.includes('/:id') ? idParams : undefined
  const {
    at: _,
    params = ofPath,
    query,
    body,
    response,
    precondition,
    naming,
    handler,
    form,
    ...about
  } = options
  return {
    ...about,
    method: method.toLowerCase() as Method,
    path,
    isForm: form !== undefined,
    schemas: { response, ...(params && { params }), ...(query && { query }), ...(body && { body }) },
    precondition: precondition
      ? async (deps, caller, req) => {
          const parsed = params?.safeParse(req.params)
          if (parsed?.success) await precondition({ deps, caller, params: parsed.data as z.output<P> })
        }
      : null,
    async handle(deps, caller, req, res, once) {
      const read = readParts({ params, query, body: form ? undefined : body }, req)
      const asked = { params: read.params as z.output<P>, query: read.query as z.output<Q> }
      const input = { ...asked, deps, caller, by: byOf(caller, req), req, res }
      if (read.problems.length > 0) {
        const canName = params === undefined || read.params !== undefined
        throw new RequestRefused(...(naming && canName ? await naming(input, read.problems) : read.problems))
      }
      if (form) return form({ ...input, once })
      // The Idempotency-Key covers this content: the body, and the query if there is one.
      const hasQuery = Object.keys(asked.query ?? {}).length > 0
      return once(hasQuery ? [read.body, asked.query] : read.body, (effect) =>
        handler({ ...input, body: read.body as z.output<B>, effect }),
      )
    },
  }
}

type Parts = Readonly<Record<'params' | 'query' | 'body', z.ZodType | undefined>>

/** Parses all parts of a request. A part is undefined if it is invalid or has no schema. */
function readParts({ params, query, body }: Parts, req: Request) {
  const malformed = malformedParameters(req)
  const problems = [...malformed]
  const read = (schema: z.ZodType | undefined, value: unknown): unknown => {
    if (!schema) return undefined
    const checked = checkValue(schema, value)
    problems.push(...checked.problems)
    return checked.data
  }
  return {
    query: read(malformed.length > 0 ? undefined : query, req.query),
    params: read(params, req.params),
    body: read(body, req.body === undefined ? {} : req.body),
    problems: problems as readonly Problem[],
  }
}

/** Returns a problem for each parameter that is repeated, which would be ambiguous, or not in UTF-8. */
function malformedParameters({ query, url }: Request): Problem[] {
  const isReplaced = (value: unknown) => String(value).includes('\ufffd') && !/%EF%BF%BD/i.test(url)
  return Object.entries(query).flatMap(([field, value]): Problem[] => {
    const isRepeated = Array.isArray(value)
    if (!isRepeated && !isReplaced(value)) return []
    const message = isRepeated ? 'Send this parameter once.' : 'Encode this text in UTF-8.'
    return [{ code: 'malformed_request', field, message }]
  })
}
