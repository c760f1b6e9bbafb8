/** Tests that a request exists for each error code and that its response has the documented status and a message. */
import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { ERRORS, type ErrorCode } from '../../../src/domain/base/errors.ts'
import type { ApiResponse } from '../../support/api.ts'
import { createImported, createSoftKyc } from '../../support/identification.ts'
import { addVault, sharedInstance, unique } from '../../support/instance.ts'
import { completeSections } from '../../support/kyb.ts'
import { signedIn } from '../../support/people.ts'

const gatehouse = await sharedInstance({ worker: true })
const { api } = gatehouse
const operator = await gatehouse.operator()

const simulate = (kyb: string, outcome: string) =>
  api.post(`/sandbox/kyb/${kyb}/simulate_review`, { outcome })
const patch = (kyb: string, sections: object) => api.patch(`/kyb/${kyb}`, sections)
const block = (id: string, by = api) => by.post(`/identifications/${id}/block`, { reason: 'client_request' })
const unblock = (id: string) => api.post(`/identifications/${id}/unblock`)
const placeHold = (id: string) =>
  operator.post(`/identifications/${id}/cases`, { owner: 'operator_operations', reason: 'aml_review' })
const identificationOf = async (kyb: string): Promise<string> =>
  (await api.get(`/kyb/${kyb}`)).body.data.identification_id
const approval = { outcome: 'approved', reason_code: 'complete' }

/** Names the tests of the codes that need a special setup. */
const ELSEWHERE: Partial<Record<ErrorCode, string>> = {
  request_timeout: 'limits.test.ts',
  headers_too_large: 'limits.test.ts',
  internal_error: 'conventions.test.ts',
  service_unavailable: 'without-worker.test.ts',
  idempotency_key_in_progress: 'idempotency.test.ts',
  rate_limited: 'rate-limit.test.ts',
  quota_exceeded: 'rates.test.ts',
  identification_erased: '../../data/erasure.test.ts',
  password_change_required: 'user.test.ts',
  password_sign_in_off: 'sso-lies.test.ts',
  decision_pending: 'confirmation.test.ts',
  no_decision_pending: 'confirmation.test.ts',
  same_operator: 'confirmation.test.ts',
  hits_open: 'screening.test.ts',
  not_screened: 'screening.test.ts',
  delivery_in_progress: 'webhook-retry.test.ts',
  no_urls_configured: 'webhook-retry.test.ts',
  no_failed_urls: 'webhook-retry.test.ts',
  resend_in_progress: '../../webhook/url-resend.test.ts',
  invalid_certificate: '../../webhook/url-certificates.test.ts',
  certificate_expired: '../../webhook/url-certificates.test.ts',
  invalid_private_key: '../../webhook/url-certificates.test.ts',
  certificate_key_mismatch: '../../webhook/url-certificates.test.ts',
  invalid_signature: 'provider.test.ts',
  check_answered: 'provider.test.ts',
}

const REQUESTS = {
  malformed_request: () => api.get('/kyb/no-uuid'),
  insufficient_role: () => gatehouse.reader.post('/kyb', {}),
  kyb_processed: async () => {
    const kyb = await api.createKyb()
    await simulate(kyb, 'rejected')
    return patch(kyb, {})
  },
  kyb_abandoned: async () => {
    const kyb = await api.createKyb()
    await api.put(`/identifications/${await identificationOf(kyb)}/close`)
    return patch(kyb, {})
  },
  identification_closed: async () => {
    const id = await createSoftKyc(api)
    await api.put(`/identifications/${id}/close`)
    return api.put(`/identifications/${id}`, { city: 'Paris' })
  },
  import_not_enabled: async () => {
    const { vaultId, api: other } = await addVault(gatehouse)
    await gatehouse.db.orm.execute(sql`UPDATE vaults SET import_enabled = false WHERE id = ${vaultId}`)
    return other.post('/identifications/import_identity', { external_uuid: unique() })
  },
  not_found: () => api.get(`/kyb/${unique()}`),
  method_not_allowed: () => api.delete('/kyb'),
  payload_too_large: () => api.send('POST', '/kyb', `"${'x'.repeat(1_100_000)}"`),
  file_too_large: async () =>
    api.upload(
      await api.createKyb(),
      { attribute: 'aml_policies' },
      new Blob(['%PDF-', 'x'.repeat(11_000_000)]),
    ),
  unsupported_media_type: () => api.send('POST', '/kyb', '{}', { 'Content-Type': 'text/plain' }),
  required: () => api.post('/kyb', {}),
  invalid: () => api.post('/kyb', { external_id: 7 }),
  too_long: () => api.post('/kyb', { external_id: 'x'.repeat(256) }),
  too_many: () =>
    api.put('/users/update_webhook', { webhook_url: { ticket: Array(11).fill('https://a.example') } }),
  unknown_field: () => api.post('/kyb', { external_id: unique(), more: 1 }),
  unknown_file: async () =>
    patch(await api.createKyb(), { business_files: { legal_structures: [{ id: unique() }] } }),
  unknown_beneficiary: async () =>
    api.upload(await api.createKyb(), { attribute: 'proof_address', email: 'a@example.com' }),
  duplicate_beneficiary: async () => {
    const person = { email: 'a@example.com' }
    return patch(await api.createKyb(), { beneficiaries: { beneficiaries_list: [person, person] } })
  },
  unknown_topic: () => api.put('/users/update_webhook', { webhook_url: { more: [] } }),
  unsupported_file_type: async () =>
    api.upload(await api.createKyb(), { attribute: 'aml_policies' }, new Blob(['text'])),
  idempotency_key_reused: async () => {
    const headers = { 'Idempotency-Key': unique() }
    await api.send('POST', '/kyb', { external_id: unique() }, headers)
    return api.send('POST', '/kyb', { external_id: unique() }, headers)
  },
  external_id_taken: async () => {
    const external_id = unique()
    await api.createKyb(external_id)
    return api.post('/kyb', { external_id })
  },
  external_uuid_taken: async () => {
    const external_uuid = unique()
    await createImported(api, { external_uuid })
    return api.post('/identifications/import_identity', { external_uuid })
  },
  cursor_expired: async () => {
    const { body } = await api.get('/events?limit=1')
    const cursor = Buffer.from(body.cursor, 'base64url')
    // A position that the feed has not reached.
    cursor[20] = 1
    return api.get(`/events?after=${cursor.toString('base64url')}`)
  },
  event_id_taken: async () => {
    const event = { vault_id: gatehouse.vaultId, topic: 'ticket', event: 'ticket_made', event_id: unique() }
    await operator.post('/events', { ...event, attributes: { n: 1 } })
    return operator.post('/events', { ...event, attributes: { n: 2 } })
  },
  email_taken: async () => {
    const email = `${unique()}@example.com`
    const operator_roles = ['operator_review']
    await operator.post('/users', { email, operator_roles })
    return operator.post('/users', { email, operator_roles })
  },
  already_verified: async () => api.put(`/identifications/${await createImported(api)}`, { name: 'Grace' }),
  invalid_transition: async () =>
    operator.post(`/identifications/${await createImported(api)}/decision`, approval),
  reason_contradicts: async () =>
    operator.post(`/kyb/${await api.createKyb()}/decision`, {
      outcome: 'rejected',
      reason_code: 'complete',
    }),
  stale_version: async () =>
    operator.post(`/kyb/${await api.createKyb()}/decision`, { ...approval, version: 2 }),
  already_assigned: async () => {
    const path = `/kyb/${await api.createKyb()}/assignment`
    await operator.put(path)
    return (await signedIn(gatehouse, 'operator', { operator_roles: ['operator_review'] })).api.put(path)
  },
  cannot_close: async () => {
    const id = await createImported(api)
    await block(id)
    return api.put(`/identifications/${id}/close`)
  },
  cannot_block: async () => block(await createSoftKyc(api)),
  cannot_unblock: async () => unblock(await createImported(api)),
  blocked_by_internal_case: async () => {
    const id = await createImported(api)
    await placeHold(id)
    return unblock(id)
  },
  requirements_due: async () =>
    operator.post(`/kyb/${await api.createKyb(unique(), completeSections())}/decision`, approval),
  too_many_attempts: async () => {
    const kyb = await api.createKyb()
    const guess = () => api.post(`/kyb/validate_password/${kyb}`, { password: 'x' })
    for (let n = 0; n < 5; n += 1) await guess()
    return guess()
  },
} satisfies Partial<Record<ErrorCode, () => Promise<ApiResponse>>>

test('covers every code with a request or another test', () => {
  const codes = [...Object.keys(REQUESTS), ...Object.keys(ELSEWHERE)]
  expect(codes.sort()).toEqual(Object.keys(ERRORS).sort())
})

test.each(Object.entries(REQUESTS) as [ErrorCode, () => Promise<ApiResponse>][])(
  'returns %s',
  async (code, send) => {
    const { status, headers, body } = await send()
    expect(status).toBe(ERRORS[code].status)
    expect(body.errors).toContainEqual(expect.objectContaining({ code }))
    for (const { message } of body.errors) expect(message).toMatch(/\w/)
    if (status === 429) expect(Number(headers.get('Retry-After'))).toBeGreaterThan(0)
  },
)
