/** Tests the formats of numbers that a profile can ask for. */
import { expect, test } from 'vitest'
import { COUNTRY_CODES } from '../../../src/domain/fields/countries.ts'
import { hasFormat } from '../../../src/process/number-formats.ts'

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

/** The example of each country in the register of IBANs, and a VAT number of each country in Europe. */
const NUMBERS = {
  iban:
    'AT611904300234573201 AE070331234567890123456 AL47212110090000000235698741 AZ21NABZ00000000137010001944 ' +
    'BA391290079401028494 BE68539007547034 BG80BNBG96611020345678 BH67BMAG00001299123456 ' +
    'BR1800360305000010009795493C1 BY13NBRB3600900000002Z00AB00 CH9300762011623852957 CR05015202001026284066 ' +
    'CY17002001280000001200527600 CZ6508000000192000145399 DK5000400440116243 DO28BAGR00000001212453611324 ' +
    'EE382200221020145685 EG380019000500000000263180002 ES9121000418450200051332 FI2112345600000785 ' +
    'FO6264600001631634 FR1420041010050500013M02606 GB29NWBK60161331926819 GE29NB0000000101904917 ' +
    'GI75NWBK000000007099453 GL8964710001000206 GR1601101250000000012300695 GT82TRAJ01020000001210029690 ' +
    'HR1210010051863000160 HU42117730161111101800000000 IE29AIBK93115212345678 IL620108000000099999999 ' +
    'IQ98NBIQ850123456789012 IS140159260076545510730339 IT60X0542811101000000123456 ' +
    'JO94CBJO0010000000000131000302 KW81CBKU0000000000001234560101 KZ86125KZT5004100100 ' +
    'LB62099900000001001901229114 LI21088100002324013AA LT121000011101001000 LU280019400644750000 ' +
    'LV80BANK0000435195001 MC5811222000010123456789030 MD24AG000225100013104168 ME25505000012345678951 ' +
    'MK07250120000058984 MR1300020001010000123456753 MT84MALT011000012345MTLCAST001S ' +
    'MU17BOMM0101101030300200000MUR NL91ABNA0417164300 NO9386011117947 PK36SCBL0000001123456702 ' +
    'PL61109010140000071219812874 PT50000201231234567890154 QA58DOHB00001234567890ABCDEFG ' +
    'RO49AAAA1B31007593840000 RS35260005601001611379 SA0380000000608010167519 SC18SSCB11010000000000001497USD ' +
    'SE4550000000058398257466 SI56263300012039086 SK3112000000198742637541 SM86U0322509800000000270100 ' +
    'SV62CENR00000000000000700025 TL380080012345678910157 TN5910006035183598478831 TR330006100519786457841326 ' +
    'UA213223130000026007233566001 VG96VPVG0000012345678901 XK051212012345678906',
  vat:
    'ATU13585627 BE0403019261 BG175074752 CY10259033P CZ25123891 DE136695976 DK13585628 EE100594102 ' +
    'EL094259216 ESB58378431 FI20774740 FR40303265045 GB980780684 HR33392005961 HU12892312 IE6433435F ' +
    'IE6433435OA IT00743110157 LT119511515 LU15027442 LV40003521600 MT11679112 NL004495445B01 PL8567346215 ' +
    'PT501964843 RO18547290 SE123456789701 SI50223054 SK2022749619 XI980780684 CHE107787577MWST NO995525828MVA',
} as const
test.each(['iban', 'vat'] as const)(
  'accepts the %s of each country, also with a label and in groups',
  (format) => {
    const numbers = NUMBERS[format].split(' ')
    const written = numbers.flatMap((each) => [each, `${format} ${each.replace(/.{4}/g, '$& ')}`])
    expect(written.filter((each) => !hasFormat(format, each, undefined))).toEqual([])
  },
)

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
