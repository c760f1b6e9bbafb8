/** Tests `PUT /kyb/delete_file/{id}`. */
import { beforeEach, describe, expect, test } from 'vitest'
import { expectRefusal, tracesOf } from '../../support/checks.ts'
import { sharedInstance, unique } from '../../support/instance.ts'
import { completeSections, UBO } from '../../support/kyb.ts'

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
  test('removes the file from its list, and detaches it', async () => {
    expect(await remove(file.id)).toMatchObject({ status: 200, body: { message: expect.any(String) } })
    expect((await api.get(`/kyb/${id}`)).body.data.business_files.legal_structures).toEqual([])
    expect((await tracesOf(gatehouse, id)).files).toBe(0)
  })

  test('accepts the key in upper case', async () => {
    expect((await remove(file.id.toUpperCase())).status).toBe(200)
    expect((await api.get(`/kyb/${id}`)).body.data.business_files.legal_structures).toEqual([])
  })

  test('keeps the other files of the list', async () => {
    const { body: other } = await api.upload(id, { attribute: 'legal_structures' })
    await remove(file.id)
    expect((await api.get(`/kyb/${id}`)).body.data.business_files.legal_structures).toEqual([other])
    expect((await gatehouse.blobs.read(other.id)).length).toBeGreaterThan(0)
  })

  test('keeps a file until the last list with it is changed', async () => {
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

  test('deletes a beneficiary’s document by its attribute', async () => {
    const { body } = await api.upload(id, { attribute: 'proof_address', email: UBO })
    expect((await remove(body.id, 'proof_address')).status).toBe(200)
    const { beneficiaries } = (await api.get(`/kyb/${id}`)).body.data
    expect(beneficiaries.beneficiaries_list[0].proof_address).toEqual([])
  })
})

describe('a refused PUT /kyb/delete_file/{id}', () => {
  const refused = (
    ...args: [Parameters<typeof expectRefusal>[2], number, ...Parameters<typeof expectRefusal>[4][]]
  ) => expectRefusal(gatehouse, id, ...args)

  // The error names the field, because the application itself exists.
  const NO_SUCH_FILE = { code: 'not_found', field: 'blob_key' }
  test('returns 404 for an unknown file', () => refused(() => remove(unique()), 404, NO_SUCH_FILE))
  test('returns 404 for the wrong attribute', () =>
    refused(() => remove(file.id, 'aml_policies'), 404, NO_SUCH_FILE))
  test('returns 404 if the file is already deleted', async () => {
    await remove(file.id)
    await refused(() => remove(file.id), 404, 'not_found')
  })
  test('returns 422 if the attribute is not a file list', () =>
    refused(() => remove(file.id, 'signature_type'), 422, { code: 'invalid', field: 'attribute_key' }))
  test('returns 422 with both fields if the body is empty', () =>
    refused(
      () => api.put(`/kyb/delete_file/${id}`, {}),
      422,
      { code: 'required', field: 'blob_key' },
      { code: 'required', field: 'attribute_key' },
    ))
  test('returns 422 if the key is not an ID', () =>
    refused(() => remove('../../x'), 422, { code: 'invalid', field: 'blob_key' }))
  test('returns 404 for a file of another application', async () => {
    const other = await api.createKyb()
    const { body } = await api.upload(other, { attribute: 'legal_structures' })
    await refused(() => remove(body.id), 404, 'not_found')
  })
  test('returns 403 if the application is processed', async () => {
    await api.post(`/sandbox/kyb/${id}/simulate_review`, { outcome: 'approved' })
    await refused(() => remove(file.id), 403, 'kyb_processed')
  })
})
