/** Tests `POST /kyb/{id}/form_link`: the new link to an application's form, and the expiry of earlier ones. */
import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { identifications, verificationLinks } from '../../../drizzle/schema.ts'
import { getIdentificationForUpdate } from '../../../src/db/cases/identification.ts'
import { transaction } from '../../../src/db/connection/database.ts'
import { sealedFor } from '../../../src/db/connection/sealed.ts'
import type { ApiResponse } from '../../support/api.ts'
import { expectErrors } from '../../support/checks.ts'
import { sendForm, startForm } from '../../support/hosted-page.ts'
import { eventually, sharedInstance, unique } from '../../support/instance.ts'

const gatehouse = await sharedInstance({ worker: true })

const { api, baseUrl, db } = gatehouse

const formLink = (id: string, body?: object) => api.post(`/kyb/${id}/form_link`, body)
const pathOf = ({ body }: ApiResponse) => new URL(body.data.url).pathname
const statusOf = async (path: string, headers = {}) =>
  (await sendForm(baseUrl + path, undefined, headers)).status

async function created() {
  const { body } = await api.post('/kyb', { external_id: unique() })
  const { id, identification_id } = body.data
  return {
    id: id as string,
    identificationId: identification_id as string,
    password: body.generated_password,
  }
}

async function hosted(more: object = {}) {
  const asked = { type: 'kyb', external_uuid: unique(), ...more }
  const answer = await api.post('/identifications/create_identify_process', asked)
  const { data } = (await api.get('/kyb?per_page=1')).body
  return {
    id: data[0].id as string,
    identificationId: data[0].identification_id as string,
    link: pathOf(answer),
    password: answer.body.data.generated_password as string,
  }
}

async function opened(link: string, password: string) {
  const { base, headers } = await startForm(baseUrl, { link, password })
  const page = await sendForm(baseUrl + base, undefined, headers)
  expect(await page.text()).toContain('Verify your company')
  return { base, headers }
}

const timelineOf = async (identificationId: string) => {
  const operator = await gatehouse.operator()
  return (await operator.get(`/identifications/${identificationId}/timeline`)).body.data
}

test('opens the form of an application from POST /kyb with its original password', async () => {
  const { id, identificationId, password } = await created()
  const answer = await formLink(id)
  expect(answer.status).toBe(201)
  const { url, expires_at, ...more } = answer.body.data
  expect(url).toMatch(/\/verify\/[\w-]{43}$/)
  expect(Math.abs(expires_at - Date.now() / 1_000 - 7 * 86_400)).toBeLessThan(120)
  expect(more).toEqual({})
  await opened(pathOf(answer), password)
  const entries = await timelineOf(identificationId)
  expect(entries.at(-1)).toMatchObject({ action: 'link_reissued', from: 'initiated', to: 'initiated' })
})

test('revokes the earlier link and all sessions that it opened', async () => {
  const { id, link, password } = await hosted()
  const session = await opened(link, password)
  const next = pathOf(await formLink(id))
  expect(await statusOf(link)).toBe(404)
  expect((await sendForm(baseUrl + link, { password })).status).toBe(404)
  expect(await statusOf(session.base, session.headers)).toBe(401)
  await opened(next, password)
  const last = pathOf(await formLink(id, { new_password: false }))
  expect([await statusOf(next), await statusOf(last)]).toEqual([404, 200])
})

test('revokes the earlier password if a new one is requested', async () => {
  const { id, password } = await created()
  const answer = await formLink(id, { new_password: true })
  const next = answer.body.data.generated_password
  expect(next).toMatch(/^\w{20}$/)
  expect((await sendForm(baseUrl + pathOf(answer), { password })).status).toBe(422)
  await opened(pathOf(answer), next)
})

test('keeps the redirect URL of the hosted verification', async () => {
  const redirectOf = async (identificationId: string) => {
    const where = eq(verificationLinks.identificationId, identificationId)
    const [row] = await db.orm.select().from(verificationLinks).where(where)
    const sealed = row?.redirectUrl
    const context = sealedFor('verification_links.redirect_url', identificationId)
    return sealed && db.encryption.unseal(sealed, context).toString()
  }
  const { id, identificationId } = await hosted({ redirect_url: 'https://example.com/done' })
  await formLink(id)
  expect(await redirectOf(identificationId)).toBe('https://example.com/done')
  const other = await created()
  await formLink(other.id)
  expect(await redirectOf(other.identificationId)).toBe(null)
})

test('returns the same response if the request is repeated with its key, and the link stays valid', async () => {
  const { id } = await created()
  const key = { 'Idempotency-Key': unique() }
  const send = (body: object) => api.send('POST', `/kyb/${id}/form_link`, body, key)
  const first = await send({ new_password: true })
  const session = await opened(pathOf(first), first.body.data.generated_password)
  const again = await send({ new_password: true })
  expect([again.status, again.body]).toEqual([201, first.body])
  expect(again.headers.get('Idempotent-Replayed')).toBe('true')
  expect(await statusOf(session.base, session.headers)).toBe(200)
  expectErrors(await send({}), 'idempotency_key_reused')
})

test('leaves one valid link after concurrent requests', async () => {
  const { id } = await created()
  const answers = await Promise.all(Array.from({ length: 8 }, () => formLink(id, { new_password: true })))
  const working = []
  for (const answer of answers)
    if ((await statusOf(pathOf(answer))) === 200)
      working.push([pathOf(answer), answer.body.data.generated_password])
  expect(working).toHaveLength(1)
  const [[link, password]] = working as [[string, string]]
  await opened(link, password)
})

test('opens the link while the identification’s row is locked', async () => {
  const { identificationId, link, password } = await hosted()
  await transaction(db, async (tx) => {
    await getIdentificationForUpdate(tx, gatehouse.vaultId, identificationId)
    await opened(link, password)
  })
})

test('opens the form while the verification is escalated', async () => {
  const { id, identificationId, password } = await created()
  const operator = await gatehouse.operator()
  const attention = { outcome: 'attention', reason_code: 'other' }
  expect((await operator.post(`/identifications/${identificationId}/decision`, attention)).status).toBe(200)
  await opened(pathOf(await formLink(id)), password)
  expect((await timelineOf(identificationId)).at(-1)).toMatchObject({ from: 'attention', to: 'attention' })
})

describe('refusals', () => {
  const refusedAs = async (id: string, status: number, code: string) => {
    const answer = await formLink(id, { new_password: true })
    expect(answer.status).toBe(status)
    expectErrors(answer, code)
  }
  test('return kyb_processed after the review', async () => {
    const { id, link } = await hosted()
    await api.post(`/sandbox/kyb/${id}/simulate_review`, { outcome: 'rejected' })
    await refusedAs(id, 403, 'kyb_processed')
    expect(await statusOf(link)).toBe(200)
  })
  test('return kyb_abandoned after the identification is closed', async () => {
    const { id, identificationId, link } = await hosted()
    await api.put(`/identifications/${identificationId}/close`)
    await refusedAs(id, 403, 'kyb_abandoned')
    await eventually(() => refusedAs(id, 403, 'kyb_abandoned'))
    expect(await statusOf(link)).toBe(200)
  })
  test('return identification_erased after erasure', async () => {
    const { id, identificationId } = await created()
    await db.orm
      .update(identifications)
      .set({ erasedAt: new Date() })
      .where(eq(identifications.id, identificationId))
    await refusedAs(id, 403, 'identification_erased')
  })
  test('return 422 for unsupported fields or values', async () => {
    const { id } = await created()
    const answer = await formLink(id, { new_password: 'yes', redirect_url: 'https://example.com' })
    expect(answer.status).toBe(422)
    expectErrors(
      answer,
      { code: 'invalid', field: 'new_password' },
      { code: 'unknown_field', field: 'redirect_url' },
    )
  })
})
