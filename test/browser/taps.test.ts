/** Counts the page loads and taps that a company and a person need on a phone, and the keys that a reviewer presses. */
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { missingBrowser } from '../../dev/browser.ts'
import { describeUnless } from '../support/available.ts'
import { beginForm, documentRow, pdf, SIZES, useBrowser } from '../support/browser-page.ts'
import { addVault, sharedInstance } from '../support/instance.ts'
import { completeApplication, completeSections } from '../support/kyb.ts'
import { enterCredentials } from '../support/operator-browser.ts'
import { PASSWORD, signedIn } from '../support/people.ts'
import { photoOf } from '../support/person-browser.ts'
import { beginPerson, PERSON } from '../support/person-page.ts'

const gatehouse = await sharedInstance({ worker: true })

/** The limits. Lower them with the counts, and never raise them. */
const LIMITS = { company: { taps: 40, loads: 9 }, person: { taps: 22, loads: 9 }, reviewer: 6 }

/** Counts the taps on controls, and the pages that load. A text field, a menu and a file dialog are one tap each. */
function counting(page: Page) {
  const count = { taps: 0, loads: 0 }
  page.on('request', (request) => {
    if (request.isNavigationRequest() && request.redirectedFrom() === null) count.loads += 1
  })
  const tap = async (target: Locator) => {
    count.taps += 1
    await target.click()
  }
  /** Answers a field. Does not count a field that already has the answer, such as a proposed country. */
  async function answer(name: string, value: unknown) {
    const named = page.locator(`[name="${name}"]`)
    await named.first().waitFor({ state: 'attached' })
    if (typeof value === 'boolean' || Array.isArray(value)) {
      for (const each of [value].flat()) {
        const choice = named.and(page.locator(`[value="${each}"]`))
        if (!(await choice.isChecked())) await tap(choice)
      }
      return
    }
    const tag = await named.evaluate((element) => element.tagName)
    if ((await named.inputValue()) === value) return
    count.taps += 1
    if (tag === 'SELECT')
      // A script replaces long menus.
      await named.evaluate((element, values) => {
        for (const option of (element as HTMLSelectElement).options)
          option.selected = values.includes(option.value)
        element.dispatchEvent(new Event('change', { bubbles: true }))
      }, String(value).split(','))
    else await named.fill(String(value))
  }
  const answerAll = async (prefix: string, values: object) => {
    for (const [name, value] of Object.entries(values)) await answer(prefix + name, value)
  }
  const choose = async (input: Locator, file: Parameters<Locator['setInputFiles']>[0]) => {
    count.taps += 1
    await input.setInputFiles(file)
  }
  const press = (name: string | RegExp, role: 'button' | 'link' = 'button') =>
    tap(page.getByRole(role, { name }).first())
  return { count, tap, answerAll, choose, press }
}

describeUnless(await missingBrowser(), 'on a phone', () => {
  const open = useBrowser()
  const newPage = async () => {
    const context = await open({ viewport: SIZES.phone, hasTouch: true, isMobile: true })
    return context.newPage()
  }

  test('a company needs no more taps and pages than before', async () => {
    const page = await newPage()
    const { count, answerAll, choose, press } = counting(page)
    const { url, password } = await beginForm(gatehouse)
    await page.goto(url)
    const { nature_of_business, usage_of_account, beneficiaries, business_files } = completeSections()
    await answerAll('', { password })
    await press('Continue')
    await press('Continue', 'link')
    await answerAll('nature_of_business.', nature_of_business)
    await press('Save and continue')
    await answerAll('usage_of_account.', {
      ...usage_of_account,
      list_of_services: ['iban'],
      list_of_countries_operated: nature_of_business.country_of_incorporation,
    })
    await press('Save and continue')
    const [ada] = beneficiaries.beneficiaries_list
    await answerAll('beneficiaries.beneficiaries_list.new.', { ...ada, roles: ['ubo'] })
    await press('Save and continue')
    await page.waitForURL('**/upload*')
    await choose(documentRow(page, 'Front of the ID card').locator('input[name=file]'), pdf('id.pdf'))
    await page.locator('.files', { hasText: 'id.pdf' }).waitFor()
    await answerAll('beneficiaries.', { shareholders_confirmation: true })
    await press('Save and continue')
    for (const title of [
      'Commercial register extract',
      'Articles of association',
      'Register of shareholders',
      'Register of directors',
      'Proof of ownership',
    ]) {
      await choose(documentRow(page, title).locator('input[name=file]'), pdf(`${title}.pdf`))
      await page.locator('.files', { hasText: `${title}.pdf` }).waitFor()
    }
    await answerAll('business_files.', business_files)
    await press('Save and continue')
    await press('Submit for review')
    await page.getByRole('heading', { name: 'Your form is submitted' }).waitFor()
    expect(count).toEqual(LIMITS.company)
  })

  test('a person needs no more taps and pages than before', async () => {
    const page = await newPage()
    const { count, tap, answerAll, choose, press } = counting(page)
    await page.goto(gatehouse.baseUrl + (await beginPerson(gatehouse)))
    await press('Continue')
    await tap(page.getByRole('radio', { name: /^I agree/ }))
    await press('Continue')
    const { email: _, phone: __, ...required } = PERSON.details
    await answerAll('', required)
    await press('Save and continue')
    await answerAll('', PERSON.document)
    await press('Save and continue')
    for (const title of ['Front of the document', 'Back of the document', 'Photo of your face']) {
      await page.getByRole('heading', { name: title }).waitFor()
      await choose(page.locator('input[name=file]'), await photoOf())
      await press('Use this photo')
    }
    await press('Submit for verification')
    await page.waitForURL('**/done')
    expect(count).toEqual(LIMITS.person)
  })
})

describeUnless(await missingBrowser(), 'at a desk', () => {
  const open = useBrowser()

  test('a reviewer needs no more keys from the queue to a decision than before', async () => {
    const { api, vaultId } = await addVault(gatehouse)
    const { id } = await completeApplication(api)
    const { email } = await signedIn(gatehouse, 'operator', { operator_roles: ['operator_review'] })
    const page = await (await open({ viewport: SIZES.desk })).newPage()
    await page.goto(`${gatehouse.baseUrl}/console`)
    await enterCredentials(page, email, PASSWORD)
    await page.waitForURL(`${gatehouse.baseUrl}/console`)
    await page.goto(`${gatehouse.baseUrl}/console?vault_id=${vaultId}`)
    let count = 0
    /** Presses keys at the same time, and counts each of them. */
    const press = async (keys: string) => {
      count += keys.split('+').length
      await page.keyboard.press(keys)
    }
    const document = page.locator('[data-film] [aria-current]')
    await press('j')
    await press('Enter')
    await page.waitForURL(`**/console/kyb/${id}`)
    const first = await document.getAttribute('data-document')
    await press(']')
    await expect.poll(() => document.getAttribute('data-document')).not.toBe(first)
    await press('a')
    await page.getByRole('radio', { name: 'Approve' }).and(page.locator(':checked')).waitFor()
    await press('Control+Enter')
    await page.getByRole('status').getByText('Decision recorded: Analytical Engines').waitFor()
    expect((await api.get(`/kyb/${id}`)).body.data.review.outcome).toBe('approved')
    expect(count).toBe(LIMITS.reviewer)
  })
})
