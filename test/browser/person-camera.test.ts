/**
 * Tests the photos of a person in a real browser: capture, selection, preview and upload over poor
 * connections.
 */
import { and, eq, ne } from 'drizzle-orm'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { missingBrowser } from '../../dev/browser.ts'
import { files } from '../../drizzle/schema.ts'
import { describeUnless } from '../support/available.ts'
import { limitUploads, pdf, useBrowser } from '../support/browser-page.ts'
import { endTracks, fakeCamera, sideOf, tracksOf } from '../support/fake-camera.ts'
import { eventually, sharedInstance } from '../support/instance.ts'
import { agree, heading, openPersonLink, photoOf } from '../support/person-browser.ts'
import { beginPerson } from '../support/person-page.ts'
import { photograph } from '../support/photo.ts'

const gatehouse = await sharedInstance({ worker: true })

const { db } = gatehouse
const operator = await gatehouse.operator()
/** Returns the current files. The database also keeps replaced photos, for one day. */
const filesOf = (id: string) =>
  db.orm
    .select()
    .from(files)
    .where(and(eq(files.identificationId, id), ne(files.state, 'detached')))

describeUnless(await missingBrowser(), 'in a browser', () => {
  const open = useBrowser()

  /** Opens the page of a photo in a browser with a simulated camera. */
  async function atPicture(
    camera: Parameters<typeof fakeCamera>[1] = 'moving',
    attribute = 'document_front',
    device: Parameters<typeof open>[0] = {},
  ) {
    const context = await open(device)
    await fakeCamera(context, camera)
    const link = gatehouse.baseUrl + (await beginPerson(gatehouse))
    const person = await openPersonLink(context, link)
    await agree(person.page, person.base)
    await person.page.goto(`${person.base}/${attribute}`)
    return { ...person, context, link }
  }

  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
  const choose = (page: Page, file: Parameters<ReturnType<Page['locator']>['setInputFiles']>[0]) =>
    page.locator('input[name=file]').setInputFiles(file)
  const textOf = (page: Page, text: string) => page.locator('main').getByText(text)
  const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent?.trim())

  describe('the camera', () => {
    test.each([
      ['document_front', 'environment', 'Can you read everything?'],
      ['selfie', 'user', 'Is your face clearly visible?'],
    ])('opens for %s, takes a photo, shows it and sends it', async (attribute, side, question) => {
      const { page, id, base } = await atPicture('moving', attribute)
      await press(page, 'Use camera')
      await page.getByLabel('Camera view').waitFor()
      expect(await sideOf(page)).toBe(side)
      await expect.poll(() => focused(page)).toBe('Take photo')
      await press(page, 'Take photo')
      const preview = page.getByAltText('Selected photo')
      await preview.waitFor()
      expect(await preview.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(1_280)
      expect(await tracksOf(page)).toEqual({ running: 1, stopped: 1 })
      await expect.poll(() => focused(page)).toBe('Use this photo')
      await press(page, 'Use this photo')
      await page.waitForURL(attribute === 'selfie' ? /check$/ : /selfie$/)
      expect(await filesOf(id)).toHaveLength(1)
      await page.goto(`${base}/${attribute}`)
      await page.getByRole('heading', { name: question }).waitFor()
    })

    test('opens automatically on a phone, unless there is already a photo', async () => {
      const { page } = await atPicture('moving', 'document_front', { isMobile: true, hasTouch: true })
      await page.getByLabel('Camera view').waitFor()
      await press(page, 'Help')
      await textOf(page, 'no fingers cover the document').last().waitFor()
      await press(page, 'Take photo')
      await press(page, 'Use this photo')
      await heading(page, 'Photo of your face')
      await page.getByLabel('Camera view').waitFor()
      await page.keyboard.press('Escape')
      await page.getByLabel('Camera view').waitFor({ state: 'hidden' })
      await expect.poll(() => focused(page)).toBe('Use camera')
      await page.goBack()
      await page.getByRole('link', { name: 'Use this photo' }).waitFor()
      expect(await page.getByRole('dialog').count()).toBe(0)
    })

    test('stops if the person closes it, chooses a file or leaves the page', async () => {
      const { page, base } = await atPicture()
      await press(page, 'Use camera')
      await press(page, 'Close camera')
      await page.getByLabel('Camera view').waitFor({ state: 'hidden' })
      expect(await tracksOf(page)).toEqual({ running: 1, stopped: 1 })
      await expect.poll(() => focused(page)).toBe('Use camera')
      await press(page, 'Use camera')
      await page.getByLabel('Camera view').waitFor()
      await choose(page, await photoOf())
      await page.getByLabel('Camera view').waitFor({ state: 'hidden' })
      expect(await tracksOf(page)).toEqual({ running: 2, stopped: 2 })
      await press(page, 'Retake photo')
      await page.getByLabel('Camera view').waitFor()
      await page.goto(base)
      expect(await tracksOf(page)).toEqual({ running: 3, stopped: 3 })
    })

    test('runs once if the person closes it before it is ready and opens it again', async () => {
      const { page } = await atPicture()
      await page.evaluate(() => {
        const open = navigator.mediaDevices.getUserMedia
        navigator.mediaDevices.getUserMedia = async (asked) => {
          await new Promise((resolve) => setTimeout(resolve, 1_000))
          return open(asked)
        }
      })
      await press(page, 'Use camera')
      await press(page, 'Close camera')
      await press(page, 'Use camera')
      await page.getByRole('button', { name: 'Take photo', disabled: false }).waitFor()
      expect(await tracksOf(page)).toEqual({ running: 2, stopped: 1 })
      await press(page, 'Close camera')
      expect(await tracksOf(page)).toEqual({ running: 2, stopped: 2 })
    })

    test.each([
      ['the device ends it', (page: Page) => endTracks(page)],
      [
        'the browser keeps the page',
        (page: Page) => page.evaluate(() => dispatchEvent(new Event('pagehide'))),
      ],
    ])('closes if %s, and opens again', async (_, end) => {
      const { page } = await atPicture()
      await press(page, 'Use camera')
      await page.getByRole('button', { name: 'Take photo', disabled: false }).waitFor()
      await end(page)
      await page.getByLabel('Camera view').waitFor({ state: 'hidden' })
      expect(await page.getByRole('dialog').count()).toBe(0)
      await press(page, 'Use camera')
      await page.getByRole('button', { name: 'Take photo', disabled: false }).waitFor()
    })

    test.each([
      ['denied', 'Your browser is blocking the camera', 0],
      ['none', 'No camera found', 0],
      ['silent', 'The camera shows no image', 1],
    ] as const)('lets the person choose a file if it does not work: %s', async (camera, says, running) => {
      const { page } = await atPicture(camera)
      await page.clock.install()
      await press(page, 'Use camera')
      if (camera === 'silent') {
        await textOf(page, 'Your browser is asking').waitFor()
        await page.clock.runFor(8_000)
      }
      await textOf(page, says).waitFor()
      expect(await tracksOf(page)).toEqual({ running, stopped: running })
      await expect.poll(() => focused(page)).toBe('Use camera')
      await choose(page, await photoOf())
      await press(page, 'Use this photo')
      await heading(page, 'Photo of your face')
    })
  })

  describe('a photo', () => {
    test.each([
      ['blurred', 'looks blurred'],
      ['dark', 'looks dark'],
    ] as const)(
      'shows a warning before it is sent if it is %s, and can be used anyway',
      async (kind, says) => {
        const { page, id } = await atPicture(kind, 'selfie')
        await press(page, 'Use camera')
        await press(page, 'Take photo')
        await textOf(page, says).waitFor()
        expect(await filesOf(id)).toEqual([])
        await page.locator('#announcement', { hasText: says }).waitFor({ state: 'attached' })
        // A good photo replaces the one with the warning.
        await choose(page, await photoOf())
        await textOf(page, says).waitFor({ state: 'hidden' })
        await press(page, 'Retake photo')
        await press(page, 'Take photo')
        await textOf(page, says).waitFor()
        const advice = textOf(page, 'but your face is clearly visible, use this one')
        await advice.waitFor()
        // The bar with the buttons does not cover the advice.
        await page.evaluate(() => scrollTo(0, 0))
        const dock = await page.locator('.dock').evaluate((each) => each.getBoundingClientRect().top)
        expect(await advice.evaluate((each) => each.getBoundingClientRect().bottom)).toBeLessThan(dock)
        // The question is asked once.
        await press(page, 'Use this photo')
        await heading(page, 'Check your details')
        expect(await filesOf(id)).toHaveLength(1)
      },
    )

    test('is refused with a reason if it cannot be opened or is too small', async () => {
      const { page, id } = await atPicture()
      const { buffer } = await photoOf()
      await choose(page, { name: 'broken.jpg', mimeType: 'image/jpeg', buffer: buffer.subarray(0, 3_000) })
      await press(page, 'Use this photo')
      await textOf(page, 'the file cannot be opened. Choose a JPEG or PNG photo').waitFor()
      expect(await page.getByRole('button', { name: /^Use this photo|^Try again/ }).count()).toBe(0)
      await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('document_front-file')
      await choose(page, await photoOf({ width: 500, height: 400 }))
      await textOf(page, 'The photo is too small').waitFor()
      expect(await page.getByRole('button', { name: 'Use this photo' }).count()).toBe(0)
      expect(await filesOf(id)).toEqual([])
      await choose(page, await photoOf())
      await press(page, 'Use this photo')
      await heading(page, 'Photo of your face')
    })

    test.each([
      ['document_front', 'film.mp4', 'video/mp4', 1, 'choose a PDF, JPEG or PNG file'],
      ['document_front', 'large.pdf', 'application/pdf', 11, 'choose a file of at most 10 MB'],
      ['document_front', 'photo.heic', 'image/heic', 1, 'HEIC photos are not accepted'],
      ['document_front', 'PHOTO.HEIC', '', 1, 'HEIC photos are not accepted'],
      ['selfie', 'passport.pdf', 'application/pdf', 1, 'Choose a JPEG or PNG image'],
    ])(
      'of %s is refused before it is sent if it is %s',
      async (attribute, name, mimeType, megabytes, says) => {
        const { page } = await atPicture('moving', attribute)
        let isSent = false
        await page.route('**/files/*', (route) => {
          isSent = true
          return route.continue()
        })
        await choose(page, { name, mimeType, buffer: Buffer.alloc(megabytes * 1_024 * 1_024) })
        await textOf(page, says).waitFor()
        await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe(`${attribute}-file`)
        await choose(page, await photoOf())
        await expect.poll(() => focused(page)).toBe('Use this photo')
        await page
          .locator('#announcement', { hasText: /readable|read everything|clearly visible/ })
          .waitFor({ state: 'attached' })
        expect(isSent).toBe(false)
      },
    )

    test('is converted if only the browser can open it, and does not keep the memory', async () => {
      const { page, id } = await atPicture()
      await page.evaluate(() => {
        const { close } = ImageBitmap.prototype
        ImageBitmap.prototype.close = function () {
          sessionStorage.setItem('closed', String(Number(sessionStorage.getItem('closed')) + 1))
          close.call(this)
        }
      })
      const buffer = await sharp(await photograph())
        .webp()
        .toBuffer()
      await choose(page, { name: 'photo.webp', mimeType: 'image/webp', buffer })
      await press(page, 'Use this photo')
      await heading(page, 'Photo of your face')
      expect(await filesOf(id)).toMatchObject([{ contentType: 'image/jpeg' }])
      expect(await page.evaluate(() => sessionStorage.getItem('closed'))).toBe('2')
    })

    test('of a document can be a PDF', async () => {
      const { page, id, base } = await atPicture()
      await choose(page, pdf('passport.pdf'))
      await textOf(page, 'passport.pdf').waitFor()
      await press(page, 'Use this photo')
      await heading(page, 'Photo of your face')
      expect(await filesOf(id)).toHaveLength(1)
      await page.goto(`${base}/document_front`)
      await textOf(page, 'passport.pdf').waitFor()
    })

    test('is reduced in size if it has too many pixels', async () => {
      const { page, id } = await atPicture()
      const large = await photoOf({ width: 5_000, height: 3_750, sigma: 3 }, 'IMG_0001.jpeg')
      await choose(page, large)
      await press(page, 'Use this photo')
      await heading(page, 'Photo of your face')
      const [stored] = await filesOf(id)
      expect(stored?.sizeBytes).toBeLessThan(0.7 * large.buffer.length)
      const { data } = (await operator.get(`/identifications/${id}`)).body
      expect(data.files).toMatchObject([{ name: 'IMG_0001.jpg', content_type: 'image/jpeg', warnings: [] }])
    })

    /** Simulates browsers that protect against fingerprinting. */
    const falsify = () => {
      const { prototype } = CanvasRenderingContext2D
      const read = prototype.getImageData
      prototype.getImageData = function (...area) {
        const image = read.apply(this, area)
        image.data.forEach((_, n) => {
          image.data[n] = (n * 7_919) % 251
        })
        return image
      }
    }
    const forget = () => void Reflect.deleteProperty(window, 'createImageBitmap')
    test.each([
      ['falsifies pixels', falsify],
      ['cannot open images', forget],
    ])('is sent unchanged despite its size if the browser %s', async (_, before) => {
      const { page, id } = await atPicture()
      await page.addInitScript(before)
      await page.reload()
      const large = await photoOf({ width: 5_000, height: 3_750, sigma: 3 })
      await choose(page, large)
      await press(page, 'Use this photo')
      await heading(page, 'Photo of your face')
      expect(await filesOf(id)).toMatchObject([{ sizeBytes: large.buffer.length }])
    })

    test('is sent again after an interruption, and stored once', async () => {
      const { page, id } = await atPicture()
      await page.route('**/files/document_front', async (route) => {
        // The photo arrives and is stored, but the response is lost.
        await route.fetch()
        await route.abort('connectionreset')
      })
      await choose(page, await photoOf())
      await press(page, 'Use this photo')
      await textOf(page, 'The connection was interrupted').waitFor()
      await page.unroute('**/files/document_front')
      await press(page, 'Try again')
      await heading(page, 'Photo of your face')
      await eventually(async () => expect(await filesOf(id)).toHaveLength(1))
    })

    test('shows its progress over a slow connection, and makes the browser ask before leaving', async () => {
      const { page, base } = await atPicture()
      const speed = await limitUploads(page)
      await speed(64 * 1024)
      const large = await photoOf({ width: 4_000, height: 3_000 })
      expect(large.buffer.length).toBeGreaterThan(3_000_000)
      await choose(page, large)
      await press(page, 'Use this photo')
      const bar = page.getByRole('progressbar')
      await expect
        .poll(() => bar.evaluate((each) => (each as HTMLProgressElement).value))
        .toBeGreaterThan(0.1)
      // Nearly stops the upload, so that it does not end before the browser asks.
      await speed(1_024)
      await page
        .locator('main')
        .getByText(/^\d+% uploaded$/)
        .waitFor()
      page.once('dialog', (dialog) => dialog.dismiss())
      const asked = page.waitForEvent('dialog')
      await page.getByRole('link', { name: 'Back' }).click()
      expect((await asked).type()).toBe('beforeunload')
      await speed(-1)
      await heading(page, 'Photo of your face')
      await page.goto(`${base}/document_front`)
      await page.getByAltText('Front of the document').waitFor()
    })

    test('can be sent after the session has expired and the link is opened again', async () => {
      const { page, context, link } = await atPicture()
      await choose(page, await photoOf())
      await context.clearCookies()
      await press(page, 'Use this photo')
      await textOf(page, 'Open your link in another tab').waitFor()
      const { page: other } = await openPersonLink(context, link)
      await other.close()
      await press(page, 'Try again')
      await heading(page, 'Photo of your face')
    })
  })
})
