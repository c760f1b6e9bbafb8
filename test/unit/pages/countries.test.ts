/** Tests that the lists of countries agree with the libraries from which they come. */
import countries from 'i18n-iso-countries'
import { formatAddress } from 'localized-address-format'
import { expect, test } from 'vitest'
import { COUNTRY_CODES, NO_POSTCODE } from '../../../src/domain/fields/countries.ts'
import { COUNTRIES } from '../../../src/pages/components/countries.ts'

test('contain every country, and Kosovo', () => {
  expect(COUNTRY_CODES).toEqual(Object.keys(countries.getAlpha2Codes()).sort())
  expect(COUNTRY_CODES).toContain('XK')
})

test('contain every country whose addresses have no postcode, and Ireland', () => {
  const parts = { postalCode: 'POSTCODE', locality: 'City', addressLines: ['Street 1'] }
  const without = COUNTRY_CODES.filter(
    (postalCountry) =>
      !formatAddress({ postalCountry, ...parts })
        .join()
        .includes('POSTCODE'),
  )
  expect(NO_POSTCODE).toEqual([...without, 'IE'].sort())
  for (const country of ['HK', 'AE', 'QA', 'PA']) expect(NO_POSTCODE).toContain(country)
  for (const country of ['DE', 'GB', 'US', 'SG', 'XK']) expect(NO_POSTCODE).not.toContain(country)
})

test('have a name in each language', () => {
  for (const list of Object.values(COUNTRIES))
    expect(list.filter(({ option, label }) => label === option)).toEqual([])
})
