/** In production: no process starts unsafely, the sandbox’s paths and keys are not there. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { insertApiKey } from '../../src/db/access.ts'
import { newApiKey } from '../../src/storage/random.ts'
import { createApi } from '../support/api.ts'
import { expectErrors } from '../support/checks.ts'
import { type Instance, PRODUCTION, startInstance, unique } from '../support/instance.ts'
import { spawnProcess } from '../support/processes.ts'

let production: Instance
beforeAll(async () => {
  production = await startInstance({ env: PRODUCTION })
})
afterAll(() => production.stop())

test.each(['src/server.ts', 'src/worker.ts', 'src/cli.ts'])('%s ends with all reasons', async (script) => {
  const unsafe = { PUBLIC_URL: 'http://localhost:3000', WEBHOOK_ALLOW_PRIVATE: 'true' }
  const refused = spawnProcess(script, { ...production.env, ...unsafe }, 'migrate')
  expect(await refused.ended).toBe(1)
  for (const setting of Object.keys(unsafe)) expect(refused.output()).toContain(`  ${setting} `)
})

test.each(['simulate_review', 'simulate'])('the path of %s is not there', async (action) => {
  const kyb = await production.api.createKyb()
  const path =
    action === 'simulate' ? `/sandbox/identifications/${kyb}/simulate` : `/sandbox/kyb/${kyb}/${action}`
  const answer = await production.api.post(path, { outcome: 'approved' })
  expect(answer.status).toBe(404)
  expectErrors(answer, 'not_found')
  expect((await production.api.get(`/kyb/${kyb}`)).body.data.status.processed).toBe(false)
})

describe('a key of the other environment is worth nothing, even when it is in the database', () => {
  const answersTo = async (instance: Instance, environment: 'sandbox' | 'production') => {
    const key = newApiKey(environment)
    await insertApiKey(instance.db, { id: unique(), vaultId: instance.vaultId, key, roles: ['api_read'] })
    return (await createApi(`${instance.baseUrl}/v1`, key).get('/kyb')).status
  }
  test('in production', async () => {
    expect(await answersTo(production, 'production')).toBe(200)
    expect(await answersTo(production, 'sandbox')).toBe(401)
  })
  test('in the sandbox', async () => {
    const sandbox = await startInstance()
    expect(await answersTo(sandbox, 'sandbox')).toBe(200)
    expect(await answersTo(sandbox, 'production')).toBe(401)
    await sandbox.stop()
  })
})
