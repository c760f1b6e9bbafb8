/** Tests that operators see and change only the vaults of their grants. */
import { describe, expect, test } from 'vitest'
import { OPERATOR_ROLES } from '../../support/access-rules.ts'
import type { Api } from '../../support/api.ts'
import { openConsole } from '../../support/console.ts'
import { addVault, sharedInstance, unique } from '../../support/instance.ts'
import { PASSWORD, signIn as peopleSignIn, signedIn } from '../../support/people.ts'

const gatehouse = await sharedInstance({ worker: true })
const first = { id: gatehouse.vaultId, api: gatehouse.api }
const second = await addVault(gatehouse).then(({ vaultId, api }) => ({ id: vaultId, api }))
const word = `Leak${unique().slice(-10)}`
const name = `${word} Trading GmbH`
const admin = await gatehouse.operator()
await admin.patch(`/vaults/${second.id}`, { name: `Hidden ${word}` })

/** Creates a company with the shared name, a file, an internal case and an API key. Returns all their IDs. */
async function createCase(api: Api, vaultId: string) {
  const email = 'same@example.com'
  const id = await api.createKyb(unique(), { nature_of_business: { legal_company_name: name, email } })
  const { body } = await api.get(`/kyb/${id}`)
  const identificationId: string = body.data.identification_id
  const uploaded = await api.upload(id, { attribute: 'aml_policies' })
  const opened = await admin.post(`/identifications/${identificationId}/cases`, {
    owner: 'operator_operations',
    reason: 'suspected_fraud',
  })
  const key = await admin.post(`/vaults/${vaultId}/api_keys`, { roles: ['api_read'] })
  return {
    kyb: id,
    identifications: identificationId,
    files: uploaded.body.id as string,
    cases: opened.body.data.id as string,
    api_keys: key.body.data.id as string,
    vaults: vaultId,
  }
}
const mine = await createCase(first.api, first.id)
const hidden = await createCase(second.api, second.id)

const operatorWith = (role: string, vault_id: string | null) =>
  signedIn(gatehouse, 'operator', { operator_grants: [{ role, vault_id }] })

describe('an operator of one vault', () => {
  const secrets = [
    hidden.kyb,
    hidden.identifications,
    hidden.files,
    hidden.cases,
    hidden.api_keys,
    second.id,
    `Hidden ${word}`,
  ]
  const leaksIn = (text: string) => secrets.filter((secret) => text.includes(secret))
  const signIn = (role: string) => operatorWith(role, first.id)

  test.each(OPERATOR_ROLES)(
    'reads nothing about another vault over the API with the role %s',
    async (role) => {
      const { api } = await signIn(role)
      const paths = [
        '/queue?per_page=100&waiting_on=client',
        '/queue?per_page=100',
        `/queue?vault_id=${second.id}`,
        '/queue?assigned=nobody',
        `/kyb?name=${encodeURIComponent(name)}`,
        '/kyb?per_page=100',
        `/identifications?name=${encodeURIComponent(name)}`,
        `/identifications?email=same@example.com`,
        '/cases?per_page=100',
        `/cases?vault_id=${second.id}`,
        `/kyb/${mine.kyb}`,
        `/identifications/${mine.identifications}`,
        `/kyb/${mine.kyb}/timeline`,
        `/kyb/${mine.kyb}/deliveries`,
        '/vaults?per_page=100',
        '/audit?per_page=100',
        `/audit?vault_id=${second.id}`,
        '/admin_actions',
      ]
      for (const path of paths) {
        const { status, body } = await api.get(path)
        expect({ path, status, leaks: leaksIn(JSON.stringify(body)) }).toEqual({ path, status, leaks: [] })
        expect([200, 403]).toContain(status)
      }
    },
  )

  test('sees counts of only this vault', async () => {
    const { api } = await signIn('reviewer')
    const all = await signedIn(gatehouse, 'operator', { operator_roles: ['operator_review'] })
    for (const path of ['/kyb?per_page=1', '/cases?per_page=1', '/queue?per_page=1&waiting_on=client']) {
      const joint = path.includes('?') ? '&' : '?'
      const own = (await api.get(path)).body.meta
      const ofVault = (await all.api.get(`${path}${joint}vault_id=${first.id}`)).body.meta
      expect({ path, own }).toEqual({ path, own: ofVault })
    }
    for (const figure of ['applications', 'decision_times', 'queue_ages', 'reasons', 'deliveries']) {
      const { rows: own } = (await api.get(`/figures/${figure}`)).body.data
      const { rows } = (await all.api.get(`/figures/${figure}?vault_id=${first.id}`)).body.data
      expect({ figure, own }).toEqual({ figure, own: rows })
      const other = (await api.get(`/figures/${figure}?vault_id=${second.id}`)).body.data.rows
      const numbers = JSON.stringify(other).match(/:(\d+)/g) ?? []
      if (figure !== 'queue_ages') expect(numbers.filter((each) => each !== ':0')).toEqual([])
    }
  })

  test('sees duplicates only in this vault', async () => {
    const { api } = await signIn('reviewer')
    const all = await signedIn(gatehouse, 'operator', { operator_roles: ['operator_review'] })
    const path = `/kyb/${mine.kyb}`
    expect(JSON.stringify((await all.api.get(path)).body.data)).toContain(hidden.kyb)
    expect(leaksIn(JSON.stringify((await api.get(path)).body.data))).toEqual([])
  })

  test.each(OPERATOR_ROLES)(
    'reads nothing about another vault in the console with the role %s',
    async (role) => {
      const { email } = await signIn(role)
      const browser = await openConsole(gatehouse.baseUrl, { email, password: PASSWORD })
      const pages = [
        '/console',
        '/console?waiting_on=client',
        '/console/cases',
        `/console/cases?vault_id=${second.id}`,
        '/console/figures',
        `/console/figures?vault=${second.id}`,
        `/console/figures/applications.csv?vault=${second.id}`,
        `/console/kyb/${mine.kyb}`,
        `/console/identifications/${mine.identifications}`,
        '/console/settings/vaults',
        `/console/settings/vaults/${first.id}`,
        `/console/settings/vaults/${first.id}/api_keys`,
        `/console/settings/vaults/${first.id}/webhooks`,
        '/console/settings/audit',
        '/console/settings/erasures',
        '/console/settings/actions',
        '/console/settings/users',
        '/console/settings/groups',
      ]
      for (const page of pages) {
        // The page repeats an ID from its address.
        const text = page.includes(second.id)
          ? (await browser.text(page)).replaceAll(second.id, '')
          : await browser.text(page)
        expect({ page, leaks: leaksIn(text) }).toEqual({ page, leaks: [] })
      }
      for (const page of [
        `/console/kyb/${hidden.kyb}`,
        `/console/identifications/${hidden.identifications}`,
        `/console/files/${hidden.files}`,
        `/console/settings/vaults/${second.id}`,
        `/console/settings/vaults/${second.id}/api_keys`,
        `/console/settings/vaults/${second.id}/comment_templates`,
        `/console/settings/api_keys/${hidden.api_keys}/revoke`,
      ])
        expect({ page, status: (await browser.get(page)).status }).toEqual({ page, status: 404 })
    },
  )

  test.each([name, word, 'same@example.com'])('finds only this vault in a search for %s', async (text) => {
    const { email } = await signIn('reviewer')
    const browser = await openConsole(gatehouse.baseUrl, { email, password: PASSWORD })
    const answer = await browser.post('/console/search', { q: text })
    const found = await browser.text(answer.headers.get('location') ?? '')
    expect(leaksIn(found)).toEqual([])
    expect(found).toContain(mine.kyb)
  })

  test('cannot publish events to another vault', async () => {
    const { api } = await signIn('administrator')
    const event = { topic: 'ticket', event: 'created', attributes: {} }
    expect((await api.post('/events', { ...event, vault_id: second.id })).status).toBe(422)
    expect((await api.post('/events', { ...event, vault_id: first.id })).status).toBe(202)
  })

  test('receives no stored response about a vault after losing the role there', async () => {
    const grant = (vault_id: string) => ({ role: 'administrator', vault_id })
    const { id, email, token } = await signedIn(gatehouse, 'operator', {
      operator_grants: [grant(first.id), grant(second.id)],
    })
    const create = async (by: string) => {
      const response = await fetch(`${gatehouse.baseUrl}/operator/v1/vaults/${second.id}/api_keys`, {
        method: 'POST',
        headers: { Authorization: by, 'Content-Type': 'application/json', 'Idempotency-Key': id },
        body: JSON.stringify({ roles: ['api_read'] }),
      })
      return { status: response.status, text: await response.text() }
    }
    const created = await create(token)
    expect(created.status).toBe(201)
    expect(await create(token)).toEqual(created)
    await admin.patch(`/users/${id}`, { operator_grants: [grant(first.id)] })
    const again = await peopleSignIn(gatehouse, 'operator', { email, password: PASSWORD })
    const later = await create(again.body.data.access_token)
    expect([later.status, later.text.includes('gk_')]).toEqual([422, false])
  })

  test('does not learn the type of a resource in another vault', async () => {
    const { api } = await signIn('reviewer')
    const { body } = await api.get(`/kyb/${hidden.identifications}`)
    expect(body.errors[0].message).not.toContain('identification')
  })
})

test('a user’s data contains its grants in single vaults, and a change applies at the next request', async () => {
  const { id, api } = await operatorWith('reviewer', first.id)
  expect((await admin.get(`/users/${id}`)).body.data).toMatchObject({
    operator_roles: [],
    operator_grants: [{ role: 'reviewer', vault_id: first.id }],
  })
  await admin.patch(`/users/${id}`, { operator_grants: [] })
  expect((await api.get('/queue')).status).toBe(401)
})

test('refuses a grant in an unknown vault', async () => {
  const operator_grants = [{ role: 'reviewer', vault_id: unique() }]
  const { status, body } = await admin.post('/users', { email: `${unique()}@example.com`, operator_grants })
  expect([status, body.errors[0].field]).toEqual([422, 'operator_grants'])
})
