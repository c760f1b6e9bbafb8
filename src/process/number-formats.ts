/** Checks numbers that registers, tax offices and banks assign. */
import { createRequire } from 'node:module'
import type { Validator } from 'stdnum'

type Numbers = typeof import('stdnum')

/** Loads the library at the first use, because few profiles need it and its tables take 14 MB. */
const require = createRequire(import.meta.url)
const numbers = (): Numbers => require('stdnum')

/** The numbers of companies in the registers of each country, as the library calls them. */
const REGISTERS: Readonly<Record<string, readonly string[]>> = {
  AT: ['businessid'],
  AU: ['acn', 'abn'],
  BE: ['vat'],
  BR: ['cnpj'],
  CH: ['uid'],
  CN: ['uscc'],
  CZ: ['ico'],
  DK: ['cvr'],
  EE: ['registrikood'],
  FI: ['ytunnus'],
  FR: ['siren', 'siret'],
  IL: ['hp', 'idnr'],
  JP: ['cn'],
  KR: ['brn'],
  MD: ['idno'],
  NO: ['orgnr'],
  PT: ['nipc'],
  RO: ['cui', 'onrc'],
  SE: ['orgnr'],
  SG: ['uen'],
  TW: ['ubn'],
  UA: ['edrpou', 'rntrc'],
}

/** Forms of numbers that the library does not know, without the signs between their parts. */
const OTHER_FORMS: Readonly<Record<'tax_number' | 'registration_number', Readonly<Record<string, RegExp>>>> =
  {
    // The German number of businesses since 2024, and the British number of companies on letters.
    tax_number: { DE: /^DE\d{14}$/, GB: /^\d{10}K$/, TW: /^\d{8}$/ },
    registration_number: {
      // The number in extracts of the register, next to the UID.
      CH: /^CH\d{11}$/,
      JP: /^\d{12}$/,
      KR: /^\d{13}$/,
      // The form since 2024.
      RO: /^[CFJ]\d{13}$/,
      // The number with its century.
      SE: /^(?:1[689]|20)\d{10}$/,
      // The check digit has had another rule since 2023.
      TW: /^\d{8}$/,
    },
  }

/** Removes the signs between the parts of a number, which the library does not ignore in the numbers of all countries. */
const compact = (text: string): string => text.replace(/[\p{Pd}.:/_·]/gu, '')

/** Hungarian tax numbers, which begin with the VAT number. */
const HUNGARIAN = /^(?:HU)?(\d{8})-[1-5]-\d{2}$/

/** No number is longer. The library would spend a long time on longer texts. */
const MAX_LENGTH = 100

const isValidFor = (validators: readonly Validator[], text: string): boolean =>
  validators.length === 0 ||
  (text.length <= MAX_LENGTH &&
    [text, compact(text), text.replace(HUNGARIAN, '$1')].some((form) =>
      validators.some((each) => isValidBy(each, form)),
    ))

function isValidBy(validator: Validator, text: string): boolean {
  try {
    return validator.validate(text).isValid
  } catch {
    return false // The library throws for some texts without a digit.
  }
}

/** Greece and Northern Ireland have other prefixes in VAT numbers than their country codes. */
const PREFIXES: Readonly<Record<string, string>> = { EL: 'GR', XI: 'GB' }
/** The VAT numbers that are not in the library's list. Switzerland and Norway add a word to the register number. */
const OTHER_VAT: Readonly<Record<string, readonly string[]>> = {
  CH: ['vat', 'uid'],
  GB: ['vat'],
  IS: ['vsk'],
  NO: ['mva', 'orgnr'],
}

function isVat(text: string, country: string | undefined): boolean {
  const { stdnum, euVat } = numbers()
  const [prefix = ''] = /^[A-Z]{2}/.exec(text) ?? []
  const validatorsIn = (code: string): readonly Validator[] =>
    OTHER_VAT[code]?.flatMap((name) => stdnum[code]?.[name] ?? []) ?? euVat[code] ?? []
  const named = PREFIXES[prefix] ?? prefix
  if (validatorsIn(named).length > 0) {
    const number = prefix === named ? text : text.slice(2)
    return isValidFor(validatorsIn(named), number) || isValidFor(validatorsIn(named), text.slice(2))
  }
  return country !== undefined && isValidFor(validatorsIn(country), text)
}

/** Returns whether the ISO 7064 check digits at the end of the text are correct. */
function hasCheckDigits(text: string): boolean {
  const digits = [...text].map((sign) => Number.parseInt(sign, 36)).join('')
  return BigInt(digits) % 97n === 1n
}

function isLei(text: string): boolean {
  const [, number] = /^(?:LEI)?([A-Z0-9]{18}\d{2})$/.exec(compact(text)) ?? []
  return number !== undefined && hasCheckDigits(number)
}

function isIban(text: string): boolean {
  const [, start, rest] = /^(?:IBAN)?([A-Z]{2}\d{2})([A-Z0-9]{11,30})$/.exec(compact(text)) ?? []
  return start !== undefined && hasCheckDigits(rest + start)
}

const hasOtherForm = (format: keyof typeof OTHER_FORMS, text: string, country: string): boolean =>
  OTHER_FORMS[format][country]?.test(compact(text)) ?? false

function isTaxNumber(text: string, country = ''): boolean {
  if (hasOtherForm('tax_number', text, country)) return true
  const { entityValidators, personValidators } = numbers()
  return isValidFor([...(entityValidators[country] ?? []), ...(personValidators[country] ?? [])], text)
}

function isRegistrationNumber(text: string, country = ''): boolean {
  if (hasOtherForm('registration_number', text, country)) return true
  const { [country]: known = {} } = numbers().stdnum
  const validators = (REGISTERS[country] ?? []).flatMap((name) => known[name] ?? [])
  return isValidFor(validators, text) || (text.startsWith(country) && isValidFor(validators, text.slice(2)))
}

/** The check of each format. Numbers of countries that the library does not know have any form. */
const CHECKS = {
  lei: isLei,
  vat: isVat,
  tax_number: isTaxNumber,
  registration_number: isRegistrationNumber,
  iban: isIban,
} as const

/** The maximum number of words before and after a number, such as in `RCS Paris B 732 829 320`. */
const MAX_WORDS = 4

/** Returns the text, and then the text without words that have no digit at its start and end. */
function withoutLabels(text: string): string[] {
  const words = [...text.matchAll(/[^\s\p{P}]+/gu)]
  const hasDigit = ([word]: RegExpExecArray) => /\d/.test(word)
  const [first, last] = [words.findIndex(hasDigit), words.findLastIndex(hasDigit)]
  if (first === -1) return [text]
  const after = words.slice(last, last + MAX_WORDS + 1).reverse()
  const starts = words.slice(Math.max(first - MAX_WORDS, 0), first + 1)
  return [
    text,
    ...starts.flatMap(({ index }) =>
      after.map(({ index: at, 0: word }) => text.slice(index, at + word.length)),
    ),
  ]
}

/** The maximum number of letters that are read, with words around the number. Some letters stand for 18 others. */
const MAX_READ = 500

/** Replaces each letter O next to digits, which is a frequent mistake. The check digits show whether it is one. */
const withZeros = (text: string): string =>
  text.replace(/[\dO]+/g, (part) => (/\d/.test(part) ? part.replaceAll('O', '0') : part))

/**
 * Returns whether the text has the format, in this country if it is known. Spaces, invisible characters, signs between
 * the parts, the width of characters, their case, and the names of the register or of the number do not matter.
 */
export function hasFormat(format: keyof typeof CHECKS, text: string, country: string | undefined): boolean {
  const plain = text
    .slice(0, MAX_READ)
    .normalize('NFKC')
    .slice(0, MAX_READ)
    .replace(/\p{Cf}/gu, '')
    .toUpperCase()
  return [...new Set([plain, withZeros(plain)])].some((each) =>
    withoutLabels(each).some((number) => CHECKS[format](number.replace(/\s/g, ''), country)),
  )
}
