/** Tests the formats of numbers that a profile can ask for. */
import { expect, test } from 'vitest'
import { COUNTRY_CODES } from '../../src/domain/fields/countries.ts'
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
  ['registration_number', 'RCS Paris 732 829 320', 'FR'],
  ['registration_number', '732 829 320 R.C.S. Paris B', 'FR'],
  ['registration_number', 'SIRET n° 732 829 320 00074', 'FR'],
  ['registration_number', 'NO 923 609 016 MVA', 'NO'],
  ['registration_number', 'CHE-107.787.577 MWST', 'CH'],
  ['registration_number', 'CH-020.3.020.910-1', 'CH'],
  ['registration_number', 'Org.nr. 556036-0793', 'SE'],
  ['registration_number', 'IČO: 25123891', 'CZ'],
  ['registration_number', 'CVR-nr. 13585628', 'DK'],
  ['registration_number', '0428.759.497 RPR Brussel', 'BE'],
  ['registration_number', 'Y-tunnus 2O77474-0', 'FI'],
  ['vat', 'CHE-107.787.577 MWST/TVA/IVA'],
  ['vat', 'CHE-107.787.577 MVA', 'CH'],
  ['vat', 'CHE-107.787.577', 'CH'],
  ['vat', 'NO 923 609 016 MVA'],
  ['vat', '923 609 016', 'NO'],
  ['vat', 'USt-IdNr.: DE 136695976'],
  ['vat', 'VAT Reg No: GB980780684'],
  ['vat', 'BTW BE 0428.759.497'],
  ['vat', 'P.IVA 00743110157', 'IT'],
  ['vat', 'NL004495445BO1'],
  ['vat', '12892312-2-42', 'HU'],
  ['vat', 'HU12892312-2-42'],
  ['tax_number', '12892312-2-42', 'HU'],
  ['tax_number', 'St.-Nr. 181/815/08155', 'DE'],
  ['iban', 'DE89 37O4 OO44 0532 0130 00'],
  ['registration_number', 'J2024012345001', 'RO'],
  ['registration_number', 'Nr. ORC: J2016012984400', 'RO'],
  ['registration_number', '00000055', 'TW'],
  ['registration_number', '0104-01-056795', 'JP'],
  ['registration_number', '130111-0006246', 'KR'],
  ['registration_number', '165560125790', 'SE'],
  ['registration_number', '19811228-9874', 'SE'],
  ['registration_number', '3184710691', 'UA'],
  ['registration_number', '39337423', 'IL'],
  ['registration_number', '12.ABC.345/01DE-35', 'BR'],
  ['tax_number', 'DE123456788-00001', 'DE'],
  ['tax_number', 'W-IdNr. DE 123456788-00001', 'DE'],
  ['tax_number', '19558 39661 K', 'GB'],
  ['tax_number', '00000055', 'TW'],
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
  ['vat', 'HU12892313-2-42'],
  ['vat', 'NL'],
  ['vat', '-', 'NL'],
  ['tax_number', '-', 'SE'],
  ['registration_number', 'RCS Paris 732 829 321', 'FR'],
  ['registration_number', 'RCS Paris', 'FR'],
  ['tax_number', 'no number', 'DE'],
  ['registration_number', '732829321', 'FR'],
  ['registration_number', 'x', 'NO'],
  ['registration_number', 'J202401234500', 'RO'],
  ['registration_number', '130111-000624', 'KR'],
  ['registration_number', '175560125790', 'SE'],
  ['registration_number', '3184710692', 'UA'],
  ['tax_number', 'DE123456788-0001', 'DE'],
]
test.each(refused.map((each) => [each] as const))('refuses %j', ([format, text, country]) => {
  expect(hasFormat(format, text, country)).toBe(false)
})

test('checks any text in any country without an error, and in a short time', () => {
  const short = ['', '-', '.', 'B', 'O', '0', 'X1', 'no number 1 no number', 'ſ', '٣']
  const long = ['1'.repeat(5_000), 'A B '.repeat(1_250), '1 O-'.repeat(1_250), ' '.repeat(5_000)]
  const types: string[] = []
  const before = process.cpuUsage()
  // No country has numbers of this length, so the time hardly depends on the country.
  for (const format of ['vat', 'tax_number', 'registration_number'] as const)
    for (const country of COUNTRY_CODES)
      for (const text of ['DE', 'FR', 'TV'].includes(country) ? [...short, ...long] : short)
        for (const each of [text, country + text]) types.push(typeof hasFormat(format, each, country))
  const { user } = process.cpuUsage(before)
  expect(new Set(types)).toEqual(new Set(['boolean']))
  expect(user / 1_000 / types.length).toBeLessThan(5)
})
