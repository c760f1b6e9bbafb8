/**
 * Tests that no process starts in production with unsafe settings, and that sandbox keys are refused there.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { insertApiKey } from '../../src/db/access/api-key.ts'
import { newApiKey } from '../../src/use-cases/credentials/api-key-text.ts'
import { createApi } from '../support/api.ts'
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
