/** Tests the questions that a profile asks of beneficiaries at their link, in the API and on pages. */
import { beforeEach, expect, test } from 'vitest'
import { addVault, sharedInstance } from '../../support/instance.ts'
import { completeApplication } from '../../support/kyb.ts'
import { beginPerson, fillInPerson, openPerson, submitPerson } from '../../support/person-page.ts'
import { documentOf, profilesOf, type Row, row, text } from '../../support/profile.ts'

const gatehouse = await sharedInstance({ worker: true })

let vault: Awaited<ReturnType<typeof addVault>>
let profiles: Awaited<ReturnType<typeof profilesOf>>
beforeEach(async () => {
  vault = await addVault(gatehouse)
  profiles = await profilesOf(vault)
})

const atLink = (name: string, more: Row = {}) => row(name, { section: 'link', ...more })
const BIRTHPLACE = atLink('place_of_birth', {
  label: text('Place of birth'),
  required: true,
  max_length: 20,
})
const STATE = atLink('state_of_birth', {
  label: text('State of birth'),
  asked: { field: 'additional.place_of_birth', is: 'Portland' },
  required: true,
})
/** A person's field with the same name has its own value. */
const OWN = row('place_of_birth', { section: 'details', label: text('Where were you born?') })

const read = async (id: string) => (await vault.api.get(`/kyb/${id}`)).body.data

async function begin() {
  const { id } = await completeApplication(vault.api)
  const application = await read(id)
  const [ada] = application.beneficiaries.beneficiaries_list
  const pathOf = (name: string) => `beneficiaries.beneficiaries_list.${ada.external_id}.additional.${name}`
  const person = await openPerson(gatehouse.baseUrl, new URL(ada.link).pathname)
  return { id, application, ada, pathOf, person }
}

test('a beneficiary replies at the link, and the application contains the values', async () => {
  await profiles.publish(documentOf([], [BIRTHPLACE, STATE], [OWN]))
  const { id, application, pathOf, person } = await begin()
  expect(application.requirements.currently_due).toEqual([pathOf('place_of_birth')])
  expect((await person.get('/link')).headers.get('Location')).toBe(`${person.base}/consent`)
  await fillInPerson(person)
  const page = await person.text('/link')
  for (const each of ['Questions about you', 'Place of birth', 'State of birth']) expect(page).toContain(each)
  expect(page).not.toContain('Where were you born?')
  expect(await person.text('/details')).toContain('Where were you born?')

  const refused = await person.post('/check')
  expect([refused.status, await refused.text()]).toEqual([
    422,
    expect.stringContaining('Questions about you'),
  ])
  const answer = (name: string, value: string) => person.post('/link', { [pathOf(name)]: value })
  expect((await answer('place_of_birth', 'x'.repeat(21))).status).toBe(422)
  expect((await read(id)).requirements.currently_due).toEqual([pathOf('place_of_birth')])
  expect((await answer('place_of_birth', 'Portland')).status).toBe(303)
  expect((await read(id)).requirements.currently_due).toEqual([pathOf('state_of_birth')])
  expect((await person.post('/check')).status).toBe(422)
  const left = await person.post('/link', { [pathOf('state_of_birth')]: 'Maine', leave: 'yes' })
  expect(left.headers.get('Location')).toBe(`${person.base}/leave`)
  const { beneficiaries, requirements, waiting_on } = await read(id)
  expect(beneficiaries.beneficiaries_list[0].additional).toEqual({
    place_of_birth: 'Portland',
    state_of_birth: 'Maine',
  })
  // The application was complete for the client, who need not submit it again.
  expect([requirements.currently_due, waiting_on]).toEqual([[], 'operator'])
  expect((await vault.api.get(`/identifications/${person.id}`)).body.data.additional).toEqual({
    place_of_birth: null,
  })
  expect(await person.text('/check')).toContain('Maine')
  await submitPerson(person)
  expect((await answer('place_of_birth', 'London')).status).not.toBe(303)
  expect((await read(id)).beneficiaries.beneficiaries_list[0].additional.place_of_birth).toBe('Portland')
})

test('the company can answer, too', async () => {
  await profiles.publish(documentOf([], [BIRTHPLACE]))
  const { id, ada, person } = await begin()
  const additional = { place_of_birth: 'London' }
  const list = [{ external_id: ada.external_id, additional }]
  expect((await vault.api.patch(`/kyb/${id}`, { beneficiaries: { beneficiaries_list: list } })).status).toBe(
    200,
  )
  await fillInPerson(person)
  expect(await person.text('/link')).toContain('London')
  await submitPerson(person)
})

test('only an open application asks at the link', async () => {
  await profiles.publish(documentOf([], [BIRTHPLACE]))
  const { id, person } = await begin()
  await fillInPerson(person)
  expect((await person.get('/link')).status).toBe(200)
  const other = await openPerson(gatehouse.baseUrl, await beginPerson({ api: vault.api }))
  await fillInPerson(other)
  expect((await other.get('/link')).status).toBe(404)
  await vault.api.post(`/sandbox/kyb/${id}/simulate_review`, { outcome: 'approved' })
  expect((await person.get('/link')).status).toBe(404)
  expect((await person.post('/link', {})).status).toBe(404)
  await submitPerson(person)
})

test('only added questions about beneficiaries can be in the section', async () => {
  const specified = { path: 'email', section: 'link', type: 'email' }
  const files = atLink('certificate', { type: 'files' })
  expect(await profiles.problems(documentOf([BIRTHPLACE], [specified, files, STATE], [atLink('x')]))).toEqual(
    [
      'company.rows.0.section: wrong_section',
      'beneficiary.rows.0.section: wrong_section',
      'beneficiary.rows.1.section: wrong_section',
      'person.rows.0.section: wrong_section',
    ],
  )
})
