/** Tests the console pages for vaults' own users: what they show, what they never show, and who reaches them. */
import { sql } from 'drizzle-orm'
import { v7 as newId } from 'uuid'
import { beforeAll, describe, expect, test } from 'vitest'
import { emails } from '../../../drizzle/schema.ts'
import { reviewContext } from '../../../src/db/cases/kyb-application.ts'
import { openConsole } from '../../support/console.ts'
import { addVault, eventually, sharedInstance, unique } from '../../support/instance.ts'
import { createKey, createPerson, PASSWORD, signedIn } from '../../support/people.ts'
import { startReceiver } from '../../support/receiver.ts'
import { consoleRoutes } from '../../support/routes.ts'
import { publish } from '../../support/webhook.ts'

const gatehouse = await sharedInstance({ worker: true })
const { api, baseUrl, vaultId, db } = gatehouse
const operator = await gatehouse.operator()
const other = await addVault(gatehouse)

const HOME = `/console/client/${vaultId}`
/** Texts that only operators may see. */
const INTERNAL = 'Internal remark about the applicant'

async function seat(role: string, vault = vaultId) {
  const { id, email, token } = await signedIn(gatehouse, 'client', { vaults: [{ id: vault, roles: [role] }] })
  return { id, email, token, browser: await openConsole(baseUrl, { email, password: PASSWORD }) }
}
type Seat = Awaited<ReturnType<typeof seat>>

let viewer: Seat
let admin: Seat
beforeAll(async () => {
  viewer = await seat('client_viewer')
  admin = await seat('client_admin')
})

const company = (name: string, by = api) =>
  by.createKyb(unique(), {
    nature_of_business: { legal_company_name: name },
    beneficiaries: { beneficiaries_list: [{ email: 'ada@example.com', full_name: 'Ada Sample' }] },
  })

/** Creates a verification of a person with a link. */
async function hostedPerson(): Promise<string> {
  const { body } = await api.post('/identifications/create_identify_process', { type: 'kyc' })
  return body.data.identification_id
}

describe('signing in', () => {
  test('leads to the home of the vault, and to no page of operators', async () => {
    const start = await viewer.browser.get('/console')
    expect([start.status, start.headers.get('Location')]).toEqual([303, '/console/client'])
    const first = await viewer.browser.get('/console/client')
    expect([first.status, first.headers.get('Location')]).toEqual([303, HOME])
    const page = await viewer.browser.text(HOME)
    expect(page).toContain(`href="${HOME}/webhooks"`)
    for (const path of ['/console/cases', '/console/search', '/console/figures', '/console/settings'])
      expect(page).not.toContain(`href="${path}"`)
  })

  test('with a one-time password only permits choosing another one', async () => {
    const { email, oneTimePassword } = await createPerson(gatehouse, {
      vaults: [{ id: vaultId, roles: ['client_viewer'] }],
    })
    const browser = await openConsole(baseUrl, { email, password: oneTimePassword })
    const answer = await browser.get(HOME)
    expect([answer.status, answer.headers.get('Location')]).toEqual([303, '/console/password'])
    const change = { current_password: oneTimePassword, new_password: PASSWORD }
    expect((await browser.post('/console/password', change)).status).toBe(303)
    expect((await browser.get(HOME)).status).toBe(200)
  })

  test('permits no request to the API', async () => {
    for (const { token } of [viewer, admin]) {
      for (const path of ['/kyb', '/identifications', '/events', '/webhook_logs', '/users/settings']) {
        const { status } = await fetch(`${baseUrl}/v1${path}`, { headers: { Authorization: token } })
        expect([path, status]).toEqual([path, 403])
      }
    }
  })

  test('is refused to users who have only roles for the API', async () => {
    const { email } = await signedIn(gatehouse, 'client', { vaults: [{ id: vaultId, roles: ['api_read'] }] })
    const browser = await openConsole(baseUrl, { email, password: PASSWORD })
    expect((await browser.get(HOME)).status).toBe(303)
  })

  test('ends when an administrator removes the role', async () => {
    const { browser, id } = await seat('client_admin')
    await operator.patch(`/users/${id}`, { vaults: [{ id: vaultId, roles: ['api_read'] }] })
    expect((await browser.get(HOME)).headers.get('Location')).toContain('/console/sign_in')
  })
})

describe('the pages', () => {
  test('show the missing details, the next party and the links', async () => {
    const id = await company('Example Trading GmbH')
    const person = await hostedPerson()
    const home = await viewer.browser.text(HOME)
    expect(home).toContain('Example Trading GmbH')
    expect(home).toContain('</svg>Your team’s turn</span>')
    expect(home).toContain('Missing: ')
    const page = await viewer.browser.text(`${HOME}/kyb/${id}`)
    expect(page).toContain('Missing details')
    expect(page).toContain('Articles of association')
    expect(page).toContain('Ada Sample')
    expect(page).not.toContain('Create new link')
    expect(await viewer.browser.text(`${HOME}?show=applicant`)).toContain(person)
    expect(await viewer.browser.text(`${HOME}/identifications/${person}`)).toContain('Not submitted yet')
  })

  test('offer a filter for the cases that need the client only if the card has no place for all of them', async () => {
    const own = await addVault(gatehouse)
    const { browser } = await seat('client_viewer', own.vaultId)
    const home = `/console/client/${own.vaultId}`
    for (let n = 0; n < 10; n += 1) await company(`Many ${n} Ltd`, own.api)
    await db.orm.execute(
      sql`UPDATE kyb_applications SET waiting_on = 'client' WHERE vault_id = ${own.vaultId}`,
    )
    expect(await browser.text(home)).not.toContain('?show=client')
    const last = await company('Many 10 Ltd', own.api)
    await db.orm.execute(sql`UPDATE kyb_applications SET waiting_on = 'client' WHERE id = ${last}`)
    for (const path of [home, `${home}?show=client`])
      expect(await browser.text(path)).toMatch(/\?show=client"[^>]*>With you <span class="number">11</)
  })

  test('lead to what the review asks for, and to an email address that the mail server refused', async () => {
    const asked = await company('Questions Ltd')
    const question = 'Is the account also for the branch in Graz?'
    const review = db.encryption.sealJson(
      {
        clientComment: question,
        findings: [],
        replies: [],
        corrections: [{ path: 'documents.articles_of_association', code: 'other', message: null }],
      },
      reviewContext(asked),
    )
    await db.orm.execute(
      sql`UPDATE kyb_applications SET review_outcome = 'revision_requested', review = ${review} WHERE id = ${asked}`,
    )
    const person = await hostedPerson()
    await db.orm.insert(emails).values({
      ...{ id: newId(), vaultId, identificationId: person, notice: 'link', status: 'refused' },
      addressHash: Buffer.from('x'),
    })
    const [home, read] = [await admin.browser.text(HOME), await viewer.browser.text(HOME)]
    const links = [`${HOME}/kyb/${asked}#comment-title`, `${HOME}/identifications/${person}#link-title`]
    for (const link of links) {
      expect(home).toContain(`href="${link}"`)
      expect(read).not.toContain(`href="${link}"`)
    }
    for (const page of [home, read]) {
      expect(page).toContain(`“${question}”`)
      // The list does not repeat the cases above it.
      expect(page.split('Questions Ltd</a>')).toHaveLength(2)
    }
    expect((await admin.browser.text(`${HOME}?show=client`)).split('Questions Ltd</a>')).toHaveLength(2)
    expect(read).toContain('Email not delivered')
    expect(await admin.browser.text(`${HOME}/identifications/${person}`)).toContain('id="link-title"')
  })

  test('show a case as the client’s turn while the email was not delivered, as the API does', async () => {
    const person = await hostedPerson()
    const failed = {
      ...{ vaultId, identificationId: person, notice: 'link' as const, addressHash: Buffer.from('x') },
      attemptedAt: new Date(Date.now() - 2 * 3_600_000),
    }
    const { token: key } = await signedIn(gatehouse, 'client', {
      vaults: [{ id: vaultId, roles: ['api_read'] }],
    })
    const headers = { Authorization: key }
    const listed = async (filter: string) => {
      const answer = await fetch(`${baseUrl}/v1/identifications?per_page=100&${filter}`, { headers })
      const { data } = (await answer.json()) as { data: { id: string; waiting_on: string }[] }
      return data.find(({ id }) => id === person)?.waiting_on ?? null
    }
    const shown = async (filter: string) => {
      const home = await viewer.browser.text(`${HOME}?show=${filter}`)
      return home.slice(home.indexOf('client-title')).includes(person)
    }
    const seen = async () => ({
      lists: [await shown('client'), await shown('applicant')],
      api: (await api.get(`/identifications/${person}`)).body.data.waiting_on,
      filters: [await listed('waiting_on=client'), await listed('waiting_on=applicant')],
    })
    const applicant = { lists: [false, true], api: 'applicant', filters: [null, 'applicant'] }
    const client = { lists: [true, false], api: 'client', filters: ['client', null] }
    expect(await seen()).toMatchObject(applicant)
    // An email to an administrator has no case.
    await db.orm.insert(emails).values({ ...failed, id: newId(), identificationId: null, status: 'refused' })
    for (const status of ['refused', 'failed', 'limited'] as const) {
      await db.orm.insert(emails).values({ ...failed, id: newId(), status })
      // The link is older than the email.
      await db.orm.execute(
        sql`UPDATE verification_links SET created_at = now() - interval '3 hours' WHERE identification_id = ${person}`,
      )
      expect([status, await seen()]).toMatchObject([status, client])
      await db.orm.insert(emails).values({ ...failed, id: newId(), status: 'sent' })
      expect([status, await seen()]).toMatchObject([status, applicant])
    }
    await db.orm.insert(emails).values({ ...failed, id: newId(), status: 'refused' })
    const page = await admin.browser.text(`${HOME}/identifications/${person}`)
    expect(page).toContain('for 2 h')
    expect(page).toContain('The latest email was not delivered')
    // The client gets the new link and sends it.
    await admin.browser.post(`${HOME}/identifications/${person}/link`)
    expect(await seen()).toMatchObject(applicant)
  })

  test('are also in German', async () => {
    await company('Beispiel GmbH')
    const answer = await viewer.browser.get(HOME, { 'Accept-Language': 'de' })
    expect(await answer.text()).toContain('Noch offen: ')
  })

  test('let only an admin create a new link, which replaces the earlier one', async () => {
    const id = await company('Links Ltd')
    expect((await viewer.browser.post(`${HOME}/kyb/${id}/link`)).status).toBe(404)
    const made = await admin.browser.post(`${HOME}/kyb/${id}/link`)
    expect(made.status).toBe(200)
    const [, token] = /\/verify\/([\w-]+)"/.exec(await made.text()) ?? []
    expect((await fetch(`${baseUrl}/verify/${token}`)).status).toBe(200)
    await admin.browser.post(`${HOME}/kyb/${id}/link`)
    expect((await fetch(`${baseUrl}/verify/${token}`)).status).toBe(404)
    const { body } = await api.get(`/kyb/${id}`)
    const [ada] = body.data.beneficiaries.beneficiaries_list
    const forPerson = await admin.browser.post(`${HOME}/kyb/${id}/beneficiaries/${ada.external_id}/link`)
    expect(forPerson.status).toBe(200)
    const person = await hostedPerson()
    expect((await admin.browser.post(`${HOME}/identifications/${person}/link`)).status).toBe(200)
  })

  test('create an application with its link, once for a form that is sent twice', async () => {
    expect((await viewer.browser.get(`${HOME}/links`)).status).toBe(404)
    expect((await viewer.browser.post(`${HOME}/links`, { type: 'kyb' })).status).toBe(404)
    expect(await admin.browser.text(HOME)).toContain(`href="${HOME}/links"`)
    const id = unique()
    const form = { id, type: 'kyc', name: 'Ada', surname: 'Linkmade', email: 'ada@example.com' }
    const tokens: string[] = []
    for (let n = 0; n < 2; n += 1) {
      const made = await admin.browser.post(`${HOME}/links`, form)
      expect(made.status).toBe(200)
      tokens.push(/\/verify\/([\w-]+)"/.exec(await made.text())?.[1] ?? '')
    }
    const statuses = tokens.map(async (token) => (await fetch(`${baseUrl}/verify/${token}`)).status)
    expect(await Promise.all(statuses)).toEqual([404, 200])
    const { data } = (await api.get(`/identifications?filter[external_uuid]=${id}`)).body
    expect(data).toHaveLength(1)
    const company = await (await admin.browser.post(`${HOME}/links`, { type: 'kyb' })).text()
    expect(company).toContain('Password for the form')
    for (const wrong of [
      { type: 'other' },
      { type: 'kyb', name: 'Ada' },
      { type: 'kyc', email: 'no address' },
    ] as Record<string, string>[])
      expect([wrong, (await admin.browser.post(`${HOME}/links`, wrong)).status]).toEqual([wrong, 422])
  })

  test('find cases by name, whose text is not in the address', async () => {
    const id = await company('Searchable Widgets Ltd')
    const foreign = await company('Searchable Widgets of another vault', other.api)
    const found = await viewer.browser.post(`${HOME}/search`, { q: 'Searchable Widg' })
    const address = found.headers.get('Location') ?? ''
    expect([found.status, address.includes('Searchable')]).toEqual([303, false])
    const page = await viewer.browser.text(address)
    expect(page).toContain(id)
    expect(page).not.toContain(foreign)
    const none = await viewer.browser.post(`${HOME}/search`, { q: 'no such name' })
    expect(await viewer.browser.text(none.headers.get('Location') ?? '')).toContain('No case matches')
    expect((await viewer.browser.post(`${HOME}/search`, { q: ' ' })).headers.get('Location')).toBe(HOME)
    expect(await admin.browser.text(address)).toContain('No case matches')
    const byId = await viewer.browser.post(`${HOME}/search`, { q: id })
    expect(byId.headers.get('Location')).toBe(`${HOME}/kyb/${id}`)
    const foreignId = await viewer.browser.post(`${HOME}/search`, { q: foreign })
    expect(foreignId.headers.get('Location')).toContain(`${HOME}/search?found=`)
  })

  test('show a new client the first steps', async () => {
    const empty = await addVault(gatehouse)
    const first = await seat('client_admin', empty.vaultId)
    const page = await first.browser.text(`/console/client/${empty.vaultId}`)
    for (const part of ['Get started', 'Create link', 'Add a webhook URL']) expect(page).toContain(part)
    const reader = await seat('client_viewer', empty.vaultId)
    const read = await Promise.all(
      ['', '/webhooks'].map((path) => reader.browser.text(`/console/client/${empty.vaultId}${path}`)),
    )
    for (const each of read) {
      expect(each).toContain('An administrator can')
      expect(each).not.toMatch(/Get started|Create link|Add a URL/)
    }
  })

  test('never show hits, risks, notes, operators or pending decisions', async () => {
    const id = await company('Listed Holdings Ltd')
    const { identification_id } = (await api.get(`/kyb/${id}`)).body.data
    await operator.post(`/kyb/${id}/notes`, { text: INTERNAL })
    await operator.post(`/identifications/${identification_id}/notes`, { text: INTERNAL })
    await db.orm.execute(sql`UPDATE kyb_applications SET open_hits = 3, confirmed_hits = 2, waiting_on = 'operator',
      pending = '{"kind":"approve","by":"operator:someone"}', assigned_to = 'operator:someone',
      assigned_until = now() + interval '1 hour' WHERE id = ${id}`)
    const { operator_email } = gatehouse.credentials
    for (const { browser } of [viewer, admin]) {
      for (const path of [HOME, `${HOME}?show=review`, `${HOME}/kyb/${id}`]) {
        const page = await browser.text(path)
        const text = page.replaceAll(/<[^>]*>/g, ' ').toLowerCase()
        for (const secret of [INTERNAL, operator_email, 'operator:someone', identification_id])
          expect([path, secret, page.includes(secret)]).toEqual([path, secret, false])
        for (const word of ['risk', 'screening', 'second', 'hit', 'duplicate', 'assigned', 'operator'])
          expect([path, word, new RegExp(`\\b${word}`).test(text)]).toEqual([path, word, false])
      }
      expect(await browser.text(`${HOME}/kyb/${id}`)).toContain('In review')
    }
  })
})

describe('webhooks', () => {
  test('are added, tested and removed, and show no secret', async () => {
    const receiver = await startReceiver((res) => res.writeHead(200).end('thanks'))
    const add = { topics: 'ticket', url: receiver.url }
    expect((await viewer.browser.post(`${HOME}/webhooks`, add)).status).toBe(404)
    const added = await admin.browser.post(`${HOME}/webhooks`, add)
    expect(added.status).toBe(303)
    const path = added.headers.get('Location') ?? ''
    const page = await viewer.browser.text(`${HOME}/webhooks`)
    expect(page).toContain(receiver.url)
    expect(page).toContain(`href="${path}"`)
    const { webhook_secret } = (await api.get('/users/settings')).body.data
    expect(page).not.toContain(webhook_secret)
    const tested = await admin.browser.post(path, { act: 'test' })
    expect(await tested.text()).toContain('thanks')
    expect((await admin.browser.post(`${HOME}/webhooks/urls/${unique()}`, { act: 'test' })).status).toBe(404)
    const wrong = await admin.browser.post(`${HOME}/webhooks`, { ...add, url: 'no address' })
    expect(wrong.status).toBe(422)
    await admin.browser.post(path, { act: 'topics', topics: 'account' })
    const list = async () => (await api.get('/users/settings')).body.data.webhook_url_list
    expect(await list()).toMatchObject({ ticket: [], account: [receiver.url] })
    const events = { act: 'events', 'was:topics': 'account' }
    const unchanged = { ...events, topics: 'account', events: 'account_created' }
    for (const [form, status] of [
      [events, 422],
      [{ ...events, topics: 'ticket' }, 303],
      [unchanged, 303],
    ] as const)
      expect([form, (await admin.browser.post(path, form)).status]).toEqual([form, status])
    expect(await list()).toMatchObject({ ticket: [receiver.url], account: [] })
    await admin.browser.post(path, { act: 'topics', topics: 'account' })
    for (const act of ['test', 'pause', 'topics', 'remove'])
      expect((await viewer.browser.post(path, { act })).status).toBe(404)
    expect((await admin.browser.post(path, { act: 'remove' })).status).toBe(303)
    expect((await list()).account).toEqual([])
    expect((await viewer.browser.get(path)).status).toBe(404)
    await receiver.stop()
  })

  test('are added at the same time, and none is lost', async () => {
    const urls = Array.from({ length: 6 }, (_, n) => `http://127.0.0.1:9/${n}`)
    await Promise.all(
      urls.map((url) => admin.browser.post(`${HOME}/webhooks`, { topics: 'card_payment', url })),
    )
    const { webhook_url_list } = (await api.get('/users/settings')).body.data
    expect([...webhook_url_list.card_payment].sort()).toEqual(urls)
    await api.put('/users/update_webhook', { webhook_url: { card_payment: [] } })
  })

  test('have options that the page changes, and secrets that it never shows', async () => {
    const url = 'https://client.example/hooks'
    const { headers } = await admin.browser.post(`${HOME}/webhooks`, { topics: 'ticket', url })
    const path = headers.get('Location') ?? ''
    const change = async (form: Record<string, string> | (readonly [string, string])[]) =>
      (await admin.browser.post(path, form)).status
    expect(await change({ act: 'name', name: 'Case updates' })).toBe(303)
    expect(await change({ act: 'headers', headers: 'X-Tenant', header_value: 'hidden-value' })).toBe(303)
    expect(await change({ act: 'max_per_second', max_per_second: '20' })).toBe(303)
    const events = ['ticket_created', 'ticket_updated'].map((name) => ['events', name] as const)
    expect(await change([['act', 'events'], ...events])).toBe(303)
    expect(await change({ act: 'pause' })).toBe(303)
    const stored = async () =>
      (await api.get('/webhook_urls')).body.data.find((each: { url: string }) => each.url === url)
    expect(await stored()).toMatchObject({
      name: 'Case updates',
      header_names: ['X-Tenant'],
      max_per_second: 20,
      events: ['ticket_created', 'ticket_updated'],
      paused: true,
    })
    const page = await viewer.browser.text(path)
    for (const part of ['Case updates', 'X-Tenant', '20 per second', 'ticket_created', 'Paused'])
      expect(page).toContain(part)
    expect(page).toContain(`Set by ${admin.email}, `)
    expect(page).toContain('Signs the webhooks of all URLs')
    const managed = await admin.browser.text(path)
    for (const text of ['To change the address, add another URL and remove this one.', 'Remove URL']) {
      expect(managed).toContain(text)
      expect(page).not.toContain(text)
    }
    // There is no failed delivery.
    expect(managed).not.toContain('Send failed deliveries again')
    const removal = `${path}?remove=yes`
    expect(await admin.browser.text(removal)).toContain('Remove the URL Case updates?')
    expect(await viewer.browser.text(removal)).not.toContain('Remove the URL')
    const { id } = await stored()
    const { operator_email } = gatehouse.credentials
    const helper = await openConsole(baseUrl, gatehouse.credentials)
    const form = { act: 'headers', headers: 'X-Own', header_value: 'x' }
    const helped = `/console/settings/vaults/${vaultId}/webhooks/${id}`
    expect((await helper.post(helped, form)).status).toBe(303)
    expect(await helper.text(helped)).toContain(`Set by ${operator_email}, `)
    const changed = await viewer.browser.text(path)
    expect(changed).toMatch(/X-Own<.*?Set \d/)
    expect(changed).not.toContain(operator_email)
    expect(await change({ act: 'remove_header', header: 'X-Own' })).toBe(303)
    expect(page).not.toContain('hidden-value')
    for (const form of [
      { act: 'headers', headers: 'webhook-signature', header_value: 'x' },
      { act: 'headers', headers: 'X-Tenant', header_value: 'two\nlines' },
      { act: 'max_per_second', max_per_second: '0' },
      { act: 'max_per_second', max_per_second: 'many' },
      { act: 'ca', ca: 'nonsense' },
      { act: 'client_certificate', client_key: 'nonsense' },
      { act: 'events', events: 'identification_unknown' },
      { act: 'topics' },
      { act: 'constructor' },
    ])
      expect([form, await change(form)]).toEqual([form, 422])
    const asking = `${path}?remove_header=X-Tenant`
    const [asked, read] = [await admin.browser.text(asking), await viewer.browser.text(asking)]
    expect([asked, read].map((each) => each.includes('Remove the header X-Tenant?'))).toEqual([true, false])
    expect(await change({ act: 'remove_header', header: 'X-Tenant' })).toBe(303)
    expect(await admin.browser.text(path)).toContain('Header X-Tenant removed')
    expect(await change({ act: 'max_per_second', max_per_second: '' })).toBe(303)
    expect(await change({ act: 'events' })).toBe(303)
    expect(await change({ act: 'resume' })).toBe(303)
    expect(await change({ act: 'name', name: '' })).toBe(303)
    expect(await stored()).toMatchObject({
      name: null,
      header_names: [],
      max_per_second: null,
      events: null,
      paused: false,
    })
    await change({ act: 'remove' })
  })

  test('let an admin replace the secret, which is shown once', async () => {
    const own = await addVault(gatehouse)
    await own.api.put('/users/update_webhook', { webhook_url: { ticket: ['https://own.example/hook'] } })
    const path = `/console/client/${own.vaultId}/webhooks/urls/${(await own.api.get('/webhook_urls')).body.data[0].id}`
    const [reading, managing] = [
      (await seat('client_viewer', own.vaultId)).browser,
      (await seat('client_admin', own.vaultId)).browser,
    ]
    const settings = async () => (await own.api.get('/users/settings')).body.data
    const { webhook_secret: first } = await settings()
    expect(await reading.text(path)).not.toContain('name="overlap_hours"')
    expect((await reading.post(path, { act: 'secret', overlap_hours: '0' })).status).toBe(404)
    for (const overlap_hours of ['169', '-1', '0.5', 'soon']) {
      const refused = await managing.post(path, { act: 'secret', overlap_hours })
      expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining('overlap_hours')])
    }
    expect((await settings()).webhook_secret).toBe(first)
    const page = await (await managing.post(path, { act: 'secret', overlap_hours: '24' })).text()
    const { webhook_secret: second, previous_secret_expires_at: until } = await settings()
    expect(second).not.toBe(first)
    expect(until - Date.now() / 1_000).toBeGreaterThan(23 * 3_600)
    expect(page).toContain(second)
    expect(await managing.text(path)).not.toContain(second)
    await managing.post(path, { act: 'secret', overlap_hours: '' })
    expect((await settings()).previous_secret_expires_at ?? null).toBeNull()
    const helper = await openConsole(baseUrl, gatehouse.credentials)
    const shown = path.replace(/.*urls/, `/console/settings/vaults/${own.vaultId}/webhooks`)
    expect(await helper.text(shown)).not.toContain('name="overlap_hours"')
    expect((await helper.post(shown, { act: 'secret', overlap_hours: '0' })).status).toBe(404)
  })

  test('show each delivery with its attempts, and are sent again', async () => {
    const receiver = await startReceiver((res) => res.writeHead(418).end())
    await api.put('/users/update_webhook', { webhook_url: { daily_settlement: [receiver.url] } })
    const [id] = await publish(operator, vaultId, 'daily_settlement', 1)
    await eventually(async () => {
      expect(await viewer.browser.text(`${HOME}/webhooks/${id}`)).toContain('HTTP 418')
    })
    expect(await viewer.browser.text(`${HOME}/webhooks?status=all`)).toContain('daily_settlement_made')
    await db.orm.execute(
      sql`UPDATE webhook_logs SET status = 'failed', batch_id = NULL, lease_id = NULL WHERE id = ${id}`,
    )
    expect((await viewer.browser.post(`${HOME}/webhooks/${id}`)).status).toBe(404)
    expect((await admin.browser.post(`${HOME}/webhooks/${id}`)).status).toBe(303)
    expect(await admin.browser.text(`${HOME}/webhooks/${id}`)).toContain('Event resent')
    await api.put('/users/update_webhook', { webhook_url: { daily_settlement: [] } })
    await receiver.stop()
  })
})

describe('API keys', () => {
  test('are created for the API and revoked', async () => {
    const form = [
      ['name', 'Ledger'],
      ['roles', 'api_read'],
      ['expires_at', ''],
    ] as const
    expect((await viewer.browser.post(`${HOME}/keys`, form)).status).toBe(404)
    const made = await admin.browser.post(`${HOME}/keys`, form)
    const [key = ''] = /gk_test_\w{46}/.exec(await made.text()) ?? []
    const ask = () => fetch(`${baseUrl}/v1/kyb`, { headers: { Authorization: key } })
    expect((await ask()).status).toBe(200)
    expect(await viewer.browser.text(`${HOME}/keys`)).toContain('Ledger')
    const { data } = (await operator.get(`/vaults/${vaultId}/api_keys`)).body
    const id = data.find(({ name }: { name: string }) => name === 'Ledger').id
    expect((await viewer.browser.get(`${HOME}/keys/${id}/revoke`)).status).toBe(404)
    expect(await admin.browser.text(`${HOME}/keys/${id}/revoke`)).toContain(
      `Revoke key Ledger (${key.slice(0, 12)}`,
    )
    expect((await viewer.browser.post(`${HOME}/keys/${id}/revoke`)).status).toBe(404)
    expect((await admin.browser.post(`${HOME}/keys/${id}/revoke`)).status).toBe(303)
    expect((await ask()).status).toBe(401)
    const pages = [await admin.browser.text(`${HOME}/keys`), await admin.browser.text(`${HOME}/keys`)]
    expect(pages.map((page) => page.includes('API key “Ledger” revoked'))).toEqual([true, false])
  })
})

describe('an attacker with a seat', () => {
  const ROUTES = consoleRoutes(gatehouse.app)

  test('reaches no page or form outside the seat’s own list', async () => {
    const kyb = await company('Victim Ltd')
    const { identification_id } = (await api.get(`/kyb/${kyb}`)).body.data
    const own = new Set([
      '/console/password',
      '/console/codes',
      '/console/codes/confirm',
      '/console/sign_out',
    ])
    for (const { method, path } of ROUTES) {
      const isPublic = /^\/console\/(sign_in|sso|single_sign_on)/.test(path)
      if (isPublic || own.has(path) || path.startsWith('/console/client')) continue
      const address = path.replaceAll(/:(\w+)/g, (_, name) =>
        name !== 'id'
          ? unique()
          : path.includes('/vaults/')
            ? vaultId
            : path.includes('/kyb/')
              ? kyb
              : identification_id,
      )
      const { status, headers } = await (method === 'GET'
        ? admin.browser.get(address)
        : admin.browser.post(address, { note: 'x', outcome: 'approved', reason_code: 'complete' }))
      const isHome = path === '/console/' && headers.get('Location') === '/console/client'
      expect([method, path, isHome ? 404 : status]).toEqual([method, path, 404])
    }
  })

  test('finds nothing of other vaults, by any ID in the address', async () => {
    const kyb = await company('Secret Ltd', other.api)
    const { identification_id } = (await other.api.get(`/kyb/${kyb}`)).body.data
    const paths = [
      `/console/client/${other.vaultId}`,
      `/console/client/${other.vaultId}/kyb/${kyb}`,
      `${HOME}/kyb/${kyb}`,
      `${HOME}/identifications/${identification_id}`,
      `${HOME}/kyb/${identification_id}`,
      `${HOME}/kyb/not-an-id`,
      '/console/client/not-an-id',
      `${HOME}/../${other.vaultId}`,
    ]
    for (const path of paths) {
      const answer = await admin.browser.get(path)
      expect([path, answer.status]).toEqual([path, 404])
      expect(await answer.text()).not.toContain('Secret Ltd')
    }
    const [log] = (await other.api.get('/webhook_logs?type=all&status=all')).body.data
    const key = (await createKey(gatehouse, { roles: ['api_read'] }, other.vaultId)).id
    const stranger = await createPerson(gatehouse, {
      vaults: [{ id: other.vaultId, roles: ['client_viewer'] }],
    })
    expect((await admin.browser.get(`${HOME}/webhooks/${log.id}`)).status).toBe(404)
    for (const path of [`${HOME}/keys/${key}/revoke`, `${HOME}/members/${stranger.id}`])
      expect([path, (await admin.browser.get(path)).status]).toEqual([path, 404])
    for (const path of [
      `${HOME}/kyb/${kyb}/link`,
      `${HOME}/identifications/${identification_id}/link`,
      `${HOME}/webhooks/${log.id}`,
      `${HOME}/keys/${key}/revoke`,
      `${HOME}/members/${stranger.id}`,
      `/console/client/${other.vaultId}/members`,
      `/console/client/${other.vaultId}/keys`,
    ])
      expect([path, (await admin.browser.post(path)).status]).toEqual([path, 404])
    expect(await admin.browser.text(HOME)).not.toContain('Secret Ltd')
  })

  test('changes nothing with a form of another session', async () => {
    const id = await company('Token Ltd')
    const forged = await admin.browser.post(`${HOME}/kyb/${id}/link`, [['_csrf', 'of another session']])
    expect(forged.status).toBe(403)
  })
})
