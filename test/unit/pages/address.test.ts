/** Tests that the parts of an address have the order and the words of its country. */
import { expect, test } from 'vitest'
import { COUNTRY_CODES } from '../../../src/domain/fields/countries.ts'
import {
  addressLabel,
  addressTexts,
  inAddressOrder,
  wholeAddress,
} from '../../../src/pages/components/address.ts'
import { translate } from '../../../src/pages/texts/index.ts'

const COMPANY = [
  'name',
  'legal_address',
  'postal_code_address',
  'city_address',
  'state_address',
  'country_address',
]

test.each([
  ['DE', 'legal_address postal_code_address city_address state_address'],
  ['FR', 'legal_address postal_code_address city_address state_address'],
  ['XK', 'legal_address postal_code_address city_address state_address'],
  ['ES', 'legal_address postal_code_address city_address state_address'],
  ['GB', 'legal_address city_address postal_code_address state_address'],
  ['US', 'legal_address city_address state_address postal_code_address'],
  ['AU', 'legal_address city_address state_address postal_code_address'],
  ['IN', 'legal_address city_address postal_code_address state_address'],
  ['HU', 'city_address legal_address postal_code_address state_address'],
  ['AE', 'legal_address state_address postal_code_address city_address'],
  ['HK', 'legal_address city_address state_address postal_code_address'],
])('the parts of an address in %s are %s', (country, order) => {
  expect(inAddressOrder(country, COMPANY)).toEqual(['name', 'country_address', ...order.split(' ')])
})

test('no part of an address is lost, and other fields keep their positions', () => {
  for (const country of COUNTRY_CODES) {
    const ordered = inAddressOrder(country, COMPANY)
    expect(ordered.toSorted(), country).toEqual(COMPANY.toSorted())
    expect(ordered.slice(0, 2)).toEqual(['name', 'country_address'])
  }
  expect(inAddressOrder(undefined, COMPANY)).toEqual([...new Set(['name', 'country_address', ...COMPANY])])
})

test.each([
  ['postal_code_address', 'US', 'ZIP code', 'ZIP-Code'],
  ['postal_code_address', 'IE', 'Eircode', 'Eircode'],
  ['postal_code', 'IN', 'PIN code', 'PIN-Code'],
  ['postal_code', 'DE', 'Postcode', 'Postleitzahl'],
  ['state_address', 'US', 'State', 'Bundesstaat'],
  ['state_address', 'JP', 'Prefecture', 'Präfektur'],
  ['state_address', 'AE', 'Emirate', 'Emirat'],
  ['state_address', 'XK', 'State or region', 'Bundesland oder Region'],
  ['city_address', 'TR', 'District', 'Bezirk'],
  ['city', undefined, 'City', 'Ort'],
  ['legal_address', 'US', 'Street and number', 'Straße und Hausnummer'],
])('%s is labelled as in %s', (field, country, english, german) => {
  expect([
    addressLabel(translate('en'), field, country),
    addressLabel(translate('de'), field, country),
  ]).toEqual([english, german])
})

test.each([
  ['GB', 'Postcode', 'Town or city'],
  ['US', 'ZIP code', 'City'],
  ['DE', 'Postcode', 'City'],
  [undefined, 'Postcode', 'City'],
])('the pages of a person in %s name the postcode %s and the city %s', (country, postcode, city) => {
  expect(addressTexts(translate('en'), country)).toEqual({
    'field.postal_code': postcode,
    'field.city': city,
  })
})

test.each([
  ['DE', ['Invalidenstr. 1', '10115 Berlin']],
  ['GB', ['Invalidenstr. 1', 'Berlin', '10115']],
  // Without a country, and where a country has no postcodes, each part has a line.
  [null, ['Invalidenstr. 1', '10115', 'Berlin']],
  ['AE', ['Invalidenstr. 1', '10115', 'Berlin']],
])('an address in %s is one row', (country, lines) => {
  const values = {
    legal_company_name: 'Engines Ltd',
    legal_address: 'Invalidenstr. 1',
    postal_code_address: '10115',
    city_address: 'Berlin',
    country_address: country,
  }
  const names = ['legal_address', 'postal_code_address', 'city_address']
  expect(wholeAddress(Object.keys(values), values)).toEqual({ names, lines })
})

test('no part of a whole address is lost in any country, and one part is no address', () => {
  const values = { address: 'Street 1', postal_code: '12345', city: 'Town' }
  for (const address_country of COUNTRY_CODES) {
    const { lines } =
      wholeAddress([...Object.keys(values), 'address_country'], { ...values, address_country }) ?? {}
    for (const value of Object.values(values)) expect(lines?.join(' '), address_country).toContain(value)
  }
  expect(wholeAddress(['address', 'city'], { address: 'Street 1', city: '' })).toBeNull()
})
