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
  IL: ['hp'],
  JP: ['cn'],
  KR: ['brn'],
  MD: ['idno'],
  NO: ['orgnr'],
  PT: ['nipc'],
  RO: ['cui', 'onrc'],
  SE: ['orgnr'],
  SG: ['uen'],
  TW: ['ubn'],
  UA: ['edrpou'],
}

/** Removes the signs between the parts of a number, which the library does not ignore in the numbers of all countries. */
const compact = (text: string): string => text.replace(/[\p{Pd}.:/_·]/gu, '')

const isValidFor = (validators: readonly Validator[], text: string): boolean =>
  validators.length === 0 ||
  validators.some((each) => each.validate(text).isValid || each.validate(compact(text)).isValid)

/** Greece and Northern Ireland have other prefixes in VAT numbers than their country codes. */
const PREFIXES: Readonly<Record<string, string>> = { EL: 'GR', XI: 'GB' }
/** The countries outside the library's list whose VAT numbers it knows. */
const OTHER_VAT: Readonly<Record<string, string>> = { GB: 'vat', NO: 'mva', IS: 'vsk' }

function isVat(text: string, country: string | undefined): boolean {
  const { stdnum, euVat } = numbers()
  const [prefix = ''] = /^[A-Z]{2}/.exec(text) ?? []
  const validatorsIn = (code: string): readonly Validator[] => {
    const other = stdnum[code]?.[OTHER_VAT[code] ?? '']
    return euVat[code] ?? (other ? [other] : [])
  }
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

function isTaxNumber(text: string, country = ''): boolean {
  const { entityValidators, personValidators } = numbers()
  return isValidFor([...(entityValidators[country] ?? []), ...(personValidators[country] ?? [])], text)
}

function isRegistrationNumber(text: string, country = ''): boolean {
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

/**
 * Returns whether the text has the format, in this country if it is known. Spaces, invisible characters, signs between
 * the parts, the width of characters and their case do not matter.
 */
export const hasFormat = (format: keyof typeof CHECKS, text: string, country: string | undefined): boolean =>
  CHECKS[format](
    text
      .normalize('NFKC')
      .replace(/[\s\p{Cf}]/gu, '')
      .toUpperCase(),
    country,
  )
