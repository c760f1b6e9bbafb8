/** A user of several vaults: what an id reaches, what lists show, and which vault's role counts. */
import { afterAll, describe, expect, test } from 'vitest'
import type { Api } from '../support/api.ts'
import { expectErrors } from '../support/checks.ts'
import { addVault, startInstance, unique } from '../support/instance.ts'
import { signedIn } from '../support/people.ts'

/** Reads the first vault, reads and writes the second; the third is not theirs. */
const kyb: string[] = []
const identification: string[] = []
const account: string[] = []
const vaults: string[] = []
const gatehouse = await startInstance()
await gatehouse.startWorker()
const apis = [gatehouse.api]
vaults.push(gatehouse.vaultId)
for (let n = 0; n < 2; n++) {
  const { api, vaultId } = await addVault(gatehouse)
  apis.push(api)
  vaults.push(vaultId)
}
for (const api of apis) {
  const id = await api.createKyb()
  kyb.push(id)
  const { identification_id } = (await api.get(`/kyb/${id}`)).body.data
  identification.push(identification_id)
  account.push((await api.get(`/identifications/${identification_id}`)).body.data.account_id)
}
const [first = '', second = ''] = vaults
const roles = [
  { id: first, roles: ['api_read'] },
  { id: second, roles: ['api_read', 'api_write'] },
]
const user = (await signedIn(gatehouse, 'client', { vaults: roles })).api
afterAll(() => gatehouse.stop())

test('an id is found in any of their vaults, and in no other', async () => {
  for (const path of [kyb.map((id) => `/kyb/${id}`), identification.map((id) => `/identifications/${id}`)]) {
    const answers = await Promise.all(path.map((each) => user.get(each)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 404])
  }
  const exist = await Promise.all(kyb.map((id) => user.get(`/kyb/validate/${id}`)))
  expect(exist.map(({ body }) => body.exists)).toEqual([true, true, false])
})

test('lists show the first vault, and there is one for each where it is named', async () => {
  const { body } = await user.get('/kyb')
  expect(body.data.map(({ id }: { id: string }) => id)).toEqual([kyb[0]])
  expect((await user.get('/users/settings')).body.data.id).toBe(vaults[0])
  expect((await user.get(`/webhook_logs?vault_id=${vaults[1]}`)).status).toBe(200)
  expect((await user.get(`/webhook_logs?vault_id=${vaults[2]}`)).status).toBe(404)
})

describe('changes', () => {
  const PAYMENT = { amount: '10.00', currency: 'EUR' }
  const CHANGES: [string, (n: number) => ReturnType<Api['get']>][] = [
    ['PATCH /kyb/{id}', (n) => user.patch(`/kyb/${kyb[n]}`, { usage_of_account: { usage: 'Trade' } })],
    ['POST /kyb/upload_file/{id}', (n) => user.upload(kyb[n] ?? '', { attribute: 'aml_policies' })],
    [
      'POST /sandbox/accounts/{id}/simulate_incoming_fiat',
      (n) => user.post(`/sandbox/accounts/${account[n]}/simulate_incoming_fiat`, PAYMENT),
    ],
    ['PUT /identifications/{id}', (n) => user.put(`/identifications/${identification[n]}`, { city: 'Bern' })],
    ['PUT /identifications/{id}/close', (n) => user.put(`/identifications/${identification[n]}/close`)],
  ]
  test.each(CHANGES)('%s needs api_write in the vault that holds it', async (name, change) => {
    const refused = await change(0)
    expect(refused.status).toBe(403)
    expectErrors(refused, 'insufficient_role')
    expect((await change(1)).status).toBe(name.startsWith('POST') ? 201 : 200)
    // Never 403: that it exists is nothing they learn.
    expect((await change(2)).status).toBe(404)
  })
  test('creating is for the first vault, whose role counts', async () => {
    const answer = await user.post('/kyb', { external_id: unique() })
    expect(answer.status).toBe(403)
    expectErrors(answer, 'insufficient_role')
  })
  test('vault-scoped paths find what is in the vault they name', async () => {
    const body = { reason: 'other', notes: 'x' }
    const block = (vault: number, id: number) =>
      user.post(`/vaults/${vaults[vault]}/identifications/${identification[id]}/block`, body)
    expect((await block(0, 0)).status).toBe(403)
    expect((await block(1, 0)).status).toBe(404)
    expect((await block(2, 2)).status).toBe(404)
  })
})
