/**
 * Tests that no process starts in production with unsafe settings, that sandbox keys are refused there, and that browsers
 * send the console's cookies only over HTTPS.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { insertApiKey } from '../../src/db/access/api-key.ts'
import { newApiKey } from '../../src/use-cases/credentials/api-key-text.ts'
import { createApi } from '../support/api.ts'
import { openConsole } from '../support/console.ts'
import { type OwnInstance, PRODUCTION, startInstance, unique } from '../support/instance.ts'
import { spawnProcess } from '../support/processes.ts'

let production: OwnInstance
beforeAll(async () => {
  production = await startInstance({ env: PRODUCTION })
})
afterAll(() => production.stop())

test.each(['src/server.ts', 'src/worker.ts', 'src/cli/main.ts'])(
  '%s exits and names every unsafe setting',
  async (script) => {
    const unsafe = { PUBLIC_URL: 'http://localhost:3000', WEBHOOK_ALLOW_PRIVATE: 'true' }
    const refused = spawnProcess(script, { ...production.env, ...unsafe }, 'migrate')
    expect(await refused.ended).toBe(1)
    for (const setting of Object.keys(unsafe)) expect(refused.output()).toContain(`  ${setting} `)
  },
)

describe('a key of the other environment in the database', () => {
  const answersTo = async (instance: OwnInstance, environment: 'sandbox' | 'production') => {
    const key = newApiKey(environment)
    await insertApiKey(instance.db, { id: unique(), vaultId: instance.vaultId, key, roles: ['api_read'] })
    return (await createApi(`${instance.baseUrl}/v1`, key).get('/kyb')).status
  }
  test('is refused in production', async () => {
    expect(await answersTo(production, 'production')).toBe(200)
    expect(await answersTo(production, 'sandbox')).toBe(401)
  })
  test('is refused in the sandbox', async () => {
    const sandbox = await startInstance()
    expect(await answersTo(sandbox, 'sandbox')).toBe(200)
    expect(await answersTo(sandbox, 'production')).toBe(401)
    await sandbox.stop()
  })
})

test('the cookie with the notice of the console is sent only over HTTPS', async () => {
  const browser = await openConsole(production.baseUrl, production.credentials)
  const saved = await browser.post('/console/filters', { name: 'Urgent', query: 'overdue=true' })
  expect(saved.headers.getSetCookie()).toEqual([expect.stringMatching(/^gatehouse_notice=.*; Secure/)])
})
