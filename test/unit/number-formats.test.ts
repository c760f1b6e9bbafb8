/** Tests the formats of numbers that a profile can ask for. */
import { expect, test } from 'vitest'
import { hasFormat } from '../../src/process/number-formats.ts'

type Case = readonly [format: Parameters<typeof hasFormat>[0], text: string, country?: string]

const accepted: readonly Case[] = [
  ['lei', '529900T8BM49AURSDO55'],
  ['lei', '5299 00t8 bm49 aurs do55'],
  ['lei', 'LEI: 5299-00T8-BM49-AURS-DO55'],
  ['lei', '529900t8bm49aurs\u200bdo55'],
  ['lei', '５２９９００T8BM49AURSDO55'],
  ['vat', 'DE136695976'],
  ['vat', 'DE 136 695 976'],
  ['vat', 'de-136.695.976'],
  ['vat', 'DE１３６６９５９７６'],
  ['vat', 'FI-2077474-0'],
  ['vat', '2077474-0', 'FI'],
  ['vat', 'PL 526-000-12-46'],
  ['vat', 'CHE-107.787.577 MWST', 'CH'],
  ['vat', 'EL094259216'],
  ['vat', '136695976', 'DE'],
  ['vat', 'GB980780684'],
  ['iban', 'DE89 3704 0044 0532 0130 00'],
  ['iban', 'IBAN: de89-3704-0044-0532-0130-00'],
  ['iban', 'DE89.3704.0044.0532.0130.00'],
  ['iban', 'DE89\u00a03704\u202f0044\u20110532\u200b013000'],
  ['tax_number', '181/815/08155', 'DE'],
  ['tax_number', '181–815–08155', 'DE'],
  ['tax_number', 'any number', 'TV'],
  ['tax_number', 'any number'],
  ['registration_number', '732829320', 'FR'],
  ['registration_number', '732-829-320', 'FR'],
  ['registration_number', '923609016', 'NO'],
  ['registration_number', 'NO 923 609 016', 'NO'],
  ['registration_number', 'J40/1372/2002', 'RO'],
  ['registration_number', 'HRB 18421', 'DE'],
]
test.each(accepted.map((each) => [each] as const))('accepts %j', ([format, text, country]) => {
  expect(hasFormat(format, text, country)).toBe(true)
})

const refused: readonly Case[] = [
  ['lei', '529900T8BM49AURSDO56'],
  ['lei', '529900T8BM49AURSDO5'],
  ['vat', 'DE123456789'],
  ['vat', '123456789', 'DE'],
  ['vat', '136695976'],
  ['iban', 'DE89 3704 0044 0532 0130 01'],
  ['iban', 'DE89'],
  ['iban', 'DE89+3704+0044+0532+0130+00'],
  ['lei', '529900T8BM49AURSD055'],
  ['tax_number', 'no number', 'DE'],
  ['registration_number', '732829321', 'FR'],
  ['registration_number', 'x', 'NO'],
]
test.each(refused.map((each) => [each] as const))('refuses %j', ([format, text, country]) => {
  expect(hasFormat(format, text, country)).toBe(false)
})
