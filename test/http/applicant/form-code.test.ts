/** Tests one-time codes by email, which open a company's form instead of its password. */
import { eq, sql } from 'drizzle-orm'
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { emails, verificationLinks } from '../../../drizzle/schema.ts'
import { formCode } from '../../../src/db/email/form-code.ts'
import { startWithEmails } from '../../support/email-instance.ts'
import { historyText } from '../../support/history.ts'
import { companyPages } from '../../support/hosted-page.ts'
import { eventually, unique } from '../../support/instance.ts'

const logged: string[] = []
const { server, gatehouse, operator } = await startWithEmails({
  log: pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) }),
})
const { api, db, vaultId } = gatehouse
await gatehouse.startWorker()
const setEmails = (isOn: boolean) => operator.patch(`/vaults/${vaultId}`, { emails: isOn })
const { send } = companyPages(gatehouse)

async function begin(email: string | undefined = `${unique()}@client.example.com`, externalUuid = unique()) {
  const { body } = await api.post('/identifications/create_identify_process', {
    ...{ type: 'kyb', external_uuid: externalUuid, email },
  })
  const { identification_id: id, url, generated_password: password } = body.data
  return { id, email: email ?? '', link: new URL(url).pathname, externalUuid, password }
}
type Company = Awaited<ReturnType<typeof begin>>

const request = ({ link }: Company) => send(link, { send_code: 'yes' })
const enter = ({ link }: Company, code: string) => send(link, { code })
/** Waits until the company has received this many codes, and returns the newest email. */
const untilCodes = ({ email }: Company, count: number) =>
  eventually(() => {
    const found = server.receivedBy(email).filter(({ headers }) => headers.subject?.includes('code'))[
      count - 1
    ]
    if (!found) throw new Error(`${email} has not received ${count} codes`)
    return found
  })
const codeIn = ({ text }: { text: string }) => /\b\d{6}\b/.exec(text)?.[0] ?? ''
/** Requests a code, and returns it from the email. */
async function receive(company: Company, count = 1): Promise<string> {
  expect((await request(company)).status).toBe(303)
  return codeIn(await untilCodes(company, count))
}
const wrongFor = (code: string) => (code === '000000' ? '000001' : '000000')
const linkOf = async ({ id }: Company) => {
  const [link] = await db.orm
    .select()
    .from(verificationLinks)
    .where(eq(verificationLinks.identificationId, id))
  return link
}

describe('a code', () => {
  test('arrives in an email without a link, and opens the form once', async () => {
    const company = await begin()
    const page = await (await send(company.link)).text()
    expect(page).toContain('Email me a one-time code')
    const asked = await request(company)
    expect([asked.status, asked.headers.get('Location')]).toEqual([303, '?by=code'])
    const email = await untilCodes(company, 1)
    const { text, html, headers } = email
    const code = codeIn(email)
    expect(text + html).not.toContain('/verify/')
    expect([text, html]).toEqual([
      expect.stringMatching(new RegExp(`^${code}\\r?$`, 'm')),
      expect.stringContaining(`<strong>${code}</strong></p>`),
    ])
    expect(headers.subject).not.toMatch(/\d{6}/)
    const opened = await enter(company, ` ${code.slice(0, 3)} ${code.slice(3)} `)
    expect([opened.status, opened.headers.get('Location')]).toEqual([303, `/verify/kyb/${company.id}`])
    const again = await enter(company, code)
    expect([again.status, await again.text()]).toEqual([
      422,
      expect.stringContaining('The code is not valid'),
    ])
  })
  test('is entered on a page without scripts', async () => {
    const page = await (await send(`${(await begin()).link}?by=code`)).text()
    expect(page).toMatch(/<input[^>]+autocomplete="one-time-code"/)
    expect(page).toContain('Use the password')
  })
  test('is the same in each attempt to send the email, and in no column, log or history', async () => {
    const company = await begin()
    await server.untilReceived(company.email)
    server.refuse(company.email, 'text', { code: 451, message: '4.7.1 later' })
    const code = await receive(company)
    const rows = await eventually(async () => {
      const found = await db.orm.select().from(emails).where(eq(emails.identificationId, company.id))
      expect(found.map(({ status }) => status)).toEqual(['sent', 'sent'])
      return found
    })
    const [sent] = rows.filter(({ notice }) => notice === 'code')
    expect([sent?.attempts, formCode(db, sent?.id ?? '')]).toEqual([2, code])
    const history = await historyText(gatehouse, `email-${sent?.id}`)
    const stored = JSON.stringify([sent, await linkOf(company)])
    for (const text of [history, stored, logged.join()]) expect(text).not.toMatch(new RegExp(`\\b${code}\\b`))
  })
})

describe('an attacker with the link', () => {
  test('gets five attempts, also at the same time, even with the correct code last', async () => {
    const company = await begin()
    const code = await receive(company)
    const guesses = await Promise.all(Array.from({ length: 20 }, () => enter(company, wrongFor(code))))
    expect(new Set(guesses.map(({ status }) => status))).toEqual(new Set([422]))
    expect((await enter(company, code)).status).toBe(422)
    // A new code has new attempts.
    expect((await enter(company, await receive(company, 2))).status).toBe(303)
  })
  test('opens one session with one code in a race', async () => {
    const company = await begin()
    const code = await receive(company)
    const answers = await Promise.all(Array.from({ length: 5 }, () => enter(company, code)))
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1)
  })
  test('cannot use an earlier code, an expired one, or one of another application', async () => {
    const [one, other] = [await begin(), await begin()]
    const [earlier, foreign] = [await receive(one), await receive(other)]
    const current = await receive(one, 2)
    for (const code of [earlier, foreign].filter((each) => each !== current))
      expect((await enter(one, code)).status).toBe(422)
    await db.orm
      .update(verificationLinks)
      .set({ codeExpiresAt: sql`clock_timestamp()` })
      .where(eq(verificationLinks.identificationId, one.id))
    expect((await enter(one, current)).status).toBe(422)
  })
  test('cannot use a code after the link was replaced', async () => {
    const company = await begin()
    const code = await receive(company)
    const renewed = await begin(company.email, company.externalUuid)
    expect((await enter(company, code)).status).toBe(404)
    expect((await enter(renewed, code)).status).toBe(422)
  })
  test('does not learn whether the client sent an address', async () => {
    const { email: _, ...without } = await begin()
    await db.orm
      .update(verificationLinks)
      .set({ email: null, token: null })
      .where(eq(verificationLinks.identificationId, without.id))
    const pages = [await begin(), { ...without, email: '' }].map(async (company) => {
      const asked = await request(company)
      const shown = [await send(company.link), await send(`${company.link}?by=code`)]
      const wrong = await enter(company, 'x')
      const texts = await Promise.all([...shown, wrong].map((page) => page.text()))
      return [
        asked.status,
        asked.headers.get('Location'),
        wrong.status,
        ...texts.map((text) => text.replaceAll(company.link, '')),
      ]
    })
    const [known, unknown] = await Promise.all(pages)
    expect(unknown).toEqual(known)
  })
  test('can request five codes of one link per day', async () => {
    const company = await begin()
    const statuses: number[] = []
    for (let n = 0; n < 7; n++) statuses.push((await request(company)).status)
    expect(statuses).toEqual([303, 303, 303, 303, 303, 429, 429])
  })
  test.each([
    ['nothing', ''],
    ['letters', 'abcdef'],
    ['other digits', '٠٠٠٠٠٠'],
    ['a long text', '1'.repeat(30_000)],
    ['a zero byte', '\0'],
  ])('opens nothing with %s', async (_, code) => {
    const company = await begin()
    await request(company)
    expect((await enter(company, code)).status).toBe(422)
  })
  test('cannot make the browser of someone else request a code', async () => {
    const company = await begin()
    const foreign = await send(company.link, { send_code: 'yes' }, { 'Sec-Fetch-Site': 'cross-site' })
    expect(foreign.status).toBe(403)
    expect((await linkOf(company))?.codeId).toBeNull()
  })
})

test('codes are not offered or sent if the vault sends no emails, and the password remains', async () => {
  const company = await begin()
  await setEmails(false)
  const page = await (await send(`${company.link}?by=code`)).text()
  expect(page).not.toContain('one-time code')
  expect((await request(company)).status).toBe(303)
  expect((await linkOf(company))?.codeId).toBeNull()
  expect((await send(company.link, { password: company.password })).status).toBe(303)
  await setEmails(true)
})
