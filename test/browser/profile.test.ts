/** Tests the profile of a vault in a real browser, from a new question to its answer in a review. */
import { afterAll, expect, test } from 'vitest'
import { missingBrowser } from '../../dev/browser.ts'
import { describeUnless } from '../support/available.ts'
import { expectRightLooks, SIZES, useBrowser } from '../support/browser-page.ts'
import { startInstance } from '../support/instance.ts'

// This test needs a separate instance, because its pictures show the names of vaults.
const gatehouse = await startInstance()
afterAll(() => gatehouse.stop())

const { baseUrl, credentials, vaultId } = gatehouse
const PROFILE = `${baseUrl}/console/settings/vaults/${vaultId}/profile`

describeUnless(await missingBrowser(), 'in a browser', () => {
  const open = useBrowser()

  test('an administrator adds a question, corrects it and publishes it', async () => {
    const page = await (await open({ viewport: SIZES.desk, reducedMotion: 'reduce' })).newPage()
    await page.goto(PROFILE)
    await page.getByLabel('Email').fill(credentials.operator_email)
    await page.getByLabel('Password').fill(credentials.operator_password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('The default profile applies.').waitFor()
    await page.getByRole('link', { name: 'Owners and directors' }).first().click()
    await page.getByRole('link', { name: 'Add question' }).click()
    await page.getByLabel('Name in the API').fill('place_of_birth')
    await page.getByLabel('Question (English)').fill('Place of birth')
    await page.getByLabel('Hint (English)').fill('City, as in the passport')
    await page.getByLabel('This question is').selectOption('required')
    await page.getByLabel('Condition', { exact: true }).selectOption('all')
    await page
      .getByLabel('Question', { exact: true })
      .first()
      .selectOption('nature_of_business.country_of_incorporation')
    await page.getByLabel('Test').first().selectOption('in')
    await page.getByLabel('Value').first().fill('Germany, Atlantis')
    await page.getByRole('button', { name: 'Save question' }).click()
    await page.getByRole('alert').waitFor()
    await page.getByLabel('Value').first().fill('Germany, Austria')
    await page.getByRole('button', { name: 'Save question' }).click()
    await page.getByText('Draft of version 1').waitFor()
    await page.getByText('A text is missing').waitFor()
    await page.getByRole('link', { name: 'Place of birth' }).click()
    await page.getByLabel('Question (Deutsch)').fill('Geburtsort')
    await page.getByLabel('Hint (Deutsch)').fill('Stadt, wie im Reisepass')
    await expectRightLooks(page, 'profile-row')
    await page.getByRole('button', { name: 'Save question' }).click()
    await page.getByText('Required if “Country of registration” is “Germany” or “Austria”.').waitFor()
    await expectRightLooks(page, 'profile-rows')
    await page.getByRole('link', { name: 'Preview' }).click()
    await expectRightLooks(page, 'profile-preview')
    await page.getByRole('link', { name: 'Owners and directors' }).first().click()
    await page.getByRole('link', { name: 'Ada Lindner' }).first().click()
    await page.getByLabel('Place of birth').waitFor()
    await expectRightLooks(page, 'profile-preview-owner')
    await page.goto(PROFILE)
    await page.getByRole('link', { name: 'Compare and publish' }).click()
    await expectRightLooks(page, 'profile-publish')
    await page.getByRole('button', { name: 'Publish version' }).click()
    await page.getByText('Profile published').waitFor()
    expect(page.url()).toBe(PROFILE)
  })
})
