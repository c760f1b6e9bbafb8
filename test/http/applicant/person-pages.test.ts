/** Tests a person's hosted verification without a browser: requested data, refusals and results. */
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { and, eq, ne, sql } from 'drizzle-orm'
import sharp from 'sharp'
import { describe, expect, onTestFinished, test } from 'vitest'
import { files, pageSessions, verificationLinks } from '../../../drizzle/schema.ts'
import { closePageSessions } from '../../../src/db/access/page-session.ts'
import { beginCheck, recordAnswer } from '../../../src/db/cases/verification-check.ts'
import { transaction } from '../../../src/db/connection/database.ts'
import { saveVerificationLink } from '../../../src/db/email/verification-link.ts'
import { CONSENT } from '../../../src/domain/identification/person-form.ts'
import { createHttpServer } from '../../../src/http/server.ts'
import { untilBlocked } from '../../support/connections.ts'
import { openConsole } from '../../support/console.ts'
import { sendForm } from '../../support/hosted-page.ts'
import { cameraFiles } from '../../support/hostile-files.ts'
import {
  actionsOf,
  eventNamesOf,
  logEvents,
  recordOf,
  signalFact,
  statusOf,
  untilStatus,
  untilWaitingOn,
} from '../../support/identification.ts'
import { eventually, sharedInstance, unique } from '../../support/instance.ts'
import { emptyPdf, encryptedPdf } from '../../support/pdf.ts'
import { beginPerson, fillInPerson, openPerson, PERSON, submitPerson } from '../../support/person-page.ts'
import { photoFile, photograph } from '../../support/photo.ts'

const gatehouse = await sharedInstance({ worker: true })

const { api, baseUrl, db } = gatehouse
const begin = (more: object = {}) => beginPerson(gatehouse, more)
const open = async (link?: string) => openPerson(baseUrl, link ?? (await begin()))
const filesOf = (id: string) =>
  db.orm
    .select()
    .from(files)
    .where(and(eq(files.identificationId, id), ne(files.state, 'detached')))

describe('the complete verification', () => {
  test.each([
    ['Approved Ada', 'approved', 'Your identity is verified'],
    // A rejection without a comment says so, without a heading for a reason.
    ['Rejected Ada', 'rejected', 'but you can ask First vault.</p></div>'],
    ['Attention Ada', 'attention', 'Details submitted'],
  ])('ends with the status that matches the name %s', async (name, status, says) => {
    await logEvents(gatehouse, 'https://receiver.invalid/')
    const person = await open()
    await fillInPerson(person, { name })
    await submitPerson(person)
    await untilStatus(api, person.id, status)
    expect(await (await person.get('/done')).text()).toContain(says)
    expect(await actionsOf(gatehouse, person.id)).toEqual(
      expect.arrayContaining(['fill_in', 'attach', 'submit', 'check_finished']),
    )
    const { version } = (await recordOf(gatehouse, person.id)).state
    expect(await eventNamesOf(gatehouse, person.id)).toContain(`identification_${status} ${version}`)
  })
  test('states whom to contact once after a rejection, with the reference in the subject', async () => {
    const operator = await gatehouse.operator()
    const set = (support_email: string | null) =>
      operator.patch(`/vaults/${gatehouse.vaultId}`, { support_email })
    const person = await open()
    await fillInPerson(person, { name: 'Rejected Ada' })
    await submitPerson(person)
    await untilStatus(api, person.id, 'rejected')
    expect((await set('help@example.com')).status).toBe(200)
    onTestFinished(async () => void (await set(null)))
    const html = await (await person.get('/done')).text()
    const reference = person.id.slice(-8).toUpperCase()
    expect(html).toContain(`href="mailto:help@example.com?subject=Reference%20${reference}"`)
    expect(html.match(/>help@example\.com</g)).toHaveLength(1)
  })
  test('waits on an operator if the check does not decide', async () => {
    const person = await open()
    await fillInPerson(person)
    expect(await (await person.get('/check')).text()).toMatch(
      /<dt>Consent given on<\/dt><dd>\d+\s\w+\s20\d\d</,
    )
    await submitPerson(person)
    await untilWaitingOn(gatehouse, person.id, 'operator')
    const operator = await gatehouse.operator()
    const { body } = await operator.get('/queue?kind=identification&per_page=100')
    expect(body.data.map(({ id }: { id: string }) => id)).toContain(person.id)
    const decision = { outcome: 'approved', reason_code: 'complete', client_comment: 'Welcome.' }
    expect((await operator.post(`/identifications/${person.id}/decision`, decision)).status).toBe(200)
    const done = await (await person.get('/done')).text()
    expect(done).toContain('Your identity is verified')
    expect(done).toContain('Welcome.')
  })
  test('asks only for the rejected items if the check requests more, and keeps the others', async () => {
    const link = await begin()
    const person = await open(link)
    const opened = async () => (await sendForm(baseUrl + link)).text()
    expect(await opened()).toMatch(/<h1>[^<]+ asks you to verify your identity.+Enter your details/s)
    await fillInPerson(person, { name: 'Retry Ada' })
    await submitPerson(person)
    await untilWaitingOn(gatehouse, person.id, 'applicant')
    expect(await opened()).toMatch(/<h1>Correct your details<.+The rest stays as it is/s)
    expect(await opened()).not.toContain('Enter your details')
    const overview = await (await person.get('')).text()
    expect(overview).toMatch(/1 change to make.+The rest stays as it is.+Provide a readable version/s)
    expect(overview).toMatch(/Submit again.+Make the change first.+No changes needed: 10 details, 2 photos/s)
    expect(overview).not.toContain('aria-current="step"><svg')
    expect(await (await person.get('/check')).text()).toMatch(
      /Corrections needed.+Front of the document.+aria-disabled="true".+Make the change first\./s,
    )
    expect(await (await person.get('/document_front')).text()).toContain('Provide a readable version.')
    expect((await api.get(`/identifications/${person.id}`)).body.data.review).toMatchObject({
      outcome: 'initiated',
      reason_code: 'documents_unreadable',
      fields: ['document_front'],
    })
    const refused = await person.post('/check')
    expect([refused.status, await refused.text()]).toEqual([
      422,
      expect.stringContaining('Front of the document: make the correction, or reply to the reviewer'),
    ])
    await person.upload('document_front', photoFile(await photograph()))
    await submitPerson(person)
    await untilStatus(api, person.id, 'approved')
  })
  test('asks for each field that an operator names', async () => {
    const person = await open()
    await fillInPerson(person)
    await submitPerson(person)
    await untilWaitingOn(gatehouse, person.id, 'operator')
    const operator = await gatehouse.operator()
    const decide = (body: object) => operator.post(`/identifications/${person.id}/decision`, body)
    const asked = {
      outcome: 'initiated',
      reason_code: 'information_mismatch',
      client_comment: 'Another town?',
    }
    expect((await decide({ ...asked, fields: ['nowhere'] })).body.errors).toMatchObject([
      { code: 'invalid', field: 'fields.0' },
    ])
    expect((await decide({ outcome: 'approved', reason_code: 'complete', fields: ['city'] })).status).toBe(
      422,
    )
    const { client_comment: _, ...unsaid } = asked
    expect((await decide(unsaid)).body.errors).toMatchObject([{ code: 'required', field: 'client_comment' }])
    // An operator can request changes without escalating first.
    expect((await decide({ ...asked, fields: ['city', 'selfie'] })).status).toBe(200)
    expect((await decide(asked)).body.errors).toMatchObject([{ code: 'invalid_transition' }])
    await untilWaitingOn(gatehouse, person.id, 'applicant')
    // The other details are folded.
    expect(await (await person.get('/details')).text()).toMatch(
      /Another town\?.+name="city".+<details.+Other details.+name="name"/s,
    )
    const segments = async () => (await (await person.get('')).text()).match(/<progress max="1" value="\d"/g)
    expect(await (await person.get('')).text()).toMatch(
      /0 of 2 fixed.+2 changes to make.+<q>Another town\?<\/q>.+<ol class="card rows"><li class="fix-row"/s,
    )
    expect(await segments()).toEqual(['<progress max="1" value="0"', '<progress max="1" value="0"'])
    // A new photo does not resolve a finding about a text.
    await person.upload('selfie', photoFile(await photograph()))
    expect((await person.get('/next/selfie')).headers.get('Location')).toBe(`${person.base}/check`)
    expect(await (await person.get('')).text()).toMatch(/1 of 2 fixed.+1 change to make/s)
    expect(await segments()).toEqual(['<progress max="1" value="0"', '<progress max="1" value="1"'])
    expect(await (await person.get('/check')).text()).toMatch(/Corrections needed.+Another town\?/s)
    expect((await person.post('/check')).status).toBe(422)
    // A change to the field resolves its finding.
    await person.post('/details', { ...PERSON.details, city: 'Woking' })
    expect(await (await person.get('/details')).text()).not.toContain('Another town?')
    await submitPerson(person)
    await untilWaitingOn(gatehouse, person.id, 'operator')
  })
  test('ignores the result of a check that started before the newest submission', async () => {
    const person = await open()
    await fillInPerson(person, { name: 'Unavailable Ada' })
    await submitPerson(person)
    const before = { ...(await recordOf(gatehouse, person.id)), waitingSince: new Date(1_700_000_000_000) }
    const check = await beginCheck(gatehouse.db, before, 'sandbox', { perVerification: 9, perVault: 9_999 })
    await recordAnswer(gatehouse.db, check.id, { outcome: 'approved' })
    await signalFact(gatehouse, person.id, { id: 'late', kind: 'check_finished', checkId: check.id })
    await eventually(async () =>
      expect(await actionsOf(gatehouse, person.id)).toContain('check_finished_without_effect'),
    )
    expect((await recordOf(gatehouse, person.id)).state.waitingOn).toBe('provider')
  })
  test('redirects to the client with only the ID and the status', async () => {
    const person = await open(
      await begin({ redirect_url: 'https://client.example/back?case=7', email: 'a@b.example' }),
    )
    await fillInPerson(person, { name: 'Approved Ada' })
    await submitPerson(person)
    await untilStatus(api, person.id, 'approved')
    const [, href = ''] = /class="button" href="([^"]+)"/.exec(await (await person.get('/done')).text()) ?? []
    expect(href.replaceAll('&amp;', '&')).toBe(
      `https://client.example/back?case=7&identification_id=${person.id}&status=approved`,
    )
  })
})

describe('a verification', () => {
  test('asks again if the page showed an earlier version of the consent', async () => {
    const { id, csrf, headers } = await openPerson(baseUrl, await beginPerson(gatehouse))
    const path = `${baseUrl}/verify/person/${id}/consent`
    const sent = { _csrf: csrf, consent: 'yes', version: '2026-11-30' }
    expect((await sendForm(path, sent, headers)).status).toBe(422)
    expect((await sendForm(path, { ...sent, version: CONSENT }, headers)).status).toBe(303)
  })

  test('stores the language in which the person saw the text of the consent, and shows it to operators', async () => {
    const person = await open()
    expect(await person.text('/consent')).toContain('name="shown_in" value="en"')
    expect((await person.post('/consent', { consent: 'yes', shown_in: 'xx' })).status).toBe(422)
    expect((await person.post('/consent', { consent: 'yes', shown_in: 'de' })).status).toBe(303)
    // The same consent keeps its language.
    await fillInPerson(person)
    expect((await recordOf(gatehouse, person.id)).profile.consent_language).toBe('de')
    const console = await openConsole(baseUrl, gatehouse.credentials)
    expect(await console.text(`/console/identifications/${person.id}`)).toContain('Shown in German')
  })

  test.each([
    ['A%E2%82%AC+%2B%25', 'A€ +%'],
    ['\u00e9%C3%A9', 'éé'],
    ['A%ff', null],
    ['Andr%E9', null],
    ['A%ED%A0%80', null],
    ['100% sure', null],
    ['A%', null],
    ['A%c', null],
  ])('stores the entered text %s as %s, or refuses the form', async (sent, stored) => {
    const person = await open()
    await person.post('/consent', { consent: 'yes' })
    const others = new URLSearchParams({ _csrf: person.csrf, ...PERSON.details, name: '' })
    others.delete('name')
    const headers = { ...person.headers, 'Content-Type': 'application/x-www-form-urlencoded' }
    const answer = await sendForm(`${baseUrl}${person.base}/details`, `${others}&name=${sent}`, headers)
    expect(answer.status).toBe(stored === null ? 400 : 303)
    expect(await answer.text()).toMatch(stored === null ? /<h1>/ : /Redirecting/)
    expect((await recordOf(gatehouse, person.id)).profile.name).toBe(stored ?? undefined)
  })
  test('is found if the address is in upper case', async () => {
    const { id, csrf, headers } = await openPerson(baseUrl, await beginPerson(gatehouse))
    const path = `/verify/person/${id.toUpperCase()}/consent`
    const agreed = await sendForm(baseUrl + path, { _csrf: csrf, consent: 'yes' }, headers)
    expect([agreed.status, agreed.headers.get('Location')]).toEqual([
      303,
      `/verify/person/${id}/next/consent`,
    ])
    const handle = gatehouse.temporal.workflow.getHandle(`identification-${id.toUpperCase()}`)
    await expect(handle.describe()).rejects.toThrow('not found')
  })
  test('requests no data before consent', async () => {
    const person = await open()
    for (const page of ['/details', '/document', '/document_front', '/selfie', '/check'])
      expect((await person.get(page)).headers.get('Location'), page).toBe(`${person.base}/consent`)
    expect((await person.post('/details', PERSON.details)).status).toBe(404)
    expect((await person.upload('selfie', photoFile(await photograph()))).status).toBe(404)
    const unanswered = await person.post('/consent')
    expect([unanswered.status, await unanswered.text()]).toEqual([
      422,
      expect.stringContaining('Choose whether you agree to this use of your data'),
    ])
    const declined = await person.post('/consent', { consent: 'no' })
    expect(await declined.text()).toMatch(/You did not agree.+at a disadvantage\..+Contact .+\./s)
    expect((await recordOf(gatehouse, person.id)).profile.consent).toBe(undefined)
    expect(await filesOf(person.id)).toEqual([])
  })
  test('explains before the choice what a refusal causes, and that it can be changed', async () => {
    const page = await (await (await open()).get('/consent')).text()
    expect(page).toMatch(
      /I do not agree.+Your entries here are removed.+You can change your choice until you submit/s,
    )
  })
  test('loses the entered data if the consent is withdrawn', async () => {
    const person = await open(await begin({ email: 'ada@example.com' }))
    await fillInPerson(person)
    const declined = await person.post('/consent', { consent: 'no' })
    expect(await declined.text()).toContain('Only your name and email address remain')
    expect((await recordOf(gatehouse, person.id)).profile).toEqual({
      name: 'Ada',
      surname: 'Lovelace',
      email: 'ada@example.com',
      declined_at: expect.any(String),
    })
    await eventually(async () => expect(await filesOf(person.id)).toEqual([]))
  })
  test('starts again if the consent is withdrawn after a request for changes', async () => {
    const link = await begin()
    const person = await open(link)
    await fillInPerson(person, { name: 'Retry Ada' })
    await submitPerson(person)
    await untilWaitingOn(gatehouse, person.id, 'applicant')
    await person.post('/consent', { consent: 'no' })
    expect(await (await sendForm(baseUrl + link)).text()).toMatch(
      /<h1>[^<]+ asks you to verify your identity.+Enter your details/s,
    )
  })
  test('discards an upload in progress if the consent is withdrawn', async () => {
    const person = await open()
    await person.post('/consent', { consent: 'yes' })
    const picture = await photograph()
    const head =
      `--x\r\nContent-Disposition: form-data; name="_csrf"\r\n\r\n${person.csrf}\r\n` +
      '--x\r\nContent-Disposition: form-data; name="file"; filename="a.jpg"\r\n\r\n'
    const slow = new ReadableStream<Uint8Array>({
      async start(stream) {
        stream.enqueue(Buffer.concat([Buffer.from(head), picture.subarray(0, 5_000)]))
        await eventually(async () => expect(await filesOf(person.id)).toHaveLength(1))
        expect((await person.post('/consent', { consent: 'no' })).status).toBe(200)
        stream.enqueue(Buffer.concat([picture.subarray(5_000), Buffer.from('\r\n--x--\r\n')]))
        stream.close()
      },
    })
    const sent = await fetch(`${baseUrl}${person.base}/files/selfie`, {
      method: 'POST',
      headers: { ...person.headers, 'Content-Type': 'multipart/form-data; boundary=x' },
      body: slow,
      redirect: 'manual',
      duplex: 'half',
    } as RequestInit)
    expect([sent.status, sent.headers.get('Location')]).toEqual([303, `${person.base}/consent`])
    expect((await recordOf(gatehouse, person.id)).profile).toEqual({ declined_at: expect.any(String) })
    expect(await filesOf(person.id)).toEqual([])
  })
  test('records nothing if nothing changes', async () => {
    const person = await open()
    await fillInPerson(person)
    const { version } = (await recordOf(gatehouse, person.id)).state
    await person.post('/details', PERSON.details)
    await person.post('/document', PERSON.document)
    expect((await recordOf(gatehouse, person.id)).state.version).toBe(version)
  })
  test('shows an error at each invalid field, and refuses to submit if data is missing', async () => {
    const person = await open()
    await person.post('/consent', { consent: 'yes' })
    const wrong = await person.post('/details', {
      ...PERSON.details,
      birthdate: '2090-01-01',
      email: 'nobody',
    })
    expect(wrong.status).toBe(422)
    const page = await wrong.text()
    for (const name of ['birthdate', 'email']) expect(page).toContain(`id="${name}-problem"`)
    const tooOld = await person.post('/details', { ...PERSON.details, birthdate: '1800-02-28' })
    expect(await tooOld.text()).toContain('enter a date within the last 130 years')
    expect((await person.post('/check')).status).toBe(422)
    const check = await (await person.get('/check')).text()
    for (const label of ['10 answers and 2 photos missing', 'Identity document: 3 missing'])
      expect(check).toContain(label)
    expect(await statusOf(api, person.id)).toBe('initiated')
  })
  test('requires one page for a passport, and removes the unused side only on submission', async () => {
    const person = await open()
    await fillInPerson(person)
    await person.post('/document', { ...PERSON.document, document_type: 'passport' })
    expect((await person.get('/document_back')).status).toBe(404)
    expect(await (await person.get('/check')).text()).not.toContain('Back of the document')
    await person.post('/document', PERSON.document)
    expect((await person.get('/document_back')).status).toBe(200)
    expect(await filesOf(person.id)).toHaveLength(3)
    await person.post('/document', { ...PERSON.document, document_type: 'passport' })
    await submitPerson(person)
    expect((await recordOf(gatehouse, person.id)).profile).not.toHaveProperty('document_back')
    await eventually(async () => expect(await filesOf(person.id)).toHaveLength(2))
  })
  test('shows the data and photos to the client after approval', async () => {
    const person = await open()
    await fillInPerson(person)
    const shown = async () => (await api.get(`/identifications/${person.id}`)).body.data.verified
    const photo = (id: string) => api.get(`/identifications/${person.id}/files/${id}`)
    await submitPerson(person)
    await untilWaitingOn(gatehouse, person.id, 'operator')
    expect(await shown()).toBeNull()
    const { selfie = '' } = (await recordOf(gatehouse, person.id)).profile
    expect((await photo(selfie)).status).toBe(404)
    await api.post(`/sandbox/identifications/${person.id}/simulate`, { outcome: 'approved' })
    const { document, ...verified } = await shown()
    expect(verified).toMatchObject({
      by: 'operator',
      check: null,
      at: expect.any(Number),
      name: 'Ada',
      surname: 'Lovelace',
      birthdate: '1985-12-10',
      nationality: 'GB',
      address: { address: 'Ockham Park 1', city: 'London', postal_code: 'GU23 6NQ', country: 'GB' },
    })
    expect(document).toMatchObject({ type: 'identity_card', number: 'X1234567', country: 'GB' })
    expect(document.photos.map(({ attribute }: { attribute: string }) => attribute)).toEqual([
      'document_front',
      'document_back',
      'selfie',
    ])
    for (const { id } of document.photos) expect((await photo(id)).status).toBe(200)
    expect(await actionsOf(gatehouse, person.id)).toContain('file_read')
    expect((await photo(unique())).status).toBe(404)
    const listed = (await api.get('/identifications?per_page=1')).body.data[0]
    expect(listed).not.toHaveProperty('verified')
  })
  test('records one submission if the button is pressed several times, and refuses later changes', async () => {
    const person = await open()
    await fillInPerson(person)
    await Promise.all([1, 2, 3, 4].map(() => submitPerson(person)))
    await untilWaitingOn(gatehouse, person.id, 'operator')
    await submitPerson(person)
    const actions = await actionsOf(gatehouse, person.id)
    expect(actions.filter((action) => action === 'submit')).toEqual(['submit'])
    // The person can read the submitted details, which have no links to change them.
    const result = await person.text('/done')
    expect(result).toMatch(/Submitted details<\/h2>.+London.+X1234567.+Consent given on/s)
    expect(result).not.toContain('Change<')
    const late = await person.post('/details', { ...PERSON.details, city: 'Elsewhere' })
    expect([late.status, await late.text()]).toEqual([
      422,
      expect.stringContaining('You have already submitted your details'),
    ])
    expect((await person.upload('selfie', photoFile(await photograph()))).status).toBe(422)
    expect((await person.post('/files/selfie/remove')).status).toBe(422)
    expect((await recordOf(gatehouse, person.id)).profile.city).toBe('London')
  })
})

describe('a photo', () => {
  test('is shown only to the browser that sent it, re-encoded without metadata', async () => {
    const link = await begin()
    const person = await open(link)
    await person.post('/consent', { consent: 'yes' })
    const sent = await photograph()
    expect(sent.includes('plantedartist')).toBe(true)
    expect((await person.upload('selfie', photoFile(sent))).status).toBe(303)
    const [file] = await filesOf(person.id)
    const shown = await person.get(`/files/${file?.id}`)
    expect(shown.headers.get('Content-Security-Policy')).toBe("default-src 'none'; sandbox")
    expect(shown.headers.get('Cache-Control')).toBe('no-store')
    const bytes = Buffer.from(await shown.arrayBuffer())
    expect(bytes.includes('plantedartist')).toBe(false)
    expect((await sharp(bytes).metadata()).exif).toBe(undefined)
    const other = await open(link)
    expect((await other.get(`/files/${file?.id}`)).status).toBe(404)
    expect(await (await other.get('/selfie')).text()).toContain('picture.jpg')
    expect((await (await open()).get(`/files/${file?.id}`)).status).toBe(404)
    // The storage has lost the photo.
    await gatehouse.blobs.remove(file?.id ?? '')
    expect((await person.get(`/files/${file?.id}`)).status).toBe(404)
  })
  test.each([
    ['blurred', { sigma: 4 }, 'looks blurred'],
    ['dark', { brightness: 8 }, 'looks dark'],
  ] as const)('is accepted with a warning if it is %s', async (_, options, says) => {
    const person = await open()
    await person.post('/consent', { consent: 'yes' })
    expect((await person.upload('selfie', photoFile(await photograph(options)))).status).toBe(303)
    const page = await (await person.get('/selfie')).text()
    expect(page).toContain(says)
    expect(page).toMatch(
      /but your face is clearly visible, use this one.+Use this photo<.+<input type="file"/s,
    )
    // No dock covers the button.
    expect(page).not.toContain('class="dock')
  })
  test.each([
    ['too small', async () => photograph({ width: 500, height: 500 }), 'at least 600 × 600 pixels'],
    ['truncated', async () => (await photograph()).subarray(0, 5_000), 'cannot be opened'],
    ['not an image', async () => Buffer.from('<svg onload="alert(1)">'), 'Choose a JPEG or PNG image'],
    ['a document', async () => Buffer.from('%PDF-1.4\n%%EOF\n'), 'cannot be opened'],
    ['a HEIC photo', async () => cameraFiles.heic, 'Most Compatible'],
    ['a TIFF scan', async () => cameraFiles.tiff, 'Set the scanner or camera to PDF or JPEG'],
    ['an excessively large image', async () => hugePng(), 'at most 50 megapixels'],
  ])('is refused and not stored if it is %s', async (_, bytes, says) => {
    const person = await open()
    await person.post('/consent', { consent: 'yes' })
    const refused = await person.upload('selfie', photoFile(await bytes()))
    expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining(says)])
    expect(await filesOf(person.id)).toEqual([])
  })
  test.each([
    ['requires a password', encryptedPdf],
    ['has no pages', emptyPdf],
    ['is a stub', () => Buffer.from('%PDF-1.4\n%%EOF\n')],
  ])('of a document is refused with the reason if the PDF %s', async (_, bytes) => {
    const person = await open()
    await person.post('/consent', { consent: 'yes' })
    const refused = await person.upload('document_front', photoFile(bytes(), 'passport.pdf'))
    expect(refused.status).toBe(422)
    expect(await refused.text()).toContain('a complete PDF without a password')
    expect(await filesOf(person.id)).toEqual([])
  })
  test('is not stored if the upload takes too long, and the response is a page with 408', async () => {
    const person = await open()
    await person.post('/consent', { consent: 'yes' })
    const beginning = (await photograph()).subarray(0, 5_000)
    // The headers must arrive in time on a busy machine.
    const limits = { headersTimeout: 9_900, requestTimeout: 10_000, connectionsCheckingInterval: 50 }
    const server = createHttpServer(gatehouse.app, limits).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    const headers = {
      Host: 'a',
      Cookie: person.headers.Cookie,
      'Content-Type': 'multipart/form-data; boundary=x',
      'Content-Length': 500_000,
    }
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.write(`POST ${person.base}/files/selfie HTTP/1.1\r\n${lines.join('')}\r\n`)
    socket.write('--x\r\nContent-Disposition: form-data; name="file"; filename="a.jpg"\r\n\r\n')
    socket.write(beginning)
    const answer = (await socket.setEncoding('utf8').toArray()).join('')
    server.close()
    expect(answer).toMatch(/^HTTP\/1.1 408 .*<h1>Request timed out<\/h1>/s)
    await eventually(async () => expect(await filesOf(person.id)).toEqual([]))
  })
  test('replaces the earlier photo', async () => {
    const person = await open()
    await person.post('/consent', { consent: 'yes' })
    await person.upload('selfie', photoFile(await photograph()))
    const [first] = await filesOf(person.id)
    await person.upload('selfie', photoFile(await photograph()))
    await eventually(async () => {
      const stored = await filesOf(person.id)
      expect(stored).toHaveLength(1)
      expect(stored[0]?.id).not.toBe(first?.id)
    })
    expect((await person.post('/files/selfie/remove')).status).toBe(303)
    await eventually(async () => expect(await filesOf(person.id)).toEqual([]))
  })
})

describe('a link', () => {
  test('remains valid after a visit, and shows the result if it is opened again', async () => {
    const link = await begin()
    const page = await sendForm(baseUrl + link)
    expect(page.headers.getSetCookie()).toEqual([])
    expect(await page.text()).toContain('Continue')
    const foreign = await sendForm(baseUrl + link, {}, { 'Sec-Fetch-Site': 'cross-site' })
    expect(foreign.status).toBe(403)
    const person = await open(link)
    await fillInPerson(person, { name: 'Approved Ada' })
    await submitPerson(person)
    await untilStatus(api, person.id, 'approved')
    const again = await open(link)
    expect((await again.get('')).headers.get('Location')).toBe(`${person.base}/done`)
    // Others can know the link, so the details are only in sessions that began before the submission.
    const shows = async ({ text }: typeof person) => /X1234567|Submitted details/.test(await text('/done'))
    expect([await shows(person), await shows(again)]).toEqual([true, false])
  })
  test('does not call details submitted if the client closes the verification first', async () => {
    const person = await open()
    await fillInPerson(person)
    expect((await api.put(`/identifications/${person.id}/close`)).status).toBe(200)
    await untilStatus(api, person.id, 'closed')
    expect(await person.text('/done')).not.toContain('Submitted details')
  })
  test('has at most 20 sessions, and closes the oldest ones', async () => {
    const link = await begin()
    const first = await open(link)
    for (let n = 0; n < 20; n += 1) await sendForm(baseUrl + link, {})
    expect((await first.get('')).status).toBe(401)
    expect(await db.orm.$count(pageSessions, eq(pageSessions.identificationId, first.id))).toBe(20)
  })
  test('opens no session while it is being replaced', async () => {
    const externalUuid = unique()
    const link = await begin({ external_uuid: externalUuid })
    const { id } = await open(link)
    let opening: Promise<Response> | null = null
    await transaction(db, async (tx) => {
      const newer = { token: unique(), redirectUrl: null }
      await saveVerificationLink(tx, id, newer)
      opening = sendForm(baseUrl + link, {})
      await untilBlocked(db)
      await closePageSessions(tx, [id])
    })
    expect((await (opening as unknown as Promise<Response>)).status).toBe(404)
    expect(await db.orm.$count(pageSessions, eq(pageSessions.identificationId, id))).toBe(0)
  })
  test.each(['expired', 'reissued', 'guessed'])('opens no session if it is %s', async (how) => {
    const externalUuid = unique()
    const link = await begin({ external_uuid: externalUuid })
    const person = await open(link)
    if (how === 'reissued') await begin({ external_uuid: externalUuid })
    if (how === 'expired')
      await db.orm
        .update(verificationLinks)
        .set({ expiresAt: sql`clock_timestamp()` })
        .where(eq(verificationLinks.identificationId, person.id))
    const tried = how === 'guessed' ? `${link.slice(0, -3)}abc` : link
    const refused = await sendForm(baseUrl + tried, {})
    expect(refused.status).toBe(404)
    // The page of an expired link has the vault's name and contact.
    expect((await refused.text()).includes('First vault')).toBe(how === 'expired')
    expect((await person.get('')).status).toBe(how === 'reissued' ? 401 : 303)
  })
  test('does not open a company’s pages if it belongs to a person', async () => {
    const person = await open()
    const crossed = person.base.replace('/person/', '/kyb/')
    expect((await sendForm(baseUrl + crossed, undefined, person.headers)).status).toBe(401)
  })
})

/** Returns a small file with the header of a PNG of 400 million pixels. */
async function hugePng(): Promise<Buffer> {
  const small = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#fff' } })
    .png()
    .toBuffer()
  const huge = Buffer.from(small)
  huge.writeUInt32BE(20_000, 16)
  huge.writeUInt32BE(20_000, 20)
  return huge
}
