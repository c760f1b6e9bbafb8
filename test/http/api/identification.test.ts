/** Tests `GET /identifications` and `GET /identifications/{id}` without a worker. */
import { describe, expect, test } from 'vitest'
import { addVault, sharedInstance, unique } from '../../support/instance.ts'

const gatehouse = await sharedInstance()
const { api } = gatehouse
const stranger = (await addVault(gatehouse)).api

const find = async (externalUuid: string, by = api) =>
  (await by.get(`/identifications?filter[external_uuid]=${encodeURIComponent(externalUuid)}`)).body

describe('GET /identifications/{id}', () => {
  test('returns the specified fields and the review of a company, with the name of its application', async () => {
    const externalId = unique()
    const { body } = await api.post('/kyb', {
      external_id: externalId,
      nature_of_business: { legal_company_name: 'Zürich AG' },
    })
    const { status, body: found } = await api.get(`/identifications/${body.data.identification_id}`)
    expect(status).toBe(200)
    const { verified, ...listed } = found.data
    expect(verified).toBeNull()
    expect(listed).toEqual({
      id: body.data.identification_id,
      status: 'initiated',
      name: 'Zürich AG',
      surname: '',
      external_uuid: externalId,
      account_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      account_referral: expect.stringMatching(/^[A-HJ-NP-Z2-9]{8}$/),
      kyb_id: body.data.id,
      blocks: [],
      review: null,
      waiting_on: 'client',
      review_state: 'not_submitted',
      version: 1,
      updated_at: expect.any(Number),
      created_at: expect.any(Number),
    })
    expect(Math.abs(found.data.created_at - Date.now() / 1000)).toBeLessThan(120)
    expect((await find(externalId)).data).toEqual([listed])
  })
})

describe('GET /identifications', () => {
  test('finds exactly one external_uuid, with its exact characters', async () => {
    for (const externalId of [`${unique()} ü&=%_`, `${unique()}%`, `${unique()}'"--`]) {
      await api.createKyb(externalId)
      expect((await find(externalId)).data).toMatchObject([{ external_uuid: externalId }])
      expect((await find(externalId.toUpperCase())).data).toEqual([])
    }
    expect(await find('%')).toMatchObject({ data: [], pagination: { total_count: 0, total_pages: 1 } })
  })

  test('does not find the external_uuid of another vault', async () => {
    const externalId = unique()
    await stranger.createKyb(externalId)
    expect((await find(externalId)).data).toEqual([])
    expect((await find(externalId, stranger)).data).toHaveLength(1)
  })

  test('lists the newest first in pages of 25, and each identification appears once', async () => {
    const { api: own } = await addVault(gatehouse)
    const externalIds = Array.from({ length: 27 }, unique)
    for (const externalId of externalIds) await own.createKyb(externalId)
    const first = (await own.get('/identifications')).body
    expect(first.pagination).toEqual({ current_page: 1, per_page: 25, total_pages: 2, total_count: 27 })
    const second = (await own.get('/identifications?page=2')).body
    const listed = [...first.data, ...second.data].map(
      ({ external_uuid }: { external_uuid: string }) => external_uuid,
    )
    expect(listed).toEqual(externalIds.reverse())
    const three = (await own.get('/identifications?per_page=3&page=2')).body
    expect(three.data).toEqual(first.data.slice(3, 6))
  })

  test.each([
    ['page=0', 422],
    ['per_page=-1', 422],
    ['page=abc', 400],
    ['per_page=1.5', 400],
    ['filter[name]=x', 422],
    ['review=pending', 422],
    ['waiting_on=nobody', 422],
    ['status=open', 422],
    ['updated_since=2026-01-01', 400],
    ['filter[external_uuid]=%00', 422],
    [`filter[external_uuid]=${'x'.repeat(256)}`, 422],
  ])('responds to %s with %i', async (query, status) => {
    expect((await api.get(`/identifications?${query}`)).status).toBe(status)
  })
})
