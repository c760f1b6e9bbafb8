/** Tests the review of applications: decisions of operators and the sandbox, corrections, and the final lock. */

import { describe, expect, test } from 'vitest'
import { expectErrors, expectRefusal, settled, tracesOf } from '../../support/checks.ts'
import { isChange } from '../../support/identification.ts'
import { addVault, eventually, sharedInstance, unique } from '../../support/instance.ts'
import { completeApplication, completeSections } from '../../support/kyb.ts'

const gatehouse = await sharedInstance({ worker: true })
const { api } = gatehouse
const operator = await gatehouse.operator()

const read = async (id: string) => (await api.get(`/kyb/${id}`)).body.data
const decide = (id: string, body: object) => operator.post(`/kyb/${id}/decision`, body)
const simulate = (id: string, body: object) => api.post(`/sandbox/kyb/${id}/simulate_review`, body)
const identificationOf = async (id: string) =>
  (await api.get(`/identifications/${(await read(id)).identification_id}`)).body.data
const becomes = (id: string, status: string) =>
  eventually(async () => expect((await identificationOf(id)).status).toBe(status))

test('shows the party that an application and its identification wait on, and filters lists by it', async () => {
  const { api: own } = await addVault(gatehouse)
  const other = await own.createKyb()
  const { id } = await completeApplication(own)
  const { identification_id } = (await own.get(`/kyb/${id}`)).body.data
  const versions: number[] = []
  const isTurn = (waiting_on: string | null, review_state: string) =>
    eventually(async () => {
      const application = (await own.get(`/kyb/${id}`)).body.data
      const one = await own.get(`/identifications/${identification_id}`)
      const { verified: _, ...identification } = one.body.data
      expect([application, identification]).toMatchObject([
        { waiting_on, review_state },
        { waiting_on, review_state },
      ])
      versions.push(application.version)
      for (const [path, data] of [
        ['/kyb', application],
        ['/identifications', identification],
      ] as const) {
        const found = async (query: string) => (await own.get(`${path}?${query}`)).body
        const party = waiting_on ? `&waiting_on=${waiting_on}` : ''
        const since = `updated_since=${data.updated_at}`
        const one = await found(`review=${review_state}${party}&${since}`)
        expect(one).toMatchObject({ data: [data], pagination: { total_count: 1 } })
        expect((await found('review=rejected')).data).toEqual([])
        expect((await found(`${since}&per_page=1`)).data).toEqual([data])
        const others = await found('waiting_on=client')
        expect(others.pagination.total_count).toBe(waiting_on === 'client' ? 2 : 1)
      }
    })
  await isTurn('operator', 'in_review')
  const asked = { outcome: 'revision_requested', reason_code: 'other', client_comment: 'Look' }
  const fields = ['nature_of_business.phone']
  await own.post(`/sandbox/kyb/${id}/simulate_review`, { ...asked, fields })
  await isTurn('client', 'revision_requested')
  await own.patch(`/kyb/${id}`, { nature_of_business: { phone: '+4930999999' } })
  await isTurn('operator', 'in_review')
  const approved = { outcome: 'approved', reason_code: 'complete' }
  await own.post(`/sandbox/kyb/${id}/simulate_review`, approved)
  await isTurn(null, 'approved')
  expect(versions).toEqual(versions.toSorted((a, b) => a - b))
  const { data } = (await own.get('/identifications?status=approved')).body
  expect(data).toMatchObject([{ id: identification_id }])
  expect((await own.get('/kyb?status=open')).body.data).toMatchObject([{ id: other }])
  // The client can send back the data that it has read.
  const read = (await own.get(`/kyb/${other}`)).body.data
  expect((await own.patch(`/kyb/${other}`, read)).status).toBe(200)
})

describe('POST /operator/v1/kyb/{id}/decision', () => {
  test.each([
    ['approved', 'complete'],
    ['rejected', 'high_risk'],
  ] as const)(
    'locks the application and updates its identification if the outcome is %s',
    async (outcome, reason_code) => {
      const { id } = await completeApplication(api)
      const comment = { reason_code, client_comment: 'Thank you', internal_note: 'INTERNAL' }
      const answer = await decide(id, { outcome, ...comment })
      expect(answer.status).toBe(200)
      const review = {
        outcome,
        reason_code,
        client_comment: 'Thank you',
        decided_at: expect.any(Number),
      }
      expect(answer.body.data).toMatchObject({ id, status: { completed: true, processed: true }, review })
      // A beneficiary's link authorises actions for that person.
      expect(JSON.stringify(answer.body)).not.toContain('/verify/')
      expect(await read(id)).toMatchObject({ status: { processed: true }, review })
      expect(JSON.stringify(await read(id))).not.toContain('INTERNAL')
      await becomes(id, outcome)
      const { review: shown } = await identificationOf(id)
      expect(shown).toMatchObject({ outcome, reason_code, client_comment: 'Thank you' })
    },
  )

  test('records the internal note, the comment and the operator in the timeline', async () => {
    const id = await api.createKyb()
    await decide(id, {
      outcome: 'rejected',
      reason_code: 'high_risk',
      client_comment: 'Sorry',
      internal_note: 'Note',
    })
    const { body } = await operator.get(`/kyb/${id}/timeline`)
    expect(body.data[0]).toMatchObject({
      action: 'created',
      to: 'open',
      actor: expect.stringMatching(/^api_key:/),
    })
    expect(body.data.filter(isChange).at(-1)).toMatchObject({
      action: 'reject',
      actor: expect.stringMatching(/^operator:/),
      from: 'open',
      to: 'processed',
      reason_code: 'high_risk',
      client_comment: 'Sorry',
      internal_note: 'Note',
    })
  })

  test('returns 422 requirements_due for the approval of an incomplete application', async () => {
    const id = await api.createKyb(unique(), completeSections())
    await settled(gatehouse, id)
    await expectRefusal(
      gatehouse,
      id,
      () => decide(id, { outcome: 'approved', reason_code: 'complete' }),
      422,
      'requirements_due',
    )
    expect((await identificationOf(id)).status).toBe('initiated')
  })

  test('allows the rejection of an incomplete application', async () => {
    const id = await api.createKyb()
    expect((await decide(id, { outcome: 'rejected', reason_code: 'sanctions_match' })).status).toBe(200)
    expect((await read(id)).status).toEqual({ completed: false, processed: true })
    await becomes(id, 'rejected')
  })

  test('returns 422 for a second decision, and changes nothing', async () => {
    const { id } = await completeApplication(api)
    await decide(id, { outcome: 'approved', reason_code: 'complete' })
    for (const outcome of ['approved', 'rejected', 'revision_requested']) {
      const again = { outcome, reason_code: 'other' }
      await expectRefusal(gatehouse, id, () => decide(id, again), 422, 'kyb_processed')
      await expectRefusal(gatehouse, id, () => simulate(id, again), 422, 'kyb_processed')
    }
    expect((await read(id)).review).toMatchObject({ outcome: 'approved', reason_code: 'complete' })
  })

  test('accepts one of ten concurrent decisions', async () => {
    const { id } = await completeApplication(api)
    const outcomes = Array.from({ length: 10 }, (_, n) => (n % 2 === 0 ? 'approved' : 'rejected'))
    const answers = await Promise.all(
      outcomes.map((outcome) => decide(id, { outcome, reason_code: 'other' })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(422)])
    const winner = outcomes[answers.findIndex(({ status }) => status === 200)] ?? ''
    expect((await read(id)).review.outcome).toBe(winner)
    await becomes(id, winner)
  })

  test('returns 422 with every invalid field and path', async () => {
    const id = await api.createKyb()
    const answer = await decide(id, { outcome: 'maybe', client_comment: 5, more: 1 })
    expect(answer.status).toBe(422)
    expectErrors(
      answer,
      { code: 'invalid', field: 'outcome' },
      { code: 'required', field: 'reason_code' },
      { code: 'invalid', field: 'client_comment' },
      { code: 'unknown_field', field: 'more' },
    )
    const fields = ['nature_of_business.phone', 'nature_of_business.nothing']
    const paths = await decide(id, { outcome: 'revision_requested', reason_code: 'other', fields })
    expect(paths.status).toBe(422)
    expectErrors(paths, { code: 'invalid', field: 'fields.1' })
  })
})

describe('revision requests', () => {
  test('keep the application open, and list each correction until the client makes it', async () => {
    const { id, files } = await completeApplication(api)
    const fields = ['nature_of_business.phone', 'business_files.articles_of_association']
    const reason = { reason_code: 'documents_unreadable', client_comment: 'Please scan again' }
    const { status } = await decide(id, { outcome: 'revision_requested', ...reason, fields })
    expect(status).toBe(200)
    const error = (path: string | undefined) => ({
      path,
      code: reason.reason_code,
      message: reason.client_comment,
    })
    expect(await read(id)).toMatchObject({
      status: { completed: true, processed: false },
      requirements: { currently_due: [], errors: fields.map(error) },
      review: { outcome: 'revision_requested' },
    })

    await api.patch(`/kyb/${id}`, { nature_of_business: { phone: '+4930123456', city_address: 'Hamburg' } })
    expect((await read(id)).requirements.errors).toEqual(fields.map(error))
    await api.patch(`/kyb/${id}`, { nature_of_business: { phone: '+4930999999' } })
    expect((await read(id)).requirements.errors).toEqual([error(fields[1])])
    await api.upload(id, { attribute: 'articles_of_association' })
    expect((await read(id)).requirements.errors).toEqual([])
    await api.put(`/kyb/delete_file/${id}`, {
      blob_key: files.articles_of_association,
      attribute_key: 'articles_of_association',
    })
    expect(await read(id)).toMatchObject({ status: { completed: true }, requirements: { errors: [] } })

    expect((await identificationOf(id)).status).toBe('initiated')
    expect((await decide(id, { outcome: 'approved', reason_code: 'complete' })).status).toBe(200)
    await becomes(id, 'approved')
  })

  test('require a comment or findings from operators', async () => {
    const { id } = await completeApplication(api)
    const asked = { outcome: 'revision_requested', reason_code: 'other' }
    expectErrors(await decide(id, asked), { code: 'required', field: 'client_comment' })
    const findings = [{ path: 'nature_of_business.phone', code: 'mismatch' }]
    expect((await decide(id, { ...asked, findings })).status).toBe(200)
  })

  test('accept replies over the API, which return the application to review', async () => {
    const { id } = await completeApplication(api)
    const path = 'nature_of_business.phone'
    const findings = [{ path, code: 'mismatch', comment: 'Another number?' }]
    await decide(id, { outcome: 'revision_requested', reason_code: 'other', findings })
    const reply = (body: object) => api.post(`/kyb/${id}/replies`, body)
    expectErrors(await reply({ path: 'nature_of_business.email', reply: 'x' }), {
      code: 'invalid',
      field: 'path',
    })
    expectErrors(await reply({ path, reply: ' ' }), { code: 'required', field: 'reply' })
    expect(await reply({ path, reply: 'It rings here.' })).toMatchObject({
      status: 200,
      body: { message: 'Reply recorded' },
    })
    expect(await read(id)).toMatchObject({
      requirements: { errors: [] },
      review: { replies: [{ path, message: 'Another number?', reply: 'It rings here.' }] },
    })
    expect((await operator.get(`/kyb/${id}`)).body.data.waiting_on).toBe('operator')
    await decide(id, { outcome: 'rejected', reason_code: 'other' })
    expectErrors(await reply({ path, reply: 'x' }), 'kyb_processed')
  })

  test('concern the application if they name no field, and are resolved by any change', async () => {
    const { id } = await completeApplication(api)
    await decide(id, { outcome: 'revision_requested', reason_code: 'other', client_comment: 'Check all.' })
    expect((await read(id)).requirements.errors).toEqual([
      { path: 'application', code: 'other', message: 'Check all.' },
    ])
    await api.patch(`/kyb/${id}`, { nature_of_business: { website: 'https://example.com' } })
    expect((await read(id)).requirements.errors).toEqual([])
  })

  test('can be repeated, and do not prevent an approval', async () => {
    const { id } = await completeApplication(api)
    await decide(id, {
      outcome: 'revision_requested',
      reason_code: 'other',
      fields: ['nature_of_business.phone'],
    })
    await decide(id, {
      outcome: 'revision_requested',
      reason_code: 'other',
      fields: ['nature_of_business.email'],
    })
    expect((await read(id)).requirements.errors).toMatchObject([{ path: 'nature_of_business.email' }])
    expect((await decide(id, { outcome: 'approved', reason_code: 'complete' })).status).toBe(200)
    expect((await read(id)).requirements.errors).toEqual([])
  })
})

describe('POST /v1/sandbox/kyb/{id}/simulate_review', () => {
  test.each([
    ['approved', 'complete', 'approved'],
    ['rejected', 'other', 'rejected'],
    ['revision_requested', 'other', 'initiated'],
  ])('decides %s although requirements are due, with the reason %s', async (outcome, reason_code, status) => {
    const id = await api.createKyb()
    const answer = await simulate(id, { outcome })
    expect(answer.status).toBe(200)
    expect(answer.body.data.review).toMatchObject({ outcome, reason_code, client_comment: null })
    await becomes(id, status)
  })

  test('returns 403 for every edit of a locked application, and keeps its data', async () => {
    const { id, files } = await completeApplication(api)
    await simulate(id, { outcome: 'approved' })
    await becomes(id, 'approved')
    await settled(gatehouse, id)
    const before = { ...(await tracesOf(gatehouse, id)), data: await read(id) }
    const edits = [
      await api.patch(`/kyb/${id}`, { nature_of_business: { phone: null } }),
      await api.upload(id, { attribute: 'legal_structures' }),
      await api.put(`/kyb/delete_file/${id}`, {
        blob_key: files.evidence_of_ubos,
        attribute_key: 'evidence_of_ubos',
      }),
    ]
    for (const edit of edits) {
      expect(edit.status).toBe(403)
      expectErrors(edit, 'kyb_processed')
    }
    expect({ ...(await tracesOf(gatehouse, id)), data: await read(id) }).toEqual(before)
  })

  test('returns 422 for an unknown outcome', async () => {
    const id = await api.createKyb()
    expectErrors(await simulate(id, { outcome: 'maybe' }), { code: 'invalid', field: 'outcome' })
    expect((await read(id)).review).toBeNull()
  })
})
