/** Tests the isolation of vaults in lists and between resources. */
import { describe, expect, test } from 'vitest'
import { expectErrors } from '../../support/checks.ts'
import { addVault, sharedInstance } from '../../support/instance.ts'
import { completeApplication } from '../../support/kyb.ts'

const gatehouse = await sharedInstance({ worker: true })
const other = await addVault(gatehouse)
const stranger = other.api
const strangersVault = other.vaultId
const application = await completeApplication(gatehouse.api)
const kyb = application.id
const file = application.files.evidence_of_ubos ?? ''
const identification = (await gatehouse.api.get(`/kyb/${kyb}`)).body.data.identification_id

const deletion = () => ({ blob_key: file, attribute_key: 'evidence_of_ubos' })

describe('a caller', () => {
  test('gets 403 before the body is parsed', async () => {
    const answer = await gatehouse.reader.send('PATCH', `/kyb/${kyb}`, '{')
    expect(answer.status).toBe(403)
  })
})

describe('a caller of another vault', () => {
  test('does not see the resources of the vault in lists', async () => {
    for (const path of ['/kyb', '/identifications']) {
      expect((await stranger.get(path)).body).toMatchObject({ data: [], pagination: { total_count: 0 } })
    }
    expect((await stranger.get('/users/settings')).body.data.id).toBe(strangersVault)
  })
  test('cannot use the ID of a file of the vault', async () => {
    const own = await stranger.createKyb()
    const answer = await stranger.patch(`/kyb/${own}`, {
      business_files: { legal_structures: [{ id: file }] },
    })
    expect(answer.status).toBe(422)
    expectErrors(answer, 'unknown_file')
    expect((await stranger.put(`/kyb/delete_file/${own}`, deletion())).status).toBe(404)
  })
  test('sees the data of the vault as an operator, except on paths that only clients use', async () => {
    const operator = await gatehouse.operator()
    expect((await operator.get(`/kyb/${kyb}/timeline`)).status).toBe(200)
    expect((await operator.get(`/identifications/${identification}/timeline`)).status).toBe(200)
    expect((await operator.get(`/kyb/${identification}/timeline`)).status).toBe(404)
    expect((await operator.get(`/kyb/${kyb}`)).body.data.id).toBe(kyb)
    expect((await operator.get(`/kyb/validate/${kyb}`)).status).toBe(404)
  })
})
