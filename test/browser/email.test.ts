/** Tests the HTML of emails in a real browser, in each language: its appearance, and that it loads nothing. */
import { expect, test } from 'vitest'
import { missingBrowser } from '../../dev/browser.ts'
import { LOGO_ID } from '../../src/domain/email/html.ts'
import { renderEmail } from '../../src/domain/email/message.ts'
import { CASE_NOTICES, URL_NOTICES } from '../../src/domain/email/notice.ts'
import { describeUnless } from '../support/available.ts'
import { expectRightLooks, SIZES, useBrowser } from '../support/browser-page.ts'
import { logoPng } from '../support/logo.ts'

const LOGO = `data:image/png;base64,${(await logoPng(480, 120)).toString('base64')}`
const BRAND = { accentColorDark: null, supportEmail: 'help@engines.example.com' }

describeUnless(await missingBrowser(), 'in a browser', () => {
  const open = useBrowser()

  test.each(['en', 'de', 'pl'] as const)(
    'every email fits the screen and is accessible in %s',
    async (language) => {
      const page = await (await open()).newPage()
      const requests: string[] = []
      page.on('request', (request) => requests.push(request.url()))
      for (const notice of [...CASE_NOTICES, ...URL_NOTICES])
        for (const kind of notice === 'link' ? (['person', 'company'] as const) : (['person'] as const)) {
          const hasLogo = notice === 'link' && kind === 'person'
          const { html } = renderEmail(
            {
              ...BRAND,
              name: hasLogo
                ? 'Analytical Engines'
                : 'Aufsichtsbehördenabstimmungsstelle Musterstadt am Fluss',
              accentColor: hasLogo ? '#7a1f5c' : null,
              logoHash: hasLogo ? 'x' : null,
              defaultLanguage: language,
            },
            {
              ...{ notice, kind, name: 'Jonas Reuter', code: '482913', host: 'hooks.client.example' },
              ...(hasLogo && { company: 'Havelkante Robotics GmbH', isOwner: true }),
              link: {
                url: `https://example.com/verify/${'x'.repeat(43)}`,
                expiresAt: new Date('2026-12-02'),
              },
              erasedAt: new Date('2026-12-02'),
              ...(notice === 'reminder' && { declineUrl: 'https://example.com/verify/reminders' }),
            },
          )
          await page.setViewportSize(SIZES.phone)
          await page.setContent(html.replace(`cid:${LOGO_ID}`, LOGO))
          const isWhole = await page.locator('h1').evaluate((title) => {
            Object.assign(title.style, { overflowWrap: 'normal', hyphens: 'none' })
            const { scrollWidth, clientWidth } = title
            Object.assign(title.style, { overflowWrap: '', hyphens: '' })
            return scrollWidth <= clientWidth
          })
          expect([notice, kind, isWhole]).toEqual([notice, kind, true])
          const name = ['email', notice, kind === 'company' ? kind : '', language].filter(Boolean).join('-')
          await expectRightLooks(page, name, language !== 'en')
        }
      expect(requests.filter((url) => !url.startsWith('data:'))).toEqual([])
    },
  )
})
