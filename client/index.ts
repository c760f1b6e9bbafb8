/**
 * Typed client for the Gatehouse API. The types of paths, bodies and responses come from the schemas that validate
 * requests in the service. The client requires `openapi-fetch` and the two files of this folder.
 */
import createClient, { type Client, type ClientOptions } from 'openapi-fetch'
import type { ClientEvents, ClientPaths, OperatorPaths } from './types.ts'

export type * from './types.ts'

/** The body of a webhook delivery. `data` or `error` contains the event, whose name is in the field `event`. */
export type Delivery = ClientEvents[keyof ClientEvents]

interface Access extends Omit<ClientOptions, 'baseUrl' | 'headers'> {
  readonly baseUrl: string
  /** An API key or an access token. Omit it when you sign in. */
  readonly token?: string | undefined
}

const open = <Paths extends object>({ token, ...options }: Access): Client<Paths> =>
  createClient<Paths>({
    ...options,
    headers: token === undefined ? {} : { Authorization: `Bearer ${token}` },
  })

/** Creates a client for the client API. `baseUrl` ends in `/v1`. */
export const createGatehouseClient = (access: Access): Client<ClientPaths> => open<ClientPaths>(access)

/** Creates a client for the operator API. `baseUrl` ends in `/operator/v1`. */
export const createOperatorClient = (access: Access): Client<OperatorPaths> => open<OperatorPaths>(access)

/** Returns a form for bodies with a file. Pass this function as `bodySerializer`. */
export function toForm(fields: Readonly<Record<string, string | Blob | undefined>>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.set(name, value)
  return form
}
