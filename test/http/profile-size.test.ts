/** Tests the size of pages with fifty added fields. With `MEASURE=1`, also prints the times of reads and saves. */
import { expect, test } from 'vitest'
import { companyPages } from '../support/hosted-page.ts'
import { addVault, sharedInstance, unique } from '../support/instance.ts'
import { completeSections } from '../support/kyb.ts'
import { documentOf, profilesOf, row, text } from '../support/profile.ts'

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
    ...(type === 'some_of' && { values: ['a', 'b', 'c'] }),
    ...(n % 10 === 9 && { asked: { field: `additional.field_${n - 8}`, is: true } }),
  })
})

const VALUES: Readonly<Record<string, unknown>> = {
  short_text: 'Some text',
  boolean: true,
  number_text: '12',
  date: '2000-02-29',
  some_of: ['a'],
}

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
  if (process.env.MEASURE) process.stdout.write(`sizes: ${sizes.join(', ')}\n`)
  expect(withFifty).toBeGreaterThan(byDefault)
  expect(withFifty - byDefault).toBeLessThan(50 * 700)
})

test.runIf(process.env.MEASURE)('measures', { timeout: 120_000 }, async () => {
  const ids: [string, Awaited<ReturnType<typeof addVault>>['api'], string, object][] = []
  for (const rows of [[], FIFTY]) {
    const vault = await addVault(gatehouse)
    const profiles = await profilesOf(vault)
    if (rows.length > 0) await profiles.publish(documentOf(rows))
    const additional = Object.fromEntries(
      rows.map((each) => [String(each.path).slice(11), VALUES[String(each.type)]]),
    )
    const id = await vault.api.createKyb(unique(), {
      ...completeSections(),
      ...(rows.length > 0 && { additional }),
    })
    ids.push([rows.length > 0 ? 'fifty' : 'default', vault.api, id, {}])
  }
  const times = new Map<string, number[]>()
  for (let n = 0; n < 150; n++)
    for (const [name, api, id] of ids) {
      let since = performance.now()
      await api.get(`/kyb/${id}`)
      times.set(`${name} read`, [...(times.get(`${name} read`) ?? []), performance.now() - since])
      since = performance.now()
      await api.patch(`/kyb/${id}`, { nature_of_business: { city_address: `Berlin ${n}` } })
      times.set(`${name} save`, [...(times.get(`${name} save`) ?? []), performance.now() - since])
    }
  for (const [name, all] of times) {
    const sorted = all.slice(20).sort((a, b) => a - b)
    process.stdout.write(`${name}: median ${sorted[Math.floor(sorted.length / 2)]?.toFixed(1)} ms\n`)
  }
})
