/** Tests emails to applicants: the link, the limits, refusals by the mail server, and hostile values. */
import { randomBytes } from 'node:crypto'
import { and, eq, isNotNull, sql } from 'drizzle-orm'
import { pino } from 'pino'
import { v7 as newId } from 'uuid'
import { describe, expect, test } from 'vitest'
import { emails, identifications, kybApplications, verificationLinks } from '../../../drizzle/schema.ts'
import { declineKey, remind } from '../../../src/db/email/notice.ts'
import { openConsole } from '../../support/console.ts'
import { startWithEmails } from '../../support/email-instance.ts'
import { conclude, eraseHere } from '../../support/erasure.ts'
import { historyText } from '../../support/history.ts'
import { untilStatus as untilVerification, untilWaitingOn } from '../../support/identification.ts'
import { addVault, eventually, unique } from '../../support/instance.ts'
import { logoPng } from '../../support/logo.ts'
import { PASSWORD, signedIn } from '../../support/people.ts'
import { fillInPerson, openPerson, submitPerson } from '../../support/person-page.ts'

const logged: string[] = []
const { server, gatehouse, operator } = await startWithEmails({
  log: pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) }),
})
const { api, db, vaultId } = gatehouse
await gatehouse.startWorker()

const newAddress = () => `${unique()}@client.example.com`
const setVault = async (changes: object) => {
  const { status } = await operator.patch(`/vaults/${vaultId}`, changes)
  expect(status).toBe(200)
}
await setVault({ emails: true })

async function start(more: object = {}) {
  const email = newAddress()
  const { status, body } = await api.post('/identifications/create_identify_process', {
    type: 'kyc',
    email,
    ...more,
  })
  expect(status).toBe(201)
  return { email, id: body.data.identification_id as string, url: body.data.url as string, body: body.data }
}

const rowsOf = (id: string) =>
  db.orm.select().from(emails).where(eq(emails.identificationId, id)).orderBy(emails.createdAt)
const linkOf = (id: string) =>
  db.orm.select().from(verificationLinks).where(eq(verificationLinks.identificationId, id))
const untilStatus = (id: string, status: string) =>
  eventually(async () => {
    const [row] = await rowsOf(id)
    expect(row?.status).toBe(status)
    return row
  })
const timelineOf = async (id: string): Promise<{ action: string; internal_note: string | null }[]> => {
  const { body } = await operator.get(`/identifications/${id}/timeline`)
  return body.data
}

describe('the link', () => {
  test('is sent once, with the name and the link that the response contains', async () => {
    const { email, id, url } = await start({ name: 'Ada', surname: 'Lovelace' })
    const received = await server.untilReceived(email)
    expect(received).toMatchObject({ from: 'no-reply@onboarding.example.com', to: [email] })
    expect(received.headers['message-id']).toMatch(/^<[\da-f-]{36}@onboarding\.example\.com>$/)
    expect(received.text).toContain('Hello Ada Lovelace,')
    expect(received.text).toContain(url)
    expect(received.html).toContain(`href="${url}"`)
    await untilStatus(id, 'sent')
    expect((await fetch(gatehouse.baseUrl + new URL(url).pathname)).status).toBe(200)
    expect(await timelineOf(id)).toContainEqual(expect.objectContaining({ action: 'email_sent' }))
    expect(server.receivedBy(email)).toHaveLength(1)
  })

  test('names the company and the reference of its application', async () => {
    const nature_of_business = { legal_company_name: 'Havelkante GmbH' }
    const { id } = (await api.post('/kyb', { external_id: unique(), nature_of_business })).body.data
    const email = newAddress()
    expect((await api.post(`/kyb/${id}/form_link`, { email })).status).toBe(201)
    const { text } = await server.untilReceived(email)
    expect(text).toContain('This email is about Havelkante GmbH.')
    expect(text).toContain(`Reference: ${id.slice(-8).toUpperCase()}`)
  })

  test('is sent again if the client requests a new one', async () => {
    const external_uuid = unique()
    const { email } = await start({ external_uuid })
    await server.untilReceived(email)
    const again = await start({ external_uuid, email })
    const { text } = await server.untilReceived(email, 2)
    expect(text).toContain(again.url)
  })

  test('is not sent if the vault has emails off, or if the client sends no address', async () => {
    const without = await start({ email: undefined })
    await setVault({ emails: false })
    const off = await start()
    await setVault({ emails: true })
    for (const { id } of [without, off]) expect(await rowsOf(id)).toEqual([])
    const [link] = await linkOf(off.id)
    expect(link).toMatchObject({ email: null, token: null })
  })
})

test('contains the logo of the vault, and loads nothing from the network', async () => {
  const logo = await logoPng(480, 120)
  await setVault({ logo: logo.toString('base64') })
  const { email } = await start()
  const { raw, html } = await server.untilReceived(email)
  await setVault({ logo: null })
  const [, id] = /<img class="logo" src="cid:([^"]+)"/.exec(html) ?? []
  expect(raw).toContain(`Content-ID: <${id}>`)
  expect(raw).toMatch(/Content-Type: image\/png[\s\S]*Content-Disposition: inline/)
  expect(html).not.toMatch(/(src|background)="?http|url\(/)
})

test.concurrent('the link never goes to an earlier address, while the email to it waits', async () => {
  const email = newAddress()
  const external_uuid = unique()
  server.refuse(email, 'recipient', ...Array(9).fill({ code: 451, message: '4.7.1 try again' }))
  const { id } = await start({ email, external_uuid })
  await eventually(() => expect(server.attempts).toContain(email))
  const corrected = await start({ external_uuid })
  expect((await server.untilReceived(corrected.email)).text).toContain(corrected.url)
  await untilStatus(id, 'dropped')
  expect(server.receivedBy(email)).toEqual([])
  expect((await fetch(gatehouse.baseUrl + new URL(corrected.url).pathname)).status).toBe(200)
})

test.concurrent('a mail server gets the same email again if it asks for patience (greylisting)', async () => {
  const email = newAddress()
  server.refuse(email, 'recipient', { code: 451, message: '4.7.1 try again' })
  const { id, url } = await start({ email })
  const { headers, text } = await server.untilReceived(email)
  const row = await untilStatus(id, 'sent')
  expect(row?.attempts).toBe(2)
  expect(headers['message-id']).toContain(row?.id)
  expect(text).toContain(url)
})

describe('the mail server', () => {
  test('can refuse an address for good, which the timeline shows', async () => {
    const email = newAddress()
    server.refuse(email, 'recipient', { code: 550, message: `5.1.1 <${email}> is unknown` })
    const { id } = await start({ email })
    await untilStatus(id, 'refused')
    expect(await timelineOf(id)).toContainEqual(
      expect.objectContaining({ action: 'email_refused', internal_note: 'link 550 5.1.1' }),
    )
    const [link] = await linkOf(id)
    expect(link?.remindAt).toBeNull()
    expect(server.attempts.filter((each) => each === email)).toHaveLength(1)
  })

  test.each([
    ['markup', 550, '5.1.1 <script>alert(1)</script>', '550 5.1.1'],
    ['several lines', 550, '5.1.1 first\r\n550-<b>second</b>\r\n250 OK', '550 5.1.1'],
    ['a status that is no status', 554, '9999.9999.9999 Ada Lovelace', '554'],
    ['a huge text', 550, `5.7.1 ${'Ada '.repeat(10_000)}`, '550 5.7.1'],
    ['no text', 553, '', '553'],
  ])('can refuse an address with %s, of which only the codes are kept', async (_, code, message, kept) => {
    const email = newAddress()
    server.refuse(email, 'recipient', { code, message })
    const { id } = await start({ email })
    await untilStatus(id, 'refused')
    const notes = (await timelineOf(id)).flatMap(({ action, internal_note: note }) =>
      action === 'email_refused' ? [note] : [],
    )
    expect(notes).toEqual([`link ${kept}`])
  })

  test('can refuse the text for good', async () => {
    const email = newAddress()
    server.refuse(email, 'text', { code: 554, message: '5.7.1 spam' })
    const { id } = await start({ email })
    await untilStatus(id, 'refused')
  })
})

describe('hostile values', () => {
  test.each([
    ['a line break and a header', 'Ada\r\nBcc: everyone@example.com'],
    ['HTML', '<img src=x onerror=alert(1)>'],
    ['a direction mark', 'Ada \u202eecalevol'],
    ['a link', 'Your account is locked: https://evil.example/a'],
    ['a host', 'visit evil.example'],
    ['an address', 'ada@evil.example'],
  ])('a name with %s is only a name', async (_, name) => {
    const email = newAddress()
    const { status } = await api.post('/identifications/create_identify_process', {
      ...{ type: 'kyc', email, name, surname: 'Lovelace' },
    })
    if (status === 422) return
    const { raw, headers, to, text, html } = await server.untilReceived(email)
    expect(to).toEqual([email])
    expect(raw).not.toMatch(/^bcc:/im)
    expect(Object.values(headers).join()).not.toMatch(/Ada|evil/)
    for (const part of [text, html]) {
      expect(part).not.toMatch(/<img|evil|[\u202a-\u202e\u2066-\u2069]/)
      expect(part).toMatch(/Hello(,| Ada)/)
    }
  })

  test('a name of the vault is escaped, and cannot add headers', async () => {
    await setVault({ name: 'A <b>"B"</b> \u202e, \u00e9' })
    const { email } = await start()
    const { raw, headers, html } = await server.untilReceived(email)
    await setVault({ name: 'Analytical Engines' })
    expect(raw).not.toContain('\u202e')
    expect(headers.subject).toContain('<b>"B"</b> , é')
    expect(html).toContain('A &lt;b&gt;&quot;B&quot;&lt;/b&gt;')
    expect(headers.from).toContain('<no-reply@onboarding.example.com>')
  })

  test('an unusual local part reaches the mail server unchanged', async () => {
    const email = `a!#$%&'*+/=?^_{|}~-${unique().slice(0, 8)}@client.example.com`
    await start({ email })
    expect((await server.untilReceived(email)).to).toEqual([email])
  })
})

test('one mailbox gets at most 10 emails in 24 hours, whatever its spelling', async () => {
  const name = unique()
  const hosts = ['münchen.example.com', 'xn--mnchen-3ya.example.com']
  const spell = (n: number) => `${n % 2 ? name : name.toUpperCase()}+${n}@${hosts[n % 2]}`
  const ids = await Promise.all(
    Array.from({ length: 13 }, async (_, n) => (await start({ email: spell(n) })).id),
  )
  const statuses = await eventually(async () => {
    const found = (await Promise.all(ids.map(rowsOf))).flat().map(({ status }) => status)
    expect(found).not.toContain('pending')
    return found
  })
  expect(statuses.filter((each) => each === 'sent')).toHaveLength(10)
  expect(statuses.filter((each) => each === 'limited')).toHaveLength(3)
})

test('one vault does not use up the emails of a mailbox: others still send four each', async () => {
  const other = await addVault(gatehouse)
  await operator.patch(`/vaults/${other.vaultId}`, { emails: true })
  const email = newAddress()
  /** Sends links one after the other, and returns how many arrive. */
  const send = async (by: typeof api, count: number) => {
    const ended = []
    for (let n = 0; n < count; n += 1) {
      const { body } = await by.post('/identifications/create_identify_process', { type: 'kyc', email })
      const { status } = await eventually(async () => {
        const [row] = await rowsOf(body.data.identification_id)
        expect(row?.status).not.toBe('pending')
        return row as { status: string }
      })
      ended.push(status)
    }
    return ended.filter((status) => status === 'sent').length
  }
  expect(await send(api, 11)).toBe(10)
  expect(await send(other.api, 5)).toBe(4)
  expect(await send(api, 1)).toBe(0)
})

test('a case gets at most 100 emails in 24 hours, whatever their addresses', async () => {
  const { id, email } = await start()
  await untilStatus(id, 'sent')
  const sent = (hours: number) => ({
    ...{ vaultId, identificationId: id, notice: 'code' as const, status: 'sent' as const },
    ...{ id: newId(), addressHash: randomBytes(32), workflowStartedAt: new Date() },
    attemptedAt: new Date(Date.now() - hours * 3_600_000),
  })
  // Emails of the day before do not count.
  await db.orm
    .insert(emails)
    .values([...Array(98)].map(() => sent(1)).concat([...Array(9)].map(() => sent(25))))
  const { external_uuid } = (await api.get(`/identifications/${id}`)).body.data
  const renew = async () => {
    const { email: to } = await start({ external_uuid })
    return eventually(async () => {
      const row = (await rowsOf(id)).at(-1)
      expect(row?.status).not.toBe('pending')
      return [row?.status, server.receivedBy(to).length]
    })
  }
  expect(server.receivedBy(email)).toHaveLength(1)
  expect(await renew()).toEqual(['sent', 1])
  expect(await renew()).toEqual(['limited', 0])
  expect((await timelineOf(id)).map(({ action }) => action)).toContain('email_limited')
  // Other cases are not affected.
  await untilStatus((await start()).id, 'sent')
})

describe('later notices', () => {
  const begin = async (more: object = {}) => {
    const started = await start()
    await server.untilReceived(started.email)
    const person = await openPerson(gatehouse.baseUrl, new URL(started.url).pathname)
    await fillInPerson(person, { email: 'other@evil.example', ...more })
    await submitPerson(person)
    return { ...started, person }
  }

  test('report requested changes with a valid link, to the address that the client sent', async () => {
    const { email, id, url } = await begin({ name: 'Retry Ada' })
    const { headers, text } = await server.untilReceived(email, 2)
    expect(headers.subject).toContain('requests changes')
    expect(text).toContain(url)
    expect(server.receivedBy('other@evil.example')).toEqual([])
    const [link] = await linkOf(id)
    expect(link?.remindAt).not.toBeNull()
  })

  test('contain a new link if the earlier one has expired', async () => {
    const { id, email, url, person } = await begin()
    await untilWaitingOn(gatehouse, id, 'operator')
    await db.orm
      .update(verificationLinks)
      .set({ expiresAt: sql`clock_timestamp()` })
      .where(eq(verificationLinks.identificationId, id))
    const asked = {
      outcome: 'initiated',
      reason_code: 'other',
      client_comment: 'Which city?',
      fields: ['city'],
    }
    expect((await operator.post(`/identifications/${id}/decision`, asked)).status).toBe(200)
    const { text } = await server.untilReceived(email, 2)
    expect(text).not.toContain(url)
    const [link = ''] = /http\S+\/verify\/\S+/.exec(text) ?? []
    expect((await fetch(gatehouse.baseUrl + new URL(link).pathname)).status).toBe(200)
    expect((await fetch(gatehouse.baseUrl + new URL(url).pathname)).status).toBe(404)
    // The session of the earlier link continues.
    expect((await person.get('/details')).status).toBe(200)
  })

  test('report the outcome only if the vault allows it', async () => {
    const silent = await begin({ name: 'Approved Ada' })
    await untilVerification(api, silent.id, 'approved')
    const waiting = await begin()
    await untilWaitingOn(gatehouse, waiting.id, 'operator')
    expect(await waiting.person.text('/done')).toContain('informs you of the result. Your link')
    await setVault({ email_outcomes: true })
    expect(await waiting.person.text('/done')).toContain('emails you. Your link')
    const told = await begin({ name: 'Rejected Ada' })
    const { headers, text } = await server.untilReceived(told.email, 2)
    await setVault({ email_outcomes: false })
    expect(headers.subject).toContain('is complete')
    expect(text).toContain('could not verify your identity')
    expect(text).toContain(`Reference: ${told.id.slice(-8).toUpperCase()}`)
    expect(text).not.toContain('/verify/')
    expect(await rowsOf(silent.id)).toHaveLength(1)
  })
})

describe('reminders', () => {
  const silentFor = async (id: string, days: number) => {
    const past = sql`clock_timestamp() - make_interval(days => ${days}::int)`
    await db.orm.update(identifications).set({ updatedAt: past }).where(eq(identifications.id, id))
    await db.orm
      .update(verificationLinks)
      .set({ createdAt: past })
      .where(eq(verificationLinks.identificationId, id))
    await db.orm
      .update(verificationLinks)
      .set({ remindAt: sql`clock_timestamp()` })
      .where(and(eq(verificationLinks.identificationId, id), isNotNull(verificationLinks.remindAt)))
    await remind(db, id, 180)
    gatehouse.notifier.notify([id])
  }
  const noticesOf = async (id: string) => (await rowsOf(id)).map(({ notice }) => notice)

  test('go to the kept address after a new link without one, and never to an address that was corrected', async () => {
    const external_uuid = unique()
    const first = await start({ external_uuid })
    await server.untilReceived(first.email)
    const kept = await start({ external_uuid, email: undefined })
    await silentFor(first.id, 3)
    expect((await server.untilReceived(first.email, 2)).text).toContain(kept.url)
    const corrected = await start({ external_uuid })
    await server.untilReceived(corrected.email)
    await silentFor(first.id, 3)
    expect((await server.untilReceived(corrected.email, 2)).text).toContain(corrected.url)
    const received = server.receivedBy(first.email)
    expect(received).toHaveLength(2)
    expect(received.some(({ text }) => text.includes(corrected.url))).toBe(false)
  })

  test('end if the client removes the address, with the link and with all later emails', async () => {
    const member = await signedIn(gatehouse, 'client', { vaults: [{ id: vaultId, roles: ['client_admin'] }] })
    const browser = await openConsole(gatehouse.baseUrl, { email: member.email, password: PASSWORD })
    const { id, email } = await start()
    await server.untilReceived(email)
    const page = `/console/client/${vaultId}/identifications/${id}`
    expect(await browser.text(page)).toContain(`value="${email}"`)
    expect((await browser.post(`${page}/link`, { email: 'Ada <ada@example.com>' })).status).toBe(422)
    expect((await linkOf(id))[0]?.email).not.toBeNull()
    expect((await browser.post(`${page}/link`, { email: '' })).status).toBe(200)
    expect(await browser.text(page)).not.toContain(email)
    const kyb = (await start({ type: 'kyb' })).id
    const [application] = await db.orm
      .select({ id: kybApplications.id })
      .from(kybApplications)
      .where(eq(kybApplications.identificationId, kyb))
    expect((await api.post(`/kyb/${application?.id}/form_link`, { email: null })).status).toBe(201)
    for (const each of [id, kyb]) {
      const none = { email: null, token: null, remindAt: null }
      expect((await linkOf(each))[0]).toMatchObject(none)
      await silentFor(each, 3)
      expect(await noticesOf(each)).toEqual(['link'])
    }
  })

  test('are sent after three and seven days of silence, and no more', async () => {
    const { email, id, url } = await start()
    await server.untilReceived(email)
    await silentFor(id, 2)
    expect(await noticesOf(id)).toEqual(['link'])
    const [early] = await linkOf(id)
    expect(Number(early?.remindAt) - Date.now()).toBeGreaterThan(23 * 3_600_000)
    await silentFor(id, 3)
    const { headers, text } = await server.untilReceived(email, 2)
    expect(headers.subject).toContain('is waiting for your details')
    expect(text).toContain(url)
    await silentFor(id, 6)
    expect(await noticesOf(id)).toEqual(['link', 'reminder'])
    await silentFor(id, 7)
    await server.untilReceived(email, 3)
    await silentFor(id, 30)
    expect(await noticesOf(id)).toEqual(['link', 'reminder', 'reminder'])
  })

  test('end with one click, but not if a scanner opens the link', async () => {
    const { email, id } = await start()
    await server.untilReceived(email)
    await silentFor(id, 3)
    const { headers, text } = await server.untilReceived(email, 2)
    expect(headers['list-unsubscribe-post']).toBe('List-Unsubscribe=One-Click')
    const [, link = ''] = /^<(.+)>$/.exec(headers['list-unsubscribe'] ?? '') ?? []
    expect(text).toContain(link)
    const path = gatehouse.baseUrl + new URL(link).pathname
    const page = await fetch(path)
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('Stop reminders?')])
    expect((await linkOf(id))[0]?.remindersDeclined).toBe(false)
    const clicked = await fetch(path, {
      method: 'POST',
      body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
      headers: { Origin: 'https://mail.example.com', 'Sec-Fetch-Site': 'cross-site' },
    })
    expect([clicked.status, await clicked.text()]).toEqual([
      200,
      expect.stringContaining('Reminders stopped'),
    ])
    const repeated = await Promise.all([...Array(5)].map(() => fetch(path, { method: 'POST' })))
    expect(repeated.map(({ status }) => status)).toEqual(Array(5).fill(200))
    await silentFor(id, 7)
    expect(await noticesOf(id)).toEqual(['link', 'reminder'])
    const declined = (await timelineOf(id)).filter(({ action }) => action === 'reminders_declined')
    expect(declined).toHaveLength(1)
  })

  test('cannot be declined with a link of another verification', async () => {
    const [one, other] = [await start(), await start()]
    const key = declineKey(db, one.id)
    for (const path of [`${other.id}/${key}`, `${one.id}/x`, `x/${key}`, `${one.id.toUpperCase()}/${key}x`]) {
      const { status } = await fetch(`${gatehouse.baseUrl}/verify/reminders/${path}`, { method: 'POST' })
      expect(status, path).toBe(404)
    }
    expect((await linkOf(other.id))[0]?.remindersDeclined).toBe(false)
  })

  test('are not sent while the case waits on someone else', async () => {
    const { id } = await start()
    await db.orm.update(identifications).set({ waitingOn: 'operator' }).where(eq(identifications.id, id))
    await silentFor(id, 3)
    expect(await noticesOf(id)).toEqual(['link'])
  })
})

test('an erasure removes the address, and an email that is not sent yet', async () => {
  const email = newAddress()
  server.refuse(email, 'recipient', ...Array(9).fill({ code: 451, message: '4.7.1 later' }))
  const { id } = await start({ email })
  await eventually(() => expect(server.attempts).toContain(email))
  expect((await api.put(`/identifications/${id}/close`)).status).toBe(200)
  await conclude(gatehouse, id, 6)
  expect((await eraseHere(gatehouse, { identification: id })).output).toContain('Erased')
  expect([await rowsOf(id), await linkOf(id)]).toEqual([[], []])
})

test('histories and logs contain neither the address nor the name', async () => {
  const { email, id } = await start({ name: 'Ada', surname: 'Lovelace' })
  const row = await untilStatus(id, 'sent')
  const history = await historyText(gatehouse, `email-${row?.id}`)
  for (const text of [history, logged.join('\n')]) {
    expect(text).not.toContain(email)
    expect(text).not.toContain('Lovelace')
    expect(text).not.toContain('client.example.com')
  }
})
