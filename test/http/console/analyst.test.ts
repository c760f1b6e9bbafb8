/** Tests that an auditor of one vault is an alternative to a key with `api_read`, which shows the webhook secret. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createApi } from '../../support/api.ts'
import { openConsole } from '../../support/console.ts'
import { addVault, sharedInstance, unique } from '../../support/instance.ts'
import { createKey, PASSWORD, signedIn } from '../../support/people.ts'

const gatehouse = await sharedInstance()
const { api, vaultId } = gatehouse
const { vaultId: otherId } = await addVault(gatehouse)
const secret: string = (await api.get('/users/settings')).body.data.webhook_secret
const kybId = await api.createKyb(unique())
const identificationId = (await api.get(`/kyb/${kybId}`)).body.data.identification_id as string
const analyst = await signedIn(gatehouse, 'operator', {
  operator_grants: [{ role: 'auditor', vault_id: vaultId }],
})

test('a key with `api_read` shows the webhook secret', async () => {
  const { api: reader } = await createKey(gatehouse, { roles: ['api_read'] })
  expect((await reader.get('/users/settings')).body.data.webhook_secret).toBe(secret)
})

describe('an auditor of one vault', () => {
  test.each([
    `/kyb/${kybId}`,
    `/identifications/${identificationId}`,
    '/kyb',
    '/figures/applications',
    `/vaults/${vaultId}`,
    `/vaults/${vaultId}/settings`,
    `/vaults/${vaultId}/api_keys`,
    '/audit',
    '/erasures',
  ])('reads %s without the secret', async (path) => {
    const answer = await analyst.api.get(path)
    expect(answer.status, path).toBe(200)
    expect(JSON.stringify(answer.body)).not.toContain(secret)
  })
  test.each([
    '/console',
    `/console/kyb/${kybId}`,
    `/console/settings/vaults/${vaultId}`,
    `/console/settings/vaults/${vaultId}/webhooks`,
    `/console/settings/vaults/${vaultId}/api_keys`,
  ])('reads %s without the secret', async (path) => {
    const page = await openConsole(gatehouse.baseUrl, { email: analyst.email, password: PASSWORD })
    const response = await page.get(path)
    expect(response.status, path).toBe(200)
    expect(await response.text()).not.toContain(secret)
  })
  test.each([
    '',
    '/pages',
    '/profile',
    '/profile?part=beneficiary&row=full_name',
    '/comment_templates',
    '/api_keys',
    '/webhooks',
  ])('finds no form that changes the settings at %s', async (path) => {
    const page = await openConsole(gatehouse.baseUrl, { email: analyst.email, password: PASSWORD })
    const html = await (await page.get(`/console/settings/vaults/${vaultId}${path}`)).text()
    const actions = [...html.matchAll(/<form[^>]*method="post"[^>]* action="([^"]*)"/g)].map(([, to]) => to)
    expect(actions).toEqual(['/console/sign_out'])
    expect(html).not.toContain('settings-foot')
  })
  test('changes nothing, and sees no other vault', async () => {
    const name = `/vaults/${vaultId}`
    expect(await analyst.api.patch(name, { name: 'Changed' })).toMatchObject({ status: 403 })
    expect(await analyst.api.post(`${name}/api_keys`, { roles: ['api_read'] })).toMatchObject({ status: 403 })
    expect(await analyst.api.get(`/vaults/${otherId}`)).toMatchObject({ status: 404 })
  })
  test('is refused by the client API', async () => {
    expect((await createApi(`${gatehouse.baseUrl}/v1`, analyst.token).get('/kyb')).status).toBe(401)
  })
})

describe('the warning about the secret is shown', () => {
  test.each([
    ['en', '“Read” also shows the webhook secret', '“Auditor”'],
    ['de', '„Lesen“ zeigt auch den Signaturschlüssel der Webhooks', '„Revision“'],
  ])('where keys and users are created, in %s', async (language, warning, role) => {
    const page = await openConsole(gatehouse.baseUrl, gatehouse.credentials)
    for (const path of [`/console/settings/vaults/${vaultId}/api_keys`, '/console/settings/users/new']) {
      const html = await (await page.get(path, { 'Accept-Language': language })).text()
      expect(html, path).toContain(warning)
      expect(html, path).toContain(role)
    }
  })
  test('next to the role, where users are created', async () => {
    const page = await openConsole(gatehouse.baseUrl, gatehouse.credentials)
    expect(await page.text('/console/settings/users/new')).toMatch(
      /id="roles-api_read-hint"[^>]*>Read applications, files and the webhook secret</,
    )
  })
  test('in the API reference', async () => {
    const document = await (await fetch(`${gatehouse.baseUrl}/operator/v1/openapi.json`)).text()
    // New and existing keys and users.
    expect(document.match(/`api_read` also shows the webhook secret/g)?.length).toBeGreaterThanOrEqual(4)
  })
  test('in the guide', () => {
    const guide = readFileSync(new URL('../../../docs/access.md', import.meta.url), 'utf8')
    expect(guide).toMatch(/### Webhook secret\n.*`auditor` in one vault/s)
  })
})
