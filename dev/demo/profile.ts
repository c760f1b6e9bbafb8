/** Changes the profile of a vault, rehearses it and publishes it, and then restores it. */
import type { Operating, SignIn } from './application.ts'
import { expectEqual } from './expect.ts'
import { detail, fact, holds, step } from './screen.ts'

const ADDED = {
  path: 'additional.place_of_birth',
  section: 'details',
  type: 'short_text',
  asked: { field: 'roles', has: 'ubo' },
  required: true,
  label: { en: 'Place of birth', de: 'Geburtsort' },
} as const

export async function changeProfile(
  { signedOut, asOperator }: Operating,
  operator: SignIn,
  vaultId: string,
): Promise<void> {
  step(
    'An administrator adds a question to the profile',
    'A profile says what a vault asks of companies and their owners. A draft is checked and rehearsed first.',
  )
  const { data: session } = await signedOut.look((client) => client.POST('/sign_in', { body: operator }))
  const operators = asOperator(session.access_token)
  const params = { params: { path: { id: vaultId } } }
  const { data: before } = await operators.send((client) => client.GET('/vaults/{id}/profile', params))
  const { rows } = before.document.beneficiary
  const document = { ...before.document, beneficiary: { rows: [...rows, ADDED] } }
  const draft = { ...params, body: { document } }
  await operators.send((client) => client.PUT('/vaults/{id}/profile/draft', draft))
  const checked = await operators.send((client) => client.POST('/vaults/{id}/profile/draft/check', params))
  expectEqual('problems of the draft', checked.data.problems, [])
  const { data } = await operators.send((client) =>
    client.POST('/vaults/{id}/profile/draft/rehearse', params),
  )
  detail(`open and approved applications: ${data.applications}, without a place of birth: ${data.affected}`)
  const published = await operators.send((client) =>
    client.POST('/vaults/{id}/profile/draft/publish', { ...params, body: {} }),
  )
  if (!('version' in published.data)) {
    detail('A second administrator must confirm the publication.')
    return
  }
  fact('version', `${published.data.version}  (applies to new applications; existing ones keep theirs)`)
  holds('the profile asks for the place of birth of each owner')
  detail('The earlier profile is published again, so that the next demo finds it.')
  const restored = { ...params, body: { document: before.document } }
  await operators.look((client) => client.PUT('/vaults/{id}/profile/draft', restored))
  await operators.look((client) => client.POST('/vaults/{id}/profile/draft/publish', { ...params, body: {} }))
}
