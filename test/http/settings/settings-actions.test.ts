/** Tests the actions of the console's settings: keys, templates, users, the audit trail and webhooks. */
import { describe, expect, test } from 'vitest'
import { webhookFailingUrls } from '../../../drizzle/schema.ts'
import { changeLegalHold } from '../../../src/cli/erasure.ts'
import { MAX_COMMENT_TEMPLATES } from '../../../src/domain/access/comment-template.ts'
import { grantsOfNames } from '../../../src/domain/access/grant.ts'
import { listCommentTemplates } from '../../../src/use-cases/access/comment-templates.ts'
import { createImported } from '../../support/identification.ts'
import { addVault, sharedInstance, unique } from '../../support/instance.ts'
import { createKey, createPerson } from '../../support/people.ts'
import { startReceiver } from '../../support/receiver.ts'
import { BASE, enterSettings, idIn } from '../../support/settings.ts'
import { insertLogs } from '../../support/webhook.ts'

const gatehouse = await sharedInstance()
const { api, baseUrl, credentials, vaultId } = gatehouse
const operator = await gatehouse.operator()

const ADMINISTRATOR = { grants: grantsOfNames(['operator_admin']) }

const admin = await enterSettings(baseUrl, credentials.operator_email, credentials.operator_password)
const newest = async () => (await operator.get('/audit?per_page=1')).body.data[0]

describe('actions', () => {
  test('show an API key once, and revoke it after confirmation', async () => {
    const made = await admin.post(`${BASE}/vaults/${vaultId}/api_keys`, {
      roles: 'api_read',
      name: 'A program',
    })
    const key = /value="(gk_test_\w+)"/.exec(made.text)?.[1] ?? ''
    const ask = () => fetch(`${baseUrl}/v1/kyb`, { headers: { Authorization: key } })
    expect((await ask()).status).toBe(200)
    const list = `${BASE}/vaults/${vaultId}/api_keys`
    const { text } = await admin.get(list)
    expect(text).not.toContain(key)
    const path = /href="([^"]+\/revoke)"/.exec(text)?.[1] ?? ''
    expect((await admin.get(path)).text).toContain('cannot restore')
    expect(await admin.post(path, {})).toMatchObject({ status: 303, to: list })
    expect(await newest()).toMatchObject({ action: 'api_key_revoked', address: '127.0.0.1' })
  })
  test('add, change and remove a comment template, without its text in the audit trail', async () => {
    const own = (await addVault(gatehouse)).vaultId
    const path = `${BASE}/vaults/${own}/comment_templates`
    const form = (id: string, title: string, language = 'de') => ({
      id,
      template_language: language,
      template_title: title,
      template_text: 'Bitte senden Sie einen\r\nneueren Nachweis.',
    })
    const id = unique()
    expect((await admin.post(`${path}/new`, form(id, 'Zu alt'))).status).toBe(303)
    expect((await admin.post(`${path}/new`, form(id, 'Zu alt'))).status).toBe(409)
    expect((await admin.post(`${path}/new`, form(unique(), 'Too old', 'en'))).status).toBe(303)
    const kept = () => listCommentTemplates(gatehouse, ADMINISTRATOR, 'read_settings', own)
    expect(await kept()).toContainEqual({
      id,
      language: 'de',
      title: 'Zu alt',
      text: 'Bitte senden Sie einen\nneueren Nachweis.',
    })
    expect((await kept()).map(({ title }) => title)).toEqual(['Too old', 'Zu alt'])
    expect(await newest()).toMatchObject({
      action: 'vault_changed',
      changes: { template_title: {}, template_language: { to: 'en' }, template_text: {} },
    })
    expect((await admin.get(`${path}/${id}`)).text).toContain('neueren Nachweis.</textarea>')
    expect((await admin.post(`${path}/${id}`, form(id, 'Älter als 3 Monate'))).status).toBe(303)
    expect((await newest()).changes).toEqual({ template_title: {} })
    const another = `${BASE}/vaults/${vaultId}/comment_templates/${id}`
    expect((await admin.post(another, form(id, 'Taken'))).status).toBe(404)
    expect((await admin.get(`${path}/${id}/remove`)).text).toContain('Cancel')
    expect((await admin.post(`${path}/${id}/remove`, {})).status).toBe(303)
    expect((await admin.post(`${path}/${id}/remove`, {})).status).toBe(303)
    expect((await kept()).map(({ title }) => title)).toEqual(['Too old'])
  })
  test('refuse more than 50 comment templates', async () => {
    const own = (await addVault(gatehouse)).vaultId
    const add = () =>
      admin.post(`${BASE}/vaults/${own}/comment_templates/new`, {
        template_language: 'en',
        template_title: 'Title',
        template_text: 'Text',
      })
    for (let count = 0; count < MAX_COMMENT_TEMPLATES; count++) expect((await add()).status).toBe(303)
    const refused = await add()
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('The list is too long')])
    expect(await listCommentTemplates(gatehouse, ADMINISTRATOR, 'read_settings', own)).toHaveLength(
      MAX_COMMENT_TEMPLATES,
    )
  })
  test('create nothing twice if the form is sent twice', async () => {
    const name = unique()
    const sendTwice = async (path: string) => {
      const form = await admin.filledIn(path, 'name', name)
      return Promise.all([admin.post(path, form), admin.post(path, form)])
    }
    const keys = `${BASE}/vaults/${vaultId}/api_keys`
    const answers = await sendTwice(keys)
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    expect((await admin.get(keys)).text.split(name)).toHaveLength(2)
    // The form of the error page has a new ID, so it creates another key.
    const refused = answers.find(({ status }) => status === 409)?.text ?? ''
    const id = /name="id" value="([^"]+)"/.exec(refused)?.[1] ?? ''
    expect((await admin.post(keys, { id, name, roles: 'api_read' })).status).toBe(200)

    const vaults = await sendTwice(`${BASE}/vaults/new`)
    expect(vaults).toMatchObject([{ status: 303 }, { status: 303, to: vaults[0]?.to }])
    const other = { id: idIn(vaults[0]?.to ?? ''), name: unique(), trading_fee: '0' }
    expect((await admin.post(`${BASE}/vaults/new`, other)).status).toBe(409)
  })
  test('create a user, change the roles and reset the password', async () => {
    expect((await admin.get(`${BASE}/users`)).text).toMatch(/id="counts">\d+ users<\/span>/)
    const email = `${unique()}@example.com`
    const made = await admin.post(`${BASE}/users/new`, { email, vaults: vaultId, roles: 'api_read' })
    expect(made.text).toMatch(/value="\w{20}"/)
    const path = /href="(\/console\/settings\/users\/[^"]{36})"/.exec(made.text)?.[1] ?? ''
    const read = async () => (await operator.get(`/users/${idIn(path)}`)).body.data
    expect(await read()).toMatchObject({ email, vaults: [{ id: vaultId, roles: ['api_read'] }] })
    expect((await admin.get(path)).status).toBe(200)
    const kept = { [`roles-${vaultId}`]: 'api_write', operator_roles: 'senior_reviewer:' }
    expect((await admin.post(path, kept)).status).toBe(303)
    expect(await read()).toMatchObject({
      vaults: [{ id: vaultId, roles: ['api_write'] }],
      operator_roles: ['operator_review'],
    })
    const more = { vaults: vaultId, roles: 'api_read', grant_roles: 'auditor' }
    expect((await admin.post(path, more)).status).toBe(303)
    expect(await read()).toMatchObject({
      vaults: [{ id: vaultId, roles: ['api_write', 'api_read'] }],
      operator_grants: expect.arrayContaining([{ role: 'auditor', vault_id: vaultId }]),
    })
    const none = {
      [`was:roles-${vaultId}`]: 'api_write,api_read',
      'was:operator_roles': `senior_reviewer:,auditor:${vaultId}`,
    }
    expect((await admin.post(path, none)).status).toBe(303)
    expect(await read()).toMatchObject({ vaults: [], operator_roles: [] })
    for (const [action, status, audited] of [
      ['reset_password', 200, 'password_reset'],
      ['revoke_tokens', 303, 'tokens_revoked'],
      ['remove_codes', 303, 'otp_removed'],
    ] as const) {
      expect((await admin.get(`${path}/${action}`)).text).toContain('Cancel')
      expect((await admin.post(`${path}/${action}`, {})).status).toBe(status)
      expect((await newest()).action).toBe(audited)
    }
  })
  test('list users by kind and vault, and ignore unknown filters', async () => {
    const own = await addVault(gatehouse)
    const { id } = await createPerson(gatehouse, {
      operator_grants: [{ role: 'reviewer', vault_id: own.vaultId }],
    })
    const rows = async (query: string) => {
      const { text } = await admin.get(`${BASE}/users?${query}`)
      return [...text.matchAll(/class="row-link" href="[^"]*\/([\da-f-]{36})"/g)].map(([, each]) => each)
    }
    const of = `vault_id=${own.vaultId}`
    const [all, operators, clients] = [
      await rows(of),
      await rows(`${of}&kind=operator`),
      await rows(`${of}&kind=client`),
    ]
    expect([operators, clients.length, all.length]).toEqual([[id], 1, 2])
    expect((await admin.get(`${BASE}/users?vault_id=${unique()}`)).text).toContain('No users match')
    expect(await rows('kind=robot&vault_id=none')).toEqual(await rows(''))
  })
  test('appear in the audit trail, filtered by the address of the page', async () => {
    const { id } = await createPerson(gatehouse, { operator_roles: ['operator_review'] })
    await createKey(gatehouse, { roles: ['api_read'] })
    const held = await createImported(api)
    await changeLegalHold({ db: gatehouse.db, say: () => {} }, held, true)
    const all = await admin.get(`${BASE}/audit`)
    for (const shown of [
      'Created API key <a ',
      credentials.operator_email,
      `${BASE}/users/${id}`,
      `Set legal hold on identification <a href="/console/identifications/${held}">`,
      '127.0.0.1',
    ])
      expect(all.text).toContain(shown)
    const keys = await admin.get(`${BASE}/audit?action=api_key_created&vault_id=${vaultId}&from=2020-01-01`)
    expect([keys.status, keys.text.includes(`${BASE}/users/${id}`)]).toEqual([200, false])
    const none = await admin.get(`${BASE}/audit?from=2099-01-01&to=nonsense&page=x&actor=%00`)
    expect([none.status, none.text.includes('No actions match this filter')]).toEqual([200, true])
    const { text } = await admin.get(`${BASE}/audit/export?action=legal_hold_set&vault_id=${vaultId}`)
    const [head, ...lines] = text.trim().split('\r\n')
    expect(head).toBe(
      'created_at,actor,actor_name,ip_address,action,count,subject,subject_id,vault_id,vault_name,changes',
    )
    expect(lines.filter((line) => line.includes(`,legal_hold_set,1,identification,${held},`))).toHaveLength(1)
    expect(lines.filter((line) => !line.includes(',legal_hold_set,'))).toEqual([])
    const exports = await admin.get(`${BASE}/audit/export?action=report_exported&vault_id=${vaultId}`)
    expect(exports.text).toContain('"{""report"":{""to"":""audit""}}"')
  })
  test('return a 404 page for an unknown ID', async () => {
    for (const path of [
      '/vaults/x',
      `/vaults/${unique()}`,
      `/users/${unique()}`,
      `/api_keys/${unique()}/revoke`,
      '/x',
    ])
      expect((await admin.get(BASE + path)).status, path).toBe(404)
  })
})

test('shows longer retries, which only the client can change, and describes the change in the audit trail', async () => {
  const own = await addVault(gatehouse)
  const path = `${BASE}/vaults/${own.vaultId}`
  const shown = async (text: string) => expect((await admin.get(`${path}/webhooks`)).text).toContain(text)
  const ask = (long_retries: boolean) =>
    own.api.put('/users/update_webhook', {
      webhook_url: { ticket: ['https://receiver.example/hook'] },
      long_retries,
    })
  await ask(false)
  await shown('Longer retries are off. Gatehouse makes four attempts')
  await ask(true)
  await shown('Longer retries are on. After four failed attempts, Gatehouse makes five more')
  // The form changes its other fields, but ignores long_retries.
  expect((await admin.post(path, { name: 'Retried', trading_fee: '0', long_retries: 'no' })).status).toBe(303)
  await shown('Longer retries are on')
  const { text } = await admin.get(`${BASE}/audit?action=webhook_urls_changed&vault_id=${own.vaultId}`)
  expect(text).toContain('Changed webhook settings')
  expect(text).toContain('<li>Longer retries: <del>No</del> <ins>Yes</ins></li>')
  await ask(false)
  await shown('Longer retries are off')
})

test('marks failing webhooks, and shows the result of a test event to a registered URL', async () => {
  const receiver = await startReceiver((res) => res.writeHead(503).end('closed <today>'))
  await api.put('/users/update_webhook', { webhook_url: { ticket: [receiver.url] } })
  const [{ id }] = (await api.get('/webhook_urls')).body.data
  const path = `${BASE}/vaults/${vaultId}/webhooks/${id}`
  expect((await admin.get(`${BASE}/vaults/${vaultId}/webhooks`)).text).toContain(`href="${path}"`)
  const anHourAgo = new Date(Date.now() - 3_600_000)
  expect((await admin.get(`${BASE}/vaults`)).text).not.toContain('URL failing')
  await gatehouse.db.orm
    .insert(webhookFailingUrls)
    .values({ vaultId, topic: 'ticket', url: receiver.url, failingSince: anHourAgo })
  expect((await admin.get(`${BASE}/vaults`)).text).toContain('1 URL failing')
  expect((await admin.get(`${BASE}/vaults/${vaultId}/webhooks`)).text).toContain('Failing for 1')
  for (const page of [`${BASE}/vaults/${vaultId}/webhooks`, path])
    expect((await admin.get(page)).text).toMatch(
      /Failing for 1.*has accepted no delivery|has accepted no delivery.*Failing for 1/s,
    )
  const { status, text } = await admin.post(path, { act: 'test' })
  expect(status).toBe(200)
  for (const part of ['Not accepted', 'HTTP 503', 'closed &lt;today>']) expect(text).toContain(part)
  expect(receiver.received).toMatchObject([{ event: 'webhook_test' }])
  expect((await admin.post(`${BASE}/vaults/${vaultId}/webhooks/${unique()}`, { act: 'test' })).status).toBe(
    404,
  )
  expect((await admin.post(path, {})).status).toBe(422)
  await receiver.stop()
})

test('warns in the API and on the page of users if one person seems to have two accounts', async () => {
  const name = `ada.${unique().replaceAll(/[^a-f]/g, '')}lovelace`
  const create = async (email: string): Promise<string> =>
    (await operator.post('/users', { email, operator_roles: ['operator_review'] })).body.data.id
  const warning = async () => {
    const { text } = await admin.get('/console/settings/users')
    return /Some people seem to have two accounts(.*?)<\/ul>/s.exec(text)?.[1] ?? ''
  }
  const one = await create(`${name}@a.example`)
  expect(await warning()).not.toContain(one)
  const other = await create(`${name}@b.example`)
  const { data } = (await operator.get('/users/same_people')).body
  expect(data).toContainEqual({
    user: { id: one, email: `${name}@a.example` },
    other_user: { id: other, email: `${name}@b.example` },
  })
  // Other tests can add operators with similar emails, but the page begins with the newest pair.
  const shown = await warning()
  for (const id of [one, other]) expect(shown).toContain(`/console/settings/users/${id}`)
})

test('shows a webhook URL, pauses it, and sends its failed deliveries again', async () => {
  const own = await addVault(gatehouse)
  const url = 'https://receiver.example/hook'
  await own.api.put('/users/update_webhook', { webhook_url: { ticket: [url] } })
  const [{ id }] = (await own.api.get('/webhook_urls')).body.data
  await own.api.patch(`/webhook_urls/${id}`, { name: 'Case updates', headers: { 'X-Token': 'hidden-value' } })
  const path = `${BASE}/vaults/${own.vaultId}/webhooks/${id}`
  const page = async () => (await admin.get(path)).text
  const shown = await page()
  expect(shown).toMatch(/<h1>Case updates<\/h1>.*chip-success.*Active.*<dl/s)
  // Only the client can register another URL.
  expect(shown).not.toContain('To change the address')
  for (const part of [
    'Case updates',
    url.replace('hook', '<wbr/>hook'),
    'X-Token',
    'All events of its topics',
    'Active',
  ])
    expect(shown).toContain(part)
  expect(shown).not.toContain('hidden-value')
  expect((await admin.post(path, { act: 'pause' })).status).toBe(303)
  expect(await page()).toContain('Resume')
  expect((await own.api.get('/webhook_urls')).body.data[0].paused).toBe(true)
  await insertLogs(gatehouse, own.vaultId, { topic: 'ticket', status: 'failed', urlsDestiny: [url] })
  const resend = { since: '2026-01-01', per_second: '10' }
  const refused = await admin.post(`${path}/resend`, { ...resend, since: 'yesterday' })
  expect([refused.status, refused.text.includes('Enter a date, such as')]).toEqual([422, true])
  expect((await admin.post(`${path}/resend`, { ...resend, per_second: '1000' })).status).toBe(422)
  const started = await admin.post(`${path}/resend`, resend)
  expect([started.status, started.cookie]).toEqual([303, expect.stringContaining('resendStarted')])
  for (const shown of [await page(), (await admin.get(`${path}/resend`)).text])
    expect(shown).toContain('In progress: 0 of 1')
  expect((await admin.post(`${path}/resend`, { act: 'stop' })).status).toBe(303)
  expect(await page()).toContain('Stopped: 0 of 1')
  expect((await admin.get(`${BASE}/vaults/${vaultId}/webhooks/${id}`)).status).toBe(404)
})
