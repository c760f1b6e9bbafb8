/** `PUT /kyb/delete_file/{id}`. */
import { beforeEach, describe, expect, test } from 'vitest'
import { expectRefusal, tracesOf } from '../support/checks.ts'
import { addVault, sharedInstance, unique } from '../support/instance.ts'
import { completeSections, UBO } from '../support/kyb.ts'

let id: string
let file: { id: string; name: string }
const gatehouse = await sharedInstance({ worker: true })
const { api } = gatehouse
beforeEach(async () => {
  id = await api.createKyb(unique(), completeSections())
  file = (await api.upload(id, { attribute: 'legal_structures' })).body
})

const remove = (blob_key: unknown, attribute_key: unknown = 'legal_structures') =>
  api.put(`/kyb/delete_file/${id}`, { blob_key, attribute_key })

describe('PUT /kyb/delete_file/{id}', () => {
  test('takes the file off its list and detaches it', async () => {
    expect(await remove(file.id)).toMatchObject({ status: 200, body: { message: expect.any(String) } })
    expect((await api.get(`/kyb/${id}`)).body.data.business_files.legal_structures).toEqual([])
    expect((await tracesOf(gatehouse, id)).files).toBe(0)
  })

  test('the key may be written in upper case', async () => {
    expect((await remove(file.id.toUpperCase())).status).toBe(200)
    expect((await api.get(`/kyb/${id}`)).body.data.business_files.legal_structures).toEqual([])
  })

  test('other files of the list stay', async () => {
    const { body: other } = await api.upload(id, { attribute: 'legal_structures' })
    await remove(file.id)
    expect((await api.get(`/kyb/${id}`)).body.data.business_files.legal_structures).toEqual([other])
    expect((await gatehouse.blobs.read(other.id)).length).toBeGreaterThan(0)
  })

  test('a file that another list names too stays until that one lets go of it', async () => {
    await api.patch(`/kyb/${id}`, { business_files: { residence_proofs: [file] } })
    await remove(file.id)
    expect((await api.get(`/kyb/${id}`)).body.data.business_files).toMatchObject({
      legal_structures: [],
      residence_proofs: [file],
    })
    expect((await gatehouse.blobs.read(file.id)).length).toBeGreaterThan(0)
    expect((await tracesOf(gatehouse, id)).files).toBe(1)
    await remove(file.id, 'residence_proofs')
    expect((await tracesOf(gatehouse, id)).files).toBe(0)
  })

  test('a beneficiary’s document is deleted by its attribute', async () => {
    const { body } = await api.upload(id, { attribute: 'proof_address', email: UBO })
    expect((await remove(body.id, 'proof_address')).status).toBe(200)
    const { beneficiaries } = (await api.get(`/kyb/${id}`)).body.data
    expect(beneficiaries.beneficiaries_list[0].proof_address).toEqual([])
  })
})

describe('a deletion that is refused leaves everything as it was', () => {
  const refused = (
    ...args: [Parameters<typeof expectRefusal>[2], number, ...Parameters<typeof expectRefusal>[4][]]
  ) => expectRefusal(gatehouse, id, ...args)

  // The application is there, and is not what is told to be missing.
  const NO_SUCH_FILE = { code: 'not_found', field: 'blob_key' }
  test('a file that is not there: 404', () => refused(() => remove(unique()), 404, NO_SUCH_FILE))
  test('the wrong attribute: 404', () => refused(() => remove(file.id, 'aml_policies'), 404, NO_SUCH_FILE))
  test('deleted already: 404', async () => {
    await remove(file.id)
    await refused(() => remove(file.id), 404, 'not_found')
  })
  test('an attribute that is no file list: 422', () =>
    refused(() => remove(file.id, 'signature_type'), 422, { code: 'invalid', field: 'attribute_key' }))
  test('nothing named: 422 with both fields', () =>
    refused(
      () => api.put(`/kyb/delete_file/${id}`, {}),
      422,
      { code: 'required', field: 'blob_key' },
      { code: 'required', field: 'attribute_key' },
    ))
  test('a key that is no id: 422', () =>
    refused(() => remove('../../x'), 422, { code: 'invalid', field: 'blob_key' }))
  test('a file of another application: 404', async () => {
    const other = await api.createKyb()
    const { body } = await api.upload(other, { attribute: 'legal_structures' })
    await refused(() => remove(body.id), 404, 'not_found')
  })
  test('a key that may only read: 403', () =>
    refused(
      () =>
        gatehouse.reader.put(`/kyb/delete_file/${id}`, {
          blob_key: file.id,
          attribute_key: 'legal_structures',
        }),
      403,
      'insufficient_role',
    ))
  test('a key of another vault: 404', async () => {
    const { api: stranger } = await addVault(gatehouse)
    await refused(
      () => stranger.put(`/kyb/delete_file/${id}`, { blob_key: file.id, attribute_key: 'legal_structures' }),
      404,
      'not_found',
    )
  })
  test('a processed application: 403', async () => {
    await api.post(`/sandbox/kyb/${id}/simulate_review`, { outcome: 'approved' })
    await refused(() => remove(file.id), 403, 'kyb_processed')
  })
})
