/** Tests the people of a company’s form, and their own links. */
import { eq } from 'drizzle-orm'
import { describe, expect, test, vi } from 'vitest'
import { beneficiaries } from '../../../drizzle/schema.ts'
import { openConsole } from '../../support/console.ts'
import { companyPages } from '../../support/hosted-page.ts'
import { untilWaitingOn } from '../../support/identification.ts'
import { sharedInstance, unique } from '../../support/instance.ts'
import { completeSections } from '../../support/kyb.ts'
import { fillInPerson, openPerson, submitPerson } from '../../support/person-page.ts'

const gatehouse = await sharedInstance({ worker: true })
const { api, baseUrl, db } = gatehouse
const { begin, kybOf, openComplete, send, signIn } = companyPages(gatehouse)

test('shows a name of 5,000 characters completely at its field, and shortens it in lists of people', async () => {
  const externalUuid = unique()
  const { base, headers } = await signIn(await begin(externalUuid))
  const { id } = await kybOf(externalUuid)
  const people = Array.from({ length: 5 }, (_, n) => ({
    email: `a${n}@example.com`,
    full_name: '&'.repeat(5_000),
  }))
  await api.patch(`/kyb/${id}`, { beneficiaries: { beneficiaries_list: people } })
  const console = await openConsole(baseUrl, gatehouse.credentials)
  for (const page of [
    await (await send(`${base}/check`, undefined, headers)).text(),
    await console.text(`/console/kyb/${id}`),
  ])
    expect(page.match(/(&amp;){5000}/g)).toHaveLength(5)
  expect(await (await send(`${base}/beneficiaries`, undefined, headers)).text()).toContain(
    `>${'&amp;'.repeat(99)}…</a>`,
  )
})

describe('owners', () => {
  const NEW = 'beneficiaries.beneficiaries_list.new.'

  test('are added and removed once if the button is pressed twice, in sequence or at the same time', async () => {
    const externalUuid = unique()
    const { base, headers, csrf } = await signIn(await begin(externalUuid))
    const people = async () => (await kybOf(externalUuid)).beneficiaries.beneficiaries_list
    const list = [303, `${base}/beneficiaries`]
    const next = [303, `${base}/next/owners`]
    const press = async (path: string, form: object = {}) => {
      const { status, headers: response } = await send(`${base}/${path}`, { _csrf: csrf, ...form }, headers)
      return [status, response.get('Location')]
    }
    const ada = {
      [`${NEW}email`]: 'ada@example.com',
      [`${NEW}full_name`]: 'Ada',
      [`was:${NEW}full_name`]: '',
    }
    const add = (more: object = {}) => press('owners/new', { ...ada, ...more })
    expect([await add(), await add({ [`${NEW}email`]: 'Ada@example.com' })]).toEqual([next, next])
    expect(await people()).toHaveLength(1)
    // Gatehouse refuses a different person with the same email.
    expect(await add({ [`${NEW}full_name`]: 'Charles' })).toEqual([422, null])
    const [{ external_id }] = await people()
    const remove = () => press(`owners/${external_id}/remove`)
    expect([await remove(), await remove()]).toEqual([list, list])
    expect(await Promise.all([add(), add()])).toEqual([next, next])
    const [{ external_id: again }] = await people()
    const removeAgain = () => press(`owners/${again}/remove`)
    expect(await Promise.all([removeAgain(), removeAgain()])).toEqual([list, list])
    expect(await people()).toEqual([])
  })
})

test('counts the same documents in the rail and in the checklist', async () => {
  const externalUuid = unique()
  const { base, headers } = await signIn(await begin(externalUuid))
  const read = async (page: string) => (await send(`${base}${page}`, undefined, headers)).text()
  await api.patch(`/kyb/${(await kybOf(externalUuid)).id}`, { business_files: { signature_type: 'single' } })
  const page = await read('/business_files')
  // The answer about signatures starts the section, but not its documents.
  expect(page).toMatch(/glyph-started.{0,300}<span>Documents<\/span><span class="rail-count">5 left<\/span>/s)
  expect(page).toContain('0 of 5 added')
})

test('warns if the shares exceed 100 percent, or a large shareholder does not have the role “Owner”', async () => {
  const { id, base, headers, read } = await openComplete()
  // The company has confirmed that no owner is missing.
  expect(await read('/beneficiaries')).toMatch(
    /40% held by smaller owners.+You can leave out owners who hold less than 25%/s,
  )
  await api.patch(`/kyb/${id}`, { beneficiaries: { shareholders_confirmation: false } })
  expect(await read('/beneficiaries')).toContain('40% still missing')
  const german = await send(`${base}/beneficiaries`, undefined, { ...headers, 'Accept-Language': 'de' })
  expect(await german.text()).toContain('40\u00a0% fehlen noch')
  const grace = {
    email: 'grace@example.com',
    full_name: 'Grace Hopper',
    roles: ['shareholder'],
    stake_in_company: '50',
  }
  await api.patch(`/kyb/${id}`, { beneficiaries: { beneficiaries_list: [grace] } })
  const page = await read('/beneficiaries')
  expect(page).toContain('The shares add up to 110%. Reduce them to at most 100%.')
  expect(page).toContain('Grace Hopper holds 25% or more. Add the role “Owner”.')
})

describe('an owner’s own link', () => {
  test('is replaced in the form, and the earlier link stops working', async () => {
    const externalUuid = unique()
    const { base, headers, csrf } = await signIn(await begin(externalUuid))
    const { id } = await kybOf(externalUuid)
    const people = [{ email: 'ada@example.com', roles: ['director'] }]
    await api.patch(`/kyb/${id}`, { beneficiaries: { beneficiaries_list: people } })
    const [before] = (await kybOf(externalUuid)).beneficiaries.beneficiaries_list
    const pressed = await send(`${base}/owners/${before.external_id}/link`, { _csrf: csrf }, headers)
    expect(pressed.status).toBe(303)
    const [after] = (await kybOf(externalUuid)).beneficiaries.beneficiaries_list
    expect(after.link).not.toBe(before.link)
    expect((await send(new URL(before.link).pathname)).status).toBe(404)
    expect((await send(new URL(after.link).pathname)).status).toBe(200)
    const page = await (await send(`${base}/owners/${before.external_id}/link`, undefined, headers)).text()
    expect(page).toContain(after.link)
    const foreign = await send(`${base}/owners/${before.external_id}/link`, { _csrf: 'x' }, headers)
    expect(foreign.status).toBe(403)
  })
  test('is named as what the company waits for, once the person has opened it', async () => {
    const { id, read } = await openComplete()
    const [ada] = completeSections().beneficiaries.beneficiaries_list
    const ana = { ...ada, email: 'ana@example.com', full_name: 'Ana Lima', stake_in_company: '30' }
    await api.patch(`/kyb/${id}`, { beneficiaries: { beneficiaries_list: [ana] } })
    const people = (await api.get(`/kyb/${id}`)).body.data.beneficiaries.beneficiaries_list
    const { external_id, link } = people.find(({ email }: { email: string }) => email === ana.email)
    // On a phone, the check page shows only the sections with gaps.
    const gaps = await read('/check')
    expect(gaps).toContain('>Ana Lima: ID missing</a>')
    expect(gaps.match(/<details class="folded section-fold"/g)).toHaveLength(3)
    expect(gaps).toMatch(
      new RegExp(`/owners/${external_id}/upload#[^"]+">Add<span class="unseen">: Identity document`),
    )
    const person = await openPerson(baseUrl, new URL(link).pathname)
    const waiting = 'Waiting for Ana Lima to submit'
    const check = await read('/check')
    expect(check).toContain(`/owners/${external_id}/link#person-${external_id}">${waiting}</a>`)
    expect(await read()).toContain(waiting)
    expect(await read('/beneficiaries')).toContain('Not submitted yet')
    await fillInPerson(person, { name: 'Ana', surname: 'Lima' })
    await submitPerson(person)
    await expect.poll(() => read('/check')).not.toContain(waiting)
    await untilWaitingOn(gatehouse, person.id, 'operator')
    const operator = await gatehouse.operator()
    const decision = { outcome: 'rejected', reason_code: 'information_mismatch' }
    await operator.post(`/identifications/${person.id}/decision`, decision)
    // A new link would have the same result, so only the documents remain.
    await expect
      .poll(() => read('/beneficiaries'))
      .toMatch(/could not be verified with the link.+Questions\?/s)
    expect(await read('/beneficiaries')).not.toContain('Send them a link')
    expect(await read()).toContain('could not be verified with the link')
  })
  test('shows its expiry date in UTC in any time zone of the server', async () => {
    const externalUuid = unique()
    const { base, headers } = await signIn(await begin(externalUuid))
    const { id } = await kybOf(externalUuid)
    await api.patch(`/kyb/${id}`, { beneficiaries: { beneficiaries_list: [{ email: 'ada@example.com' }] } })
    const [ada] = (await kybOf(externalUuid)).beneficiaries.beneficiaries_list
    const tokenExpiresAt = new Date('2096-05-14T23:30:00Z')
    await db.orm.update(beneficiaries).set({ tokenExpiresAt }).where(eq(beneficiaries.id, ada.external_id))
    vi.stubEnv('TZ', 'Pacific/Kiritimati')
    try {
      const page = await (await send(`${base}/owners/${ada.external_id}/link`, undefined, headers)).text()
      expect(page).toContain('Works until 14\u00a0May\u00a02096')
    } finally {
      vi.unstubAllEnvs()
    }
  })
})
