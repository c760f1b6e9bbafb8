/** Tests the sides of identity cards on the company's pages, in the API and in the console. */
import { expect, test } from 'vitest'
import { openConsole } from '../../support/console.ts'
import { companyPages } from '../../support/hosted-page.ts'
import { sharedInstance, unique } from '../../support/instance.ts'
import { completeSections } from '../../support/kyb.ts'
import { pdfOf } from '../../support/pdf.ts'
import { photograph } from '../../support/photo.ts'

const gatehouse = await sharedInstance({ worker: true })
const { api } = gatehouse
const { begin, kybOf, send, signIn } = companyPages(gatehouse)

async function openOwner() {
  const externalUuid = unique()
  const { base, headers, csrf } = await signIn(await begin(externalUuid))
  const { id } = await kybOf(externalUuid)
  await api.patch(`/kyb/${id}`, completeSections())
  const personOf = async () => (await kybOf(externalUuid)).beneficiaries.beneficiaries_list[0]
  const { external_id } = await personOf()
  const owner = `${base}/owners/${external_id}`
  const path = `beneficiaries.beneficiaries_list.${external_id}.beneficiary_identification`
  const upload = async (content: BlobPart, name: string, side?: string) => {
    const form = new FormData()
    form.set('_csrf', csrf)
    if (side !== undefined) form.set('side', side)
    form.set('file', new File([content], name))
    const sent = await send(`${owner}/files/beneficiary_identification`, form, headers)
    expect(sent.status).toBe(303)
  }
  return {
    id,
    upload,
    markAsPassport: async () => {
      const [{ id: file }] = (await personOf()).beneficiary_identification
      const path = `${owner}/files/beneficiary_identification/${file}/passport`
      expect((await send(path, new URLSearchParams({ _csrf: csrf }), headers)).status).toBe(303)
    },
    read: async (way = 'upload') => (await send(`${owner}/${way}`, undefined, headers)).text(),
    reason: async () =>
      (await kybOf(externalUuid)).requirements.reasons.find((each: { path: string }) => each.path === path)
        ?.code,
    files: async () =>
      (await personOf()).beneficiary_identification.map(({ name }: { name: string }) => name),
  }
}

const photo = async (width: number) => new Uint8Array(await photograph({ width }))

test('needs both sides of an identity card, and replaces the same side', async () => {
  const { id, upload, read, reason, files } = await openOwner()
  expect(await reason()).toBe('no_document')
  expect(await read()).toMatch(/ID needed.+Front of the ID card.+Back of the ID card.+Upload the passport/s)
  await upload(await photo(900), 'front.jpg', 'front')
  expect(await reason()).toBe('back_missing')
  const half = await read()
  expect(half).toMatch(
    /Back needed.+Front of the ID card.+front\.jpg.+Back of the ID card.+This is a passport/s,
  )
  await upload(await photo(901), 'front again.jpg', 'front')
  expect(await files()).toEqual(['front again.jpg'])
  await upload(await photo(902), 'back.jpg', 'back')
  expect([await reason(), await files()]).toEqual([undefined, ['front again.jpg', 'back.jpg']])
  expect(await read()).toContain('ID added')
  const operator = await gatehouse.operator()
  const { data } = (await operator.get(`/kyb/${id}`)).body
  const [{ beneficiary_identification: shownFiles }] = data.beneficiaries.beneficiaries_list
  expect(shownFiles.map(({ side }: { side: string }) => side)).toEqual(['front', 'back'])
  const console = await openConsole(gatehouse.baseUrl, gatehouse.credentials)
  const shown = await console.text(`/console/kyb/${id}?tab=documents`)
  expect(shown).toMatch(/Front of the ID card.+Back of the ID card/s)
})

test.each([
  ['a passport', undefined, 'photo'],
  ['a file with an unknown side', 'top', 'photo'],
  ['a PDF, which can contain both sides', 'front', 'pdf'],
])('needs only %s', async (_, side, kind) => {
  const { upload, read, reason } = await openOwner()
  expect(await read('passport')).not.toContain('Back of the ID card')
  await upload(kind === 'pdf' ? new Uint8Array(pdfOf('Card')) : await photo(900), `id.${kind}`, side)
  expect(await reason()).toBeUndefined()
  expect(await read()).not.toContain('Back of the ID card')
})

test('needs no back of a passport whose photo is in the place of the front', async () => {
  const { upload, markAsPassport, read, reason, files } = await openOwner()
  await upload(await photo(900), 'passport.jpg', 'front')
  expect(await reason()).toBe('back_missing')
  await markAsPassport()
  expect([await reason(), await files()]).toEqual([undefined, ['passport.jpg']])
  const shown = await read()
  expect(shown).toContain('ID added')
  expect(shown).not.toContain('Back of the ID card')
  // A repeated form changes nothing.
  await markAsPassport()
  expect(await files()).toEqual(['passport.jpg'])
})
