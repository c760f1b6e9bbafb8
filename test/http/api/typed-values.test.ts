/** Tests that pages without scripts store typed values as they are meant, or ask about them, and change none silently. */
import { parse } from 'node-html-parser'
import { expect, test } from 'vitest'
import { fieldIn } from '../../support/form.ts'
import { companyPages } from '../../support/hosted-page.ts'
import { sharedInstance, unique } from '../../support/instance.ts'

const gatehouse = await sharedInstance({ worker: true })
const { api } = gatehouse
const { begin, kybOf, send, signIn } = companyPages(gatehouse)

const REFUSED = null
type Stored = string | null
/** The typed text, and what an English and a German page store. A page that stores nothing asks again. */
type Row = readonly [typed: string, english: Stored, german?: Stored]

const VALUES: Readonly<Record<string, readonly Row[]>> = {
  'usage_of_account.trx_value_monthly': [
    ['72.500', REFUSED, '72500'],
    ['72,500', '72500', REFUSED],
    ['€72,500', '72500', REFUSED],
    ['72.500 €', REFUSED, '72500'],
    ['72 500 EUR', '72500'],
    ['72’500.–', '72500.00'],
    ['EUR 1.072.500,50', '1072500.50'],
    ['€1,072,500.50 a month', '1072500.50'],
    ['７２５００', '72500'],
    ['٧٢٥٠٠', '72500'],
    ['\u200e72500\u200f', '72500'],
    ['1072.500', '1072.500', REFUSED],
    ['$72,500', REFUSED],
    ['72k', REFUSED],
    ['about 72500', '72500'],
  ],
  'usage_of_account.trx_count_monthly': [
    ['3.200', REFUSED, '3200'],
    ['3,200', '3200', REFUSED],
    ['3 200', '3200'],
    ['€320', REFUSED],
  ],
  'nature_of_business.phone': [
    ['\u202a+49 89 123456\u202c', '+4989123456'],
    ['+49‑89‑123456', '+4989123456'],
    ['＋４９ ８９ １２３４５６', '+4989123456'],
    ['089 / 123456', '+4989123456'],
    ['0049 (0)89 123456', '+4989123456'],
    ['89 and so on', REFUSED],
  ],
  'nature_of_business.email': [
    ['info@firma.xn--p1ai', 'info@firma.xn--p1ai'],
    ['info@firma.рф', 'info@firma.рф'],
    ["r&d/o'neil!@example.com", "r&d/o'neil!@example.com"],
    ['\u2066info@example.com\u2069', 'info@example.com'],
    ['a..b@docomo.ne.jp', REFUSED],
    ['info at example.com', REFUSED],
    ['ｉｎｆｏ＠ｅｘａｍｐｌｅ．ｃｏｍ', 'info@example.com'],
    ['Ada Lovelace <info@example.com>', 'info@example.com'],
    ['mailto:info@example.com', 'info@example.com'],
    ['info@example.com,', 'info@example.com'],
  ],
  'nature_of_business.date_of_incorporation': [
    ['2015-02-28', '2015-02-28'],
    ['2015/2/28', '2015-02-28'],
    ['28.2.2015', '2015-02-28'],
    ['28. 02. 2015', '2015-02-28'],
    ['２０１５-０２-２８', '2015-02-28'],
    ['28 February 2015', '2015-02-28', REFUSED],
    ['28\u00a0February\u00a02015', '2015-02-28', REFUSED],
    ['28. März 2015', REFUSED, '2015-03-28'],
    ['28 Feb. 2015', '2015-02-28'],
    ['28 F 2015', REFUSED],
    ['28.2.15', REFUSED],
    ['2/28/2015', REFUSED],
    ['29.2.2015', REFUSED],
    ['2015', REFUSED],
  ],
  'nature_of_business.website': [
    ['shop.example.com:8443', 'https://shop.example.com:8443'],
    ['example.com?shop=7', 'https://example.com?shop=7'],
    ['xn--bcher-kva.example/a', 'https://xn--bcher-kva.example/a'],
    ['bücher.example', 'https://bücher.example'],
    ['http://http://example.com', REFUSED],
    ['https://www.https://example.com', REFUSED],
  ],
  'nature_of_business.country_address': [
    ['XK', 'XK'],
    ['ZZ', REFUSED],
  ],
  'usage_of_account.list_of_countries_operated': [
    ['XK', 'XK'],
    ['ZZ', REFUSED],
  ],
}
const ROWS = Object.entries(VALUES).flatMap(([path, rows]) => rows.map((row) => [path, ...row] as const))

test.each(['en', 'de'])('in the language %s', async (language) => {
  const externalUuid = unique()
  const { base, headers, csrf } = await signIn(await begin(externalUuid))
  const inLanguage = { ...headers, 'Accept-Language': language }
  const { id } = await kybOf(externalUuid)
  const read = async () => (await api.get(`/kyb/${id}`)).body.data
  await api.patch(`/kyb/${id}`, { nature_of_business: { country_of_incorporation: 'DE' } })
  for (const [path, typed, english, german = english] of ROWS) {
    const [section = '', name = ''] = path.split('.')
    const page = `${base}/${section}`
    const expected = language === 'en' ? english : german
    await api.patch(`/kyb/${id}`, { [section]: { [name]: null } })
    const answer = await send(page, { _csrf: csrf, [path]: typed }, inLanguage)
    const shown = await answer.text()
    const label = `${path}: ${typed}`
    expect([answer.status, (await read())[section][name]], label).toEqual([
      expected === REFUSED ? 422 : 303,
      expected,
    ])
    if (expected === REFUSED) expect(shown, label).toContain(`id="${path}-problem"`)
    else {
      // A page that is sent again without a change changes nothing.
      const again = await (await send(page, undefined, inLanguage)).text()
      const was = `was:${path}`
      const form = { _csrf: csrf, [path]: fieldIn(again, path), [was]: fieldIn(again, was) }
      expect((await send(page, form, inLanguage)).status, label).toBe(303)
      expect((await read())[section][name], label).toBe(expected)
    }
  }
})

test.each([
  ['en', '€72,500 a month'],
  ['de', '72.500 € pro Monat'],
])('an amount is repeated in words in the language %s: %s', async (language, echo) => {
  const externalUuid = unique()
  const { base, headers, csrf } = await signIn(await begin(externalUuid))
  const inLanguage = { ...headers, 'Accept-Language': language }
  const path = 'usage_of_account.trx_value_monthly'
  await send(`${base}/usage_of_account`, { _csrf: csrf, [path]: '72500' }, inLanguage)
  const page = await (await send(`${base}/usage_of_account`, undefined, inLanguage)).text()
  expect(page.replaceAll('\u00a0', ' ')).toContain(echo)
})

test.each([
  ...['HK', 'AE', 'PA', 'IE', 'AO', 'QA', 'ZW', 'BS', 'JM', 'GH'].map((country) => [country, false] as const),
  ...['DE', 'XK', 'US', 'GB', 'JP', 'SG', 'IN', 'BR', 'ZA', 'KE'].map((country) => [country, true] as const),
])('a postcode in %s is required: %s', async (country, isRequired) => {
  const id = await api.createKyb()
  await api.patch(`/kyb/${id}`, { nature_of_business: { country_address: country } })
  const { currently_due } = (await api.get(`/kyb/${id}`)).body.data.requirements
  expect(currently_due.includes('nature_of_business.postal_code_address')).toBe(isRequired)
})

test('an address has the words and the order of its country, and a script gets the new labels', async () => {
  const externalUuid = unique()
  const { base, headers, csrf } = await signIn(await begin(externalUuid))
  const page = `${base}/nature_of_business`
  const form = { _csrf: csrf, 'nature_of_business.country_address': 'US' }
  const { parts } = await (await send(page, form, { ...headers, Accept: 'application/json' })).json()
  expect(parts['label[for="nature_of_business.postal_code_address"]']).toContain('>ZIP code ')
  const shown = parse(await (await send(page, undefined, headers)).text())
  const labels = shown.querySelectorAll('label').map(({ textContent }) => textContent.trim())
  const first = labels.indexOf('Country')
  expect(labels.slice(first, first + 5)).toEqual([
    'Country',
    'Street and number',
    'City',
    'State (optional)',
    'ZIP code',
  ])
})
