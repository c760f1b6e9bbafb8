/** Tests the operators' console without a browser: access and the content of pages. */

import { gzipSync } from 'node:zlib'
import { sql } from 'drizzle-orm'
import { v7 as newId } from 'uuid'
import { describe, expect, test } from 'vitest'
import { consoleSessions, users } from '../../../drizzle/schema.ts'
import { insertCommentTemplate } from '../../../src/db/access/comment-template.ts'
import { BY_COMMAND_LINE } from '../../../src/domain/access/audit.ts'
import { grantsOfNames } from '../../../src/domain/access/grant.ts'
import { REASON_CODES } from '../../../src/domain/decision/decision.ts'
import { findTitle } from '../../../src/use-cases/review/queue.ts'
import { openConsole, waitingFor } from '../../support/console.ts'
import { csrfIn, fieldIn } from '../../support/form.ts'
import { sendForm } from '../../support/hosted-page.ts'
import {
  createImported,
  createSoftKyc,
  createWaiting,
  recordOf,
  statusOf,
  untilStatus,
  untilWaitingOn,
} from '../../support/identification.ts'
import { addVault, sharedInstance, unique } from '../../support/instance.ts'
import { completeSections } from '../../support/kyb.ts'
import { PASSWORD, signedIn } from '../../support/people.ts'
import { beginPerson, fillInPerson, openPerson, PERSON, submitPerson } from '../../support/person-page.ts'

const gatehouse = await sharedInstance({ worker: true })

const { api, baseUrl, credentials, db } = gatehouse
const send = (path: string, ...form: [form?: object | string, headers?: Record<string, string>]) =>
  sendForm(baseUrl + path, ...form)
const mine = { email: credentials.operator_email, password: credentials.operator_password }

async function signIn(path = '/console/sign_in') {
  const answer = await send(path, mine)
  expect(answer.status).toBe(303)
  const [cookie = ''] = answer.headers.getSetCookie()
  return { answer, cookie, headers: { Cookie: cookie.split(';')[0] ?? '' } }
}
const csrfOf = async (headers: Record<string, string>) =>
  csrfIn(await (await send('/console', undefined, headers)).text())

/** Matches the address of a result page, which contains the encrypted search term. */
const FOUND = /^\/console\/search\?found=[\w-]{40,}$/

describe('signing in', () => {
  test('sets a cookie for the console only, and stores its hash', async () => {
    const { answer, cookie } = await signIn()
    expect(answer.headers.get('Location')).toBe('/console')
    expect(cookie).toMatch(
      /^gatehouse_console=[\w-]{40,}; Max-Age=86400; Path=\/console; HttpOnly; SameSite=Lax$/,
    )
    const kept = await db.orm.select().from(consoleSessions)
    expect(JSON.stringify(kept)).not.toContain(/=([^;]+)/.exec(cookie)?.[1])
  })
  test('says who needs a one-time code', async () => {
    const page = await (await send('/console/sign_in')).text()
    expect(page).toContain('One-time code</label>')
    expect(page).toContain('Only if you use an authenticator app')
  })
  test('leads to the requested page, and to no other site', async () => {
    const asked = await send('/console')
    expect(asked.headers.get('Location')).toBe('/console/sign_in?next=%2Fconsole')
    expect((await signIn('/console/sign_in?next=/console/kyb/1')).answer.headers.get('Location')).toBe(
      '/console/kyb/1',
    )
    for (const next of ['//evil.example', 'https://evil.example', '/verify/x', '/console/../v1'])
      expect(
        (await signIn(`/console/sign_in?next=${encodeURIComponent(next)}`)).answer.headers.get('Location'),
        next,
      ).toBe('/console')
  })
  test.each([
    ['a wrong password', { ...mine, password: 'guessed' }, 422, 'is wrong'],
    ['a client', { email: credentials.user_email, password: credentials.user_password }, 422, 'is wrong'],
    ['nothing', {}, 422, 'is wrong'],
  ])('refuses %s', async (_, form, status, says) => {
    const answer = await send('/console/sign_in', form)
    expect([answer.status, await answer.text()]).toEqual([status, expect.stringContaining(says)])
    expect(answer.headers.getSetCookie()).toEqual([])
  })
  test('refuses requests from other sites', async () => {
    const statusFrom = async (headers: Record<string, string>) =>
      (await send('/console/sign_in', mine, headers)).status
    expect(await statusFrom({ 'Sec-Fetch-Site': 'cross-site' })).toBe(403)
    for (const Origin of ['https://elsewhere.example', `${baseUrl}.elsewhere.example`])
      expect(await statusFrom({ Origin })).toBe(403)
    for (const Origin of ['null', baseUrl, 'http://localhost:3000'])
      expect(await statusFrom({ Origin })).toBe(303)
  })
})

describe('forms', () => {
  const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' }
  const many = 'a=+&'.repeat(9_000)
  const large = `a=${'x'.repeat(100_000)}`
  const sendCompressed = (path: string) =>
    fetch(baseUrl + path, {
      method: 'POST',
      headers: { ...FORM, 'Content-Encoding': 'gzip' },
      body: gzipSync(many),
    })
  test('are limited in size before sign-in', async () => {
    for (const form of [many, large]) expect((await send('/console/sign_in', form, FORM)).status).toBe(413)
    expect((await sendCompressed('/console/sign_in')).status).toBe(415)
  })
  test('are not read before sign-in if the page requires it', async () => {
    const path = '/console/kyb/x/decision'
    for (const form of [many, large]) expect((await send(path, form, FORM)).status).toBe(401)
    expect((await sendCompressed(path)).status).toBe(401)
  })
  test('are read without a Content-Length, which some proxies omit', async () => {
    const body = new Blob([new URLSearchParams(mine).toString()]).stream()
    const streamed: RequestInit & { duplex: 'half' } = { method: 'POST', headers: FORM, body, duplex: 'half' }
    const answer = await fetch(`${baseUrl}/console/sign_in`, { ...streamed, redirect: 'manual' })
    expect([answer.status, answer.headers.get('Location')]).toEqual([303, '/console'])
  })
  test('are accepted from an operator with the fields of a decision on 100 people', async () => {
    const { headers } = await signIn()
    const search = `_csrf=${await csrfOf(headers)}&q=no+match+at+all&${many}`
    const answer = await send('/console/search', search, { ...FORM, ...headers })
    expect([answer.status, answer.headers.get('Location')]).toEqual([303, expect.stringMatching(FOUND)])
  })
})

describe('error pages', () => {
  test.each([
    ['an unknown path', '/console/nothing', undefined, true, 404, 'Page not found', '/console'],
    ['an unknown case', `/console/kyb/${newId()}`, undefined, true, 404, 'Page not found', '/console'],
    ['an ID that is not valid', '/console/kyb/x', undefined, true, 404, 'Page not found', '/console'],
    ['an unknown file', '/console/files/x', undefined, true, 404, 'Page not found', '/console'],
    ['an unknown setting', '/console/settings/nothing', undefined, true, 404, 'Page not found', '/console'],
    ['an unknown report', '/console/figures/x.csv', undefined, true, 404, 'Page not found', '/console'],
    ['a form without a token', '/console/next', {}, true, 403, 'Changes not saved', '/console'],
    ['a form without a session', '/console/next', {}, false, 401, 'Entries not saved', '/console/sign_in'],
  ])('for %s have one title, one link and no current section', async (...row) => {
    const [, path, form, isSignedIn, status, title, href] = row
    const answer = await send(path, form, isSignedIn ? (await signIn()).headers : {})
    const page = await answer.text()
    const [, main = ''] = /<main[^>]*>(.*)<\/main>/s.exec(page) ?? []
    expect(answer.status).toBe(status)
    expect([...main.matchAll(/<h\d[^>]*>(.*?)<\/h\d>/g)].map(([, text]) => text)).toEqual([title])
    expect([...main.matchAll(/ href="([^"]*)"/g)].map(([, link]) => link)).toEqual([href])
    expect(page).not.toMatch(/href="\/console[^"?]*" aria-current/)
  })
})

describe('an undecided application', () => {
  test('links each missing detail, and is not decided yet in the list of cases', async () => {
    const { headers } = await signIn()
    const id = await api.createKyb(unique(), {
      nature_of_business: { legal_company_name: 'Missing Parts Ltd' },
      // Another case with this email address would be a possible duplicate.
      beneficiaries: { beneficiaries_list: [{ email: `${unique()}@example.com`, full_name: 'Ada Sample' }] },
    })
    const textAt = async (path: string) => (await send(path, undefined, headers)).text()
    const page = await textAt(`/console/kyb/${id}`)
    for (const [tab, path] of [
      ['documents', 'business_files.articles_of_association'],
      ['company', 'nature_of_business.country_of_incorporation'],
      ['company', 'usage_of_account.usage'],
    ])
      expect(page).toContain(`?tab=${tab}#field-${path}"`)
    expect(page).toMatch(
      /<dt class="row-name">Ada Sample<\/dt><dd><ul class="list"><li><a href="[^"]*\?tab=owners#field-/,
    )
    expect(await textAt(`/console/kyb/${id}?tab=documents`)).toContain(
      'id="field-business_files.articles_of_association"',
    )
    // The missing details do not wait on the operator.
    for (const shown of ['Waiting on the client', 'details and documents missing', 'Not submitted</span>'])
      expect(page).toContain(shown)
    expect(page).not.toContain('id="needs-title"')
    const [row] = new RegExp(`data-id="${id}".*?</tr>`, 's').exec(await textAt('/console/cases')) ?? []
    expect(row).toContain('Not submitted')
    expect(row).not.toContain('Waiting on: ')
  })
  test('states how many documents are missing, also at the locked approval', async () => {
    const { headers } = await signIn()
    const id = await api.createKyb(unique(), completeSections())
    const page = await (await send(`/console/kyb/${id}`, undefined, headers)).text()
    expect(page).toMatch(/id="lock-note"[^>]*>6 documents missing</)
    expect(page).toContain('<span class="row-name">6 documents missing</span>')
    expect(page).toContain('<span class="quiet">In progress</span>')
  })
})

describe('sessions', () => {
  test('end if the operator signs out, which requires a CSRF token', async () => {
    const { headers } = await signIn()
    expect((await send('/console/sign_out', { _csrf: 'x' }, headers)).status).toBe(403)
    expect((await send('/console', undefined, headers)).status).toBe(200)
    expect((await send('/console/sign_out', { _csrf: await csrfOf(headers) }, headers)).status).toBe(303)
    expect((await send('/console', undefined, headers)).status).toBe(303)
  })
  test('end if the token version changes or the time expires', async () => {
    const { headers } = await signIn()
    await db.orm.update(users).set({ tokenVersion: sql`token_version + 1` })
    expect((await send('/console', undefined, headers)).status).toBe(303)
    const later = await signIn()
    await db.orm.update(consoleSessions).set({ expiresAt: sql`clock_timestamp()` })
    expect((await send('/console', undefined, later.headers)).status).toBe(303)
  })
  test('keep the typed text if they expire, and allow the operator to send it again after signing in', async () => {
    const id = await api.createKyb()
    const path = `/console/kyb/${id}/notes`
    const before = await signIn()
    const form = { _csrf: await csrfOf(before.headers), text: 'Typed before.' }
    await db.orm.update(consoleSessions).set({ expiresAt: sql`clock_timestamp()` })
    const unsaved = await send(path, form, before.headers)
    expect([unsaved.status, unsaved.headers.get('Location')]).toEqual([401, null])
    expect(await unsaved.text()).toContain('in another tab')
    expect((await send('/console/sign_out', form, before.headers)).headers.get('Location')).toBe(
      '/console/sign_in',
    )
    const { email } = await signedIn(gatehouse, 'operator', { operator_roles: ['operator_review'] })
    const another = await send('/console/sign_in', { email, password: PASSWORD })
    const theirs = { Cookie: another.headers.getSetCookie()[0]?.split(';')[0] ?? '' }
    expect((await send(path, form, theirs)).status).toBe(403)
    const { headers } = await signIn()
    expect((await send(path, form, headers)).status).toBe(303)
    expect(await (await send(`/console/kyb/${id}`, undefined, headers)).text()).toContain('Typed before.')
  })
})

test('shows cases in the queue of the party that they wait on', async () => {
  const id = await createWaiting(gatehouse)
  const { headers } = await signIn()
  const queue = await send('/console', undefined, headers)
  expect(queue.headers.get('Cache-Control')).toBe('no-store')
  expect(await queue.text()).toContain(`/console/identifications/${id}`)
  const others = await send('/console?waiting_on=client&kind=kyb&page=nonsense', undefined, headers)
  expect([others.status, await others.text()]).toEqual([200, expect.not.stringContaining(id)])
})

describe('the pages of cases', () => {
  const open = async (path: string) => {
    const { headers } = await signIn()
    const answer = await send(path, undefined, headers)
    const text = await answer.text()
    const value = (name: string) => fieldIn(text, name)
    const post = (to: string, form: object) =>
      send(`${path}/${to}`, { _csrf: value('_csrf'), ...form }, headers)
    return { headers, status: answer.status, text, version: value('version'), post }
  }
  const kyb = async (id: string) => (await api.get(`/kyb/${id}`)).body.data

  test('lead to a notice in the queue: decision recorded, or submitted for second approval', async () => {
    const vault = await addVault(gatehouse)
    await (await gatehouse.operator()).patch(`/vaults/${vault.vaultId}`, { four_eyes: ['rejections'] })
    for (const [by, text] of [
      [api, 'Decision recorded'],
      [vault.api, 'Submitted for second approval'],
    ] as const) {
      const name = { nature_of_business: { legal_company_name: 'Named Engines Ltd' } }
      const { headers, version, post } = await open(`/console/kyb/${await by.createKyb(undefined, name)}`)
      const decided = await post('decision', { version, outcome: 'rejected', reason_code: 'high_risk' })
      const [notice = ''] = decided.headers.getSetCookie()
      const queue = await send('/console', undefined, {
        Cookie: `${headers.Cookie}; ${notice.split(';')[0]}`,
      })
      expect(await queue.text()).toContain(`${text}: Named Engines Ltd`)
    }
  })
  test('offer the reasons that suit each outcome', async () => {
    const { text } = await open(`/console/kyb/${await api.createKyb()}`)
    const offered = [
      ...text.matchAll(/data-outcome="([^"]+)"><input type="radio" name="reason_code" value="(\w+)"/g),
    ].map(([, outcomes, code]) => [code, outcomes])
    const others = REASON_CODES.filter((code) => code !== 'complete')
    // An incomplete application cannot be approved.
    expect(text).toContain('Required details or documents are missing')
    const undisclosed = ['sanctions_match', 'high_risk', 'prohibited_business']
    expect(offered).toEqual(
      others.map((code) => [code, undisclosed.includes(code) ? 'rejected' : 'rejected revision_requested']),
    )
  })
  test('lead to a decision page, with buttons that change the outcome, the findings and the comment', async () => {
    const id = await api.createKyb()
    const template = { id: newId(), language: 'en', title: 'Extract', text: 'Send an extract.' } as const
    await insertCommentTemplate(db, gatehouse.vaultId, template)
    const path = `/console/kyb/${id}`
    expect((await open(`${path}?decide=rejected`)).text).toMatch(/value="rejected" checked/)
    const { post } = await open(path)
    const form = {
      outcome: 'rejected',
      client_comment: 'Hello.',
      open_next: 'yes',
      'finding.nature_of_business.phone': 'missing',
      'finding.nature_of_business.website': '',
      'finding_comment.nature_of_business.website': 'Which one?',
    }
    const prepare = async (more: object) => (await post('decision/prepare', { ...form, ...more })).text()
    const chosen = await prepare({ decide: 'revision_requested' })
    for (const shown of ['Phone number', 'Which one?', 'value="revision_requested" checked', 'Hello.'])
      expect(chosen).toContain(shown)
    expect(chosen).toMatch(/name="open_next" value="yes" checked/)
    expect(chosen).toContain('Request 2 corrections')
    expect(chosen).toMatch(/value="documents_missing" checked/)
    const removed = await prepare({ remove: 'nature_of_business.phone' })
    expect(removed).not.toContain('id="finding.nature_of_business.phone"')
    expect(removed).toContain('Which one?')
    expect(await prepare({ template: template.id })).toContain('>Hello.\nSend an extract.</textarea>')
    const back = await prepare({ decide: '' })
    expect(back).toContain('id="timeline-title"')
    expect(back).toContain('value="rejected" checked')
  })
  test('lead to the next case of the queue after a decision if the operator selects this', async () => {
    const { api: other, vaultId } = await addVault(gatehouse)
    const first = await waitingFor(gatehouse, 2, other)
    const second = await waitingFor(gatehouse, 1, other)
    const session = await openConsole(baseUrl, mine)
    await session.get(`/console?vault_id=${vaultId}`)
    const version =
      /name="version" value="(\d+)"/.exec(await session.text(`/console/kyb/${first}`))?.[1] ?? ''
    const rejection = { version, outcome: 'rejected', reason_code: 'high_risk', open_next: 'yes' }
    const decided = await session.post(`/console/kyb/${first}/decision`, rejection)
    expect(decided.headers.get('Location')).toBe(`/console/kyb/${second}`)
    const next = await session.text(`/console/kyb/${second}`)
    expect(next).toContain('Decision recorded')
    expect(next).toMatch(/name="open_next" value="yes" checked/)
  })
  test('show the form again with an error at the comment if a revision request is empty', async () => {
    const id = await api.createKyb()
    const page = await open(`/console/kyb/${id}`)
    const form = { version: page.version, outcome: 'revision_requested', reason_code: 'other' }
    for (const step of ['decision', 'decision/preview']) {
      const refused = await page.post(step, form)
      expect([refused.status, await refused.text()]).toEqual([
        422,
        expect.stringContaining('<a href="#client_comment">Describe the required changes'),
      ])
    }
  })
  test('record a decision once if it is sent twice, and refuse a second decision that differs', async () => {
    const revision = {
      outcome: 'revision_requested',
      reason_code: 'other',
      client_comment: 'Once.',
      internal_note: 'One\r\nnote',
      'finding.nature_of_business.phone': 'missing',
      'finding_comment.nature_of_business.phone': 'No one answers.',
    }
    const rejection = { outcome: 'rejected', reason_code: 'high_risk' }
    for (const [form, other] of [
      [revision, { ...revision, 'finding_comment.nature_of_business.phone': 'It is wrong.' }],
      [rejection, { ...rejection, internal_note: 'Otherwise.' }],
    ] as const) {
      const { text, version, post } = await open(`/console/kyb/${await api.createKyb()}`)
      const since = /name="since" value="(\d+)"/.exec(text)?.[1] ?? ''
      for (const _ of ['once', 'again'])
        expect((await post('decision', { version, since, ...form })).headers.get('Location')).toBe('/console')
      expect((await post('decision', { version, since, ...other })).status).toBe(409)
    }
  })
  test('show the entered data of an application, and accept change requests per field', async () => {
    const id = await api.createKyb()
    await api.patch(`/kyb/${id}`, { nature_of_business: { legal_company_name: 'Engines <b>& Sons' } })
    const page = await open(`/console/kyb/${id}`)
    expect(page.text).toContain('Engines &lt;b>&amp; Sons')
    const form = {
      version: page.version,
      outcome: 'revision_requested',
      reason_code: 'information_mismatch',
      client_comment: 'Please look once more.',
      internal_note: 'Third time.',
      'finding.nature_of_business.legal_company_name': 'mismatch',
      'finding_comment.nature_of_business.legal_company_name': 'The register says another name.',
      'finding.nature_of_business.phone': '',
    }
    const decided = await page.post('decision', form)
    expect([decided.status, decided.headers.get('Location')]).toEqual([303, '/console'])
    expect((await kyb(id)).requirements.errors).toMatchObject([
      {
        path: 'nature_of_business.legal_company_name',
        code: 'mismatch',
        message: 'The register says another name.',
      },
    ])
    const after = await open(`/console/kyb/${id}`)
    for (const shown of ['The register says another name.', 'Third time.', 'request_revision'])
      expect(after.text).toContain(shown)
    // Another operator has decided in the meantime.
    const stale = await page.post('decision', { ...form, client_comment: 'Written before.' })
    expect(stale.status).toBe(409)
    expect(await stale.text()).toContain('Written before.')
  })
  test('refuse a decision without an outcome, and keep its internal note', async () => {
    const id = await api.createKyb()
    const page = await open(`/console/kyb/${id}`)
    const refused = await page.post('decision', { version: page.version, internal_note: 'Kept.' })
    expect(refused.status).toBe(422)
    expect(await refused.text()).toContain('Kept.')
    expect((await page.post('decision', { _csrf: 'x', outcome: 'rejected' })).status).toBe(403)
    expect((await kyb(id)).status.processed).toBe(false)
  })
  test('show an error at a field whose comment has no finding, and keep the comment', async () => {
    const id = await api.createKyb()
    const page = await open(`/console/kyb/${id}`)
    const refused = await page.post('decision', {
      version: page.version,
      outcome: 'revision_requested',
      reason_code: 'information_mismatch',
      'finding.nature_of_business.phone': '',
      'finding_comment.nature_of_business.phone': 'No one answers.',
      'finding.nature_of_business.website': 'other',
    })
    const text = await refused.text()
    expect([refused.status, text]).toEqual([422, expect.stringContaining('>No one answers.</textarea>')])
    expect(text).toContain('href="#finding.nature_of_business.phone"')
    expect(text).toMatch(/id="finding.nature_of_business.phone"[^>]* aria-invalid="true"/)
    expect(text.match(/Phone number: select a finding/g)).toHaveLength(2)
    expect((await kyb(id)).review).toBeNull()
  })
  test('show the full text again if a note is too long, and count a line break as one character', async () => {
    const id = await api.createKyb()
    const page = await open(`/console/kyb/${id}`)
    expect(page.text).toMatch(/<textarea id="text"[^>]* maxlength="5000"/i)
    const typed = `${'x'.repeat(5_000)}the end`
    const refused = await page.post('notes', { text: typed })
    const text = await refused.text()
    expect([refused.status, text.includes(typed)]).toEqual([422, true])
    expect(text).toContain('href="#text"')
    expect(text).not.toContain('data-action="note"')
    // Browsers count a line break as one character, but send two.
    const lines = `${'x'.repeat(2_500)}${'\n'.repeat(2_500)}`
    expect((await page.post('notes', { text: `${lines.slice(3)}end`.replaceAll('\n', '\r\n') })).status).toBe(
      303,
    )
  })
  test('show a person’s photos next to the data', async () => {
    const person = await openPerson(baseUrl, await beginPerson(gatehouse))
    await fillInPerson(person)
    await submitPerson(person)
    await untilWaitingOn(gatehouse, person.id, 'operator')
    const path = `/console/identifications/${person.id}`
    const page = await open(path)
    for (const shown of ['Ockham Park 1', 'Is this the same person?']) expect(page.text).toContain(shown)
    // The document's data stands next to its photo. All of a pane but the question can be accepted at once.
    const [, pane = ''] = /aria-labelledby="identity-title"(.*?)<\/section>/s.exec(page.text) ?? []
    expect(pane).toMatch(/<img.*Document type.*Document number.*X1234567.*Back of the document/s)
    const acceptedIn = (html: string) =>
      [...html.matchAll(/name="accept" value="([^"]+ [^"]+)"/g)].map(([, keys = '']) =>
        keys.split(' ').map((key) => key.replace(/#.*/, '#')),
      )
    const ofDocument = ['document_front#', 'document_back#', ...Object.keys(PERSON.document)]
    expect(acceptedIn(pane)).toEqual([ofDocument])
    const [details] = page.text.split('aria-labelledby="identity-title"')
    expect(acceptedIn(details ?? '')).toEqual([Object.keys(PERSON.details)])
    const [, src = ''] = /<img src="(\/console\/files\/[^"]+)"/.exec(page.text) ?? []
    const picture = await send(src, undefined, page.headers)
    expect([picture.status, picture.headers.get('Content-Type')]).toEqual([200, 'image/jpeg'])
    expect((await send(src)).status).toBe(303)
    expect((await open(path)).text).toContain('file_read')
    expect((await page.post('notes', { text: 'Looks fine.' })).status).toBe(303)
    expect((await page.post('assignment', { assign: 'yes' })).status).toBe(303)
    const mine = await open(path)
    for (const shown of ['Looks fine.', 'Assigned to: </span>You']) expect(mine.text).toContain(shown)
    const approval = { version: mine.version, outcome: 'approved', reason_code: 'complete' }
    expect((await mine.post('decision', approval)).status).toBe(303)
    await untilStatus(api, person.id, 'approved')
  })
  test.each([
    ['Lovelace', 'Same', false],
    ['King', 'Differs', true],
  ])('compare the name of a beneficiary, Ada %s, with the application', async (surname, word, isOpen) => {
    const people = [{ email: `${unique()}@example.com`, full_name: 'Ada Lovelace', roles: ['director'] }]
    const id = await api.createKyb(undefined, { beneficiaries: { beneficiaries_list: people } })
    const { beneficiaries } = (await api.get(`/kyb/${id}`)).body.data
    const person = await openPerson(baseUrl, new URL(beneficiaries.beneficiaries_list[0].link).pathname)
    await fillInPerson(person, { surname })
    await submitPerson(person)
    await untilWaitingOn(gatehouse, person.id, 'operator')
    const { text } = await open(`/console/identifications/${person.id}`)
    const [, row = ''] = /Name in the application<\/dt>(.*?)<\/dd>/s.exec(text) ?? []
    expect(row.replaceAll(/<[^>]+>/g, ' ')).toMatch(new RegExp(`Ada Lovelace\\s+${word}`))
    expect(text.includes('The name differs from the application')).toBe(isOpen)
    const { body } = await (await gatehouse.operator()).get(`/identifications/${person.id}`)
    expect(body.data.name_in_application).toEqual({ full_name: 'Ada Lovelace', is_same: !isOpen })
  })
  test('place a hold, and lift it if the version is current', async () => {
    const id = await createImported(api)
    const path = `/console/identifications/${id}`
    const page = await open(path)
    const refused = await page.post('cases', {
      owner: 'nobody',
      reason: 'aml_review',
      notes: 'Not lost.',
    })
    const again = await refused.text()
    expect([refused.status, again]).toEqual([422, expect.stringContaining('Select an owner')])
    expect(page.text).not.toContain('id="holds-title"')
    expect(again).toMatch(/<details open[^>]*>\s*<summary[^>]*>Place hold/)
    for (const kept of ['>Not lost.</textarea>', /value="aml_review" selected/]) expect(again).toMatch(kept)
    const unsaid = await page.post('cases', { owner: 'operator_operations', reason: 'other', notes: ' ' })
    expect([unsaid.status, await unsaid.text()]).toEqual([
      422,
      expect.stringContaining('Explain the other reason'),
    ])
    const [, named = ''] = /name="id" value="([^"]+)"/.exec(page.text) ?? []
    const given = {
      id: named,
      owner: 'operator_operations',
      reason: 'aml_review',
      notes: 'A word with them.',
    }
    expect((await page.post('cases', given)).status).toBe(303)
    expect(await statusOf(api, id)).toBe('blocked')
    // Simulates a retry after a lost response.
    expect((await page.post('cases', given)).status).toBe(303)
    // Simulates a page that the browser restored.
    const other = await page.post('cases', { ...given, reason: 'deceased' })
    const refusal = await other.text()
    expect([other.status, refusal]).toEqual([422, expect.stringContaining('has already placed a hold')])
    // The new page has a new ID, so that the operator can open another case.
    const [, fresh = named] = /name="id" value="([^"]+)"/.exec(refusal) ?? []
    expect(fresh).not.toBe(named)
    const another = await createImported(api)
    const there = await (await open(`/console/identifications/${another}`)).post('cases', given)
    expect([there.status, await there.text()]).toEqual([
      422,
      expect.stringContaining('has already placed a hold'),
    ])
    expect(await statusOf(api, another)).toBe('approved')
    const blocked = await open(path)
    expect(blocked.text.match(/\/cases\/[^"]+\/close"/g)).toEqual([expect.stringContaining(named)])
    const queue = '<a href="/console" aria-current="true">'
    for (const shown of ['A word with them.', '<div>AML review</div>', 'id="holds-title"', queue])
      expect(blocked.text).toContain(shown)
    const [, close = ''] = /action="[^"]+\/(cases\/[^"]+\/close)"/.exec(blocked.text) ?? []
    expect((await blocked.post(close, { version: 1 })).status).toBe(409)
    expect(
      (
        await blocked.post(close, {
          version: blocked.version || (await recordOf(gatehouse, id)).state.version,
        })
      ).status,
    ).toBe(303)
    expect(await statusOf(api, id)).toBe('approved')
    // The case with this ID is closed.
    const late = await page.post('cases', given)
    expect([late.status, await late.text()]).toEqual([
      422,
      expect.stringContaining('has already placed a hold'),
    ])
    expect(await statusOf(api, id)).toBe('approved')
  })
})

test('finds cases by ID, external ID, email and name', async () => {
  const external = unique()
  const id = await createSoftKyc(api, {
    external_uuid: external,
    name: 'Findable',
    email: `${external}@example.com`,
  })
  const { headers } = await signIn()
  const _csrf = await csrfOf(headers)
  const post = (q: string) => send('/console/search', { _csrf, q }, headers)
  for (const path of ['/console', '/console/search'])
    expect(await (await send(path, undefined, headers)).text()).toContain('placeholder="Name, email or ID"')
  const search = async (q: string) => {
    const posted = await post(q)
    if (posted.status !== 303) return posted
    const [asked = ''] = posted.headers.getSetCookie().map((cookie) => cookie.split(';')[0])
    return send(posted.headers.get('Location') ?? '', undefined, { Cookie: `${headers.Cookie}; ${asked}` })
  }
  expect((await post(id)).headers.get('Location')).toBe(`/console/identifications/${id}`)
  for (const asked of [external, `${external}@example.com`, 'Findable Lovelace'])
    expect(await (await search(asked)).text(), asked).toContain(`/console/identifications/${id}`)
  expect((await search('no match at all')).status).toBe(404)
  expect((await search('what\0ever')).status).toBe(404)
  // A text without visible characters is an empty search.
  for (const unseen of ['\u200b', '\u2060\u00ad', '\u3164']) {
    const answer = await search(unseen)
    expect([answer.status, await answer.text()]).toEqual([200, expect.not.stringContaining('data-id=')])
  }
  // An ID or a company name can contain an @. First names and surnames can have several words.
  const many = await createSoftKyc(api, {
    external_uuid: `us@${external}`,
    name: `Ada ${external}`,
    surname: 'de Vries',
  })
  for (const asked of [`us@${external}`, `ada  ${external} de Vries`])
    expect(await (await search(asked)).text(), asked).toContain(`/console/identifications/${many}`)
})

test('states that it shows only the newest results if there are more', async () => {
  const me = await openConsole(baseUrl, mine)
  const email = `${unique()}@example.com`
  for (let n = 0; n < 26; n += 1) await createSoftKyc(api, { external_uuid: unique(), email })
  const addressOf = async (q: string) =>
    (await me.post('/console/search', { q })).headers.get('Location') ?? ''
  const address = await addressOf(email)
  expect(address).toMatch(FOUND)
  expect(address).not.toContain(encodeURIComponent(email))
  // Simulates a search in another tab.
  const other = await addressOf('no match at all')
  const found = await me.text(address)
  expect(found).toContain('shows the 25 newest matches')
  expect(found.match(/data-id="/g)).toHaveLength(25)
  for (const none of [other, '/console/search', '/console/search?found', `${address}x`, `${address}&found=x`])
    expect(await me.text(none), none).not.toContain('data-id="')
})

test('treats IDs as case-insensitive', async () => {
  const id = await api.createKyb(unique(), { nature_of_business: { legal_company_name: 'Engines Ltd' } })
  const ID = id.toUpperCase()
  const { headers } = await signIn()
  const _csrf = await csrfOf(headers)
  const post = (path: string, form: object) => send(path, { _csrf, ...form }, headers)
  expect((await post('/console/search', { q: ID })).headers.get('Location')).toBe(`/console/kyb/${id}`)
  const page = await (await send(`/console/kyb/${ID}`, undefined, headers)).text()
  expect(page).toContain(`action="/console/kyb/${id}/decision`)
  const noted = await post(`/console/kyb/${ID}/notes`, { text: 'Written in capitals' })
  expect([noted.status, noted.headers.get('Location')]).toEqual([
    303,
    `/console/kyb/${id}?tab=history#timeline-title`,
  ])
  const version = /name="version" value="(\d+)"/.exec(page)?.[1]
  const revision = {
    outcome: 'revision_requested',
    reason_code: 'other',
    client_comment: 'Please check.',
    internal_note: 'Once more.',
    version,
  }
  expect((await post(`/console/kyb/${ID}/decision`, revision)).status).toBe(303)
  const describe = (workflowId: string) => gatehouse.temporal.workflow.getHandle(workflowId).describe()
  expect((await describe(`kyb-${id}`)).status.name).toBe('RUNNING')
  await expect(describe(`kyb-${ID}`)).rejects.toThrow('not found')
  const reviewer = { grants: grantsOfNames(['operator_review']) }
  expect(await findTitle({ db }, reviewer, BY_COMMAND_LINE, ID)).toBe('Engines Ltd')
  const taken = await post('/console/assignments', { entity: `kyb:${ID}` })
  expect(taken.status).toBe(303)
  expect((await (await gatehouse.operator()).get(`/kyb/${id}`)).body.data.assigned_to).not.toBeNull()
})
