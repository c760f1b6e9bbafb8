/** A person's hosted verification as a browser without scripts uses it. */

import { expect } from 'vitest'
import { pageSessionHash } from '../../src/db/access/page-session.ts'
import { createHandOver } from '../../src/use-cases/applicant/hand-over.ts'
import { csrfIn } from './form.ts'
import { sendForm } from './hosted-page.ts'
import type { Instance } from './instance.ts'
import { photoFile, photograph } from './photo.ts'

export async function beginPerson({ api }: Pick<Instance, 'api'>, more: object = {}): Promise<string> {
  const { body } = await api.post('/identifications/create_identify_process', { type: 'kyc', ...more })
  return new URL(body.data.url).pathname
}

/** A person's entries by page. */
export const PERSON = {
  details: {
    name: 'Ada',
    surname: 'Lovelace',
    birthdate: '1985-12-10',
    nationality: 'GB',
    address: 'Ockham Park 1',
    postal_code: 'GU23 6NQ',
    city: 'London',
    address_country: 'GB',
    email: 'ada@example.com',
    phone: '+442012345678',
  },
  document: { document_country: 'GB', document_type: 'identity_card', document_number: 'X1234567' },
} as const

/** Opens a session of a person's pages. */
export async function openPerson(baseUrl: string, link: string) {
  const opened = await sendForm(baseUrl + link, {})
  expect(opened.status).toBe(303)
  return sessionOf(baseUrl, opened, opened.headers.get('Location') ?? '', '/consent')
}

/** Returns the session that the response began. The page at the path has the token of its forms. */
export async function sessionOf(baseUrl: string, opened: Response, base: string, path: string) {
  const cookie = opened.headers.getSetCookie().map((each) => each.split(';')[0])
  const headers = { Cookie: cookie.join('; ') }
  const get = (path: string) => sendForm(`${baseUrl}${base}${path}`, undefined, headers)
  const csrf = csrfIn(await (await get(path)).text())
  const post = (path: string, form: object = {}) =>
    sendForm(`${baseUrl}${base}${path}`, { _csrf: csrf, ...form }, headers)
  const upload = (attribute: string, file: File) => {
    const form = new FormData()
    form.set('_csrf', csrf)
    form.set('file', file)
    return sendForm(`${baseUrl}${base}/files/${attribute}`, form, headers)
  }
  const text = async (path: string) => (await get(path)).text()
  return { id: base.split('/').at(-1) ?? '', base, headers, csrf, get, text, post, upload }
}

/** Returns the path that the QR code of this session contains. */
export function phoneLinkOf(
  { db }: Pick<Instance, 'db'>,
  { id, headers }: PersonSession,
  issuedAt?: number,
): string {
  const [, cookie = ''] = headers.Cookie.split('=')
  const sessionHash = pageSessionHash(db, decodeURIComponent(cookie))
  return `/verify/phone/${createHandOver({ db }, { id, sessionHash }, issuedAt)}`
}

export type PersonSession = Awaited<ReturnType<typeof openPerson>>

async function inTurn<T, R>(list: readonly T[], work: (each: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (const each of list) results.push(await work(each))
  return results
}

let picture: Promise<Buffer> | undefined

/** Fills in everything that is required for the submission. */
export async function fillInPerson(
  person: PersonSession,
  more: object = {},
  photos: readonly string[] = ['document_front', 'document_back', 'selfie'],
): Promise<void> {
  picture ??= photograph({ width: 800, height: 600 })
  const file = photoFile(await picture)
  for (const answer of [
    await person.post('/consent', { consent: 'yes' }),
    await person.post('/details', { ...PERSON.details, ...more }),
    await person.post('/document', PERSON.document),
    ...(await inTurn(photos, (photo) => person.upload(photo, file))),
  ])
    expect([answer.status, await answer.text()]).toEqual([303, expect.anything()])
}

export async function submitPerson(person: PersonSession): Promise<void> {
  const sent = await person.post('/check')
  expect([sent.status, sent.headers.get('Location')]).toEqual([303, `${person.base}/done`])
}
