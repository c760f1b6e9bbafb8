/** Tests with Schemathesis that valid and invalid requests reveal no deviation from the OpenAPI documents. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApi } from '../../support/api.ts'
import { describeUnless } from '../../support/available.ts'
import { type OwnInstance, startInstance } from '../../support/instance.ts'
import { installPythonPackage } from '../../support/python-package.ts'

const VERSION = '4.32.5'
const run = promisify(execFile)
const config = new URL('../../support/schemathesis.toml', import.meta.url).pathname

const { missing, bin } = await installPythonPackage('schemathesis', VERSION)

describeUnless(missing, 'Schemathesis', () => {
  let gatehouse: OwnInstance
  let folder: string
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-schemathesis-'))
    gatehouse = await startInstance()
    // The worker tries to deliver to the random URLs of Schemathesis, but their host names do not resolve.
    await gatehouse.startWorker()
  })
  afterAll(async () => {
    await gatehouse?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  test.each(['client', 'operator'] as const)('finds no deviation in the %s API', async (audience) => {
    const base = `${gatehouse.baseUrl}${audience === 'client' ? '/v1' : '/operator/v1'}`
    const { operator_email: email, operator_password: password, api_key } = gatehouse.credentials
    const signIn = async () =>
      (await createApi(base, '').post('/sign_in', { email, password })).body.data.access_token as string
    const token = audience === 'client' ? api_key : await signIn()
    const options = ['--seed', '1842', '--url', base, '--header', `Authorization: ${token}`]
    // This path would send test events to the random URLs that Schemathesis generates.
    options.push('--exclude-path', '/users/test_webhook')
    const found = await run(
      bin('st'),
      ['--config-file', config, '--no-color', 'run', `${base}/openapi.json`, ...options],
      { cwd: folder, maxBuffer: 100_000_000 },
    ).then(
      () => '',
      ({ stdout, stderr }: { stdout: string; stderr: string }) => `${stdout}\n${stderr}`,
    )
    expect(found).toBe('')
  })
})
