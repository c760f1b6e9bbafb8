/** Tests the settings pages of the console without a browser: access, forms and concurrent edits. */

import { describe, expect, test } from 'vitest'
import { EMAIL_TEXTS } from '../../../src/domain/email/texts.ts'
import { openConsole, waitingFor } from '../../support/console.ts'
import { csrfIn, fieldIn } from '../../support/form.ts'
import { sendForm } from '../../support/hosted-page.ts'
import { addVault, sharedInstance, unique } from '../../support/instance.ts'
import { logoPng } from '../../support/logo.ts'
import { createKey, createPerson, PASSWORD, signedIn } from '../../support/people.ts'
import { BASE, enterSettings, idIn } from '../../support/settings.ts'

const gatehouse = await sharedInstance()
const { api, baseUrl, credentials, vaultId } = gatehouse
const operator = await gatehouse.operator()

const enter = (email: string, password: string) => enterSettings(baseUrl, email, password)
const admin = await enter(credentials.operator_email, credentials.operator_password)

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
    'Auditor: Read cases and reports, settings and audit trail',
    'Reviewer: Read and decide cases',
    'Senior reviewer: Read and decide cases, give second approvals',
    'Administrator: Read and change settings',
  ])
  expect(linesOf('operator_roles')).toContain(
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
  test.each(['accent_color[a]', 'was:languages[a]', 'shipped[]', '__proto__[a]'])(
    'with a file are refused with 400 if they have the nested field %s',
    async (field) => {
      for (const page of ['pages', 'profile/import']) {
        const form = new FormData()
        form.append(field, 'x')
        expect((await admin.post(`${BASE}/vaults/${vaultId}/${page}`, form)).status, page).toBe(400)
      }
    },
  )
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

test.each(['0000-01-01', '0001-01-01', '9998-12-31', '9999-12-31', '2026-02-30'])(
  'shows each list that has a period if the day is %s',
  async (day) => {
    for (const list of ['audit', 'audit/reads', 'erasures'])
      for (const name of ['from', 'to'])
        expect((await admin.get(`${BASE}/${list}?${name}=${day}`)).status, `${list} ${name}`).toBe(200)
  },
)

test('previews typed colours and measures their contrast, without saving them', async () => {
  const own = await addVault(gatehouse)
  const path = `${BASE}/vaults/${own.vaultId}/pages`
  expect((await admin.get(path)).text).toContain('If it is empty, pages lighten the accent colour.')
  const form = new FormData()
  const typed = { preview: 'yes', accent_color: '#0b5d4e', accent_color_dark: '#0b5d4e' }
  for (const [name, value] of Object.entries(typed)) form.append(name, value)
  const { status, text } = await admin.post(path, form)
  expect(status).toBe(200)
  expect(text).toContain('>White text is easy to read on this colour (7.8 : 1)<')
  expect(text).toContain('>Dark text is hard to read on this colour. Choose a lighter one.<')
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
  const on = await admin.filledIn(path, 'features', 'emails', 'email_outcomes')
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
    const untouched = await admin.filledIn(path, 'none')
    const changed = await admin.filledIn(path, `roles-${vaultId}`, 'api_write')
    const wrong = await admin.filledIn(path, 'vaults', unique())
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
    const form = await admin.filledIn(path, 'name', 'Renamed')
    const features = await admin.filledIn(path, 'features', 'import_enabled', 'internal_settlements_enabled')
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
    const form = await admin.filledIn(path, 'high_risk_countries', 'IR', 'XK')
    await operator.patch(`/vaults/${own.vaultId}`, { high_risk_countries: ['IR', 'KP', 'MM'] })
    expect((await admin.post(path, form)).status).toBe(303)
    expect((await read()).toSorted()).toEqual(['IR', 'MM', 'XK'])
    expect((await admin.post(path, await admin.filledIn(path, 'high_risk_countries'))).status).toBe(303)
    expect(await read()).toEqual([])
    const made = await admin.post(
      `${BASE}/vaults/new`,
      (await admin.filledIn(`${BASE}/vaults/new`, 'high_risk_countries', 'MM')).map(
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
    const { cookie } = await press(path, await admin.filledIn(path, 'trading_fee', '3'))
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
      expect((await admin.post(path, await admin.filledIn(path, 'trading_fee', typed))).status).toBe(303)
      expect((await operator.get(`/vaults/${own.vaultId}`)).body.data.trading_fee).toBe(fee)
      expect(fieldIn((await admin.get(path)).text, 'trading_fee')).toBe(shown)
    }
    expect((await admin.post(path, await admin.filledIn(path, 'trading_fee', '101'))).status).toBe(422)
  })
  test('keep the page settings of a vault that the form did not change', async () => {
    const own = await addVault(gatehouse)
    const path = `${BASE}/vaults/${own.vaultId}/pages`
    const form = new FormData()
    for (const [name, value] of await admin.filledIn(path, 'accent_color', '#7a1f5c'))
      form.append(name, value)
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
    for (const [name, value] of await admin.filledIn(path, 'languages', 'en')) form.append(name, value)
    await operator.patch(`/vaults/${own.vaultId}`, { default_language: 'de' })
    expect((await admin.post(path, form)).status).toBe(303)
    const vault = (await operator.get(`/vaults/${own.vaultId}`)).body.data
    expect(vault).toMatchObject({ languages: ['en'], default_language: 'en' })
  })
})
