/** Creates a user of the client, who can sign in to the console. */
import { randomBytes } from 'node:crypto'
import type { Instance } from '../instance.ts'
import { type ApiOptions, createOperatorApi } from './api.ts'
import { fact } from './screen.ts'

export async function showSeat(instance: Instance, operators: ApiOptions): Promise<void> {
  const { operator_email: email, operator_password: password, vault_id: id, console_url: url } = instance
  const signedOut = createOperatorApi(operators)
  const { data: session } = await signedOut.send((client) =>
    client.POST('/sign_in', { body: { email, password } }),
  )
  const body = {
    email: `client-${randomBytes(3).toString('hex')}@gatehouse.invalid`,
    vaults: [{ id, roles: ['client_admin' as const] }],
    operator_roles: [],
    operator_grants: [],
  }
  const { data } = await createOperatorApi({ ...operators, token: session.access_token }).send(
    (client) => client.POST('/users', { body }),
    201,
  )
  fact('console', url)
  // With ADMIN_FOUR_EYES, a second administrator must confirm the user.
  if (!('one_time_password' in data)) return
  fact('email', data.email)
  fact('one-time password', data.one_time_password)
}
