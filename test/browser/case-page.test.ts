/** Tests a case in a real browser: documents next to the data, and notes and findings. */
import { sql } from 'drizzle-orm'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { missingBrowser } from '../../dev/browser.ts'
import { describeUnless } from '../support/available.ts'
import { expectRightLooks, picture, SIZES, useBrowser } from '../support/browser-page.ts'
import { eventually, sharedInstance, unique } from '../support/instance.ts'
import { completeApplication } from '../support/kyb.ts'
import {
  enterConsole,
  enterFinding,
  openDecision,
  press,
  submitDecision,
} from '../support/operator-browser.ts'
import { encryptedPdf, pdfOf } from '../support/pdf.ts'
import { photograph } from '../support/photo.ts'
import { startReceiver } from '../support/receiver.ts'
import { deliverTo } from '../support/webhook.ts'

const gatehouse = await sharedInstance({ worker: true })

const { api, baseUrl } = gatehouse
const operator = await gatehouse.operator()

/** Creates an application after a revision round, with a document of each type and a similar application. */
async function prepareCase(): Promise<string> {
  const company = {
    nature_of_business: {
      legal_company_name: 'Analytical Engines Ltd',
      company_registration_id: unique(),
      country_of_incorporation: 'GB',
      website: 'https://engines.example',
    },
  }
  const id = await api.createKyb(unique(), company)
  await api.createKyb(unique(), company)
  const people = ['ada', 'bob'].map((name) => ({
    // The email must differ from those of companies in earlier test files.
    email: `${name}-${unique()}@example.com`,
    full_name: `${name} Lovelace`,
  }))
  await api.patch(`/kyb/${id}`, { beneficiaries: { beneficiaries_list: people } })
  const file = (content: Buffer) => new Blob([new Uint8Array(content)])
  const upload = (attribute: string, content: Buffer, name: string) =>
    api.upload(id, { attribute }, file(content), name)
  await upload('incorporation_certificates', pdfOf('First page', 'Second page'), 'certificate.pdf')
  await upload('articles_of_association', encryptedPdf(), 'locked.pdf')
  await upload('legal_structures', Buffer.from('%PDF-1.7\nnothing of this is a document'), 'broken.pdf')
  const revision = {
    outcome: 'revision_requested',
    reason_code: 'information_mismatch',
    client_comment: 'The register says another name.',
    fields: ['nature_of_business.legal_company_name', 'nature_of_business.website'],
  }
  expect((await operator.post(`/kyb/${id}/decision`, revision)).status).toBe(200)
  await api.patch(`/kyb/${id}`, { nature_of_business: { legal_company_name: 'Engine Works Ltd' } })
  await upload('residence_proofs', Buffer.from(await photograph({})), 'photo.jpg')
  return id
}

/** The number of keys from the queue to a request for changes, without the comment. It only falls. */
const MAX_KEYS = 6

describeUnless(await missingBrowser(), 'in a browser', () => {
  const open = useBrowser()

  async function openCase(id: string, options: Parameters<typeof open>[0] = { viewport: SIZES.desk }) {
    const page = await (await open(options)).newPage()
    await enterConsole(page, gatehouse, `/console/kyb/${id}`)
    return page
  }
  const drawn = (page: Page) => page.locator('[data-place]')
  /** Returns true if the canvas contains dark pixels. */
  const hasInk = (page: Page) =>
    page.locator('[data-place] canvas').evaluate((canvas) => {
      const { width, height } = canvas as HTMLCanvasElement
      const data =
        (canvas as HTMLCanvasElement).getContext('2d')?.getImageData(0, 0, width, height).data ?? []
      return data.some((value, index) => index % 4 === 0 && value < 64)
    })
  async function askForPreview(page: Page): Promise<void> {
    await enterFinding(page, 'City', 'mismatch', 'Another town?')
    await enterFinding(page, 'broken.pdf', 'expired', 'It ended in May.')
    await openDecision(page, 'Request changes')
    await page.getByRole('radio', { name: 'Other reason' }).check()
    await page.getByLabel('Message').fill('Send the newest one.')
    await page.getByRole('button', { name: 'Preview decision' }).click()
  }
  const readings = async (id: string) =>
    (await operator.get(`/kyb/${id}/timeline`)).body.data.filter(
      ({ action }: { action: string }) => action === 'file_read',
    ).length

  test('draws a PDF, and supports zoom, rotation and paging by keyboard, with one download', async () => {
    const id = await prepareCase()
    const page = await openCase(id)
    await picture(page, 'case-desk')
    // The first document is open from the start.
    await page.getByRole('img', { name: 'certificate.pdf, Page 1 of 2' }).waitFor()
    await page.locator('[data-viewer]').focus()
    expect(await hasInk(page)).toBe(true)
    // Only the open document has a thumbnail, because each download is recorded.
    await page.locator('[data-film] [aria-current] canvas').waitFor()
    expect(await page.locator('[data-film] canvas').count()).toBe(1)
    const width = async () => (await drawn(page).locator('canvas').boundingBox())?.width ?? 0
    const fitting = await width()
    await page.keyboard.press('+')
    await expect.poll(width).toBeGreaterThan(fitting)
    await page.keyboard.press('-')
    await page.keyboard.press('0')
    await expect.poll(width).toBe(fitting)
    await page.keyboard.press('r')
    await expect.poll(() => drawn(page).getAttribute('data-turned')).toBe('90')
    await page.keyboard.press('PageDown')
    await page.getByRole('img', { name: 'Page 2 of 2' }).waitFor()
    await page.getByText('Text of this page').click()
    await page.getByText('Second page').waitFor()
    await picture(page, 'case-pdf')
    expect(await readings(id)).toBe(1)
    await page.keyboard.press(']')
    await page.getByText('password-protected').first().waitFor()
    await page.locator('[data-film]').getByRole('link', { name: 'broken.pdf' }).click()
    await page.getByText('This document is damaged').first().waitFor()
    await picture(page, 'case-broken')
    await page.locator('[data-film]').getByRole('link', { name: 'photo.jpg' }).click()
    await page.getByRole('img', { name: 'photo.jpg' }).waitFor()
    await page.getByRole('button', { name: 'Rotate' }).click()
    await expect.poll(() => drawn(page).getAttribute('data-turned')).toBe('90')
    await picture(page, 'case-photo')
    // The address contains the ID of the document, so a reload shows the same document.
    await page.reload()
    await page.getByRole('img', { name: 'photo.jpg' }).waitFor()
    await page.getByRole('button', { name: 'Zoom in' }).waitFor()
    await expectRightLooks(page, 'case')
    await page.locator('.tabs').getByRole('link', { name: 'Documents' }).click()
    await expectRightLooks(page, 'case-documents')
    const [preview] = await Promise.all([page.waitForEvent('popup'), askForPreview(page)])
    await preview.getByText('This is a preview.').waitFor()
    await preview.getByText('Send the newest one.').first().waitFor()
    // The preview disables the applicant's controls.
    expect(await preview.getByLabel('City').isDisabled()).toBe(true)
    await preview.locator('.others > summary').click()
    await preview.getByRole('link', { name: 'Documents' }).click()
    await preview.getByRole('region', { name: 'Documents' }).getByText('It ended in May.').waitFor()
    await expectRightLooks(preview, 'case-preview')
  })

  test('requests changes from the queue with few keys and a comment', async () => {
    const id = await prepareCase()
    await gatehouse.db.orm.execute(sql`UPDATE kyb_applications SET waiting_on = 'operator',
      waiting_since = clock_timestamp() - interval '9 years' WHERE id = ${id}`)
    const page = await openCase(id)
    await page.goto(`${baseUrl}/console?waiting_on=operator`)
    const keys: string[] = []
    const key = (name: string) => {
      keys.push(name)
      return page.keyboard.press(name)
    }
    await key('n')
    await page.waitForURL(`${baseUrl}/console/kyb/${id}`)
    await page.getByRole('img', { name: 'certificate.pdf' }).waitFor()
    await key('f')
    await page.keyboard.type('Page two is cut off.')
    await key('Control+Enter')
    await page.locator('.proof').getByText('Unreadable: Page two is cut off.').waitFor()
    await key('v')
    await page.getByRole('button', { name: 'Request 1 correction' }).waitFor()
    await key('Space')
    await key('Control+Enter')
    await page.waitForURL((url) => !url.pathname.includes(id))
    expect(keys.length).toBeLessThanOrEqual(MAX_KEYS)
    expect((await operator.get(`/kyb/${id}`)).body.data.review.outcome).toBe('revision_requested')
  })

  test('shows the document of an owner next to the owner', async () => {
    const { id } = await completeApplication(api)
    const page = await openCase(id)
    await page.getByRole('img', { name: 'incorporation_certificates.pdf' }).waitFor()
    await page.locator('.tabs').getByRole('link', { name: 'Owners' }).click()
    await page.getByRole('img', { name: 'beneficiary_identification.pdf' }).waitFor()
    await page.locator('.tabs').getByRole('link', { name: 'Documents' }).click()
    await page.getByRole('img', { name: 'beneficiary_identification.pdf' }).waitFor()
    await page.locator('[data-film]').getByRole('link', { name: 'incorporation_certificates.pdf' }).click()
    await page.getByRole('img', { name: 'incorporation_certificates.pdf' }).waitFor()
    await page.goto(`${baseUrl}/console/kyb/${id}?tab=owners`)
    await page.getByRole('img', { name: 'beneficiary_identification.pdf' }).waitFor()
  })

  test('moves from the open items to the fields of the document, and accepts each once', async () => {
    const page = await openCase(await prepareCase())
    await page.getByRole('img', { name: 'certificate.pdf' }).waitFor()
    const { keyboard } = page
    await keyboard.press('j')
    await page.locator('.need:focus').waitFor()
    await page.locator('[data-viewer]').focus()
    await keyboard.press('j')
    await keyboard.press('a')
    await page.getByText(/^1 of \d checked/).waitFor()
    await keyboard.press('k')
    await keyboard.press('a')
    await keyboard.press('a')
    await page.getByText(/^2 of \d checked/).waitFor()
  })

  test('leaves a comment with Escape, and then reads keys as shortcuts again', async () => {
    const page = await openCase(await prepareCase())
    await page.getByRole('img', { name: 'certificate.pdf' }).waitFor()
    const { keyboard } = page
    await keyboard.press('f')
    await keyboard.type('ra')
    await keyboard.press('Escape')
    const flag = page.getByRole('textbox', { name: 'Comment on certificate.pdf' })
    expect(await flag.evaluate((field) => field === document.activeElement)).toBe(false)
    await keyboard.press('v')
    const drawer = page.getByRole('dialog', { name: 'Decide on' })
    const message = drawer.getByLabel('Message')
    await message.focus()
    await keyboard.type('Text')
    await keyboard.press('Escape')
    await keyboard.press('r')
    await drawer.getByRole('radio', { name: 'Reject', checked: true }).waitFor()
    expect([await message.inputValue(), await flag.inputValue()]).toEqual(['Text', 'ra'])
    await keyboard.press('Escape')
    await drawer.waitFor({ state: 'hidden' })
  })

  test('does not call a document damaged if the download fails', async () => {
    const id = await api.createKyb()
    const upload = (content: Buffer, name: string) =>
      api.upload(id, { attribute: 'legal_structures' }, new Blob([new Uint8Array(content)]), name)
    // The first document is open from the start, so pdf.js is not loaded yet.
    const photo = Buffer.from(await photograph({ width: 20, height: 20 }))
    const { id: document } = (await upload(photo, 'photo.jpg')).body
    await upload(pdfOf('Chart'), 'chart.pdf')
    const page = await openCase(id)
    const chart = page.locator('[data-film]').getByRole('link', { name: 'chart.pdf' })
    const says = (words: string) => page.locator('[data-message]').filter({ hasText: words }).waitFor()
    for (const away of [/console\/files/, /pdf\.min\.mjs/]) {
      await page.route(away, (route) => route.abort())
      await chart.click()
      await says('cannot be loaded at the moment')
      await page.unroute(away)
    }
    await chart.click()
    await page.getByRole('img', { name: 'chart.pdf' }).waitFor()
    await page.route('**/console/files/*', (route) => route.fulfill({ status: 503 }))
    await page.goto(`${baseUrl}/console/kyb/${id}?document=${document}`)
    await says('cannot be loaded at the moment')
    await page.unrouteAll()
    await page.context().clearCookies()
    await chart.click()
    await says('You are signed out')
  })

  test('asks before leaving an unfinished form, and does not submit it with Enter', async () => {
    const page = await openCase(await api.createKyb())
    let asked = 0
    page.on('dialog', (dialog) => {
      asked += 1
      return dialog.dismiss()
    })
    const drawer = page.getByRole('dialog', { name: 'Decide on' })
    const revision = drawer.getByRole('radio', { name: 'Request changes' })
    const note = page.getByRole('textbox', { name: 'Internal note' })
    const name = 'Legal name of the company'
    await page.keyboard.press('a')
    await drawer.getByText('Required details or documents are missing').waitFor()
    expect(await drawer.getByRole('group', { name: 'Reason' }).count()).toBe(0)
    await page.keyboard.press('v')
    await expect.poll(() => revision.isChecked()).toBe(true)
    expect(await drawer.getByRole('group', { name: 'Reason' }).getByRole('radio').count()).toBe(4)
    await page.keyboard.press('Escape')
    await enterFinding(page, name, 'mismatch', 'The register says another name.')
    await openDecision(page, 'Request changes')
    await drawer.getByRole('radio', { name: 'Other reason' }).check()
    await drawer.getByLabel('Message').fill('Please correct it.')
    await revision.press('Enter')
    await Promise.all([page.waitForEvent('popup'), press(page, 'Preview decision')])
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'History' }).click()
    await openDecision(page, 'Request changes')
    await drawer.getByRole('button', { name: `Edit correction: ${name}` }).click()
    expect(await page.locator(':focus').inputValue()).toBe('The register says another name.')
    const opener = page.locator('[data-decide]', { hasText: 'Request changes' })
    const leave = [
      () => page.getByRole('link', { name: 'Reports' }).click(),
      () => opener.press('n'),
      () => opener.press('m'),
      async () => {
        await page.getByRole('link', { name: 'History' }).click()
        await note.fill('Typed, too.')
        await press(page, 'Add note')
      },
      // The browser asks because the note is unsaved. If the operator stays, the decision is not submitted.
      () => openDecision(page, 'Request changes').then(() => submitDecision(page)),
      async () => {
        await page.keyboard.press('Escape')
        await note.fill('')
        await page.getByRole('link', { name: 'Reports' }).click()
      },
    ]
    for (const [n, by] of leave.entries()) {
      await by()
      await eventually(() => expect(asked).toBe(n + 1))
    }
    await openDecision(page, 'Request changes')
    await press(page, 'Request 1 correction')
    await page.waitForURL(`${baseUrl}/console`)
    expect(asked).toBe(leave.length)
  })

  test('keeps line breaks in notes and in comments to the applicant', async () => {
    const page = await openCase(await api.createKyb())
    const lines = 'Please send:\n1. the extract\n2. who owns the rest'
    await page.getByRole('link', { name: 'History' }).click()
    await page.getByRole('textbox', { name: 'Internal note' }).fill(lines)
    await press(page, 'Add note')
    await expect.poll(() => page.locator('[data-action="note"] p').allInnerTexts()).toEqual([lines])
    const name = 'Legal name of the company'
    await enterFinding(page, name, 'mismatch', lines)
    await openDecision(page, 'Request changes')
    await page.getByRole('radio', { name: 'Other reason' }).check()
    await page.getByLabel('Message').fill(lines)
    const [preview] = await Promise.all([page.waitForEvent('popup'), press(page, 'Preview decision')])
    // Line breaks depend on the style sheet.
    for (const words of ['.fix-row[aria-current] .fix-words', '.comment'])
      await expect
        .poll(() => preview.locator(words).allInnerTexts())
        .toEqual([`Correct this item. It does not match the other details.\n“${lines}”`])
  })

  test('sends a webhook to the failed URL again by keyboard, and shows a refusal on the page', async () => {
    let status = 500
    const [good, bad] = [await startReceiver(), await startReceiver((res) => res.writeHead(status).end())]
    await deliverTo(gatehouse, good.url, bad.url)
    const id = await api.createKyb()
    const revision = { outcome: 'revision_requested', reason_code: 'other', client_comment: 'Once more.' }
    expect((await operator.post(`/kyb/${id}/decision`, revision)).status).toBe(200)
    const delivery = async () => (await operator.get(`/kyb/${id}/deliveries`)).body.data[0]
    const ended = (as: string) => eventually(async () => expect((await delivery())?.status).toBe(as))
    await ended('partial')
    const page = await openCase(id, { viewport: SIZES.desk, javaScriptEnabled: false })
    const other = await openCase(id)
    await other.getByRole('link', { name: 'History' }).click()
    await other.getByText('2 attempts').click()
    await expectRightLooks(other, 'case-delivery-in-part')
    status = 200
    await page.getByRole('link', { name: 'History' }).click()
    await page.getByRole('button', { name: 'Resend to failed URLs' }).focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(/#deliveries-title$/)
    await ended('completed')
    expect((await delivery()).urls_destiny).toEqual([bad.url])
    await other.getByRole('button', { name: 'Resend to all URLs' }).click()
    await other.getByRole('alert').getByRole('link', { name: 'This event has already been resent' }).waitFor()
    await other.locator('.summary:focus').waitFor()
    await expectRightLooks(other, 'case-delivery-refused')
    await other.getByRole('button', { name: /^Resend event ?: kyb/ }).waitFor()
    await good.stop()
    await bad.stop()
  })
})
