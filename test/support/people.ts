/** Users, operators and keys for tests, created over the operator API. */
import { type Api, createApi } from './api.ts'
import { type Instance, unique } from './instance.ts'

export const PASSWORD = 'a password of their own'

export interface Person {
  readonly id: string
  readonly email: string
  readonly oneTimePassword: string
}

interface Roles {
  /** The email, if the test compares it with a picture. */
  readonly email?: string
  readonly vaults?: readonly { id: string; roles: readonly string[] }[]
  readonly operator_roles?: readonly string[]
  readonly operator_grants?: readonly { role: string; vault_id: string | null }[]
}

export async function createPerson(
  gatehouse: Instance,
  { email = `${unique()}@example.com`, ...roles }: Roles,
): Promise<Person> {
  const operator = await gatehouse.operator()
  const { data } = (await operator.post('/users', { email, ...roles })).body
  return { id: data.id, email, oneTimePassword: data.one_time_password }
}

export const baseOf = ({ baseUrl }: Instance, audience: 'client' | 'operator') =>
  `${baseUrl}${audience === 'client' ? '/v1' : '/operator/v1'}`

/** Signs the person in to the API of their audience. */
export async function signIn(
  gatehouse: Instance,
  audience: 'client' | 'operator',
  credentials: { email: string; password: string; otp_attempt?: string },
): Promise<Awaited<ReturnType<Api['post']>>> {
  return createApi(baseOf(gatehouse, audience), '').post('/sign_in', credentials)
}

/** Creates a person who has set a password and is signed in. */
export async function signedIn(gatehouse: Instance, audience: 'client' | 'operator', roles: Roles) {
  const person = await createPerson(gatehouse, roles)
  const base = baseOf(gatehouse, audience)
  const first = await signIn(gatehouse, audience, { email: person.email, password: person.oneTimePassword })
  const change = { current_password: person.oneTimePassword, new_password: PASSWORD }
  const { body } = await createApi(base, first.body.data.access_token).post('/users/change_password', change)
  const token: string = body.data.access_token
  return { ...person, token, api: createApi(base, token) }
}

/** Creates a key for the first vault of the instance, or for another vault. */
export async function createKey(gatehouse: Instance, body: object, vaultId = gatehouse.vaultId) {
  const operator = await gatehouse.operator()
  const { data } = (await operator.post(`/vaults/${vaultId}/api_keys`, body)).body
  const key: string = data.key
  return { id: data.id as string, key, data, api: createApi(`${gatehouse.baseUrl}/v1`, key) }
}
