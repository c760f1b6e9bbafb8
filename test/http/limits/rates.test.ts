/** Tests the limits on an applicant's saves and uploads, and on a vault's stored files. */
import { eq } from 'drizzle-orm'
import { afterAll, describe, expect, test } from 'vitest'
import { timeline } from '../../../drizzle/schema.ts'
import { expectErrors } from '../../support/checks.ts'
import { openConsole } from '../../support/console.ts'
import { beginCompany, sendForm, startForm } from '../../support/hosted-page.ts'
import { recordOf } from '../../support/identification.ts'
import { addVault, startInstance, unique } from '../../support/instance.ts'
import { pdfOf } from '../../support/pdf.ts'
import { beginPerson, openPerson } from '../../support/person-page.ts'
import { photoFile, photograph } from '../../support/photo.ts'

const gatehouse = await startInstance({
  env: {
    RATE_LIMIT_SESSION_SAVES: '5',
    RATE_LIMIT_VERIFICATION_SAVES: '6',
    RATE_LIMIT_SESSION_UPLOADS: '2',
    RATE_LIMIT_VERIFICATION_UPLOADS: '3',
    QUOTA_VAULT_FILES: '4',
    QUOTA_VAULT_BYTES: '2000000',
  },
})
await gatehouse.startWorker()
const { baseUrl, db } = gatehouse
const pdf = () => new Blob([new Uint8Array(pdfOf('A document'))])
afterAll(() => gatehouse.stop())

describe('the limits of an applicant', () => {
  test('limits saves per session and per verification, but always allows withdrawal of consent', async () => {
    const link = await beginPerson(gatehouse)
    const person = await openPerson(baseUrl, link)
    await person.post('/consent', { consent: 'yes' })
    const save = (by: typeof person, city: string) => by.post('/details', { city })
    for (const city of ['A', 'B', 'C', 'D']) expect((await save(person, city)).status).toBe(303)
    const refused = await save(person, 'E')
    expect(refused.status).toBe(429)
    expect(await refused.text()).toContain('You have saved too often in the last minute')
    const other = await openPerson(baseUrl, link)
    expect((await save(other, 'F')).status).toBe(303)
    const late = await save(other, 'G')
    expect(late.status).toBe(429)
    expect(await late.text()).toContain('were saved too often today')
    expect((await recordOf(gatehouse, person.id)).profile.city).toBe('F')
    const entries = () => db.orm.$count(timeline, eq(timeline.entityId, person.id))
    const before = await entries()
    await save(other, 'H')
    expect(await entries()).toBe(before)
    expect((await person.post('/consent', { consent: 'no' })).status).toBe(200)
    expect((await recordOf(gatehouse, person.id)).profile.city).toBe(undefined)
  })

  test('limits uploads per session and per verification', async () => {
    const link = await beginPerson(gatehouse)
    const [person, other] = [await openPerson(baseUrl, link), await openPerson(baseUrl, link)]
    await person.post('/consent', { consent: 'yes' })
    const picture = photoFile(await photograph())
    for (const attribute of ['selfie', 'document_front'])
      expect((await person.upload(attribute, picture)).status).toBe(303)
    const refused = await person.upload('selfie', picture)
    expect([refused.status, await refused.text()]).toEqual([
      429,
      expect.stringContaining('You have uploaded too many files in the last minute'),
    ])
    expect((await other.upload('selfie', picture)).status).toBe(303)
    const late = await other.upload('selfie', picture)
    expect([late.status, await late.text()]).toEqual([
      429,
      expect.stringContaining('Too many files were uploaded for this verification today'),
    ])
  })
})

test('limits the saves of a company', async () => {
  const company = await beginCompany(gatehouse, unique())
  const { base, headers, csrf } = await startForm(baseUrl, company)
  const save = async (name: string) => {
    const form = { _csrf: csrf, 'nature_of_business.legal_company_name': name }
    return sendForm(`${baseUrl}${base}/nature_of_business`, form, headers)
  }
  for (const name of ['A', 'B', 'C', 'D', 'E']) expect((await save(name)).status).toBe(303)
  expect((await save('F')).status).toBe(429)
})

describe('the limits of a vault', () => {
  const attribute = 'legal_structures'

  test('limits stored files, and counts files removed within the last day', async () => {
    const vault = await addVault(gatehouse)
    const id = await vault.api.createKyb()
    const uploaded = []
    for (let n = 0; n < 4; n += 1) uploaded.push(await vault.api.upload(id, { attribute }, pdf(), `${n}.pdf`))
    expect(uploaded.map(({ status }) => status)).toEqual([201, 201, 201, 201])
    await vault.api.put(`/kyb/delete_file/${id}`, {
      attribute_key: attribute,
      blob_key: uploaded[0]?.body.id,
    })
    const refused = await vault.api.upload(id, { attribute }, pdf(), 'late.pdf')
    expect(refused.status).toBe(403)
    expectErrors(refused, 'quota_exceeded')
    expect(refused.body.errors[0].message).toContain('its limit of 4 stored files')

    const console = await openConsole(baseUrl, gatehouse.credentials)
    const page = await console.text(`/console/settings/vaults/${vault.vaultId}`)
    expect(page.replaceAll(/<[^>]+>/g, ' ')).toMatch(/Stored files +4 +4/)
  })

  test('limits stored bytes per vault, without an effect on other vaults', async () => {
    const [full, empty] = [await addVault(gatehouse), await addVault(gatehouse)]
    const id = await full.api.createKyb()
    const large = new Blob([await pdf().arrayBuffer(), new Uint8Array(2_000_000)])
    expect((await full.api.upload(id, { attribute }, large)).status).toBe(201)
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    const refused = await full.api.upload(id, { attribute }, pdf())
    expect(refused.status).toBe(403)
    expect(refused.body.errors[0].message).toContain('its limit of 2,000,000 stored bytes')
    expect((await empty.api.upload(await empty.api.createKyb(), { attribute }, pdf())).status).toBe(201)
  })
})
