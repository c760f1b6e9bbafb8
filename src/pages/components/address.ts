/**
 * Orders and names the parts of an address as people in its country do. The order comes from `localized-address-format`,
 * and the words from Google's address data. A test compares the words with this data.
 */
import { formatAddress } from 'localized-address-format'
import type { Translate } from '../texts/index.ts'
import { labelOf } from './fields.tsx'

type Part = 'street' | 'postcode' | 'city' | 'state'
const PARTS: Readonly<Record<string, Part>> = {
  legal_address: 'street',
  address: 'street',
  postal_code_address: 'postcode',
  postal_code: 'postcode',
  city_address: 'city',
  city: 'city',
  state_address: 'state',
}
const partOf = (path: string): Part | undefined => PARTS[path.split('.').at(-1) ?? '']
export const isAddressPart = (path: string): boolean => partOf(path) !== undefined

/** The country of an address, or undefined if it is not known. */
export type AddressCountry = string | undefined

/** Returns the position of a part in the addresses of a country. Parts that they do not have come last. */
function positionIn(country: string): (part: Part) => number {
  const address = formatAddress(
    {
      postalCountry: country,
      addressLines: ['street'],
      postalCode: 'postcode',
      locality: 'city',
      administrativeArea: 'state',
    },
    'latin',
  ).join()
  return (part) => (address.includes(part) ? address.indexOf(part) : address.length)
}

/** The fields with the country of an address. */
const COUNTRIES: readonly unknown[] = ['country_address', 'address_country']
const isCountry = (path: string): boolean => COUNTRIES.includes(path.split('.').at(-1))

/**
 * Returns the paths with those of the address in the order of the country. The country is first, because it names the
 * other parts. Other paths keep their positions.
 */
export function inAddressOrder(country: AddressCountry, paths: readonly string[]): readonly string[] {
  const at = country === undefined ? () => 0 : positionIn(country)
  const placeOf = (path: string) => (isCountry(path) ? -1 : at(partOf(path) as Part))
  const isOfAddress = (path: string) => isAddressPart(path) || isCountry(path)
  const ordered = paths.filter(isOfAddress).toSorted((one, other) => placeOf(one) - placeOf(other))
  return paths.map((path) => (isOfAddress(path) ? (ordered.shift() ?? path) : path))
}

export interface WholeAddress {
  /** The names of the fields that the lines contain. */
  readonly names: readonly string[]
  readonly lines: readonly string[]
}

/**
 * Returns the given parts of the address among these fields, in the lines of its country. Returns null if fewer than
 * two parts are given. Countries whose addresses do not have a part get one line for each part.
 */
export function wholeAddress(
  names: readonly string[],
  values: Readonly<Record<string, unknown>>,
): WholeAddress | null {
  const given = new Map<Part, string>()
  for (const name of names) {
    const [part, value] = [partOf(name), values[name]]
    if (part && typeof value === 'string' && value !== '') given.set(part, value)
  }
  if (given.size < 2) return null
  const country = names.find(isCountry)
  const { street = '', postcode = '', city = '', state = '' } = Object.fromEntries(given)
  const lines = formatAddress(
    {
      postalCountry: String(country ? (values[country] ?? '') : ''),
      addressLines: [street].filter(Boolean),
      postalCode: postcode,
      locality: city,
      administrativeArea: state,
    },
    'latin',
  )
  const isWhole = [...given.values()].every((value) => lines.some((line) => line.includes(value)))
  return {
    names: names.filter((name) => given.has(partOf(name) as Part)),
    lines: isWhole ? lines : [...given.values()],
  }
}

/** The countries of each word for a part, in Google's terms. Other countries use the general label. */
export const ADDRESS_WORDS = {
  postcode: { zip: 'AS FM GU MH MP PR PW UM US VI', eircode: 'IE', pin: 'IN' },
  city: { suburb: 'AU', post_town: 'GB NO SE SJ', district: 'HK PE SD SY TR TW' },
  state: {
    emirate: 'AE',
    state: 'AS AU BR FM IN MH MP MX MY NG PW UM US VE VI',
    parish: 'BB JM',
    island: 'BS CV KI KN KY PF SC TV',
    department: 'CO HN NI',
    area: 'HK',
    county: 'IE TW',
    prefecture: 'JP',
    do_si: 'KR',
    district: 'NR',
    oblast: 'RU UA',
  },
} as const satisfies Partial<Record<Part, Readonly<Record<string, string>>>>
type WordIn<W> = W extends unknown ? keyof W & string : never
type Word = WordIn<(typeof ADDRESS_WORDS)[keyof typeof ADDRESS_WORDS]>

/** Returns the labels of a person's address in the words of the country. */
export const addressTexts = (t: Translate, country: AddressCountry) =>
  Object.fromEntries(
    ['postal_code', 'city'].map((field) => [`field.${field}`, addressLabel(t, field, country)]),
  )

/** Returns the label of a field. The parts of an address have the words of the country. */
export function addressLabel(t: Translate, field: string, country: AddressCountry): string {
  const words: Readonly<Record<string, string>> = { street: {}, ...ADDRESS_WORDS }[partOf(field) ?? 'street']
  const [word] = Object.entries(words).find(([, codes]) => codes.split(' ').includes(country ?? '')) ?? []
  const isOwn = t.own?.[`field.${field}`] !== undefined
  return word === undefined || isOwn ? labelOf(t, field) : t(`address.${word as Word}`)
}
