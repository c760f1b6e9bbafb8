/** Tests the profile of a vault in a real browser, from a new question to its answer in a review. */
import type { Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { missingBrowser } from '../../dev/browser.ts'
import { runProfile } from '../../src/cli/profile.ts'
import { describeUnless } from '../support/available.ts'
import { documentRow, expectRightLooks, pdf, SIZES, signInTo, useBrowser } from '../support/browser-page.ts'
import { addVault, startInstance, unique } from '../support/instance.ts'
import { completeSections, uploadRequired } from '../support/kyb.ts'
import { decide, enterCredentials, enterFinding } from '../support/operator-browser.ts'
import { PASSWORD, signedIn } from '../support/people.ts'

// This test needs a separate instance, because its pictures show the names of vaults.
const gatehouse = await startInstance()
await gatehouse.startWorker()
afterAll(() => gatehouse.stop())

const { baseUrl, credentials, vaultId } = gatehouse
const PROFILE = `${baseUrl}/console/settings/vaults/${vaultId}/profile`

describeUnless(await missingBrowser(), 'in a browser', () => {
  const open = useBrowser()

  test('an administrator adds a question, corrects it and publishes it', async () => {
    const page = await (await open({ viewport: SIZES.desk, reducedMotion: 'reduce' })).newPage()
    await page.goto(PROFILE)
    await enterCredentials(page, credentials.operator_email, credentials.operator_password)
    await page.getByText('The default profile applies.').waitFor()
    await page.getByRole('link', { name: 'Owners and directors' }).first().click()
    await page.getByRole('link', { name: 'Add question' }).first().click()
    await page.getByLabel('Name in the API').fill('place_of_birth')
    await page.getByLabel('Question (English)').fill('Place of birth')
    await page.getByLabel('Hint (English)').fill('City, as in the passport')
    await page.getByLabel('This question is').selectOption('required')
    await page.getByLabel('Condition', { exact: true }).selectOption('all')
    await page
      .getByLabel('Question', { exact: true })
      .first()
      .selectOption('nature_of_business.country_of_incorporation')
    await page.getByRole('button', { name: 'Add condition' }).click()
    await page.getByLabel('Test').selectOption('in')
    await page.getByRole('button', { name: 'Save question' }).click()
    await page.getByRole('alert').waitFor()
    for (const country of ['Germany', 'Austria']) {
      await page.getByLabel('Value').first().fill(country)
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: `Remove ${country}` }).waitFor()
    }
    await page.getByRole('button', { name: 'Save question' }).click()
    await page.getByText('Draft of version 1').waitFor()
    await page.getByText('German missing').waitFor()
    await page.getByRole('link', { name: 'Place of birth' }).click()
    await page.getByLabel('Question (German)').fill('Geburtsort')
    await page.getByLabel('Hint (German)').fill('Stadt, wie im Reisepass')
    // The panel shows only the saved conditions, and choices only for questions that have them.
    expect(await page.locator('[name^=test_]').count()).toBe(1)
    const choices = page.locator('[name=values]')
    for (const [type, isShown] of [
      ['one_of', true],
      ['short_text', false],
    ] as const) {
      await page.locator('[name=type]').selectOption(type)
      await expect.poll(() => choices.isVisible()).toBe(isShown)
    }
    await page.locator('#panel-title').click()
    await expectRightLooks(page, 'profile-row')
    await page.getByRole('button', { name: 'Save question' }).click()
    await page.getByText('Required if “Country of registration” is “Austria” or “Germany”.').waitFor()
    // The notice disappears after six seconds.
    await page.goto(`${PROFILE}?part=beneficiary`)
    await expectRightLooks(page, 'profile-rows')
    await page.getByRole('link', { name: 'Preview form' }).click()
    await expectRightLooks(page, 'profile-preview')
    await page.getByRole('link', { name: 'Owners and directors' }).first().click()
    await page.getByRole('link', { name: 'Ada Lindner' }).first().click()
    await page.getByLabel('Place of birth').waitFor()
    await expectRightLooks(page, 'profile-preview-owner')
    await gatehouse.api.createKyb(unique(), {
      nature_of_business: { legal_company_name: 'Example Trading GmbH', country_of_incorporation: 'DE' },
      beneficiaries: { beneficiaries_list: [{ email: 'ada@example.com', full_name: 'Ada Example' }] },
    })
    await page.goto(PROFILE)
    await page.getByRole('link', { name: 'Compare and publish' }).click()
    await page.getByText('The open application keeps its questions.').waitFor()
    await expectRightLooks(page, 'profile-publish')
    const date = page.getByLabel('Applies from')
    expect(await date.isVisible()).toBe(false)
    await page.getByLabel('New and open applications').check()
    await date.waitFor()
    await page.getByRole('button', { name: /^Publish version/ }).click()
    await page.getByRole('alert').getByText('Enter a date from tomorrow on').waitFor()
    await page.getByLabel('New applications only').check()
    await page.getByRole('button', { name: /^Publish version/ }).click()
    await page.getByText(/Profile version \d+ published/).waitFor()
    expect(page.url()).toBe(PROFILE)

    const { page: form, company, base } = await signInTo(gatehouse, await open({ viewport: SIZES.desk }))
    await gatehouse.api.patch(`/kyb/${company.id}`, completeSections())
    await uploadRequired(gatehouse.api, company.id)
    await form.goto(`${base}/check`)
    await form
      .getByRole('link', { name: /^Ada Lovelace/ })
      .first()
      .click()
    await answer(form, { place_of_birth: 'London' })
    await submit(form, base)
    // The waiting page would open the revision by itself, at any time.
    await form.goto('about:blank')

    const reviewer = await signedIn(gatehouse, 'operator', { operator_roles: ['operator_review'] })
    const review = await (await open({ viewport: SIZES.desk })).newPage()
    await review.goto(`${baseUrl}/console`)
    await enterCredentials(review, reviewer.email, PASSWORD)
    await review.waitForURL(`${baseUrl}/console`)
    await review.goto(`${baseUrl}/console/kyb/${company.id}`)
    await enterFinding(review, 'Place of birth', 'mismatch', 'The passport says Marylebone.')
    await decide(review, 'Request changes', 'information_mismatch', 'One value is wrong.')
    await review.waitForURL(`${baseUrl}/console`)
    await form.goto(base)
    await form.getByRole('link', { name: 'Fix the next one' }).click()
    await form.getByText('The passport says Marylebone.').first().waitFor()
  })

  /** Answers added questions, and saves them. A question that depends on another one follows it. */
  async function answer(page: Page, values: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, value] of Object.entries(values)) {
      const named = page.locator(`[name$="additional.${name}"]:not([type="hidden"])`)
      const radio = named.and(page.locator(`[type="radio"][value="${value}"]`))
      await named.first().waitFor({ state: 'attached' })
      if ((await radio.count()) > 0) await radio.check()
      else if ((await named.first().evaluate((element) => element.tagName)) === 'SELECT')
        await named.first().selectOption(value.split(','), { force: true })
      else await named.first().fill(value)
    }
    const form = page.url()
    await page.getByRole('button', { name: 'Save and continue' }).click()
    await page.waitForURL((url) => url.href !== form)
  }

  async function submit(page: Page, base: string): Promise<void> {
    await page.goto(`${base}/check`)
    await page.getByRole('button', { name: 'Submit for review' }).click()
    await page.getByRole('heading', { name: 'Your form is submitted' }).waitFor()
  }

  test.each([
    {
      name: 'eu-amlr',
      country: 'DE',
      company: { other_place_of_business: 'true', principal_place_of_business: 'Hafenstrasse 1, Hamburg' },
      owner: {
        nominee: 'false',
        place_of_birth: 'London',
        date_of_birth: '1985-12-10',
        stateless: 'false',
        nationalities: 'GB,DE',
        residential_address: 'Lindenstrasse 12, Berlin',
        country_of_residence: 'DE',
      },
    },
    { name: 'uk', country: 'GB', company: {}, owner: { companies_house: 'identity_due' } },
    {
      name: 'us',
      country: 'US',
      company: {
        first_account: 'false',
        owners_changed: 'true',
        company_taxpayer_number: '12-3456789',
      },
      owner: {
        controls_company: 'true',
        date_of_birth: '1985-12-10',
        residential_address: '1 Main Street, Boston',
        us_person: 'false',
        passport_number: 'X1234567',
        passport_country: 'GB',
      },
    },
  ])('a company completes an application under the profile $name', async ({ name, country, ...answers }) => {
    const vault = await addVault(gatehouse)
    await runProfile({ db: gatehouse.db, say: () => undefined }, 'publish', vault.vaultId, { name })
    const { page, company, base } = await signInTo({ ...vault, baseUrl }, await open())
    const sections = completeSections()
    const nature_of_business = { ...sections.nature_of_business, country_of_incorporation: country }
    await vault.api.patch(`/kyb/${company.id}`, { ...sections, nature_of_business })
    await uploadRequired(vault.api, company.id)
    if (Object.keys(answers.company).length > 0) {
      await page.goto(`${base}/nature_of_business`)
      await answer(page, answers.company)
    }
    if (name === 'uk') {
      await page.goto(`${base}/business_files`)
      const part = documentRow(page, 'Extract of the register of people with significant control')
      await part.locator('input[type=file]').setInputFiles(pdf('extract.pdf'))
      await page.locator('.files', { hasText: 'extract.pdf' }).waitFor()
    }
    const { data } = (await vault.api.get(`/kyb/${company.id}`)).body
    const [ada] = data.beneficiaries.beneficiaries_list
    await page.goto(`${base}/owners/${ada.external_id}`)
    await expectRightLooks(page, `profile-${name}`)
    await answer(page, answers.owner)
    await submit(page, base)
  })
})
