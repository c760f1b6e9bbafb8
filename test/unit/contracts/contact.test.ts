/** Tests phone numbers, email addresses and web addresses as people write them. */
import { type CountryCode, getExampleNumber } from 'libphonenumber-js'
import examples from 'libphonenumber-js/mobile/examples'
import { describe, expect, test } from 'vitest'
import { findProblems } from '../../../src/contracts/check.ts'
import { hasInternetHost, isEmail, readPhone, readWebAddress } from '../../../src/contracts/contact.ts'
import { VALUES } from '../../../src/contracts/field.ts'
import { patchKybBody } from '../../../src/contracts/kyb-application.ts'
import { cpuMsOf } from '../../support/cpu-time.ts'

describe('a phone number', () => {
  test.each(Object.keys(examples) as CountryCode[])('of %s is read as people there write it', (country) => {
    const example = getExampleNumber(country, examples)
    const written = [example?.formatInternational(), example?.format('RFC3966'), example?.formatNational()]
    expect(written.map((text = '') => readPhone(text, country))).toEqual(Array(3).fill(example?.number))
  })

  test.each([
    ['+4930123456', '+4930123456'],
    ['+49 30 123456', '+4930123456'],
    ['+49 (0)30 123456', '+4930123456'],
    ['0049 30 123456', '+4930123456'],
    ['\u202a+49 30 123456\u202c', '+4930123456'],
    ['\u200e+49\u00a030\u2011123456', '+4930123456'],
    ['+49–30–123456', '+4930123456'],
    ['+49−30−123456', '+4930123456'],
    ['＋４９３０１２３４５６', '+4930123456'],
    ['+٤٩٣٠١٢٣٤٥٦', '+4930123456'],
    ['+1.202.555.0123', '+12025550123'],
    ['+44 20 7946 0958', '+442079460958'],
    ['+383 38 123 456', '+38338123456'],
    ['+49 030 123456', '+4930123456'],
    ['+39 06 12345678', '+390612345678'],
    ['+(49) 30 123456', '+4930123456'],
    ['(0049) 30 123456', '+4930123456'],
    ['00 49 30 123456', '+4930123456'],
    ['+４９ （０）３０ １２３４５６', '+4930123456'],
    ['⁺49 30 123456', '+4930123456'],
    ['+49·30·123456', '+4930123456'],
    ['+49_30_123456', '+4930123456'],
    ['+49\t30\t123456', '+4930123456'],
    ['\u2066+49 30 123456\u2069', '+4930123456'],
    ['+49\u200b30\ufeff123456', '+4930123456'],
    ['+49\u00ad30\u2012123456', '+4930123456'],
    ['+๔๙๓๐๑๒๓๔๕๖', '+4930123456'],
    ['tel:+4930123456', '+4930123456'],
    ['Tel.: +49 30 123456', '+4930123456'],
    ['+81・3・1234・5678', '+81312345678'],
    ['+5215512345678', '+5215512345678'],
    ['+39 (0)6 12345678', '+390612345678'],
    ['0039 (0)6 12345678', '+390612345678'],
    ['+39 (0)333 1234567', '+393331234567'],
    ['+378 (0)549 882310', '+3780549882310'],
    ['+225 (0)1 02 03 04 05', '+2250102030405'],
    ['+48 (0)22 123 45 67', '+48221234567'],
    ['+44 (0) 20 7946 0958', '+442079460958'],
    ['+999 (0)12 34567', '+9991234567'],
  ])('%j is read as %s, whatever the country', (text, expected) => {
    expect(readPhone(text)).toBe(expected)
    expect(readPhone(text, 'US')).toBe(expected)
    expect(VALUES.phone.parse(text)).toBe(expected)
  })

  test.each([
    ['030 123456', 'DE', '+4930123456'],
    ['(030) 123-456', 'DE', '+4930123456'],
    ['020 7946 0958', 'GB', '+442079460958'],
    ['(202) 555-0123', 'US', '+12025550123'],
    ['06 12 34 56 78', 'FR', '+33612345678'],
    ['０９０−１２３４−５６７８', 'JP', '+819012345678'],
    ['06 6982', 'IT', '+39066982'],
    ['044 668 18 00', 'CH', '+41446681800'],
    ['0151/2345678', 'DE', '+491512345678'],
    ['Tel. 030 123456', 'DE', '+4930123456'],
    ['8 (495) 123-45-67', 'RU', '+74951234567'],
    ['044 123 456', 'XK', '+38344123456'],
    ['٠٥٠١٢٣٤٥٦٧', 'SA', '+966501234567'],
    ['03ー1234ー5678', 'JP', '+81312345678'],
    ['2123 4567', 'HK', '+85221234567'],
    ['01 234 5678', 'IE', '+35312345678'],
    ['6123 4567', 'SG', '+6561234567'],
    ['011 44 20 7946 0958', 'US', '+442079460958'],
    ['210 1234567', 'GR', '+302101234567'],
  ])('%j of %s is read as %s', (text, country, expected) => {
    expect(readPhone(text, country)).toBe(expected)
  })

  test.each([
    ['030 123456', undefined],
    ['12', 'DE'],
    ['call me', 'DE'],
    ['+49', 'DE'],
    ['+0301234567', 'DE'],
    ['030 123456 ext. 7', 'DE'],
    ['030 123456 / 030 654321', 'DE'],
    ['+4930123456, +4930654321', 'DE'],
    ['1800 FLOWERS', 'US'],
    ['112', 'DE'],
    ['030 123456', 'ZZ'],
    ['++49 30 123456', 'DE'],
    ['30+49123456', 'DE'],
    ['', 'DE'],
    ['1'.repeat(30), 'DE'],
  ])('%j of %s is refused', (text, country) => {
    expect(readPhone(text, country)).toBeNull()
  })
})

describe('an email address', () => {
  test.each([
    'ada@example.com',
    "o'hara@example.com",
    'a&b@example.com',
    'a/b@example.com',
    'hey!@example.com',
    'a+b=c@example.com',
    '{x}~|@example.com',
    'ada@example.xn--p1ai',
    'ada@xn--mller-kva.example',
    'ada@münchen.example',
    'ada@пример.рф',
    'ada@例え.テスト',
    'ada@例え。テスト',
    'ada@नेपाल.भारत',
    'ada@نامه\u200cای.com',
    'ada@sub.sub.example.museum',
    `${'a'.repeat(64)}@example.com`,
  ])('%s is accepted', (text) => {
    expect(isEmail(text)).toBe(true)
    expect(findProblems(VALUES.email, text)).toEqual([])
  })
  test.each([
    'ada',
    'ada@',
    '@example.com',
    'ada@example',
    'ada@localhost',
    'ada@127.0.0.1',
    'ada@[127.0.0.1]',
    'a..b@docomo.ne.jp',
    '.a@example.com',
    'a.@example.com',
    'a b@example.com',
    '"a b"@example.com',
    'ädä@example.com',
    'ada@exa mple.com',
    'ada@-example.com',
    'ada@example..com',
    'ada@example.com, bob@example.com',
    'ada@bob@example.com',
    'Ada <ada@example.com>',
    'ada@example.com\u0000',
    'ada@example.com\n',
    'ada@example\n.com',
    'ada@example.com\t',
    'ada@exam\tple.com',
    'ada@example.com\r\nBcc: bob@example.com',
    'ada@example.com/path',
    'ada@example.com?query',
    'ada@example.com#fragment',
    'ada@example.com\\path',
    'ada@example.com:25',
    'ada@ex%61mple.com',
    'ada@example.com\ufeff',
    'ada@exam\u00adple.com',
    'ada@exam\u200bple.com',
    'ada@example.com\ufe0f',
    `${'a'.repeat(65)}@example.com`,
    `a@${'b'.repeat(64)}.com`,
  ])('%j is refused', (text) => {
    expect(isEmail(text)).toBe(false)
    expect(findProblems(VALUES.email, text)).toHaveLength(1)
  })
})

describe('a web address', () => {
  test.each([
    ['example.com', 'https://example.com'],
    ['www.example.com/a', 'https://www.example.com/a'],
    ['example.com:8080', 'https://example.com:8080'],
    ['example.com?x=1', 'https://example.com?x=1'],
    ['example.com#top', 'https://example.com#top'],
    ['xn--mller-kva.example', 'https://xn--mller-kva.example'],
    ['müller.example/ä', 'https://müller.example/ä'],
    ['пример.рф', 'https://пример.рф'],
    ['example.xn--p1ai', 'https://example.xn--p1ai'],
    ['http://example.com', 'http://example.com'],
    ['HTTPS://Example.com', 'HTTPS://Example.com'],
    ['https://192.0.2.1/', 'https://192.0.2.1/'],
    ['//example.com', 'https://example.com'],
    ['example.com.', 'https://example.com.'],
    ['example.com/https://example.org', 'https://example.com/https://example.org'],
    ['https.example', 'https://https.example'],
    ['example.com:8080/a?b=1#c', 'https://example.com:8080/a?b=1#c'],
    ['пример.рф:81?x', 'https://пример.рф:81?x'],
  ])('%s is read as %s', (text, expected) => {
    expect(readWebAddress(text)).toBe(expected)
    expect(findProblems(VALUES.url, expected)).toEqual([])
  })
  test.each([
    'https://https://example.com',
    'http://http//example.com',
    'https://www.https://example.com',
    'www.https://example.com',
    'https:////example.com',
    'https:/example.com',
    'https:example.com',
    'https:\\\\example.com',
    'example.com\\a',
    'https//example.com',
    'https://example.com:',
    'example.com:99999',
    'example.com:abc',
    'htps://example.com',
    'www.example.com, www.example.org',
    '[::1]',
    'https://localhost',
    'https://example',
    'https://',
    'ftp://example.com',
    'javascript:alert(1)',
    'mailto:ada@example.com',
    'https://ada:secret@example.com',
    'ada@example.com',
    'our site',
    '1.5',
    'n.a.',
    'none',
    '-',
  ])('%s is refused', (text) => {
    expect(readWebAddress(text)).toBeNull()
  })
  test('of the API needs its protocol', () => {
    expect(hasInternetHost('example.com')).toBe(false)
    expect(findProblems(VALUES.url, 'https://https://example.com')).toHaveLength(1)
  })
})

test('a national number is read with the country of the same request', () => {
  const read = (section: object) => patchKybBody.parse({ nature_of_business: section }).nature_of_business
  expect(read({ phone: '030 123456', country_address: 'DE' })).toMatchObject({ phone: '+4930123456' })
  expect(read({ phone: '030 123456', country_of_incorporation: 'DE' })).toMatchObject({
    phone: '+4930123456',
  })
  expect(findProblems(patchKybBody, { nature_of_business: { phone: '030 123456' } })).toHaveLength(1)
})

test('refuses long hosts in any script without converting them', () => {
  const host = String.fromCodePoint(...Array.from({ length: 5_000 }, (_, n) => 0x4e00 + n))
  const ms = cpuMsOf(() => {
    for (const each of Array.from({ length: 20 }, (_, n) => `${host}${n}.de`)) {
      expect(isEmail(`ada@${each}`)).toBe(false)
      expect(readWebAddress(each)).toBeNull()
    }
  })
  expect(ms).toBeLessThan(500)
})
