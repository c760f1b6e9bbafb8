/** Tests a company's form in a real browser without scripts, from the link to the outcome. */
import type { BrowserContext, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { missingBrowser } from '../../dev/browser.ts'
import { describeUnless } from '../support/available.ts'
import {
  beginForm,
  documentRow,
  expectRightLooks,
  pdf,
  SIZES,
  setSupportEmail,
  signInTo,
  useBrowser,
} from '../support/browser-page.ts'
import { beginCompany, startForm } from '../support/hosted-page.ts'
import { addVault, sharedInstance, unique } from '../support/instance.ts'
import { completeSections, UBO, uploadRequired } from '../support/kyb.ts'
import { logoPng } from '../support/logo.ts'
import { pdfOf } from '../support/pdf.ts'

const gatehouse = await sharedInstance({ worker: true })
await setSupportEmail(gatehouse)

const { api } = gatehouse

const hostedCompany = () => beginForm(gatehouse)

describeUnless(await missingBrowser(), 'in a browser', () => {
  const openContext = useBrowser()
  const open = (options: Parameters<typeof openContext>[0] = {}) =>
    openContext({ javaScriptEnabled: false, ...options })

  /** Fills in each control according to its type, and saves. */
  async function fill(page: Page, section: string, values: Record<string, unknown>): Promise<void> {
    for (const [field, value] of Object.entries(values)) {
      const named = page.locator(`[name="${section}.${field}"]`)
      if (typeof value === 'boolean') await named.and(page.locator(`[value="${value}"]`)).check()
      else if (Array.isArray(value))
        for (const each of value) await named.and(page.locator(`[value="${each}"]`)).check()
      else if ((await named.evaluate((element) => element.tagName)) === 'SELECT')
        await named.selectOption(String(value).split(','))
      else await named.fill(String(value))
    }
    await submit(page, 'Save and continue')
  }

  /** Presses the button, and waits for the next page. Otherwise, a later navigation may cancel the request. */
  const submit = (page: Page, name: string) =>
    Promise.all([page.waitForEvent('load'), page.getByRole('button', { name }).click()])

  const signIn = (context: BrowserContext) => signInTo(gatehouse, context)

  async function upload(page: Page, title: string): Promise<void> {
    const part = documentRow(page, title)
    await part.locator('input[type=file]').setInputFiles(pdf(`${title}.pdf`))
    await part.getByRole('button', { name: /^Upload file/ }).click()
    await page.locator('.files', { hasText: `${title}.pdf` }).waitFor()
  }

  test('leads from the link to the outcome', async () => {
    const context = await open()
    const { page, company, base } = await signIn(context)
    const sections = completeSections()
    await page.getByRole('link', { name: 'Continue' }).click()
    await fill(page, 'nature_of_business', sections.nature_of_business)
    expect(page.url()).toBe(`${base}/usage_of_account`)
    await fill(page, 'usage_of_account', sections.usage_of_account)
    const [ada] = sections.beneficiaries.beneficiaries_list
    await fill(page, 'beneficiaries.beneficiaries_list.new', ada ?? {})
    await fill(page, 'beneficiaries', { shareholders_confirmation: true })
    await fill(page, 'business_files', sections.business_files)
    await page.goto(`${base}/business_files`)
    await upload(page, 'Commercial register extract')
    await page.goto(`${base}/check`)
    for (const title of [
      'Articles of association',
      'Register of shareholders',
      'Register of directors',
      'Proof of ownership',
    ]) {
      // Each missing document has a link to its place.
      await page.getByRole('link', { name: new RegExp(`^Add ?: ${title}`) }).click()
      await upload(page, title)
      await page.goto(`${base}/check`)
    }
    // Missing items name the person and link to the field.
    await page.getByRole('link', { name: 'Ada Lovelace: ID missing' }).click()
    await upload(page, 'Front of the ID card')
    await page.goto(`${base}/check`)
    await page.getByRole('button', { name: 'Submit for review' }).click()
    await page.getByRole('heading', { name: 'Your form is submitted' }).waitFor()
    const { body } = await api.get(`/kyb/${company.id}`)
    expect(body.data.status).toEqual({ completed: true, processed: false })
    expect(body.data.nature_of_business).toMatchObject(sections.nature_of_business)
    expect(body.data.usage_of_account).toMatchObject(sections.usage_of_account)
    const roles = expect.arrayContaining(ada?.roles ?? [])
    expect(body.data.beneficiaries.beneficiaries_list).toMatchObject([{ ...ada, email: UBO, roles }])

    const operator = await gatehouse.operator()
    const decision = { outcome: 'approved', reason_code: 'complete', client_comment: 'Welcome.' }
    expect((await operator.post(`/kyb/${company.id}/decision`, decision)).status).toBe(200)
    await page.goto(base)
    await page.getByRole('heading', { name: 'Analytical Engines Ltd is verified' }).waitFor()
    await page.getByText('Welcome.').waitFor()
    await page.getByText('Submitted details').click()
    await page.getByText('Analytical Engines Ltd', { exact: true }).waitFor()
    expect(await page.getByRole('button').count()).toBe(0)
  })

  test('shows all problems next to their fields, and keeps the entries', async () => {
    const context = await open()
    const { page, company, base } = await signIn(context)
    await page.goto(`${base}/nature_of_business`)
    await fill(page, 'nature_of_business', {
      legal_company_name: 'Ünïcode & Sons <b>',
      phone: '030 123',
      website: 'example',
    })
    await page.getByRole('alert').getByRole('link').first().waitFor()
    expect(await page.getByRole('alert').getByRole('link').allTextContents()).toEqual([
      'Website: enter a web address, such as https://example.com',
      'Phone number: enter the number with its country code, such as +49 30 123456',
    ])
    expect(await page.title()).toBe('Error: Company details')
    // A link to a field also shows its label and problem.
    await page.getByRole('alert').getByRole('link').last().click()
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('nature_of_business.phone')
    await page.waitForFunction(() => {
      const label = document.querySelector('label[for="nature_of_business.phone"]')
      return (label?.getBoundingClientRect().top ?? -1) >= 0
    })
    for (const [field, value] of [
      ['legal_company_name', 'Ünïcode & Sons <b>'],
      ['phone', '030 123'],
    ])
      expect(await page.locator(`[name="nature_of_business.${field}"]`).inputValue()).toBe(value)
    const { body } = await api.get(`/kyb/${company.id}`)
    expect(body.data.nature_of_business.legal_company_name).toBe(null)
  })

  test('closes finished groups only on a phone', async () => {
    const { page, company, base } = await signIn(await open())
    await api.patch(`/kyb/${company.id}`, { nature_of_business: completeSections().nature_of_business })
    await page.goto(`${base}/nature_of_business`)
    const city = page.getByLabel('City')
    await city.waitFor({ state: 'hidden' })
    await page.getByText('Invalidenstr. 1, 10115 Berlin, Germany').waitFor()
    await page.getByRole('heading', { name: 'Address' }).click()
    await city.waitFor()
    await page.reload()
    await page.setViewportSize(SIZES.desk)
    await city.waitFor()
    // The inputs of a pair align, although one has a hint.
    const topOf = (label: string) =>
      page.getByLabel(label).evaluate((each) => each.getBoundingClientRect().top)
    expect(await topOf('Registration number')).toBe(await topOf('Date of registration'))
    await api.patch(`/kyb/${company.id}`, { nature_of_business: { city_address: null } })
    await page.setViewportSize(SIZES.phone)
    await page.reload()
    await city.waitFor()
  })

  test('shows a requested change at its field', async () => {
    const context = await open()
    const { page, company, base } = await signIn(context)
    await api.patch(`/kyb/${company.id}`, completeSections())
    const operator = await gatehouse.operator()
    const decision = {
      outcome: 'revision_requested',
      reason_code: 'information_mismatch',
      client_comment: 'The register says another name.',
      fields: ['nature_of_business.legal_company_name'],
    }
    expect((await operator.post(`/kyb/${company.id}/decision`, decision)).status).toBe(200)
    await page.goto(base)
    // The missing ID and documents count, too.
    await page.getByRole('heading', { name: '7 changes to make' }).waitFor()
    expect(await page.locator('.fix-row').count()).toBe(7)
    expect(await page.locator('.task-row').first().textContent()).toContain('1 to fix')
    await page.getByRole('link', { name: 'Fix the next one' }).click()
    const described = page.getByLabel('Legal name of the company')
    expect(await described.getAttribute('aria-describedby')).toContain('comment')
    await page.getByText('The register says another name.').waitFor()
    // Only the field of the change is open, and one button saves it.
    expect(await page.getByLabel('Phone number').isVisible()).toBe(false)
    expect(await page.getByRole('button', { name: /^Save (?!and leave)/ }).allTextContents()).toEqual([
      'Save this fix',
    ])
    await page.getByText('Other details').click()
    await page.getByLabel('Phone number').waitFor()
    await page.goto(`${base}/check`)
    await page.getByRole('link', { name: 'Legal name of the company' }).waitFor()
    const submit = page.getByRole('button', { name: 'Submit again' })
    expect(await submit.getAttribute('aria-disabled')).toBe('true')
    expect(await page.locator('form', { has: submit }).count()).toBe(0)
  })

  test('refuses a wrong password, and a missing one', async () => {
    const company = await hostedCompany()
    const context = await open()
    const page = await context.newPage()
    await page.goto(company.url)
    await page.getByLabel('Password').fill('guessed')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('alert').getByText('The password is wrong').waitFor()
    const { base } = await signIn(context)
    const stranger = await open()
    const other = await stranger.newPage()
    expect((await other.goto(base))?.status()).toBe(401)
    await Promise.all([context.close(), stranger.close()])
  })

  test('shows next to the list that a file is not a document or is too large', async () => {
    const context = await open()
    const { page, base } = await signIn(context)
    await page.goto(`${base}/business_files`)
    const part = documentRow(page, 'Articles of association')
    const choose = async (buffer: Buffer) => {
      const file = { name: 'articles.pdf', mimeType: 'application/pdf', buffer }
      await part.locator('input[type=file]').setInputFiles(file)
      await part.getByRole('button', { name: /^Upload file/ }).click()
    }
    await choose(Buffer.from('<html>'))
    await part.locator('.problem', { hasText: 'Choose a PDF, JPEG or PNG file' }).waitFor()
    const large = Buffer.concat([Buffer.from('%PDF-1.4\n'), Buffer.alloc(11 * 1024 * 1024)])
    await choose(large)
    const advice = part.locator('.problem', { hasText: 'A lower resolution or fewer pages make it smaller' })
    await advice.waitFor()
    const refused = part.getByText('Not accepted').first()
    await refused.waitFor({ state: 'attached' })
    await choose(pdfOf('Articles'))
    const added = part.getByText('Added').first()
    await added.waitFor({ state: 'attached' })
    expect(await page.locator('.problem').count()).toBe(0)
    const menu = part.getByLabel('More actions for Articles of association')
    await menu.click()
    await choose(large)
    // The document remains added. The link leads to its row, and does not open its menu.
    await page.getByRole('alert').getByRole('link').click()
    await expect
      .poll(() =>
        part.evaluate((row) => row.getBoundingClientRect().top >= 0 && row === document.activeElement),
      )
      .toBe(true)
    await advice.waitFor()
    await added.waitFor({ state: 'attached' })
    expect(await refused.count()).toBe(0)
    expect(await part.locator('details[open]').count()).toBe(0)
    await menu.click()
    await part.getByRole('button', { name: 'Remove articles.pdf' }).click()
    await part.getByText('Signed and in force').waitFor()
  })

  test('changes a person, and removes one after confirmation', async () => {
    const context = await open()
    const { page, company, base } = await signIn(context)
    await page.goto(`${base}/owners/new`)
    const prefix = 'beneficiaries.beneficiaries_list.new'
    await fill(page, prefix, { full_name: 'Ada Lovelace', email: 'ada@example.com' })
    await page.goto(`${base}/owners/new`)
    await fill(page, prefix, { full_name: 'Grace Hopper', email: 'ADA@example.com' })
    await page.getByRole('alert').getByText('Another person has this email address').waitFor()
    await page.goto(`${base}/beneficiaries`)
    await page.getByRole('link', { name: 'Ada Lovelace', exact: true }).click()
    await page.getByLabel('Full name').fill('Ada King')
    await page.getByRole('button', { name: 'Save and continue' }).click()
    await page.getByLabel('More actions for Ada King').click()
    await page.getByRole('link', { name: 'Remove Ada King' }).click()
    await page.getByRole('button', { name: 'Remove Ada King' }).click()
    await page.getByText('No people yet').waitFor()
    await page.goto(`${base}/owners/new`)
    await page.getByText('If a company is an owner').waitFor()
    const { body } = await api.get(`/kyb/${company.id}`)
    expect(body.data.beneficiaries.beneficiaries_list).toEqual([])
  })

  test.each(['en', 'de'])('has accessible pages that fit the screen in %s', async (language) => {
    const { page, company, base } = await signIn(await open({ javaScriptEnabled: true }))
    await api.patch(`/kyb/${company.id}`, completeSections())
    const { body } = await api.get(`/kyb/${company.id}`)
    const [person] = body.data.beneficiaries.beneficiaries_list
    const pages: Record<string, string> = {
      opening: company.url,
      overview: base,
      company: `${base}/nature_of_business`,
      usage: `${base}/usage_of_account`,
      owners: `${base}/beneficiaries`,
      link: `${base}/owners/${person.external_id}/link`,
      upload: `${base}/owners/${person.external_id}/upload`,
      owner: `${base}/owners/${person.external_id}`,
      remove: `${base}/owners/${person.external_id}/remove`,
      documents: `${base}/business_files`,
      check: `${base}/check`,
      done: `${base}/done`,
      // Ends the session.
      leave: `${base}/leave`,
    }
    for (const [name, url] of Object.entries(pages)) {
      await page.goto(`${url}?language=${language}`)
      await expectRightLooks(page, `company-${name}-${language}`, language === 'de')
    }
  })

  test('disputes a finding by keyboard on accessible pages', async () => {
    const { page, company, base } = await signIn(await open({ javaScriptEnabled: true }))
    await api.patch(`/kyb/${company.id}`, completeSections())
    const files = await uploadRequired(api, company.id)
    const city = 'nature_of_business.city_address'
    const findings = [
      { path: city, code: 'mismatch', comment: 'The register says another town.' },
      {
        path: 'business_files.articles_of_association',
        file_id: files.articles_of_association,
        code: 'expired',
      },
    ]
    const asked = {
      outcome: 'revision_requested',
      reason_code: 'other',
      client_comment: 'The rest is fine.',
      findings,
    }
    const operator = await gatehouse.operator()
    expect((await operator.post(`/kyb/${company.id}/decision`, asked)).status).toBe(200)
    await page.goto(base)
    await expectRightLooks(page, 'company-revision')
    await page.goto(`${base}/nature_of_business`)
    expect(await page.locator('.fix .comment').textContent()).toBe(
      'Correct this item. It does not match the other details.\n“The register says another town.”',
    )
    await expectRightLooks(page, 'company-fix')
    await page.getByRole('link', { name: 'This is already correct' }).focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(`${base}/replies?path=${city}`)
    await page.getByLabel('Your reply to the reviewer').focus()
    await page.keyboard.type('It moved in May.')
    await expectRightLooks(page, 'finding-reply')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByText('Replied').first().waitFor()
    await page.goto(`${base}/check`)
    await page.locator('[aria-labelledby="replies-title"] p', { hasText: 'It moved in May.' }).waitFor()
    await expectRightLooks(page, 'finding-replied')
    await page.goto(`${base}/business_files`)
    await expectRightLooks(page, 'finding-document')
    const { body: now } = await operator.get(`/kyb/${company.id}`)
    expect(now.data.review.replies).toMatchObject([{ path: city, reply: 'It moved in May.' }])

    const other = await signIn(await open({ javaScriptEnabled: true }))
    for (const section of ['usage_of_account', 'business_files', 'beneficiaries']) {
      await other.page.goto(`${other.base}/${section}`)
      await other.page.getByRole('button', { name: 'Save and continue' }).click()
      await other.page.waitForURL((url) => !url.pathname.endsWith(section))
      await expectRightLooks(other.page, `after-${section}`)
    }
  })

  test('remains accessible with the branding of a vault', async () => {
    const vault = await brandedVault()
    const context = await open({ javaScriptEnabled: true })
    const page = await context.newPage()
    const { link, password } = await beginCompany(vault, unique())
    const { base, headers } = await startForm(gatehouse.baseUrl, { link, password })
    const [name = '', value = ''] = headers.Cookie.split('=')
    await context.addCookies([{ name, value, url: gatehouse.baseUrl }])
    const pages = { link, overview: base, section: `${base}/nature_of_business`, check: `${base}/check` }
    for (const [about, path] of Object.entries(pages)) {
      await page.goto(gatehouse.baseUrl + path)
      const logo = page.getByRole('img', { name: 'Engines & Sons' })
      expect(
        await logo.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth),
      ).toBe(480)
      for (const [colorScheme, color] of [
        ['light', 'rgb(200, 68, 30)'],
        ['dark', 'rgb(200, 111, 90)'],
      ] as const) {
        await page.emulateMedia({ colorScheme })
        expect(await page.locator('footer a').first().evaluate(colorOf)).toBe(color)
      }
      await expectRightLooks(page, `branded-${about}`)
    }
  })
})

/** Creates a vault whose colours have the lowest accepted contrast. */
async function brandedVault() {
  const vault = await addVault(gatehouse)
  const operator = await gatehouse.operator()
  const { status } = await operator.patch(`/vaults/${vault.vaultId}`, {
    name: 'Engines & Sons',
    logo: (await logoPng()).toString('base64'),
    accent_color: '#c8441e',
    accent_color_dark: '#c86f5a',
    support_email: 'onboarding@engines.example.com',
    privacy_url: 'https://engines.example.com/privacy',
    languages: ['en', 'de'],
  })
  expect(status).toBe(200)
  return vault
}

const colorOf = (element: unknown) =>
  (globalThis as unknown as { getComputedStyle: (of: unknown) => { color: string } }).getComputedStyle(
    element,
  ).color
