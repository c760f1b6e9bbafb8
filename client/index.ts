/**
 * Typed client for the Gatehouse API. The types of paths, bodies and responses come from the schemas that validate
 * requests in the service. The client requires `openapi-fetch` and the two files of this folder.
 */
import createClient, { type Client, type ClientOptions, defaultBodySerializer } from 'openapi-fetch'
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
    bodySerializer: toBody,
    ...options,
    headers: token === undefined ? {} : { Authorization: `Bearer ${token}` },
  })

/** Creates a client for the client API. `baseUrl` ends in `/v1`. */
export const createGatehouseClient = (access: Access): Client<ClientPaths> => open<ClientPaths>(access)

/** Creates a client for the operator API. `baseUrl` ends in `/operator/v1`. */
export const createOperatorClient = (access: Access): Client<OperatorPaths> => open<OperatorPaths>(access)

type Fields = Readonly<Record<string, string | Blob | undefined>>

/** Sends a body with a file as a form, and any other body as JSON. */
const toBody = (body: unknown) =>
  typeof body === 'object' && body !== null && Object.values(body).some((each) => each instanceof Blob)
    ? toForm(body as Fields)
    : defaultBodySerializer(body)

/** Returns a form for a body with a file. Unless you pass a `bodySerializer`, the client uses it for such bodies. */
export function toForm(fields: Fields): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.set(name, value)
  return form
}
