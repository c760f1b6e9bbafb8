/** Tests the verification of a person in a real browser, from the link to the signed webhook. */
import type { FileChooser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { missingBrowser } from '../../dev/browser.ts'
import { describeUnless } from '../support/available.ts'
import { beginForm, followLink, SIZES, useBrowser } from '../support/browser-page.ts'
import { fakeCamera } from '../support/fake-camera.ts'
import { recordOf, untilStatus, untilWaitingOn } from '../support/identification.ts'
import { eventually, sharedInstance } from '../support/instance.ts'
import { completeSections } from '../support/kyb.ts'
import {
  agree,
  enter,
  field,
  heading,
  openPersonLink,
  photoOf,
  takePhoto,
  verify,
} from '../support/person-browser.ts'
import { beginPerson, fillInPerson, openPerson, PERSON } from '../support/person-page.ts'
import { startReceiver, verifies } from '../support/receiver.ts'
import { startServer } from '../support/restarted-server.ts'
import { deliverTo, secretOf } from '../support/webhook.ts'

const gatehouse = await sharedInstance({ worker: true })
const receiver = await startReceiver()
beforeAll(() => deliverTo(gatehouse, receiver.url))
afterAll(() => receiver.stop())

const { api, baseUrl } = gatehouse
const begin = async (more: object = {}, at = baseUrl) => at + (await beginPerson(gatehouse, more))
const saved = (page: Page) =>
  page
    .locator('.saving')
    .filter({ hasText: /^Saved at \d/ })
    .waitFor()
const profileOf = async (id: string) => (await recordOf(gatehouse, id)).profile

describeUnless(await missingBrowser(), 'in a browser', () => {
  const open = useBrowser()

  /** Opens a person's link and gives consent. */
  async function agreed(at = baseUrl) {
    const context = await open()
    const link = await begin({}, at)
    const person = await openPersonLink(context, link)
    await agree(person.page, person.base)
    return { ...person, context, link }
  }

  async function decide(id: string, decision: object) {
    await untilWaitingOn(gatehouse, id, 'operator')
    const operator = await gatehouse.operator()
    expect((await operator.post(`/identifications/${id}/decision`, decision)).status).toBe(200)
  }

  describe('from the link to the signed webhook', () => {
    test('verifies a person with scripts and the camera', async () => {
      const journey = async (viewport: Size) => {
        const context = await open({ viewport })
        await fakeCamera(context)
        await verified(await openPersonLink(context, await begin(HOME)), takePhoto)
      }
      await Promise.all(Object.values(SIZES).map(journey))
    })

    test('verifies a person without scripts and with files', async () => {
      const journey = async (viewport: Size) => {
        const context = await open({ viewport, javaScriptEnabled: false })
        await verified(await openPersonLink(context, await begin(HOME)), async (page) => {
          await page.locator('input[name=file]').setInputFiles(await photoOf())
          await page.getByRole('button', { name: 'Upload photo' }).click()
          await page.getByRole('link', { name: 'Use this photo' }).click()
        })
      }
      await Promise.all(Object.values(SIZES).map(journey))
    })

    type Size = (typeof SIZES)[keyof typeof SIZES]
    const HOME = { redirect_url: 'https://client.example/back?case=7', email: 'a@b.example' }

    async function verified(
      { page, id, base }: Awaited<ReturnType<typeof openPersonLink>>,
      show: (page: Page) => Promise<void>,
    ) {
      await verify(page, { name: 'Approved Ada' }, show)
      await untilStatus(api, id, 'approved')
      await page.goto(base)
      await heading(page, 'Your identity is verified')
      const home = await page.getByRole('link', { name: /^Back to/ }).getAttribute('href')
      expect(home).toBe(`https://client.example/back?case=7&identification_id=${id}&status=approved`)
      const delivery = await eventually(() => {
        const found = receiver.received.find(
          ({ event, attributes }) =>
            event === 'identification_approved' && attributes.identification_uuid === id,
        )
        if (!found) throw new Error('the delivery has not arrived')
        return found
      })
      expect(verifies(await secretOf(gatehouse), delivery)).toBe(true)
    }
  })

  describe('an entry', () => {
    test('is saved immediately and shown in another browser', async () => {
      const { page, base, context, link, id } = await agreed()
      await enter(page, { name: 'Typed', nationality: 'PT', birthdate: '1985-12-10' })
      await saved(page)
      expect(await profileOf(id)).toMatchObject({ name: 'Typed', nationality: 'PT' })
      // The browser closes before the delay ends.
      await field(page, 'city').fill('Written in the last moment')
      await page.close()
      await eventually(async () => expect((await profileOf(id)).city).toBe('Written in the last moment'))
      await context.close()
      const { page: other } = await openPersonLink(await open(), link)
      await other.goto(`${base}/details`)
      for (const [name, value] of Object.entries({
        name: 'Typed',
        nationality: 'PT',
        birthdate: '1985-12-10',
      }))
        expect(await field(other, name).inputValue()).toBe(value)
    })

    test('shows its problem next to the field, and is kept when the person goes back', async () => {
      const { page, base } = await agreed()
      expect(await field(page, 'surname').getAttribute('autocomplete')).toBe('family-name')
      await enter(page, { email: 'nobody', phone: '030 123', city: 'Woking' })
      await field(page, 'name').focus()
      await page.locator('.problem', { hasText: 'enter an email address' }).waitFor()
      await page.locator('.problem', { hasText: 'with its country code' }).waitFor()
      await enter(page, { email: 'ada@example.com', phone: '+442012345678' })
      await page.locator('.problem').first().waitFor({ state: 'detached' })
      await saved(page)
      await page.getByRole('link', { name: 'Back' }).click()
      await page.waitForURL(`${base}/consent`)
      await page.goBack()
      expect(await field(page, 'city').inputValue()).toBe('Woking')
      expect(await field(page, 'email').inputValue()).toBe('ada@example.com')
    })

    test('lets the person choose between the values of two tabs', async () => {
      const { page: first, base, context, id } = await agreed()
      const second = await context.newPage()
      await second.goto(`${base}/details`)
      await enter(first, { city: 'London', name: 'Ada' })
      await saved(first)
      await enter(second, { city: 'Woking', name: 'Augusta', surname: 'King' })
      await second.locator('.problem', { hasText: '“London”' }).waitFor()
      await second.locator('.problem', { hasText: '“Ada”' }).waitFor()
      await eventually(async () =>
        expect(await profileOf(id)).toMatchObject({ city: 'London', name: 'Ada', surname: 'King' }),
      )
      const about = (name: string) => second.locator('.field', { has: field(second, name) })
      await about('city').getByRole('button', { name: 'Keep my value' }).click()
      await about('name').getByRole('button', { name: 'Use the other value' }).click()
      await saved(second)
      expect(await field(second, 'name').inputValue()).toBe('Ada')
      expect(await profileOf(id)).toMatchObject({ city: 'Woking', name: 'Ada' })
    })

    test('is saved after an outage of the API, and so is a photo', async () => {
      let server = await startServer(gatehouse)
      const { page, base, id } = await agreed(server.baseUrl)
      await server.stop()
      await enter(page, { name: 'Offline', city: 'Porto' })
      await page.locator('.saving', { hasText: 'Not saved yet. Trying again' }).waitFor()
      server = await server.startAgain()
      await saved(page)
      expect(await profileOf(id)).toMatchObject({ name: 'Offline', city: 'Porto' })
      await page.goto(`${base}/selfie`)
      await page.locator('input[name=file]').setInputFiles(await photoOf())
      await page.getByRole('heading', { name: 'Is your face clearly visible?' }).waitFor()
      await server.stop()
      await page.getByRole('button', { name: 'Use this photo' }).click()
      await page.locator('main').getByText('The connection was interrupted').waitFor()
      server = await server.startAgain()
      // Simulates a server that gives up on the upload.
      const late = { status: 408, contentType: 'application/json', body: '{"errors":[]}' }
      await page.route('**/files/selfie', (route) => route.fulfill(late), { times: 1 })
      const answered = page.waitForResponse((response) => response.status() === 408)
      await page.getByRole('button', { name: 'Try again' }).click()
      await answered
      await page.locator('main').getByText('The connection was interrupted').waitFor()
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.waitForURL(/check$/)
      expect((await profileOf(id)).selfie).toEqual(expect.any(String))
      await server.stop()
    })
  })

  describe('a verification', () => {
    test('shows the result on the waiting page after an operator has decided', async () => {
      const { page, base, id, link, context } = await agreed()
      await fillInPerson(await openPerson(baseUrl, pathOf(link)))
      await page.goto(`${base}/check`)
      await page.getByRole('button', { name: 'Submit for verification' }).click()
      await heading(page, 'Details submitted')
      const opened = await context.newPage()
      await opened.goto(link)
      await opened.getByText('You have submitted your details').waitFor()
      await decide(id, { outcome: 'attention', reason_code: 'other' })
      await decide(id, {
        outcome: 'initiated',
        reason_code: 'information_mismatch',
        client_comment: 'Another town?',
        fields: ['city'],
      })
      await heading(page, '1 change to make')
      await page.getByText('Another town?').waitFor()
      await page.getByRole('link', { name: 'Town or city' }).click()
      await page.locator('.comment', { hasText: 'Another town?' }).waitFor()
      await enter(page, { city: 'Woking' })
      await page.getByRole('button', { name: 'Save this fix' }).click()
      await page.getByRole('button', { name: 'Submit again' }).click()
      await heading(page, 'Details submitted')
      await decide(id, { outcome: 'rejected', reason_code: 'other', client_comment: 'The register differs.' })
      await heading(page, 'Your identity could not be verified')
      await page.getByText('The register differs.').waitFor()
      expect(await page.title()).toBe('Your identity could not be verified')
    })

    test('can require one new photo and keeps the others', async () => {
      const { page, id, link, base } = await agreed()
      await fillInPerson(await openPerson(baseUrl, pathOf(link)), { name: 'Retry Ada' })
      await page.goto(`${base}/check`)
      await page.getByRole('button', { name: 'Submit for verification' }).click()
      await heading(page, '1 change to make')
      const fixes = page.locator('.fix-row').getByRole('link')
      expect(await fixes.allTextContents()).toEqual(['Front of the document'])
      await page.getByRole('link', { name: 'Fix the next one' }).click()
      await page.locator('.comment', { hasText: 'Provide a readable version' }).waitFor()
      // An unreadable photo cannot be submitted again.
      expect(await page.getByText('Use this photo', { exact: true }).count()).toBe(0)
      await page.locator('input[name=file]').setInputFiles(await photoOf())
      await page.getByRole('button', { name: 'Use this photo' }).click()
      await heading(page, 'Check your details')
      await page.getByRole('button', { name: 'Submit again' }).click()
      await heading(page, 'Your identity is verified')
      await untilStatus(api, id, 'approved')
    })

    test('continues on the computer after the photos are taken on the phone', async () => {
      const { page, link, base } = await agreed()
      await page.goto(`${base}/phone`)
      const code = page.getByAltText('QR code with a link for your phone')
      await expect
        .poll(() => code.evaluate((each) => (each as HTMLImageElement).naturalWidth))
        .toBeGreaterThan(0)
      await fillInPerson(await openPerson(baseUrl, pathOf(link)))
      await heading(page, 'Check your details')
    })

    test('names a photo from another device without showing it', async () => {
      const { page, link, base } = await agreed()
      const { page: phone } = await openPersonLink(await open(), link)
      await phone.goto(`${base}/selfie`)
      await phone.locator('input[name=file]').setInputFiles(await photoOf({}, 'from-the-phone.jpg'))
      await phone.getByRole('button', { name: 'Use this photo' }).click()
      await heading(phone, 'Check your details')
      await phone.locator('.photos img').waitFor()
      await page.goto(`${base}/selfie`)
      await page.getByText('from-the-phone.jpg').waitFor()
      expect(await page.locator('main img:visible').count()).toBe(0)
      await page.goto(`${base}/check`)
      await page.getByText('from-the-phone.jpg').waitFor()
      expect(await page.locator('main img:visible').count()).toBe(0)
    })
  })

  test('requires no identity document for a beneficiary who was verified with the link in the form', async () => {
    const { page, company, base } = await followLink(
      await open({ viewport: SIZES.desk }),
      await beginForm(gatehouse),
    )
    await api.patch(`/kyb/${company.id}`, completeSections())
    const named = { email: 'ada@example.com', full_name: 'Approved Ada Lovelace' }
    await api.patch(`/kyb/${company.id}`, { beneficiaries: { beneficiaries_list: [named] } })
    const due = page.getByRole('link', { name: 'Approved Ada Lovelace: ID missing' })
    await page.goto(`${base}/check`)
    await due.waitFor()
    await page.goto(`${base}/beneficiaries`)
    await page.getByRole('link', { name: 'Send them a link' }).click()
    const link = page.getByLabel('Link for Approved Ada Lovelace')
    const first = await link.inputValue()
    await page.getByRole('button', { name: 'Create new link' }).click()
    await expect.poll(() => link.inputValue()).not.toBe(first)
    await page.getByText('Show QR code').click()
    const code = page.getByAltText('QR code with the link for Approved Ada Lovelace')
    await expect
      .poll(() => code.evaluate((each) => (each as HTMLImageElement).naturalWidth))
      .toBeGreaterThan(0)
    const context = await open()
    await fakeCamera(context)
    const late = await context.newPage()
    await late.goto(baseUrl + pathOf(first))
    await heading(late, 'Link not valid')
    const ada = await openPersonLink(context, baseUrl + pathOf(await link.inputValue()))
    await verify(ada.page, { name: 'Approved Ada' }, takePhoto)
    await heading(ada.page, 'Your identity is verified')
    // The application learns of the verification from a message.
    await eventually(async () => {
      await page.goto(`${base}/check`)
      expect(await due.count()).toBe(0)
    })
    await page.goto(`${base}/beneficiaries`)
    await page.getByText('Verified').first().waitFor()
    expect(await link.count()).toBe(0)
  })

  test('can be completed by keyboard', async () => {
    const context = await open({ viewport: SIZES.desk })
    const page = await context.newPage()
    await page.goto(await begin())
    const { keyboard } = page
    // The listener must exist before the first key press. Otherwise, the browser shows its own file dialog.
    const choosers: FileChooser[] = []
    page.on('filechooser', (chooser) => choosers.push(chooser))
    /** Presses Tab until the control has the focus, at most 40 times. */
    async function reach(target: Locator) {
      await target.waitFor()
      for (let n = 0; n < 40; n += 1) {
        if (await target.evaluate((element) => element === document.activeElement)) return
        await keyboard.press('Tab')
      }
      throw new Error('it cannot be reached by the keyboard')
    }
    const press = async (role: 'button' | 'link' | 'radio', name: string | RegExp, key = 'Enter') => {
      await reach(page.getByRole(role, { name, exact: true }))
      await keyboard.press(key)
    }
    const choose = async () => {
      await reach(page.locator('input[name=file]'))
      await keyboard.press('Space')
      const chooser = await eventually(() => {
        const opened = choosers.shift()
        if (!opened) throw new Error('no file dialog was opened')
        return opened
      })
      await chooser.setFiles(await photoOf())
      await press('button', 'Use this photo')
    }
    await press('button', 'Continue')
    await press('radio', /^I agree/, 'Space')
    await press('button', 'Continue')
    await heading(page, 'Personal details')
    const typed = {
      ...PERSON.details,
      name: 'Approved Ada',
      birthdate: '10121985',
      nationality: 'United K',
      address_country: 'United K',
    }
    for (const [name, text] of Object.entries(typed)) {
      await reach(page.locator(`#${name}`))
      await keyboard.type(text)
    }
    await press('button', 'Save and continue')
    await heading(page, 'Identity document')
    const papers = { document_country: 'United K', document_type: 'Identity', document_number: 'X1234567' }
    for (const [name, text] of Object.entries(papers)) {
      await reach(page.locator(`#${name}`))
      await keyboard.type(text)
    }
    await press('button', 'Save and continue')
    for (const title of ['Front of the document', 'Back of the document', 'Photo of your face']) {
      await heading(page, title)
      await choose()
    }
    await press('button', 'Submit for verification')
    await heading(page, 'Your identity is verified')
  })
})

const pathOf = (link: string): string => new URL(link).pathname
