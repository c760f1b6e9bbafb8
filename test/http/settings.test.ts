/** Tests the settings pages of the console without a browser: access, forms and the audit trail. */

import { describe, expect, test } from 'vitest'
import { webhookFailingUrls } from '../../drizzle/schema.ts'
import { changeLegalHold } from '../../src/cli/erasure.ts'
import { MAX_COMMENT_TEMPLATES } from '../../src/domain/access/comment-template.ts'
import { grantsOfNames } from '../../src/domain/access/grant.ts'
import { EMAIL_TEXTS } from '../../src/domain/email/texts.ts'
import { listCommentTemplates } from '../../src/use-cases/access/comment-templates.ts'
import { openConsole, waitingFor } from '../support/console.ts'
import { csrfIn, fieldIn, sentFields } from '../support/form.ts'
import { sendForm } from '../support/hosted-page.ts'
import { createImported } from '../support/identification.ts'
import { addVault, sharedInstance, unique } from '../support/instance.ts'
import { logoPng } from '../support/logo.ts'
import { createKey, createPerson, PASSWORD, signedIn } from '../support/people.ts'
import { startReceiver } from '../support/receiver.ts'
import { insertLogs } from '../support/webhook.ts'

const gatehouse = await sharedInstance()
const { api, baseUrl, credentials, vaultId } = gatehouse
const operator = await gatehouse.operator()

const BASE = '/console/settings'
const ADMINISTRATOR = { grants: grantsOfNames(['operator_admin']) }

async function enter(email: string, password: string) {
  const answer = await sendForm(`${baseUrl}/console/sign_in`, { email, password })
  expect(answer.status).toBe(303)
  const headers = { Cookie: answer.headers.getSetCookie()[0]?.split(';')[0] ?? '' }
  const get = async (path: string) => {
    const page = await sendForm(baseUrl + path, undefined, headers)
    return { status: page.status, to: page.headers.get('Location'), text: await page.text() }
  }
  const post = async (path: string, form: object, csrf?: string) => {
    const _csrf = csrf ?? csrfIn((await get('/console/settings/users/new')).text)
    const fields = Array.isArray(form) ? [['_csrf', _csrf ?? ''], ...form] : { _csrf: _csrf ?? '', ...form }
    const body = form instanceof FormData ? form : new URLSearchParams(fields)
    if (form instanceof FormData) form.append('_csrf', _csrf ?? '')
    const page = await sendForm(baseUrl + path, body, headers)
    const [cookie = ''] = page.headers.getSetCookie().map((each) => each.split(';')[0])
    return { status: page.status, to: page.headers.get('Location'), text: await page.text(), cookie }
  }
  return { get, post, cookie: headers.Cookie }
}
const admin = await enter(credentials.operator_email, credentials.operator_password)

/** Returns the fields that a browser would send, with these values for one field. */
async function filledIn(path: string, field: string, ...values: string[]): Promise<[string, string][]> {
  const fields = sentFields((await admin.get(path)).text, path)
  return [
    ...fields.filter(([name]) => name !== field),
    ...values.map((value): [string, string] => [field, value]),
  ]
}
const idIn = (to: string | null) => to?.split('/').at(-1) ?? ''
const newest = async () => (await operator.get('/audit?per_page=1')).body.data[0]

test('the page of a new user states the permissions of each role', async () => {
  const { text } = await admin.get('/console/settings/users/new')
  const linesOf = (name: string) =>
    [
      ...text.matchAll(
        new RegExp(
          `name="${name}"[^>]*/><span class="row-text"><span[^>]*>([^<]+)</span><span[^>]*>([^<]+)`,
          'g',
        ),
      ),
    ].map(([, role, line]) => `${role}: ${line}`)
  expect(linesOf('grant_roles')).toEqual([
    'Auditor: Read cases and reports, read settings and the audit trail',
    'Reviewer: Read and decide cases',
    'Senior reviewer: Read and decide cases, give second approvals',
    'Administrator: Read and change settings',
  ])
  expect(linesOf('operator_roles').at(-1)).toBe(
    'Administrator: Read and change settings, manage users, groups and vaults',
  )
  expect(linesOf('roles')).toHaveLength(4)
})

describe('access', () => {
  const NEW_TEMPLATE = `/vaults/${vaultId}/comment_templates/new`
  const SECTIONS = ['', '/pages', '/profile', '/comment_templates', '/emails', '/api_keys', '/webhooks']
  const VAULT = SECTIONS.map((section) => `/vaults/${vaultId}${section}`)
  const PAGES = [
    '',
    '/vaults',
    ...VAULT,
    NEW_TEMPLATE,
    '/users',
    '/actions',
    '/erasures',
    '/audit',
    '/audit/reads',
  ]
  const of = async (role: string) => {
    const { email } = await signedIn(gatehouse, 'operator', { operator_roles: [role] })
    return enter(email, PASSWORD)
  }
  test('is refused for reviewers, who see neither the link nor the pages', async () => {
    const reviewer = await of('operator_review')
    expect((await reviewer.get('/console')).text).not.toContain(BASE)
    for (const page of PAGES) expect((await reviewer.get(BASE + page)).status, page).toBe(404)
    expect((await reviewer.post(`${BASE}/vaults/new`, { name: 'Mine' })).status).toBe(404)
  })
  test('is limited to the settings for an operator who is only an administrator', async () => {
    const id = await api.createKyb()
    const only = await of('operator_admin')
    expect(await only.get('/console')).toMatchObject({ status: 303, to: BASE })
    for (const page of PAGES.slice(1)) {
      const { status, text } = await only.get(BASE + page)
      expect([page, status]).toEqual([page, 200])
      for (const link of ['cases', 'search']) expect(text).not.toContain(`href="/console/${link}"`)
    }
    for (const page of [`/kyb/${id}`, '/cases', '/search', `/files/${unique()}`])
      expect((await only.get(`/console${page}`)).status, page).toBe(404)
  })
  test('requires a session', async () => {
    const page = await sendForm(`${baseUrl}${BASE}/vaults`)
    expect(page.headers.get('Location')).toBe('/console/sign_in?next=%2Fconsole%2Fsettings%2Fvaults')
  })
})

/** Returns the values of inputs. A select cannot show an unknown option. */
const typedIn = ({ vaults: _, ...form }: Record<string, string>) => Object.values(form).filter(Boolean)

test('requires a new password if the password is one-time', async () => {
  const person = await createPerson(gatehouse, { operator_roles: ['operator_admin'] })
  const session = await enter(person.email, person.oneTimePassword)
  for (const path of ['/console', `${BASE}/vaults`])
    expect(await session.get(path)).toMatchObject({ status: 303, to: '/console/password' })
  const page = await session.get('/console/password')
  const csrf = csrfIn(page.text)
  const change = (current_password: string, new_password: string) =>
    session.post('/console/password', { _csrf: csrf, current_password, new_password }, csrf)
  const wrong = await change('guessed', 'short')
  expect([wrong.status, wrong.text.includes('href="#new_password"')]).toEqual([422, true])
  expect((await change('guessed', PASSWORD)).text).toContain('href="#current_password"')
  expect(await change(person.oneTimePassword, PASSWORD)).toMatchObject({ status: 303, to: '/console' })
  expect(await newest()).toMatchObject({ action: 'password_changed', actor: `operator:${person.id}` })
  expect((await session.get('/console')).to).toContain('/console/sign_in')
  expect((await (await enter(person.email, PASSWORD)).get(`${BASE}/vaults`)).status).toBe(200)
})

describe('forms', () => {
  test.each([
    ['/vaults/new', { name: '', trading_fee: 'a lot' }, ['name', 'trading_fee']],
    [`/vaults/${vaultId}`, { name: 'x'.repeat(201), trading_fee: '200' }, ['name', 'trading_fee']],
    [`/vaults/${vaultId}`, { 'was:trading_fee': '25', trading_fee: ' ' }, ['trading_fee']],
    [`/vaults/${vaultId}`, { trading_fee: '0x1' }, ['trading_fee']],
    [`/vaults/${vaultId}`, { review_target_hours: '721' }, ['review_target_hours']],
    [`/vaults/${vaultId}`, { review_target_hours: 'a day' }, ['review_target_hours']],
    [`/vaults/${vaultId}/api_keys`, { expires_at: '2020-02-02' }, ['roles', 'expires_at']],
    [
      `/vaults/${vaultId}/comment_templates/new`,
      { template_title: ' ', template_text: 'x'.repeat(2_001) },
      ['template_language', 'template_title', 'template_text'],
    ],
    ['/users/new', { email: 'nobody', vaults: unique(), roles: 'api_read' }, ['email']],
    ['/users/new', { email: `${unique()}@example.com`, vaults: unique(), roles: 'api_read' }, ['vaults']],
    ['/users/new', { email: credentials.operator_email, operator_roles: 'senior_reviewer:' }, ['email']],
    ['/users/new', { email: `${unique()}@example.com` }, ['operator_roles']],
  ])('show an error at each invalid field of %s: %j', async (path, form, fields) => {
    const { status, text } = await admin.post(BASE + path, form)
    expect(status).toBe(422)
    for (const field of fields) {
      expect(text).toContain(`href="#${field}"`)
      expect(text).toMatch(
        new RegExp(
          `id="${field}"[^>]*aria-describedby="[^"]*${field}-problem"|aria-describedby="[^"]*${field}-problem"[^>]*id="${field}"`,
        ),
      )
    }
    for (const typed of typedIn(form)) expect(text).toContain(typed)
  })
  test('change nothing if another page or site sends them', async () => {
    const before = (await operator.get(`/vaults/${vaultId}`)).body
    const pages = new FormData()
    pages.append('languages', 'de')
    for (const [path, form] of [
      ['/vaults/new', { name: 'Foreign' }],
      [`/vaults/${vaultId}/pages`, pages],
      [`/users/${unique()}/reset_password`, {}],
    ] as const)
      expect((await admin.post(BASE + path, form, 'foreign')).status, path).toBe(403)
    expect((await operator.get(`/vaults/${vaultId}`)).body).toEqual(before)
  })
  test('store and remove a logo, and refuse an invalid or too large one at its field', async () => {
    const path = `${BASE}/vaults/${vaultId}/pages`
    const form = (more: Record<string, string | Blob>) => {
      const data = new FormData()
      const fields = { accent_color: '#7a1f5c', languages: 'en', default_language: 'en', ...more }
      for (const [name, value] of Object.entries(fields)) data.append(name, value)
      return data
    }
    const logo = new Blob([new Uint8Array(await logoPng())], { type: 'image/png' })
    expect(await admin.post(path, form({ logo }))).toMatchObject({ status: 303, to: path })
    const stored = (await operator.get(`/vaults/${vaultId}`)).body.data
    expect(stored).toMatchObject({ accent_color: '#7a1f5c', languages: ['en'] })
    expect((await admin.get(path)).text.split(new URL(stored.logo_url).pathname)).toHaveLength(3)
    for (const wrong of [new Blob(['no picture']), new Blob([new Uint8Array(300_000)])]) {
      const refused = await admin.post(path, form({ logo: wrong }))
      expect([refused.status, refused.text.includes('href="#logo"')]).toEqual([422, true])
    }
    expect((await admin.post(path, form({ accent_color: '#ffff00' }))).text).toContain('href="#accent_color"')
    expect((await admin.post(path, form({ without_logo: 'yes' }))).status).toBe(303)
    expect((await operator.get(`/vaults/${vaultId}`)).body.data.logo_url).toBeNull()
  })
})

test('previews typed colours and measures their contrast, without saving them', async () => {
  const own = await addVault(gatehouse)
  const path = `${BASE}/vaults/${own.vaultId}/pages`
  expect((await admin.get(path)).text).toContain('If it is empty, pages lighten the accent colour.')
  const form = new FormData()
  const typed = { preview: 'yes', accent_color: '#0b5d4e', accent_color_dark: '#0b5d4e' }
  for (const [name, value] of Object.entries(typed)) form.append(name, value)
  const { status, text } = await admin.post(path, form)
  expect(status).toBe(200)
  expect(text).toMatch(/>7\.8 : 1 with white text</)
  expect(text).toMatch(/>2\.5 : 1\. Choose a colour with a contrast of at least 4\.5 : 1\.</)
  expect((await operator.get(`/vaults/${own.vaultId}`)).body.data.accent_color).toBeNull()
  const style = /href="([^"]+colors\.css[^"]*)"/.exec(text)?.[1]?.replace('&amp;', '&') ?? ''
  expect((await admin.get(style)).text).toBe(':root{--brand:#0b5d4e;--brand-dark:#0b5d4e}')
  // Without a colour for dark mode, the other one is lightened.
  expect((await admin.get(`${BASE}/colors.css?light=0b5d4e`)).text).toBe(
    ':root{--brand:#0b5d4e;--brand-dark:#548e83}',
  )
  expect((await admin.get(`${BASE}/colors.css?light=red;&dark=}`)).text).toBe('')
})

test('shows every email in each language of the vault, and switches emails on', async () => {
  const own = await addVault(gatehouse)
  const path = `${BASE}/vaults/${own.vaultId}`
  await operator.patch(`/vaults/${own.vaultId}`, { languages: ['en', 'pl'], name: 'A & <B>' })
  const { text } = await admin.get(`${path}/emails`)
  for (const { subject } of Object.values(EMAIL_TEXTS.en.templates))
    expect(text).toContain(
      subject.replace('{vault}', 'A &amp; &lt;B>').replace('{host}', 'hooks.client.example'),
    )
  expect(text).toContain('Emails are off because SMTP_URL')
  expect((await admin.get(`${path}/emails?texts=pl`)).text).toContain('lang="pl"')
  // The vault does not offer German.
  expect((await admin.get(`${path}/emails?texts=de`)).text).not.toContain('lang="de"')
  const on = await filledIn(path, 'features', 'emails', 'email_outcomes')
  expect((await admin.post(path, on)).status).toBe(303)
  expect((await operator.get(`/vaults/${own.vaultId}`)).body.data).toMatchObject({
    ...{ emails: true, email_outcomes: true, import_enabled: false },
  })
})

test('shows the health of each vault', async () => {
  const own = await addVault(gatehouse)
  const [overdue, recent] = [
    await waitingFor(gatehouse, 24 * 7, own.api),
    await waitingFor(gatehouse, 0, own.api),
  ]
  expect(overdue).not.toBe(recent)
  const { text } = await admin.get(`${BASE}/vaults`)
  const [, row = ''] = text.split(`href="${BASE}/vaults/${own.vaultId}"`)
  const cells = (row.split('</tr>')[0] ?? '').replaceAll(/<svg.*?<\/svg>|<[^>]+>/g, ' ')
  expect(cells).toMatch(/\s2\s+1 overdue\s+–\s+No failures/)
})

describe('concurrent edits', () => {
  test('keep the fields of a user that the form did not change', async () => {
    const another = (await addVault(gatehouse)).vaultId
    const both = ['operator_review', 'operator_admin']
    const vaults = [{ id: vaultId, roles: ['api_read', 'api_write'] }]
    const { id } = await createPerson(gatehouse, { operator_roles: both, vaults })
    const path = `${BASE}/users/${id}`
    const untouched = await filledIn(path, 'none')
    const changed = await filledIn(path, `roles-${vaultId}`, 'api_write')
    const wrong = await filledIn(path, 'vaults', unique())
    const meanwhile = {
      operator_roles: ['operator_review'],
      vaults: [
        { id: vaultId, roles: ['api_read'] },
        { id: another, roles: ['api_write'] },
      ],
    }
    await operator.patch(`/users/${id}`, meanwhile)
    const read = async () => (await operator.get(`/users/${id}`)).body.data
    expect((await admin.post(path, untouched)).status).toBe(303)
    expect(await read()).toMatchObject(meanwhile)
    // A form that is shown again keeps the originally read values.
    const refused = await admin.post(path, wrong)
    expect([refused.status, refused.text]).toEqual([
      422,
      expect.stringContaining('name="was:operator_roles" value="administrator:,senior_reviewer:"'),
    ])
    expect((await admin.post(path, changed)).status).toBe(303)
    const { operator_roles, vaults: reached } = await read()
    expect(operator_roles).toEqual(['operator_review'])
    expect(reached).toMatchObject([{ id: another, roles: ['api_write'] }])
  })
  test('keep the fields of a vault that the form did not change', async () => {
    const own = await addVault(gatehouse)
    const path = `${BASE}/vaults/${own.vaultId}`
    const form = await filledIn(path, 'name', 'Renamed')
    const features = await filledIn(path, 'features', 'import_enabled', 'internal_settlements_enabled')
    const meanwhile = {
      four_eyes: ['rejections'],
      high_risk_countries: ['MM'],
      review_target_hours: 48,
      trading_fee: 0.5,
      import_enabled: false,
    }
    await operator.patch(`/vaults/${own.vaultId}`, meanwhile)
    expect((await admin.post(path, form)).status).toBe(303)
    const read = async () => (await operator.get(`/vaults/${own.vaultId}`)).body.data
    expect(await read()).toMatchObject({ ...meanwhile, name: 'Renamed' })
    expect((await admin.post(path, features)).status).toBe(303)
    expect(await read()).toMatchObject({ ...meanwhile, internal_settlements_enabled: true })
  })
  test('choose the high-risk countries of a vault from the list, without those that others changed', async () => {
    const own = await addVault(gatehouse)
    const path = `${BASE}/vaults/${own.vaultId}`
    const read = async () => (await operator.get(`/vaults/${own.vaultId}`)).body.data.high_risk_countries
    await operator.patch(`/vaults/${own.vaultId}`, { high_risk_countries: ['IR', 'KP'] })
    const page = (await admin.get(path)).text
    expect(page).toMatch(/<select id="high_risk_countries"[^>]* multiple/)
    expect(page).toContain('<option value="IR" selected>Iran</option>')
    const form = await filledIn(path, 'high_risk_countries', 'IR', 'XK')
    await operator.patch(`/vaults/${own.vaultId}`, { high_risk_countries: ['IR', 'KP', 'MM'] })
    expect((await admin.post(path, form)).status).toBe(303)
    expect((await read()).toSorted()).toEqual(['IR', 'MM', 'XK'])
    expect((await admin.post(path, await filledIn(path, 'high_risk_countries'))).status).toBe(303)
    expect(await read()).toEqual([])
    const made = await admin.post(
      `${BASE}/vaults/new`,
      (await filledIn(`${BASE}/vaults/new`, 'high_risk_countries', 'MM')).map(
        ([name, value]): [string, string] => [name, name === 'name' ? unique() : value],
      ),
    )
    const { high_risk_countries } = (await operator.get(`/vaults/${idIn(made.to)}`)).body.data
    expect(high_risk_countries).toEqual(['MM'])
  })
  test('are confirmed once, with the name of the object', async () => {
    const own = await addVault(gatehouse)
    const path = `${BASE}/vaults/${own.vaultId}`
    const press = (to: string, form: [string, string][]) => admin.post(to, form)
    const { cookie } = await press(path, await filledIn(path, 'trading_fee', '3'))
    expect(cookie).toContain('gatehouse_notice=vaultSaved%20')
    const shown = await sendForm(baseUrl + path, undefined, { Cookie: `${admin.cookie}; ${cookie}` })
    expect(await shown.text()).toMatch(/data-toast.*Vault “[^”]+” saved/s)
    expect(shown.headers.get('Set-Cookie')).toContain('gatehouse_notice=;')
    for (const stale of [
      'saved%20general',
      'constructor',
      '%20',
      '%E0%A4%A',
      'keyRevoked%20%3Cb%3E',
      'decided%20x',
    ]) {
      const headers = { Cookie: `${admin.cookie}; gatehouse_notice=${stale}` }
      const page = await sendForm(baseUrl + path, undefined, headers)
      expect([stale, page.status, (await page.text()).includes('<b>')]).toEqual([stale, 200, false])
    }
  })
  test.each([
    ['an administrator', { operator_roles: ['administrator'] }, 'Vaults'],
    ['a user of a vault', { vaults: [{ id: vaultId, roles: ['client_viewer'] }] }, 'Home'],
  ])('reach %s, whose first page is not the queue', async (_, roles, heading) => {
    const { email, oneTimePassword } = await createPerson(gatehouse, roles)
    const browser = await openConsole(baseUrl, { email, password: oneTimePassword })
    let answer = await browser.post('/console/password', {
      current_password: oneTimePassword,
      new_password: PASSWORD,
    })
    let steps = 0
    for (; answer.status === 303 && steps < 5; steps += 1)
      answer = await browser.get(answer.headers.get('Location') ?? '')
    expect([steps > 1, answer.status]).toEqual([true, 200])
    const page = await answer.text()
    expect(page).toContain(heading)
    expect(page).toMatch(/data-toast.*Password changed/s)
    expect(await browser.text(new URL(answer.url).pathname)).not.toContain('Password changed')
  })
  test('name the object that each action has changed', async () => {
    const browser = await openConsole(baseUrl, credentials)
    const { id, email: who } = await createPerson(gatehouse, { operator_roles: ['operator_review'] })
    const key = await createKey(gatehouse, { roles: ['api_read'], name: 'Production' })
    const group = `reviewers ${unique()}`
    const template = { template_language: 'en', template_title: 'Blurred', template_text: 'Take it again.' }
    const templates = `${BASE}/vaults/${vaultId}/comment_templates`
    const says = async (path: string, form: Record<string, string> = {}) => {
      const answer = await browser.post(path, form)
      expect([path, answer.status]).toEqual([path, 303])
      const page = await browser.text(answer.headers.get('Location') ?? '')
      return [page, /class="toast".*?<span>(.*?)<\/span>/s.exec(page)?.[1]] as const
    }
    const [list, added] = await says(`${templates}/new`, template)
    const [, row] = /comment_templates\/([\da-f-]{36})"[^>]*>Blurred/.exec(list) ?? []
    expect(added).toBe('Comment template “Blurred” added')
    for (const [path, form, text] of [
      [
        `${templates}/${row}`,
        { ...template, template_title: 'Too dark' },
        'Comment template “Too dark” saved',
      ],
      [`${templates}/${row}/remove`, {}, 'Comment template “Too dark” removed'],
      [`${BASE}/users/${id}`, {}, `Roles of ${who} saved`],
      [`${BASE}/users/${id}/revoke_tokens`, {}, `${who} signed out everywhere`],
      [`${BASE}/groups/group`, { group, operator_roles: 'reviewer:' }, `Roles of the group “${group}” saved`],
      [`${BASE}/api_keys/${key.id}/revoke`, {}, 'API key “Production” revoked'],
      ['/console/filters', { name: 'Urgent', query: 'overdue=true' }, 'Filter “Urgent” saved'],
      ['/console/filters/delete', { name: 'Urgent' }, 'Filter “Urgent” deleted'],
    ] as const)
      expect((await says(path, form))[1]).toBe(text)
  })
  test('show the trading fee in percent, and accept it as people write it', async () => {
    const own = await addVault(gatehouse)
    const path = `${BASE}/vaults/${own.vaultId}`
    for (const [typed, fee, shown] of [
      ['1.5', 0.015, '1.5'],
      ['0,29 %', 0.0029, '0.29'],
      ['7', 0.07, '7'],
      ['100%', 1, '100'],
    ] as const) {
      expect((await admin.post(path, await filledIn(path, 'trading_fee', typed))).status).toBe(303)
      expect((await operator.get(`/vaults/${own.vaultId}`)).body.data.trading_fee).toBe(fee)
      expect(fieldIn((await admin.get(path)).text, 'trading_fee')).toBe(shown)
    }
    expect((await admin.post(path, await filledIn(path, 'trading_fee', '101'))).status).toBe(422)
  })
  test('keep the page settings of a vault that the form did not change', async () => {
    const own = await addVault(gatehouse)
    const path = `${BASE}/vaults/${own.vaultId}/pages`
    const form = new FormData()
    for (const [name, value] of await filledIn(path, 'accent_color', '#7a1f5c')) form.append(name, value)
    const meanwhile = { support_email: 'help@client.example', languages: ['de'], default_language: 'de' }
    await operator.patch(`/vaults/${own.vaultId}`, meanwhile)
    expect((await admin.post(path, form)).status).toBe(303)
    const vault = (await operator.get(`/vaults/${own.vaultId}`)).body.data
    expect(vault).toMatchObject({ ...meanwhile, accent_color: '#7a1f5c' })
  })
  test('replace the default language if it is not one of the chosen languages', async () => {
    const own = await addVault(gatehouse)
    const path = `${BASE}/vaults/${own.vaultId}/pages`
    await operator.patch(`/vaults/${own.vaultId}`, { languages: ['de', 'en'], default_language: 'en' })
    const form = new FormData()
    for (const [name, value] of await filledIn(path, 'languages', 'en')) form.append(name, value)
    await operator.patch(`/vaults/${own.vaultId}`, { default_language: 'de' })
    expect((await admin.post(path, form)).status).toBe(303)
    const vault = (await operator.get(`/vaults/${own.vaultId}`)).body.data
    expect(vault).toMatchObject({ languages: ['en'], default_language: 'en' })
  })
})

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
      const form = await filledIn(path, 'name', name)
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
    own.api.put('/users/update_webhook', { webhook_url: {}, long_retries })
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
  expect(shown).not.toContain('To use another URL')
  for (const part of ['Case updates', url, 'X-Token', 'All events of its topics', 'Active'])
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
