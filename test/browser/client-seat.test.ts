/** Tests the pages for vaults' own users in a real browser: a journey from signing in to a new link, and their looks. */
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { missingBrowser } from '../../dev/browser.ts'
import { describeUnless } from '../support/available.ts'
import { expectRightLooks, SIZES, useBrowser } from '../support/browser-page.ts'
import { startInstance, unique } from '../support/instance.ts'
import { enterCredentials } from '../support/operator-browser.ts'
import { PASSWORD, signedIn } from '../support/people.ts'

const gatehouse = await startInstance()
const { api, baseUrl, vaultId, db } = gatehouse
afterAll(() => gatehouse.stop())

const COMPANIES = [
  ['Example Trading GmbH', 'DE', 'client'],
  ['Ateliers Exemple SAS', 'FR', 'applicant'],
  ['Example Logistics Ltd', 'GB', 'applicant'],
  ['Sample Cask AB', 'SE', 'operator'],
] as const

let email: string
beforeAll(async () => {
  ;({ email } = await signedIn(gatehouse, 'client', { vaults: [{ id: vaultId, roles: ['client_admin'] }] }))
  for (const [legal_company_name, country_of_incorporation, waitingOn] of COMPANIES) {
    const id = await api.createKyb(unique(), {
      nature_of_business: { legal_company_name, country_of_incorporation },
      beneficiaries: { beneficiaries_list: [{ email: 'ada@example.com', full_name: 'Ada Example' }] },
    })
    await db.orm.execute(sql`UPDATE kyb_applications SET waiting_on = ${waitingOn},
      waiting_since = now() - interval '2 days' WHERE id = ${id}`)
  }
  const { status } = await api.post('/identifications/create_identify_process', {
    type: 'kyc',
    name: 'Clara',
    surname: 'Specimen',
  })
  expect(status).toBe(201)
})

describeUnless(await missingBrowser(), 'in a browser', () => {
  const open = useBrowser()

  test('signs in, finds an application and creates a new link for a person', async () => {
    const page = await (await open({ viewport: SIZES.desk, reducedMotion: 'reduce' })).newPage()
    await page.goto(`${baseUrl}/console`)
    await enterCredentials(page, email, PASSWORD)
    await page.waitForURL(`${baseUrl}/console/client/${vaultId}`)
    await expectRightLooks(page, 'client-home')
    await page.getByRole('link', { name: 'With the applicant' }).click()
    expect(await page.getByRole('link', { name: 'Sample Cask AB' }).count()).toBe(0)
    await page.getByRole('link', { name: 'All open' }).click()
    await page.getByRole('link', { name: 'Example Trading GmbH' }).first().click()
    await page.getByRole('heading', { name: 'Missing details' }).waitFor()
    await expectRightLooks(page, 'client-case')
    await page.getByRole('button', { name: /Create new link.*Ada Example/ }).click()
    await page.getByRole('heading', { name: 'New link' }).waitFor()
    expect(await page.getByLabel('Link', { exact: true }).inputValue()).toContain('/verify/')
    await expectRightLooks(page, 'client-link')
    for (const name of ['Webhooks', 'API keys', 'Members']) {
      await page.getByRole('link', { name, exact: true }).click()
      await page.getByRole('heading', { name, level: 1 }).waitFor()
      await expectRightLooks(page, `client-${name.toLowerCase().replace(' ', '-')}`)
    }
    await page.getByLabel('Email').fill('colleague@client.example')
    await page.getByRole('button', { name: 'Add member' }).click()
    await page.getByRole('heading', { name: 'colleague@client.example' }).waitFor()
    await page.getByRole('link', { name: 'Webhooks', exact: true }).click()
    await page.getByRole('link', { name: 'identification_created' }).first().click()
    await page.getByRole('heading', { name: 'Attempts' }).waitFor()
    await expectRightLooks(page, 'client-delivery')
  })
})
