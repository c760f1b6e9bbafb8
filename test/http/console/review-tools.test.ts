/** Tests marks, comment templates and saved filters of operators over the API, as the console also has them. */
import { describe, expect, test } from 'vitest'
import { expectErrors } from '../../support/checks.ts'
import { openConsole } from '../../support/console.ts'
import { createWaiting } from '../../support/identification.ts'
import { addVault, sharedInstance, unique } from '../../support/instance.ts'
import { completeApplication, completeSections } from '../../support/kyb.ts'
import { signedIn } from '../../support/people.ts'

const gatehouse = await sharedInstance({ worker: true })
const { api, vaultId } = gatehouse
const as = async (role: string, vault_id: string | null = null) =>
  (await signedIn(gatehouse, 'operator', { operator_grants: [{ role, vault_id }] })).api
const [me, other] = [await as('reviewer'), await as('reviewer')]
const [admin, auditor] = [await as('administrator'), await as('auditor')]

const PATHS = {
  kyb: async () => {
    const { id, files } = await completeApplication(api)
    return {
      path: `/kyb/${id}`,
      field: 'nature_of_business.legal_company_name',
      fileId: files.evidence_of_ubos,
    }
  },
  identification: async () => {
    const id = await createWaiting(gatehouse)
    return { path: `/identifications/${id}`, field: 'name', fileId: undefined }
  },
}

describe.each(Object.entries(PATHS))('marks on the %s', (kind, create) => {
  test('are kept for each operator until they are cleared', async () => {
    const { path, field, fileId } = await create()
    const marks = `${path}/marks`
    const document = { path: 'beneficiaries.evidence_of_ubos', file_id: fileId, code: 'unreadable' as const }
    const flag = { path: field, code: 'mismatch', comment: 'Differs from the register' }
    const asked = [flag, ...(fileId ? [document] : [])]
    const { status, body } = await me.patch(marks, { marks: asked })
    expect(status).toBe(200)
    const shown = { file_id: null, comment: null, created_at: expect.any(Number) }
    expect(body.data).toHaveLength(asked.length)
    expect(body.data).toEqual(expect.arrayContaining(asked.map((each) => ({ ...shown, ...each }))))
    expect((await other.get(marks)).body.data).toEqual([])
    const accepted = await me.patch(marks, { marks: [{ path: field, code: null }], cleared: [document] })
    expectErrors(accepted, { code: 'unknown_field', field: 'cleared.0.code' })
    const cleared = fileId ? [{ path: document.path, file_id: fileId }] : []
    const { body: left } = await me.patch(marks, { marks: [{ path: field, code: null }], cleared })
    expect(left.data).toEqual([{ ...shown, path: field, code: null }])
    expect((await me.get(marks)).body).toEqual(left)
  })

  test('refuse unknown places, comments without a code, and operators without the role', async () => {
    const { path, field } = await create()
    const marks = `${path}/marks`
    for (const unknown of ['nothing', '__proto__', `${field}#x`])
      expectErrors(await me.patch(marks, { marks: [{ path: unknown, code: null }] }), {
        code: 'invalid',
        field: 'marks',
      })
    expectErrors(await me.patch(marks, { marks: [{ path: field, code: null, comment: 'Fine' }] }), {
      code: 'invalid',
      field: 'marks.0.comment',
    })
    const twice = [
      { path: field, code: 'other' },
      { path: field, code: 'expired' },
    ]
    const { body } = await me.patch(marks, { marks: twice })
    expect(body.data.map((each: { code: string }) => each.code)).toEqual(['expired'])
    expect((await me.get(`/${kind === 'kyb' ? 'kyb' : 'identifications'}/${unique()}/marks`)).status).toBe(
      404,
    )
    expect((await auditor.get(marks)).status).toBe(200)
    expectErrors(await auditor.patch(marks, { marks: [] }), 'insufficient_role')
  })
})

test('refuse to accept a document that cannot be opened', async () => {
  const id = await api.createKyb(unique(), completeSections())
  const { body } = await api.upload(id, { attribute: 'legal_structures' }, new Blob(['%PDF-1.4\n']))
  const place = { path: 'business_files.legal_structures', file_id: body.id }
  const page = await (await openConsole(gatehouse.baseUrl, gatehouse.credentials)).text(
    `/console/kyb/${id}?tab=documents`,
  )
  expect(page).toContain(`data-mark="${place.path}#${body.id}"`)
  expect(page).toMatch(/name="accept" value="nature_of_business/)
  expect(page).not.toMatch(new RegExp(`name="accept"[^>]*#${body.id}`))
  const refused = await me.patch(`/kyb/${id}/marks`, { marks: [{ ...place, code: null }] })
  expectErrors(refused, { code: 'invalid', field: 'marks' })
  const flagged = await me.patch(`/kyb/${id}/marks`, { marks: [{ ...place, code: 'unreadable' }] })
  expect(flagged.body.data).toMatchObject([place])
})

test('a document is marked in one place, and one that cannot be opened needs the operator', async () => {
  const id = await api.createKyb(unique(), completeSections())
  const { body } = await api.upload(id, { attribute: 'incorporation_certificates' }, new Blob(['%PDF-1.4\n']))
  const page = await (await openConsole(gatehouse.baseUrl, gatehouse.credentials)).text(`/console/kyb/${id}`)
  const key = `business_files.incorporation_certificates#${body.id}`
  expect(page.split(`data-mark="${key}"`)).toHaveLength(2)
  expect(page).toMatch(/Documents<span class="count">1\/\d+</)
  const [, needs = ''] = page.split('id="needs"')
  expect(needs.split('</section>')[0]).toContain('damaged or requires a password')
})

test('a decision settles flags', async () => {
  const { path, field } = await PATHS.kyb()
  await me.patch(`${path}/marks`, { marks: [{ path: field, code: 'mismatch' }] })
  const decision = {
    outcome: 'revision_requested',
    reason_code: 'information_mismatch',
    client_comment: 'See',
  }
  expect((await me.post(`${path}/decision`, decision)).status).toBe(200)
  expect((await me.get(`${path}/marks`)).body.data).toEqual([])
})

describe('comment templates', () => {
  const template = { language: 'en', title: 'Too old', text: 'Please send a newer extract.' }

  test('are managed by administrators and read by reviewers', async () => {
    const path = `/vaults/${(await addVault(gatehouse)).vaultId}/comment_templates`
    const created = await admin.post(path, template)
    expect(created.status).toBe(201)
    const { id } = created.body.data
    expect(created.body.data).toEqual({ id, ...template })
    const changed = { ...template, title: 'Older than 3 months' }
    expect((await admin.put(`${path}/${id}`, changed)).body.data).toEqual({ id, ...changed })
    expect((await admin.get(path)).body.data).toEqual([{ id, ...changed }])
    const [, , vault] = path.split('/')
    expect((await me.get(`/comment_templates?vault_id=${vault}`)).body.data).toEqual([{ id, ...changed }])
    expectErrors(await me.post(path, template), 'insufficient_role')
    const { body } = await admin.get(`/audit?vault_id=${vault}`)
    expect(body.data[0]).toMatchObject({ action: 'vault_changed', changes: { template_title: {} } })
    expect(JSON.stringify(body)).not.toContain('newer extract')
    expect((await admin.delete(`${path}/${id}`)).body.data).toEqual([])
    expect((await admin.put(`${path}/${id}`, changed)).status).toBe(404)
  })

  test('are added once if the request is sent again with its key', async () => {
    const path = `/vaults/${(await addVault(gatehouse)).vaultId}/comment_templates`
    const headers = { 'Idempotency-Key': unique() }
    const send = () => admin.send('POST', path, template, headers)
    const [first, second] = [await send(), await send()]
    expect(second.body).toEqual(first.body)
    expect((await admin.get(path)).body.data).toHaveLength(1)
  })

  test('refuse invalid contents, unknown vaults, and vaults of other operators', async () => {
    const path = `/vaults/${vaultId}/comment_templates`
    expectErrors(
      await admin.post(path, { language: 'fr', title: ' ', text: 'x'.repeat(2_001) }),
      { code: 'invalid', field: 'language' },
      { code: 'required', field: 'title' },
      { code: 'too_long', field: 'text' },
    )
    const own = (await addVault(gatehouse)).vaultId
    expect((await (await as('reviewer', own)).get(`/comment_templates?vault_id=${vaultId}`)).status).toBe(404)
    expectErrors(await me.get('/comment_templates'), { code: 'required', field: 'vault_id' })
    const unknown = crypto.randomUUID()
    expect((await me.get(`/comment_templates?vault_id=${unknown}`)).status).toBe(404)
    expect((await admin.get(`/vaults/${unknown}/comment_templates`)).status).toBe(404)
  })
})

describe('saved filters', () => {
  test('belong to the operator, and equal filters have equal queries', async () => {
    const query = 'overdue=true&kind=kyb'
    const saved = { name: 'Overdue companies', query: 'kind=kyb&waiting_on=operator&overdue=true' }
    const path = `/queue_filters/${encodeURIComponent(saved.name)}`
    expect(await me.put(path, { query })).toMatchObject({ status: 200, body: { data: saved } })
    expect((await me.get('/queue_filters')).body.data).toEqual([saved])
    expect((await me.get(`/queue?${saved.query}`)).status).toBe(200)
    expect((await other.get('/queue_filters')).body.data).toEqual([])
    const [, , name] = (await me.put(path, { query: '' })).body.data.query.split('&')
    expect(name).toBeUndefined()
    expect((await me.delete(path)).body.data).toEqual([])
  })

  test('refuse parameters that the queue does not have, and more than twelve', async () => {
    const save = (name: string, query: string) => other.put(`/queue_filters/${name}`, { query })
    for (const query of ['page=2', 'kind=cake', 'x', 'kind=kyb&kind=kyb'])
      expectErrors(await save('bad', query), { code: 'invalid', field: 'query' })
    for (const each of Array.from({ length: 12 }, (_, index) => `filter ${index}`))
      expect((await save(each, 'kind=kyb')).status).toBe(200)
    expect((await save('filter 3', 'kind=identification')).status).toBe(200)
    expectErrors(await save('one more', 'kind=kyb'), 'too_many')
    expect((await other.get('/queue_filters')).body.data).toHaveLength(12)
    expectErrors(await save('x'.repeat(61), 'kind=kyb'), { code: 'too_long', field: 'name' })
  })
})

test('assigns the unassigned case that has waited longest and matches the filter', async () => {
  const own = await addVault(gatehouse)
  const mine = await as('reviewer', own.vaultId)
  const next = () => mine.post('/queue/assign_next?kind=kyb')
  expect((await next()).body.data).toBeNull()
  const [first, second] = [await completeApplication(own.api), await completeApplication(own.api)]
  const caseOf = ({ id }: { id: string }) => ({ kind: 'kyb', id, vault_id: own.vaultId })
  expect((await next()).body.data).toEqual(caseOf(first))
  expect((await next()).body.data).toEqual(caseOf(second))
  expect((await next()).body.data).toBeNull()
  expectErrors(await auditor.post('/queue/assign_next'), 'insufficient_role')
  expect((await mine.post('/queue/assign_next?kind=cake')).status).toBe(422)
})
