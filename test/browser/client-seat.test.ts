/** Tests the pages for vaults' own users in a real browser: a journey from signing in to a new link, and their looks. */
import { sql } from 'drizzle-orm'
import { v7 as newId } from 'uuid'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { missingBrowser } from '../../dev/browser.ts'
import { emails } from '../../drizzle/schema.ts'
import { reviewContext } from '../../src/db/cases/kyb-application.ts'
import { describeUnless } from '../support/available.ts'
import { expectRightLooks, SIZES, useBrowser } from '../support/browser-page.ts'
import { addVault, startInstance, unique } from '../support/instance.ts'
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
    if (waitingOn !== 'client') continue
    const clientComment = 'Is the account also for the branch in Graz?'
    const review = db.encryption.sealJson(
      { clientComment, ...{ corrections: [], findings: [], replies: [] } },
      reviewContext(id),
    )
    await db.orm.execute(sql`UPDATE kyb_applications SET review_outcome = 'revision_requested',
      review = ${review} WHERE id = ${id}`)
  }
  await api.put('/users/update_webhook', { webhook_url: { ticket: ['https://client.example/hooks'] } })
  const { status, body } = await api.post('/identifications/create_identify_process', {
    type: 'kyc',
    name: 'Clara',
    surname: 'Specimen',
  })
  expect(status).toBe(201)
  await db.orm.insert(emails).values({
    ...{ id: newId(), vaultId, notice: 'link', status: 'refused', addressHash: Buffer.from('x') },
    identificationId: body.data.identification_id,
  })
})

describeUnless(await missingBrowser(), 'in a browser', () => {
  const open = useBrowser()

  test('signs in, finds an application and creates a new link for a person', async () => {
    const page = await (await open({ viewport: SIZES.desk, reducedMotion: 'reduce' })).newPage()
    await page.goto(`${baseUrl}/console`)
    await enterCredentials(page, email, PASSWORD)
    await page.waitForURL(`${baseUrl}/console/client/${vaultId}`)
    await expectRightLooks(page, 'client-home')
    await page.getByRole('searchbox').fill('Ateliers')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Ateliers Exemple SAS', exact: true }).waitFor()
    await expectRightLooks(page, 'client-search')
    await page.getByRole('link', { name: 'All applications' }).click()
    await page.getByRole('link', { name: 'Create link' }).click()
    await page.getByLabel('Email').waitFor()
    await expectRightLooks(page, 'client-new-link')
    await page.getByRole('button', { name: 'Create link' }).click()
    await page.getByLabel('Password for the form').waitFor()
    await page.getByRole('link', { name: 'I have copied the link' }).click()
    await page.getByRole('link', { name: 'With the applicant' }).click()
    await page.getByRole('link', { name: 'Sample Cask AB' }).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'In progress' }).click()
    await page.getByRole('link', { name: 'Example Trading GmbH', exact: true }).click()
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

  test('is in German, and shows a new client how to begin', async () => {
    const context = await open({ viewport: SIZES.desk, reducedMotion: 'reduce', locale: 'de' })
    const page = await context.newPage()
    const empty = await addVault(gatehouse)
    const vaults = [
      { id: vaultId, roles: ['client_viewer'] },
      { id: empty.vaultId, roles: ['client_admin'] },
    ]
    const both = await signedIn(gatehouse, 'client', { vaults })
    await page.goto(`${baseUrl}/console`)
    await page.locator('[name=email]').fill(both.email)
    await page.locator('[name=password]').fill(PASSWORD)
    await page.locator('main form button').first().click()
    await page.waitForURL(/\/console\/client\//)
    await page.goto(`${baseUrl}/console/client/${vaultId}`)
    await page
      .getByRole('heading', { name: 'Letzte 7 Tage' })
      .or(page.getByText('Zustellungen'))
      .first()
      .waitFor()
    await expectRightLooks(page, 'client-home-de', true)
    // On the narrowest phones, the sections take two rows.
    await page.setViewportSize({ width: 320, height: 640 })
    const [rail, section] = [page.locator('.console-rail'), page.locator('.console-rail nav > a').first()]
    const [railBox, sectionBox] = [await rail.boundingBox(), await section.boundingBox()]
    expect(railBox?.height).toBeLessThan((sectionBox?.height ?? 0) * 2.5)
    await page.setViewportSize(SIZES.desk)
    await page.goto(`${baseUrl}/console/client/${empty.vaultId}`)
    await page.getByRole('heading', { name: 'Erste Schritte' }).waitFor()
    await expectRightLooks(page, 'client-home-new', true)
  })
})
