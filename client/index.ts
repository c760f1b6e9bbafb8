/**
 * A client of the API for programs in TypeScript: paths, bodies and answers are typed by the same schemas that
 * the service validates with. It needs `openapi-fetch` and the two files of this folder, nothing else.
 */
import createClient, { type Client, type ClientOptions } from 'openapi-fetch'
import type { ClientEvents, ClientPaths, OperatorPaths } from './types.ts'

export type * from './types.ts'

/** The body of a webhook delivery; `data` or `error` holds the event, which its name tells from others. */
export type Delivery = ClientEvents[keyof ClientEvents]

interface Access extends Omit<ClientOptions, 'baseUrl' | 'headers'> {
  readonly baseUrl: string
  /** An API key or an access token; none before signing in. */
  readonly token?: string | undefined
}

const open = <Paths extends object>({ token, ...options }: Access): Client<Paths> =>
  createClient<Paths>({
    ...options,
    headers: token === undefined ? {} : { Authorization: `Bearer ${token}` },
  })

/** For clients: `baseUrl` ends in `/v1`. */
export const createGatehouseClient = (access: Access): Client<ClientPaths> => open<ClientPaths>(access)

/** For operators: `baseUrl` ends in `/operator/v1`. */
export const createOperatorClient = (access: Access): Client<OperatorPaths> => open<OperatorPaths>(access)

/** For `bodySerializer`, where a body is a form with a file. */
export function toForm(fields: Readonly<Record<string, string | Blob | undefined>>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.set(name, value)
  return form
}
