/** Tests that a form that creates or replaces a secret takes effect once, although the browser sends it again. */
import { randomUUID } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { openConsole } from '../../support/console.ts'
import { addVault, sharedInstance, unique } from '../../support/instance.ts'
import { PASSWORD, signedIn } from '../../support/people.ts'

const gatehouse = await sharedInstance()
const { baseUrl, db } = gatehouse
const vault = await addVault(gatehouse)
const HOME = `/console/client/${vault.vaultId}`

type Browser = Awaited<ReturnType<typeof openConsole>>
let admin: Browser
let operator: Browser
let userId: string
beforeAll(async () => {
  const client = await signedIn(gatehouse, 'client', {
    vaults: [{ id: vault.vaultId, roles: ['client_admin'] }],
  })
  userId = client.id
  admin = await openConsole(baseUrl, { email: client.email, password: PASSWORD })
  operator = await openConsole(baseUrl, gatehouse.credentials)
})

/** Returns the texts of a query's rows, which change when the form takes effect. */
const stateOf = async (query: ReturnType<typeof sql>) => JSON.stringify(await db.orm.execute(query))

interface Form {
  readonly by: Browser
  /** The page with the form, and the address to which it is sent. */
  readonly page: string
  readonly action?: string
  readonly values: Record<string, string>
  readonly state: ReturnType<typeof sql>
}

const ofVault = sql`vault_id = ${vault.vaultId}`
const links = sql`SELECT encode(token_hash, 'hex') FROM verification_links AS link
  JOIN identifications ON identifications.id = link.identification_id WHERE ${ofVault} ORDER BY 1`

const FORMS: Readonly<Record<string, () => Promise<Form>>> = {
  async 'a new webhook secret'() {
    await vault.api.put('/users/update_webhook', { webhook_url: { ticket: ['https://own.example/hook'] } })
    const [{ id }] = (await vault.api.get('/webhook_urls')).body.data
    const page = `${HOME}/webhooks/urls/${id}`
    const state = sql`SELECT encode(secret, 'hex') FROM webhook_settings WHERE ${ofVault}`
    return { by: admin, page, values: { act: 'secret', overlap_hours: '24' }, state }
  },
  async 'a new member'() {
    const values = { email: `${unique()}@client.example`, role: 'client_viewer' }
    const state = sql`SELECT count(*) FROM vault_users WHERE ${ofVault}`
    return { by: admin, page: `${HOME}/members`, values, state }
  },
  async 'a new API key'() {
    const values = { name: 'Backend', roles: 'api_read' }
    const state = sql`SELECT count(*) FROM api_keys WHERE ${ofVault}`
    return { by: admin, page: `${HOME}/keys`, values, state }
  },
  async 'a new link of a person'() {
    const { body } = await vault.api.post('/identifications/create_identify_process', { type: 'kyc' })
    const page = `${HOME}/identifications/${body.data.identification_id}`
    return { by: admin, page, action: `${page}/link`, values: {}, state: links }
  },
  async 'a new link of a company'() {
    const page = `${HOME}/kyb/${await vault.api.createKyb(unique())}`
    return { by: admin, page, action: `${page}/link`, values: {}, state: links }
  },
  async 'a new user'() {
    const page = '/console/settings/users/new'
    const values = { email: `${unique()}@client.example`, vaults: vault.vaultId, roles: 'api_read' }
    return { by: operator, page, values, state: sql`SELECT count(*) FROM vault_users WHERE ${ofVault}` }
  },
  async 'a new password'() {
    const page = `/console/settings/users/${userId}/reset_password`
    return {
      by: operator,
      page,
      values: {},
      state: sql`SELECT password_hash FROM users WHERE id = ${userId}`,
    }
  },
}

test.each(Object.entries(FORMS))('%s is made once, until the form is opened again', async (_, prepare) => {
  const { by, page, action = page, values, state } = await prepare()
  const [, id = ''] = /name="id" value="([\da-f-]{36})"/.exec(await by.text(page)) ?? []
  expect(id).not.toBe('')
  const before = await stateOf(state)
  const first = await by.post(action, { ...values, id })
  expect([first.status, await first.text()]).toEqual([200, expect.stringMatching(/id="(secret|link)"/)])
  const after = await stateOf(state)
  expect(after).not.toBe(before)
  const repeated = await Promise.all(Array.from({ length: 5 }, () => by.post(action, { ...values, id })))
  for (const answer of repeated) {
    const text = await answer.text()
    expect([409, 422]).toContain(answer.status)
    expect(text).not.toMatch(/id="(secret|link)"/)
  }
  expect(await stateOf(state)).toBe(after)
})

test('a form that is sent ten times at once takes effect once', async () => {
  const page = `/console/settings/users/${userId}/reset_password`
  const id = randomUUID()
  const answers = await Promise.all(Array.from({ length: 10 }, () => operator.post(page, { id })))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)])
})

test('a refused form can be corrected and sent again, and another person’s form has its own ID', async () => {
  const [{ id: urlId }] = (await vault.api.get('/webhook_urls')).body.data
  const page = `${HOME}/webhooks/urls/${urlId}`
  const id = randomUUID()
  const send = (by: Browser, overlap_hours: string) => by.post(page, { act: 'secret', overlap_hours, id })
  const member = await signedIn(gatehouse, 'client', {
    vaults: [{ id: vault.vaultId, roles: ['client_admin'] }],
  })
  const own = await openConsole(baseUrl, { email: member.email, password: PASSWORD })
  expect((await send(own, '169')).status).toBe(422)
  expect((await send(own, '1')).status).toBe(200)
  const another = await signedIn(gatehouse, 'client', {
    vaults: [{ id: vault.vaultId, roles: ['client_admin'] }],
  })
  const others = await openConsole(baseUrl, { email: another.email, password: PASSWORD })
  expect((await send(others, '1')).status).toBe(200)
})
