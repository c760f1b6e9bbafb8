/** Tests four-eyes approval over HTTP and in the console: one operator proposes a decision and another confirms it. */
import { v7 as newId } from 'uuid'
import { beforeAll, describe, expect, test } from 'vitest'
import { timeline } from '../../../drizzle/schema.ts'
import { insertHold } from '../../../src/db/cases/hold.ts'
import { insertFact } from '../../../src/db/commands/pending-fact.ts'
import { ENTITIES, workflowIdOf } from '../../../src/temporal/entities.ts'
import { resync } from '../../../workflows/messages.ts'
import { expectErrors } from '../../support/checks.ts'
import { sendForm } from '../../support/hosted-page.ts'
import {
  createImported,
  createWaiting,
  isChange,
  statusOf,
  untilStatus,
} from '../../support/identification.ts'
import { eventually, sharedInstance, unique } from '../../support/instance.ts'
import { completeApplication, completeSections } from '../../support/kyb.ts'
import { PASSWORD, signedIn } from '../../support/people.ts'

const gatehouse = await sharedInstance({ worker: true })
const { api, baseUrl, vaultId } = gatehouse
const admin = await gatehouse.operator()
const review = { operator_roles: ['operator_review'] }
const first = await signedIn(gatehouse, 'operator', review)
const second = await signedIn(gatehouse, 'operator', review)
beforeAll(async () => {
  const four_eyes = ['rejections', 'high_risk_approvals', 'case_closings']
  const { status, body } = await admin.patch(`/vaults/${vaultId}`, { four_eyes, high_risk_countries: ['DE'] })
  expect([status, body.data.four_eyes, body.data.high_risk_countries]).toEqual([200, four_eyes, ['DE']])
})

const REJECTED = {
  outcome: 'rejected',
  reason_code: 'high_risk',
  client_comment: 'We cannot continue.',
  internal_note: 'The register says otherwise.',
  findings: [{ path: 'nature_of_business.phone', code: 'mismatch' }],
}
const CONFIRMED = { reason_code: 'other', internal_note: 'Seen the same.' }
const actionsOf = async (path: string): Promise<string[]> =>
  (await first.api.get(`${path}/timeline`)).body.data
    .filter(isChange)
    .map(({ action }: { action: string }) => action)

describe('four-eyes approval of applications', () => {
  const propose = async () => {
    const { id } = await completeApplication(api)
    const path = `/kyb/${id}`
    const { status, body } = await first.api.post(`${path}/decision`, REJECTED)
    expect([status, body.data.status.processed]).toEqual([200, false])
    expect(body.pending_confirmation).toMatchObject({
      outcome: 'rejected',
      proposed_by: `operator:${first.id}`,
      reason_code: 'high_risk',
    })
    expect(body.data.pending_confirmation).toEqual(body.pending_confirmation)
    expect((await first.api.get(path)).body.data.pending_confirmation).toEqual(body.pending_confirmation)
    return path
  }
  test('hides a proposed rejection from the client until another operator confirms it', async () => {
    const path = await propose()
    const seen = JSON.stringify((await api.get(path)).body)
    for (const word of ['We cannot continue', 'pending', 'mismatch']) expect(seen).not.toContain(word)
    const { data } = (await second.api.get(path)).body
    expect(data).toMatchObject({
      waiting_on: 'operator',
      pending_confirmation: { findings: REJECTED.findings },
    })
    const listed = (await second.api.get('/queue?waiting_on=operator&per_page=100')).body.data
    expect(listed).toContainEqual(expect.objectContaining({ id: data.id, is_pending: true }))
    expect(data.risks).toEqual(['high_risk_country'])
    expectErrors(await second.api.post(`${path}/decision`, REJECTED), 'decision_pending')
    const own = await first.api.post(`${path}/decision/confirm`, CONFIRMED)
    expectErrors(own, 'same_operator')
    // The console uses the same status.
    expect(own.status).toBe(422)
    const stale = { ...CONFIRMED, version: data.version - 1 }
    expectErrors(await second.api.post(`${path}/decision/confirm`, stale), 'stale_version')
    const confirmed = await second.api.post(`${path}/decision/confirm`, {
      ...CONFIRMED,
      version: data.version,
    })
    expect(confirmed.status).toBe(200)
    expect(confirmed.body).toMatchObject({
      pending_confirmation: null,
      data: { status: { processed: true }, pending_confirmation: null },
    })
    const { review } = (await second.api.get(path)).body.data
    expect(review).toMatchObject({
      outcome: 'rejected',
      client_comment: 'We cannot continue.',
      internal_note: 'The register says otherwise.',
      decided_by: `operator:${first.id}`,
      findings: REJECTED.findings,
    })
    expect((await actionsOf(path)).slice(-3)).toEqual(['reject_proposed', 'confirm', 'reject'])
    expect((await api.get(path)).body.data.review.client_comment).toBe('We cannot continue.')
  })
  test('requires a second operator for a high-risk approval, but not for a revision request', async () => {
    const { id } = await completeApplication(api)
    const approved = { outcome: 'approved', reason_code: 'complete' }
    const { body } = await first.api.post(`/kyb/${id}/decision`, approved)
    expect(body.pending_confirmation.outcome).toBe('approved')
    expect((await second.api.post(`/kyb/${id}/decision/withdraw`)).status).toBe(200)
    expectErrors(await second.api.post(`/kyb/${id}/decision/withdraw`), 'no_decision_pending')
    const revision = { outcome: 'revision_requested', reason_code: 'other', client_comment: 'Once more.' }
    expect((await first.api.post(`/kyb/${id}/decision`, revision)).body.pending_confirmation).toBeNull()
    expect((await actionsOf(`/kyb/${id}`)).slice(-4)).toEqual([
      'approve_proposed',
      'approve_withdrawn',
      'withdraw',
      'request_revision',
    ])
  })
  test('requires a second operator to approve the company’s identification if the application is high-risk', async () => {
    const path = await propose()
    expect((await second.api.post(`${path}/decision/confirm`, CONFIRMED)).status).toBe(200)
    const { identification_id } = (await api.get(path)).body.data
    const company = `/identifications/${identification_id}`
    const decide = (outcome: string) =>
      first.api.post(`${company}/decision`, { outcome, reason_code: 'other' })
    await untilStatus(api, identification_id, 'rejected')
    expect((await decide('attention')).body.pending_confirmation).toBeNull()
    expect((await second.api.get(company)).body.data.risks).toEqual(['high_risk_country'])
    expect((await decide('approved')).body.pending_confirmation).toMatchObject({ outcome: 'approved' })
    expect(await statusOf(api, identification_id)).not.toBe('approved')
    expectErrors(await first.api.post(`${company}/decision/confirm`, CONFIRMED), 'same_operator')
    expect((await second.api.post(`${company}/decision/confirm`, CONFIRMED)).status).toBe(200)
    await untilStatus(api, identification_id, 'approved')
  })
  test('drops the proposal if the client changes the application', async () => {
    const path = await propose()
    expect((await api.patch(path, { nature_of_business: { city_address: 'Bonn' } })).status).toBe(200)
    expectErrors(await second.api.post(`${path}/decision/confirm`, CONFIRMED), 'no_decision_pending')
    expect((await actionsOf(path)).slice(-2)).toEqual(['patch', 'reject_dropped'])
  })
  test('keeps the proposal if the client sends the same data again', async () => {
    const path = await propose()
    const read = (await api.get(path)).body.data
    const { nature_of_business, usage_of_account, business_files, beneficiaries } = read
    const whole = { nature_of_business, usage_of_account, business_files, beneficiaries }
    for (const body of [{}, { nature_of_business: { phone: nature_of_business.phone } }, whole])
      expect((await api.patch(path, body)).status).toBe(200)
    expect(await actionsOf(path)).not.toContain('reject_dropped')
    const confirmed = await second.api.post(`${path}/decision/confirm`, CONFIRMED)
    expect(confirmed.body.data.status.processed).toBe(true)
  })
  test('drops the proposal if the identification is closed, and keeps its note in the timeline', async () => {
    const path = await propose()
    const { identification_id } = (await api.get(path)).body.data
    expect((await api.put(`/identifications/${identification_id}/close`)).status).toBe(200)
    await eventually(async () => {
      const { data } = (await first.api.get(`${path}/timeline`)).body
      expect(data.filter(isChange).slice(-2)).toMatchObject([
        { action: 'identification_closed', actor: 'system' },
        { action: 'reject_dropped', reason_code: 'high_risk', internal_note: REJECTED.internal_note },
      ])
    })
  })
  test('keeps the proposal without its texts in the workflow, and restores it from the database', async () => {
    const path = await propose()
    const id = path.slice('/kyb/'.length)
    const handle = gatehouse.temporal.workflow.getHandle(workflowIdOf({ entity: 'kyb', id }))
    const details = await handle.query<string>('__temporal_workflow_metadata')
    expect(JSON.stringify(details)).toContain(`reject by operator:${first.id}`)
    expect(JSON.stringify(await handle.fetchHistory())).not.toContain('We cannot continue')
    await handle.terminate()
    const state = await ENTITIES.kyb.readSnapshot(gatehouse.db, vaultId, id)
    expect(state?.pending).toMatchObject({ kind: 'reject' })
    await gatehouse.temporal.workflow
      .getHandle(handle.workflowId)
      .signal(resync)
      .catch(() => {})
    expect((await second.api.post(`${path}/decision/confirm`, CONFIRMED)).status).toBe(200)
  })
  test('records a sandbox decision without a second operator', async () => {
    const id = await api.createKyb(unique(), completeSections())
    const { body } = await api.post(`/sandbox/kyb/${id}/simulate_review`, { outcome: 'rejected' })
    expect(body.data.status.processed).toBe(true)
  })
  test('refuses a sandbox decision while a proposal is pending', async () => {
    const path = await propose()
    for (const outcome of ['approved', 'rejected', 'revision_requested'])
      expectErrors(await api.post(`/sandbox${path}/simulate_review`, { outcome }), 'decision_pending')
    expect((await second.api.post(`${path}/decision/confirm`, CONFIRMED)).status).toBe(200)
  })
})

describe('four-eyes approval of identifications', () => {
  test('requires a second operator for a rejection', async () => {
    const id = await createWaiting(gatehouse)
    const path = `/identifications/${id}`
    const { findings: _, ...rejected } = REJECTED
    const proposed = await first.api.post(`${path}/decision`, rejected)
    expect(proposed.body).toMatchObject({
      data: { status: 'initiated', review: null },
      pending_confirmation: { outcome: 'rejected' },
    })
    const own = await first.api.post(`${path}/decision/confirm`, CONFIRMED)
    expectErrors(own, 'same_operator')
    // The console uses the same status.
    expect(own.status).toBe(422)
    const { body } = await second.api.post(`${path}/decision/confirm`, CONFIRMED)
    expect(body).toMatchObject({
      data: { status: 'rejected', review: { client_comment: 'We cannot continue.' } },
      pending_confirmation: null,
    })
  })
  test('drops the proposal if a case is opened, and keeps its note in the timeline', async () => {
    const id = await createWaiting(gatehouse)
    const path = `/identifications/${id}`
    const { findings: _, ...rejected } = REJECTED
    await first.api.post(`${path}/decision`, rejected)
    const opened = { owner: 'operator_operations', reason: 'aml_review' }
    expect((await second.api.post(`${path}/cases`, opened)).status).toBe(201)
    expectErrors(await second.api.post(`${path}/decision/confirm`, CONFIRMED), 'no_decision_pending')
    expect((await first.api.get(`${path}/timeline`)).body.data.filter(isChange).slice(-2)).toMatchObject([
      { action: 'case_opened' },
      { action: 'reject_dropped', reason_code: 'high_risk', internal_note: REJECTED.internal_note },
    ])
  })
  test('keeps the case open until a second operator confirms the closing', async () => {
    const id = await createImported(api)
    const opened = await first.api.post(`/identifications/${id}/cases`, {
      owner: 'operator_operations',
      reason: 'aml_review',
    })
    await untilStatus(api, id, 'blocked')
    const close = await first.api.post(`/cases/${opened.body.data.id}/close`)
    expect([close.status, close.body.data.status]).toEqual([200, 'open'])
    const { data } = (await second.api.get(`/identifications/${id}`)).body
    expect(data).toMatchObject({
      status: 'blocked',
      waiting_on: 'operator',
      pending_confirmation: { outcome: 'case_closed', case_id: opened.body.data.id },
    })
    // A signal sent by hand must not bypass the second operator.
    const handle = gatehouse.temporal.workflow.getHandle(`identification-${id}`)
    const byHand = { id: 'by hand', kind: 'case_closed', caseId: opened.body.data.id }
    await handle.signal('fact', byHand)
    expect((await second.api.post(`/identifications/${id}/decision/confirm`, CONFIRMED)).status).toBe(200)
    expect(await statusOf(api, id)).toBe('approved')
    expect(await actionsOf(`/identifications/${id}`)).toEqual(
      expect.arrayContaining(['close_case_proposed', 'case_closed_without_effect', 'confirm', 'close_case']),
    )
  })
})

test('closes a case only after its opening, if the workflow has not yet applied the opening', async () => {
  const id = await createImported(api)
  await untilStatus(api, id, 'approved')
  const caseId = newId()
  await insertHold(gatehouse.db, {
    ...{ id: caseId, identificationId: id, owner: 'operator_operations', services: ['trades'] },
    ...{ reason: 'aml_review', notes: null, openedBy: 'operator:away' },
  })
  await insertFact(
    gatehouse.db,
    id,
    { entity: 'identification', id, vaultId: gatehouse.vaultId },
    {
      ...{ id: `case-opened-${caseId}`, kind: 'case_opened', caseId },
      ...{ owner: 'operator_operations', services: ['trades'], reason: 'aml_review' },
    },
  )
  expect((await first.api.post(`/cases/${caseId}/close`)).status).toBe(200)
  const { body } = await second.api.get(`/identifications/${id}`)
  expect(body.data.pending_confirmation).toMatchObject({ outcome: 'case_closed', case_id: caseId })
})

test('requires only one operator to close a case of a closed identification', async () => {
  const id = await createWaiting(gatehouse)
  const { body } = await first.api.post(`/identifications/${id}/cases`, {
    owner: 'operator_operations',
    reason: 'aml_review',
  })
  expect((await api.put(`/identifications/${id}/close`)).status).toBe(200)
  const closed = await first.api.post(`/cases/${body.data.id}/close`)
  expect([closed.status, closed.body.data.status]).toEqual([200, 'closed'])
})

describe('the console', () => {
  const open = async (who: typeof first, path: string) => {
    const entered = await sendForm(`${baseUrl}/console/sign_in`, { email: who.email, password: PASSWORD })
    const headers = { Cookie: (entered.headers.getSetCookie()[0] ?? '').split(';')[0] ?? '' }
    const answer = await sendForm(baseUrl + path, undefined, headers)
    const text = await answer.text()
    const value = (name: string) => new RegExp(`name="${name}" value="([^"]+)"`).exec(text)?.[1] ?? ''
    const fields = { _csrf: value('_csrf'), version: value('version') }
    const send = (step: string, form: object = {}) =>
      sendForm(`${baseUrl + path}/${step}`, { ...fields, ...form }, headers)
    const post = (step: string, form?: object) => send(`decision/${step}`, form)
    return { text, value, send, post }
  }
  test('records a repeated proposal once, and refuses a different one', async () => {
    const id = await api.createKyb(unique(), completeSections())
    const { send, value } = await open(first, `/console/kyb/${id}`)
    const rejection = { outcome: 'rejected', reason_code: 'high_risk', since: value('since') }
    for (const _ of ['once', 'again']) expect((await send('decision', rejection)).status).toBe(303)
    expect((await send('decision', { ...rejection, internal_note: 'Otherwise.' })).status).toBe(409)
    expect(await actionsOf(`/kyb/${id}`)).toContain('reject_proposed')
  })
  test('records the closing of a case once if the form is sent twice', async () => {
    const id = await createWaiting(gatehouse)
    const { body } = await first.api.post(`/identifications/${id}/cases`, {
      owner: 'operator_operations',
      reason: 'aml_review',
    })
    const path = `cases/${body.data.id}/close`
    const { send, text } = await open(first, `/console/identifications/${id}`)
    const [, formId = ''] = new RegExp(`${path}"[^]*?name="id" value="([^"]+)"`).exec(text) ?? []
    for (const _ of ['once', 'again']) expect((await send(path, { id: formId })).status).toBe(303)
    const asked = (await actionsOf(`/identifications/${id}`)).filter((each) => each === 'close_case_proposed')
    expect(asked).toHaveLength(1)
  })
  test('sends a decision back with a note, without a reason', async () => {
    const id = await api.createKyb(unique(), completeSections())
    expect((await first.api.post(`/kyb/${id}/decision`, REJECTED)).status).toBe(200)
    const { post } = await open(second, `/console/kyb/${id}`)
    const back = (internal_note: string) => post('confirm', { reason_code: '', internal_note, back: 'yes' })
    const unsaid = await back('')
    const text = await unsaid.text()
    expect([unsaid.status, text]).toEqual([422, expect.stringContaining('Enter a note')])
    expect(text).not.toContain('We cannot continue.')
    expect((await back('Ask the client first.')).status).toBe(303)
    expect(await actionsOf(`/kyb/${id}`)).toContain('withdraw')
  })
  test('requires the second operator to choose a reason before it shows the reason of the first operator', async () => {
    const id = await api.createKyb(unique(), completeSections())
    expect((await api.upload(id, { attribute: 'legal_structures' })).status).toBe(201)
    expect((await first.api.post(`/kyb/${id}/decision`, REJECTED)).status).toBe(200)
    const path = `/console/kyb/${id}`
    const mine = await open(first, path)
    expect(mine.text).toContain('Another operator must confirm this decision.')
    expect(mine.text).toContain('id="confirmation-title">Waiting for second approval<')
    expect(mine.text).toContain('We cannot continue.')
    expect((await mine.post('confirm', CONFIRMED)).status).toBe(422)
    // The proposal is older than all timeline entries that the page reads.
    const later = { vaultId, entity: 'kyb' as const, entityId: id, action: 'note', actor: 'system' }
    const states = { from: 'open', to: 'open' }
    await gatehouse.db.orm
      .insert(timeline)
      .values(Array.from({ length: 200 }, (_, n) => ({ ...later, ...states, causeId: `later-${n}` })))
    const theirs = await open(second, path)
    expect(theirs.text).toContain('id="confirmation-title">Needs you<')
    expect(theirs.text).not.toContain('The register says otherwise.')
    expect(theirs.text).toContain(first.email)
    expect(theirs.text.split('id="document"'), 'the drawer repeats no document').toHaveLength(2)
    const incomplete = await theirs.post('compare', { internal_note: 'Read twice.' })
    expect([incomplete.status, await incomplete.text()]).toEqual([
      422,
      expect.stringContaining('>Read twice.</textarea>'),
    ])
    const stale = await theirs.post('confirm', { ...CONFIRMED, version: 99 })
    const shown = await stale.text()
    expect([stale.status, shown]).toEqual([409, expect.stringContaining('>Seen the same.</textarea>')])
    expect(shown).toContain('value="other" selected')
    const compared = await (await theirs.post('compare', CONFIRMED)).text()
    const said = ['The register says otherwise.', 'We cannot continue.', 'Mismatch']
    for (const word of [...said, 'Different reasons', 'High risk', 'Other reason'])
      expect(compared).toContain(word)
    expect(compared).not.toMatch(/name="back"[^>]*checked/)
    for (const step of ['withdraw', 'confirm']) {
      const back = await theirs.post(step, { ...CONFIRMED, internal_note: ' ', back: 'yes' })
      expect([back.status, await back.text()]).toEqual([422, expect.stringContaining('Enter a note')])
    }
    expect((await theirs.post('confirm', CONFIRMED)).status).toBe(303)
    expect((await theirs.post('withdraw')).status).toBe(409)
    expect((await api.get(`/kyb/${id}`)).body.data.review.outcome).toBe('rejected')
    const [by, and] = [first, second].map(({ email }) => email)
    const { text } = await open(second, `${path}?tab=history`)
    expect(text).toContain(`proposed by ${by}, confirmed by ${and}`)
  })
})
