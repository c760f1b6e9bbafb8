/** Tests that applicants' pages also work in a language that is written from right to left. */
import { readdirSync, readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { missingBrowser } from '../../dev/browser.ts'
import { describeUnless } from '../support/available.ts'
import { signInTo, useBrowser } from '../support/browser-page.ts'
import { sharedInstance } from '../support/instance.ts'
import { completeSections } from '../support/kyb.ts'
import { agree, openPersonLink } from '../support/person-browser.ts'
import { beginPerson } from '../support/person-page.ts'
import { expectPicture } from '../support/picture.ts'

const gatehouse = await sharedInstance({ worker: true })

/** Replaces all texts by Arabic letters, which are a third longer, as a translation would. */
const translate = (page: Page) =>
  page.evaluate(() => {
    const root = document.documentElement
    root.dir = 'rtl'
    root.lang = 'ar'
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (texts.nextNode()) {
      const text = texts.currentNode as Text
      const words = text.data.replace(/\p{L}/gu, 'م')
      text.data = words.replace(/\S{3,}/g, (word) => word + 'م'.repeat(Math.ceil(word.length / 3)))
    }
  })

const STYLES = new URL('../../src/pages/styles/', import.meta.url)

test('styles name no side of the screen', () => {
  const physical =
    /^\s*((margin|padding|border|inset)-(left|right)|left|right|text-align: (left|right)|float: (left|right))\b/
  const found = readdirSync(STYLES).flatMap((file) =>
    readFileSync(new URL(file, STYLES), 'utf8')
      .split('\n')
      .filter((line) => physical.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  )
  expect(found).toEqual([])
})

describeUnless(await missingBrowser(), 'from right to left', () => {
  const open = useBrowser()

  test.each([
    ['phone', { width: 320, height: 800 }],
    ['desk', { width: 1366, height: 768 }],
  ])('pages fit the screen of a %s, and start at the right', async (size, viewport) => {
    const context = await open({ viewport })
    const { page, company, base } = await signInTo(gatehouse, context)
    await gatehouse.api.patch(`/kyb/${company.id}`, completeSections())
    const link = gatehouse.baseUrl + (await beginPerson(gatehouse))
    const person = await openPersonLink(context, link)
    await agree(person.page, person.base)
    const steps = ['', '/consent', '/details', '/document', '/document_front', '/phone', '/check']
    const paths = ['', '/nature_of_business', '/beneficiaries', '/owners/new', '/business_files', '/check']
    const urls = [...paths.map((path) => base + path), link, ...steps.map((path) => person.base + path)]
    for (const url of urls) {
      await page.goto(url)
      await translate(page)
      const shape = await page.evaluate(() => {
        const root = document.documentElement
        const box = (selector: string) => document.querySelector(selector)?.getBoundingClientRect()
        const main = box('main')
        const title = box('h1')
        const rail = box('.rail')
        const buttons = document.querySelectorAll('.button:not(.button-icon)')
        return {
          overflow: root.scrollWidth - root.clientWidth,
          titleGap: main && title ? Math.round(main.right - title.right) : null,
          wordless: [...buttons].filter((button) =>
            [button, ...button.children].some((part) => getComputedStyle(part).fontSize === '0px'),
          ).length,
          isRailFirst: rail && rail.width > 0 && main ? rail.left >= main.right : true,
        }
      })
      expect([url, shape.overflow, shape.wordless, shape.isRailFirst]).toEqual([url, 0, 0, true])
      expect([url, shape.titleGap]).toEqual([url, expect.toSatisfy((gap: number) => gap < 80)])
      if (url === `${base}/beneficiaries`) await expectPicture(page, `right-to-left-${size}`)
    }
  })
})
