/** Tests the hand-over of photos to a phone, and the end of sessions. */

import { and, eq, ne } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { files, pageSessions } from '../../../drizzle/schema.ts'
import { closePageSessions, pageSessionHash } from '../../../src/db/access/page-session.ts'
import { findVault } from '../../../src/db/access/vault.ts'
import { RequestRefused } from '../../../src/domain/base/errors.ts'
import { consentGiven } from '../../../src/domain/identification/person-form.ts'
import { runAsApplicant } from '../../../src/use-cases/applicant/command.ts'
import { HAND_OVER_MS } from '../../../src/use-cases/applicant/hand-over.ts'
import { beginCompany, sendForm, startForm } from '../../support/hosted-page.ts'
import { recordOf } from '../../support/identification.ts'
import { eventually, sharedInstance, unique } from '../../support/instance.ts'
import {
  beginPerson,
  fillInPerson,
  openPerson,
  PERSON,
  type PersonSession,
  phoneLinkOf,
  sessionOf,
  submitPerson,
} from '../../support/person-page.ts'
import { photoFile, photograph } from '../../support/photo.ts'
import { END_OF_FORM, formPart, MULTIPART, sendSlowly } from '../../support/slow-body.ts'

const gatehouse = await sharedInstance({ worker: true })
const { baseUrl, db } = gatehouse
const linkOf = (person: PersonSession, issuedAt?: number) =>
  baseUrl + phoneLinkOf(gatehouse, person, issuedAt)
const filesOf = (id: string) =>
  db.orm
    .select({ id: files.id })
    .from(files)
    .where(and(eq(files.identificationId, id), ne(files.state, 'detached')))
const statusOf = async (link: string) => (await sendForm(link, {})).status

async function agreed(): Promise<PersonSession> {
  const person = await openPerson(baseUrl, await beginPerson(gatehouse))
  await person.post('/consent', { consent: 'yes' })
  return person
}

/** Opens the link on a phone. */
async function openPhone(person: PersonSession): Promise<PersonSession> {
  const opened = await sendForm(linkOf(person), {})
  expect([opened.status, opened.headers.get('Location')]).toEqual([303, `${person.base}/next/document`])
  return sessionOf(baseUrl, opened, person.base, '/selfie')
}

describe('the link for a phone', () => {
  test('is in the QR code after the consent, and a GET does not use it up', async () => {
    const person = await openPerson(baseUrl, await beginPerson(gatehouse))
    expect((await person.get('/phone')).headers.get('Location')).toBe(person.base)
    await person.post('/consent', { consent: 'yes' })
    expect(await (await person.get('/phone')).text()).toContain(`src="${person.base}/phone/qr.svg?`)
    const code = await person.get('/phone/qr.svg')
    expect([code.headers.get('Content-Type'), code.headers.get('Cache-Control')]).toEqual([
      'image/svg+xml; charset=utf-8',
      'no-store',
    ])
    await person.post('/details', PERSON.details)
    const link = linkOf(person)
    const shown = await (await sendForm(link)).text()
    expect([shown.includes('>Ada<'), shown.includes('Lovelace')]).toEqual([true, false])
    for (let preview = 0; preview < 3; preview += 1) {
      const page = await sendForm(link)
      expect([page.status, page.headers.getSetCookie()]).toEqual([200, []])
    }
    expect((await sendForm(link, {}, { 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403)
    expect(await statusOf(link)).toBe(303)
    expect([await statusOf(link), (await sendForm(link)).status]).toEqual([404, 404])
  })
  test('is opened by one of several simultaneous requests', async () => {
    const person = await agreed()
    const link = linkOf(person)
    const statuses = await Promise.all(Array.from({ length: 8 }, () => statusOf(link)))
    expect(statuses.toSorted()).toEqual([303, ...Array.from({ length: 7 }, () => 404)])
  })
  test.each([
    ['4 minutes', -HAND_OVER_MS + 60_000, 303],
    ['5 minutes and 1 second', -HAND_OVER_MS - 1_000, 404],
    ['a day', -86_400_000, 404],
  ])('after %s', async (_age, age, status) => {
    expect(await statusOf(linkOf(await agreed(), Date.now() + age))).toBe(status)
  })
  test('is refused if it is forged, from the future, or of a closed session', async () => {
    const person = await agreed()
    const link = linkOf(person)
    expect(await statusOf(linkOf(person, Date.now() + 180_000))).toBe(404)
    for (const forged of [`${link.slice(0, -4)}AAAA`, link.slice(0, -4), `${link}AAAA`])
      expect(await statusOf(forged)).toBe(404)
    await closePageSessions(db, [person.id])
    expect(await statusOf(link)).toBe(404)
  })
  test('shows the vault if this deployment issued it, even after it has expired or was used', async () => {
    const person = await agreed()
    await person.post('/details', PERSON.details)
    const used = linkOf(person)
    const links = {
      used,
      expired: linkOf(person, Date.now() - 86_400_000),
      forged: `${used.slice(0, -4)}AAAA`,
    }
    const crossSite = await sendForm(used, {}, { 'Sec-Fetch-Site': 'cross-site' })
    expect(await statusOf(used)).toBe(303)
    const { name: vault } = (await findVault(db, gatehouse.vaultId)) as { name: string }
    const shown = async (page: Response) => {
      const text = await page.text()
      return [page.status, text.includes(vault), text.includes(PERSON.details.name)]
    }
    expect({
      used: await shown(await sendForm(links.used)),
      usedPost: await shown(await sendForm(links.used, {})),
      expired: await shown(await sendForm(links.expired)),
      forged: await shown(await sendForm(links.forged)),
      crossSite: await shown(crossSite),
    }).toEqual({
      used: [404, true, false],
      usedPost: [404, true, false],
      expired: [404, true, false],
      forged: [404, false, false],
      crossSite: [403, true, false],
    })
  })
  test('invalidates the links that were shown before it was opened', async () => {
    const person = await agreed()
    const earlier = linkOf(person, Date.now() - 1_000)
    expect(await statusOf(linkOf(person, Date.now() - 500))).toBe(303)
    expect(await statusOf(earlier)).toBe(404)
  })
})

describe('a phone', () => {
  const REFUSED: readonly [path: string, form: object][] = [
    ['/consent', { consent: 'yes' }],
    ['/consent', { consent: 'no' }],
    ['/details', PERSON.details],
    ['/document', PERSON.document],
    ['/check', {}],
    ['/replies', { path: 'selfie', comment: 'It is sharp.' }],
    ['/phone/disconnect', {}],
    ['/leave', {}],
  ]
  test.each(REFUSED)('cannot post %s %j', async (path, form) => {
    const person = await agreed()
    const phone = await openPhone(person)
    const before = await recordOf(gatehouse, person.id)
    expect((await phone.post(path, form)).status).toBe(403)
    expect(await recordOf(gatehouse, person.id)).toEqual(before)
  })
  test.each([
    '',
    '/consent',
    '/details',
    '/document',
    '/check',
    '/phone',
    '/phone/qr.svg',
    '/done',
    '/leave',
  ])('sees the next photo instead of the page “%s”', async (path) => {
    const phone = await openPhone(await agreed())
    const page = await phone.get(path)
    expect([page.status, page.headers.get('Location')]).toEqual([303, `${phone.base}/document_front`])
  })
  test('takes the photos, and then asks to continue on the other device', async () => {
    const person = await agreed()
    await person.post('/details', PERSON.details)
    await person.post('/document', PERSON.document)
    const phone = await openPhone(person)
    const picture = photoFile(await photograph())
    for (const attribute of ['document_front', 'document_back', 'selfie'])
      expect((await phone.upload(attribute, picture)).status).toBe(303)
    expect(await (await phone.get('/check')).text()).toContain('Return to your computer')
    expect((await phone.post('/check')).status).toBe(403)
    expect((await phone.post('/files/selfie/remove')).status).toBe(303)
    expect((await phone.upload('selfie', picture)).status).toBe(303)
    expect((await person.get('/phone')).headers.get('Location')).toBe(`${person.base}/check`)
    await submitPerson(person)
    expect(await (await phone.get('/selfie')).text()).not.toContain(PERSON.document.document_number)
  })
  test('cannot hand over to a further phone', async () => {
    expect(await statusOf(linkOf(await openPhone(await agreed())))).toBe(404)
  })
  test('is limited by the use cases, whichever page asks', async () => {
    const { id } = await agreed()
    const target = { entity: 'identification', id, vaultId: gatehouse.vaultId } as const
    const applicant = { actor: `applicant:${id}`, sessionHash: Buffer.alloc(32), scope: 'photos' } as const
    for (const command of [
      { kind: 'submit' },
      { kind: 'fill_in', changes: { city: 'Paris' } },
      { kind: 'fill_in', changes: { consent: null } },
      { kind: 'fill_in', changes: consentGiven({}, 'en', new Date()) },
      { kind: 'reply', path: 'selfie', comment: 'It is sharp.' },
    ] as const)
      await expect(runAsApplicant({} as never, applicant, target, command as never)).rejects.toThrow(
        RequestRefused,
      )
  })
  test('is shown as connected on the computer, and can be disconnected there', async () => {
    const person = await agreed()
    const phone = await openPhone(person)
    const page = await (await person.get('/phone')).text()
    expect(page).toContain('Phone connected')
    expect(page).toContain(`action="${person.base}/phone/disconnect"`)
    expect(page).not.toContain('qr.svg')
    expect((await phone.get('/selfie')).status).toBe(200)
    expect((await person.post('/phone/disconnect')).headers.get('Location')).toBe(`${person.base}/phone`)
    expect((await phone.get('/selfie')).status).toBe(401)
    expect((await phone.upload('selfie', photoFile(await photograph()))).status).toBe(401)
    expect(await (await person.get('/phone')).text()).toContain('qr.svg')
    await openPhone(person)
  })
  test('cannot finish an upload after it was disconnected', async () => {
    const person = await agreed()
    const phone = await openPhone(person)
    const picture = await photograph()
    const head = `${formPart('_csrf', phone.csrf)}\r\n${formPart('file', '', 'a.jpg')}`
    const sent = await sendSlowly(`${baseUrl}${phone.base}/files/selfie`, {
      headers: { ...phone.headers, ...MULTIPART },
      parts: [
        Buffer.concat([Buffer.from(head), picture.subarray(0, 5_000)]),
        Buffer.concat([picture.subarray(5_000), Buffer.from(END_OF_FORM)]),
      ],
      async between() {
        await eventually(async () => expect(await filesOf(person.id)).toHaveLength(1))
        expect((await person.post('/phone/disconnect')).status).toBe(303)
      },
    })
    expect(sent.status).toBe(401)
    expect((await recordOf(gatehouse, person.id)).profile).not.toHaveProperty('selfie')
    expect(await filesOf(person.id)).toEqual([])
  })
  test('is replaced by the next phone', async () => {
    const person = await agreed()
    const first = await openPhone(person)
    const second = await openPhone(person)
    expect([(await first.get('/selfie')).status, (await second.get('/selfie')).status]).toEqual([401, 200])
  })
  test('ends with the session of the computer', async () => {
    const person = await agreed()
    const phone = await openPhone(person)
    await person.get('/leave')
    expect((await phone.get('/selfie')).status).toBe(401)
  })
})

describe('leaving', () => {
  const company = async () => {
    const begun = await beginCompany(gatehouse, unique())
    const sessions = [await startForm(baseUrl, begun), await startForm(baseUrl, begun)]
    return sessions.map(({ base, headers, csrf }) => ({
      base,
      get: (path: string, more: object = {}) =>
        sendForm(`${baseUrl}${base}${path}`, undefined, { ...headers, ...more }),
      post: (path: string, form: object = {}) =>
        sendForm(`${baseUrl}${base}${path}`, { _csrf: csrf, ...form }, headers),
    }))
  }
  const person = async () => {
    const link = await beginPerson(gatehouse)
    const sessions = [await openPerson(baseUrl, link), await openPerson(baseUrl, link)]
    return sessions.map(({ base, headers, post }) => ({
      base,
      get: (path: string, more: object = {}) =>
        sendForm(`${baseUrl}${base}${path}`, undefined, { ...headers, ...more }),
      post,
    }))
  }
  const FORMS = { company, person }
  describe.each(Object.entries(FORMS))('the form of a %s', (_form, open) => {
    test.each(['get', 'post'] as const)(
      'by %s ends this session, and not those of other browsers',
      async (how) => {
        const [own, other] = await open()
        if (!own || !other) throw new Error('no session')
        const left = await own[how]('/leave')
        expect(left.status).toBe(200)
        expect(await left.text()).toContain('Your entries are saved')
        expect(left.headers.getSetCookie().join()).toMatch(/_session=;.*Max-Age=0/)
        for (const path of ['', '/check', '/leave', '/done']) {
          const after = await own.get(path)
          expect([after.status, after.headers.get('Cache-Control')]).toEqual([401, 'no-store'])
        }
        expect((await own.post('/check')).status).toBe(401)
        expect([200, 303]).toContain((await other.get('')).status)
      },
    )
    test('is not caused by another site or by a browser that loads pages in advance', async () => {
      const [own] = await open()
      for (const header of [{ 'Sec-Fetch-Site': 'cross-site' }, { 'Sec-Purpose': 'prefetch' }]) {
        const asked = await own?.get('/leave', header)
        expect(await asked?.text()).toContain(`action="${own?.base}/leave"`)
      }
      expect([200, 303]).toContain((await own?.get(''))?.status)
    })
    test('shows no page from the history, because browsers store none', async () => {
      const [own] = await open()
      for (const path of ['', '/check', '/consent', '/details', '/nature_of_business', '/leave'])
        expect((await own?.get(path))?.headers.get('Cache-Control')).toBe('no-store')
    })
  })
  test('saves the section first', async () => {
    const [own] = await company()
    const saved = await own?.post('/nature_of_business', { leave: 'yes' })
    expect(saved?.headers.get('Location')).toBe(`${own?.base}/leave`)
  })
  test.each(['details', 'document'] as const)('saves the person’s %s first', async (page) => {
    const person = await agreed()
    const saved = await person.post(`/${page}`, { ...PERSON[page], leave: 'yes' })
    expect(saved.headers.get('Location')).toBe(`${person.base}/leave`)
    expect((await recordOf(gatehouse, person.id)).profile).toMatchObject(PERSON[page])
  })
  test('removes only the row of this session', async () => {
    const one = await openPerson(baseUrl, await beginPerson(gatehouse))
    await fillInPerson(one)
    const [, cookie = ''] = one.headers.Cookie.split('=')
    const hash = pageSessionHash(db, decodeURIComponent(cookie))
    expect(await db.orm.$count(pageSessions, eq(pageSessions.tokenHash, hash))).toBe(1)
    await one.get('/leave')
    expect(await db.orm.$count(pageSessions, eq(pageSessions.tokenHash, hash))).toBe(0)
  })
})
