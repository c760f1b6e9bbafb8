/** Tests the size of pages with fifty added fields. */
import { parse } from 'node-html-parser'
import { expect, test } from 'vitest'
import { companyPages } from '../../support/hosted-page.ts'
import { addVault, sharedInstance, unique } from '../../support/instance.ts'
import { documentOf, labelled, profilesOf, row, text } from '../../support/profile.ts'

const gatehouse = await sharedInstance({ worker: true })

const TYPES = ['short_text', 'boolean', 'number_text', 'date', 'some_of'] as const
const SECTIONS = ['nature_of_business', 'usage_of_account', 'business_files']
const FIFTY = Array.from({ length: 50 }, (_, n) => {
  const type = TYPES[n % TYPES.length]
  return row(`field_${n}`, {
    type,
    section: SECTIONS[n % SECTIONS.length],
    label: text(`Question number ${n}, with the words that a question needs?`),
    help: text('As on the certificate of the authority.'),
    required: true,
    ...(type === 'some_of' && labelled(type, ['a', 'b', 'c'])),
    ...(n % 10 === 9 && { asked: { field: `additional.field_${n - 8}`, is: true } }),
  })
})

const onOnePage = documentOf(FIFTY.map((each) => ({ ...each, section: 'nature_of_business' })))

/** Returns the number of countries in each list of a page. Each list also has an empty option, which comes first. */
const listsOf = (page: string): number[] =>
  parse(page)
    .querySelectorAll('select[data-countries]')
    .map((list) => {
      const [first, ...countries] = list.querySelectorAll('option')
      expect([first?.getAttribute('value'), first?.text]).toEqual(['', 'Choose…'])
      return countries.length
    })

test('a page with fifty added fields has less than 60 kB, and complete lists for browsers without scripts', async () => {
  const vault = await addVault(gatehouse)
  await (await profilesOf(vault)).publish(onOnePage)
  const pages = companyPages({ ...gatehouse, api: vault.api })
  const { base, headers, csrf } = await pages.signIn(await pages.begin(unique()))
  const address = `${base}/nature_of_business`
  const saved = { 'nature_of_business.country_address': 'DE' }
  expect((await pages.send(address, { _csrf: csrf, ...saved }, headers)).status).toBe(303)
  const page = await (await pages.send(address, undefined, headers)).text()
  expect(Buffer.byteLength(page)).toBeLessThan(60_000)
  const [first = 0, ...others] = listsOf(page)
  expect(first).toBeGreaterThan(200)
  expect(others).toEqual([0, 1, 0])
  expect(page).toContain('<option value="DE" selected>Germany</option>')

  const [, query] = /<noscript><meta http-equiv="refresh" content="0;url=([^"]*)"/.exec(page) ?? []
  const complete = await (await pages.send(`${address}${query}`, undefined, headers)).text()
  expect(listsOf(complete)).toEqual(Array(4).fill(first))
  expect(complete).not.toContain('http-equiv="refresh"')
  const wrong = { 'nature_of_business.email': 'nothing', ...saved }
  const refused = await pages.send(address, { _csrf: csrf, ...wrong }, headers)
  expect(refused.status).toBe(422)
  expect(listsOf(await refused.text())).toEqual(Array(4).fill(first))
})

test('an added field adds less than 700 bytes to its page', async () => {
  const sizes: number[] = []
  for (const rows of [[], FIFTY]) {
    const vault = await addVault(gatehouse)
    if (rows.length > 0) await (await profilesOf(vault)).publish(documentOf(rows))
    const pages = companyPages({ ...gatehouse, api: vault.api })
    const { base, headers } = await pages.signIn(await pages.begin(unique()))
    let size = 0
    for (const page of SECTIONS)
      size += (await (await pages.send(`${base}/${page}`, undefined, headers)).text()).length
    sizes.push(size)
  }
  const [byDefault = 0, withFifty = 0] = sizes
  expect(withFifty).toBeGreaterThan(byDefault)
  expect(withFifty - byDefault).toBeLessThan(50 * 700)
})
