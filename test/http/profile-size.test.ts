/** Tests the size of pages with fifty added fields. */
import { expect, test } from 'vitest'
import { companyPages } from '../support/hosted-page.ts'
import { addVault, sharedInstance, unique } from '../support/instance.ts'
import { documentOf, labelled, profilesOf, row, text } from '../support/profile.ts'

const gatehouse = await sharedInstance({ worker: true })

const TYPES = ['short_text', 'boolean', 'number_text', 'date', 'some_of'] as const
const SECTIONS = ['nature_of_business', 'usage_of_account', 'business_files']
const FIFTY = Array.from({ length: 50 }, (_, n) => {
  const type = TYPES[n % TYPES.length]
  return row(`field_${n}`, {
    type,
    section: SECTIONS[n % SECTIONS.length],
    label: text(`Question number ${n}, with the words that a question needs?`),
    help: text('As on the certificate of the authority.'),
    required: true,
    ...(type === 'some_of' && labelled(type, ['a', 'b', 'c'])),
    ...(n % 10 === 9 && { asked: { field: `additional.field_${n - 8}`, is: true } }),
  })
})

test('an added field adds less than 700 bytes to its page', async () => {
  const sizes: number[] = []
  for (const rows of [[], FIFTY]) {
    const vault = await addVault(gatehouse)
    if (rows.length > 0) await (await profilesOf(vault)).publish(documentOf(rows))
    const pages = companyPages({ ...gatehouse, api: vault.api })
    const { base, headers } = await pages.signIn(await pages.begin(unique()))
    let size = 0
    for (const page of SECTIONS)
      size += (await (await pages.send(`${base}/${page}`, undefined, headers)).text()).length
    sizes.push(size)
  }
  const [byDefault = 0, withFifty = 0] = sizes
  expect(withFifty).toBeGreaterThan(byDefault)
  expect(withFifty - byDefault).toBeLessThan(50 * 700)
})
