/** Calls the API with the typed client, and prints each call with its status. */
import { createGatehouseClient, createOperatorClient } from '../../client/index.ts'
import { UserFacingError } from '../user-facing-error.ts'
import { showCall } from './screen.ts'

interface Result<D, E> {
  readonly data?: D
  readonly error?: E
  readonly response: Response
}

export interface Calls<Client> {
  /** Prints the call and returns its response. Ends the demo on any status except the expected one. */
  send<D, E>(call: (client: Client) => Promise<Result<D, E>>, expected?: number, note?: string): Promise<D>
  /** Prints a call that must be refused, and returns the refusal. */
  refused<D, E>(call: (client: Client) => Promise<Result<D, E>>, expected: number): Promise<E>
  /** Calls without printing, to poll for a result. */
  look<D, E>(call: (client: Client) => Promise<Result<D, E>>): Promise<D>
}

export type Api = Calls<ReturnType<typeof createGatehouseClient>>
export type OperatorApi = Calls<ReturnType<typeof createOperatorClient>>

export interface ApiOptions {
  readonly baseUrl: string
  /** Undefined before signing in. */
  readonly token?: string
  readonly stopped?: AbortSignal
}

const DEADLINE_MS = 60_000

export const createApi = (options: ApiOptions): Api => callsOf(createGatehouseClient, '', options)

/** Prints operator API paths in full, because their prefix differs from the client API's prefix. */
export const createOperatorApi = (options: ApiOptions): OperatorApi =>
  callsOf(createOperatorClient, '/operator/v1', options)

type Open<Client> = (access: ApiOptions & { fetch: (request: Request) => Promise<Response> }) => Client

function callsOf<Client>(open: Open<Client>, shownPrefix: string, options: ApiOptions): Calls<Client> {
  const { baseUrl, stopped } = options
  const shown = new WeakMap<Response, { method: string; path: string }>()
  const nameOf = ({ method, url }: Request) => ({ method, path: shownPrefix + url.slice(baseUrl.length) })
  const client = open({
    ...options,
    async fetch(request) {
      const deadline = AbortSignal.timeout(DEADLINE_MS)
      try {
        const signal = stopped ? AbortSignal.any([stopped, deadline]) : deadline
        const response = await fetch(request, { signal })
        shown.set(response, nameOf(request))
        return response
      } catch (error) {
        stopped?.throwIfAborted()
        const { method, path } = nameOf(request)
        throw new UserFacingError(`${method} ${path}\nExpected: a response\nReceived: ${reasonOf(error)}`)
      }
    },
  })

  function check({ data, error, response }: Result<unknown, unknown>, expected: number): void {
    if (response.status === expected) return
    const { method, path } = shown.get(response) ?? { method: '', path: '' }
    const came = JSON.stringify(error ?? data)?.slice(0, 1_000) ?? '(no body)'
    throw new UserFacingError(
      `${method} ${path}\nExpected: ${expected} and a JSON body\nReceived: ${response.status} ${came}`,
    )
  }
  function show(response: Response, note?: string): void {
    const call = shown.get(response)
    if (call) showCall(call.method, call.path, response.status, note)
  }

  return {
    async send(call, expected = 200, note) {
      const result = await call(client)
      show(result.response, note)
      check(result, expected)
      return result.data as NonNullable<typeof result.data>
    },
    async refused(call, expected) {
      const result = await call(client)
      show(result.response)
      check(result, expected)
      return result.error as NonNullable<typeof result.error>
    },
    async look(call) {
      const result = await call(client)
      check(result, 200)
      return result.data as NonNullable<typeof result.data>
    },
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError')
    return `no response within ${DEADLINE_MS / 1_000} seconds`
  const { code } = ((error as Error).cause ?? {}) as { code?: string }
  return code === 'ECONNREFUSED'
    ? 'a refused connection. Check that the instance is running.'
    : (code ?? String(error))
}
