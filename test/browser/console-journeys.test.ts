/** Tests operators' decisions in real browsers from end to end, with their causes and effects. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, test } from 'vitest'
import { missingBrowser } from '../../dev/browser.ts'
import { authorityFile, receiverAuthority, receiverCertificate } from '../../dev/certificates.ts'
import { freePort } from '../../dev/launcher/ports.ts'
import { describeUnless } from '../support/available.ts'
import { expectRightLooks, pdf, SIZES, signInTo, useBrowser } from '../support/browser-page.ts'
import { expectErrors } from '../support/checks.ts'
import { fakeCamera } from '../support/fake-camera.ts'
import { createImported, statusOf } from '../support/identification.ts'
import { eventually, startInstance } from '../support/instance.ts'
import { completeSections, uploadRequired } from '../support/kyb.ts'
import { decide, enterCredentials, enterFinding, press } from '../support/operator-browser.ts'
import { pdfOf } from '../support/pdf.ts'
import { PASSWORD, signedIn } from '../support/people.ts'
import { heading, openPersonLink, takePhoto, verify } from '../support/person-browser.ts'
import { beginPerson, PERSON } from '../support/person-page.ts'
import { answer, SECRET, startProvider } from '../support/provider.ts'
import { startReceiver, verifies } from '../support/receiver.ts'
import { startServer } from '../support/restarted-server.ts'
import { deliverTo, secretOf } from '../support/webhook.ts'

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-ca-'))
const receiver = await startReceiver(undefined, await receiverCertificate(await receiverAuthority(folder)))
const provider = await startProvider()
const port = await freePort()
const gatehouse = await startInstance({
  env: {
    WEBHOOK_CA_FILE: authorityFile(folder),
    VERIFICATION_PROVIDER: 'http',
    VERIFICATION_PROVIDER_URL: provider.url,
    VERIFICATION_PROVIDER_SECRET: SECRET,
    PUBLIC_URL: `http://127.0.0.1:${port}`,
  },
})
// The provider downloads documents from this address and sends its results to it.
const server = await startServer(gatehouse, port)
await gatehouse.startWorker()
await deliverTo(gatehouse, receiver.url)
afterAll(async () => {
  await server.stop()
  await gatehouse.stop()
  await receiver.stop()
  await provider.stop()
  rmSync(folder, { recursive: true, force: true })
})

const { api, baseUrl, vaultId } = gatehouse
const admin = await gatehouse.operator()
const operatorWith = (...operator_roles: string[]) => signedIn(gatehouse, 'operator', { operator_roles })
const reviewer = (email: string) =>
  signedIn(gatehouse, 'operator', { email, operator_roles: ['operator_review'] })
const ada = await reviewer('a.moreau@example.com')
const bob = await reviewer('l.keller@example.com')

/** Waits for the event of this application or identification, checks its signature and returns its attributes. */
const receivedEvent = (event: string, id: string) =>
  eventually(async () => {
    const found = receiver.received.find((each) => each.event === event && each.body.includes(id))
    if (!found) throw new Error(`${event} did not come yet`)
    expect(verifies(await secretOf(gatehouse), found)).toBe(true)
    return found.attributes
  })

describeUnless(await missingBrowser(), 'in a browser', () => {
  const open = useBrowser()

  /** Opens a browser and signs this person in to the console. */
  async function openConsole({ email }: { email: string }, next = '/console'): Promise<Page> {
    const page = await (await open({ viewport: SIZES.desk })).newPage()
    await page.goto(baseUrl + next)
    await enterCredentials(page, email, PASSWORD)
    return page
  }

  test('requests changes from a company, approves its corrections and notifies its client', async () => {
    const { page: form, company, base } = await signInTo(gatehouse, await open())
    const { nature_of_business, ...sections } = completeSections()
    const { legal_company_name: _, ...known } = nature_of_business
    await api.patch(`/kyb/${company.id}`, { ...sections, nature_of_business: known })
    const file = new Blob([new Uint8Array(pdfOf('Engine Works Ltd'))])
    await uploadRequired(api, company.id, file)
    const name = form.getByLabel('Legal name of the company')
    const save = async (text: string, button = 'Save and continue') => {
      await form.goto(`${base}/nature_of_business`)
      await name.fill(text)
      await press(form, button)
      await form.waitForURL(`${base}/check`)
    }
    const send = async (action: string) => {
      await form.goto(`${base}/check`)
      await press(form, action)
      await heading(form, 'Your form is submitted')
    }
    await save('Engines Ltd')
    await send('Submit for review')

    const page = await openConsole(ada)
    await page.getByRole('link', { name: 'Engines Ltd' }).click()
    await heading(page, 'Engines Ltd')
    await page.getByRole('link', { name: 'Documents' }).click()
    const link = page
      .getByRole('region', { name: 'Company documents', exact: true })
      .getByRole('link', { name: 'incorporation_certificates.pdf', exact: true })
    await link.click()
    await page.getByRole('img', { name: 'incorporation_certificates.pdf' }).waitFor()
    await page.getByText('Text of this page').click()
    await page.getByText('Engine Works Ltd').waitFor()
    const [field, document] = await Promise.all(
      [link, page.locator('[data-viewer]')].map((each) => each.boundingBox()),
    )
    expect(
      field && document && field.x + field.width <= document.x && field.y < document.y + document.height,
    ).toBe(true)
    await enterFinding(page, 'Legal name of the company', 'mismatch', 'The register says Engine Works.')
    await enterFinding(page, 'incorporation_certificates.pdf', 'expired', 'It is of 1842.')
    await decide(page, 'Request changes', 'information_mismatch', 'Two values are wrong.')
    await page.waitForURL(`${baseUrl}/console`)
    await page.getByText('Decision recorded').waitFor()
    expect(await receivedEvent('kyb_revision_requested', company.id)).toMatchObject({
      reason_code: 'information_mismatch',
    })

    await form.goto(base)
    await form.getByText('Two values are wrong.').waitFor()
    await form.goto(`${base}/business_files`)
    const part = form.getByRole('listitem').filter({ hasText: 'Commercial register extract' })
    await part.getByText('It is of 1842.').waitFor()
    await expectRightLooks(form, 'journey-finding-at-document')
    await part.locator('input[type=file]').setInputFiles(pdf('newest.pdf'))
    // The new document replaces the refused one.
    await part.locator('[data-file]', { hasText: 'newest.pdf' }).waitFor({ state: 'attached' })
    await form.getByText('incorporation_certificates.pdf').first().waitFor({ state: 'detached' })
    await form.goto(`${base}/nature_of_business`)
    await form.getByText('The register says Engine Works.').first().waitFor()
    await save('Engine Works Ltd', 'Save this fix')
    await send('Submit again')

    await page.goto(`${baseUrl}/console/kyb/${company.id}`)
    await page.getByText('2 changes', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Company', exact: true }).click()
    await page.locator('#tab-company del', { hasText: 'Engines Ltd' }).waitFor()
    await page.getByRole('link', { name: 'Documents' }).click()
    const documents = page.locator('#tab-documents .mark-row', { hasText: 'Commercial register extract' })
    await expect
      .poll(() => documents.locator('.changed').allInnerTexts())
      .toEqual(['Added', 'Removed incorporation_certificates.pdf'])
    await decide(page, 'Approve', 'complete', 'Welcome.')
    await page.waitForURL(`${baseUrl}/console`)
    expect(await receivedEvent('kyb_processed', company.id)).toMatchObject({ outcome: 'approved' })
    await form.goto(base)
    await heading(form, 'Engine Works Ltd is verified')
    await form.getByText('Welcome.').waitFor()
  })

  test('sends a person to a provider, which downloads the documents and determines the outcome', async () => {
    const context = await open()
    await fakeCamera(context)
    const person = await openPersonLink(context, baseUrl + (await beginPerson(gatehouse)))
    await verify(person.page, { surname: 'Provided' }, takePhoto)
    const check = await provider.untilAsked(person.id)
    expect(check.profile).toMatchObject({ ...PERSON.details, surname: 'Provided' })
    const statuses = check.documents.map(async ({ url }) => (await fetch(url)).status)
    expect(await Promise.all(statuses)).toEqual([200, 200, 200])
    const page = await openConsole(ada, `/console/identifications/${person.id}`)
    await page.getByRole('link', { name: 'History' }).click()
    const checks = page.getByRole('region', { name: 'Verification checks' })
    await checks.getByText('In progress').waitFor()
    expect(await answer(check, 'approved')).toBe('200')
    await heading(person.page, 'Your identity is verified')
    await page.reload()
    await checks.getByText('Approved').waitFor()
    await receivedEvent('identification_approved', person.id)
  })

  test('keeps a client’s block after the internal hold is lifted, until the client lifts it', async () => {
    const id = await createImported(api, { name: 'Grace', surname: 'Hopper' })
    const unblock = () => api.post(`/identifications/${id}/unblock`)
    expect((await api.post(`/identifications/${id}/block`, { reason: 'client_request' })).status).toBe(200)
    const page = await openConsole(ada, `/console/identifications/${id}`)
    const holds = page.getByRole('region', { name: 'Holds' })
    await holds.locator('summary', { hasText: 'Place hold' }).click()
    await holds.getByLabel('Owner of the hold').selectOption('operator_operations')
    await holds.getByLabel('Reason').selectOption('aml_review')
    await holds.getByLabel('Internal note').fill('Much in a day.')
    await expectRightLooks(page, 'journey-case')
    await press(page, 'Place hold')
    await holds.getByText('Much in a day.').waitFor()
    expectErrors(await unblock(), 'blocked_by_internal_case')
    await press(page, 'Lift hold')
    await holds.getByText('Lifted holds (1)').waitFor()
    expect(await statusOf(api, id)).toBe('blocked')
    expect((await unblock()).status).toBe(200)
    expect(await statusOf(api, id)).toBe('approved')
  })

  describe('two operators', () => {
    const REJECTED = ['Reject', 'high_risk', 'We cannot continue.'] as const
    const waits = (page: Page) => page.getByRole('region', { name: 'Second approval' })
    const drawer = (page: Page) => page.getByRole('dialog', { name: 'Second approval' })
    const openDrawer = (page: Page) => page.getByRole('link', { name: 'Decide' }).click()
    /** Creates an application, rejects it as Ada, and opens it for Ada and Bob. */
    async function proposed() {
      await admin.patch(`/vaults/${vaultId}`, { four_eyes: ['rejections'] })
      const id = await api.createKyb(undefined, completeSections())
      const path = `/console/kyb/${id}`
      const first = await openConsole(ada, path)
      await enterFinding(first, 'Phone number', 'mismatch', 'No answer.')
      await decide(first, ...REJECTED)
      await first.waitForURL(`${baseUrl}/console`)
      await first.goto(baseUrl + path)
      return { id, first, second: await openConsole(bob, path) }
    }

    test('reject an application after the second operator has compared both reasons', async () => {
      const { id, first, second } = await proposed()
      await waits(first).getByText('Another operator must confirm this decision.').waitFor()
      await expectRightLooks(first, 'journey-pending-mine')
      await openDrawer(second)
      await drawer(second).getByText('Rejection proposed by a.moreau@example.com').waitFor()
      for (const word of ['We cannot continue.', 'No answer.'])
        expect(await second.content()).not.toContain(word)
      await expectRightLooks(second, 'journey-pending-theirs')
      await drawer(second).getByLabel('Your reason').selectOption('prohibited_business')
      await second.setViewportSize(SIZES.phone)
      await press(second, 'Compare reasons')
      for (const text of ['Prohibited business', 'High risk', 'We cannot continue.', 'No answer.'])
        await drawer(second).getByText(text).last().waitFor()
      await expectRightLooks(second, 'journey-compared')
      await drawer(second).getByRole('radio', { name: 'Send back' }).check()
      await press(second, 'Send back')
      await second.getByRole('alert').getByText('Enter a note that states why').waitFor()
      await drawer(second).getByRole('radio', { name: 'Reject as proposed' }).check()
      await press(second, 'Reject as proposed')
      await second.waitForURL(`${baseUrl}/console`)
      expect(await receivedEvent('kyb_processed', id)).toMatchObject({
        outcome: 'rejected',
        reason_code: 'high_risk',
      })
      await second.goto(`${baseUrl}/console/kyb/${id}?tab=history`)
      // The decision is one entry, which contains the proposal with its reason.
      await second.getByRole('link', { name: 'Decisions 1' }).waitFor()
      await second.locator('summary', { hasText: 'Show second approval' }).click()
      await second
        .locator('[data-action="reject"] [data-action="reject_proposed"]')
        .getByText('High risk', { exact: true })
        .waitFor()
      await expectRightLooks(second, 'journey-history')
    })

    test('see an error if they confirm a withdrawn rejection or decide on a changed case', async () => {
      const { id, first, second } = await proposed()
      await press(first, 'Withdraw decision')
      await first.getByRole('button', { name: 'Reject', exact: true }).waitFor()
      await openDrawer(second)
      await drawer(second).getByLabel('Your reason').selectOption('other')
      await press(second, 'Compare reasons')
      await second.getByRole('alert').getByText('The decision is no longer awaiting approval').waitFor()
      await api.patch(`/kyb/${id}`, { nature_of_business: { city_address: 'Bonn' } })
      await decide(second, ...REJECTED)
      await second.getByRole('alert').getByText('The case has changed').waitFor()
      await expectRightLooks(second, 'journey-refused')
    })
  })

  describe('an operator', () => {
    test('with only administrative rights sees the settings, but no personal data', async () => {
      const page = await openConsole(await operatorWith('operator_admin'))
      await page.waitForURL(`${baseUrl}/console/settings/vaults`)
      const nav = page.getByRole('navigation', { name: 'Console' })
      expect(await nav.getByRole('link').allTextContents()).toEqual(['Settings'])
      expect(await page.getByRole('button', { name: 'Open next case' }).count()).toBe(0)
      const id = await createImported(api, { name: 'Grace', surname: 'Hopper' })
      await page.goto(`${baseUrl}/console/identifications/${id}`)
      await heading(page, 'Page not found')
      expect(await nav.getByRole('link').allTextContents()).toEqual(['Settings'])
      expect(await page.content()).not.toContain('Hopper')
      await expectRightLooks(page, 'journey-not-allowed')
    })

    test('without roles is signed out and cannot sign in', async () => {
      const eve = await operatorWith('operator_review')
      const page = await openConsole(eve)
      await page.getByRole('heading', { name: 'Queue', level: 1 }).waitFor()
      expect((await admin.patch(`/users/${eve.id}`, { operator_roles: [] })).status).toBe(200)
      await page.reload()
      await heading(page, 'Sign in')
      await enterCredentials(page, eve.email, PASSWORD)
      await page.getByRole('alert').getByText('The email or the password is wrong').waitFor()
    })
  })
})
