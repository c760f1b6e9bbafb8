/** Rules for phone numbers, email addresses and the hosts of web addresses, as people write them. */
import { domainToASCII } from 'node:url'
import { type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js'
import { asciiDigits, cleanText } from '../domain/base/clean-text.ts'

/** The maximum length of a number as people write it, because the patterns take quadratic time. */
const MAX_PHONE = 100
const E164 = /^\+[1-9]\d{5,14}$/
const DASHES = /[\p{Pd}\u2212\u30fc]/gu
/** Points and lines that separate groups of digits. */
const POINTS = /[\u00b7\u2022\u30fb_]/g
/** A trunk prefix (0) after a country code. It is not dialled, except in countries such as Italy. */
const TRUNK = /(?<=[+0].*)\( ?0 ?\)/

/**
 * Returns a phone number in the format E.164, or null if it is not one. A number without a country code belongs to
 * `country`, an ISO 3166-1 alpha-2 code.
 */
export function readPhone(text: string, country?: string): string | null {
  if (E164.test(text)) return text
  if (text.length > MAX_PHONE) return null
  const number = asciiDigits(cleanText(text).normalize('NFKC'))
    .replace(DASHES, '-')
    .replace(POINTS, '.')
    .replace(/\s+/g, ' ')
    .replace(/^ ?(tel|phone|telefon)[.:]* ?/i, '')
  const readings = ['', '0'].map((trunk) =>
    number
      .replace(TRUNK, trunk)
      .replace(/^[ (]*0[ (]*0(?=[\d )])/, '+')
      .trim(),
  )
  if (!readings.every((each) => /^\(?\+?[\d ()./-]+$/.test(each))) return null
  const digits = readings.map((each) => each.replace(/[ ()./-]/g, ''))
  const known = digits.map((each) => parsePhoneNumberFromString(each, country as CountryCode))
  const found = known.find((each) => each?.isValid()) ?? known[0]
  if (found?.isPossible()) return found.number
  return digits.find((each) => E164.test(each)) ?? null
}

/** The fields with the country of a company or person, the most telling first. */
const HOME = ['country_address', 'country_of_incorporation', 'address_country', 'nationality']

/** Returns the country to which a phone number without a country code belongs, if there is one. */
export const homeOf = (valueAt: (name: string) => unknown): string | undefined =>
  HOME.map(valueAt).find((value): value is string => typeof value === 'string' && value !== '')

/** Returns the fields of a request, with its phone number in the format E.164 if one of its countries completes it. */
export function withFullPhone(fields: unknown): unknown {
  if (typeof fields !== 'object' || fields === null || !('phone' in fields)) return fields
  const { phone } = fields
  const home = homeOf((name) => (fields as Record<string, unknown>)[name])
  return typeof phone === 'string' ? { ...fields, phone: readPhone(phone, home) ?? phone } : fields
}

const LABEL = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?'
const HOST = new RegExp(`^(${LABEL}\\.)+([a-z]{2,63}|xn--[a-z0-9-]{1,59})$`)

/** The maximum length of a host, in any script. The conversion to ASCII takes quadratic time. */
const MAX_HOST = 253

/**
 * The signs of a host in any script, with wide points. The conversion removes line breaks and invisible characters,
 * decodes percent signs, and ends at a slash.
 */
const HOST_SIGNS = /^(?:[\p{L}\p{M}\p{N}.\u3002\uff0e\uff61-]|\u200c|\u200d)+$/u

/** Returns whether the text is the name of a host on the internet, in ASCII or in any script. */
const isHostName = (host: string): boolean => {
  if (host.length > MAX_HOST || !HOST_SIGNS.test(host) || host !== cleanText(host)) return false
  const ascii = domainToASCII(host)
  return ascii.length <= MAX_HOST && HOST.test(ascii)
}

export const AN_EMAIL =
  'Send one email address without spaces, with ASCII characters before the @, such as ada@example.com.'

const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
const LOCAL_PART = new RegExp(`^${ATOM}(\\.${ATOM})*$`)
/** The pattern of an address whose host is in ASCII. */
export const EMAIL_PATTERN = `^${ATOM}(\\.${ATOM})*@(${LABEL.replaceAll('a-z', 'A-Za-z')}\\.)+([A-Za-z]{2,63}|xn--[A-Za-z0-9-]{1,59})$`

/**
 * Returns whether mail servers can deliver to the address (RFC 5321). Addresses with quoted names, and with numbers in
 * place of a host, are not accepted.
 */
export function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@')
  const [local, host] = [text.slice(0, at), text.slice(at + 1)]
  return at > 0 && local.length <= 64 && LOCAL_PART.test(local) && isHostName(host)
}

/** Returns an email address without what people copy with it, and with the signs of ASCII. */
export function readEmail(text: string): string {
  const plain = asciiDigits(text)
    .replace(/^[^<>]*<([^<>]*)>$/, '$1')
    .replace(/^mailto:/i, '')
    .replace(/[.,;]$/, '')
    .trim()
  return !isEmail(text) && isEmail(plain) ? plain : text
}

const IPV4 = /^\d{1,3}(\.\d{1,3}){3}$/
/**
 * Two slashes and a host, possibly with a port. Parsers also accept other numbers of slashes, backslashes, and a colon
 * without a port. The length is limited, because they take quadratic time.
 */
const AUTHORITY = /^https?:\/\/[^/\\?#]{0,260}[^/\\?#:]([/?#]|$)/i

/** Returns whether the URL leads to a host on the internet. */
export function hasInternetHost(url: string): boolean {
  if (!AUTHORITY.test(url)) return false
  const { hostname = '', username = '' } = URL.parse(url) ?? {}
  // A number such as 1.5 is the short form of an IP address.
  const isAddress = IPV4.test(hostname) && url.includes(hostname)
  return username === '' && (isAddress || isHostName(hostname.replace(/\.$/, '')))
}

/** Returns the text as an HTTP URL, with `https` if it has no protocol, or null if it is not one. */
export function readWebAddress(text: string): string | null {
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text.replace(/^\/\//, '')}`
  return hasInternetHost(url) ? url : null
}
