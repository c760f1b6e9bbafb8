/** A route as data: method, path, role and request schemas beside its handler. */
import type { Request, Response } from 'express'
import type { z } from 'zod'
import { problemsOf } from '../contracts/common.ts'
import type { ClientRole, OperatorRole } from '../domain/access.ts'
import { type Problem, RequestRefused } from '../domain/errors.ts'
import type { Caller } from './authentication.ts'

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

export interface Answer {
  /** 200 unless said otherwise. */
  readonly status?: number
  readonly body: object
}

export interface Route {
  readonly method: Method
  readonly path: string
  /** `signed_in` is every user and operator with a token; API keys belong to nobody. */
  readonly role: ClientRole | OperatorRole | 'signed_in' | 'public'
  /** The handler reads the body, a multipart form, itself; all other bodies are JSON. */
  readonly form?: boolean
  readonly handle: (caller: Caller, req: Request, res: Response) => Promise<Answer>
}

interface RouteOptions<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType>
  extends Pick<Route, 'method' | 'path' | 'role' | 'form'> {
  readonly params?: P
  readonly query?: Q
  readonly body?: B
  readonly handler: (input: {
    readonly caller: Caller
    readonly params: z.output<P>
    readonly query: z.output<Q>
    readonly body: z.output<B>
    readonly req: Request
    readonly res: Response
  }) => Promise<Answer>
}

/** Checks the request against the schemas, all parts at once, before the handler sees it. */
export function route<
  P extends z.ZodType = z.ZodUndefined,
  Q extends z.ZodType = z.ZodUndefined,
  B extends z.ZodType = z.ZodUndefined,
>(options: RouteOptions<P, Q, B>): Route {
  const { method, path, role, form = false, handler } = options
  return {
    method,
    path,
    role,
    form,
    async handle(caller, req, res) {
      const problems: Problem[] = []
      const read = <S extends z.ZodType>(schema: S | undefined, value: unknown) => {
        const parsed = schema?.safeParse(value, { reportInput: true })
        if (parsed?.error) problems.push(...problemsOf(parsed.error))
        return parsed?.data as z.output<S>
      }
      const params = read(options.params, req.params)
      const query = read(options.query, req.query)
      const body = read(options.body, req.body === undefined ? {} : req.body)
      if (problems.length > 0) throw new RequestRefused(...problems)
      return handler({ params, query, body, caller, req, res })
    },
  }
}

/** The value as the schema reads it. Throws RequestRefused with every problem. */
export function check<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const parsed = schema.safeParse(value, { reportInput: true })
  if (!parsed.success) throw new RequestRefused(...problemsOf(parsed.error))
  return parsed.data
}

/** Every problem of the value. */
export function problemsIn(schema: z.ZodType, value: unknown): Problem[] {
  const { error } = schema.safeParse(value, { reportInput: true })
  return error ? problemsOf(error) : []
}
