/** Calls the API the way a client's program would, and shows every call with the status of its answer. */
import { Unmet } from './expect.ts'
import { showCall } from './screen.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH'

export interface Api {
  /** Shows the call; any other status than the expected one ends the demo. */
  send<T>(
    method: Method,
    path: string,
    body?: object | FormData,
    expected?: number,
    note?: string,
  ): Promise<T>
  /** A GET that is not shown, for looking again and again. */
  look<T>(path: string): Promise<T>
}

export interface ApiOptions {
  readonly baseUrl: string
  /** None before signing in. */
  readonly token?: string
  /** Put before the paths that are shown, where they are not those of the client's API. */
  readonly shownPrefix?: string
  readonly stopped?: AbortSignal
}

const DEADLINE_MS = 20_000

export function createApi({ baseUrl, token, shownPrefix = '', stopped }: ApiOptions): Api {
  async function request(method: Method, path: string, body?: object | FormData) {
    const deadline = AbortSignal.timeout(DEADLINE_MS)
    const isForm = body instanceof FormData
    try {
      const response = await fetch(`${baseUrl}${path}`, {
        method,
        headers: {
          ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
          // A form states its own type, with the boundary between its parts.
          ...(body === undefined || isForm ? {} : { 'Content-Type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
        signal: stopped ? AbortSignal.any([stopped, deadline]) : deadline,
      })
      return { status: response.status, text: await response.text() }
    } catch (error) {
      stopped?.throwIfAborted()
      throw new Unmet(`${method} ${shownPrefix}${path}\nexpected: an answer\ncame:     ${reasonOf(error)}`)
    }
  }

  async function checked<T>(method: Method, path: string, expected: number, answer: Answer): Promise<T> {
    const json = parsed(answer.text)
    if (answer.status === expected && json !== undefined) return json as T
    throw new Unmet(
      `${method} ${shownPrefix}${path}\nexpected: ${expected} and a JSON body\n` +
        `came:     ${answer.status} ${answer.text.slice(0, 1_000) || '(no body)'}`,
    )
  }

  return {
    async send(method, path, body, expected = 200, note) {
      const answer = await request(method, path, body)
      showCall(method, `${shownPrefix}${path}`, answer.status, note)
      return checked(method, path, expected, answer)
    },
    async look(path) {
      return checked('GET', path, 200, await request('GET', path))
    },
  }
}

interface Answer {
  readonly status: number
  readonly text: string
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError')
    return `none within ${DEADLINE_MS / 1_000} seconds`
  const { code } = ((error as Error).cause ?? {}) as { code?: string }
  return code === 'ECONNREFUSED'
    ? 'a refused connection (has the instance been stopped?)'
    : (code ?? String(error))
}
