/** Tests a company's form in a real browser with scripts: no entry is lost, and each notice is true. */
import type { Locator, Page } from 'playwright-core'
import sharp from 'sharp'
import { describe, expect, onTestFinished, test } from 'vitest'
import { missingBrowser } from '../../dev/browser.ts'
import { describeUnless } from '../support/available.ts'
import {
  beginForm,
  documentRow,
  expectRightLooks,
  followLink,
  limitUploads,
  pdf,
  SIZES,
  setSupportEmail,
  signInTo,
  useBrowser,
} from '../support/browser-page.ts'
import { eventually, sharedInstance } from '../support/instance.ts'
import { completeSections } from '../support/kyb.ts'
import { pdfOf } from '../support/pdf.ts'
import { startServer } from '../support/restarted-server.ts'

const gatehouse = await sharedInstance({ worker: true })
await setSupportEmail(gatehouse)

const { api } = gatehouse

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)

describeUnless(await missingBrowser(), 'in a browser with scripts', () => {
  const open = useBrowser()

  const signIn = async (options: Parameters<typeof open>[0] = {}) => signInTo(gatehouse, await open(options))

  const saving = (page: Page) => page.locator('.saving')
  const says = (page: Page, text: string) => saving(page).filter({ hasText: text }).waitFor()
  const saved = (page: Page) =>
    saving(page)
      .filter({ hasText: /^Saved at \d/ })
      .waitFor()
  const input = (page: Page, field: string) => page.locator(`[name="nature_of_business.${field}"]`)
  const sectionOf = async (id: string, section = 'nature_of_business') =>
    (await api.get(`/kyb/${id}`)).body.data[section]

  describe('automatic saving', () => {
    test('shows text and choices in another browser after the field loses focus', async () => {
      const { page, company, base } = await signIn()
      await page.goto(`${base}/nature_of_business`)
      let commit = () => {}
      const committed = new Promise<void>((resolve) => {
        commit = resolve
      })
      const asked = page.waitForRequest((request) => request.method() === 'POST')
      await page.route('**/nature_of_business', async (route) => {
        await committed
        await route.continue()
      })
      await input(page, 'legal_company_name').fill('Typed Ltd')
      await asked
      expect(await saving(page).textContent()).toBe('Saving…')
      commit()
      await saved(page)
      await page.unroute('**/nature_of_business')
      expect(await sectionOf(company.id)).toMatchObject({ legal_company_name: 'Typed Ltd' })
      await input(page, 'country_of_incorporation').selectOption('PT')
      await page.getByLabel('Yes').first().check()
      await page.goto(`${base}/usage_of_account`)
      await page.getByLabel('Revenue').check()
      await page.getByLabel('Loan').check()
      await saved(page)
      await page.getByLabel('Revenue').uncheck()
      // The page closes before the delay ends.
      await page.getByLabel('Purpose of the account').fill('Written in the last moment')
      await page.close({ runBeforeUnload: false })
      await eventually(async () => {
        const { data } = (await api.get(`/kyb/${company.id}`)).body
        expect(data.usage_of_account).toMatchObject({
          usage: 'Written in the last moment',
          source_of_funds: ['loan'],
        })
        expect(data.nature_of_business).toMatchObject({
          country_of_incorporation: 'PT',
          different_commercial_name: true,
        })
      })
      const { page: other } = await followLink(await open(), company)
      await other.goto(`${base}/usage_of_account`)
      expect(await other.getByLabel('Purpose of the account').inputValue()).toBe('Written in the last moment')
    })

    test('shows a refused value at its field, and saves the others', async () => {
      const { page, company, base } = await signIn()
      await page.goto(`${base}/nature_of_business`)
      const phone = input(page, 'phone')
      await phone.fill('030 123')
      await input(page, 'city_address').fill('Berlin')
      await page.locator('.problem', { hasText: 'enter the number with its country code' }).waitFor()
      await says(page, 'Some changes are not saved')
      await page.locator('#announcement', { hasText: 'Phone number: enter the number' }).waitFor()
      expect(await phone.getAttribute('aria-invalid')).toBe('true')
      expect(await phone.getAttribute('aria-describedby')).toBe(
        'nature_of_business.phone-hint nature_of_business.phone-problem',
      )
      expect(await phone.inputValue()).toBe('030 123')
      await eventually(async () =>
        expect(await sectionOf(company.id)).toMatchObject({ city_address: 'Berlin', phone: null }),
      )
      await expectRightLooks(page, 'refused')
      // The button leads to the problem instead of the next page.
      await page.getByRole('button', { name: 'Save and continue' }).click()
      await page.waitForFunction(() => document.activeElement?.id === 'nature_of_business.phone')
      await phone.fill('+4930123456')
      await page.locator('.problem').waitFor({ state: 'detached' })
      await saved(page)
      expect(await phone.getAttribute('aria-invalid')).toBe(null)
      await page.getByRole('button', { name: 'Save and continue' }).click()
      await page.waitForURL(`${base}/usage_of_account`)
    })

    test('shows a question only while an answer requires it, and keeps its value', async () => {
      const { page, company, base } = await signIn()
      await page.goto(`${base}/usage_of_account`)
      const named = (field: string) => page.locator(`[name="usage_of_account.${field}"]`)
      const [yes, no] = [named('nesting_confirmation').first(), named('nesting_confirmation').last()]
      const why = named('nesting_justification')
      await why.waitFor({ state: 'hidden' })
      await yes.check()
      await why.fill('We collect rents.')
      await why.blur()
      await saved(page)
      await expectRightLooks(page, 'conditional')
      await no.check()
      await why.waitFor({ state: 'hidden' })
      await eventually(async () =>
        expect(await sectionOf(company.id, 'usage_of_account')).toMatchObject({
          nesting_confirmation: false,
          nesting_justification: 'We collect rents.',
        }),
      )
      await page.reload()
      await why.waitFor({ state: 'hidden' })
      await yes.check()
      expect(await why.inputValue()).toBe('We collect rents.')
    })

    test('opens finished groups on a large screen, and closes them on a phone', async () => {
      const { page, company, base } = await signIn()
      await api.patch(`/kyb/${company.id}`, { nature_of_business: completeSections().nature_of_business })
      await page.setViewportSize(SIZES.desk)
      await page.goto(`${base}/nature_of_business`)
      const closed = page.locator('details.group:not([open])')
      await closed.first().waitFor({ state: 'detached' })
      await page.setViewportSize(SIZES.phone)
      await closed.first().waitFor()
      await page.goto(`${base}/nature_of_business#nature_of_business.city_address`)
      await input(page, 'city_address').waitFor()
    })

    test('saves before leaving', async () => {
      const { page, company, base } = await signIn()
      await page.setViewportSize({ width: 1366, height: 768 })
      await page.goto(`${base}/nature_of_business`)
      await input(page, 'city_address').fill('Hamburg')
      await page.getByRole('button', { name: 'Finish later' }).click()
      await page.getByRole('heading', { name: 'Your entries are saved' }).waitFor()
      expect(await sectionOf(company.id)).toMatchObject({ city_address: 'Hamburg' })
    })

    test('saves the latest entry with the button and continues, and shows it when going back', async () => {
      const { page, company, base } = await signIn()
      await page.goto(`${base}/nature_of_business`)
      await input(page, 'legal_company_name').fill('Quick Ltd')
      await page.getByRole('button', { name: 'Save and continue' }).click()
      await page.waitForURL(`${base}/usage_of_account`)
      expect(await sectionOf(company.id)).toMatchObject({ legal_company_name: 'Quick Ltd' })
      await page.goBack()
      expect(await input(page, 'legal_company_name').inputValue()).toBe('Quick Ltd')
      await input(page, 'city_address').fill('Lisbon')
      // The browser does not ask, because the script saves the entry before it follows the link.
      const asked: string[] = []
      page.once('dialog', (dialog) => asked.push(dialog.type()))
      await page.getByRole('link', { name: 'Back', exact: true }).click()
      await page.waitForURL(base)
      expect(await sectionOf(company.id)).toMatchObject({ city_address: 'Lisbon' })
      expect(asked).toEqual([])
      await page.goBack()
      expect(await input(page, 'city_address').inputValue()).toBe('Lisbon')
    })

    test('keeps entries while the API is unavailable, and does not report them as saved', async () => {
      const server = await startServer(gatehouse)
      const { page, company, base } = await followLink(
        await open(),
        await beginForm(gatehouse, server.baseUrl),
      )
      await page.goto(`${base}/nature_of_business`)
      await server.stop()
      await input(page, 'legal_company_name').fill('Offline Ltd')
      await says(page, 'Not saved yet. Trying again')
      await input(page, 'city_address').fill('Porto')
      await expectRightLooks(page, 'away')
      let asked = false
      page.once('dialog', (dialog) => {
        asked = dialog.type() === 'beforeunload'
        return dialog.dismiss()
      })
      await page.getByRole('link', { name: 'Back to overview' }).click()
      await eventually(() => expect(asked).toBe(true))
      const restarted = await server.startAgain()
      await saved(page)
      expect(await sectionOf(company.id)).toMatchObject({
        legal_company_name: 'Offline Ltd',
        city_address: 'Porto',
      })
      await restarted.stop()
    })

    test('works in a browser that was released before 2022', async () => {
      const context = await open()
      await context.addInitScript(() => {
        const young = { AbortSignal: ['timeout', 'any'], Object: ['hasOwn', 'groupBy'] }
        for (const [name, functions] of Object.entries(young))
          for (const each of functions) Reflect.deleteProperty(Reflect.get(globalThis, name), each)
        for (const each of ['at', 'findLast', 'toSorted']) Reflect.deleteProperty(Array.prototype, each)
        for (const name of ['structuredClone', 'CloseWatcher']) Reflect.deleteProperty(globalThis, name)
        for (const each of ['ariaLabel', 'checkVisibility']) Reflect.deleteProperty(Element.prototype, each)
      })
      const { page, company, base } = await followLink(context, await beginForm(gatehouse))
      await page.goto(`${base}/nature_of_business`)
      await input(page, 'legal_company_name').fill('Old Ltd')
      await saved(page)
      await input(page, 'city_address').fill('Porto')
      // Simulates a page in the background.
      await page.evaluate(() => {
        Object.defineProperty(document, 'hidden', { value: true })
        document.dispatchEvent(new Event('visibilitychange'))
      })
      await saved(page)
      await page.getByRole('button', { name: 'Save and continue' }).click()
      await page.waitForURL(`${base}/usage_of_account`)
      expect(await sectionOf(company.id)).toMatchObject({
        legal_company_name: 'Old Ltd',
        city_address: 'Porto',
      })
    })

    test('saves with the button if the script cannot save', async () => {
      const context = await open()
      await context.addInitScript(() => Reflect.deleteProperty(globalThis, 'AbortController'))
      const { page, company, base } = await followLink(context, await beginForm(gatehouse))
      await page.goto(`${base}/nature_of_business`)
      await input(page, 'legal_company_name').fill('Older Ltd')
      await says(page, 'Not saved yet. Trying again')
      await page.getByRole('button', { name: 'Save and continue' }).click()
      await page.waitForURL(`${base}/usage_of_account`)
      expect(await sectionOf(company.id)).toMatchObject({ legal_company_name: 'Older Ltd' })
    })

    test('does not report a conflict if a response is lost', async () => {
      const { page, company, base } = await signIn()
      await page.goto(`${base}/nature_of_business`)
      await page.route('**/nature_of_business', async (route) => {
        if (route.request().method() === 'POST') await route.fetch()
        await route.abort()
      })
      await input(page, 'legal_company_name').fill('First Ltd')
      await says(page, 'Not saved yet. Trying again')
      await input(page, 'legal_company_name').fill('Second Ltd')
      // A request may still be in progress.
      await page.unrouteAll({ behavior: 'wait' })
      await saved(page)
      expect(await page.locator('.problem').count()).toBe(0)
      expect(await sectionOf(company.id)).toMatchObject({ legal_company_name: 'Second Ltd' })
    })

    test('reports a closed review, not an expired session', async () => {
      const { page, company, base } = await signIn()
      await page.goto(`${base}/nature_of_business`)
      await api.post(`/sandbox/kyb/${company.id}/simulate_review`, { outcome: 'rejected' })
      await input(page, 'legal_company_name').fill('Late Ltd')
      await says(page, 'The review is complete')
    })

    test('saves the entries after an expired session is opened in another tab', async () => {
      const context = await open()
      const { page, company, base } = await followLink(context, await beginForm(gatehouse))
      await page.goto(`${base}/nature_of_business`)
      await context.clearCookies()
      await input(page, 'legal_company_name').fill('Late Ltd')
      await says(page, 'Open your link in another tab')
      await expectRightLooks(page, 'session')
      const { page: other } = await followLink(context, company)
      await other.close()
      await page.bringToFront()
      await saved(page)
      expect(await sectionOf(company.id)).toMatchObject({ legal_company_name: 'Late Ltd' })
    })
  })

  describe('two tabs', () => {
    async function twoTabs() {
      const context = await open()
      const { page: first, company, base } = await followLink(context, await beginForm(gatehouse))
      const second = await context.newPage()
      for (const page of [first, second]) await page.goto(`${base}/nature_of_business`)
      await input(first, 'legal_company_name').fill('First Ltd')
      await saved(first)
      return { first, second, company, base }
    }

    test('report a conflict in the later tab, which can keep its value', async () => {
      const { second, company } = await twoTabs()
      await input(second, 'city_address').fill('Berlin')
      await input(second, 'legal_company_name').fill('Second Ltd')
      await second.locator('.problem', { hasText: 'someone else entered “First Ltd”' }).waitFor()
      await says(second, 'Some changes are not saved')
      await expectRightLooks(second, 'conflict')
      expect(await sectionOf(company.id)).toMatchObject({
        legal_company_name: 'First Ltd',
        city_address: 'Berlin',
      })
      await second.getByRole('button', { name: 'Keep my value' }).click()
      await second.locator('.problem').waitFor({ state: 'detached' })
      await saved(second)
      expect(await sectionOf(company.id)).toMatchObject({ legal_company_name: 'Second Ltd' })
    })

    test('can use the value of the other tab, and do not overwrite fields that they did not change', async () => {
      const { first, second, company, base } = await twoTabs()
      await input(second, 'legal_company_name').fill('Second Ltd')
      await second.getByRole('button', { name: 'Use the other value' }).click()
      expect(await input(second, 'legal_company_name').inputValue()).toBe('First Ltd')
      await second.locator('.problem').waitFor({ state: 'detached' })
      await input(first, 'legal_company_name').fill('Third Ltd')
      await saved(first)
      await input(second, 'city_address').fill('Berlin')
      await second.getByRole('button', { name: 'Save and continue' }).click()
      await second.waitForURL(`${base}/usage_of_account`)
      expect(await sectionOf(company.id)).toMatchObject({
        legal_company_name: 'Third Ltd',
        city_address: 'Berlin',
      })
    })

    test('report the conflict in the form without scripts', async () => {
      const { second, company } = await twoTabs()
      await second.evaluate(() => {
        const form = document.querySelector<HTMLFormElement>('form[data-autosave]')
        form?.querySelector('[name$=legal_company_name][type=text]')?.setAttribute('value', 'Second Ltd')
        form?.submit()
      })
      await second.getByRole('alert').getByText('someone else entered “First Ltd”').waitFor()
      expect(await input(second, 'legal_company_name').inputValue()).toBe('Second Ltd')
      await second.getByRole('button', { name: 'Keep my value' }).click()
      await saved(second)
      expect(await sectionOf(company.id)).toMatchObject({ legal_company_name: 'Second Ltd' })
    })

    test('report conflicts in a group of checkboxes', async () => {
      const context = await open()
      const { page: first, company, base } = await followLink(context, await beginForm(gatehouse))
      const second = await context.newPage()
      for (const page of [first, second]) await page.goto(`${base}/usage_of_account`)
      await first.getByLabel('Revenue').check()
      await saved(first)
      await second.getByLabel('Loan').check()
      await second.locator('.problem', { hasText: '“Revenue”' }).waitFor()
      await second.getByRole('button', { name: 'Use the other value' }).click()
      expect(await second.getByLabel('Revenue').isChecked()).toBe(true)
      expect(await second.getByLabel('Loan').isChecked()).toBe(false)
      expect((await sectionOf(company.id, 'usage_of_account')).source_of_funds).toEqual(['revenue'])
    })
  })

  describe('documents', () => {
    const TITLE = 'Articles of association'
    const list = (page: Page) => documentRow(page, TITLE)
    const chosen = (page: Page) => list(page).locator('input[type=file]').first()
    /** Returns a function that returns the texts which screen readers have read since then. */
    async function hear(page: Page) {
      const texts = await page.evaluateHandle(() => {
        const heard: (string | null)[] = []
        const observer = new MutationObserver((records) =>
          heard.push(...records.flatMap(({ addedNodes }) => [...addedNodes].map((node) => node.textContent))),
        )
        observer.observe(document.getElementById('announcement') as HTMLElement, { childList: true })
        return heard
      })
      return () => texts.jsonValue()
    }
    const attached = async (id: string): Promise<string[]> =>
      (await sectionOf(id, 'business_files')).articles_of_association.map(
        ({ name }: { name: string }) => name,
      )

    test('are uploaded from the dialog and by drag and drop, with errors for refused files', async () => {
      const { page, company, base } = await signIn()
      await page.goto(`${base}/business_files`)
      const said = await hear(page)
      await chosen(page).setInputFiles([
        pdf('one.pdf'),
        pdf('two.pdf', pdfOf('Two')),
        { name: 'three.png', mimeType: 'image/png', buffer: PNG },
        pdf('large.pdf', Buffer.alloc(11 * 1024 * 1024)),
        { name: 'word.docx', mimeType: 'application/msword', buffer: Buffer.from('word') },
        pdf('false.pdf', Buffer.from('<html>')),
      ])
      const row = (name: string) => list(page).locator('.uploads li', { hasText: name })
      const refused = [
        ['large.pdf', 'Choose a file of at most 10\u00a0MB'],
        ['word.docx', 'Choose a PDF, JPEG or PNG file'],
        ['false.pdf', 'Choose a PDF, JPEG or PNG file'],
      ] as const
      for (const [name, text] of refused)
        await row(name)
          .getByText(new RegExp(`^${text}`))
          .waitFor()
      // The list states its label. Screen readers also read the name of the file.
      expect(await said()).toEqual(
        expect.arrayContaining(refused.map(([name, text]) => expect.stringContaining(`${name}: ${text}`))),
      )
      await list(page).locator('img.thumbnail').waitFor()
      await expect.poll(() => list(page).locator('.files li').count()).toBe(3)
      await row('large.pdf').getByText('Not accepted').first().waitFor({ state: 'attached' })
      for (const name of ['large.pdf', 'word.docx'])
        await row(name)
          .getByRole('button', { name: `Remove ${name}` })
          .click()
      await row('word.docx').waitFor({ state: 'detached' })
      const files = await page.evaluateHandle(() => {
        const transfer = new DataTransfer()
        for (const name of ['four.pdf', 'five.pdf'])
          transfer.items.add(new File([`%PDF-1.4 ${name}`], name, { type: 'application/pdf' }))
        return transfer
      })
      await list(page).dispatchEvent('dragover', { dataTransfer: files })
      expect(await list(page).getAttribute('class')).toContain('over')
      await list(page).dispatchEvent('drop', { dataTransfer: files })
      await expect.poll(() => list(page).locator('.files li').count()).toBe(5)
      // The next upload also removes the refused ones.
      expect(await list(page).locator('.upload-refused').count()).toBe(0)
      expect((await attached(company.id)).sort()).toEqual([
        'five.pdf',
        'four.pdf',
        'one.pdf',
        'three.png',
        'two.pdf',
      ])
      // On a phone, the size is hidden.
      await list(page)
        .locator('.files li', { hasText: 'five.pdf' })
        .getByText('1 kB')
        .waitFor({ state: 'attached' })
      await expectRightLooks(page, 'uploaded')
    })

    test('are uploaded again after an interruption, and stored once', async () => {
      const { page, company, base } = await signIn()
      await page.goto(`${base}/business_files`)
      await page.route('**/files/articles_of_association', async (route) => {
        // The file arrives and is stored, but the response is lost.
        await route.fetch()
        await route.abort('connectionreset')
      })
      await chosen(page).setInputFiles([pdf('once.pdf')])
      await list(page).getByText('The upload was interrupted. Your file is kept').waitFor()
      // The applicant can also give the file up.
      await list(page).getByRole('button', { name: 'Remove once.pdf' }).waitFor()
      await expectRightLooks(page, 'interrupted')
      await page.unroute('**/files/articles_of_association')
      await list(page).getByRole('button', { name: 'Try again: once.pdf' }).click()
      await list(page).locator('.uploads li').waitFor({ state: 'detached' })
      await list(page).locator('.files li', { hasText: 'once.pdf' }).waitFor()
      await chosen(page).setInputFiles([pdf('once.pdf')])
      await list(page).locator('.uploads').getByText('Not added. The list').waitFor()
      await expectRightLooks(page, 'known')
      expect(await attached(company.id)).toEqual(['once.pdf'])
    })

    test('show the progress of 10 MB over a slow connection, can be cancelled, and resume by themselves', async () => {
      const server = await startServer(gatehouse)
      const context = await open()
      const { page, company, base } = await followLink(context, await beginForm(gatehouse, server.baseUrl))
      await page.goto(`${base}/business_files`)
      const speed = await limitUploads(page)
      // The uploads take longer than the checks.
      await speed(256 * 1024)
      const large = (name: string, fill: string) =>
        pdf(name, Buffer.concat([Buffer.from('%PDF-1.4\n'), Buffer.alloc(10 * 1024 * 1024 - 9, fill)]))
      await chosen(page).setInputFiles([large('large.pdf', 'a'), large('unwanted.pdf', 'b')])
      const bar = list(page).locator('progress').first()
      const share = () => bar.evaluate((each) => (each as HTMLProgressElement).value)
      await expect.poll(share).toBeGreaterThan(0.1)
      await expectRightLooks(page, 'sending')
      await list(page).getByRole('button', { name: 'Remove unwanted.pdf' }).click()
      await server.stop()
      await list(page).getByText('Interrupted').waitFor()
      const restarted = await server.startAgain()
      await speed(-1)
      await context.setOffline(true)
      await context.setOffline(false)
      await list(page).locator('.files li', { hasText: 'large.pdf' }).getByText('10.5 MB').waitFor()
      expect(await attached(company.id)).toEqual(['large.pdf'])
      await restarted.stop()
    })
  })

  describe('the sides of an identity card', () => {
    const openOwner = async (options: Parameters<typeof open>[0] = {}) => {
      const { page, company, base } = await signIn(options)
      await api.patch(`/kyb/${company.id}`, completeSections())
      const ownerOf = async () =>
        (await api.get(`/kyb/${company.id}`)).body.data.beneficiaries.beneficiaries_list[0]
      await page.goto(`${base}/owners/${(await ownerOf()).external_id}/upload`)
      const slot = (side: string) => page.locator(`.slot[id$="-${side}"]`)
      const names = async (): Promise<string[]> =>
        (await ownerOf()).beneficiary_identification.map(({ name }: { name: string }) => name)
      return { page, slot, chip: page.locator('.person-head > .chip'), names }
    }
    const image = (name: string, color: string) =>
      sharp({ create: { width: 800, height: 500, channels: 3, background: color } })
        .png()
        .toBuffer()
        .then((buffer) => ({ name, mimeType: 'image/png', buffer }))
    const fileOf = (place: Locator) => place.locator('input[type="file"]')

    test('are added next to each other, and the status names the missing one', async () => {
      const { page, slot, chip, names } = await openOwner()
      expect(await chip.textContent()).toBe('ID needed')
      await expectRightLooks(page, 'sides-none')
      await fileOf(slot('front')).setInputFiles([await image('front.png', 'teal')])
      await slot('front').locator('.slot-file').waitFor()
      await chip.filter({ hasText: 'Back needed' }).waitFor()
      await slot('front').locator('img.thumbnail').waitFor()
      await page.getByRole('button', { name: 'This is a passport' }).waitFor()
      await expectRightLooks(page, 'sides-front')
      await fileOf(slot('front')).setInputFiles([await image('front again.png', 'navy')])
      await slot('front').locator('.slot-file', { hasText: 'front again.png' }).waitFor()
      await fileOf(slot('back')).setInputFiles([await image('back.png', 'gray')])
      await chip.filter({ hasText: 'ID added' }).waitFor()
      await slot('back').locator('.slot-file').waitFor()
      await expect.poll(() => page.locator('.slot img.thumbnail').count()).toBe(2)
      expect(await names()).toEqual(['front again.png', 'back.png'])
      await expectRightLooks(page, 'sides-both')
    })

    test('are added at the same time, and a refused file keeps its message', async () => {
      const { page, slot, chip, names } = await openOwner()
      await Promise.all([
        fileOf(slot('front')).setInputFiles([await image('front.png', 'teal')]),
        fileOf(slot('back')).setInputFiles([{ ...pdf('no.docx'), mimeType: 'application/msword' }]),
      ])
      await slot('front').locator('.slot-file').waitFor()
      await slot('back').getByText('choose a PDF, JPEG or PNG file').waitFor()
      await fileOf(slot('back')).setInputFiles([await image('back.png', 'gray')])
      await chip.filter({ hasText: 'ID added' }).waitFor()
      expect((await names()).sort()).toEqual(['back.png', 'front.png'])
      expect(await page.locator('.upload').count()).toBe(0)
    })

    test('are not needed for a passport, wherever it is added', async () => {
      const { page, slot, chip, names } = await openOwner()
      await fileOf(slot('front')).setInputFiles([await image('passport.png', 'maroon')])
      await page.getByRole('button', { name: 'This is a passport' }).click()
      await chip.filter({ hasText: 'ID added' }).waitFor()
      expect(await page.locator('.slot').count()).toBe(1)
      await page.locator('.slot summary').click()
      await page.getByRole('button', { name: 'Remove passport.png' }).click()
      await chip.filter({ hasText: 'ID needed' }).waitFor()
      await page.getByRole('link', { name: 'Upload the ID card' }).click()
      await slot('back').waitFor()
      await page.getByRole('link', { name: 'Upload the passport' }).click()
      await slot('back').waitFor({ state: 'detached' })
      await expectRightLooks(page, 'sides-whole')
      await fileOf(page.locator('.slot')).setInputFiles([await image('whole.png', 'olive')])
      await chip.filter({ hasText: 'ID added' }).waitFor()
      expect(await page.locator('.slot').count()).toBe(1)
      expect(await names()).toEqual(['whole.png'])
      await expectRightLooks(page, 'sides-passport')
    })

    test('can be taken as photos on a phone', async () => {
      const { page, slot, chip } = await openOwner({ hasTouch: true, isMobile: true })
      const input = fileOf(slot('front'))
      const settings = () =>
        input.evaluate((element) =>
          ['accept', 'capture', 'data-opened'].map((name) => element.getAttribute(name)),
        )
      const [accept] = await settings()
      await input.evaluate((element) =>
        element.addEventListener('click', () => {
          element.dataset.opened = ['accept', 'capture'].map((name) => element.getAttribute(name)).join(' ')
        }),
      )
      const opened = page.waitForEvent('filechooser')
      await slot('front').getByRole('button', { name: 'Take photo' }).click()
      await (await opened).setFiles([await image('image.png', 'teal')])
      expect(await settings()).toEqual([accept, null, 'image/jpeg,image/png environment'])
      await chip.filter({ hasText: 'Back needed' }).waitFor()
      await slot('back').getByText('Take photo').waitFor()
      await expectRightLooks(page, 'sides-camera')
    })
  })

  test('asks before leaving a partly completed form for a person', async () => {
    const { page, base } = await signIn()
    await page.goto(`${base}/owners/new`)
    let asked = 0
    page.on('dialog', (dialog) => {
      asked += 1
      return dialog.dismiss()
    })
    await page.getByLabel('Full name').fill('Ada Lovelace')
    await page.locator('.languages > summary').click()
    for (const [n, name] of ['Back', 'Deutsch'].entries()) {
      await page.getByRole('link', { name, exact: true }).click()
      await eventually(() => expect(asked).toBe(n + 1))
    }
    await page.getByLabel('Email').fill('ada@example.com')
    await page.getByRole('button', { name: 'Save and continue' }).click()
    await page.getByRole('link', { name: 'Ada Lovelace', exact: true }).waitFor()
    expect(asked).toBe(2)
  })

  test('keeps the form for a person while the browser is offline', async () => {
    const { page, company, base } = await signIn()
    await page.goto(`${base}/owners/new`)
    await page.getByLabel('Full name').fill('Ada Lovelace')
    await page.getByLabel('Email').fill('ada@example.com')
    await page.context().setOffline(true)
    await page.getByRole('button', { name: 'Save and continue' }).click()
    await says(page, 'You are offline')
    expect(await page.getByLabel('Full name').inputValue()).toBe('Ada Lovelace')
    await page.context().setOffline(false)
    await page.getByRole('button', { name: 'Save and continue' }).click()
    await page.getByRole('link', { name: 'Ada Lovelace', exact: true }).waitFor()
    // Other people are one press from the place for their ID.
    const people = ['b', 'c'].map((name) => ({
      ...completeSections().beneficiaries.beneficiaries_list[0],
      email: `${name}@example.com`,
      full_name: `Owner ${name}`,
    }))
    await api.patch(`/kyb/${company.id}`, { beneficiaries: { beneficiaries_list: people } })
    await page.goto(`${base}/beneficiaries`)
    await page.getByRole('article').filter({ hasText: 'Owner c' }).getByText('ID needed').click()
    await page.getByRole('heading', { name: 'How will Owner c prove their identity?' }).waitFor()
  })

  test.each([
    ['UK', 'GB', 'United Kingdom'],
    ['usa', 'US', 'United States'],
    ['Germany', 'DE', 'Germany'],
  ])('finds the country that people call %s, also if the browser fills it in', async (typed, code, name) => {
    const { page, base } = await signIn()
    await page.goto(`${base}/nature_of_business`)
    const country = page.getByRole('combobox', { name: 'Country', exact: true })
    expect(await country.getAttribute('autocomplete')).toBe('country-name')
    await country.evaluate((each, text) => {
      const input = each as HTMLInputElement
      input.value = text
      for (const event of ['input', 'change']) input.dispatchEvent(new Event(event, { bubbles: true }))
    }, typed)
    expect(await country.inputValue()).toBe(name)
    expect(await input(page, 'country_address').inputValue()).toBe(code)
    await saved(page)
  })

  test('opens links in a new tab while an entry is being saved', async () => {
    const notice = 'https://privacy.example/notice'
    const { vaultId } = gatehouse
    const operator = await gatehouse.operator()
    await operator.patch(`/vaults/${vaultId}`, { privacy_url: notice })
    onTestFinished(async () => {
      expect((await operator.patch(`/vaults/${vaultId}`, { privacy_url: null })).status).toBe(200)
    })
    const { page, base } = await signIn()
    const context = page.context()
    await context.route(notice, (route) => route.fulfill({ body: 'Privacy notice' }))
    await page.goto(`${base}/nature_of_business`)
    await page.route('**/nature_of_business', () => {})
    await input(page, 'legal_company_name').fill('Typed Ltd')
    const opened = context.waitForEvent('page')
    await page.getByRole('link', { name: 'Privacy' }).click()
    await (await opened).waitForURL(notice)
    expect(page.url()).toBe(`${base}/nature_of_business`)
  })

  test('shows and copies a person’s link, and shows its QR code', async () => {
    const context = await open({ permissions: ['clipboard-read', 'clipboard-write'] })
    const { page, company, base } = await followLink(context, await beginForm(gatehouse))
    await api.patch(`/kyb/${company.id}`, completeSections())
    const { data } = (await api.get(`/kyb/${company.id}`)).body
    const [{ external_id, link }] = data.beneficiaries.beneficiaries_list
    await page.goto(`${base}/owners/${external_id}/link`)
    expect(await page.getByLabel('Link for Ada Lovelace').inputValue()).toBe(link)
    await page.getByRole('button', { name: 'Copy' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(link)
    await page.getByText('Show QR code').click()
    const code = page.getByAltText('QR code with the link for Ada Lovelace')
    await expect
      .poll(() => code.evaluate((each) => (each as HTMLImageElement).naturalWidth))
      .toBeGreaterThan(0)
    await expectRightLooks(page, 'own-link')
  })

  test('shares a person’s link only on devices that can share', async () => {
    const { page, company, base } = await signIn()
    await api.patch(`/kyb/${company.id}`, completeSections())
    const { data } = (await api.get(`/kyb/${company.id}`)).body
    const [{ external_id, link }] = data.beneficiaries.beneficiaries_list
    const button = page.locator('[data-share]')
    await page.addInitScript(() => {
      Object.defineProperty(Navigator.prototype, 'share', { value: undefined, writable: true })
    })
    await page.goto(`${base}/owners/${external_id}/link`)
    expect(await button.isHidden()).toBe(true)
    await page.addInitScript(() => {
      Navigator.prototype.share = async (shared) => {
        document.body.dataset.shared = JSON.stringify(shared)
        // A person who closes the menu is not an error.
        throw new DOMException('Closed', 'AbortError')
      }
    })
    const errors: Error[] = []
    page.on('pageerror', (error) => errors.push(error))
    await page.reload()
    await button.click()
    const shared = JSON.parse((await page.locator('body').getAttribute('data-shared')) ?? '')
    expect(shared).toEqual({ title: expect.stringMatching(/./), url: link })
    expect(errors).toEqual([])
  })

  test('shows the outcome at the end without a reload', async () => {
    const { page, company, base } = await signIn()
    await api.patch(`/kyb/${company.id}`, completeSections())
    for (const attribute of [
      'incorporation_certificates',
      'articles_of_association',
      'shareholders_registers',
      'directors_registers',
      'evidence_of_ubos',
    ])
      expect((await api.upload(company.id, { attribute })).status).toBe(201)
    const identity = { attribute: 'beneficiary_identification', email: 'ada@example.com' }
    expect((await api.upload(company.id, identity)).status).toBe(201)
    await page.goto(`${base}/done`)
    await page.getByRole('heading', { name: 'Your form is submitted' }).waitFor()
    await page.getByRole('link', { name: 'Refresh status' }).waitFor()
    await page.getByRole('link', { name: 'Change details' }).waitFor()
    await expectRightLooks(page, 'waiting')
    const operator = await gatehouse.operator()
    const decision = { outcome: 'approved', reason_code: 'complete' }
    expect((await operator.post(`/kyb/${company.id}/decision`, decision)).status).toBe(200)
    const title = 'Analytical Engines Ltd is verified'
    await page.getByRole('heading', { name: title }).waitFor()
    await page.getByRole('status').filter({ hasText: title }).waitFor({ state: 'attached' })
    expect(await page.title()).toBe(title)
    await page.getByRole('region', { name: 'Next steps' }).getByText('can close this page').waitFor()
    await expectRightLooks(page, 'company-approved')
  })

  test('shows the reason and the options after a rejection', async () => {
    const { page, company, base } = await signIn()
    await api.patch(`/kyb/${company.id}`, completeSections())
    const operator = await gatehouse.operator()
    const decision = {
      outcome: 'rejected',
      reason_code: 'other',
      client_comment: 'The register shows another owner.',
    }
    expect((await operator.post(`/kyb/${company.id}/decision`, decision)).status).toBe(200)
    await page.goto(base)
    await page.getByRole('heading', { name: 'Analytical Engines Ltd could not be verified' }).waitFor()
    await page.getByText(/^Decided on \d/).waitFor()
    await page.getByRole('region', { name: 'Reason' }).getByText('another owner').waitFor()
    await expectRightLooks(page, 'company-rejected')
    const options = page.getByRole('region', { name: 'Next steps' })
    expect(await options.getByRole('link').allTextContents()).toEqual([
      'Request another reviewIf you think that the result is a mistake',
      'Request your dataA copy, or the correction of wrong details',
    ])
    await page.getByText('Questions? Write to help@vault.example.').waitFor()
    await page.getByRole('link', { name: 'Write to First vault' }).waitFor()
    await page.getByText('Submitted details').click()
    await page.locator('.result-values').getByText('HRB 1842').waitFor()
  })
})
