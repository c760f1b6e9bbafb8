/** Tests that each page of a person's verification is accessible and fits the screen in each state. */
import type { BrowserContext } from 'playwright-core'
import { expect, test } from 'vitest'
import { missingBrowser } from '../../dev/browser.ts'
import { describeUnless } from '../support/available.ts'
import { expectRightLooks, setSupportEmail, useBrowser } from '../support/browser-page.ts'
import { fakeCamera } from '../support/fake-camera.ts'
import { untilStatus, untilWaitingOn } from '../support/identification.ts'
import { sharedInstance, unique } from '../support/instance.ts'
import { pdfOf } from '../support/pdf.ts'
import { enter, field, photoOf } from '../support/person-browser.ts'
import {
  beginPerson,
  fillInPerson,
  openPerson,
  PERSON,
  type PersonSession,
  phoneLinkOf,
  submitPerson,
} from '../support/person-page.ts'
import { photoFile, photograph } from '../support/photo.ts'

const gatehouse = await sharedInstance({ worker: true })
await setSupportEmail(gatehouse)

const { api, baseUrl } = gatehouse
const BEGUN = {
  redirect_url: 'https://client.example/back',
  name: PERSON.details.name,
  surname: PERSON.details.surname,
}

describeUnless(await missingBrowser(), 'in a browser', () => {
  const open = useBrowser()

  const LANGUAGES = [
    ['en', 'en-GB'],
    ['de', 'de-DE'],
  ] as const

  test('every page is accessible and fits the screen before scripts run', async () => {
    await Promise.all(
      LANGUAGES.map(async ([language, locale]) => {
        const context = await open({ locale })
        await context.route(/\/scripts\//, (route) => route.abort())
        const page = await context.newPage()
        const look = async (state: string, url?: string) => {
          if (url) await page.goto(url)
          await expectRightLooks(page, `person-${state}-${language}`, language === 'de')
        }
        const send = (button: string) =>
          Promise.all([page.waitForEvent('load'), page.locator(button).click()])
        const link = await beginPerson(gatehouse, BEGUN)
        const person = await openPerson(baseUrl, link)
        await useSession(context, person)
        const at = (path: string) => baseUrl + person.base + path
        await look('link', baseUrl + (await linkOfOwner()))
        await look('link-person', baseUrl + link)
        await look('overview', at(''))
        await look('consent', at('/consent'))
        await page.locator('input[value="no"]').check()
        await send('button[type=submit]')
        await look('declined')
        await person.post('/consent', { consent: 'yes' })
        await look('details', at('/details'))
        await enter(page, {
          email: 'nobody',
          phone: '030',
          city: 'Llanfairpwllgwyngyllgogerychwyrndrobwll'.repeat(2),
        })
        await send('button[type=submit]')
        await look('details-wrong')
        await look('document', at('/document'))
        await look('front', at('/document_front'))
        await look('selfie', at('/selfie'))
        await look('phone', at('/phone'))
        await look('phone-link', baseUrl + phoneLinkOf(gatehouse, person))
        await look('check-missing', at('/check'))
        await fillInPerson(person)
        await person.upload('document_front', photoFile(await photograph({ sigma: 4, brightness: 20 })))
        await person.upload(
          'document_back',
          new File([new Uint8Array(pdfOf('The other side'))], 'the-other-side.pdf'),
        )
        await look('front-blurred', at('/document_front'))
        await look('back-pdf', at('/document_back'))
        await page.locator('input[name=file]').setInputFiles(await photoOf({ width: 500, height: 500 }))
        await send('button[data-seen]')
        await look('back-refused')
        await look('check', at('/check'))
        await submitPerson(person)
        await untilWaitingOn(gatehouse, person.id, 'operator')
        await look('waiting', at('/done'))
        await look('link-sent', baseUrl + link)
        const operator = await gatehouse.operator()
        const decide = (body: object) => operator.post(`/identifications/${person.id}/decision`, body)
        await decide({ outcome: 'attention', reason_code: 'other' })
        await look('attention', at('/done'))
        await decide({
          outcome: 'initiated',
          reason_code: 'information_mismatch',
          findings: [
            { path: 'city', code: 'mismatch', comment: 'Is this another town?' },
            { path: 'selfie', code: 'unreadable' },
          ],
        })
        await untilWaitingOn(gatehouse, person.id, 'applicant')
        await look('asked', at(''))
        await look('asked-details', at('/details'))
        await look('asked-selfie', at('/selfie'))
        for (const [name, status] of Object.entries({ Approved: 'approved', Rejected: 'rejected' })) {
          const other = await openPerson(baseUrl, await beginPerson(gatehouse, BEGUN))
          await useSession(context, other)
          await fillInPerson(other, { name })
          await submitPerson(other)
          await untilStatus(api, other.id, status)
          await look(status, `${baseUrl}${other.base}/done`)
        }
        const closed = await openPerson(baseUrl, await beginPerson(gatehouse, BEGUN))
        await useSession(context, closed)
        await api.put(`/identifications/${closed.id}/close`)
        await untilStatus(api, closed.id, 'closed')
        await look('closed', `${baseUrl}${closed.base}/done`)
        await look('gone', `${baseUrl}/verify/${'x'.repeat(43)}`)
        await look('phone-gone', `${baseUrl}/verify/phone/${'x'.repeat(43)}`)
      }),
    )
  })

  test('pages with elements that scripts add are accessible and fit the screen', async () => {
    await Promise.all(
      LANGUAGES.map(async ([language, locale]) => {
        const context = await open({ locale })
        await fakeCamera(context, 'dark')
        const page = await context.newPage()
        const isTranslation = language === 'de'
        const look = (state: string) => expectRightLooks(page, `scripts-${state}-${language}`, isTranslation)
        const person = await openPerson(baseUrl, await beginPerson(gatehouse))
        await useSession(context, person)
        expect((await person.post('/consent', { consent: 'yes' })).status).toBe(303)
        await page.goto(`${baseUrl}${person.base}/document_front`)
        await look('front')
        await page.goto(`${baseUrl}${person.base}/selfie`)
        await look('selfie')
        await page.locator('[data-open]').click()
        await page.locator('video').waitFor()
        await look('camera')
        await page.locator('[data-shoot]').click()
        await page.locator('.seen [data-bad]:visible >> nth=0').waitFor()
        await look('warned')
        await page.route('**/files/*', (route) => route.abort())
        await page.locator('button[data-seen]').click()
        await page.locator('.seen .problem').waitFor()
        await look('interrupted')
        await page.goto(`${baseUrl}${person.base}/document_front`)
        await page.locator('input[name=file]').setInputFiles({
          name: 'passport.pdf',
          mimeType: 'application/pdf',
          buffer: pdfOf('The other side'),
        })
        await page.getByText('passport.pdf').waitFor()
        await look('pdf')
        await page.goto(`${baseUrl}${person.base}/details`)
        await enter(page, { name: 'Ada', email: 'nobody' })
        await field(page, 'name').focus()
        await page.locator('.problem').waitFor()
        await look('details-refused')
        const denied = await open({ locale })
        await fakeCamera(denied, 'denied')
        await useSession(denied, person)
        const there = await denied.newPage()
        await there.goto(`${baseUrl}${person.base}/selfie`)
        await there.locator('[data-open]').click()
        await there.locator('.photo-buttons [data-state]:not(:empty)').waitFor()
        await expectRightLooks(there, `scripts-denied-${language}`, isTranslation)
      }),
    )
  })
})

/** Returns the path of the link for an owner whom a company has named. */
async function linkOfOwner(): Promise<string> {
  const { body } = await api.post('/kyb', {
    external_id: unique(),
    nature_of_business: { legal_company_name: 'Havelkante Robotics GmbH' },
    beneficiaries: {
      beneficiaries_list: [{ full_name: 'Jonas Reuter', email: 'jonas@example.com', roles: ['ubo'] }],
    },
  })
  return new URL(body.data.beneficiaries.beneficiaries_list[0].link).pathname
}

/** Adds the cookie of the person's session to the browser. */
async function useSession(context: BrowserContext, { headers, base }: PersonSession): Promise<void> {
  const [name = '', value = ''] = headers.Cookie.split('=')
  await context.addCookies([{ name, value, domain: new URL(baseUrl).hostname, path: base }])
}
